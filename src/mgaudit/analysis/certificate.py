"""The certificate: who vouches for each byte of a file, and why not both witnesses do.

The front end vouches for code that a translation unit without errors took, the syntax scanner for what its grammar
parses without doubt. They are also held against each other: each function that the scanner shows in such code must be
one that the front end declares, and each definition of the front end must be shown by the scanner. Where they disagree,
only the one that sees something vouches.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.analysis.activity import Activity
from mgaudit.domain.certificate import Standing
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.facts.rows import definitions_in, function_declarations

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mgaudit.facts.query import Facts
    from mgaudit.facts.rows import Definition
    from mgaudit.sources.scan_facts import FileScan
    from mgaudit.sources.syntax import FileSyntax, ScopeSyntax

_FATAL: Final = 4
_ERROR: Final = "the syntax scanner cannot parse it"
_MISSING: Final = "the syntax scanner had to make up a token"
_UNREAD: Final = "the syntax scanner has not read the file"
_UNSHOWN: Final = "the front end defines a {what} here that the syntax scanner does not show: a macro makes it"
_UNENTERED: Final = "no translation unit enters the file"
_UNDECLARED: Final = "the front end declares no such function"
_ERRONEOUS: Final = "every unit that takes it has errors"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A range of bytes, half-open.

    Attributes:
        start: Offset of its first byte.
        end: Offset behind its last byte.
        mask: The configurations whose front end vouches for it.
        absence: Why the front end of each other configuration does not, by the configuration's number.
        doubt: Why the syntax scanner does not; empty where it does.
    """

    start: int
    end: int
    mask: int
    absence: tuple[tuple[int, str], ...]
    doubt: str

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.end - self.start

    def is_like(self, other: Stretch) -> bool:
        """Whether all is equal but the place."""
        return (self.mask, self.absence, self.doubt) == (other.mask, other.absence, other.doubt)

    def standing(self, configurations: int) -> Standing:
        """Who vouches for it, where these configurations, a bit mask, count."""
        if self.mask & configurations:
            return Standing.FRONT_END if self.doubt else Standing.BOTH
        return Standing.NONE if self.doubt else Standing.SYNTAX

    def reason(self, configurations: int) -> str:
        """Why not both do; empty where they do."""
        absence = () if self.mask & configurations else (why for at, why in self.absence if configurations >> at & 1)
        return "; ".join(dict.fromkeys(filter(None, (self.doubt, *absence))))


@dataclass(frozen=True, slots=True)
class FileCertificate:
    """One file: its stretches, in order, cover every byte once."""

    path: str
    size: int
    stretches: tuple[Stretch, ...]

    def at(self, offset: int) -> Stretch:
        """The stretch of a byte."""
        return self.stretches[bisect_right(self.stretches, offset, key=lambda item: item.start) - 1]

    def bytes_by(self, configurations: int) -> dict[Standing, int]:
        """How many bytes who vouches for, where these configurations count."""
        counts = dict.fromkeys(Standing, 0)
        for stretch in self.stretches:
            counts[stretch.standing(configurations)] += stretch.size
        return counts


class Unread(NamedTuple):
    """A header that an audited tree includes and nobody has read: generated later, or not installed.

    Attributes:
        spelling: As the directive spells it.
        stands_in: Whether a stand-in of the configuration, or an empty one, was read in its place.
        configurations: The configurations that include it so, sorted.
    """

    spelling: str
    stands_in: bool
    configurations: tuple[str, ...]


def unread(facts: Facts, stand_ins: tuple[str, ...]) -> tuple[Unread, ...]:
    """The headers that nobody has read, by spelling.

    Args:
        facts: The facts.
        stand_ins: The absolute folders in memory below which stand-ins lie.
    """
    lost = {
        number: (edge.spelling, edge.target is not None)
        for number, edge in facts.edges.items()
        if edge.target is None or edge.target.startswith(stand_ins)
    }
    masks: dict[tuple[str, bool], int] = {}
    for unit in facts.units if lost else ():
        for number in facts.edges_of(unit) & lost.keys():
            masks[lost[number]] = masks.get(lost[number], 0) | 1 << unit.configuration
    return tuple(Unread(*key, facts.names_of(mask)) for key, mask in sorted(masks.items()))


