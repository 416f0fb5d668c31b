"""Controls of the gate kind ``include-purity``: a file under guard includes a forbidden one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.include_purity.parameters import IncludePurityParameters
from mgaudit.gates.plant_inclusions import Inclusions, rotated
from mgaudit.gates.plants import Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Inclusions of forbidden headers, and text that reads like one."""
    parameters = context.spec.parameters
    assert isinstance(parameters, IncludePurityParameters)
    ground = Ground(context)
    guarded = context.paths_in(parameters.from_zones)
    forbidden = ground.includable(context.paths_in(parameters.forbid))
    inclusions = Inclusions(ground, lambda paths: rotated(paths, forbidden))
    yield from inclusions.red(guarded, headers=parameters.headers)
    yield from inclusions.green(guarded)
