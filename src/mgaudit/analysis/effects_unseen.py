"""Effects of calls of functions without a body: what a table says of library functions, and types of all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.analysis import effects_containers as containers
from mgaudit.analysis.effects_arguments import Argument
from mgaudit.analysis.effects_library import Effect
from mgaudit.analysis.effects_memory import elements_of
from mgaudit.analysis.effects_model import (
    NOTHING,
    REFERENCES,
    SOME_OBJECT,
    Places,
    Root,
    Value,
    is_pointer,
    joined,
    type_of,
)
from mgaudit.facts.bodies import Node
from mgaudit.facts.entities import Symbol
from mgaudit.sources.body_kinds import TypeKind
from mgaudit.sources.records import SYMBOL_CONST_METHOD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.analysis.effects_body import Evaluation
    from mgaudit.analysis.effects_model import Sources
    from mgaudit.facts.bodies import BodyType


class _Call(msgspec.Struct, frozen=True, gc=False):
    """A call.

    Attributes:
        node: It.
        symbol: The function.
        effect: What the table says of it.
        objects: What it is called on, or makes.
        arguments: What it is given.
        owner: The class of a member function, where that owns its elements.
    """

    node: Node
    symbol: Symbol
    effect: Effect | None
    objects: Places | None
    arguments: Sequence[Argument]
    owner: str | None

    @property
    def receiver(self) -> BodyType | None:
        """The type of the object that it is called on."""
        return type_of(self.node.children[0]) if self.node.children else None


class Unseen:
    """Evaluates the calls of functions without a body.

    Args:
        evaluation: Evaluates the body around them.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._body = evaluation

    def call(self, node: Node, symbol: Symbol, objects: Places | None, arguments: Sequence[Argument]) -> Value:
        """A function is called, on some objects where it is a member."""
        owner = containers.owner_of(symbol, self._class_of(node)) if objects is not None else None
        call = _Call(node, symbol, self._body.around.effect(symbol), objects, arguments, owner)
        if objects is not None:
            self._write_object(call, objects)
        if call.effect is None:
            self.may_write(node, arguments, symbol, f"calls {symbol.qualified}, of which no body is seen")
        held = self._keep(call)
        self._hand_over(call)
        return self._result(call, held)

    def construct(
        self, node: Node, symbol: Symbol, objects: Places, arguments: Sequence[Argument], *, keeps: bool
    ) -> None:
        """A constructor makes an object, which may lead to the arguments where it ``keeps`` them."""
        call = _Call(node, symbol, self._body.around.effect(symbol), objects, arguments, None)
        if call.effect is None and not self._body.around.is_library(symbol):  # whose constructors keep what they get
            self.may_write(node, arguments, symbol, f"calls {symbol.qualified}, of which no body is seen")
        held = self._write_arguments(call)
        if keeps:
            self._body.memory.store(objects, held)
        self._fill(call, held)
        self._hand_over(call)

    def _class_of(self, node: Node) -> str | None:
        """The name of the class of the object that a member function is called on."""
        type_ = type_of(node.children[0]) if node.children else None
        named = type_.symbol if type_ is not None and type_.kind is TypeKind.RECORD else None
        return self._body.around.symbol(named).name if named is not None else None

    # ---- what is written

    def _write_object(self, call: _Call, objects: Places) -> None:
        body, symbol = self._body, call.symbol
        text = f"calls {symbol.qualified}"
        if self._class_of(call.node) in _ATOMIC_REFERENCES and symbol.name in _ATOMIC_CHANGES:
            body.write(body.memory.content(objects), call.node, text)
        is_const = bool(symbol.flags & SYMBOL_CONST_METHOD)
        is_assignment = symbol.name in _ASSIGNMENTS
        if call.effect.writes_object if call.effect is not None else not is_const:
            is_known = call.effect is not None or is_assignment or body.around.is_library(symbol)
            (body.write if is_known else body.taint)(objects, call.node, text)
            if is_assignment:
                body.write(self._assigned_through(call, objects), call.node, text)

    def _assigned_through(self, call: _Call, objects: Places) -> Places:
        """What an object that stands for others assigns to: ``std::tie(a, b) = …``, an element of a bit set."""
        type_ = call.receiver
        refers = type_ is not None and any(a is not None and a.kind in REFERENCES for a in type_.arguments)
        if not refers and self._class_of(call.node) not in _PROXIES:
            made = self._body.own(Root.TEMPORARY, call.node.children[0]) if call.node.children else None
            objects = {place: sources for place, sources in objects.items() if place == made}
        found = self._body.memory.content(objects)
        return {place: sources for place, sources in found.items() if place.root is not Root.TEMPORARY}

    def _write_arguments(self, call: _Call) -> Places:
        """The arguments are written; what an object that keeps them leads to."""
        text = f"calls {call.symbol.qualified}"
        self._may_move(call.node, call.arguments, f"{text}, which may move from its argument")
        for index in sorted(call.effect.writes) if call.effect is not None else ():
            if index < len(call.arguments):
                self._body.write(self._passed(call.arguments[index]), call.node, text)
        return self._kept(call)

    def may_write(self, node: Node, arguments: Sequence[Argument], symbol: Symbol | None, text: str) -> None:
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
                    self._body.taint(_data(self._targets(argument)), node, text)

    def _may_move(self, node: Node, arguments: Sequence[Argument], text: str) -> None:
        for type_, argument in zip(_parameters(node.type), arguments, strict=False):
            moved = type_.inner if type_ is not None and type_.kind is TypeKind.RVALUE_REFERENCE else None
            if moved is not None and moved.kind is TypeKind.RECORD and not moved.is_const:
                self._body.write(argument.value.places, node, text)

    # ---- what leads where afterwards

    def _keep(self, call: _Call) -> Places:
        """The object and the arguments may lead to what the call is given; what that leads to."""
        held = self._write_arguments(call)
        if call.objects is not None and self._keeps(call):
            kept = self._entries(call.objects, 0) if self._is_mapped(call) else call.objects
            self._body.memory.store(kept, held)
        if call.owner is None or containers.fills(call.symbol):
            self._fill(call, held)
        return held

    def _keeps(self, call: _Call) -> bool:
        """Whether an object may lead to the arguments of a call afterwards."""
        symbol = call.symbol
        if symbol.flags & SYMBOL_CONST_METHOD and symbol.name != "operator=":
            return False
        if call.owner is not None and not self._is_mapped(call) and not containers.keeps(symbol):
            return False
        return self._body.around.may_hold(call.receiver)

    def _is_mapped(self, call: _Call) -> bool:
        return call.owner is not None and containers.is_mapped(call.owner, call.symbol)

    def _entries(self, maps: Places, part: int) -> Places:
        """The keys of maps (part 0), or the values (part 1); all of the entries where nothing names that part."""
        entries = elements_of(maps)
        field = self._body.around.pair_fields[part]
        return entries if field is None else {entry.below(field): sources for entry, sources in entries.items()}

    def _fill(self, call: _Call, held: Places) -> None:
        """What takes a non-const reference or pointer may leave there what it knows: its object's and the others'."""
        filled = list(self._filled(call))
        if not filled:
            return
        heap = self._body.own(Root.HEAP, call.node)
        memory = self._body.memory
        known = joined(held, memory.contents(call.objects)) if call.objects is not None else held
        known = joined(known, SOME_OBJECT) if self._is_unknown(call) else known or {heap: _NOBODY}
        for is_reference, argument in filled:
            memory.store(argument.value.places if is_reference else self._targets(argument), known)

    def _filled(self, call: _Call) -> Iterator[tuple[bool, Argument]]:
        """The arguments of parameters that are references, and pointers to pointers, to what may be filled."""
        for type_, argument in zip(_parameters(call.node.type), call.arguments, strict=False):
            inner = type_.inner if type_ is not None else None
            if type_ is None or inner is None or inner.is_const:
                continue
            is_reference = type_.kind is TypeKind.REFERENCE
            is_filled = is_reference or (type_.kind is TypeKind.POINTER and inner.kind is TypeKind.POINTER)
            if is_filled and self._body.around.may_hold(inner):
                yield is_reference, argument

    def _kept(self, call: _Call) -> Places:
        """What an object that keeps some arguments leads to: what they lead to; where it keeps a reference, they."""
        types = _parameters(call.node.type)
        found = []
        for index, argument in enumerate(call.arguments):
            found.append(self._targets(argument))
            type_ = types[index] if index < len(types) else None
            if type_ is not None and type_.kind in REFERENCES and type_.inner is not None and not type_.inner.is_const:
                found.append(argument.value.places)
        return joined(*found)

    def _targets(self, argument: Argument) -> Places:
        """What an argument leads to."""
        return self._body.targets(argument.value, argument.type)

    def _passed(self, argument: Argument) -> Places:
        """What an argument refers to, whichever way it is passed: what it is and what it points to."""
        value, type_ = argument.value, argument.type
        if type_ is None or type_.kind is TypeKind.RECORD or type_.kind is TypeKind.ARRAY:
            return _data(joined(self._targets(argument), value.places))
        if type_.kind is TypeKind.POINTER:  # which is passed as a copy
            return _data(self._targets(argument))
        return _data(joined(value.places, value.targets or {}))

    # ---- what is called

    def _hand_over(self, call: _Call) -> None:
        """Callables that a function without a body is handed are called, unless it is known to keep them."""
        node, symbol, objects, memory = call.node, call.symbol, call.objects, self._body.memory
        if call.effect is not None and call.effect.keeps:
            return
        if symbol.kind == "constructor":
            if "thread" not in symbol.name:
                return
        elif symbol.kind != "function" and symbol.name in _KEEPING:
            return
        if symbol.name == "operator()" and objects is not None:
            self._body.calls.call_held(node, objects, list(call.arguments))
            return
        callees = joined(*[self._body.targets(a.value) for a in call.arguments])
        if any(place.root is Root.FUNCTION for place in callees):
            elements = joined(*[memory.content(self._passed(a)) for a in call.arguments])
            elements = _data(joined(elements, *[self._passed(a) for a in call.arguments]))
            given = [Argument(None, Value(elements, elements))] * _CALLBACK_ARGUMENTS
            self._body.calls.call_back(node, callees, given)

    # ---- what is returned

    def _result(self, call: _Call, held: Places) -> Value:
        type_ = call.node.type.inner if call.node.type is not None else None
        if type_ is None or not (type_.kind in REFERENCES or self._body.around.may_hold(type_)):
            return NOTHING
        heap: Places = {self._body.own(Root.HEAP, call.node): _NOBODY}
        if call.effect is not None and call.effect.makes:
            self._body.memory.store(heap, held)
            return Value({}, heap)
        if type_.kind in REFERENCES:
            return Value(self._referred(call))
        found = self._led_to(call, held)
        return Value({}, joined(found, SOME_OBJECT) if self._is_unknown(call) else found or heap)

    def _chosen(self, call: _Call) -> Sequence[Argument]:
        """The arguments that the result may lead to."""
        if call.effect is None or call.effect.returns is None:
            return call.arguments
        return [argument for index, argument in enumerate(call.arguments) if index in call.effect.returns]

    def _led_to(self, call: _Call, held: Places) -> Places:
        """What a returned pointer, or an object that holds some, leads to."""
        inside = self._inside(call)
        if call.owner is not None and containers.leads_inside(call.symbol):
            return inside
        chosen = self._chosen(call)
        if call.effect is not None and call.effect.returns is not None:
            return joined(inside, *map(self._passed, chosen))
        if call.effect is None and call.node.type is not None and is_pointer(call.node.type.inner):
            return joined(inside, *(_data(self._targets(argument)) for argument in chosen))
        return joined(inside, held)

    def _referred(self, call: _Call) -> Places:
        """What a returned reference refers to."""
        if call.objects is not None:
            return call.objects if call.symbol.name in _SELVES else self._inside(call)
        chosen = self._chosen(call)
        places = joined(*(argument.value.places for argument in chosen))
        if self._is_unknown(call):
            places = joined(places, SOME_OBJECT)
        return joined(places, *map(self._passed, chosen)) if not places or call.symbol.name == "get" else places

    def _is_unknown(self, call: _Call) -> bool:
        """Whether a function of the tree may return whatever it likes."""
        return call.effect is None and not self._body.around.is_library(call.symbol)

    def _inside(self, call: _Call) -> Places:
        """What the object of a call leads to, as far as its result may: elements, or whatever there is."""
        if call.objects is None:
            return {}
        memory = self._body.memory
        if call.owner is None:
            return memory.contents(call.objects)
        if self._is_mapped(call):
            return self._entries(call.objects, 1)
        elements = elements_of(call.objects)
        type_ = call.node.type.inner if call.node.type is not None else None
        is_inside = type_ is not None and (type_.kind in REFERENCES or containers.leads_inside(call.symbol))
        if is_inside or not self._body.around.may_hold(call.receiver):
            return elements
        return joined(elements, memory.contents(call.objects, owns=True))


