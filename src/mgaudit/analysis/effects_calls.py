"""Effects of calls: a callee's summary in the caller's places; without a body, by a table or by types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from mgaudit.analysis.effects_arguments import Argument, Walk, result_of
from mgaudit.analysis.effects_memory import elements_of
from mgaudit.analysis.effects_model import (
    NOTHING,
    SOME_OBJECT,
    THIS,
    Evidence,
    PassedCall,
    Place,
    Root,
    Value,
    joined,
    type_of,
)
from mgaudit.analysis.effects_unseen import Unseen
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import TypeKind
from mgaudit.sources.records import SYMBOL_PURE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.analysis.effects_body import Evaluation
    from mgaudit.analysis.effects_library import Effect
    from mgaudit.analysis.effects_model import Places, Sources, Summary
    from mgaudit.analysis.effects_summary import Sink
    from mgaudit.facts.bodies import BodyType, Node
    from mgaudit.facts.entities import Symbol


class Surroundings(Protocol):
    """What an evaluation asks about the world around its body."""

    def place(self, node: Node) -> tuple[str, int, int]:
        """Path, line and column of a node."""

    def symbol(self, number: int) -> Symbol:
        """The symbol of an id."""

    def may_hold(self, type_: BodyType | None) -> bool:
        """Whether a value of a type may hold a pointer or a reference."""

    def may_refer(self, type_: BodyType | None) -> bool:
        """Whether an object that a list initialises may refer to the elements of the list."""

    def is_argument_list(self, type_: BodyType | None) -> bool:
        """Whether a type is that of a list of variadic arguments, of which trees name no element."""

    def owns(self, type_: BodyType | None) -> bool:
        """Whether an object of a type owns its elements."""

    @property
    def pair_fields(self) -> tuple[int | None, int | None]:
        """The ids of the key and the value of a map's entry; None for what no body names."""

    def holder(self, place: Place) -> int | None:
        """The last field that a place lies in, or the variable; of an entry of a map, what holds the map."""

    def is_reference(self, symbol: int) -> bool:
        """Whether a field or variable is declared as a reference."""

    def initialisers_of(self, constructor: int) -> Sequence[Node]:
        """The default member initialisers of a constructor's class, each below the tree of its field."""

    def summary(self, symbol: int) -> Summary | None:
        """What a function does, as far as is known; None where it has no body."""

    def takes_by_value(self, symbol: int) -> Sequence[bool]:
        """Of each parameter of a function with a body, whether it is a copy."""

    def overriders(self, method: int) -> Sequence[int]:
        """Everything that overrides a method."""

    def stored_in(self, holder: int) -> Sequence[int]:
        """The functions that a field or variable may hold."""

    def instantiations(self, function: int) -> Sequence[int]:
        """The instantiations of a function template that have bodies."""

    def is_interesting(self, field_: int) -> bool:
        """Whether anybody asks who changes a field of some object."""

    def is_library(self, symbol: Symbol) -> bool:
        """Whether no file of the tree declares a function."""

    def effect(self, symbol: Symbol) -> Effect | None:
        """What the table of library effects says."""


