"""Effects for gates: the inference over a gate's facts, with the configured table of library effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.changes import changes
from mgaudit.analysis.effects import effects_in
from mgaudit.config.library import library_effects
from mgaudit.gates.writebacks.parameters import WritebacksParameters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.analysis.changes import SiteKey
    from mgaudit.analysis.effects import Effects
    from mgaudit.analysis.sites import Site
    from mgaudit.analysis.sites_entities import Entities
    from mgaudit.gates.context import GateContext


def effects_for(context: GateContext) -> Effects:
    """The effects over a gate's facts, one object for all who ask."""
    return effects_in(context.facts, library_effects(context.settings))


def write_backs_among(context: GateContext, entities: Entities, sites: Iterable[Site]) -> frozenset[SiteKey]:
    """The uses that some gate of write-backs answers for, since they change something for certain.

    Args:
        context: The context of a gate that observes uses.
        entities: What it observes.
        sites: The uses.
    """
    zones = {
        zone for gate in context.settings.gates if isinstance(gate.parameters, WritebacksParameters)
        for zone in gate.parameters.from_zones
    }  # fmt: skip
    if not zones:
        return frozenset()
    paths = context.paths_in(tuple(sorted(zones)))
    here = [site for site in sites if site.path in paths]
    return frozenset(changes(context.facts, effects_for(context), entities, paths, here).certain)
