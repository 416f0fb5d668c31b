"""The undefined symbols that translation units will have, predicted from their definitions and what those refer to."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.facts import rows
from mgaudit.sources.records import UNSEEN_PARTS, LinkPart, Strength

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mgaudit.facts.query import Facts, Unit
    from mgaudit.facts.rows import Demand


class Definition(NamedTuple):
    """A function or variable, or one of a class's tables, by symbol and `LinkPart`."""

    symbol: int
    of: int


@dataclass(frozen=True, slots=True)
class LinkReference:
    """A reference that makes units need a symbol, or use one that they hold a copy of.

    Attributes:
        path: The file of the reference, one of the guarded files wherever one leads to the symbol.
        line: 1-based.
        column: 1-based, in bytes.
        name: The mangled name of the needed symbol.
        symbol: Id of its entity.
        part: Which part of the entity, a `LinkPart`.
        source: Id of the entity whose definition holds the reference.
        chain: What the reference leads through to the symbol's own reference, which is the last; empty where it names
            the symbol itself.
        units: The main files of the units that will need it, sorted.
        mask: Bit i is set where configuration i needs it.
    """

    path: str
    line: int
    column: int
    name: str
    symbol: int
    part: int
    source: int
    chain: tuple[Demand, ...]
    units: tuple[str, ...]
    mask: int


@dataclass(frozen=True, slots=True)
class Prediction:
    """What units will need of others.

    Attributes:
        needed: A reference for each undefined symbol and place, by place and name.
        inline: References to what each unit holds a copy of, so that no linker sees them; likewise.
        unseen: References to entities that may need symbols which the front end does not show; likewise.
        units: How many units were looked at.
        definitions: How many definitions they will hold.
    """

    needed: tuple[LinkReference, ...]
    inline: tuple[LinkReference, ...]
    unseen: tuple[LinkReference, ...]
    units: int
    definitions: int


def predict(facts: Facts, units: Iterable[Unit], guarded: Collection[str]) -> Prediction:
    """Predict what units, linked together, leave undefined.

    Args:
        facts: The facts; the units' demands must have been extracted.
        units: Of the selected configurations.
        guarded: The files under guard: a chain of inline code is traced back to the reference that lies in one.
    """
    graphs = [_UnitGraph(facts, unit, guarded) for unit in units]
    provided: dict[int, set[int]] = defaultdict(set)
    for graph in graphs:
        provided[graph.unit.configuration].update(graph.offered)
    needed: dict[tuple[object, ...], LinkReference] = {}
    inline: dict[tuple[object, ...], LinkReference] = {}
    unseen: dict[tuple[object, ...], LinkReference] = {}
    has_tuples = bool(facts.symbols_named("std::tuple_size"))
    for graph in graphs:
        for reference in graph.undefined():
            if reference.part in UNSEEN_PARTS:
                if reference.part != LinkPart.BINDING or has_tuples:
                    _note(unseen, reference)
            elif reference.symbol not in provided[graph.unit.configuration]:
                _note(needed, reference)
        for reference in graph.copies():
            _note(inline, reference)
    definitions = sum(len({node.symbol for node in graph.emitted}) for graph in graphs)
    return Prediction(_sorted(needed), _sorted(inline), _sorted(unseen), len(graphs), definitions)


def _note(known: dict[tuple[object, ...], LinkReference], reference: LinkReference) -> None:
    """Keep one reference for each place and symbol: the one with the shortest chain, for all units."""
    key = (reference.path, reference.line, reference.column, reference.name, reference.symbol, reference.part)
    other = known.get(key)
    if other is None:
        known[key] = reference
        return
    first = min(reference, other, key=lambda r: (len(r.chain), [step[4:] for step in r.chain]))
    units = tuple(sorted({*reference.units, *other.units}))
    known[key] = replace(first, units=units, mask=reference.mask | other.mask)


def _sorted(found: Mapping[tuple[object, ...], LinkReference]) -> tuple[LinkReference, ...]:
    return tuple(sorted(found.values(), key=lambda r: (r.path, r.line, r.column, r.name, r.part)))


_TABLES: Final = {LinkPart.VTABLE: LinkPart.VTABLE, LinkPart.VTT: LinkPart.VTABLE, LinkPart.TYPEINFO: LinkPart.TYPEINFO}


