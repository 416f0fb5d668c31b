"""Controls of the gate kind ``layers``: a file uses what lies above its zone, or in an independent one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.layers.parameters import LayersParameters
from mgaudit.gates.layers.rules import Independent, Ordered, Rule
from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_inclusions import Inclusions, Target
from mgaudit.gates.plant_uses import functions
from mgaudit.gates.plants import Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Inclusions against the order, or uses of functions where these count, and what only reads like one."""
    parameters = context.spec.parameters
    assert isinstance(parameters, LayersParameters)
    ground = Ground(context)
    rules: list[Rule] = [Ordered(parameters.layers)] if parameters.layers else []
    rules += [Independent(group) for group in parameters.independent]
    named = {*parameters.layers, *(zone for group in parameters.independent for zone in group)}
    paths = context.paths_in(tuple(sorted(named)))
    zones = {path: frozenset(context.files.zones_of(path)) for path in context.files.files}
    headers = ground.includable(paths)

    def breaks(path: str, other: str) -> bool:
        return any(
            rule.governs(zones[path]) and rule.governs(zones[other]) and rule.breach(zones[path], zones[other])
            for rule in rules
        )

    def targets(chosen: Sequence[str]) -> Iterator[Target]:
        for turn in range(len(headers)):
            for index, path in enumerate(chosen):
                other = headers[(turn + index) % len(headers)]
                if breaks(path, other):
                    yield path, other

    if parameters.by == "include":
        inclusions = Inclusions(ground, targets)
        yield from inclusions.red(paths)
        yield from inclusions.green(paths)
        return
    for path in ground.sources(sorted(paths)):
        uses = [use for _, use in functions(ground, frozenset(p for p in headers if breaks(path, p)))]
        yield from Planter(ground, [path], uses, ", which lies in a zone that it must not use").red()
