"""Controls of the gate kind ``upcalls``: uses of the called zones without a row, and rows without a use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_rows import Rows
from mgaudit.gates.plant_uses import functions
from mgaudit.gates.plants import Ground, Plant
from mgaudit.gates.upcalls.check import judge
from mgaudit.gates.upcalls.parameters import UpcallsParameters
from mgaudit.gates.verdicts import entity_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Calls of functions that no row answers, one that a row answers, and rows that are wrong."""
    parameters = context.spec.parameters
    assert isinstance(parameters, UpcallsParameters)
    ground, judged = Ground(context), judge(context)
    mapped = {n for row in judged.mapping.rows for n in (*row.symbols, *row.overriders)}
    plain = {number for row in judged.mapping.rows for number in row.symbols}
    paths = context.paths_in(parameters.from_zones)
    every = functions(ground, context.paths_in(parameters.into))
    planter = Planter(ground, paths, [use for number, use in every if number not in mapped], ", and no row maps it")
    yield from planter.red()
    yield from planter.green()
    known = Planter(ground, paths, [use for number, use in every if number in plain], "")
    yield from known.accepted("an upcall that a row answers")
    answered = (
        (row.row, (site.path, site.line, site.entity))
        for site in judged.sites
        if judged.owes(site)
        for row in judged.mapping.rows_of(site)
    )
    yield from Rows(ground, judged.catalogue, entity_of).controls("entity", "verdict", answered)
