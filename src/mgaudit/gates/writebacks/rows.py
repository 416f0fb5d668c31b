"""Which rows of a catalogue of write-backs are about which uses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.changes import key_of
from mgaudit.analysis.sites_entities import Entities, EntityKind
from mgaudit.domain.names import selects
from mgaudit.gates.mapping import Mapping
from mgaudit.gates.scopes import scope_of
from mgaudit.gates.uses import enclosing_function
from mgaudit.gates.writebacks.parameters import WritebacksParameters

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mgaudit.analysis.changes import SiteKey
    from mgaudit.analysis.sites import Site
    from mgaudit.gates.context import GateContext
    from mgaudit.sources.catalogues import Catalogue, Row


def row_mapping(context: GateContext, entities: Entities, catalogue: Catalogue, used: Collection[int]) -> Mapping:
    """What the rows of a catalogue of write-backs mean.

    Args:
        context: The gate's context.
        entities: What the observed zones hold.
        catalogue: The rows.
        used: Ids of the entities that uses name.
    """
    return Mapping(context.facts, entities, catalogue, used, column="entity", kinds=_MAPPED)


def is_in(row: Row, context: GateContext, site: Site) -> bool:
    """Whether a site lies in the function that a row names."""
    enclosing = enclosing_function(context.facts, site.parents)
    return enclosing is not None and selects(row.get("symbol") or "", enclosing.signature)


def with_rows(context: GateContext, sites: Sequence[Site]) -> frozenset[SiteKey]:
    """The ones of some uses that rows of gates of write-backs are about, whether or not they change anything.

    A row is about the uses of its entity: all of them, or those in the function that it names, whatever its ordinal.

    Args:
        context: The context of a gate that observes uses.
        sites: The uses.
    """
    found: set[SiteKey] = set()
    for gate in context.settings.gates:
        parameters = gate.parameters
        if not isinstance(parameters, WritebacksParameters):
            continue
        paths = context.paths_in(parameters.from_zones)
        here = [site for site in sites if site.path in paths]
        if not here:
            continue
        own = replace(context, spec=gate)
        scope, _ = scope_of(own, parameters.of, parameters.classes, parameters.value_classes)
        entities = Entities.of(context.facts, scope)
        used = {symbol for site in here for symbol in site.symbols}
        mapping = row_mapping(own, entities, context.catalogue(parameters.catalogue), used)
        for site in here:
            rows = mapping.rows_of(site, mapping.rows)
            if any(not mapped.row.get("symbol") or is_in(mapped.row, context, site) for mapped in rows):
                found.add(key_of(site))
    return frozenset(found)


_MAPPED: Final = frozenset({EntityKind.ACCESSOR, EntityKind.VARIABLE})
