"""The census of conditional arms: which macros gate how many lines, and which arms no configuration takes."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.activity import Activity
from mgaudit.sources.scan_facts import NO_ARM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mgaudit.facts.query import Facts
    from mgaudit.sources.scan_facts import Arm, FileScan

NO_ZONE: Final = "(no zone)"

_FEATURE: Final = re.compile(r"\b(__has_\w+)\s*\(\s*(?:<[^>]*>|\"[^\"]*\"|[^()]*)\s*\)")
_WORD: Final = re.compile(r"(?<![\w'\"])[A-Za-z_]\w*")
_NO_MACROS: Final = frozenset({"defined", "true", "false", "and", "or", "not"})


@dataclass(frozen=True, slots=True, order=True)
class Gated:
    """What a macro gates in one zone.

    Attributes:
        macro: The macro; ``__has_include`` and its like count as one.
        zone: The zone's name, or `NO_ZONE`.
        files: How many files have an arm that depends on it.
        arms: How many arms do.
        lines: How many lines lie in these arms, each once.
        idle: How many of them no configuration takes.
    """

    macro: str
    zone: str
    files: int
    arms: int
    lines: int
    idle: int


@dataclass(frozen=True, slots=True, order=True)
class PartialArm:
    """An arm that not every configuration takes; arms inside it with the same answer are not listed.

    Attributes:
        path: The file.
        first: Line of the directive that opens it, 1-based.
        last: Last line in it.
        condition: What would have to hold.
        zones: The file's zones.
        is_seen: Whether any unit enters the file at all.
        configurations: The configurations that take it, sorted; none where no unit does.
    """

    path: str
    first: int
    last: int
    condition: str
    zones: tuple[str, ...]
    is_seen: bool
    configurations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArmCensus:
    """The census.

    Attributes:
        files: How many files were looked at.
        arms: How many arms they have, include guards aside.
        gated: By macro and zone.
        partial: By path and line.
    """

    files: int
    arms: int
    gated: tuple[Gated, ...]
    partial: tuple[PartialArm, ...]

    @property
    def idle(self) -> tuple[PartialArm, ...]:
        """The arms that no configuration takes."""
        return tuple(arm for arm in self.partial if not arm.configurations)


def census(facts: Facts, zones: Mapping[str, tuple[str, ...]]) -> ArmCensus:
    """Count what conditional directives gate.

    A line is gated by each macro that the condition of an arm around it tests, or that an arm before it in the same
    group does. The lines of a nested arm count for the outer one, too; directives of the arm itself do not count.

    Args:
        facts: The facts; their configurations are those that may take an arm.
        zones: The zones of each file that is looked at.
    """
    paths = sorted(path for path in zones if path in facts.scans)
    activity = Activity(facts, paths)
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    partial: list[PartialArm] = []
    arms = 0
    for path in paths:
        one = _File(path, facts.scans[path], activity)
        arms += sum(not arm.guard for arm in one.scan.conditionals)
        for macro, (count, lines) in one.gated().items():
            for zone in zones[path] or (NO_ZONE,):
                row = sums[macro, zone]
                for column, value in enumerate((1, count, len(lines), len(lines & one.idle_lines))):
                    row[column] += value
        partial += [
            PartialArm(
                path, arm.start_line, last, one.scan.condition(number), zones[path], activity.is_seen(path),
                facts.names_of(mask),
            )
            for number, arm, last, mask in one.partial_arms((1 << len(facts.configurations)) - 1)
        ]  # fmt: skip
    gated = tuple(Gated(macro, zone, *row) for (macro, zone), row in sorted(sums.items()))
    return ArmCensus(len(paths), arms, gated, tuple(sorted(partial)))


class _File:
    def __init__(self, path: str, scan: FileScan, activity: Activity) -> None:
        self.path = path
        self.scan = scan
        self._masks = [self._mask(number, arm, activity) for number, arm in enumerate(scan.conditionals)]
        self.idle_lines = frozenset(
            line
            for arm, mask in zip(scan.conditionals, self._masks, strict=True)
            if mask == 0
            for line in self._lines(arm)
        )

    def _lines(self, arm: Arm) -> range:
        """The lines between an arm's directives."""
        first = self.scan.location(arm.start)[0] + 1
        return range(first, max(first, arm.end_line if arm.end < self.scan.size else arm.end_line + 1))

    def _mask(self, number: int, arm: Arm, activity: Activity) -> int | None:
        """The configurations that take an arm; None for an include guard, and an arm without a line."""
        return None if arm.guard or not self._lines(arm) else activity.taken(self.path, number)

    def gated(self) -> dict[str, tuple[int, set[int]]]:
        """The arms and lines that each macro gates."""
        found: dict[str, tuple[int, set[int]]] = {}
        for arm in self.scan.conditionals:
            for macro in () if arm.guard else self._macros(arm):
                count, lines = found.get(macro, (0, set()))
                lines.update(self._lines(arm))
                found[macro] = (count + 1, lines)
        return found

    def _macros(self, arm: Arm) -> set[str]:
        tests = [arm.condition]
        while arm.previous != NO_ARM:
            arm = self.scan.conditionals[arm.previous]
            tests.append(arm.condition)
        names: set[str] = set()
        for test in tests:
            names.update(match[1] for match in _FEATURE.finditer(test))
            names.update(_WORD.findall(_FEATURE.sub(" ", test)))
        return names - _NO_MACROS

    def partial_arms(self, everything: int) -> Iterator[tuple[int, Arm, int, int]]:
        """The outermost arms that not all configurations take: number, arm, last line, and who takes them."""
        for number, arm in enumerate(self.scan.conditionals):
            mask = self._masks[number]
            if mask not in {None, everything, None if arm.parent == NO_ARM else self._masks[arm.parent]}:
                yield number, arm, self._lines(arm)[-1], mask or 0
