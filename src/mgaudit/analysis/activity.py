"""Which code some unit's preprocessor took: what lies in no such arm exists for the syntax scanner alone."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from mgaudit.facts.rows import masks_in
from mgaudit.sources.scan_facts import NO_ARM

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from mgaudit.facts.query import Facts
    from mgaudit.sources.scan_facts import Arm


class Activity:
    """The conditional arms that units took, by file. It answers from the facts' state at its making.

    Args:
        facts: The facts of the configurations that count.
        paths: The files in question.
        doubted: Units that do not count, by file: those whose view of it is not trusted.
    """

    def __init__(
        self, facts: Facts, paths: Iterable[str], doubted: Mapping[str, Collection[int]] | None = None
    ) -> None:
        self._facts = facts
        self._bits = {unit.id: 1 << unit.configuration for unit in facts.units}
        self._seen: dict[str, int] = {}
        self._taken: dict[str, dict[int, int]] = {}
        seen = _seen_by(facts)
        skipped = facts.skipped(paths)
        torn: dict[str, set[int]] = {}
        for path in paths:
            ranges = skipped.get(path, {})
            units = (seen.get(path, set()) | ranges.keys()) - set((doubted or {}).get(path, ()))
            self._seen[path] = self._mask(units)
            if ranges and path in facts.scans:
                self._taken[path] = self._arms(path, units, ranges)
                if lost := {arm for arm, mask in self._taken[path].items() if mask != self._seen[path]}:
                    torn[path] = lost
        self._add_proven(torn)

    @classmethod
    def anywhere(cls, facts: Facts, paths: Collection[str], configurations: Sequence[str]) -> Activity:
        """The arms that units of some configurations took, also of such that `facts` leave out."""
        if set(configurations) == set(facts.configurations):
            return cls(facts, paths)
        try:
            return cls(facts.restricted_to(configurations), paths)
        finally:
            facts.select()

    @cached_property
    def configurations(self) -> frozenset[str]:
        """The configurations of which at least one unit is known."""
        return frozenset(unit.name.configuration for unit in self._facts.units)

    def seen(self, path: str) -> int:
        """The configurations of which a unit entered a file, as a bit mask."""
        return self._seen[path]

    def is_seen(self, path: str) -> bool:
        """Whether any unit entered a file."""
        return bool(self._seen[path])

    def is_active(self, path: str, offset: int) -> bool:
        """Whether some unit took the code at a byte offset."""
        return bool(self.taken(path, self._facts.scans[path].arm_of(offset)))

    def taken(self, path: str, arm: int) -> int:
        """The configurations that took an arm of a file, or the code outside of all arms, as a bit mask."""
        return self._taken.get(path, {}).get(arm, self._seen[path])

    def _mask(self, units: Iterable[int]) -> int:
        mask = 0
        for unit in units:
            mask |= self._bits[unit]
        return mask

    def _arms(
        self, path: str, units: Collection[int], ranges: Mapping[int, Collection[tuple[int, int]]]
    ) -> dict[int, int]:
        """Who took each arm: what is skipped reaches from a directive that opens an arm to one that ends it."""
        arms = self._facts.scans[path].conditionals
        whole = self._mask(unit for unit in units if unit not in ranges)
        masks = dict.fromkeys(range(len(arms)), whole)
        for unit in ranges.keys() & units:
            for number, arm in enumerate(arms):
                if arm.guard or not _is_within(arm, ranges[unit]):
                    masks[number] |= self._bits[unit]
        return masks

    def _add_proven(self, torn: Mapping[str, Collection[int]]) -> None:
        """A file that a unit enters twice has its skipped ranges of both times: facts prove what was taken once."""
        for path, arms in _proven(self._facts, torn).items():
            for arm, mask in arms.items():
                self._taken[path][arm] |= mask & self._seen[path]


def _proven(facts: Facts, paths: Iterable[str]) -> Mapping[str, Mapping[int, int]]:
    """The configurations that have a fact in the arms of some files; remembered, for many ask for the same files."""
    known: dict[str, dict[int, int]] = facts.derived.setdefault(_proven, {})
    for path, offsets in masks_in(facts, [path for path in paths if path not in known]).items():
        scan, known[path] = facts.scans[path], defaultdict(int)
        for offset, mask in offsets.items():
            known[path][scan.arm_of(offset)] |= mask
        known[path].pop(NO_ARM, None)
    return {path: known[path] for path in paths}


def _is_within(arm: Arm, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= arm.start_line and arm.end_line <= last for first, last in ranges)


def _seen_by(facts: Facts) -> Mapping[str, set[int]]:
    """The units that entered each file; headers taken alone count only where no translation unit has the file.

    A unit does not enter again what its preamble holds, although it has the directive.
    """
    if _seen_by in facts.derived:
        known: Mapping[str, set[int]] = facts.derived[_seen_by]
        return known
    proper: dict[str, set[int]] = defaultdict(set)
    alone: dict[str, set[int]] = defaultdict(set)
    for unit in facts.units:
        held = frozenset[str]() if unit.preamble is None else facts.own_targets_of(unit.preamble)
        found = alone if unit.name.kind == "header" else proper
        for path in (unit.name.path, *(facts.own_targets_of(unit.id) - held)):
            found[path].add(unit.id)
    seen = {**alone, **proper}
    facts.derived[_seen_by] = seen
    return seen
