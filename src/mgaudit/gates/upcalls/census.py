"""The upcalls of a gate, as a census."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.sites import totals
from mgaudit.domain.census import Census
from mgaudit.gates.upcalls.check import judge

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext


def census_of(context: GateContext) -> Census:
    """Every upcall of a gate of the kind ``upcalls``.

    Raises:
        UntrustedError: As `judge`.
    """
    judged = judge(context)
    sites = tuple(judged.report.surveyed(site, judged.verdict(site), judged.verbs(site)) for site in judged.sites)
    return Census("upcalls", sites, judged.examined(), tuple(totals(judged.found)), judged.found.references)
