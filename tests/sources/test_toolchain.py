from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import pytest
from clang import cindex

from mgaudit.config.model import ConfigurationSpec
from mgaudit.domain.problems import UntrustedError
from mgaudit.sources import arguments_tables as tables
from mgaudit.sources.arguments import CommandLine, sanitise
from mgaudit.sources.toolchain import (
    HeaderRequest,
    Toolchain,
    discover,
    multiarch,
    version_of,
)
from mgaudit.sources.tree import PathResolver

linux = pytest.mark.skipif(not Path("/usr/include/stdio.h").is_file(), reason="needs the C library's headers")


def configuration(**changes: object) -> ConfigurationSpec:
    values: dict[str, object] = {
        "name": "only",
        "required": True,
        "compile_commands": None,
        "standard": None,
        "include_dirs": (),
        "system_include_dirs": (),
        "defines": (),
        "undefines": (),
        "force_includes": (),
        "extra_args": (),
        "stub_headers": {},
        "target": "",
        "sysroot": "",
        "missing_headers": "error",
        "path": "mgaudit.toml",
        "line": 3,
    }
    return ConfigurationSpec(**{**values, **changes})  # type: ignore[arg-type]


def errors(arguments: tuple[str, ...], text: str = "int x;", unsaved: tuple[tuple[str, str], ...] = ()) -> list[str]:
    name = "/in-memory/main.cpp"
    try:
        unit = cindex.Index.create().parse(name, args=[*arguments, "-w"], unsaved_files=[(name, text), *unsaved])
    except cindex.TranslationUnitLoadError as error:
        return [str(error)]
    return [str(item) for item in unit.diagnostics if item.severity >= cindex.Diagnostic.Error]


def test_the_bundled_libclang_brings_its_headers(toolchain: Toolchain) -> None:
    assert toolchain.bundled
    assert (toolchain.resource / "include/stddef.h").is_file()
    assert toolchain.libcxx is not None
    assert (toolchain.libcxx / "vector").is_file()
    assert toolchain.versions.libclang.startswith("22.")
    assert toolchain.versions.libclang in toolchain.versions.libclang_build
    assert toolchain.versions.tree_sitter_cpp
    assert str(toolchain.library) in toolchain.identity


@linux
def test_standard_headers_parse_without_a_compiler(toolchain: Toolchain) -> None:
    text = "#include <vector>\n#include <cstdio>\n#include <string>\nstd::vector<std::string> x;"
    assert errors((*toolchain.base_arguments(configuration()), "-std=c++20"), text) == []
    assert errors(("-std=c++20",), text) != []


@linux
@pytest.mark.parametrize(
    "target",
    [
        "aarch64-linux-android29",
        "armv7a-linux-androideabi21",
        "aarch64-linux-gnu",
        "riscv64-linux-gnu",
        "i686-linux-gnu",
    ],
)
def test_headers_of_this_machine_stand_in_for_another_linux(toolchain: Toolchain, target: str) -> None:
    headers = toolchain.headers(HeaderRequest(target=target))
    text = (
        "#include <vector>\n#include <cstdint>\n#include <pthread.h>\nstatic_assert(sizeof(intptr_t) == sizeof(void*));"
    )
    arguments = (*headers.leading, "-std=c++20", *headers.trailing)
    assert errors(arguments, text, toolchain.unsaved(configuration())) == []
    if headers.trailing:
        assert target in headers.advice[0].message


def test_a_target_without_headers_is_advised(toolchain: Toolchain) -> None:
    headers = toolchain.headers(HeaderRequest(target="x86_64-pc-windows-msvc"))
    assert headers.trailing == ()
    if sys.platform != "win32":
        assert ["sysroot" in advice.help for advice in headers.advice] == [True]


