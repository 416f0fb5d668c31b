"""What a comparison with a baseline means for its gate: findings about the baseline itself."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mgaudit.domain.findings import Evidence, Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.baseline.entries import Entry
    from mgaudit.baseline.matching import Kept, Match, Rename
    from mgaudit.config.model import GateSpec


@dataclass(frozen=True, slots=True)
class Terms:
    """How baselines are taken.

    Attributes:
        strict: Whether an entry with nothing behind it is an error, not a note.
        today: The day on which entries expire.
        may_be_absent: Whether a file that does not exist counts as an empty one.
    """

    strict: bool = False
    today: dt.date = field(default_factory=dt.date.today)
    may_be_absent: bool = False


def judged(spec: GateSpec, match: Match, terms: Terms, *, is_whole: bool) -> Iterator[Finding]:
    """One finding for each entry that is stale or has expired, and a note for each renamed file.

    Args:
        spec: The gate.
        match: The comparison.
        terms: How baselines are taken.
        is_whole: Whether everything that the gate judges was looked at; else nothing can be called stale.
    """
    about = _About(spec, match.baseline.path)
    for entry in match.stale if is_whole else ():
        yield about.stale(entry, strict=terms.strict)
    for kept in match.kept:
        if kept.entry.last_day < terms.today:
            yield about.expired(kept)
    for rename in match.renames:
        yield about.renamed(rename)


@dataclass(frozen=True, slots=True)
class _About:
    spec: GateSpec
    path: str

    def stale(self, entry: Entry, *, strict: bool) -> Finding:
        message = f"stale entry: nothing is behind {entry.named} any more"
        advice = "`mgaudit baseline prune` removes it"
        return self._finding(entry, Severity.ERROR if strict else Severity.NOTE, "stale", message, advice)

    def expired(self, kept: Kept) -> Finding:
        entry = kept.entry
        told = [f"{key} {value}" for key, value in (("owner", entry.owner), ("reason", entry.reason)) if value]
        behind = f" ({'; '.join(told)})" if told else ""
        message = f"expired on {entry.expires}: {entry.named}{behind}"
        advice = "mend what it accepts, or agree on another date in that line"
        where = Evidence("finding", kept.finding.path, kept.finding.line, kept.finding.message)
        return self._finding(entry, Severity.ERROR, "expired", message, advice, (where,))

    def renamed(self, rename: Rename) -> Finding:
        first = min((kept.entry for kept in rename.kept), key=lambda entry: entry.line)
        message = f"{rename.old} is gone, and {rename.new} has what was accepted there: taken for renamed"
        advice = "`mgaudit baseline update` writes the new path down"
        return self._finding(first, Severity.NOTE, "renamed", message, advice)

    def _finding(  # noqa: PLR0913, PLR0917
        self, entry: Entry, severity: Severity, what: str, message: str, advice: str,
        evidence: tuple[Evidence, ...] = (),
    ) -> Finding:  # fmt: skip
        return Finding(
            gate=self.spec.id, kind=self.spec.kind, severity=severity, message=message, help=advice, path=self.path,
            line=entry.line, column=1, entity=entry.named, identity=(f"{what} baseline entry", *entry.identity),
            evidence=evidence,
        )  # fmt: skip
