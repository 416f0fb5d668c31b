"""Baselines as text and as values: what changed, and what is in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mgaudit.reports.escape import visible
from mgaudit.reports.json import SCHEMA, count_value, finding_value
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator, Sequence

    from mgaudit.baseline.entries import Entry
    from mgaudit.domain.findings import BaselineCount, Finding


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one baseline.

    Attributes:
        gate: The gate's id.
        count: Before the change.
        findings: The new findings.
        written: Whether the file was written.
    """

    gate: str
    count: BaselineCount
    findings: tuple[Finding, ...]
    written: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of one gate's baseline, by the file's order."""

    gate: str
    path: str
    entries: tuple[Entry, ...]


def counts(count: BaselineCount) -> str:
    """``1 new, 3 same, 2 removed``, and what to do."""
    removed = "removed unknown (only the whole tree can tell)" if count.removed is None else f"{count.removed} removed"
    renamed = f", {counted(len(count.renamed), 'renamed files')}" if count.renamed else ""
    advice = "; `mgaudit baseline prune` brings it up to date" if count.removed or count.renamed else ""
    return f"{count.new} new, {count.same} same, {removed}{renamed}{advice}"


def changes_as_text(changes: Iterable[Change]) -> str:
    """One line for each baseline, and one for each file that was taken for renamed."""
    return "".join(f"{line}\n" for change in changes for line in _change_lines(change))


def changes_as_json(changes: Sequence[Change], exit_code: int) -> str:
    """The same for scripts, with the new findings."""
    value = {
        "schema": SCHEMA,
        "trusted": True,
        "exit-code": exit_code,
        "baselines": [{"gate": c.gate, **count_value(c.count), "written": c.written} for c in changes],
        "findings": [finding_value(finding) for change in changes for finding in change.findings],
    }
    return json.dumps(value, indent=2) + "\n"


def listings_as_text(listings: Iterable[Listing], today: dt.date) -> str:
    """The entries below the file of each baseline."""
    return "".join(f"{line}\n" for listing in listings for line in _listing_lines(listing, today))


def listings_as_json(listings: Iterable[Listing], today: dt.date) -> str:
    """The same for scripts."""
    value = {
        "schema": SCHEMA,
        "baselines": [
            {
                "gate": listing.gate,
                "path": listing.path,
                "entries": [_entry_value(entry, today) for entry in listing.entries],
            }
            for listing in listings
        ],
    }
    return json.dumps(value, indent=2) + "\n"


def _change_lines(change: Change) -> Iterator[str]:
    count = change.count
    done = "written" if change.written else "left as it is"
    removed = f"{count.removed or 0} removed"
    yield f"{visible(count.path)} (gate {visible(change.gate)}): {count.new} new, {count.same} same, {removed}: {done}"
    for old, new in count.renamed:
        yield f"  renamed: {visible(old)} -> {visible(new)}"


def _listing_lines(listing: Listing, today: dt.date) -> Iterator[str]:
    expired = sum(entry.last_day < today for entry in listing.entries)
    behind = f", {expired} expired" if expired else ""
    yield f"{visible(listing.path)} (gate {visible(listing.gate)}): {counted(len(listing.entries), 'entries')}{behind}"
    for entry in listing.entries:
        mark = "  (expired)" if entry.last_day < today else ""
        yield f"  {entry.line}: {visible(entry.text)}{mark}"


def _entry_value(entry: Entry, today: dt.date) -> dict[str, Any]:
    return {
        "line": entry.line,
        "identity": list(entry.identity),
        "reason": entry.reason or None,
        "owner": entry.owner or None,
        "expires": entry.expires or None,
        "expired": entry.last_day < today,
    }