class Calls:
    """Evaluates the calls of one body.

    Args:
        evaluation: Evaluates the body.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._body = evaluation
        self._unseen = Unseen(evaluation)
        self._active: set[int] = set()

    # ---- forms of calls

    def is_construction(self, node: Node) -> bool:
        """Whether a call makes an object in the place of what it initialises."""
        return node.symbol is not None and self._body.around.symbol(node.symbol).kind == "constructor"

    def call(self, node: Node) -> Value:
        """A call as an expression."""
        if node.flags & kinds.NODE_INDIRECT or node.symbol is None:
            return self._indirect(node)
        if self.is_construction(node):
            if self._is_of_base(node):
                return self.construct(node, {THIS: _NOBODY})
            return self.construct(node, {self._body.own(Root.TEMPORARY, node): _NOBODY})
        children = list(node.children)
        objects: Places | None = None
        if node.flags & kinds.NODE_RECEIVER:
            receiver = children.pop(0)
            value = self._body.value(receiver)
            objects = self._body.object_of(receiver, value)
            objects = objects or SOME_OBJECT
            if self._body.keeps_deeds:
                self._body.callees[node] = joined(objects, value.places)
        arguments = [Argument(child, self._body.value(child)) for child in children]
        return self._named(node, node.symbol, objects, arguments)

    def _is_of_base(self, node: Node) -> bool:
        """Whether it is a base's, or a delegated, constructor in the head of another."""
        return self._body.root.kind == ast.CONSTRUCTOR and any(child is node for child in self._body.root.children)

    def construct(self, node: Node, objects: Places, *, keeps: bool = True) -> Value:
        """A constructor makes an object at some places, which may lead to the arguments unless its type forbids."""
        assert node.symbol is not None
        arguments = [Argument(child, self._body.value(child)) for child in node.children]
        summary = self._body.around.summary(node.symbol)
        if summary is not None:
            self._apply(node, node.symbol, summary, objects, arguments)
        else:
            self._unseen.construct(node, self._body.around.symbol(node.symbol), objects, arguments, keeps=keeps)
        return Value(objects)

    def destroy(self, node: Node, objects: Places) -> None:
        """A destructor runs."""
        if node.symbol is not None:
            for target in (node.symbol, *self._body.around.overriders(node.symbol)):
                summary = self._body.around.summary(target)
                if summary is not None:
                    self._apply(node, target, summary, objects, [])

    def elements(self, range_: Node, objects: Places) -> Places:
        """What a range-based ``for`` iterates over."""
        inside = elements_of(objects)
        type_ = type_of(range_)
        if (type_ is not None and type_.kind is TypeKind.ARRAY) or self._body.around.owns(type_):
            return inside
        return joined(inside, self._body.memory.contents(objects))

    def _named(self, node: Node, symbol: int, objects: Places | None, arguments: Sequence[Argument]) -> Value:
        around = self._body.around
        if symbol in self._body.lambdas:
            return self._lambda(node, symbol, arguments)
        targets = [symbol, *(around.overriders(symbol) if node.flags & kinds.NODE_DYNAMIC else ())]
        results: list[Value] = []
        for target in targets:
            summary = around.summary(target)
            if (
                objects is not None
                and self._is_closure(target)
                and self._call_closure(node, objects, arguments, results)
            ):
                continue
            if summary is not None:
                results.append(self._apply(node, target, summary, objects, arguments))
            elif target == symbol and (len(targets) == 1 or not around.symbol(symbol).flags & SYMBOL_PURE):
                results.append(self._unseen.call(node, around.symbol(target), objects, arguments))
        return _union(results)

    def _is_closure(self, target: int) -> bool:
        """Whether a function is the call operator of a lambda."""
        symbol = self._body.around.symbol(target)
        if symbol.name != "operator()" or symbol.parent is None:
            return False
        return self._body.around.symbol(symbol.parent).name.startswith("(lambda")

    def _call_closure(
        self, node: Node, objects: Places, arguments: Sequence[Argument], results: list[Value]
    ) -> bool:  # fmt: skip
        """Call the lambdas that an object is known to be, or leave that to the callers where it was handed in."""
        callees = joined(objects, self._body.memory.contents(objects))
        found = self.call_back(node, callees, arguments, results)
        return self._handed(node, callees, arguments) or found

    # ---- calls through values

    def _indirect(self, node: Node) -> Value:
        if not node.children:
            self._body.taint(SOME_OBJECT, node, "calls what depends on a template parameter")
            return NOTHING
        head, *rest = node.children
        value = self._body.value(head)
        arguments = [Argument(child, self._body.value(child)) for child in rest]
        if head.kind == ast.BINARY_OPERATOR and head.data in kinds.POINTER_TO_MEMBER and len(head.children) == 2:
            called = self._member_functions(node, head, arguments)
            if called is not None:
                return called
        places = joined(value.places, self._body.targets(value))
        if self._body.keeps_deeds:
            self._body.callees[node] = places
        functions = self._stored(places)
        results = [self._named(node, function, None, arguments) for function in functions]
        found = self.call_back(node, places, arguments, results) or bool(functions)
        is_handed = self._handed(node, places, arguments)
        if is_handed or not found:
            results.append(result_of(node, SOME_OBJECT, SOME_OBJECT))
        if not is_handed and not found:
            what = "calls a function that is not known"
            self._body.taint(SOME_OBJECT, node, what)
            self._unseen.may_write(node, arguments, None, what)
        return _union(results)

    def _member_functions(self, node: Node, head: Node, arguments: Sequence[Argument]) -> Value | None:
        """``(object.*pointer)(…)``: the functions the pointer is known to hold; None where it may lead to a field."""
        left, right = head.children
        value = self._body.value(right)
        members = joined(value.places, self._body.held(right, value))
        if any(place.root is Root.FIELD for place in members):
            return None
        objects = self._body.object_of(left, self._body.value(left)) or SOME_OBJECT
        if self._body.keeps_deeds:
            self._body.callees[node] = joined(objects, members)
        known = [place.number for place in members if place.root is Root.FUNCTION]
        functions = list(dict.fromkeys((*known, *self._stored(members))))
        results = [self._named(node, function, objects, arguments) for function in functions]
        is_handed = self._handed(node, members, arguments)
        if is_handed or not functions:
            what = "calls a member function that is not known"
            type_ = type_of(left)
            target = type_.inner if type_ is not None and type_.kind is TypeKind.POINTER else type_
            if target is None or not target.is_const:
                self._body.taint(objects, node, what)
            self._unseen.may_write(node, arguments, None, what)
            results.append(result_of(node, SOME_OBJECT, SOME_OBJECT))
        return _union(results)

    def _stored(self, places: Places) -> list[int]:
        """The functions that are ever stored into the fields and variables that are called, or copied from."""
        found = (self._body.around.holder(place) for place in places)
        stored = map(self._body.around.stored_in, dict.fromkeys(holder for holder in found if holder is not None))
        return list(dict.fromkeys(function for functions in stored for function in functions))

    def call_held(self, node: Node, objects: Places, arguments: Sequence[Argument]) -> None:
        """Call what objects that wrap functions are known to hold."""
        functions = self._stored(objects)
        for function in functions:
            self._named(node, function, None, arguments)
        if not functions:
            callees = self._body.memory.contents(objects)
            self.call_back(node, callees, arguments)
            self._handed(node, callees, arguments)

    def _handed(self, node: Node, places: Places, arguments: Sequence[Argument]) -> bool:
        handed = {place: sources for place, sources in places.items() if place.root in _HANDED}
        if handed:
            self._pass_on(node, handed, arguments)
        return bool(handed)

    def _pass_on(self, node: Node, callees: Places, arguments: Sequence[Argument]) -> None:
        """The caller knows what is called here."""
        evidence = Evidence(*self._body.around.place(node), "calls what it was handed")
        given = tuple((frozenset(a.value.places), frozenset(self._body.targets(a.value, a.type))) for a in arguments)
        for place in callees:
            if place.root in _HANDED:
                self._body.sink.calls[PassedCall(place, given, evidence)] = None

    def call_back(
        self, node: Node, callees: Places, arguments: Sequence[Argument], results: list[Value] | None = None
    ) -> bool:
        """Call the functions among some places."""
        found = False
        for place in list(callees):
            if place.root is Root.FUNCTION:
                found = True
                for function in (place.number, *self._body.around.instantiations(place.number)):
                    value = self._named(node, function, None, arguments)
                    if results is not None:
                        results.append(value)
        return found

    def _lambda(self, node: Node, operator: int, arguments: Sequence[Argument]) -> Value:
        """A lambda of the same body: what it captured are the body's own variables."""
        if operator in self._active:
            return NOTHING
        self._active.add(operator)
        sink = self._body.lambdas[operator]
        by_value = self._body.copies_of(operator)
        walk = Walk(self._body, node, sink.names, None, arguments=arguments, by_value=by_value, is_lambda=True)
        self._repeat(node, operator, sink, walk)
        for call in list(sink.calls):
            self._call_again(node, call, walk)
        self._active.discard(operator)
        return result_of(node, walk.all(sink.returned), walk.all(sink.led_to))

    def _repeat(self, node: Node, callee: int, done: Summary | Sink, walk: Walk) -> None:
        if not done.writes and not done.taints:
            return
        name, where = self._body.around.symbol(callee).qualified, self._body.around.place(node)
        text = f"calls {name}, which writes"
        for place in list(done.writes):
            self._body.record(walk.places(place), node, Evidence(*where, text, callee, place))
        for place, evidence in list(done.taints.items()):
            reason = f"calls {name}: {evidence.text}"
            self._body.record(walk.places(place), node, Evidence(*where, reason, callee, place), is_certain=False)

    # ---- functions with a body

    def _apply(
        self, node: Node, callee: int, summary: Summary, objects: Places | None, arguments: Sequence[Argument]
    ) -> Value:
        by_value = self._body.around.takes_by_value(callee)
        walk = Walk(self._body, node, summary.names, objects, arguments=arguments, by_value=by_value)
        self._repeat(node, callee, summary, walk)
        for place, targets in summary.stores.items():
            self._body.memory.store(walk.places(place), walk.all(targets))
        for call in summary.calls:
            self._call_again(node, call, walk)
        own = frozenset([node]) if self._body.names_source(node) else None
        return result_of(node, _renamed(walk.all(summary.returned), own), _renamed(walk.all(summary.led_to), own))

    def _call_again(self, node: Node, call: PassedCall, walk: Walk) -> None:
        """What a callee was handed and calls."""
        places = walk.places(call.callee)
        arguments = [Argument(None, Value(walk.all(given), walk.all(targets))) for given, targets in call.arguments]
        if not self.call_back(node, joined(places, self._body.memory.content(places)), arguments):
            handed = {place: sources for place, sources in places.items() if place.root in _HANDED}
            if handed:
                self._pass_on(node, handed, arguments)
            else:
                what = "hands over a function that is not known, which is called"
                self._body.taint(SOME_OBJECT, node, what)


def _renamed(places: Places, sources: Sources | None) -> Places:
    return places if sources is None else dict.fromkeys(places, sources)


def _union(values: Sequence[Value]) -> Value:
    if len(values) == 1:
        return values[0]
    targets = [value.targets for value in values if value.targets is not None]
    return Value(joined(*(value.places for value in values)), joined(*targets) if targets else None)


_NOBODY: Final[Sources] = frozenset()
_HANDED: Final = frozenset({Root.PARAMETER, Root.THIS, Root.LAMBDA_PARAMETER})
