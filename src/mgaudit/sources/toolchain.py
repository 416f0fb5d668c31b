"""The libclang that parses, and the headers that it parses with. No compiler is ever run."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.sources.arguments_compiler import host_architecture
from mgaudit.sources.clang_binding import Library

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.config.model import ConfigurationSpec

LIBCLANG_VARIABLE = "MGAUDIT_LIBCLANG"
"""Names another libclang: its file, its folder, or the prefix of an LLVM installation."""

_LIBRARY = re.compile(r"(?:lib)?clang(?:-?\d+)?(?:\.so(?:\.\d+)*|\.dylib|\.dll)")
_LINUX = re.compile(r"linux|android|emscripten")
_VIRTUAL = ".mgaudit-virtual"

# The C library's headers of one Linux architecture serve another, but for what they derive from its word size.
_FOREIGN_HEADERS = {
    "bits/wordsize.h": "#if __SIZEOF_POINTER__ == 8\n#define __WORDSIZE 64\n#else\n#define __WORDSIZE 32\n"
    "#define __WORDSIZE32_SIZE_ULONG 0\n#define __WORDSIZE32_PTRDIFF_LONG 0\n#endif\n"
    "#define __WORDSIZE_TIME64_COMPAT32 1\n#define __SYSCALL_WORDSIZE 64\n",
    "gnu/stubs.h": "",
}

_APPLE_SDKS = (
    "/Library/Developer/CommandLineTools/SDKs/MacOSX.sdk",
    "/Applications/Xcode.app/Contents/Developer/Platforms/MacOSX.platform/Developer/SDKs/MacOSX.sdk",
)


@dataclass(frozen=True, slots=True)
class Versions:
    """What parses, for reports and cache keys.

    Attributes:
        libclang: Its release, such as ``22.1.4``.
        libclang_build: All that libclang says about itself.
        tree_sitter_cpp: The release of the C++ grammar.
    """

    libclang: str
    libclang_build: str
    tree_sitter_cpp: str


@dataclass(frozen=True, slots=True)
class HeaderRequest:
    """What a command says about where its library headers come from. Paths are absolute, ``is_32_bit`` is ``-m32``."""

    target: str | None = None
    sysroot: str | None = None
    stdlib: str | None = None
    gcc_toolchain: str | None = None
    compiler: str = ""
    is_32_bit: bool = False

    @property
    def library_target(self) -> str | None:
        """The target whose C library is used: ``-m32`` asks for another one."""
        target = self.target or (f"{host_architecture()}-{_host_system()}" if self.is_32_bit else None)
        return re.sub(r"\A(?:x86_64|amd64)", "i386", target) if target and self.is_32_bit else target


@dataclass(frozen=True, slots=True)
class Headers:
    """Arguments that find the library headers.

    Attributes:
        leading: Come first.
        trailing: Come after all others: what is searched last.
        advice: What the reader should know or do; none where all is well.
    """

    leading: tuple[str, ...]
    trailing: tuple[str, ...] = ()
    advice: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A libclang and its own headers.

    Attributes:
        library: The shared library.
        resource: Its built-in headers' folder (``-resource-dir``).
        libcxx: C++ standard library headers for trees whose commands name none, or None.
        bundled: Whether it is the one that mgaudit depends on.
        anchor: The root of absolute paths, under which in-memory headers get their names.
    """

    library: Path
    resource: Path
    libcxx: Path | None
    bundled: bool
    anchor: str = "/"

    @property
    def versions(self) -> Versions:
        """The versions; loads the library.

        Raises:
            UntrustedError: The library cannot be loaded.
        """
        build = _build(self)
        match = re.search(r"version (\d+(?:\.\d+)+)", build)
        return Versions(match[1] if match else build, build, version_of("tree-sitter-cpp"))

    @property
    def identity(self) -> str:
        """Changes whenever the library file does; cheap, for it loads nothing."""
        state = self.library.stat()
        return f"{self.library}:{state.st_size}:{state.st_mtime_ns}"

    def base_arguments(self, configuration: ConfigurationSpec) -> tuple[str, ...]:
        """The leading arguments of a configuration whose files have no compile command."""
        request = HeaderRequest(target=configuration.target or None, sysroot=configuration.sysroot or None)
        return self.headers(request).leading

    def headers(self, request: HeaderRequest) -> Headers:
        """Finds the headers that a command needs: the tree's own toolchain where named, else libclang's own."""
        leading = ["-resource-dir", str(self.resource)]
        if request.target:
            leading.append(f"--target={request.target}")
        sysroot = request.sysroot or _neighbouring_sysroot(request.compiler) or _apple_sdk(request.target)
        if sysroot:
            leading.append(f"--sysroot={sysroot}")
        leading += self._cxx_headers(request, sysroot)
        target = request.library_target
        if _has_c_library(target, sysroot):
            return Headers(tuple(leading))
        if not sysroot and _LINUX.search(target or sys.platform) and (folders := _host_c_library()):
            trailing = [self.virtual_folder("foreign"), *folders]
            advice = Problem(
                None,
                0,
                f"no C library headers for {target or 'this machine'}: this machine's are used",
                "name the real ones with `sysroot`",
            )
            return Headers(tuple(leading), _last(trailing), (advice,))
        return Headers(tuple(leading), (), (_missing_c_library(request, sysroot),))

    def _cxx_headers(self, request: HeaderRequest, sysroot: str | None) -> list[str]:
        if request.gcc_toolchain:
            return [request.gcc_toolchain, f"-stdlib={request.stdlib or 'libstdc++'}"]
        if request.stdlib == "libstdc++":
            return ["-stdlib=libstdc++"]
        if sysroot and (own := _sysroot_libcxx(sysroot)):
            return ["-stdlib++-isystem", own]
        if sysroot and request.stdlib is None and _sysroot_libstdcxx(sysroot):
            return ["-stdlib=libstdc++"]
        # In the place of the compiler's own, so that the tree's -isystem folders keep their precedence.
        return ["-stdlib++-isystem", str(self.libcxx)] if self.libcxx else []

    def virtual_folder(self, name: str) -> str:
        """The absolute name of a folder that exists in memory only, outside every tree."""
        return f"{self.anchor}{_VIRTUAL}/{name}"

    def stub_folder(self, configuration: str) -> str:
        """Where the in-memory stand-ins of a configuration lie."""
        safe = re.sub(r"[^\w.-]", lambda match: f"%{ord(match[0]):x}", configuration)
        return self.virtual_folder(f"stubs/{safe}")

    def trailing_arguments(self, configuration: ConfigurationSpec) -> tuple[str, ...]:
        """Searched last, so that a real header wins over its stand-in; empty where there are no stand-ins."""
        return _last([self.stub_folder(configuration.name)]) if configuration.stub_headers else ()

    def unsaved(self, configuration: ConfigurationSpec) -> tuple[tuple[str, str], ...]:
        """The in-memory files of a configuration as (absolute path, text), sorted."""
        folder = self.stub_folder(configuration.name)
        foreign = self.virtual_folder("foreign")
        return (
            *((f"{foreign}/{name}", text) for name, text in sorted(_FOREIGN_HEADERS.items())),
            *((f"{folder}/{name}", text) for name, text in sorted(configuration.stub_headers.items())),
        )


