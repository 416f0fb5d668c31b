"""The read surface of a gate, as a census."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mgaudit.gates.coverage import census
from mgaudit.gates.reads.check import judge

if TYPE_CHECKING:
    from mgaudit.domain.census import Census
    from mgaudit.gates.context import GateContext


def census_of(context: GateContext) -> Census:
    """Every site of a gate of the kind ``reads``.

    Raises:
        UntrustedError: As `judge`.
    """
    judged = context.once(judge)
    found = census("reads", judged, judged.surface.sites, judged.surface)
    if judged.write_backs:
        found = replace(found, totals=(*found.totals, ("site", "write-back", judged.write_backs)))
    return found
