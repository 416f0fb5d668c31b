from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.sources.arguments import CommandLine, Input, Sanitised, sanitise, split_command
from mgaudit.sources.arguments_compiler import is_windows_command, named_target, split_compiler
from mgaudit.sources.arguments_quoting import decode, split_posix, split_windows
from mgaudit.sources.tree import PathResolver

ROOT = Path("/tree")


def clean(*arguments: str, root: Path = ROOT, windows: bool = False, target: str | None = None) -> Sanitised:
    return sanitise(CommandLine(arguments, str(root), windows), PathResolver(root), target=target)


WORDS = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8), max_size=6)


@given(WORDS)
def test_shell_quoting_round_trips(words: list[str]) -> None:
    assert split_posix(shlex.join(words)) == words


@given(WORDS)
def test_windows_quoting_round_trips(words: list[str]) -> None:
    words = [word.replace("\n", " ") for word in words]
    # list2cmdline leaves other white space bare; the rules know blanks and tabs.
    words = [word for word in words if all(not c.isspace() or c in " \t" for c in word)]
    assert split_windows(subprocess.list2cmdline(words)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"g++ -DX=\"a\ b\" y", ["g++", '-DX="a b"', "y"]),
        (r'"-DX=\"q\"" "a\$b" "c\d"', ['-DX="q"', "a$b", r"c\d"]),
        ("a\\\nb 'c\\n' ''", ["ab", r"c\n", ""]),
        ("a # b && c", ["a", "#", "b", "&&", "c"]),
    ],
)
def test_posix_splitting(text: str, words: list[str]) -> None:
    assert split_posix(text) == words


@pytest.mark.parametrize("text", ["a 'b", 'a "b', 'a "b\\"'])
def test_an_open_quotation_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="never closed"):
        split_posix(text)


def test_windows_splitting_keeps_backslashes_but_before_quotation_marks() -> None:
    text = r'"C:\Program Files\cl.exe" /I..\a /DX=\"v\" "/Ib c\\" x""y'
    assert split_windows(text) == [r"C:\Program Files\cl.exe", r"/I..\a", '/DX="v"', "/Ib c\\", "xy"]


def test_decoding() -> None:
    assert decode(b"\xef\xbb\xbf-DX") == "-DX"
    assert decode("-DX".encode("utf-16")) == "-DX"
    with pytest.raises(ValueError, match="utf-8"):
        decode(b"\xff-DX")


@pytest.mark.parametrize(
    ("text", "directory", "windows"),
    [
        ("cl.exe /c a.cpp", "", True),
        ("clang-cl /c a.cpp", "", True),
        (r"C:\x\g++ -c", "", True),
        ("/usr/bin/c++ -c", r"C:\build", True),
        ("/usr/bin/clang++ -c a.cpp", "/b", False),
        ("clang -c a.cpp", "build", False),
        ("ccache g++ -c a.exe.cpp", "", False),
    ],
)
def test_windows_commands_are_recognised(text: str, directory: str, windows: bool) -> None:
    assert is_windows_command(text, directory) is windows


@pytest.mark.parametrize(
    ("words", "compiler", "left"),
    [
        ("g++ -c a.cpp", "g++", ["-c", "a.cpp"]),
        ("ccache /x/clang++-17 -c", "/x/clang++-17", ["-c"]),
        ("env A=B CCACHE_X=1 ccache distcc g++ -c", "g++", ["-c"]),
        ("cmake -E __run_co_compile --tidy=x;y --source=a.cpp -- /usr/bin/c++ -c", "/usr/bin/c++", ["-c"]),
        ("nice -n 5 g++ -c", "g++", ["-c"]),
        ("my-compiler -c", "my-compiler", ["-c"]),
        ("-c a.cpp", "", ["-c", "a.cpp"]),
    ],
)
def test_the_compiler_is_found_behind_its_wrappers(words: str, compiler: str, left: list[str]) -> None:
    found, _, rest = split_compiler(words.split())
    assert (found, rest) == (compiler, left)


