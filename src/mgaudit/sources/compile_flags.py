"""A command's own flags and a configuration's, put together for libclang."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mgaudit.domain.problems import Problem
from mgaudit.sources.arguments import CommandLine, Sanitised, sanitise
from mgaudit.sources.arguments_tables import LANGUAGES
from mgaudit.sources.toolchain import HeaderRequest, Headers

if TYPE_CHECKING:
    from mgaudit.config.model import ConfigurationSpec, Settings
    from mgaudit.sources.toolchain import Toolchain
    from mgaudit.sources.tree import PathResolver

_C_LIKE = frozenset(("c", "objective-c"))
_BY_SUFFIX = {
    ".c": "c",
    ".m": "objective-c",
    ".mm": "objective-c++",
    ".cppm": "c++-module",
    ".ccm": "c++-module",
    ".ixx": "c++-module",
}
_FOREIGN_SUFFIXES = frozenset(
    (".s", ".asm", ".rc", ".cu", ".hip", ".swift", ".f", ".f90", ".rs", ".go", ".d", ".cl", ".ll")
)


def language_of(path: str, spelled: str | None, *, is_cxx_driver: bool) -> str | None:
    """The language to parse a file in, as ``-x`` spells it, or None where it is none of this family.

    Args:
        path: The file.
        spelled: What the command's ``-x`` says, if anything.
        is_cxx_driver: Whether the compiler takes C files for C++.
    """
    if spelled is not None:
        return LANGUAGES.get(spelled)
    suffix = os.path.splitext(path)[1]  # noqa: PTH122
    if suffix == ".S" or suffix.lower() in _FOREIGN_SUFFIXES:
        return None
    language = _BY_SUFFIX.get(suffix, "c++")
    return "c++" if language == "c" and is_cxx_driver else language


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags of a configuration, ready to be added to a command's.

    Attributes:
        spec: The configuration.
        toolchain: Finds the library headers.
        extra: ``extra-args``, sanitised.
        added: Macros, include folders and forced includes.
        sysroot: Absolute, or None.
        root: Of the tree; absolute.
        found: Library headers found so far; most commands ask for the same.
        stubs: Where stand-ins for headers lie.
        problems: Response files and a sysroot that are not there.
    """

    spec: ConfigurationSpec
    toolchain: Toolchain
    extra: Sanitised
    added: tuple[str, ...]
    sysroot: str | None
    root: str
    stubs: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    found: dict[HeaderRequest, Headers] = field(default_factory=dict, compare=False)

    def headers(self, request: HeaderRequest) -> Headers:
        """As `Toolchain.headers`, remembered."""
        if request not in self.found:
            self.found[request] = self.toolchain.headers(request)
        return self.found[request]

    @classmethod
    def of(cls, spec: ConfigurationSpec, settings: Settings, toolchain: Toolchain, resolver: PathResolver) -> Flags:
        """The flags of a configuration; its paths start at the root."""
        root = str(settings.root)
        written = CommandLine(spec.extra_args, root, path=spec.path, line=spec.line)
        extra = sanitise(written, resolver, target=spec.target or None, has_compiler=False)
        sysroot = resolver.absolute(root, spec.sysroot) if spec.sysroot else None
        stubs = toolchain.trailing_arguments(settings.first_with_stubs_of(spec))
        problems: list[Problem] = []
        if sysroot and not Path(sysroot).is_dir():
            problems.append(
                Problem(
                    spec.path,
                    spec.line,
                    f"configuration `{spec.name}`: the sysroot {spec.sysroot} is no folder",
                    "correct `sysroot`",
                )
            )
        return cls(spec, toolchain, extra, tuple(_added(spec, root, resolver)), sysroot, root, stubs, tuple(problems))


def _added(spec: ConfigurationSpec, root: str, resolver: PathResolver) -> list[str]:
    arguments: list[str] = []
    for folder in spec.include_dirs:
        arguments += ["-I", resolver.absolute(root, folder)]
    for folder in spec.system_include_dirs:
        arguments += ["-isystem", resolver.absolute(root, folder)]
    arguments += [f"-D{macro}" for macro in spec.defines]
    arguments += [f"-U{macro}" for macro in spec.undefines]
    for forced in spec.force_includes:
        path = resolver.absolute(root, forced.value)
        arguments += ["-Xclang", "-include", "-Xclang", path if Path(path).is_file() else forced.value]
    return arguments


def compose(flags: Flags, own: Sanitised | None, language: str) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """The whole argument list of one file, and advice about the headers.

    The configuration's flags follow the command's own, so that its macros win and its folders are searched after.

    Args:
        flags: The configuration's.
        own: The command's, or None where the file has none.
        language: As `language_of` gives it.
    """
    spec, extra = flags.spec, flags.extra
    own = own or Sanitised(())
    target = spec.target or extra.target or own.target
    request = HeaderRequest(
        target=target or None,
        sysroot=flags.sysroot or extra.sysroot or own.sysroot,
        stdlib=extra.stdlib or own.stdlib,
        gcc_toolchain=extra.gcc_toolchain or own.gcc_toolchain,
        compiler=own.compiler,
        is_32_bit="-m32" in own.arguments or "-m32" in extra.arguments,
    )
    headers = flags.headers(request)
    arguments = [*headers.leading, "-x", language]
    # A standard in `extra-args` is meant to override; the configuration's own key only fills a gap.
    standard = extra.standard or own.standard or spec.standard
    if standard and _fits(standard, language):
        arguments.append(f"-std={standard}")
    arguments += [*own.arguments, *flags.added, *extra.arguments]
    if target and "windows-msvc" in target:
        # Microsoft's mode skips the bodies of templates that nobody instantiates.
        arguments.append("-fno-delayed-template-parsing")
    folder = extra.working_directory or own.working_directory or _searches_forced(flags.added, flags.root)
    if folder:
        arguments.append(f"-working-directory={folder if Path(folder).is_dir() else flags.root}")
    arguments += ["-w", *headers.trailing, *flags.stubs]
    return tuple(arguments), headers.advice


def _searches_forced(added: tuple[str, ...], root: str) -> str | None:
    """The root, where a forced include is no file of the root and the include path has to find it."""
    forced = (added[i + 3] for i in range(len(added) - 3) if added[i : i + 2] == ("-Xclang", "-include"))
    return root if any(not os.path.isabs(path) for path in forced) else None  # noqa: PTH117


def _fits(standard: str, language: str) -> bool:
    is_cxx = re.match(r"(?:c|gnu)\+\+", standard) is not None
    return is_cxx != (language in _C_LIKE)
