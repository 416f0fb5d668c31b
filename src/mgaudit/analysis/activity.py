"""Which code some unit's preprocessor took: what lies in no such arm exists for the syntax scanner alone."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.facts.query import Facts


class Activity:
    """The lines that units took, by file. It answers from the facts' state at its making, and at once.

    Args:
        facts: The facts of the configurations that count.
        paths: The files in question.
    """

    def __init__(self, facts: Facts, paths: Iterable[str]) -> None:
        self._facts = facts
        if _seen_by not in facts.derived:
            facts.derived[_seen_by] = _seen_by(facts)
        seen = facts.derived[_seen_by]
        self._taken: dict[str, list[list[tuple[int, int]]]] = {}
        self._arms: dict[str, frozenset[int]] = {}
        for path in paths:
            skipped = facts.skipped(path)
            self._taken[path] = [skipped.get(unit, []) for unit in sorted(seen.get(path, set()) | skipped.keys())]
            self._arms[path] = self._arms_with_facts(path) if skipped else frozenset()

    @cached_property
    def configurations(self) -> frozenset[str]:
        """The configurations of which at least one unit is known."""
        return frozenset(unit.name.configuration for unit in self._facts.units)

    def is_seen(self, path: str) -> bool:
        """Whether any unit entered a file."""
        return bool(self._taken[path])

    def is_active(self, path: str, offset: int) -> bool:
        """Whether some unit took the code at a byte offset."""
        scan = self._facts.scans[path]
        line, _ = scan.location(offset)
        if any(not _within(line, ranges) for ranges in self._taken[path]):
            return True
        # A file that one unit enters twice has its skipped ranges of both times: facts prove what was taken once.
        return scan.arm_of(offset) in self._arms[path]

    def _arms_with_facts(self, path: str) -> frozenset[int]:
        scan = self._facts.scans[path]
        offsets = {row.offset for row in self._facts.references_in([path])}
        offsets |= {row.offset for row in self._facts.declarations_in([path])}
        return frozenset(scan.arm_of(offset) for offset in offsets)


def _within(line: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= line <= last for first, last in ranges)


def _seen_by(facts: Facts) -> dict[str, set[int]]:
    """The units that entered each file; headers taken alone count only where no translation unit has the file.

    A unit does not enter again what its preamble holds, although it has the directive.
    """
    proper: dict[str, set[int]] = defaultdict(set)
    alone: dict[str, set[int]] = defaultdict(set)
    for unit in facts.units:
        held = frozenset[str]() if unit.preamble is None else facts.own_targets_of(unit.preamble)
        found = alone if unit.name.kind == "header" else proper
        for path in (unit.name.path, *(facts.own_targets_of(unit.id) - held)):
            found[path].add(unit.id)
    return {**alone, **proper}
