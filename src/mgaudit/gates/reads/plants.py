"""Controls of the gate kind ``reads``: accessors without a row, and rows without a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.sites_entities import Entities
from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_rows import Rows
from mgaudit.gates.plant_uses import accessors
from mgaudit.gates.plants import Ground, Plant
from mgaudit.gates.reads.check import judge
from mgaudit.gates.reads.parameters import ReadsParameters
from mgaudit.gates.scopes import scope_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Reads of accessors that no row maps, reads of one that is mapped, and rows that are wrong."""
    parameters = context.spec.parameters
    assert isinstance(parameters, ReadsParameters)
    ground, judged = Ground(context), judge(context)
    scope, _ = scope_of(context, parameters.of, parameters.classes, parameters.value_classes, parameters.byte_accessors)
    entities = Entities.of(context.facts, scope)
    rows = judged.mapping.rows
    mapped = {number for row in rows for number in (*row.symbols, *row.overriders)}
    plain = {number for row in rows if not row.arguments for number in row.symbols}
    paths = context.paths_in(parameters.from_zones)
    const = accessors(ground, entities, is_const=True)
    unmapped = [use for number, use in const if number not in mapped]
    planter = Planter(ground, paths, unmapped, ", and no row maps it")
    yield from planter.red()
    yield from planter.green()
    known = Planter(ground, paths, [use for number, use in const if number in plain], "")
    yield from known.accepted("a read that a row maps")
    answered = (
        (row.row, (site.path, site.line, site.entity))
        for site in judged.sites
        if judged.owes(site)
        for row in judged.mapping.rows_of(site)
    )
    yield from Rows(ground, judged.catalogue).controls("", "call" if judged.calls is not None else "", answered)
