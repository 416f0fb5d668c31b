"""Controls of the gate kind ``symbol-purity``: machine code that will refer to a forbidden symbol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.sites_entities import Entities, Scope
from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_uses import accessors, functions
from mgaudit.gates.plants import Ground, Plant
from mgaudit.gates.symbol_purity.parameters import SymbolPurityParameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Calls of functions whose code lies in the forbidden zones, and calls that no linker sees."""
    parameters = context.spec.parameters
    assert isinstance(parameters, SymbolPurityParameters)
    if parameters.sources is None:
        return
    ground = Ground(context)
    forbidden = context.paths_in(parameters.sources.forbid)
    zones = tuple(context.zone(name) for name in parameters.sources.forbid)
    paths = context.paths_in(parameters.sources.from_zones)
    entities = Entities.of(context.facts, Scope(forbidden, zones))
    every = [
        *functions(ground, forbidden),
        *accessors(ground, entities, is_const=True),
        *accessors(ground, entities, is_const=False),
    ]
    outside = ground.defined_in_sources([number for number, _ in every])
    uses = [use for number, use in every if number in outside]
    # An inline function that nobody uses has no code: neither is there any for what it calls.
    planter = Planter(ground, paths, uses, ", which the linker will look for", specifier="")
    yield from planter.red()
    yield from planter.green()
    yield from planter.dropped()
