"""What each verb may reach through the call graph.

Storing a function into a slot of a verb table hands it to that verb and to nobody else: a function that fills the table
does not call what it stores. Everything else is as in `mgaudit.graphs.calls`, so it is "may reach".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from mgaudit.graphs.calls import CallGraph, EdgeKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mgaudit.analysis.sites import Site
    from mgaudit.analysis.verbs import Verb
    from mgaudit.facts.query import Facts
    from mgaudit.graphs.calls import CallEdge


class Step(NamedTuple):
    """One step from a verb to a site."""

    kind: str
    path: str
    line: int
    text: str


class VerbReach:
    """Reachability from verbs.

    Args:
        facts: The facts of the configurations that count.
        graph: Their call graph.
        verbs: By name.
    """

    def __init__(self, facts: Facts, graph: CallGraph, verbs: Sequence[Verb]) -> None:
        self._facts = facts
        self.verbs = tuple(verbs)
        self._graph = CallGraph(self._edges(graph), graph.unresolved, graph.symbols)

    def _edges(self, graph: CallGraph) -> list[CallEdge]:
        """The graph's edges without those that only say that a verb's slot is filled."""
        slots = frozenset(slot for verb in self.verbs for slot in verb.slots)
        stores = {(function, path, line) for field, function, path, line, _ in self._facts.slots() if field in slots}
        stored = {function for function, _, _ in stores}
        inside = {(e.target, e.path, e.line, e.column) for function in stored for e in graph.callees(function)}
        # The front end gives a lambda's calls to the function that writes it, too.
        writers = {parent for function in stored if (parent := self._writer(function)) is not None}
        return [
            edge for edge in graph.edges
            if not (edge.kind is EdgeKind.ADDRESS and (edge.target, edge.path, edge.line) in stores)
            and not (edge.source in writers and (edge.target, edge.path, edge.line, edge.column) in inside)
        ]  # fmt: skip

    def _writer(self, function: int) -> int | None:
        """The function that writes a lambda, by the lambda's call operator; None of any other function."""
        symbol = self._facts.symbol(function)
        if symbol.name != "operator()" or symbol.parent is None:
            return None
        return self._facts.symbol(symbol.parent).parent

    # ---- who reaches what

    @cached_property
    def _masks(self) -> Mapping[int, int]:
        """Of each reached symbol, the verbs that reach it, as bits."""
        masks: dict[int, int] = defaultdict(int)
        waiting: set[int] = set()
        for bit, verb in enumerate(self.verbs):
            for entry in verb.entries:
                masks[entry] |= 1 << bit
                waiting.add(entry)
        while waiting:
            source = waiting.pop()
            mask = masks[source]
            for edge in self._graph.callees(source):
                if mask & ~masks[edge.target]:
                    masks[edge.target] |= mask
                    waiting.add(edge.target)
        return masks

    @cached_property
    def _instances(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for symbol in self._graph.symbols.values():
            if symbol.pattern is not None:
                found[symbol.pattern].append(symbol.id)
        return found

    @cached_property
    def _constructors(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for symbol in self._graph.symbols.values():
            if symbol.kind == "constructor" and symbol.parent is not None:
                found[symbol.parent].append(symbol.id)
        return found

    def _runners(self, site: Site) -> set[int]:
        """What runs the code around a site: its functions, or the constructors that a member's initialiser is for."""
        found: set[int] = set()
        for holder in site.holders:
            symbol = self._graph.symbols[holder]
            found.add(holder)
            if symbol.kind == "field" and symbol.parent is not None:
                found.update(self._constructors.get(symbol.parent, ()))
            instances = self._instances.get(holder, ())
            if not site.holders.intersection(instances):
                found.update(instances)
        return found

    def of(self, site: Site) -> tuple[Verb, ...]:
        """The verbs that may reach a site."""
        mask = 0
        for runner in self._runners(site):
            mask |= self._masks.get(runner, 0)
        return tuple(verb for bit, verb in enumerate(self.verbs) if mask >> bit & 1)

    def unresolved(self) -> Counter[str]:
        """How many calls within the reach of each verb, by its name, stay unresolved; verbs without any are absent."""
        found: Counter[str] = Counter()
        for call in self._graph.unresolved:
            mask = self._masks.get(call.source, 0)
            found.update(verb.name for bit, verb in enumerate(self.verbs) if mask >> bit & 1)
        return found

    # ---- proofs

    def proof(self, verb: Verb, site: Site) -> list[Step]:
        """The shortest chain of calls from a verb to a site, the verb's own function first."""
        goals = self._runners(site)
        entries = verb.entries & goals
        chain = [] if entries else self._graph.chain(verb.entries, goals) or []
        first = chain[0].source if chain else min(entries, key=self._signature, default=None)
        if first is None:
            return []
        return [self._start(verb, first), *(self._step(edge) for edge in chain)]

    def _start(self, verb: Verb, entry: int) -> Step:
        stores = [(path, line) for field, value, path, line, _ in self._facts.slots()
                  if field in verb.slots and value == entry]  # fmt: skip
        places = stores or [(row.path, row.line) for row in self._facts.declarations_of([entry])]
        path, line = min(places, default=("", 0))
        return Step("verb", path, line, f"{verb.name} is {self._signature(entry)}")

    def _step(self, edge: CallEdge) -> Step:
        through = f" through {self._graph.symbols[edge.through].qualified}" if edge.through is not None else ""
        names = f"{self._signature(edge.source)} -> {self._signature(edge.target)}"
        return Step("call", edge.path, edge.line, f"{names} ({edge.kind}{through})")

    def _signature(self, number: int) -> str:
        return self._facts.signature(self._graph.symbols[number])