@pytest.mark.parametrize(
    ("compiler", "target"),
    [
        ("/ndk/bin/aarch64-linux-android29-clang++", "aarch64-linux-android29"),
        ("armv7a-linux-androideabi21-clang++.exe", "armv7a-linux-androideabi21"),
        ("x86_64-w64-mingw32-g++-posix", "x86_64-w64-mingw32"),
        ("x86_64-linux-gnu-g++-12", "x86_64-linux-gnu"),
        ("arm-none-eabi-gcc", "arm-none-eabi"),
        (r"C:\VC\bin\Hostx64\x86\cl.exe", "i686-pc-windows-msvc"),
        ("clang-cl", "x86_64-pc-windows-msvc"),
        ("g++-12", None),
        ("my-own-tool-g++", None),
    ],
)
def test_the_compilers_name_gives_the_target(compiler: str, target: str | None) -> None:
    assert named_target(compiler) == target


def test_paths_become_absolute_and_stay_one_argument() -> None:
    result = clean("g++", "-I", "../a b", "-Iinc", "-isystem", "/s", "-iquoteq", "-idirafter", "d", "-isystem=/x")
    assert result.arguments == (
        *("-I", "/a b", "-I", "/tree/inc", "-isystem", "/s", "-iquote", "/tree/q", "-idirafter", "/tree/d"),
        *("-isystem", "=/x"),
    )


def test_prefixed_folders_are_resolved() -> None:
    result = clean("g++", "-iprefix", "/p/", "-iwithprefix", "late", "-iwithprefixbefore", "early")
    assert result.arguments == ("-idirafter", "/p/late", "-I", "/p/early")


def test_macros_in_every_spelling() -> None:
    result = clean("g++", "-D", "A=1", "-DB", "-U", "C", "--define-macro=D=2", "-Wp,-DE=3,-MD,x.d,-UF", "-D", "")
    assert result.arguments == ("-DA=1", "-DB", "-UC", "-DD=2", "-DE=3", "-UF")
    assert [item.text for item in result.dropped] == ["-MD x.d", "-D"]


def test_language_standard_target_have_attributes() -> None:
    result = clean("clang", "-x", "c++-header", "-std=gnu++2b", "-target", "aarch64-linux-gnu", "--sysroot", "/", "a.h")
    assert (result.language, result.standard, result.target, result.sysroot) == (
        "c++",
        "gnu++2b",
        "aarch64-linux-gnu",
        "/",
    )
    assert result.inputs == (Input("/tree/a.h", "c++"),)


def test_the_language_in_force_at_each_input() -> None:
    result = clean("clang", "a.c", "-xc++", "b.weird", "-x", "none", "c.cpp", "d.o", "--", "e.cpp")
    assert result.inputs == (
        Input("/tree/a.c", None),
        Input("/tree/b.weird", "c++"),
        Input("/tree/c.cpp", None),
        Input("/tree/e.cpp", None),
    )


def test_an_unknown_standard_becomes_the_newest_and_is_listed() -> None:
    result = clean("g++", "-std=c++41")
    assert result.standard == "c++2c"
    assert [item.text for item in result.dropped] == ["-std=c++41"]


def test_a_sysroot_that_is_not_here_is_dropped_and_listed(tmp_path: Path) -> None:
    result = clean("g++", f"--sysroot={tmp_path}/none", root=tmp_path)
    assert result.sysroot is None
    assert [item.reason for item in result.dropped] == ["not on this machine"]


@pytest.mark.parametrize(
    ("target", "flag", "kept"),
    [
        ("x86_64-linux-gnu", "-march=armv8-a+simd", False),
        ("x86_64-linux-gnu", "-march=x86-64-v3", True),
        ("x86_64-linux-gnu", "-march=native", False),
        ("x86_64-linux-gnu", "-mavx512f", True),
        ("x86_64-linux-gnu", "-m32", True),
        ("x86_64-linux-gnu", "-march=i686", False),
        ("i686-linux-gnu", "-march=i686", True),
        ("x86_64-linux-gnu", "-mfpu=neon", False),
        ("x86_64-linux-gnu", "-mtune=native", False),
        ("aarch64-linux-android29", "-march=armv8-a+simd", True),
        ("aarch64-linux-android29", "-msse2", False),
        ("armv7a-linux-androideabi21", "-mfpu=neon", True),
        ("armv7a-linux-androideabi21", "-mthumb", True),
        ("arm64-apple-macosx13", "-mmacosx-version-min=13.0", True),
        ("x86_64-linux-gnu", "-mmacosx-version-min=13.0", False),
    ],
)
def test_machine_options_follow_the_target(target: str, flag: str, kept: bool) -> None:
    assert (flag in clean("clang", f"--target={target}", flag).arguments) is kept
    assert (flag in clean("clang", flag, target=target).arguments) is kept


