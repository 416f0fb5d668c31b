"""Compiler commands made fit for libclang: what the front end must know is kept, everything else is dropped and listed.

A command is input from elsewhere. Nothing in it is run or written, no plug-in is loaded, response files are read only
inside the tree. Options are judged one by one, and options that take the next argument are known, so that no neighbour
is lost. What is unknown is dropped: libclang refuses a command with an option that it does not know.
"""

# Paths stay strings here: a walk and a database hold very many of them.
# ruff: noqa: PTH112, PTH113, PTH117, PTH122, S105

from __future__ import annotations

import os
import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mgaudit.domain.problems import Problem
from mgaudit.sources import arguments_tables as tables
from mgaudit.sources.arguments_cl import translate
from mgaudit.sources.arguments_compiler import base_name, host_architecture, named_target, split_compiler
from mgaudit.sources.arguments_quoting import decode, split_posix, split_windows
from mgaudit.sources.tree import CPP_SUFFIXES, file_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mgaudit.sources.tree import PathResolver

_RESPONSE_DEPTH = 16
_RESPONSE_ARGUMENTS = 100_000
_PATH_OPTIONS = frozenset(
    (
        "-I",
        "-F",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-isystem-after",
        "-cxx-isystem",
        "-stdlib++-isystem",
        "-iframework",
    )
)


