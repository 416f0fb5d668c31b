"""Effects for gates: the inference over a gate's facts, with the configured table of library effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.changes import changes
from mgaudit.analysis.effects import Effects
from mgaudit.analysis.mutators import Naming
from mgaudit.analysis.sites_entities import Entities, Scope
from mgaudit.config.library import REPLACES, library_effects
from mgaudit.gates.dirty_surface.parameters import DirtySurfaceParameters
from mgaudit.gates.mutations.parameters import MutationsParameters
from mgaudit.gates.scopes import scope_of
from mgaudit.gates.writebacks.parameters import WritebacksParameters
from mgaudit.sources.records import DECL_DEFINITION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.analysis.changes import SiteKey
    from mgaudit.analysis.sites import Site
    from mgaudit.config.model import Settings
    from mgaudit.facts.query import Facts
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
        facts.derived[Effects] = Effects(
            facts, library_effects(context.settings), entities.is_inside, _naming_for(context)
        )
    effects: Effects = facts.derived[Effects]
    return effects


def _naming_for(context: GateContext) -> Naming | None:
    """How the first gate that looks at the deeds of the whole tree names state; others mostly do it likewise."""
    for gate in context.settings.gates:
        if isinstance(gate.parameters, MutationsParameters | DirtySurfaceParameters):
            values = gate.parameters.value_classes if isinstance(gate.parameters, MutationsParameters) else ()
            scope, _ = scope_of(context, gate.parameters.of, (), values)
            return Naming.of(context.facts, Entities.of(context.facts, scope))
    return None


def write_backs_among(
    context: GateContext, entities: Entities, sites: Iterable[Site], asked: Iterable[Site] | None = None
) -> frozenset[SiteKey]:
    """The uses that some gate of write-backs answers for, since they change something for certain.

    Args:
        context: The context of a gate that observes uses.
        entities: What it observes.
        sites: The uses.
        asked: Those of them that matter, None for all: nothing is said of what other functions than theirs do.
    """
    zones = {
        zone for gate in context.settings.gates if isinstance(gate.parameters, WritebacksParameters)
        for zone in gate.parameters.from_zones
    }  # fmt: skip
    if not zones:
        return frozenset()
    paths = context.paths_in(tuple(sorted(zones)))
    here = [site for site in sites if site.path in paths]
    if asked is not None:
        asked = [site for site in asked if site.path in paths]
        if not asked:
            return frozenset()
    return frozenset(changes(context.facts, effects_for(context), entities, paths, here, asked=asked).certain)


_ASKING_FOR_ALL: Final = frozenset({"mutations", "dirty-surface"})
_ASKING: Final = _ASKING_FOR_ALL | {"writebacks"}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of ``[effects]`` that names functions with a body in the tree, or means to.

    Attributes:
        name: The functions' qualified name.
        reason: Why their bodies do not count; empty where they do.
        place: Path and line of the entry.
        bodies: Path and line of each body.
    """

    name: str
    reason: str
    place: tuple[str, int]
    bodies: tuple[tuple[str, int], ...]


def entries_over_bodies(settings: Settings, facts: Facts) -> Iterator[Entry]:
    """The configured entries of ``[effects]`` that name functions with a body, or stand in for one."""
    for name, value in settings.effects.items():
        reason = str(value.get(REPLACES, "")) if isinstance(value, dict) else ""
        named = [] if name.startswith("*") else facts.symbols_named("::" + name)
        rows = facts.declarations_of([symbol.id for symbol in named])
        bodies = sorted({(row.path, row.line) for row in rows if row.flags & DECL_DEFINITION})
        if bodies or reason:
            yield Entry(name, reason, settings.origins[f"effects.{name}"], tuple(bodies))


def replaced_bodies(context: GateContext) -> dict[str, int]:
    """What a check that rests on effects did not look at, though it is there; for its `Verdict.examined`."""
    entries = entries_over_bodies(context.settings, context.facts)
    count = sum(len(entry.bodies) for entry in entries if entry.reason)
    return {"replaced-bodies": count} if count else {}


def rests_on_effects(kind: str) -> bool:
    """Whether gates of a kind ask what functions change."""
    return kind in _ASKING


def asks_for_all_effects(kind: str) -> bool:
    """Whether gates of a kind ask what the functions of the whole tree change, not only those of some zones."""
    return kind in _ASKING_FOR_ALL


def shares_effects(kind: str) -> bool:
    """Whether gates of a kind look at some effects, be it to leave them to another gate."""
    return kind in _ASKING or kind == "reads"
