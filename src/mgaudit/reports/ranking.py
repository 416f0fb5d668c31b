"""Which findings to show first where there is no room for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.domain.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.domain.findings import Finding

_WEIGHTS: Final = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


def ranked(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that nobody accepted, most important first: by weight, and of equal weight the first of each gate.

    So that one gate with very many findings does not hide that another one is red.
    """
    seen: dict[tuple[Severity, str], int] = {}
    places = []
    for finding in findings:
        if not finding.baselined:
            key = (finding.severity, finding.gate)
            turn = seen[key] = seen.get(key, 0) + 1
            places.append((_WEIGHTS[finding.severity], turn, finding.sort_key, finding))
    return tuple(place[-1] for place in sorted(places, key=lambda place: place[:-1]))