@dataclass(frozen=True, slots=True)
class Dropped:
    """An argument that does not reach libclang.

    Attributes:
        text: The argument and what it took with it.
        reason: Why it is dropped.
    """

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command as it was written.

    Attributes:
        arguments: With the compiler's name and its wrappers.
        directory: Absolute; relative paths start here.
        windows: Whether paths and response files follow the rules of Windows.
        path: The file that holds the command, for problems.
        line: Its line, or 0.
    """

    arguments: tuple[str, ...]
    directory: str
    windows: bool = False
    path: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Input:
    """A source file of a command: its absolute path and the language that ``-x`` gives it, if any."""

    path: str
    language: str | None


@dataclass(frozen=True, slots=True)
class Sanitised:
    """What is left of a command.

    Attributes:
        arguments: In their order; include paths are absolute. Without compiler, inputs, language, standard, target,
            sysroot and library choice, which have attributes of their own.
        inputs: The source files.
        language: The last ``-x`` (a name that `mgaudit.sources.arguments_tables.LANGUAGES` knows or gives), or None.
        compiler: The compiler as spelled, or an empty string.
        target: The triple that an option or the compiler's name gives, or None.
        standard: The value of ``-std``, or None.
        sysroot: Absolute, or None.
        stdlib: The value of ``-stdlib``, or None.
        working_directory: Where names of forced includes start that are no files of their own, or None.
        gcc_toolchain: ``--gcc-toolchain`` or ``--gcc-install-dir`` with its value, or None.
        dropped: What does not reach libclang.
        problems: Response files that cannot be read.
    """

    arguments: tuple[str, ...]
    inputs: tuple[Input, ...] = ()
    language: str | None = None
    compiler: str = ""
    target: str | None = None
    standard: str | None = None
    sysroot: str | None = None
    stdlib: str | None = None
    working_directory: str | None = None
    gcc_toolchain: str | None = None
    dropped: tuple[Dropped, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def is_cxx_driver(self) -> bool:
        """Whether the compiler takes every source for C++ (``g++`` and the like)."""
        return "++" in base_name(self.compiler)


def split_command(text: str, *, windows: bool) -> list[str]:
    """Splits a command line.

    Raises:
        ValueError: A quotation that never ends.
    """
    return split_windows(text) if windows else split_posix(text)


def sanitise(
    command: CommandLine, resolver: PathResolver, *, target: str | None = None, has_compiler: bool = True
) -> Sanitised:
    """Sanitises a command.

    Args:
        command: The command.
        resolver: Of the tree; response files outside its root are refused.
        target: A triple that overrides the command's own.
        has_compiler: False for bare options, as in ``extra-args``.
    """
    return _Sanitiser(command, resolver, target).run(has_compiler=has_compiler)


class _Tokens:
    """The arguments still to be read; response files open up where an option may stand, never as a value."""

    def __init__(self, owner: _Sanitiser, arguments: Iterable[str]) -> None:
        self._owner = owner
        self._left: deque[tuple[str, tuple[str, ...]]] = deque((argument, ()) for argument in arguments)

    def next(self) -> str | None:
        while self._left:
            token, chain = self._left.popleft()
            if not token.startswith("@") or len(token) == 1:
                return token
            path, content = self._owner.response_file(token[1:], chain)
            self._left.extendleft((argument, (*chain, path)) for argument in reversed(content))
        return None

    def take(self) -> str | None:
        return self._left.popleft()[0] if self._left else None

    def rest(self) -> list[str]:
        left = [token for token, _ in self._left]
        self._left.clear()
        return left


@dataclass(slots=True)
class _Sanitiser:
    """One run over one command."""

    command: CommandLine
    resolver: PathResolver
    override: str | None
    kept: list[str] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    machine: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    preprocessor: list[str] = field(default_factory=list)
    precompiled: list[str] = field(default_factory=list)
    language: str | None = None
    prefix: str = ""
    expanded: int = 0
    responses: dict[str, tuple[list[str], str]] = field(default_factory=dict)

    def run(self, *, has_compiler: bool) -> Sanitised:
        plain: tuple[str, list[str], list[str]] = ("", [], list(self.command.arguments))
        compiler, before, arguments = split_compiler(self.command.arguments) if has_compiler else plain
        self.dropped.extend(Dropped(word, "runs the compiler") for word in before)
        is_cl = base_name(compiler).lower() in {"cl", "clang-cl"} or "--driver-mode=cl" in arguments
        named = named_target(compiler) or ("x86_64-pc-windows-msvc" if is_cl else None)
        self._walk(_Tokens(self, arguments), cl=is_cl)
        self._walk_inner(self.preprocessor, dict.fromkeys(("-MD", "-MMD"), "dependency file"))
        self._walk_inner(self.inner, tables.SEPARATE_CC1)
        self._include_precompiled()
        target = self.override or self._declared_target() or named
        self._select_machine(target)
        # `cl` reads /TP and /TC wherever they stand.
        fallback = self.language if is_cl else None
        return Sanitised(
            arguments=tuple(self.kept),
            inputs=tuple(Input(item.path, item.language or fallback) for item in self.inputs),
            language=self.language,
            compiler=compiler,
            target=target,
            standard=self._standard(),
            sysroot=self._folder("--sysroot") or self._folder("-isysroot"),
            stdlib=self.values.get("-stdlib"),
            working_directory=self.values.get("-working-directory"),
            gcc_toolchain=self._gcc_toolchain(),
            dropped=tuple(self.dropped),
            problems=tuple(self.problems),
        )

    # Reading the tokens

    def _walk(self, tokens: _Tokens, *, cl: bool = False) -> None:
        while (token := tokens.next()) is not None:
            if token == "--":
                for path in tokens.rest():
                    self._input(path)
            elif cl and token[:1] in "/-" and len(token) > 1:
                self._cl_option(token, tokens)
            elif token.startswith("-") and len(token) > 1:
                self._option(token, tokens.take, {})
            elif token:
                self._input(token)

    def _walk_inner(self, arguments: Sequence[str], separate: dict[str, str]) -> None:
        left = deque(arguments)
        while left:
            token = left.popleft()
            if token.startswith("-plugin-arg-"):
                self._drop(token, left.popleft() if left else None, "plugin")
            elif token.startswith("-"):
                self._option(token, lambda: left.popleft() if left else None, separate)
            else:
                self._drop(token, None, "of the compiler's inner command line")

    def _cl_option(self, token: str, tokens: _Tokens) -> None:
        if token[1:] == "link":
            for word in tokens.rest():
                self._drop(word, None, "linker")
            return
        taken: list[str] = []

        def take() -> str | None:
            value = tokens.take()
            if value is not None:
                taken.append(value)
            return value

        gnu, reason = translate(token, take, is_input=self._is_input)
        if reason is not None:
            self._drop(token, " ".join(taken) or None, reason)
        elif gnu is not None:
            left = deque(gnu)
            while left:
                word = left.popleft()
                if word.startswith("-"):
                    self._option(word, lambda: left.popleft() if left else None, {})
                else:
                    self._input(word)
        elif token.startswith("/"):
            self._input(token)
        else:
            self._option(token, tokens.take, {})

    def _option(self, token: str, take: Callable[[], str | None], separate: dict[str, str]) -> None:
        """Judges one option, taking its argument where it has one."""
        if reason := separate.get(token) or tables.SEPARATE_DROPPED.get(token):
            value = take()
            self._drop(token, value, reason)
            if token == "-include-pch" and value:
                self.precompiled.append(value)
        elif token == "-Xclang":
            self.inner.extend(filter(None, (take(),)))
        elif token == "-Xpreprocessor":
            self.preprocessor.extend(filter(None, (take(),)))
        elif token.startswith("-Xarch_"):
            self._drop(token, take(), "of one architecture among several")
        elif token.startswith("-Wp,"):
            self._walk_inner(token[4:].split(","), dict.fromkeys(("-MD", "-MMD"), "dependency file"))
        elif token in tables.SEPARATE_KEPT or token in tables.LONG_NAMES:
            value = take()
            if value is None:
                self._drop(token, None, "without its argument")
            else:
                self._valued(tables.LONG_NAMES.get(token, token), value)
        elif pair := self._joined(token):
            self._valued(*pair)
        else:
            self._flag(token)

    @staticmethod
    def _joined(token: str) -> tuple[str, str] | None:
        for start, name in tables.EQUALS.items():
            if token.startswith(start):
                return name, token[len(start) :]
        if token.startswith("--"):
            name, equals, value = token.partition("=")
            return (tables.LONG_NAMES[name], value) if equals and name in tables.LONG_NAMES else None
        if token.startswith("-x") and (token[2:] in tables.LANGUAGES or token[2:] in tables.OTHER_LANGUAGES):
            return "-x", token[2:]
        # `-I-` of old compilers and `-Dxxx` of none: only the prefixes of options that Clang itself reads joined.
        return next(((name, token[len(name) :]) for name in tables.JOINED if token.startswith(name)), None)

    # Judging them

    def _valued(self, name: str, value: str) -> None:
        if name == "-x":
            self.language = None if value == "none" else tables.LANGUAGES.get(value, value)
        elif name in {"-D", "-U"}:
            self._macro(name, value)
        elif name in _PATH_OPTIONS:
            self._include_folder(name, value)
        elif name in {"-include", "-imacros"}:
            self._forced_include(name, value)
        elif name == "-iprefix":
            self.prefix = value
        elif name in {"-iwithprefix", "-iwithprefixbefore"}:
            self._include_folder("-idirafter" if name == "-iwithprefix" else "-I", self.prefix + value)
        elif name in {"-iwithsysroot", "-iframeworkwithsysroot"}:
            self.kept += [name, value]
        else:
            self.values[name] = value

    def _macro(self, name: str, value: str) -> None:
        if re.match(r"[^\W\d]", value):
            self.kept.append(name + value)
        else:
            self._drop(name + value, None, "no macro")

    def _include_folder(self, name: str, value: str) -> None:
        if not value or (name == "-I" and value == "-"):
            self._drop(name + value, None, "without a folder")
        elif value.startswith("="):
            self.kept += [name, value]
        else:
            self.kept += [name, self._absolute(value)]

    def _forced_include(self, name: str, value: str) -> None:
        path = self._absolute(value)
        found = os.path.isfile(path)
        spelled = path if found else self._slashes(value)
        if not found and not os.path.isabs(spelled):
            # The compiler looks in its working folder, which is not ours, before it searches the include path.
            self.values.setdefault("-working-directory", self.command.directory)
        # Behind -Xclang: the driver would take a stale precompiled header that lies next to the file.
        self.kept += ["-Xclang", name, "-Xclang", spelled] if name == "-include" else [name, spelled]

    def _include_precompiled(self) -> None:
        """Includes the headers behind dropped precompiled ones, which come first, where nothing else does."""
        behind, self.kept = self.kept, []
        for value in self.precompiled:
            path = self._absolute(os.path.splitext(value)[0])
            if os.path.isfile(path) and path not in behind:
                self._forced_include("-include", path)
        self.kept += behind

    def _flag(self, token: str) -> None:
        if any(pattern.fullmatch(token) for pattern in tables.KEPT) or token in tables.FLAGS or _is_switch(token):
            self.kept.append(token)
        elif token.startswith(("-m", "-fcf-protection")):
            self.machine.append(token)
        else:
            self._drop(token, None, _reason(token))

    def _select_machine(self, target: str | None) -> None:
        """Keeps the ``-m`` options of the target's family; the others would make libclang refuse the command."""
        architecture = (target or host_architecture()).partition("-")[0]
        kind = tables.family(architecture)
        if kind == "x86" and "-m32" in self.machine:
            kind = "x86-32"
        apple = target is not None and ("apple" in target or "darwin" in target)
        for token in self.machine:
            if (kind and tables.M_OPTIONS[kind].fullmatch(token)) or (apple and tables.APPLE_VERSION.fullmatch(token)):
                self.kept.append(token)
            else:
                self._drop(token, None, _reason(token))

    def _input(self, token: str) -> None:
        if token == "-":
            self._drop(token, None, "standard input")
        elif self.language is not None or os.path.splitext(token)[1].lower() in CPP_SUFFIXES:
            self.inputs.append(Input(self._absolute(token), self.language))
        else:
            self._drop(token, None, "not a source of this language family")

    def _drop(self, token: str, value: str | None, reason: str) -> None:
        self.dropped.append(Dropped(token if value is None else f"{token} {value}", reason))

    # What has an attribute of its own

    def _declared_target(self) -> str | None:
        if target := self.values.get("-target"):
            return target
        architecture = self.values.get("-arch")
        return f"{architecture}-apple-macosx" if architecture and tables.family(architecture) else None

    def _standard(self) -> str | None:
        value = self.values.get("-std")
        if value is None or tables.STANDARDS.fullmatch(value):
            return value
        newest = tables.NEWEST_CXX if "++" in value else tables.NEWEST_C
        self._drop(f"-std={value}", None, f"libclang does not know it: -std={newest} instead")
        return newest

    def _folder(self, name: str) -> str | None:
        value = self.values.get(name)
        if not value:
            return None
        path = self._absolute(value)
        if os.path.isdir(path):
            return path
        self._drop(f"{name}={value}", None, "not on this machine")
        return None

    def _gcc_toolchain(self) -> str | None:
        for name in ("--gcc-install-dir", "--gcc-toolchain"):
            if path := self._folder(name):
                return f"{name}={path}"
        return None

    # Paths

    def _slashes(self, value: str) -> str:
        return value.replace("\\", "/") if self.command.windows else value

    def _absolute(self, value: str) -> str:
        folder = self.values.get("-working-directory", "")
        directory = self.resolver.absolute(self.command.directory, self._slashes(folder))
        return self.resolver.absolute(directory, self._slashes(value))

    def _is_input(self, token: str) -> bool:
        return os.path.isfile(self._absolute(token))

    def response_file(self, name: str, chain: tuple[str, ...]) -> tuple[str, list[str]]:
        """The path and the arguments of a response file; a problem and none where it cannot be trusted."""
        if self.expanded > _RESPONSE_ARGUMENTS:
            return name, []
        path = self._absolute(name)
        if path not in self.responses:
            self.responses[path] = self._read_response(path)
        content, fault = self.responses[path]
        if path in chain:
            fault = "includes itself"
        elif len(chain) >= _RESPONSE_DEPTH:
            fault = f"is nested deeper than {_RESPONSE_DEPTH}"
        self.expanded += len(content)
        if self.expanded > _RESPONSE_ARGUMENTS:
            fault = "holds too many arguments"
        if not fault:
            return path, content
        self.problems.append(
            Problem(
                self.command.path,
                self.command.line,
                f"the response file `@{name}` {fault}",
                "its flags are needed: put them into the command, or the file into the tree",
            )
        )
        return path, []

    def _read_response(self, path: str) -> tuple[list[str], str]:
        """The arguments of a response file, or none and what is wrong with it."""
        if not self.resolver.is_inside(self.resolver.key(path)):
            return [], "lies outside the tree"
        try:
            return split_command(decode(file_content(path)), windows=self.command.windows), ""
        except OSError as error:
            return [], f"cannot be read: {error.strerror}"
        except ValueError as error:
            return [], f"cannot be understood: {error}"


def _is_switch(token: str) -> bool:
    name = token[2:]
    return token.startswith("-f") and (name.removeprefix("no-") in tables.F_SWITCHES or name in tables.F_ONE_WAY)


def _reason(token: str) -> str:
    return next((why for start, why in tables.DROPPED_PREFIXES if token.startswith(start)), "not needed for parsing")
