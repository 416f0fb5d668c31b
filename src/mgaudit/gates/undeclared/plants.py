"""Controls of the gate kind ``undeclared``: the entity is named in every way that there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_uses import entities_named
from mgaudit.gates.plants import Ground, Plant
from mgaudit.gates.undeclared.parameters import UndeclaredParameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Uses of each entity in the zones, and what only reads like it."""
    parameters = context.spec.parameters
    assert isinstance(parameters, UndeclaredParameters)
    ground = Ground(context)
    uses = entities_named(ground, "entities", parameters.entities)
    planter = Planter(ground, context.paths_in(parameters.zones), uses, " in a zone that must not name it")
    yield from planter.red()
    yield from planter.unseen_arms()
    yield from planter.green()
