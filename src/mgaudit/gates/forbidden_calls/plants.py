"""Controls of the gate kind ``forbidden-calls``: each function is called in every way that there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.domain.problems import Problem
from mgaudit.gates.forbidden_calls.parameters import ForbiddenCallsParameters
from mgaudit.gates.names import entity_of
from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_uses import entities_named
from mgaudit.gates.plants import Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext
    from mgaudit.gates.plant_uses import Use


def plants(context: GateContext) -> Iterator[Plant]:
    """Calls of each forbidden function in the zones, and what only reads like one."""
    parameters = context.spec.parameters
    assert isinstance(parameters, ForbiddenCallsParameters)
    ground = Ground(context)
    uses: list[Use] = []
    for index, pattern in enumerate(parameters.functions):
        entity = entity_of(context, f"functions[{index}]", pattern, expect_declared=False, c_first=True)
        if not isinstance(entity, Problem):
            uses += entities_named(ground, entity.symbols)
    planter = Planter(ground, context.paths_in(parameters.zones), uses, " in a zone that must not call it")
    yield from planter.red()
    yield from planter.unseen_arms()
    yield from planter.green()