def discover(environment: Mapping[str, str] | None = None) -> Toolchain:
    """Finds libclang: the bundled one, or the one that ``MGAUDIT_LIBCLANG`` names.

    Args:
        environment: In place of the process's own.

    Raises:
        UntrustedError: The named library or its built-in headers are not there.
    """
    chosen = (os.environ if environment is None else environment).get(LIBCLANG_VARIABLE, "")
    native = _bundled_folder()
    if not chosen:
        library = next((path for path in sorted(native.glob("*")) if _LIBRARY.fullmatch(path.name)), None)
        if library is None:
            raise UntrustedError.single(
                "libclang is not installed", help="reinstall mgaudit: `libclang-ng` brings libclang and its headers"
            )
        return Toolchain(library, native / "resource", native / "libcxx", bundled=True, anchor=_anchor())
    library = _named_library(Path(chosen).expanduser())
    prefix = library.resolve().parent.parent
    resource = _resource_folder(library)
    own = prefix / "include" / "c++" / "v1"
    return Toolchain(library, resource, own if own.is_dir() else native / "libcxx", bundled=False, anchor=_anchor())


def _build(toolchain: Toolchain) -> str:
    try:
        return Library(toolchain.library).version
    except OSError as error:
        raise UntrustedError.single(
            f"libclang cannot be loaded from {toolchain.library}: {str(error).splitlines()[0]}",
            help=f"unset {LIBCLANG_VARIABLE}, or point it at a libclang of this machine's architecture",
        ) from None


def version_of(distribution: str) -> str:
    """The version of an installed distribution, from the name of the folder that describes it: reading it is slow."""
    version = _installed().get(distribution)
    if version is not None:
        return version
    from importlib import metadata  # noqa: PLC0415  slow to import

    return metadata.version(distribution)


@functools.cache
def _installed() -> dict[str, str]:
    """The versions of what is installed beside the syntax parser, as far as there is no doubt about them."""
    found = importlib.util.find_spec("tree_sitter_cpp")
    folders = [Path(folder).parent for folder in found.submodule_search_locations or ()] if found else []
    pairs = [
        path.name.removesuffix(".dist-info").replace("_", "-").rsplit("-", 1)
        for folder in folders
        for path in folder.glob("*-*.dist-info")
    ]
    counts = Counter(name for name, _ in pairs)
    return {name: version for name, version in pairs if counts[name] == 1}


def _bundled_folder() -> Path:
    found = importlib.util.find_spec("clang")
    folders = list(found.submodule_search_locations or ()) if found else []
    return Path(folders[0] if folders else "clang") / "native"


