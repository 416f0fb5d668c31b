"""Effects of calls: a callee's summary in the caller's places; without a body, by a table or by types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from mgaudit.analysis.effects_arguments import Argument, Walk, result_of
from mgaudit.analysis.effects_model import (
    CONTENT,
    NOTHING,
    REFERENCES,
    Evidence,
    PassedCall,
    Place,
    Root,
    Value,
    joined,
    type_of,
)
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import TypeKind
from mgaudit.sources.records import SYMBOL_CONST_METHOD, SYMBOL_PURE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.analysis.effects_body import Evaluation, Sink
    from mgaudit.analysis.effects_library import Effect
    from mgaudit.analysis.effects_model import Places, Sources, Summary
    from mgaudit.facts.bodies import BodyType, Node
    from mgaudit.facts.query import Symbol


class Surroundings(Protocol):
    """What an evaluation asks about the world around its body."""

    def place(self, node: Node) -> tuple[str, int, int]:
        """Path, line and column of a node."""

    def symbol(self, number: int) -> Symbol:
        """The symbol of an id."""

    def may_hold(self, type_: BodyType | None) -> bool:
        """Whether a value of a type may hold a pointer or a reference."""

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
                return self.construct(node, {Place(Root.THIS, 0): _NOBODY})
            return self.construct(node, {Place(Root.TEMPORARY, id(node)): _NOBODY})
        children = list(node.children)
        objects: Places | None = None
        if node.flags & kinds.NODE_RECEIVER:
            receiver = children.pop(0)
            value = self._body.value(receiver)
            objects = self._body.object_of(receiver, value)
            objects = objects or {Place(Root.OBJECT, 0): _NOBODY}
            if self._body.keeps_events:
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
            self._unseen(node, self._body.around.symbol(node.symbol), objects, arguments, is_new=True, keeps=keeps)
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
        if range_.type is not None and range_.type.kind is TypeKind.ARRAY:
            return self._body.memory.content(objects)
        return self._body.memory.contents(objects)

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
                results.append(self._unseen(node, around.symbol(target), objects, arguments))
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
        found = self._call_back(node, callees, arguments, results)
        return self._handed(node, callees, arguments) or found

    # ---- calls through values

    def _indirect(self, node: Node) -> Value:
        if not node.children:
            self._body.taint({Place(Root.OBJECT, 0): _NOBODY}, node, "calls what depends on a template parameter")
            return NOTHING
        head, *rest = node.children
        value = self._body.value(head)
        arguments = [Argument(child, self._body.value(child)) for child in rest]
        places = joined(value.places, self._body.targets(value))
        if self._body.keeps_events:
            self._body.callees[node] = places
        functions = self._stored(places)
        results = [self._named(node, function, None, arguments) for function in functions]
        found = self._call_back(node, places, arguments, results) or bool(functions)
        if not self._handed(node, places, arguments) and not found:
            what = "calls a function that is not known"
            self._body.taint({Place(Root.OBJECT, 0): _NOBODY}, node, what)
            self._may_write(node, arguments, None, what)
        return _union(results)

    def _stored(self, places: Places) -> list[int]:
        """The functions that are ever stored into the fields and variables that are called, or copied from."""
        holders: dict[int, None] = {}
        for place in places:
            steps = [step for step in place.path if step != CONTENT]
            if steps:
                holders[steps[-1]] = None
            elif place.root is Root.GLOBAL:
                holders[place.number] = None
        stored = map(self._body.around.stored_in, holders)
        return list(dict.fromkeys(function for functions in stored for function in functions))

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

    def _call_back(
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
        walk = Walk(self._body, node, None, arguments, self._body.copies_of(operator), is_lambda=True)
        self._repeat(node, operator, sink, walk)
        for call in list(sink.calls):
            self._call_again(node, call, walk)
        self._active.discard(operator)
        return result_of(node, walk.all(sink.returned), walk.all(sink.led_to))

    def _repeat(self, node: Node, callee: int, done: Summary | Sink, walk: Walk) -> None:
        name = self._body.around.symbol(callee).qualified
        for place in list(done.writes):
            self._body.write(walk.places(place), node, f"calls {name}, which writes", callee, place)
        for place, evidence in list(done.taints.items()):
            self._body.taint(walk.places(place), node, f"calls {name}: {evidence.text}", callee, place)

    # ---- functions with a body

    def _apply(
        self, node: Node, callee: int, summary: Summary, objects: Places | None, arguments: Sequence[Argument]
    ) -> Value:
        by_value = self._body.around.takes_by_value(callee)
        walk = Walk(self._body, node, objects, arguments, by_value)
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
        arguments = [
            Argument(None, Value(walk.all(given), None if targets is None else walk.all(targets)))
            for given, targets in call.arguments
        ]
        if not self._call_back(node, joined(places, self._body.memory.content(places)), arguments):
            handed = {place: sources for place, sources in places.items() if place.root in _HANDED}
            if handed:
                self._pass_on(node, handed, arguments)
            else:
                what = "hands over a function that is not known, which is called"
                self._body.taint({Place(Root.OBJECT, 0): _NOBODY}, node, what)

    # ---- functions without a body

    def _unseen(  # noqa: PLR0913
        self, node: Node, symbol: Symbol, objects: Places | None, arguments: Sequence[Argument], *,
        is_new: bool = False, keeps: bool = True,
    ) -> Value:  # fmt: skip
        body, effect = self._body, self._body.around.effect(symbol)
        name = symbol.qualified
        is_assignment = symbol.name in _ASSIGNMENTS
        if objects is not None and not is_new:
            is_const = bool(symbol.flags & SYMBOL_CONST_METHOD)
            if effect.writes_object if effect is not None else not is_const:
                is_known = effect is not None or is_assignment or body.around.is_library(symbol)
                (body.write if is_known else body.taint)(objects, node, f"calls {name}")
                if is_assignment:
                    body.write(self._assigned_through(node, objects), node, f"calls {name}")
        self._may_move(node, arguments, f"calls {name}, which may move from its argument")
        if effect is None:
            if not (is_new and body.around.is_library(symbol)):  # whose constructors keep what they are given
                self._may_write(node, arguments, symbol, f"calls {name}, of which no body is seen")
        else:
            for index in effect.writes:
                if index < len(arguments):
                    body.write(self._passed(arguments[index]), node, f"calls {name}")
        held = self._kept(node, arguments)
        if objects is not None and self._keeps(node, symbol, is_new=is_new, keeps=keeps):
            body.memory.store(objects, held)
        self._fill(node, objects, arguments, held)
        self._hand_over(node, symbol, effect, objects, arguments)
        return self._unseen_result(node, symbol, effect, objects, arguments, held)

    def _assigned_through(self, node: Node, objects: Places) -> Places:
        """What an object that stands for others assigns to: ``std::tie(a, b) = …``, an element of a bit set."""
        type_ = node.children[0].type if node.children else None
        is_tuple = type_ is not None and any(a is not None and a.kind in REFERENCES for a in type_.arguments)
        own = {p: s for p, s in objects.items() if p.root is Root.TEMPORARY or is_tuple}
        found = self._body.memory.content(own)
        return {place: sources for place, sources in found.items() if place.root is not Root.TEMPORARY}

    def _hand_over(
        self, node: Node, symbol: Symbol, effect: Effect | None, objects: Places | None, arguments: Sequence[Argument]
    ) -> None:  # fmt: skip
        """Callables that a function without a body is handed are called, unless it is known to keep them."""
        if effect is not None and effect.keeps:
            return
        if symbol.kind == "constructor":
            if "thread" not in symbol.name:
                return
        elif symbol.kind != "function" and symbol.name in _KEEPING:
            return
        callees = joined(*(self._body.targets(a.value) for a in arguments))
        if symbol.name == "operator()" and objects is not None:
            callees = self._body.memory.contents(objects)
            given = list(arguments)
            functions = self._stored(objects)
            for function in functions:
                self._named(node, function, None, given)
            if functions:
                return
        else:
            elements = joined(*(self._body.memory.content(self._passed(a)) for a in arguments))
            elements = joined(elements, *(self._passed(a) for a in arguments))
            elements = {place: sources for place, sources in elements.items() if place.root is not Root.FUNCTION}
            given = [Argument(None, Value(elements, elements))] * _CALLBACK_ARGUMENTS
        self._call_back(node, callees, given)
        handed = {place: sources for place, sources in callees.items() if place.root in _HANDED}
        if handed and symbol.name == "operator()":
            self._pass_on(node, handed, given)

    def _may_write(self, node: Node, arguments: Sequence[Argument], symbol: Symbol | None, text: str) -> None:
        """By the types of the parameters: what takes a non-const reference or pointer may write."""
        types = _parameters(node.type) if symbol is not None else ()
        for index, argument in enumerate(arguments):
            type_ = types[index] if index < len(types) else None
            kind = type_.kind if type_ is not None else None
            if kind is TypeKind.REFERENCE:
                assert type_ is not None
                if type_.inner is None or not type_.inner.is_const:
                    self._body.taint(argument.value.places, node, text)
            elif kind is TypeKind.POINTER or (kind is None and _is_mutable_pointer(argument)):
                inner = type_.inner if type_ is not None else None
                if inner is None or not (inner.is_const or inner.kind is TypeKind.FUNCTION):
                    self._body.taint(self._data(self._body.targets(argument.value)), node, text)

    def _may_move(self, node: Node, arguments: Sequence[Argument], text: str) -> None:
        for type_, argument in zip(_parameters(node.type), arguments, strict=False):
            moved = type_.inner if type_ is not None and type_.kind is TypeKind.RVALUE_REFERENCE else None
            if moved is not None and moved.kind is TypeKind.RECORD and not moved.is_const:
                self._body.write(argument.value.places, node, text)

    def _data(self, places: Places) -> Places:
        return {place: sources for place, sources in places.items() if place.root is not Root.FUNCTION}

    def _passed(self, argument: Argument) -> Places:
        """What an argument refers to, whichever way it is passed: what it is and what it points to."""
        value, type_ = argument.value, argument.type
        if type_ is None or type_.kind is TypeKind.RECORD or type_.kind is TypeKind.ARRAY:
            return self._data(joined(self._body.targets(value, type_), value.places))
        if type_.kind is TypeKind.POINTER:  # which is passed as a copy
            return self._data(self._body.targets(value, type_))
        return self._data(joined(value.places, value.targets or {}))

    def _fill(self, node: Node, objects: Places | None, arguments: Sequence[Argument], held: Places) -> None:
        """What takes a non-const reference or pointer may leave there what it knows: its object's and the others'."""
        memory = self._body.memory
        known = joined(held, memory.contents(objects)) if objects is not None else held
        for type_, argument in zip(_parameters(node.type), arguments, strict=False):
            inner = type_.inner if type_ is not None else None
            if inner is None or inner.is_const or not self._body.around.may_hold(inner):
                continue
            if type_ is not None and type_.kind is TypeKind.REFERENCE:
                memory.store(argument.value.places, known)
            elif type_ is not None and type_.kind is TypeKind.POINTER and inner.kind is TypeKind.POINTER:
                memory.store(self._body.targets(argument.value), known)

    def _keeps(self, node: Node, symbol: Symbol, *, is_new: bool, keeps: bool) -> bool:
        """Whether an object may lead to the arguments of a call afterwards."""
        if is_new:
            return keeps
        if symbol.flags & SYMBOL_CONST_METHOD and symbol.name != "operator=":
            return False
        return self._body.around.may_hold(type_of(node.children[0]) if node.children else None)

    def _kept(self, node: Node, arguments: Sequence[Argument]) -> Places:
        """What an object that keeps some arguments leads to: what they lead to; where it keeps a reference, they."""
        types = _parameters(node.type)
        found = []
        for index, argument in enumerate(arguments):
            found.append(self._body.targets(argument.value, argument.type))
            type_ = types[index] if index < len(types) else None
            if type_ is not None and type_.kind in REFERENCES and type_.inner is not None and not type_.inner.is_const:
                found.append(argument.value.places)
        return joined(*found)

    def _unseen_result(  # noqa: PLR0913, PLR0917
        self, node: Node, symbol: Symbol, effect: Effect | None, objects: Places | None,
        arguments: Sequence[Argument], held: Places,
    ) -> Value:  # fmt: skip
        type_ = node.type.inner if node.type is not None else None
        if type_ is None or type_.kind in {TypeKind.OTHER, TypeKind.BOOLEAN, TypeKind.VOID}:
            return NOTHING
        memory = self._body.memory
        chosen = arguments
        if effect is not None and effect.returns is not None:
            chosen = [a for index, a in enumerate(arguments) if index in effect.returns]
            held = joined(*(self._passed(argument) for argument in chosen))
        inside = memory.contents(objects) if objects is not None else {}
        if type_.kind in REFERENCES:
            if objects is not None:
                return Value(objects if symbol.name in _SELVES else inside)
            places = joined(*(argument.value.places for argument in chosen))
            if not places or symbol.name == "get":
                places = joined(places, held)
            return Value(places)
        if type_.kind is TypeKind.POINTER:
            pointees = joined(*(self._data(self._body.targets(argument.value)) for argument in chosen))
            fits = pointees if effect is None else joined(pointees, held)
            found = joined(inside, fits)
            return Value({}, found or {Place(Root.HEAP, id(node)): _NOBODY})
        if not self._body.around.may_hold(type_):
            return NOTHING
        return Value({}, joined(inside, held))


def _renamed(places: Places, sources: Sources | None) -> Places:
    return places if sources is None else dict.fromkeys(places, sources)


def _union(values: Sequence[Value]) -> Value:
    if len(values) == 1:
        return values[0]
    targets = [value.targets for value in values if value.targets is not None]
    return Value(joined(*(value.places for value in values)), joined(*targets) if targets else None)


def _parameters(type_: BodyType | None) -> Sequence[BodyType | None]:
    return type_.arguments if type_ is not None and type_.kind is TypeKind.FUNCTION else ()


def _is_mutable_pointer(argument: Argument) -> bool:
    """Of an argument beyond the parameters: whether something may be written through it."""
    type_ = argument.type
    return type_ is not None and type_.kind is TypeKind.POINTER and type_.inner is not None and not type_.inner.is_const


_NOBODY: Final[Sources] = frozenset()
_CALLBACK_ARGUMENTS: Final = 4
_HANDED: Final = frozenset({Root.PARAMETER, Root.THIS, Root.LAMBDA_PARAMETER})
_KEEPING: Final = frozenset(
    {"operator=", "push_back", "emplace_back", "emplace", "insert", "assign", "reset", "try_emplace"}
)
_ASSIGNMENTS: Final = frozenset(
    {"operator=", "operator+=", "operator-=", "operator|=", "operator&=", "operator^=", "flip", "set", "reset"}
)
_SELVES: Final = frozenset(
    {"operator=", "operator+=", "operator-=", "operator|=", "operator&=", "operator^=", "operator++", "operator--",
     "operator<<", "operator>>", "operator*=", "operator/=", "append", "assign"}
)  # fmt: skip