class _Doubt(NamedTuple):
    start: int
    end: int
    reason: str


def certificates(
    facts: Facts, paths: Iterable[str], syntax: Mapping[str, FileSyntax]
) -> tuple[FileCertificate, ...]:  # fmt: skip
    """The certificate of each file that the lexer has read, in the order of the paths.

    Args:
        facts: The facts; their configurations are those that count.
        paths: The files.
        syntax: The syntax scanner's view of them.
    """
    known = [path for path in paths if path in facts.scans]
    return tuple(map(_Witnesses(facts, known, syntax).certificate, known))


class _Witnesses:
    def __init__(self, facts: Facts, paths: Collection[str], syntax: Mapping[str, FileSyntax]) -> None:
        self.facts = facts
        self.syntax = syntax
        self.everything = (1 << len(facts.configurations)) - 1
        others, failing = _others(facts, paths), _failing(facts, paths)
        self.taken = Activity(facts, paths, others)
        self.sound = Activity(facts, paths, {path: others[path] | failing[path] for path in paths})
        self.declared = function_declarations(facts, paths)
        self.defined: dict[str, list[Definition]] = defaultdict(list)
        for path, definition in definitions_in(facts, paths):
            self.defined[path].append(definition)

    def certificate(self, path: str) -> FileCertificate:
        scan, syntax = self.facts.scans[path], self.syntax.get(path)
        doubts = [_Doubt(0, scan.size, _UNREAD)] if syntax is None else [*self._doubts(path, scan, syntax)]
        gaps = [] if syntax is None else [*self._gaps(path, syntax)]
        edges = {0, scan.size, *scan.boundaries(), *(at for span in (*doubts, *gaps) for at in span[:2])}
        cuts = sorted(edge for edge in edges if 0 <= edge <= scan.size)
        reasons, declared = [""] * len(cuts), [self.everything] * len(cuts)
        for start, end, reason in reversed(doubts):
            first, last = bisect_left(cuts, start), bisect_left(cuts, end)
            reasons[first:last] = [reason] * (last - first)
        for start, end, mask in gaps:
            first, last = bisect_left(cuts, start), bisect_left(cuts, end)
            declared[first:last] = [known & mask for known in declared[first:last]]
        stretches: list[Stretch] = []
        for (start, end), reason, mask in zip(pairwise(cuts), reasons, declared, strict=False):
            found = Stretch(start, end, *self._front_end(path, scan.arm_of(start), mask), reason)
            if stretches and stretches[-1].is_like(found):
                found = replace(found, start=stretches.pop().start)
            stretches.append(found)
        return FileCertificate(path, scan.size, tuple(stretches))

    # ---- where the front end does not vouch

    def _front_end(self, path: str, arm: int, declared: int) -> tuple[int, tuple[tuple[int, str], ...]]:
        """The configurations that vouch for the code of an arm, and why the others do not.

        Args:
            path: The file.
            arm: The arm's number.
            declared: The configurations whose declarations agree with what the scanner shows.
        """
        sound, taken = self.sound.taken(path, arm), self.taken.taken(path, arm)
        absence = []
        for number in range(len(self.facts.configurations)):
            bit = 1 << number
            if not sound & declared & bit:
                why = _UNDECLARED if sound & bit else _ERRONEOUS if taken & bit else self._untaken(path, arm, bit)
                absence.append((number, why))
        return sound & declared, tuple(absence)

    def _untaken(self, path: str, arm: int, bit: int) -> str:
        if not self.taken.seen(path) & bit:
            return _UNENTERED
        condition = self.facts.scans[path].condition(arm)
        who = "the configuration does not take" if self.taken.taken(path, arm) else "no configuration takes"
        return f"{who} the arm {condition}"

    def _gaps(self, path: str, syntax: FileSyntax) -> Iterator[tuple[int, int, int]]:
        """Start and end of each function that the scanner shows, and the configurations that declare it."""
        declared = self.declared.get(path, {})
        offsets = sorted(declared)
        doubtful = [span.start for span in syntax.uncertified]
        for function in syntax.functions:
            head = range(function.start, function.body_start)
            if head and syntax.is_certified(head.start) and not _within(doubtful, head):
                mask = 0
                for offset in _within(offsets, head):
                    mask |= declared[offset]
                if mask != self.everything:
                    yield function.start, function.end, mask

    # ---- where the syntax scanner does not vouch

    def _doubts(self, path: str, scan: FileScan, syntax: FileSyntax) -> Iterator[_Doubt]:
        """The weightiest first."""
        yield from (_Doubt(span.start, span.end, _ERROR) for span in syntax.errors)
        yield from (_Doubt(span.start, span.end, _MISSING) for span in syntax.missing)
        yield from (_Doubt(item.start, item.end, f"to the scanner it is {item.reason}") for item in syntax.suspicious)
        shown = _Shown(syntax)
        for definition in self.defined[path]:
            if not shown.has(definition):
                line, _ = scan.location(definition.offset)
                end = scan.offset_of(line + 1, 1) if line < scan.lines else scan.size
                yield _Doubt(scan.offset_of(line, 1), end, _UNSHOWN.format(what=definition.kind))