def _data(places: Places) -> Places:
    return {place: sources for place, sources in places.items() if place.root is not Root.FUNCTION}


def _parameters(type_: BodyType | None) -> Sequence[BodyType | None]:
    return type_.arguments if type_ is not None and type_.kind is TypeKind.FUNCTION else ()


def _is_mutable_pointer(argument: Argument) -> bool:
    """Of an argument beyond the parameters: whether something may be written through it."""
    type_ = argument.type
    return type_ is not None and is_pointer(type_) and type_.inner is not None and not type_.inner.is_const


_NOBODY: Final[Sources] = frozenset()
_CALLBACK_ARGUMENTS: Final = 4
_KEEPING: Final = frozenset(
    {"operator=", "push_back", "emplace_back", "emplace", "insert", "assign", "reset", "try_emplace"}
)
_PROXIES: Final = frozenset({"reference", "__bit_reference", "_Bit_reference"})
_ASSIGNMENTS: Final = frozenset(
    {"operator=", "operator+=", "operator-=", "operator|=", "operator&=", "operator^=", "flip", "set", "reset"}
)
_ATOMIC_REFERENCES: Final = frozenset({"atomic_ref"})
_ATOMIC_CHANGES: Final = frozenset(
    {"operator=", "operator+=", "operator-=", "operator|=", "operator&=", "operator^=", "operator++", "operator--",
     "store", "exchange", "compare_exchange_weak", "compare_exchange_strong", "fetch_add", "fetch_sub", "fetch_and",
     "fetch_or", "fetch_xor", "fetch_max", "fetch_min"}
)  # fmt: skip
_SELVES: Final = frozenset(
    {"operator=", "operator+=", "operator-=", "operator|=", "operator&=", "operator^=", "operator++", "operator--",
     "operator<<", "operator>>", "operator*=", "operator/=", "append", "assign"}
)  # fmt: skip
