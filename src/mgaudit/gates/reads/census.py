"""The read surface of a gate, as a census."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.sites import totals
from mgaudit.domain.census import Census
from mgaudit.gates.reads.check import judge

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext


def census_of(context: GateContext) -> Census:
    """Every site of a gate of the kind ``reads``.

    Raises:
        UntrustedError: As `judge`.
    """
    judged = judge(context)
    sites = tuple(
        judged.report.surveyed(site, judged.verdict(site), judged.verbs(site)) for site in judged.surface.sites
    )
    lines = list(totals(judged.surface))
    if judged.write_backs:
        lines.append(("site", "write-back", judged.write_backs))
    return Census("reads", sites, judged.examined(), tuple(lines), judged.surface.references)