def test_a_sysroots_own_cxx_headers_are_used(toolchain: Toolchain, tmp_path: Path) -> None:
    for name in ("usr/include/stdio.h", "usr/include/c++/v1/vector"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    leading = toolchain.headers(HeaderRequest(sysroot=str(tmp_path))).leading
    assert f"--sysroot={tmp_path}" in leading
    assert leading[leading.index("-stdlib++-isystem") + 1] == str(tmp_path / "usr/include/c++/v1")


def test_a_sysroots_libstdcxx_is_used(toolchain: Toolchain, tmp_path: Path) -> None:
    for name in ("usr/include/stdio.h", "usr/include/c++/13/vector"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    headers = toolchain.headers(HeaderRequest(sysroot=str(tmp_path)))
    assert "-stdlib=libstdc++" in headers.leading
    assert "-stdlib++-isystem" not in headers.leading
    assert headers.advice == ()
    assert "-stdlib++-isystem" in toolchain.headers(HeaderRequest(sysroot=str(tmp_path), stdlib="libc++")).leading


def test_the_ndks_sysroot_is_found_next_to_its_compiler(toolchain: Toolchain, tmp_path: Path) -> None:
    (tmp_path / "sysroot/usr/include").mkdir(parents=True)
    request = HeaderRequest(target="aarch64-linux-android29", compiler=str(tmp_path / "bin/clang++"))
    assert f"--sysroot={tmp_path / 'sysroot'}" in toolchain.headers(request).leading


def test_named_libraries_replace_the_bundled_cxx_headers(toolchain: Toolchain) -> None:
    assert "-stdlib++-isystem" not in toolchain.headers(HeaderRequest(stdlib="libstdc++")).leading
    leading = toolchain.headers(HeaderRequest(gcc_toolchain="--gcc-toolchain=/opt/gcc")).leading
    assert ("--gcc-toolchain=/opt/gcc" in leading, "-stdlib++-isystem" in leading) == (True, False)


@linux
def test_stub_headers_are_found_in_memory_and_real_ones_win(toolchain: Toolchain) -> None:
    spec = configuration(
        name="a/b c",
        stub_headers={
            "cxxabi_lite.h": "namespace abi { inline char* __cxa_demangle(const char*) { return nullptr; } }",
            "sys/none.h": "",
            "stdio.h": "#error a stub",
        },
    )
    text = '#include <cxxabi_lite.h>\n#include "sys/none.h"\n#include <stdio.h>\nchar* p = abi::__cxa_demangle("");'
    arguments = (*toolchain.base_arguments(spec), *toolchain.trailing_arguments(spec))
    assert errors(arguments, text, toolchain.unsaved(spec)) == []
    assert any("cxxabi_lite.h" in error for error in errors(arguments, text))
    assert toolchain.trailing_arguments(configuration()) == ()


def test_stub_folders_of_configurations_differ(toolchain: Toolchain) -> None:
    folders = {toolchain.stub_folder(name) for name in ("a", "b", "a/b", "a%2fb")}
    assert len(folders) == 4
    assert all(".." not in folder for folder in folders)


def _fake_installation(prefix: Path, *versions: str) -> Path:
    library = prefix / "lib/libclang.so.19"
    for version in versions:
        (prefix / f"lib/clang/{version}/include").mkdir(parents=True)
        (prefix / f"lib/clang/{version}/include/stddef.h").write_text("")
    library.parent.mkdir(parents=True, exist_ok=True)
    library.write_text("")
    return library


@pytest.mark.parametrize("part", [".", "lib", "lib/libclang.so.19"])
def test_another_libclang_is_found_with_its_newest_headers(tmp_path: Path, part: str) -> None:
    library = _fake_installation(tmp_path, "9.0.0", "19")
    found = discover({"MGAUDIT_LIBCLANG": str(tmp_path / part)})
    assert found.library.samefile(library)
    assert found.resource.samefile(tmp_path / "lib/clang/19")
    assert not found.bundled


def test_a_libclang_without_its_headers_is_refused(tmp_path: Path) -> None:
    library = _fake_installation(tmp_path)
    with pytest.raises(UntrustedError, match="no built-in headers"):
        discover({"MGAUDIT_LIBCLANG": str(library)})


def test_a_place_without_libclang_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UntrustedError, match="no libclang is"):
        discover({"MGAUDIT_LIBCLANG": str(tmp_path)})


def test_a_library_that_cannot_be_loaded_is_refused(toolchain: Toolchain, tmp_path: Path) -> None:
    other = _fake_installation(tmp_path, "19")
    with pytest.raises(UntrustedError, match="cannot be loaded from"):
        _ = Toolchain(other, toolchain.resource, None, bundled=False).versions


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("x86_64-unknown-linux-gnu", "x86_64-linux-gnu"),
        ("i686-linux-gnu", "i386-linux-gnu"),
        ("armv7a-linux-gnueabihf", "arm-linux-gnueabihf"),
    ],
)
def test_multiarch_names(target: str, name: str) -> None:
    assert multiarch(target) == name


