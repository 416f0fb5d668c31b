"""The upcalls of a gate, as a census."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.coverage import census
from mgaudit.gates.upcalls.check import judge

if TYPE_CHECKING:
    from mgaudit.domain.census import Census
    from mgaudit.gates.context import GateContext


def census_of(context: GateContext) -> Census:
    """Every upcall of a gate of the kind ``upcalls``.

    Raises:
        UntrustedError: As `judge`.
    """
    judged = context.once(judge)
    return census("upcalls", judged, judged.sites, judged.found)
