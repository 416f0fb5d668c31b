"""Controls of the gate kind ``writebacks``: changes of frontend objects without a row, and rows without a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_rows import Rows
from mgaudit.gates.plant_uses import accessors
from mgaudit.gates.plants import Ground, Plant
from mgaudit.gates.verdicts import entity_of
from mgaudit.gates.writebacks.check import judge
from mgaudit.gates.writebacks.parameters import WritebacksParameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.analysis.effects_model import Summary
    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Calls of mutators that no row answers, one that a row answers, reads, and rows that are wrong."""
    parameters = context.spec.parameters
    assert isinstance(parameters, WritebacksParameters)
    ground, judged = Ground(context), judge(context)
    mapped = {n for row in judged.mapping.rows for n in (*row.symbols, *row.overriders)}
    plain = {n for row in judged.mapping.rows if not row.row.get("symbol") for n in row.symbols} - judged.per_site
    paths = context.paths_in(parameters.from_zones)
    every = accessors(ground, judged.entities, is_const=False)
    changing = [(number, use) for number, use in every if _changes(judged.effects.of(number))]
    unmapped = [use for number, use in changing if number not in mapped]
    planter = Planter(ground, paths, unmapped, ", and no row says what becomes of the change")
    yield from planter.red()
    yield from planter.green()
    known = Planter(ground, paths, [use for number, use in changing if number in plain], "")
    yield from known.accepted("a change that a row answers")
    const = accessors(ground, judged.entities, is_const=True)
    reading = Planter(ground, paths, [use for number, use in const if _only_reads(judged.effects.of(number))], "")
    yield from reading.accepted("a read")
    answered = (
        (row.row, (site.path, site.line, site.entity))
        for site in judged.sites
        if judged.owes(site)
        for row in judged.rows_of(site)
    )
    yield from Rows(ground, judged.catalogue, entity_of).controls("entity", "verdict", answered)


def _changes(summary: Summary | None) -> bool:
    """Whether a method changes its object for certain."""
    return summary is not None and bool(summary.writes)


def _only_reads(summary: Summary | None) -> bool:
    """Whether a method leaves everything as it is for certain."""
    return summary is not None and not summary.writes and not summary.taints
