"""Which header to precompile for which units, and the proof that nothing changes by it.

A unit may start from a precompiled header only where it would have met that very header first: from the main file, each
file's first code is the inclusion of the next one, with nothing before it but comments, ``#pragma once`` and an
include guard whose macro no file of the header's closure names. How much a header saves is estimated from the sizes of
what it includes; the estimate decides only what is worth it, never what is right.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.sources.include_resolver import Resolver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mgaudit.domain.configurations import ParseCommand
    from mgaudit.engine.contents import Contents
    from mgaudit.sources.scanner import FileScan
    from mgaudit.sources.tree import PathResolver

_MIN_UNITS: Final = 2
_MIN_CLOSURE: Final = 500_000  # bytes: below, precompiling costs more than it saves
_MAX_DEPTH: Final = 24
_INCLUDE: Final = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Group:
    """Commands whose flags are the same, so that they may share a precompiled header."""

    configuration: str
    arguments: tuple[str, ...]
    directory: str

    @classmethod
    def of(cls, command: ParseCommand) -> Group:
        """The group of a command."""
        return cls(command.configuration, command.arguments, command.directory)


@dataclass(frozen=True, slots=True)
class Start:
    """How a unit reaches a header that it may start from.

    Attributes:
        header: The header's key.
        chain: Keys from the main file to the header, both included.
        guards: Macros that the files before the header define as include guards.
    """

    header: str
    chain: tuple[str, ...]
    guards: tuple[str, ...]


class Chooser:
    """Finds leading inclusions and chooses headers.

    Args:
        resolver: Paths to keys.
        scan: A file's scan by key, or None where it cannot be read.
        contents: Contents by key.
    """

    def __init__(self, resolver: PathResolver, scan: Callable[[str], FileScan | None], contents: Contents) -> None:
        self._resolver = resolver
        self._scan = scan
        self._contents = contents
        self._searches: dict[tuple[str, ...], Resolver] = {}
        self._includes: dict[str, list[tuple[str, bool]]] = {}
        self._sizes: dict[str, int] = {}

    def _search(self, group: Group) -> Resolver:
        known = self._searches.get(group.arguments)
        if known is None:
            known = self._searches[group.arguments] = Resolver.from_arguments(group.arguments, group.directory)
        return known

    def choose(self, commands: Iterable[ParseCommand]) -> dict[ParseCommand, Start]:
        """The header that each command should start from; commands that are better parsed in full are left out."""
        groups: dict[Group, list[ParseCommand]] = defaultdict(list)
        for command in commands:
            if "-include" not in command.arguments:
                groups[Group.of(command)].append(command)
        chosen: dict[ParseCommand, Start] = {}
        for group, members in groups.items():
            starts = {command: self.starts(command) for command in members}
            while best := self._best(group, starts):
                taken = {
                    c: next(s for s in found if s.header == best) for c, found in starts.items() if _has(found, best)
                }
                chosen.update(taken)
                starts = {command: found for command, found in starts.items() if command not in taken}
        return chosen

    def _best(self, group: Group, starts: dict[ParseCommand, list[Start]]) -> str | None:
        counts: dict[str, int] = defaultdict(int)
        for found in starts.values():
            for start in found:
                counts[start.header] += 1
        gains = {
            header: (count - 1) * size
            for header, count in counts.items()
            if count >= _MIN_UNITS and (size := self._closure_size(group, header)) >= _MIN_CLOSURE
        }
        return max(gains, key=lambda header: (gains[header], header), default=None)

    def starts(self, command: ParseCommand) -> list[Start]:
        """The headers that a command meets first, nearest first."""
        search = self._search(Group.of(command))
        chain: list[str] = [command.path]
        guards: list[str] = []
        found: list[Start] = []
        while len(chain) < _MAX_DEPTH:
            scan = self._scan(chain[-1])
            leading = scan.leading_include() if scan else None
            if scan is None or leading is None:
                break
            directive = scan.directives[leading.directive]
            target = search.resolve(
                directive.spelling, angled=directive.angled, including_file=str(self._resolver.root / chain[-1])
            )
            key = self._resolver.key(target) if target else None
            if key is None or key in chain:
                break
            guards += leading.guard_macros
            chain.append(key)
            if self._counts_once(key):
                found.append(Start(key, tuple(chain), tuple(guards)))
        return found

    def _counts_once(self, header: str) -> bool:
        """Whether the unit's own inclusion of a precompiled header finds nothing left to do."""
        scan = self._scan(header)
        return scan is not None and (scan.pragma_once or scan.guard_macro is not None)

    def _closure_size(self, group: Group, header: str) -> int:
        """About how many bytes a header includes: a plain search for directives, all arms alike."""
        known = self._sizes.get(header)
        if known is not None:
            return known
        search = self._search(group)
        total, seen, waiting = 0, {header}, [header]
        while waiting:
            key = waiting.pop()
            data = self._contents.read(key) or b""
            total += len(data)
            if key not in self._includes:
                self._includes[key] = [
                    (name.decode(errors="replace"), kind == b"<") for kind, name in _INCLUDE.findall(data)
                ]
            for spelling, angled in self._includes[key]:
                target = search.resolve(spelling, angled=angled, including_file=str(self._resolver.root / key))
                found = self._resolver.key(target) if target else None
                if found is not None and found not in seen:
                    seen.add(found)
                    waiting.append(found)
        self._sizes[header] = total
        return total


def names_any(contents: Contents, files: Iterable[str], macros: Iterable[str]) -> set[str]:
    """Which of some macros the files name anywhere, comments included: the safe side."""
    wanted = sorted(set(macros))
    if not wanted:
        return set()
    pattern = re.compile(rb"\b(?:" + b"|".join(re.escape(name.encode()) for name in wanted) + rb")\b")
    return {match.decode() for key in files for match in pattern.findall(contents.read(key) or b"")}


def _has(starts: list[Start], header: str) -> bool:
    return any(start.header == header for start in starts)