def test_precompiled_headers_of_another_compiler_are_dropped_and_their_text_included(tmp_path: Path) -> None:
    (tmp_path / "pch.hxx").write_text("")
    arguments = (
        "-Winvalid-pch",
        "-Xclang",
        "-include-pch",
        "-Xclang",
        "pch.hxx.pch",
        "-Xclang",
        "-include",
        "-Xclang",
        "pch.hxx",
    )
    result = clean("clang++", *arguments, root=tmp_path)
    assert result.arguments == ("-Xclang", "-include", "-Xclang", str(tmp_path / "pch.hxx"))
    assert [item.text for item in result.dropped] == ["-Winvalid-pch", "-include-pch pch.hxx.pch"]


def test_the_header_behind_a_precompiled_one_is_included_first_where_nothing_else_includes_it(tmp_path: Path) -> None:
    for name in ("pch.hxx", "late.h"):
        (tmp_path / name).write_text("")
    arguments = ("-include", "late.h", "-include-pch", "pch.hxx.gch", "-include-pch", "gone.h.pch")
    result = clean("clang++", *arguments, root=tmp_path)
    first, second = str(tmp_path / "pch.hxx"), str(tmp_path / "late.h")
    assert result.arguments == ("-Xclang", "-include", "-Xclang", first, "-Xclang", "-include", "-Xclang", second)


def test_a_forced_include_that_is_no_file_is_searched_from_the_commands_folder() -> None:
    result = clean("g++", "-include", "cstdio")
    assert result.arguments == ("-Xclang", "-include", "-Xclang", "cstdio")
    assert result.working_directory == "/tree"


@pytest.mark.parametrize(
    "flag",
    [
        *(
            "-fPIC",
            "-fno-exceptions",
            "-fno-rtti",
            "-fshort-enums",
            "-funsigned-char",
            "-fpack-struct=4",
            "-ffast-math",
        ),
        *("-O2", "-Ofast", "-pthread", "-fopenmp", "-nostdinc++", "-Wno-c++11-narrowing", "-Wno-error=register"),
        *("-fsanitize=address,undefined", "-fcoroutines", "-ansi", "-fchar8_t", "-stdlib++-isystem", "-F"),
    ],
)
def test_what_influences_the_front_end_stays(flag: str) -> None:
    value = ("x",) if flag in {"-stdlib++-isystem", "-F"} else ()
    assert flag in clean("clang++", flag, *value).arguments