class _Shown:
    """The definitions that the scanner shows in a file."""

    def __init__(self, syntax: FileSyntax) -> None:
        self._heads = sorted((f.start, f.end if f.body_start < 0 else f.body_start) for f in syntax.functions)
        self._types: dict[str, list[ScopeSyntax]] = defaultdict(list)
        for scope in syntax.scopes:
            if scope.kind != "namespace":
                self._types[scope.name.partition("<")[0].rpartition("::")[2]].append(scope)

    def has(self, definition: Definition) -> bool:
        """Whether a definition of the front end is one of them; a type without a name may have one by a typedef."""
        offset = definition.offset
        if definition.kind in FUNCTION_KINDS:
            at = bisect_right(self._heads, (offset, sys.maxsize)) - 1
            return at >= 0 and offset < self._heads[at][1]
        named = (*self._types.get(definition.name, ()), *self._types.get("", ()))
        return any(scope.start <= offset < scope.end for scope in named)


def _within(offsets: list[int], span: range) -> list[int]:
    """Those of some sorted offsets that lie in a range."""
    return offsets[bisect_left(offsets, span.start) : bisect_left(offsets, span.stop)]


def _others(facts: Facts, paths: Iterable[str]) -> dict[str, set[int]]:
    """For each file the other headers taken alone: often no more than their inclusions is looked at."""
    headers = {unit.id: unit.name.path for unit in facts.units if unit.name.kind == "header"}
    return {path: {unit for unit, own in headers.items() if own != path} for path in paths}


def _failing(facts: Facts, paths: Iterable[str]) -> dict[str, set[int]]:
    """For each file the units with an error in it, or a fatal one or a missing header anywhere.

    After an error the front end drops code without further notice.
    """
    missing = {number for number, edge in facts.edges.items() if edge.target is None}
    everywhere = {unit.id for unit in facts.units if missing and not missing.isdisjoint(facts.edges_of(unit))}
    here: dict[str, set[int]] = defaultdict(set)
    for diagnostic in facts.diagnostics():
        if diagnostic.severity >= _FATAL:
            everywhere.add(diagnostic.unit)
        elif diagnostic.path is not None:
            here[diagnostic.path].add(diagnostic.unit)
    return {path: everywhere | here.get(path, set()) for path in paths}