def _anchor() -> str:
    return Path.cwd().anchor.replace(os.sep, "/")


def _named_library(chosen: Path) -> Path:
    if chosen.is_file():
        return chosen.absolute()
    found = [
        path.absolute()
        for folder in (chosen, chosen / "lib", chosen / "lib64", chosen / "bin")
        if folder.is_dir()
        for path in sorted(folder.iterdir())
        if path.name.startswith("libclang") and _LIBRARY.fullmatch(path.name)
    ]
    if not found:
        raise UntrustedError.single(
            f"{LIBCLANG_VARIABLE} names {chosen}, where no libclang is",
            help="name the shared library, or the folder that holds it",
        )
    return found[0]


def _resource_folder(library: Path) -> Path:
    """``lib/clang/<version>`` next to the library, the newest where there are several."""
    folders = (library.parent, library.resolve().parent, library.resolve().parent.parent / "lib")
    found = {
        path for folder in folders for path in (folder / "clang").glob("*") if (path / "include/stddef.h").is_file()
    }
    if not found:
        raise UntrustedError.single(
            f"the libclang at {library} has no built-in headers next to it",
            help="its installation must hold lib/clang/<version>/include",
        )
    return max(found, key=lambda path: ([int(part) for part in re.findall(r"\d+", path.name)], str(path)))


def _last(folders: list[str]) -> tuple[str, ...]:
    return tuple(part for folder in folders for part in ("-idirafter", folder))


def _neighbouring_sysroot(compiler: str) -> str | None:
    """The sysroot that Android's NDK keeps next to its compilers."""
    if not os.path.isabs(compiler):  # noqa: PTH117
        return None
    folder = Path(compiler).parent.parent / "sysroot"
    return str(folder) if (folder / "usr/include").is_dir() else None


def _apple_sdk(target: str | None) -> str | None:
    if target is None and sys.platform != "darwin":
        return None
    if target is not None and not re.search(r"apple|darwin|macos", target):
        return None
    return next((path for path in _APPLE_SDKS if Path(path).is_dir()), None)


def _sysroot_libcxx(sysroot: str) -> str | None:
    folders = (Path(sysroot) / part for part in ("usr/include/c++/v1", "include/c++/v1"))
    return next((str(folder) for folder in folders if (folder / "vector").is_file()), None)


def _sysroot_libstdcxx(sysroot: str) -> bool:
    folders = (Path(sysroot) / part for part in ("usr/include/c++", "include/c++"))
    return any((path / "vector").is_file() for folder in folders for path in folder.glob("[0-9]*"))


def _host_system() -> str:
    return {"linux": "linux-gnu", "darwin": "apple-macosx", "win32": "pc-windows-msvc"}.get(sys.platform, sys.platform)


def multiarch(target: str) -> str:
    """Debian's name of a Linux target's folders (``x86_64-linux-gnu``), by its architecture and environment."""
    parts = target.split("-")
    architecture = re.sub(r"i[3-6]86", "i386", parts[0]).replace("amd64", "x86_64").replace("arm64", "aarch64")
    architecture = re.sub(r"armv\w*|thumb\w*", "arm", architecture)
    environment = parts[-1] if len(parts) > 2 else "gnu"
    return f"{architecture}-linux-{environment}"


def _has_c_library(target: str | None, sysroot: str | None) -> bool:
    if sysroot:
        return any((Path(sysroot) / folder / "stdio.h").is_file() for folder in ("usr/include", "include"))
    if target is None or _is_host(target):
        return sys.platform == "win32" or bool(_host_c_library()) or Path("/usr/include/stdio.h").is_file()
    if not _LINUX.search(target):
        return False
    folders = (f"/usr/include/{multiarch(target)}/bits", f"/usr/{multiarch(target)}/include/bits")
    return "android" not in target and any(Path(folder).is_dir() for folder in folders)


def _is_host(target: str) -> bool:
    system = {"linux": r"linux(?:-gnu)?\Z", "darwin": r"apple|darwin", "win32": r"windows|mingw"}
    named = system.get(sys.platform, re.escape(sys.platform))
    return target.partition("-")[0] == host_architecture() and re.search(named, target) is not None


def _host_c_library() -> list[str]:
    """The folders of this machine's C library headers: the general one, and the architecture's before it."""
    if not Path("/usr/include/stdio.h").is_file():
        return []
    own = f"/usr/include/{host_architecture()}-linux-gnu"
    return [folder for folder in (own, "/usr/include") if Path(folder).is_dir()]


def _missing_c_library(request: HeaderRequest, sysroot: str | None) -> Problem:
    where = f"in {sysroot}" if sysroot else f"for {request.target or 'this machine'}"
    if sysroot or request.target:
        return Problem(None, 0, f"no C library headers {where}", "name them with `sysroot`")
    command = (
        "xcode-select --install" if sys.platform == "darwin" else "apt-get install libc6-dev, or your system's like"
    )
    return Problem(None, 0, f"no C library headers {where}", f"install them: {command}")
