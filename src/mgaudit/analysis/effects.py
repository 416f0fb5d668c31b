"""Effects: what each function may change, by inference from bodies and never from names.

Summaries of callees are combined to a least fixed point over the call graph (Sharir and Pnueli, 1981, the functional
approach): a function is looked at again when a summary that it rests on has grown. Virtual calls reach every override;
calls through fields and variables every function ever stored there. What is not known is no effect but a *taint*, with
its reason, and stays visible.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_body import Evaluation
from mgaudit.analysis.effects_library import Library, effects_of
from mgaudit.analysis.effects_model import CONTENT, REFERENCES, Deeds, Root, Summary
from mgaudit.analysis.effects_summary import widened
from mgaudit.analysis.effects_types import Holders
from mgaudit.facts.bodies import bodies_of
from mgaudit.facts.known import Known
from mgaudit.facts.rows import declared
from mgaudit.graphs.stored import Overrides, Slots
from mgaudit.sources import cursors as ast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mgaudit.analysis.effects_library import Effect
    from mgaudit.analysis.effects_model import Evidence, Place
    from mgaudit.facts.bodies import BodyRow, Node
    from mgaudit.facts.entities import Symbol
    from mgaudit.facts.query import Facts


class Effects:
    """The effects of functions. Get it by `effects_in`, which remembers it.

    Args:
        facts: The facts of the configurations that count.
        table: Effects of library functions, by name (`mgaudit.config.library`).
        is_interesting: Whether anybody asks who changes a field: where summaries grow large, they keep of objects
            that are not known only the writes of such fields.
        names_source: By what most will ask for `deeds`: these are kept from the last look at each body.
    """

    def __init__(
        self, facts: Facts, table: Mapping[str, object], is_interesting: Callable[[int], bool] = lambda _: True,
        names_source: Callable[[Node], bool] | None = None,
    ) -> None:  # fmt: skip
        self.facts = facts
        self.is_interesting = is_interesting
        self._bodies = bodies_of(facts)
        self._library = Library(effects_of(table))
        holders = Holders(facts)
        self.may_hold, self.may_refer, self.owns = holders.may_hold, holders.may_refer, holders.owns
        self.is_argument_list = holders.is_argument_list
        self.symbol = facts.symbol
        self.is_reference = Known(self._is_reference).__getitem__
        self._callees = Known(self._find_callees).__getitem__
        self._behind = Known(self._find_behind).__getitem__
        self._overrides = Overrides(facts)
        self._slots = Slots(facts)
        self._names_source = names_source
        self._summaries: dict[int, Summary] = {}
        self._deeds: dict[int, list[Deeds]] = {}
        self._deeds_by_names: dict[int, dict[frozenset[Node], list[Deeds]]] = defaultdict(dict)
        self._users: dict[int, set[int]] = defaultdict(set)
        self._revisions: Counter[int] = Counter()
        self._asking: list[int] = []
        self._waiting: dict[int, None] = {}
        self._with_body: dict[int, bool] = {}
        self._copies: dict[int, list[bool]] = {}

    # ---- answers

    def of(self, symbol: int) -> Summary | None:
        """What a function may change; None where it has no body."""
        if not self.has_body(symbol):
            return None
        self._settle([symbol])
        return self._summaries.get(symbol)

    def has_body(self, symbol: int) -> bool:
        """Whether a function's body, or the one that holds a lambda, tells what it does."""
        return self.has_own_body(symbol) or (symbol not in self._bodies.rows and symbol in self._lambdas)

    def has_own_body(self, symbol: int) -> bool:
        """Whether a function has a body that is no lambda's."""
        known = self._with_body.get(symbol)
        if known is None:
            known = symbol in self._bodies.rows and not self._library.is_settled(self.facts.symbol(symbol))
            self._with_body[symbol] = known
        return known

    def functions_at(self, places: Iterable[Place]) -> list[int]:
        """The functions that some places are, or that were ever stored into their last fields and variables."""
        found: dict[int, None] = {}
        for place in places:
            if place.root is Root.FUNCTION:
                found[place.number] = None
            elif (holder := self.holder(place)) is not None:
                found.update(dict.fromkeys(self.stored_in(holder)))
        return list(found)

    def holder(self, place: Place) -> int | None:
        """The last field that a place lies in, or the variable; of an entry of a map, what holds the map."""
        fields = (step for step in reversed(place.fields) if step not in self.pair_fields)
        return next(fields, place.number if place.root is Root.GLOBAL else None)

    @cached_property
    def pair_fields(self) -> tuple[int | None, int | None]:
        """The ids of the key and the value of a map's entry; None for what no body names."""
        return self._bodies.field("std::pair::first"), self._bodies.field("std::pair::second")

    def bodies_with(self, symbol: int) -> Sequence[BodyRow]:
        """The bodies of a function; of a lambda, those that hold it."""
        return self._bodies.rows.get(self._owner(symbol), ())

    def deeds(self, symbol: int, names_source: Callable[[Node], bool]) -> list[Deeds]:
        """What the bodies of a function do, and the lambdas inside of them.

        Args:
            symbol: Id of the function.
            names_source: See `Evaluation`.
        """
        self._settle([symbol])
        if names_source == self._names_source:
            return self._deeds.get(symbol, [])
        known = self._deeds_by_names[symbol]
        if not known and self._names_source is not None:
            known[self._naming(symbol, self._names_source)] = self._deeds.get(symbol, [])
        naming = self._naming(symbol, names_source)
        if naming not in known:
            known[naming] = [self._evaluated(symbol, row, names_source) for row in self._bodies.rows.get(symbol, ())]
        return known[naming]

    def _evaluated(self, symbol: int, row: BodyRow, names_source: Callable[[Node], bool]) -> Deeds:
        evaluation = Evaluation(self, symbol, self._bodies.tree(row), names_source)
        evaluation.run()
        return evaluation.deeds(row)

    def _naming(self, symbol: int, names_source: Callable[[Node], bool]) -> frozenset[Node]:
        """The nodes of a function that name sources: whoever takes the same ones for that gets the same deeds."""
        roots = [self._bodies.tree(row) for row in self._bodies.rows.get(symbol, ())]
        if any(root.kind == ast.CONSTRUCTOR for root in roots):
            roots += self.initialisers_of(symbol)
        return frozenset(node for root in roots for node in root.walk() if names_source(node))

    def chain(self, deed: Evidence | None) -> list[Evidence]:
        """The deed, and what the called function does, down to the write itself."""
        found: list[Evidence] = []
        while deed is not None and deed not in found:
            found.append(deed)
            if deed.callee is None or deed.place is None:
                break
            summary = self.of(deed.callee)
            known = summary.writes if summary is not None else {}
            deed = known.get(deed.place)
        return found

    def name(self, place: Place) -> str:
        """A place as people write it: ``this.m_cells[]``, ``argument 1.width``."""
        root = _ROOTS.get(place.root, "").format(place.number + 1)
        if place.root in {Root.GLOBAL, Root.FUNCTION, Root.FIELD}:
            root = self.facts.symbol(place.number).qualified
        return root + "".join(f".{self.facts.symbol(step).name}" if step > CONTENT else "[]" for step in place.path)

    # ---- the fixed point

    def infer(self) -> None:
        """Look at all functions now, on behalf of those who will ask."""
        self._settle(self._bodies.rows)

    def _settle(self, symbols: Iterable[int]) -> None:
        if self._asking:
            return
        try:
            for circle in self._circles(symbols):
                for symbol in circle:
                    self._reach(symbol)
                self._users.clear()  # all that was looked at rests on what is final now
        except BaseException:
            for known in (self._summaries, self._waiting, self._users, self._revisions):
                known.clear()  # half an inference among it
            raise

    def _circles(self, symbols: Iterable[int]) -> Iterator[list[int]]:
        """The functions that some rest on, if nobody looked at them yet: callees first, those in circles together.

        What is found within a circle may hang on where that is entered: it is the same function whoever asks first.
        """
        waiting = [self._owner(symbol) for symbol in symbols if symbol not in self._summaries]
        if not waiting:  # as a rule, for most who ask come late
            return
        import networkx as nx  # noqa: PLC0415  slow to import

        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(waiting)
        while waiting:
            symbol = waiting.pop()
            fresh = [callee for callee in self._callees(symbol) if callee not in self._summaries]
            waiting += [callee for callee in fresh if callee not in graph]
            graph.add_edges_from((symbol, callee) for callee in fresh)
        for circle in nx.strongly_connected_components(graph):  # whatever it leads to comes before a component
            yield sorted(circle, key=self._order)

    def _reach(self, symbol: int) -> None:
        """Look at a function, after those that it rests on."""
        if symbol not in self._summaries:
            self._waiting[symbol] = None
        while self._waiting:
            symbol = next(reversed(self._waiting))
            if symbol not in self._summaries:
                fresh = [callee for callee in self._callees(symbol) if callee not in self._summaries]
                if fresh:
                    self._summaries[symbol] = Summary()
                    for callee in reversed(fresh):
                        self._waiting.pop(callee, None)
                        self._waiting[callee] = None
                    continue
            del self._waiting[symbol]
            self._look(symbol)

    def _look(self, symbol: int) -> None:
        """Look at a function, and at those that rest on it again if it does more than was known."""
        self._asking.append(symbol)
        try:
            found: dict[int, list[Summary]] = {symbol: []}
            deeds: list[Deeds] = []
            for row in self._bodies.rows.get(symbol, ()):
                evaluation = Evaluation(self, symbol, self._bodies.tree(row), self._names_source)
                found[symbol].append(evaluation.run())
                if self._names_source is not None:
                    deeds.append(evaluation.deeds(row))
                for operator, summary in evaluation.lambda_summaries().items():
                    found.setdefault(operator, []).append(summary)
            self._deeds[symbol] = deeds
        finally:
            self._asking.pop()
        for number, parts in found.items():
            if self._learn(number, _whole(parts)):
                for user in sorted(self._users.get(number, ()), key=self._order):
                    self._waiting[user] = None

    def _learn(self, symbol: int, found: Summary) -> bool:
        """Take what a look found for what a function does; whether that is anything new.

        A summary that rests on a larger one need not be larger: bounded sets become coarser. What has changed often
        joins what it was, so that it ends.
        """
        known = self._summaries.get(symbol)
        if known is not None:
            if known.shape() == found.shape():
                return False
            self._revisions[symbol] += 1
            if self._revisions[symbol] > MOST_REVISIONS:
                found = widened(known, found, self.is_interesting)
                if known.shape() == found.shape():
                    return False
        self._summaries[symbol] = found
        return True

    def _order(self, symbol: int) -> tuple[str, str, str]:
        known = self.facts.symbol(symbol)
        return known.qualified, known.usr, known.place

    def _find_callees(self, symbol: int) -> list[int]:
        """The functions with bodies whose summaries a function may ask for, so that they can be looked at first."""
        rows = [*self._bodies.rows.get(symbol, ())]
        if rows and self.facts.symbol(symbol).kind == "constructor":
            rows += self._initialisers.get(self.facts.symbol(symbol).parent, ())
        named = dict.fromkeys(number for row in rows for number in self._bodies.named(row))
        found = dict.fromkeys(function for number in named for function in self._behind(number))
        found.pop(symbol, None)
        return list(found)

    def _find_behind(self, symbol: int) -> tuple[int, ...]:
        """The functions with bodies that may be called where a symbol is named: itself, overriders, what it holds."""
        some = (symbol, *self.overriders(symbol), *self.stored_in(symbol), *self.instantiations(symbol))
        return tuple(dict.fromkeys(function for function in map(self._owner, some) if self.has_own_body(function)))

    def _owner(self, symbol: int) -> int:
        """The function whose body holds a lambda; of any other, itself."""
        return self._lambdas.get(symbol, symbol)

    @cached_property
    def _lambdas(self) -> Mapping[int, int]:
        """The call operators of lambdas, with the functions that hold them."""
        found: dict[int, int] = {}
        for row in self._bodies.naming("operator()"):
            for node in self._bodies.nodes(row):
                if node.kind == ast.LAMBDA and node.symbol is not None:
                    found[node.symbol] = row.symbol
        return found

    # ---- what evaluations ask: `effects_calls.Surroundings`

    def place(self, node: Node) -> tuple[str, int, int]:
        """Path, line and column of a node."""
        return self._bodies.path(node.file), node.line, node.column

    def _is_reference(self, symbol: int) -> bool:
        """Whether a field or variable is declared as a reference."""
        return any(row.type.endswith("&") for row in declared(self.facts, symbol))

    def initialisers_of(self, constructor: int) -> Sequence[Node]:
        """The default member initialisers of a constructor's class."""
        return [self._bodies.tree(row) for row in self._initialisers.get(self.facts.symbol(constructor).parent, ())]

    @cached_property
    def _initialisers(self) -> Mapping[int | None, list[BodyRow]]:
        """The bodies of fields, by class."""
        found: dict[int | None, list[BodyRow]] = defaultdict(list)
        for symbol, rows in self._bodies.rows.items():
            known = self.facts.symbol(symbol)
            if known.kind == "field":
                found[known.parent] += rows
        return found

    def summary(self, symbol: int) -> Summary | None:
        """What a function does, as far as is known now; whoever asks is looked at again when that grows."""
        if not self.has_body(symbol):
            return None
        if self._asking:
            self._users[symbol].add(self._asking[-1])
        known = self._summaries.get(symbol)
        if known is None:
            self._waiting[self._owner(symbol)] = None
            return _UNKNOWN
        return known

    def takes_by_value(self, symbol: int) -> Sequence[bool]:
        """Of each parameter of a function with a body, whether it is a copy."""
        known = self._copies.get(symbol)
        if known is None:
            known = []
            for row in self._bodies.rows.get(symbol, ())[:1]:
                parameters = (c for c in self._bodies.tree(row).children if c.kind == ast.PARAMETER)
                known = [p.type is not None and p.type.kind not in REFERENCES for p in parameters]
            self._copies[symbol] = known
        return known

    def overriders(self, method: int) -> Sequence[int]:
        """Everything that overrides a method, at any depth."""
        return self._overrides.of(method)

    def stored_in(self, holder: int) -> Sequence[int]:
        """The functions that a field or variable may hold, copies from others included."""
        return self._slots.targets(holder)

    def instantiations(self, function: int) -> Sequence[int]:
        """The instantiations of a function template that have bodies."""
        return self._instantiations.get(function, ())

    @cached_property
    def _instantiations(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for symbol in self._bodies.rows:
            pattern = self.facts.symbol(symbol).pattern
            if pattern is not None:
                found[pattern].append(symbol)
        return found

    def is_library(self, symbol: Symbol) -> bool:
        """Whether no file of the tree declares a function."""
        return not declared(self.facts, symbol.id)

    def effect(self, symbol: Symbol) -> Effect | None:
        """What the table of library effects says."""
        return self._library.effect(symbol)


def _whole(parts: Sequence[Summary]) -> Summary:
    """What several bodies of one function do, joined."""
    if len(parts) == 1:
        return parts[0]
    whole = Summary()
    for part in parts:
        for place, evidence in part.writes.items():
            whole.writes.setdefault(place, evidence)
        for place, evidence in part.taints.items():
            whole.taints.setdefault(place, evidence)
        for place, targets in part.stores.items():
            whole.stores[place] = whole.stores.get(place, frozenset()) | targets
        whole.returned |= part.returned
        whole.led_to |= part.led_to
        whole.calls = tuple(dict.fromkeys((*whole.calls, *part.calls)))
    return whole


_ROOTS: Final = {Root.THIS: "this", Root.PARAMETER: "argument {}", Root.OBJECT: "some object"}
MOST_REVISIONS: Final = 8
_UNKNOWN: Final = Summary()