class _UnitGraph:
    """What one unit defines, and what refers to what in it."""

    def __init__(self, facts: Facts, unit: Unit, guarded: Collection[str]) -> None:
        self.unit = unit
        self._facts = facts
        self._guarded = guarded
        ids = [unit.id] if unit.preamble is None else [unit.id, unit.preamble]
        self._strengths = rows.emissions(facts, ids)
        self._demands: dict[Definition, list[Demand]] = defaultdict(list)
        for demand in sorted(rows.demands(facts, ids), key=lambda d: (d.path, d.line, d.column, d.name, d.part)):
            if not self._is_unevaluated(demand):
                self._demands[Definition(demand.source, demand.of)].append(demand)
        self._behind: dict[Definition, tuple[tuple[Demand, ...], ...]] = {}

    def _is_unevaluated(self, demand: Demand) -> bool:
        scan = self._facts.scans.get(demand.path)
        if scan is None:
            return False
        # An inherited constructor lies at its using-declaration, and runs.
        return scan.unevaluated_at(scan.offset_of(demand.line, demand.column)) not in {None, "using"}

    # ---- definitions

    def _is_defined(self, symbol: int) -> bool:
        known = self._strengths.get(symbol)
        return known is not None and (known[0] != Strength.WITH_KEY or self._is_offered(symbol))

    def _is_offered(self, symbol: int) -> bool:
        """Whether the unit defines a symbol whoever refers to it."""
        strength, key = self._strengths.get(symbol, (Strength.ON_DEMAND, None))
        if strength == Strength.WITH_KEY:
            return key is not None and self._strengths.get(key, (None, None))[0] == Strength.ALWAYS
        return strength == Strength.ALWAYS

    @cached_property
    def offered(self) -> frozenset[int]:
        """What other units may link to."""
        return frozenset(symbol for symbol in self._strengths if self._is_offered(symbol))

    @cached_property
    def emitted(self) -> frozenset[Definition]:
        """What the unit will hold."""
        starts = (Definition(s, self._root_part(s)) for s in self.offered)
        seen = set(starts)
        waiting = deque(seen)
        while waiting:
            for demand in self._demands.get(waiting.popleft(), ()):
                target = _definition(demand)
                if target not in seen and self._is_defined(target.symbol):
                    seen.add(target)
                    waiting.append(target)
        return frozenset(seen)

    def _root_part(self, symbol: int) -> LinkPart:
        return LinkPart.VTABLE if self._strengths[symbol][0] == Strength.WITH_KEY else LinkPart.ENTITY

    # ---- references

    def undefined(self) -> Iterator[LinkReference]:
        """Each reference that leads to an undefined symbol."""
        for node in self.emitted:
            for demand in self._demands.get(node, ()):
                if demand.path not in self._guarded and not self._is_entry(node):
                    continue
                for chain in self._leads_to(demand):
                    yield self._reference(demand, (chain or (demand,))[-1], chain)

    def _is_entry(self, node: Definition) -> bool:
        """Whether nothing under guard leads to a definition: then its own references are all that there is to show."""
        return node not in self._guarded_reach

    @cached_property
    def _guarded_reach(self) -> frozenset[Definition]:
        """The definitions that references under guard lead to."""
        waiting = deque(
            _definition(demand)
            for node in self.emitted
            for demand in self._demands.get(node, ())
            if demand.path in self._guarded
        )
        seen = set(waiting)
        while waiting:
            for demand in self._demands.get(waiting.popleft(), ()):
                target = _definition(demand)
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return frozenset(seen)

    def copies(self) -> Iterator[LinkReference]:
        """Each guarded reference to a function or variable that the unit holds a copy of."""
        for node in self.emitted:
            for demand in self._demands.get(node, ()):
                known = self._strengths.get(demand.target)
                is_copy = known is not None and demand.part not in UNSEEN_PARTS and known[0] == Strength.ON_DEMAND
                if is_copy and demand.path in self._guarded and demand.part not in _TABLES:
                    yield self._reference(demand, demand, ())

    def _reference(self, start: Demand, end: Demand, chain: tuple[Demand, ...]) -> LinkReference:
        return LinkReference(
            start.path, start.line, start.column, end.name, end.target, end.part, start.source, chain,
            (self.unit.name.path,), 1 << self.unit.configuration,
        )  # fmt: skip

    def _leads_to(self, demand: Demand) -> Iterable[tuple[Demand, ...]]:
        """What lies between a reference and each undefined symbol that it leads to through code not under guard."""
        target = _definition(demand)
        return self._chains(target) if self._has_code(demand) else ((),)

    def _has_code(self, demand: Demand) -> bool:
        """Whether the unit holds what a reference leads to."""
        return demand.part not in UNSEEN_PARTS and self._is_defined(demand.target)

    def _chains(self, start: Definition) -> tuple[tuple[Demand, ...], ...]:
        """The shortest chain from a definition to each undefined symbol, its last demand that of the symbol."""
        known = self._behind.get(start)
        if known is None:
            found: dict[tuple[int, int, str], tuple[Demand, ...]] = {}
            seen = {start}
            waiting: deque[tuple[Definition, tuple[Demand, ...]]] = deque([(start, ())])
            while waiting:
                node, chain = waiting.popleft()
                for demand in self._demands.get(node, ()):
                    if demand.path in self._guarded:
                        continue
                    target = _definition(demand)
                    if not self._has_code(demand):
                        found.setdefault((demand.target, demand.part, demand.name), (*chain, demand))
                    elif target not in seen:
                        seen.add(target)
                        waiting.append((target, (*chain, demand)))
            known = self._behind[start] = tuple(found.values())
        return known


def _definition(demand: Demand) -> Definition:
    """What holds the code or data that a demand refers to."""
    return Definition(demand.target, _TABLES.get(LinkPart(demand.part), LinkPart.ENTITY))
