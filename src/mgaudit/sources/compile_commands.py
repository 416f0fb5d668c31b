"""Compile databases, and the plan of what is parsed with which flags."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mgaudit.domain.configurations import ParseCommand
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.domain.zones import matches_any
from mgaudit.sources.arguments import (
    CommandLine,
    Dropped,
    Sanitised,
    sanitise,
    split_command,
)
from mgaudit.sources.arguments_compiler import is_windows_command
from mgaudit.sources.compile_flags import Flags, compose, language_of
from mgaudit.sources.tree import PathResolver, file_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mgaudit.config.model import ConfigurationSpec, Settings
    from mgaudit.sources.toolchain import Toolchain
    from mgaudit.sources.tree import TreeFiles

_DATABASE = "compile_commands.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a compile database.

    Attributes:
        index: Its position, from 0.
        file: As written.
        command: Its command, split; the directory is absolute.
    """

    index: int
    file: str
    command: CommandLine


@dataclass(frozen=True, slots=True)
class ConfigurationPlan:
    """What is parsed in one configuration.

    Attributes:
        name: The configuration's name.
        commands: By path and variant.
        synthesised: The flags of files that no entry names, as a command without a file.
        unlisted: Sources that the compile database lacks.
        outside: Files of entries that do not belong to the audit, as keys.
        dropped: What never reaches libclang, each once, with the number of commands.
        problems: Why a configuration that is not required is left out; none otherwise.
    """

    name: str
    commands: tuple[ParseCommand, ...]
    synthesised: ParseCommand
    unlisted: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    dropped: tuple[tuple[Dropped, int], ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is parsed.

    Attributes:
        configurations: In the order of the configuration file.
        warnings: What the reader should know.
    """

    configurations: tuple[ConfigurationPlan, ...]
    warnings: tuple[Problem, ...] = ()

    @property
    def commands(self) -> tuple[ParseCommand, ...]:
        """The commands of all configurations."""
        return tuple(command for item in self.configurations for command in item.commands)

    def of(self, configuration: str) -> ConfigurationPlan:
        """The part of one configuration.

        Raises:
            KeyError: There is none of that name.
        """
        for item in self.configurations:
            if item.name == configuration:
                return item
        raise KeyError(configuration)


def read_database(path: Path, shown: str) -> tuple[Entry, ...]:
    """Reads a compile database (the JSON format of Clang's tooling).

    Args:
        path: The file.
        shown: Its name in problems.

    Raises:
        UntrustedError: It is missing, no JSON, or has entries without a file or a command; all of them.
    """
    try:
        content = json.loads(file_content(path).decode("utf-8-sig"))
    except OSError as error:
        raise UntrustedError.single(
            f"the compile database cannot be read: {error.strerror}",
            path=shown,
            help="generate it, or correct its path",
        ) from None
    except json.JSONDecodeError as error:
        raise UntrustedError.single(f"no valid JSON: {error.msg}", path=shown, line=error.lineno) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise UntrustedError.single(f"no valid JSON: {error}", path=shown) from None
    if not isinstance(content, list):
        raise UntrustedError.single("a compile database is a list of entries", path=shown)
    entries: list[Entry] = []
    problems: list[Problem] = []
    for index, item in enumerate(content):
        try:
            entries.append(_entry(index, item, path, shown))
        except ValueError as fault:
            problems.append(Problem(shown, 0, f"entry {index}: {fault}", "regenerate the compile database"))
    if problems:
        raise UntrustedError(problems)
    return tuple(entries)


def _entry(index: int, item: object, path: Path, shown: str) -> Entry:
    if not isinstance(item, dict):
        raise ValueError("no object")
    file, directory = item.get("file"), item.get("directory", "")
    if not isinstance(file, str) or not file:
        raise ValueError("no `file`")
    if not isinstance(directory, str):
        raise ValueError(f"the `directory` of {file} is no text")
    arguments, windows = _arguments(item, file, directory)
    if not arguments:
        raise ValueError(f"neither `arguments` nor `command` for {file}")
    if any("\0" in text for text in (file, directory, *arguments)):
        raise ValueError("a zero character")
    spelled = directory.replace("\\", "/") if windows else directory
    absolute = os.path.normpath(path.parent / spelled) if not is_windows_command("", directory) else spelled
    return Entry(index, file, CommandLine(tuple(arguments), absolute, windows, shown))


def _arguments(item: Mapping[str, object], file: str, directory: str) -> tuple[Sequence[str], bool]:
    arguments, command = item.get("arguments"), item.get("command")
    if isinstance(arguments, list) and arguments:
        if not all(isinstance(argument, str) for argument in arguments):
            raise ValueError(f"the `arguments` of {file} are no list of texts")
        return arguments, is_windows_command(arguments[0], directory)
    if isinstance(command, str):
        windows = is_windows_command(command, directory)
        try:
            return split_command(command, windows=windows), windows
        except ValueError as fault:
            raise ValueError(f"the `command` of {file} cannot be split: {fault}") from None
    if arguments is not None and not isinstance(arguments, list):
        raise ValueError(f"the `arguments` of {file} are no list of texts")
    return (), False


def plan(settings: Settings, files: TreeFiles, toolchain: Toolchain) -> Plan:
    """Decides what is parsed with which flags.

    Each configuration parses what its compile database names and what ``sources`` matches. An entry counts when its
    file lies in the tree, is not excluded, and matches ``sources`` or lies in a zone; every entry of the tree does
    where ``sources`` is empty. Entries of one file that differ after sanitising are variants of one another.

    Raises:
        UntrustedError: A required configuration cannot be planned; every reason.
    """
    resolver = PathResolver(settings.root)
    planned: list[ConfigurationPlan] = []
    problems: list[Problem] = []
    warnings: list[Problem] = []
    for spec in settings.configurations:
        planner = _Planner(settings, spec, files, toolchain, resolver)
        result = planner.run()
        warnings += planner.warnings
        if planner.problems and spec.required:
            problems += planner.problems
        planned.append(result)
    if problems:
        raise UntrustedError(problems)
    unique = dict.fromkeys(warnings)
    return Plan(tuple(planned), tuple(sorted(unique, key=lambda item: (item.path or "", item.line, item.message))))


class _Planner:
    """The plan of one configuration."""

    def __init__(
        self,
        settings: Settings,
        spec: ConfigurationSpec,
        files: TreeFiles,
        toolchain: Toolchain,
        resolver: PathResolver,
    ) -> None:
        self.settings = settings
        self.spec = spec
        self.files = files
        self.toolchain = toolchain
        self.resolver = resolver
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.outside: set[str] = set()
        self.dropped: dict[Dropped, int] = defaultdict(int)
        self._sources = frozenset(files.sources)

    def run(self) -> ConfigurationPlan:
        flags = Flags.of(self.spec, self.settings, self.toolchain, self.resolver)
        self._note(flags.extra)
        self.problems += flags.problems
        commands: dict[str, dict[tuple[str, ...], ParseCommand]] = defaultdict(dict)
        for command in self._from_database(flags):
            commands[command.path].setdefault(command.arguments, command)
        unlisted = tuple(path for path in self.files.sources if path not in commands)
        for path in unlisted:
            command = self._command(path, None, language_of(path, None, is_cxx_driver=False), flags)
            commands[path][command.arguments] = command
        if self.spec.required or not self.problems:
            problems: tuple[Problem, ...] = ()
        else:
            problems, commands = tuple(self.problems), defaultdict(dict)
            self.warnings += [
                Problem(
                    item.path, item.line, f"configuration `{self.spec.name}` is left out: {item.message}", item.help
                )
                for item in problems
            ]
        return ConfigurationPlan(
            name=self.spec.name,
            commands=tuple(_variants(commands)),
            synthesised=self._command("", None, "c++", flags),
            unlisted=unlisted if self.spec.compile_commands else (),
            outside=tuple(sorted(self.outside)),
            dropped=tuple(sorted(self.dropped.items(), key=lambda pair: (pair[0].text, pair[0].reason))),
            problems=problems,
        )

    def _from_database(self, flags: Flags) -> Iterator[ParseCommand]:
        if not self.spec.compile_commands:
            return
        path = self.settings.root / self.spec.compile_commands
        path = path / _DATABASE if path.is_dir() else path
        shown = self.resolver.key(path)
        if not path.is_file():
            self.problems.append(
                Problem(
                    self.spec.path,
                    self.spec.line,
                    f"configuration `{self.spec.name}`: there is no compile database {self.spec.compile_commands}",
                    "generate it (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON), or correct its path",
                )
            )
            return
        try:
            entries = read_database(path, shown)
        except UntrustedError as error:
            self.problems += error.problems
            return
        found = False
        for entry in entries:
            for command in self._entry(entry, flags):
                found = True
                yield command
        if not found and not self.problems:
            self.problems.append(
                Problem(
                    shown,
                    0,
                    "no entry names a file of the audited tree",
                    "generate it for this checkout, or leave `compile-commands` out",
                )
            )

    def _entry(self, entry: Entry, flags: Flags) -> Iterator[ParseCommand]:
        file = entry.file.replace("\\", "/") if entry.command.windows else entry.file
        named = self.resolver.absolute(entry.command.directory, file)
        key = self.resolver.key(named)
        # Sanitising is the costly part; entries of other trees (an SDK's samples, say) need none of it.
        if not self.resolver.is_inside(key) or self._is_excluded(key, named):
            self.outside.add(key)
            return
        sanitised = sanitise(entry.command, self.resolver, target=self.spec.target or None)
        languages = {self.resolver.key(item.path): item.language for item in sanitised.inputs}
        languages.setdefault(key, sanitised.language)
        used = False
        for path, spelled in sorted(languages.items()):
            if path in self._sources or self._counts(path):
                language = language_of(path, spelled, is_cxx_driver=sanitised.is_cxx_driver)
                if language is not None and (self._is_file(path) or self._reports_missing(path, key, entry)):
                    used = True
                    yield self._command(path, sanitised, language, flags, entry.command.directory)
                    continue
            self.outside.add(path)
        if used:
            self._note(sanitised)

    def _counts(self, key: str) -> bool:
        tree = self.settings.tree
        if not self.resolver.is_inside(key) or matches_any(key, tree.exclude):
            return False
        return not tree.sources or matches_any(key, tree.sources) or bool(self.files.zones_of(key))

    def _is_excluded(self, key: str, named: str) -> bool:
        if key in self._sources:
            return False
        root = str(self.resolver.root)
        alias = os.path.relpath(named, root).replace(os.sep, "/") if named.startswith(root) else key
        return matches_any(key, self.settings.tree.exclude) or matches_any(alias, self.settings.tree.exclude)

    def _is_file(self, path: str) -> bool:
        return (self.settings.root / path).is_file()

    def _reports_missing(self, path: str, key: str, entry: Entry) -> bool:
        # Another word of the command may only look like a source; the entry's own file must be there.
        if path == key:
            self.problems.append(
                Problem(
                    entry.command.path,
                    0,
                    f"entry {entry.index}: {path} does not exist",
                    "it may be generated: build its target first; or exclude it",
                )
            )
        return False

    def _command(
        self, path: str, own: Sanitised | None, language: str | None, flags: Flags, directory: str | None = None
    ) -> ParseCommand:
        arguments, advice = compose(flags, own, language or "c++")
        self.warnings += [
            Problem(self.spec.path, self.spec.line, f"configuration `{self.spec.name}`: {item.message}", item.help)
            for item in advice
        ]
        origin = "synthesised" if own is None else "database"
        return ParseCommand(
            self.spec.name, path, directory or str(self.settings.root), arguments, origin, language=language or "c++"
        )

    def _note(self, sanitised: Sanitised) -> None:
        self.problems += sanitised.problems
        for item in sanitised.dropped:
            self.dropped[item] += 1


def _variants(commands: Mapping[str, Mapping[tuple[str, ...], ParseCommand]]) -> Iterator[ParseCommand]:
    """Numbers the commands of each file by their arguments, so that the order of the database does not matter."""
    for path in sorted(commands):
        for variant, (_, command) in enumerate(sorted(commands[path].items())):
            yield ParseCommand(
                command.configuration,
                command.path,
                command.directory,
                command.arguments,
                command.origin,
                variant,
                command.language,
            )


def commands_for_header(
    plan: Plan, header: str, configuration: str, including_units: Iterable[tuple[str, int]] = ()
) -> tuple[ParseCommand, ...]:
    """How a header is parsed alone: once with each set of flags of some units that include it.

    Without these, with the flags of the unit that lies nearest; without any unit, of the configuration itself.

    Args:
        plan: The plan.
        header: Its key.
        configuration: The configuration's name.
        including_units: Keys and variants of units that include it, the one whose flags come first at the beginning.
    """
    item = plan.of(configuration)
    commands = {(command.path, command.variant): command for command in item.commands}
    models = [commands[unit] for unit in including_units if unit in commands]
    if not models:
        nearest = min(
            item.commands, key=lambda c: (-_shared_folders(c.path, header), c.path, c.variant), default=item.synthesised
        )
        models = [nearest]
    found: dict[tuple[tuple[str, ...], str], ParseCommand] = {}
    for model in models:
        language = "c++" if model.language == "c++-module" else model.language
        arguments = list(model.arguments)
        if "-x" in arguments:
            arguments[arguments.index("-x") + 1] = language
        flags = tuple(arguments), model.directory
        if flags not in found:
            found[flags] = ParseCommand(configuration, header, flags[1], flags[0], model.origin, len(found), language)
    return tuple(found.values())


def _shared_folders(first: str, second: str) -> int:
    count = 0
    for one, other in zip(first.split("/")[:-1], second.split("/")[:-1], strict=False):
        if one != other:
            break
        count += 1
    return count
