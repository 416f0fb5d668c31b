"""Which uses of a boundary change something: each deed of the observing code, led back to the use that it goes through.

A field that is written, a member function or free function that writes, an element of what a getter hands out, an alias
made of one of these and written later: the use is what named the written place last. A change that no use names, such
as a whole object overwritten through a pointer, is a site of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_memory import POOL
from mgaudit.analysis.effects_model import CONTENT, WIDEST_CERTAIN, Root
from mgaudit.analysis.sites import Site, SiteKind
from mgaudit.analysis.sites_entities import EntityKind
from mgaudit.facts.bodies import bodies_of
from mgaudit.facts.rows import declared
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import TypeKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mgaudit.analysis.effects import Effects
    from mgaudit.analysis.effects_model import Deeds, Event, Evidence, Place
    from mgaudit.analysis.sites_entities import Entities
    from mgaudit.facts.bodies import BodyRow, Node
    from mgaudit.facts.query import Facts

SiteKey = tuple[str, int, int, str]
"""Path, line, column, entity."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is changed where.

    Attributes:
        certain: Sites that change something, with the first evidence.
        doubtful: Sites through which something unknown may, with the reason.
        own: Sites whose every change stays with the observing code: a copy of an object.
        unnamed: Sites for changes that no use names, with their evidence; also among `certain` or `doubtful`.
        unknown: (path, line, column, reason) of deeds in the observing code whose object is not known at all, with the
            body that each is in.
    """

    certain: dict[SiteKey, Evidence] = field(default_factory=dict)
    doubtful: dict[SiteKey, Evidence] = field(default_factory=dict)
    own: set[SiteKey] = field(default_factory=set)
    unnamed: dict[SiteKey, tuple[Site, Evidence]] = field(default_factory=dict)
    unknown: dict[tuple[str, int, int, str], BodyRow] = field(default_factory=dict)


def key_of(site: Site) -> SiteKey:
    """What tells a site apart."""
    return site.path, site.line, site.column, site.entity


def changes(  # noqa: PLR0913
    facts: Facts, effects: Effects, entities: Entities, paths: Collection[str], sites: Iterable[Site], *,
    asked: Iterable[Site] | None = None,
) -> Changes:  # fmt: skip
    """What the code of some files changes.

    Args:
        facts: The facts.
        effects: The effects over them.
        entities: What is observed.
        paths: The observing files.
        sites: The uses in these files.
        asked: Those of the uses that matter: functions that hold none of them are not looked at. None for all.
    """
    finder = _Finder(facts, effects, entities, paths, sites)
    return finder.find(None if asked is None else {key_of(site)[:3] for site in asked})


class _Finder:
    def __init__(
        self, facts: Facts, effects: Effects, entities: Entities, paths: Collection[str], sites: Iterable[Site]
    ) -> None:  # fmt: skip
        self._facts = facts
        self._bodies = bodies_of(facts)
        self._effects = effects
        self._entities = entities
        self._paths = frozenset(paths)
        self._sites: dict[tuple[str, int, int], list[Site]] = {}
        for site in sites:
            if site.kind not in _NO_USES:
                self._sites.setdefault((site.path, site.line, site.column), []).append(site)
        self._found = Changes()
        self._widths: dict[Node, int] = {}

    def find(self, places: Collection[tuple[str, int, int]] | None = None) -> Changes:
        """The changes in all functions, or in those that have code at one of some places."""
        for symbol in self._observing() if places is None else self._having(places):
            for deeds in self._effects.deeds(symbol, lambda node: self._site(node) is not None):
                self._widths = deeds.widths()
                for event in deeds.events:
                    if self._bodies.path(event.node.file) in self._paths:
                        self._deed(deeds, event)
        self._found.own.difference_update(self._found.certain, self._found.doubtful)
        for key in self._found.certain:
            self._found.doubtful.pop(key, None)
        return self._found

    def _observing(self, paths: Collection[str] | None = None) -> list[int]:
        """The functions with code in the observing files, or in some of them, by name."""
        wanted = self._paths if paths is None else paths
        found = [
            symbol for symbol, rows in self._bodies.rows.items()
            if any(path in wanted for row in rows for path in self._bodies.paths(row))
        ]  # fmt: skip
        return sorted(found, key=lambda s: (self._facts.symbol(s).qualified, self._facts.symbol(s).usr, s))

    def _having(self, places: Collection[tuple[str, int, int]]) -> list[int]:
        """The functions with code at one of some places, by name."""
        return [
            symbol for symbol in self._observing({path for path, *_ in places})
            if any(
                (self._bodies.path(node.file), node.line, node.column) in places
                for row in self._bodies.rows[symbol] for node in self._bodies.tree(row).walk()
            )
        ]  # fmt: skip

    # ---- one deed

    def _deed(self, deeds: Deeds, event: Event) -> None:
        node, evidence = event.node, event.evidence
        own = self._site(node) if node.kind == ast.CALL_EXPRESSION else None
        sources = [site for source in event.sources if (site := self._site(source)) is not None]
        if event.place == POOL:  # some of its own objects, or one of the heap
            self._mark([site for site in (own, *sources) if site is not None], event, is_sure=False)
        elif event.place.is_own and event.place.root is not Root.HEAP:
            self._found.own.update(key_of(site) for site in (own, *sources) if site is not None)
        elif own is not None:
            if self._is_observed(event.place) or evidence.place is None or evidence.place.root is Root.THIS:
                self._mark([own], event)
        elif evidence.callee is not None and evidence.place is not None and self._is_observed(evidence.place):
            if not self._is_in_view(evidence.callee):
                self._add(deeds, event, self._last_observed(evidence.place))
        elif self._is_elsewhere(event):
            pass
        elif sources:
            self._mark(sources, event)
        elif (named := self._last_observed(event.place) or self._class_of(deeds, event.place)) is not None:
            self._add(deeds, event, named, is_sure=self._widths.get(event.node, 0) <= WIDEST_CERTAIN)
        elif event.place.root is Root.OBJECT and not event.place.path and not event.is_certain:
            self._found.unknown[evidence.path, evidence.line, evidence.column, evidence.text] = deeds.row

    def _mark(self, sites: Sequence[Site], event: Event, *, is_sure: bool = True) -> None:
        known = self._found.certain if event.is_certain and is_sure else self._found.doubtful
        for site in sites:
            known.setdefault(key_of(site), event.evidence)

    def _site(self, node: Node) -> Site | None:
        """The use that a node is."""
        if node.symbol is None:
            return None
        candidates = self._sites.get((self._bodies.path(node.file), node.line, node.column))
        if not candidates:
            return None
        numbers = {node.symbol, self._entities.pattern(node.symbol)}
        return next((site for site in candidates if site.symbols & numbers), None)

    def _is_elsewhere(self, event: Event) -> bool:
        """Whether the observing code writes a field of a class of its own, whatever else its object may be.

        A field of a third class tells nothing, unless it is known to be a part of an object that is observed.
        """
        place: Place | None = event.place
        if event.evidence.callee is not None:
            place = event.evidence.place if self._is_in_view(event.evidence.callee) else None
        last = self._effects.holder(place) if place is not None and place.fields else None
        if last is None or place is None or self._last_observed(place) == last:
            return False
        return self._is_own_field(last) or not self._is_part(event.place)

    def _is_own_field(self, field_: int) -> bool:
        rows = declared(self._facts, field_)
        return not rows or any(row.path in self._paths for row in rows)

    def _is_part(self, place: Place) -> bool:
        """Whether a place is a part of an observed field or variable, and nothing that this only leads to."""
        for step in reversed(place.path):
            if step == CONTENT:
                return False
            if step > CONTENT and self._is_accessor(step):
                return True
        return place.root is Root.GLOBAL and self._entities.is_inside(place.number)

    def _is_in_view(self, function: int) -> bool:
        """Whether a function's own body is observed: its deeds are found there."""
        return any(row.path in self._paths for row in self._effects.bodies_with(function))

    # ---- what belongs to the observed zones

    def _is_observed(self, place: Place) -> bool:
        return self._last_observed(place) is not None

    def _last_observed(self, place: Place) -> int | None:
        """The last field, or the variable, of a place that is one of the observed zones."""
        for step in reversed(place.fields):
            if self._is_accessor(step):
                return step
            if place.path[-1] == CONTENT and self._entities.points_to_object(step):
                return step
        if place.root is Root.GLOBAL and self._entities.is_inside(place.number):
            return place.number
        return None

    def _is_accessor(self, field_: int) -> bool:
        return self._entities.is_inside(field_) and self._entities.kind(field_) is EntityKind.ACCESSOR

    def _class_of(self, deeds: Deeds, place: Place) -> int | None:
        """The class of a whole object that a parameter leads to, where it is one of the observed zones."""
        if place.root is not Root.PARAMETER or place.fields:
            return None
        parameters = [child for child in deeds.root.children if child.kind == ast.PARAMETER]
        type_ = parameters[place.number].type if place.number < len(parameters) else None
        while type_ is not None and type_.inner is not None and type_.kind is not TypeKind.RECORD:
            type_ = type_.inner
        known = type_.symbol if type_ is not None else None
        return known if known is not None and self._entities.is_watched_object(known) else None

    def _add(self, deeds: Deeds, event: Event, symbol: int | None, *, is_sure: bool = True) -> None:
        """A change that no use names: named by the field or variable that is written, or the object's class."""
        assert symbol is not None
        row = deeds.row
        evidence = event.evidence
        entity = self._facts.symbol(symbol).qualified
        scan = self._facts.scans.get(evidence.path)
        offset = scan.offset_of(evidence.line, evidence.column) if scan is not None and evidence.line else 0
        site = Site(
            evidence.path, evidence.line, evidence.column, offset, entity, self._entities.accessor(symbol),
            SiteKind.VALUE, ("helper",) if evidence.callee is not None else (), "write", frozenset([symbol]),
            frozenset([row.symbol]), frozenset([row.symbol]), frozenset(), row.mask,
        )  # fmt: skip
        self._found.unnamed.setdefault(key_of(site), (site, evidence))
        known = self._found.certain if event.is_certain and is_sure else self._found.doubtful
        known.setdefault(key_of(site), evidence)


_NO_USES: Final = frozenset({SiteKind.SIGNATURE, SiteKind.UNEVALUATED, SiteKind.UNRESOLVED})
