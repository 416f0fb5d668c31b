"""Where a value comes from: backwards through stores, calls and returns, without regard to order.

A way that enters a function by its result leaves it by the arguments of the same call (call strings of bounded length,
after Sharir and Pnueli). Fields are told apart by class and instantiation, not by object; what is stored into one
anywhere may be read from it everywhere. That sees too much rather than too little; where the way back ends in something
that nobody knows, the answer says so.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from mgaudit.analysis.memo_containers import chosen
from mgaudit.domain.names import selects
from mgaudit.sources.memo_records import (
    ADDRESS,
    ARGUMENT,
    ARRAY,
    CALL,
    CLOSURE,
    ENUMERATION,
    FIELD,
    INTEGER,
    LOCAL,
    OPAQUE,
    OTHER,
    POINTER,
    RECORD,
    REFERENCE,
    RESULT,
    VARIABLE,
    Call,
    NodeRecord,
    Operand,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mgaudit.analysis.memo_walk import Walker
    from mgaudit.analysis.memo_world import Body, Node, Type

SIZES: Final = frozenset(
    {"size", "ssize", "length", "capacity", "count", "empty", "max_size", "bucket_count", "use_count", "has_value",
     "expired", "contains", "index", "find_first_of", "find_last_of", "extent"}
)  # fmt: skip
"""Members of library classes whose number says nothing of what their object holds."""

_LONGEST: Final = 20_000  # nodes that one question may visit
_DEEPEST: Final = 5  # calls that a way remembers


class Origin(StrEnum):
    """What a value may be made of."""

    POINTER = "a frontend pointer"
    BACKEND = "a pointer of the judged side"
    LIFETIME = "a lifetime id"
    GL_NAME = "a GL name"
    COUNTER = "a counter of the frontend"
    UNKNOWN = "unknown"


class Step(NamedTuple):
    """One step back: what was read where; line is 1-based."""

    text: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Source:
    """An origin of a value.

    Attributes:
        origin: What it is.
        subject: The class, function, alias or counter; of the unknown, the reason.
        bits: The width of a counter, else 0.
        chain: The steps from the value back to it.
    """

    origin: Origin
    subject: str
    bits: int
    chain: tuple[Step, ...]


class Given(NamedTuple):
    """A value that is stored into a node.

    Attributes:
        body: Whose nodes the operand names.
        operand: The value.
        line: 1-based.
        node: In place of the operand's own nodes, one that no body names.
        is_content: Whether the bytes count that lie at the address, not the address.
        call: Of a value that comes out of a function by a parameter, the call.
        by_caller: Whether a call gives the value to a parameter.
    """

    body: Body
    operand: Operand
    line: int
    node: NodeRecord | None = None
    is_content: bool = False
    call: Call | None = None
    by_caller: bool = False


Calls = tuple[tuple["Body", Call], ...]
"""The calls by which a way entered functions, the innermost last."""


@dataclass(frozen=True, slots=True)
class Names:
    """Patterns of functions that yield what no key may hold."""

    lifetimes: tuple[str, ...] = ()
    gl_names: tuple[str, ...] = ()


@dataclass(slots=True)
class _Search:
    """One question under way."""

    through_libraries: bool
    waiting: deque[tuple[Given, tuple[Step, ...], Calls]] = field(default_factory=deque)
    seen: set[tuple[Node, tuple[int, ...]]] = field(default_factory=set)
    found: dict[tuple[Origin, str], Source] = field(default_factory=dict)

    def is_new(self, node: Node, calls: Calls) -> bool:
        """Whether a node is met for the first time within the same calls."""
        identity = (node, tuple(id(call) for _, call in calls))
        if identity in self.seen:
            return False
        self.seen.add(identity)
        return True

    def add(self, origin: Origin, subject: str, chain: tuple[Step, ...], bits: int = 0) -> None:
        self.found.setdefault((origin, subject), Source(origin, subject, bits, chain))


class Flows:
    """Answers where values come from.

    Args:
        walker: Knows types, containers and how the gate names things.
        names: The functions that matter.
        overriding: The overriding functions of each virtual function, by key.
    """

    def __init__(self, walker: Walker, names: Names, overriding: Mapping[str, Sequence[str]]) -> None:
        self._walker = walker
        self._names = names
        self._overriding = overriding
        self.into: dict[Node, list[Given]] = {}
        self.incremented: set[str] = set()
        self._by_key: dict[str, Body] = {body.row.key: body for body in walker.world.bodies}
        self._members: dict[str, list[str]] = {}
        for body in walker.world.bodies:
            self._members.setdefault(body.row.owner, []).append(body.row.key)
        self._returned: dict[str, list[tuple[Body, Operand]]] = {}
        self._referred: dict[str, list[tuple[Body, Operand]]] = {}
        for body in walker.world.bodies:
            self._note(body)
        for body in walker.world.bodies:
            self._take(body)

    # ---- the graph

    def _note(self, body: Body) -> None:
        """What functions return, and what local references and pointers lead to."""
        for flow in body.row.flows:
            target = body.node(flow.target)
            if target.kind == RESULT:
                self._returned.setdefault(target.key, []).append((body, flow.value))
            elif target.kind == LOCAL and target.type >= 0:
                kind = body.types[target.type].kind
                if kind == REFERENCE or (kind == POINTER and flow.value.is_address):
                    self._referred.setdefault(target.key, []).append((body, flow.value))

    def _designated(self, body: Body, index: int, depth: int = 0) -> list[NodeRecord]:
        """What a store into a node changes: through calls and references, the object that they give access to."""
        node = body.node(index)
        if node.kind in {ADDRESS, OPAQUE, CLOSURE} or depth > _DEEPEST:
            return []
        if node.kind == CALL:
            call = body.row.calls[int(node.key)]
            leads = [pair for key in self.targets(call.key) for pair in self._returned.get(key, ())]
            if not call.is_tracked:
                place = call.receiver if call.receiver is not None else next(iter(call.arguments), None)
                leads = [(body, place)] if place is not None else []
        else:
            leads = self._referred.get(node.key, []) if node.kind == LOCAL else []
        found = [] if node.kind == CALL else [node]
        for inner, operand in leads:
            for position in operand.path[-1:] or operand.nodes:
                found += self._designated(inner, position, depth + 1)
        return found

    def _take(self, body: Body) -> None:
        row = body.row
        for flow in row.flows:
            for target in self._designated(body, flow.target):
                self._give(node_of(target), Given(body, flow.value, flow.line))
        for call in row.calls:
            if call.is_tracked:
                self._take_call(body, call)
            if not call.is_tracked or not self._is_defined(call):
                self._take_library_call(body, call)
        if not self._walker.terms.is_inside(body.path):
            self.incremented.update(n.key for index in row.incremented for n in self._designated(body, index))

    def _is_defined(self, call: Call) -> bool:
        return any(key in self._by_key for key in self.targets(call.key))

    def _give(self, node: Node, given: Given) -> None:
        self.into.setdefault(node, []).append(given)

    def _take_call(self, body: Body, call: Call) -> None:
        for key in self.targets(call.key):
            for position, argument in enumerate(call.arguments):
                parameter = (ARGUMENT, f"{key}/{position}")
                self._give(parameter, Given(body, argument, call.line, by_caller=True))
                if position in call.outputs:
                    back = NodeRecord(*parameter, f"parameter {position + 1} of {call.name}")
                    self._give_back(body, argument, Given(body, argument, call.line, back, call=call))

    def _take_library_call(self, body: Body, call: Call) -> None:
        keyed = self.is_keyed(body, call.receiver)
        arguments = list(call.arguments)
        if keyed and arguments:  # what is kept is what stands behind the key
            arguments = list(arguments[0].parts[1:] or arguments[1:])
        others = [*arguments, *([call.receiver] if call.receiver is not None else [])]
        if call.receiver is not None and not call.is_const:
            for argument in arguments:
                self._give_back(body, call.receiver, self._argument(body, call, argument))
        for position in call.outputs if not keyed else ():
            if position < len(call.arguments):
                target = call.arguments[position]
                for other in others:
                    if other is not target:
                        self._give_back(body, target, self._argument(body, call, other))
        self._take_lambdas(body, call)

    def _argument(self, body: Body, call: Call, operand: Operand) -> Given:
        """What a function of a library takes: the bytes at an address, where another argument may say how many."""
        type_ = bare(body.types[operand.type])
        is_raw = type_.kind == POINTER and type_.parts[0] is not None and bare(type_.parts[0]).kind != RECORD
        counted = any(bare(body.types[a.type]).kind == INTEGER for a in call.arguments if a is not operand)
        return Given(body, operand, call.line, None, is_raw and counted)

    def _take_lambdas(self, body: Body, call: Call) -> None:
        """What a library function gives to a lambda is something of its other arguments."""
        for argument in call.arguments:
            for index in argument.nodes:
                node = body.node(index)
                for key in self._operators(node) if node.kind == CLOSURE else ():
                    for other in call.arguments:
                        if other is not argument:
                            for position in (0, 1):
                                self._give((ARGUMENT, f"{key}/{position}"), Given(body, other, call.line))

    def _operators(self, closure: NodeRecord) -> list[str]:
        """The call operators of a lambda; a generic one has several."""
        return [closure.name, *self._members.get(closure.key, ())]

    def _give_back(self, body: Body, place: Operand, given: Given) -> None:
        for index in place.path[-1:] or place.nodes:
            for node in self._designated(body, index):
                self._give(node_of(node), given)

    def targets(self, key: str) -> tuple[str, ...]:
        """A function and those that override it."""
        return (key, *self._overriding.get(key, ()))

    def is_keyed(self, body: Body, receiver: Operand | None) -> bool:
        """Whether an object is a container with keys."""
        if receiver is None:
            return False
        known = self._walker.containers.of(bare(body.types[receiver.type]))
        return known is not None and known.keys != ()

    # ---- questions

    def origins(self, givens: Iterable[Given], *, through_libraries: bool = True) -> list[Source]:
        """What some values may be made of; each origin once, by the shortest way.

        Args:
            givens: The values.
            through_libraries: Whether what a function of a library returns is made of what it is given.
        """
        search = _Search(through_libraries)
        search.waiting.extend((given, (), ()) for given in givens)
        while search.waiting:
            if len(search.seen) > _LONGEST:
                search.add(Origin.UNKNOWN, "the way back is too long", ())
                break
            self._look(*search.waiting.popleft(), search)
        return sorted(search.found.values(), key=lambda s: (s.origin, s.subject))

    def _look(self, given: Given, chain: tuple[Step, ...], calls: Calls, search: _Search) -> None:
        body, operand = given.body, given.operand
        if given.call is not None:
            calls = _entered(calls, body, given.call)
        for node in [given.node] if given.node is not None else map(body.node, operand.nodes):
            step = Step(_said(body, node), body.path, given.line)
            if node.kind == OPAQUE:
                search.add(Origin.UNKNOWN, node.key, (*chain, step))
            elif node.kind == ADDRESS:
                if not given.is_content:
                    self._address(body.types[node.type], (*chain, step), search)
            elif node.kind == CALL:
                self._call(body, int(node.key), given.line, chain, calls, search)
                if given.is_content:
                    self._elements(body, body.row.calls[int(node.key)], (*chain, step), search)
            else:
                self._node(body, node, (*chain, step), calls, search)
        if given.is_content and operand.path:
            node = body.node(operand.path[-1])
            if node.type >= 0:
                here = (*chain, Step(_said(body, node), body.path, given.line))
                self._content(bare(body.types[node.type]), here, search)

    def _content(self, type_: Type, chain: tuple[Step, ...], search: _Search) -> None:
        """What lies at an address: a pointer by value, or all that a class holds."""
        while type_.kind == ARRAY and type_.parts[0] is not None:
            type_ = type_.parts[0]
        record = self._walker.world.record_of(type_)
        known = self._walker.containers.of(type_) if type_.kind == RECORD else None
        if type_.kind == POINTER and type_.parts[0] is not None:
            self._address(bare(type_.parts[0]), chain, search)
        elif known is not None:
            for _, part in (*chosen(type_, known.elements), *chosen(type_, known.pointers)):
                self._content(part, chain, search)
        elif record is not None:
            for member in record.fields.values():
                self._field_of(member.place.key, member.place.name, member.type, chain, search)

    def _elements(self, body: Body, call: Call, chain: tuple[Step, ...], search: _Search) -> None:
        """The bytes of what a container holds, at the address that one of its members returns."""
        if call.receiver is not None and not call.is_tracked:
            type_ = bare(body.types[call.receiver.type])
            known = self._walker.containers.of(type_) if type_.kind == RECORD else None
            for _, part in chosen(type_, known.elements) if known is not None else ():
                self._content(part, chain, search)

    def _address(self, type_: Type, chain: tuple[Step, ...], search: _Search) -> None:
        if type_.kind == RECORD and self._walker.is_frontend(type_):
            search.add(Origin.POINTER, type_.name, chain)
        elif type_.kind == RECORD and self._walker.is_backend(type_):
            search.add(Origin.BACKEND, type_.name, chain)

    def _node(self, body: Body, node: NodeRecord, chain: tuple[Step, ...], calls: Calls, search: _Search) -> None:
        type_ = bare(body.types[node.type]) if node.type >= 0 else None
        if any(selects(p, alias) for p in self._walker.terms.gl_names for alias in node.aliases):
            search.add(Origin.GL_NAME, node.name, chain)
            return
        if type_ is not None and self._carries_nothing(type_):
            return
        if node.kind in {FIELD, VARIABLE}:  # whoever stored into it, it was in another call
            calls = ()
        identity = node_of(node)
        if not search.is_new(identity, calls):
            return
        if node.kind == FIELD and node.key in self.incremented:
            search.add(Origin.COUNTER, node.name, chain, type_.bits if type_ is not None else 0)
        stored = self.into.get(identity, ())
        if node.kind == ARGUMENT and calls and (own := self._own_argument(node, calls)) is not None:
            search.waiting.append((own, chain, calls[:-1]))
            stored = [given for given in stored if not given.by_caller]
        elif not stored and node.kind == ARGUMENT and not self._is_entry(node):
            search.add(Origin.UNKNOWN, f"no caller of `{_function(node)}` is seen", chain)
        search.waiting.extend((given, chain, calls) for given in stored)

    def _is_entry(self, node: NodeRecord) -> bool:
        """Whether a parameter belongs to a free function of the frontend: its value is the application's."""
        function = self._by_key.get(node.key.rpartition("/")[0])
        return function is not None and not function.row.owner and self._walker.terms.is_frontend(
            function.path, function.row.name
        )  # fmt: skip

    def _own_argument(self, node: NodeRecord, calls: Calls) -> Given | None:
        """What the call by which the way entered a function gives to a parameter of it."""
        body, call = calls[-1]
        key, _, position = node.key.rpartition("/")
        if key in self.targets(call.key) and int(position) < len(call.arguments):
            return Given(body, call.arguments[int(position)], call.line)
        return None

    def _carries_nothing(self, type_: Type) -> bool:
        """Whether a value of a type tells nothing that its conversions and fields do not tell."""
        if type_.kind in {ENUMERATION, OTHER}:
            return True
        if type_.kind == POINTER and type_.parts[0] is not None:
            type_ = bare(type_.parts[0])
        if type_.kind != RECORD or self._walker.containers.of(type_) is not None:
            return False
        return self._walker.world.record_of(type_) is not None or self._walker.is_frontend(type_)

    def _call(  # noqa: PLR0913, PLR0917
        self, body: Body, index: int, line: int, chain: tuple[Step, ...], calls: Calls, search: _Search
    ) -> None:
        call = body.row.calls[index]
        if not search.is_new((CALL, f"{id(body)}/{index}"), calls):
            return
        here = (*chain, Step(f"{call.name}()", body.path, call.line or line))
        gl_names = (p for p in self._walker.terms.gl_names for alias in call.aliases if selects(p, alias))
        if any(selects(pattern, call.name) for pattern in self._names.lifetimes):
            search.add(Origin.LIFETIME, call.name, here)
        elif any(selects(pattern, call.name) for pattern in self._names.gl_names) or any(gl_names):
            search.add(Origin.GL_NAME, call.name, here)
        elif call.is_tracked:
            keys = self.targets(call.key)
            if not self._is_defined(call):  # an argument that it filled elsewhere may still tell
                search.add(Origin.UNKNOWN, f"no definition of `{call.name}` is seen", here)
                for operand in call.arguments:
                    seen = msgspec.structs.replace(operand, path=())
                    search.waiting.append((Given(body, seen, call.line, None, is_content=True), here, calls))
            inner = _entered(calls, body, call)
            search.waiting.extend((given, here, inner) for key in keys for given in self.into.get((RESULT, key), ()))
        else:
            self._library_call(body, call, here, calls, search)

    def _library_call(self, body: Body, call: Call, chain: tuple[Step, ...], calls: Calls, search: _Search) -> None:
        if call.name.rpartition("::")[2] in SIZES or not search.through_libraries:
            return
        operands = [] if call.receiver is not None and self._is_container(body, call.receiver) else [*call.arguments]
        for operand in operands:
            self._pointer_argument(body, operand, chain, search)
        if call.receiver is not None:
            operands.append(call.receiver)
        search.waiting.extend((self._argument(body, call, operand), chain, calls) for operand in operands)

    def _is_container(self, body: Body, receiver: Operand) -> bool:
        type_ = bare(body.types[receiver.type])
        return type_.kind in {ARRAY, POINTER} or self._walker.containers.of(type_) is not None

    def _pointer_argument(self, body: Body, operand: Operand, chain: tuple[Step, ...], search: _Search) -> None:
        """A pointer that a function of a library takes by its value: a hash of it is as good as the pointer."""
        type_ = bare(body.types[operand.type])
        target: Type | None = None
        if type_.kind == POINTER:
            target = type_.parts[0]
        elif type_.kind == RECORD and (known := self._walker.containers.of(type_)) is not None:
            target = next((part for _, part in chosen(type_, known.pointers)), None)
        elif type_.kind == RECORD and (record := self._walker.world.record_of(type_)) is not None:
            self._content(record.type, chain, search)  # a hash over an object is one over its fields
        if target is not None:
            self._address(bare(target), chain, search)

    def _field_of(self, key: str, name: str, type_: Type, chain: tuple[Step, ...], search: _Search) -> None:
        here = (*chain, Step(name, *chain[-1][1:]))
        pointee = bare(type_.parts[0]) if type_.kind == POINTER and type_.parts[0] is not None else None
        if pointee is not None:
            self._address(pointee, here, search)
        elif type_.kind == INTEGER and search.is_new((FIELD, key), ()):
            search.waiting.extend((given, here, ()) for given in self.into.get((FIELD, key), ()))


def bare(type_: Type) -> Type:
    """A type without the reference around it."""
    while type_.kind == REFERENCE and type_.parts[0] is not None:
        type_ = type_.parts[0]
    return type_


def node_of(node: NodeRecord) -> Node:
    """What names a node in every body."""
    return node.kind, node.key


def _entered(calls: Calls, body: Body, call: Call) -> Calls:
    """The calls with one more, the oldest forgotten where there are too many."""
    return (*calls, (body, call))[-_DEEPEST:]


def _function(node: NodeRecord) -> str:
    return node.name.rpartition("::")[0] or node.name


def _said(body: Body, node: NodeRecord) -> str:
    if node.kind == ADDRESS:
        return f"a pointer to {body.types[node.type].text}"
    return node.name or node.key


def steps(chain: Iterable[Step]) -> tuple[str, ...]:
    """The steps as text."""
    return tuple(f"{step.text} ({step.path}:{step.line})" for step in chain)
