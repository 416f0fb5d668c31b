"""What `mgaudit baseline` makes of a baseline: it shrinks by itself, and grows only where somebody says why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mgaudit.baseline.entries import Entry, key_of

if TYPE_CHECKING:
    from mgaudit.baseline.files import Baseline
    from mgaudit.baseline.matching import Match


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What is written down of findings that a baseline accepts from now on. See `Entry`."""

    reason: str
    owner: str = ""
    expires: str = ""


def shrunk(match: Match) -> Baseline:
    """The baseline without its stale entries; those of renamed files have the new path."""
    entries = (replace(kept.entry, identity=key_of(kept.finding)) for kept in match.kept)
    return replace(match.baseline, entries=tuple(sorted(entries)))


def grown(match: Match, acceptance: Acceptance) -> Baseline:
    """The shrunk baseline and one entry for each new finding."""
    smaller = shrunk(match)
    added = (Entry(key_of(f), acceptance.reason, acceptance.owner, acceptance.expires) for f in match.new)
    return replace(smaller, entries=tuple(sorted((*smaller.entries, *added))))