FOREIGN = [
    *[
        ("-c",),
        ("-S",),
        ("-o", "x.o"),
        ("-ox.o",),
        ("-MD",),
        ("-MMD",),
        ("-MP",),
        ("-MF", "x.d"),
        ("-MT", "x"),
        ("-MQ", "y"),
    ],
    *[("-MJ", "x.json"), ("-save-temps",), ("-save-temps=obj",), ("-fplugin=/x.so",), ("-fpass-plugin=/x.so",)],
    *[("-Xclang", "-load", "-Xclang", "/x.so"), ("-Xclang", "-plugin", "-Xclang", "evil")],
    *[("-Xclang", "-plugin-arg-evil", "-Xclang", "-DNOT_A_MACRO"), ("-mllvm", "-polly"), ("-flto=thin",), ("-flto",)],
    *[
        ("-mllvm", "-DHIDDEN"),
        ("-Werror",),
        ("-Wall",),
        ("-Werror=return-type",),
        ("-pg",),
        ("-g3",),
        ("-ggdb",),
        ("-pipe",),
    ],
    *[
        ("-lm",),
        ("-l", "m"),
        ("-L/x",),
        ("-L", "/x"),
        ("-Wl,-rpath,/x",),
        ("lib.a",),
        ("main.o",),
        ("-include-pch", "x.pch"),
    ],
    *[("-fmodules",), ("-fmodule-file=x.pcm",), ("-fno-gnu-unique",), ("-fipa-pta",), ("--param", "max-inline=1")],
    *[("--param=a=1",), ("-Xlinker", "-Dx"), ("-Xassembler", "-I"), ("-Wa,--noexecstack",), ("-mtune=native",)],
    *[("-march=native",), ("-mcpu=bogus",), ("-specs=nano.specs",), ("-B/x",), ("-T", "x.ld"), ("-framework", "Cocoa")],
    *[
        ("-install_name", "@rpath/x"),
        ("-fdiagnostics-color=always",),
        ("-serialize-diagnostics", "x"),
        ("-wrapper", "gdb"),
    ],
    *[
        ("-fprofile-use=/x",),
        ("-ftabstop=2",),
        ("-static-libgcc",),
        ("-dumpdir", "x"),
        ("-resource-dir", "/x"),
        ("-v",),
    ],
    *[("-Xarch_arm64", "-DOTHER"), ("-Xpreprocessor", "-MD", "-Xpreprocessor", "x.d"), ("-ivfsoverlay", "x.yaml")],
    *[("-index-store-path", "-I"), ("-fbogus",), ("-qqq",), ("-emit-pch",), ("-fuse-ld=lld",), ("-",), ("notes.txt",)],
]
NEEDED = [
    *[("-DA=1",), ("-D", "B"), ("-I", "inc"), ("-Iother",), ("-isystem", "sys"), ("-UX",), ("-fno-exceptions",)],
    *[("-include", "forced.h"), ("-O2",), ("-fPIC",), ("-iquote", "q"), ("-idirafter", "late"), ("-x", "c++")],
    *[("-std=c++20",), ("main.cpp",), ("-pthread",), ("-stdlib=libc++",), ("-Wp,-DC=3",)],
]


@given(st.data())
def test_no_neighbour_is_lost(data: st.DataObject) -> None:
    """Foreign and hostile options at any place change nothing of the rest."""
    needed = data.draw(st.lists(st.sampled_from(NEEDED), max_size=8))
    mixed: list[tuple[str, ...]] = list(needed)
    for option in data.draw(st.lists(st.sampled_from(FOREIGN), max_size=8)):
        mixed.insert(data.draw(st.integers(0, len(mixed))), option)
    # `-x` would turn words of no known suffix into sources, here as in a compiler.
    if ("-x", "c++") in needed:
        mixed = [option for option in mixed if option[0].startswith("-") or option == ("main.cpp",)]
    plain = clean("clang++", *(word for option in needed for word in option))
    result = clean("clang++", *(word for option in mixed for word in option))
    assert result.arguments == plain.arguments
    assert (result.inputs, result.language, result.standard) == (plain.inputs, plain.language, plain.standard)
    assert result.problems == ()


@given(st.lists(st.sampled_from(FOREIGN), max_size=6))
def test_everything_dropped_is_listed(options: list[tuple[str, ...]]) -> None:
    result = clean("clang++", *(word for option in options for word in option))
    words = " ".join(item.text for item in result.dropped)
    assert all(option[-1] in words for option in options)


@given(st.lists(st.text(max_size=6), max_size=8))
def test_any_words_are_survived(words: list[str]) -> None:
    result = clean("clang++", *words)
    assert not any("\n" in item.reason for item in result.dropped)


