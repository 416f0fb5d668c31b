"""Effects for gates: the inference over a gate's facts, with the configured table of library effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.analysis.changes import changes
from mgaudit.analysis.effects import Effects
from mgaudit.analysis.sites_entities import Entities, Scope
from mgaudit.config.library import library_effects
from mgaudit.gates.writebacks.parameters import WritebacksParameters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.analysis.changes import SiteKey
    from mgaudit.analysis.sites import Site
    from mgaudit.gates.context import GateContext


def effects_for(context: GateContext) -> Effects:
    """The effects over a gate's facts, one object for all gates."""
    facts = context.facts
    if Effects not in facts.derived:
        zones = sorted(
            {zone for gate in context.settings.gates if gate.kind in _ASKING for zone in gate.parameters.of}  # type: ignore[attr-defined]
        )
        scope = Scope(context.paths_in(tuple(zones)), tuple(context.zone(zone) for zone in zones))
        entities = Entities.of(facts, scope)
        facts.derived[Effects] = Effects(facts, library_effects(context.settings), entities.is_inside)
    effects: Effects = facts.derived[Effects]
    return effects


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


_ASKING: Final = frozenset({"writebacks", "mutations", "dirty-surface"})
