"""Merging two versions of a baseline that share an ancestor: what one side removed stays removed."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from mgaudit.baseline.files import Baseline

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mgaudit.baseline.entries import Entry


def merge(base: Baseline, ours: Baseline, theirs: Baseline) -> Baseline:
    """Both sides' changes.

    Entries are counted by what they name. Where both sides removed equal ones, as many are gone as on the side that
    removed more; where both added equal ones, as many are there as on the side that added more: the same change on both
    sides counts once. Of what people say of an entry, a change wins over none; of two changes the earlier expiry, then
    ours.
    """
    sides = [_by_identity(side.entries) for side in (base, ours, theirs)]
    entries = [entry for identity in sorted(set().union(*sides)) for entry in _settled(*(s[identity] for s in sides))]
    return Baseline(ours.path, tuple(entries), _lines(base.head, ours.head, theirs.head))


def merged_count(base: int, ours: int, theirs: int) -> int:
    """How many equal entries there are after both sides' changes."""
    if ours >= base and theirs >= base:
        return max(ours, theirs)
    if ours <= base and theirs <= base:
        return min(ours, theirs)
    return max(ours + theirs - base, 0)


def _by_identity(entries: Iterable[Entry]) -> Mapping[tuple[str, ...], list[Entry]]:
    found: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for entry in entries:
        found[entry.identity].append(replace(entry, line=0))
    return found


def _settled(base: list[Entry], ours: list[Entry], theirs: list[Entry]) -> list[Entry]:
    """As many of the entries for one identity as there are to be, those with changes first."""
    wanted = merged_count(len(base), len(ours), len(theirs))
    merged = _counts(Counter(base), Counter(ours), Counter(theirs))
    others = (Counter(ours) | Counter(theirs)) - merged

    def rank(entry: Entry) -> tuple[object, ...]:
        return (entry in base, entry.last_day, entry not in ours, entry)

    ranked = [*sorted(merged.elements(), key=rank), *sorted(others.elements(), key=rank)]
    return sorted(ranked[:wanted])


def _counts(base: Counter[Entry], ours: Counter[Entry], theirs: Counter[Entry]) -> Counter[Entry]:
    return Counter({entry: merged_count(base[entry], ours[entry], theirs[entry]) for entry in {*base, *ours, *theirs}})


def _lines(base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """Comment lines: those of the side that changed them, or ours and what theirs added."""
    if theirs in (base, ours):
        return ours
    if base == ours:
        return theirs
    return (*ours, *(line for line in theirs if line not in ours and line not in base))