_KEPT = [
    *((f"-f{no}{name}", "x86_64-linux-gnu") for name in sorted(tables.F_SWITCHES) for no in ("", "no-")),
    *((f"-f{name}", "x86_64-linux-gnu") for name in sorted(tables.F_ONE_WAY)),
    *((flag, "x86_64-linux-gnu") for flag in sorted(tables.FLAGS)),
    *((f"-std={name}", "x86_64-linux-gnu") for name in ("c++98", "gnu++2b", "c++26", "gnu++17", tables.NEWEST_CXX)),
    *(
        (f"-m{name}", "x86_64-linux-gnu")
        for name in ("32", "64", "sse4.2", "no-avx", "avx512vp2intersect", "crc32", "no-red-zone")
    ),
    *((f"-march={name}", "x86_64-linux-gnu") for name in ("x86-64-v4", "nocona", "core-avx2", "znver5", "skx")),
    *(
        (f"-march={name}", "i686-linux-gnu")
        for name in ("i686", "pentium-mmx", "pentium4m", "prescott", "haswell", "x86-64-v3")
    ),
    *((f"-march=armv8{name}", "aarch64-linux-gnu") for name in ("-a", ".2-a+fp16", "-a+simd+crc+crypto", ".9-a")),
    *((f"-mcpu={name}", "aarch64-linux-gnu") for name in ("cortex-a55+crypto", "neoverse-v2", "apple-m4", "generic")),
    *(
        (f"-m{name}", "armv7a-linux-gnueabihf")
        for name in ("thumb", "fpu=neon-vfpv4", "float-abi=softfp", "arch=armv7-a")
    ),
    ("-march=rv64gc", "riscv64-linux-gnu"),
    ("-fcf-protection=branch", "x86_64-linux-gnu"),
    ("-mmacosx-version-min=13.0", "arm64-apple-macosx13"),
    *((f"-fsanitize={name}", "x86_64-linux-gnu") for name in ("address", "thread", "memory", "undefined", "leak")),
    ("-Wno-error=bogus", "x86_64-linux-gnu"),
    ("-ftemplate-depth-900", "x86_64-linux-gnu"),
    ("-flax-vector-conversions=integer", "x86_64-linux-gnu"),
    ("-fopenmp=libgomp", "x86_64-linux-gnu"),
]


@pytest.mark.parametrize(("flag", "target"), _KEPT)
def test_libclang_takes_every_option_that_is_kept(toolchain: Toolchain, flag: str, target: str) -> None:
    command = CommandLine(("clang++", flag), "/")
    kept = sanitise(command, PathResolver(Path("/")), target=target)
    standard = (f"-std={kept.standard}",) if kept.standard else ()
    assert kept.dropped == ()
    assert errors((f"--target={target}", *standard, *kept.arguments)) == []


@pytest.mark.parametrize("name", ["libclang-ng", "msgspec", "networkx", "tree-sitter-cpp"])
def test_versions_are_those_that_the_installation_says(name: str) -> None:
    assert version_of(name) == metadata.version(name)


def test_what_is_not_installed_has_no_version() -> None:
    with pytest.raises(metadata.PackageNotFoundError):
        version_of("no-such-distribution")