class TestResponseFiles:
    def test_they_open_up_in_place_and_nest(self, tmp_path: Path) -> None:
        (tmp_path / "a.rsp").write_text('-DA @b.rsp\n-I "x y"')
        (tmp_path / "b.rsp").write_text('-DB=\\"q\\"')
        result = clean("g++", "-D0bad", "-DX", "@a.rsp", "-DY", root=tmp_path)
        assert result.arguments == ("-DX", "-DA", '-DB="q"', "-I", str(tmp_path / "x y"), "-DY")
        assert result.problems == ()

    def test_an_option_may_end_one_and_find_its_value_behind(self, tmp_path: Path) -> None:
        (tmp_path / "a.rsp").write_text("-D")
        assert clean("g++", "@a.rsp", "A=1", "-DB", root=tmp_path).arguments == ("-DA=1", "-DB")

    def test_a_value_is_never_one(self, tmp_path: Path) -> None:
        (tmp_path / "x").write_text("-DX")
        assert clean("g++", "-install_name", "@x", "-DA", root=tmp_path).arguments == ("-DA",)

    @pytest.mark.parametrize(
        ("name", "message"),
        [("none.rsp", "cannot be read"), ("self.rsp", "includes itself"), ("bad.rsp", "never closed")],
    )
    def test_what_cannot_be_read_is_a_problem(self, tmp_path: Path, name: str, message: str) -> None:
        (tmp_path / "self.rsp").write_text("-DA @self.rsp -DB")
        (tmp_path / "bad.rsp").write_text("-DA 'x")
        problems = clean("g++", f"@{name}", root=tmp_path).problems
        assert [message in problem.message for problem in problems] == [True]

    def test_outside_the_tree_they_are_refused_even_through_a_link(self, tmp_path: Path) -> None:
        root = tmp_path / "tree"
        root.mkdir()
        (tmp_path / "flags.rsp").write_text("-DX")
        (root / "link.rsp").symlink_to(tmp_path / "flags.rsp")
        for name in ("../flags.rsp", "link.rsp", str(tmp_path / "flags.rsp")):
            result = clean("g++", f"@{name}", root=root)
            assert result.arguments == ()
            assert ["outside the tree" in problem.message for problem in result.problems] == [True]

    def test_they_cannot_grow_without_end(self, tmp_path: Path) -> None:
        for number in range(12):
            (tmp_path / f"{number}.rsp").write_text(f"@{number + 1}.rsp " * 8)
        (tmp_path / "12.rsp").write_text("-DX")
        problems = clean("g++", "@0.rsp", root=tmp_path).problems
        assert ["too many arguments" in problem.message for problem in problems] == [True]


class TestMicrosoft:
    def test_options_are_translated(self, tmp_path: Path) -> None:
        words = split_command(
            r'"C:\VS\bin\Hostx64\x64\cl.exe" /nologo /TP /I..\inc /I "a b\c" /external:I ext /DX=1 /D Y /UZ /FI pre.h'
            r" /std:c++20 /GR- /EHsc /MDd /Zp8 /arch:AVX2"
            r" /Fo: out.obj /Fdx.pdb /W4 /wd4100 /Zc:__cplusplus /O2 -c src\a.cpp"
            r" /link /LIBPATH:x",
            windows=True,
        )
        result = clean(*words, root=tmp_path, windows=True)
        assert result.target == "x86_64-pc-windows-msvc"
        assert result.standard == "c++20"
        assert result.inputs == (Input(str(tmp_path / "src/a.cpp"), "c++"),)
        assert result.arguments == (
            *("-I", str(tmp_path.parent / "inc"), "-I", str(tmp_path / "a b/c"), "-isystem", str(tmp_path / "ext")),
            *("-DX=1", "-DY", "-UZ", "-Xclang", "-include", "-Xclang", "pre.h", "-fno-rtti", "-fexceptions"),
            *("-fcxx-exceptions", "-D_MT", "-D_DLL", "-D_DEBUG", "-fpack-struct=8", "-mavx2"),
        )

    def test_gnu_options_pass_through_clang_cl(self) -> None:
        result = clean(
            "clang-cl", "-m32", "-fms-extensions", "/clang:-fno-rtti", "-Xclang", "-load", "-Xclang", "x", "-DA"
        )
        assert result.arguments == ("-fms-extensions", "-fno-rtti", "-DA", "-m32")

    def test_an_absolute_path_is_an_input_and_no_option(self, tmp_path: Path) -> None:
        (tmp_path / "a.cpp").write_text("")
        result = clean("clang-cl", "/c", str(tmp_path / "a.cpp"), root=tmp_path)
        assert result.inputs == (Input(str(tmp_path / "a.cpp"), None),)

    def test_backslashes_of_other_compilers_on_windows(self, tmp_path: Path) -> None:
        result = clean(r"C:\llvm\bin\clang++.exe", r"-Isrc\state", r"src\a.cpp", root=tmp_path, windows=True)
        assert result.arguments == ("-I", str(tmp_path / "src/state"))
        assert result.inputs == (Input(str(tmp_path / "src/a.cpp"), None),)
