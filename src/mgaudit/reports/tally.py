"""What a gate's row says in tables of gates: how many findings of which weight, and how much was looked at."""

from __future__ import annotations

from collections import Counter
from typing import Final

from mgaudit.domain.findings import GateResult, Severity, Status
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

_REASONS: Final = 3


def weights(result: GateResult) -> str:
    """How many findings of which weight."""
    open_ = Counter(finding.severity for finding in result.findings if not finding.baselined)
    parts = [counted(open_[severity], f"{severity}s") for severity in reversed(Severity) if open_[severity]]
    accepted = sum(finding.baselined for finding in result.findings)
    if accepted:
        parts.append(f"{accepted} in the baseline")
    return ", ".join(parts) or "none"


def examined(result: GateResult) -> str:
    """Why a gate has no verdict, or what was looked at.

    Of what there was none is left out, unless there was nothing at all.
    """
    if result.status in {Status.UNTRUSTED, Status.SKIPPED}:
        return visible(_shortened(result.reason))
    some = {name: number for name, number in result.examined.items() if number} or result.examined
    counts = ", ".join(counted(number, visible(name)) for name, number in some.items())
    return "; ".join(filter(None, (counts, visible(result.reason))))


def _shortened(reason: str) -> str:
    """The first of many reasons: each is an error of its own elsewhere in the report."""
    parts = reason.split("; ")
    rest = len(parts) - _REASONS
    return "; ".join([*parts[:_REASONS], f"and {rest} more, see above"]) if rest > 0 else reason
