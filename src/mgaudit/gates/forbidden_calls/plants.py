"""Controls of the gate kind ``forbidden-calls``: each function is called in every way that there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.forbidden_calls.parameters import ForbiddenCallsParameters
from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_uses import entities_named
from mgaudit.gates.plants import Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Calls of each forbidden function in the zones, and what only reads like one."""
    parameters = context.spec.parameters
    assert isinstance(parameters, ForbiddenCallsParameters)
    ground = Ground(context)
    uses = entities_named(ground, "functions", parameters.functions, c_first=True)
    planter = Planter(ground, context.paths_in(parameters.zones), uses, " in a zone that must not call it")
    yield from planter.red()
    yield from planter.unseen_arms()
    yield from planter.green()
