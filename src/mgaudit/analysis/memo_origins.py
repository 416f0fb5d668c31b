"""Where a value comes from: backwards through what `mgaudit.analysis.memo_flows` knows.

A way that enters a function by its result leaves it by the arguments of the same call (call strings of bounded length,
after Sharir and Pnueli), and what a member function reads of a local object is what other calls on that very object
stored. Where the way back ends in something that nobody knows, the answer says so.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from mgaudit.analysis.memo_containers import chosen
from mgaudit.analysis.memo_flows import SIZES, Flows, Given, bare, node_of
from mgaudit.sources.memo_records import (
    ADDRESS,
    ARGUMENT,
    ARRAY,
    CALL,
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
    from collections.abc import Iterable, Iterator

    from mgaudit.analysis.memo_walk import Walker
    from mgaudit.analysis.memo_world import Body, Member, Node, Type
    from mgaudit.domain.names import Patterns

_LONGEST: Final = 20_000  # nodes that one question may visit
_DEEPEST: Final = 2  # calls that a way remembers


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


Calls = tuple[tuple["Body", Call], ...]
"""The calls by which a way entered functions, the innermost last."""


@dataclass(frozen=True, slots=True)
class Names:
    """Functions that yield what no key may hold."""

    lifetimes: Patterns
    gl_names: Patterns


@dataclass(frozen=True, slots=True)
class _Junction:
    """A node on a way back that does not depend on the calls of the way, and the steps to it."""

    chain: tuple[Step, ...]
    body: Body
    node: NodeRecord


@dataclass(slots=True)
class _Search:
    """One question under way.

    Attributes:
        through_libraries: As in `Origins.of`.
        waiting: The values to look at.
        seen: The nodes that were met, with the calls of the way.
        found: The origins.
        junctions: Where the search stops, because what lies behind is the same for all.
    """

    through_libraries: bool
    waiting: deque[tuple[Given, tuple[Step, ...], Calls]] = field(default_factory=deque)
    seen: set[tuple[Node, tuple[int, ...]]] = field(default_factory=set)
    found: dict[tuple[Origin, str], Source] = field(default_factory=dict)
    junctions: dict[Node, _Junction] = field(default_factory=dict)

    def is_new(self, node: Node, calls: Calls) -> bool:
        """Whether a node is met for the first time within the same calls."""
        identity = (node, tuple([id(call) for _, call in calls]))
        if identity in self.seen:
            return False
        self.seen.add(identity)
        return True

    def add(self, origin: Origin, subject: str, chain: tuple[Step, ...], bits: int = 0) -> None:
        self.found.setdefault((origin, subject), Source(origin, subject, bits, chain))


class Origins:
    """Answers where values come from.

    Args:
        walker: Knows types, containers and how the gate names things.
        flows: Knows what is stored where.
        names: The functions that matter.
    """

    def __init__(self, walker: Walker, flows: Flows, names: Names) -> None:
        self._walker = walker
        self._flows = flows
        self._names = names
        self._known: dict[tuple[Node, bool], _Search] = {}
        self._empty: dict[Type, bool] = {}
        self._kinds: dict[str, Origin | None] = {}

    def of(self, givens: Iterable[Given], *, through_libraries: bool = True) -> list[Source]:
        """What some values may be made of; each origin once, by the shortest way.

        Args:
            givens: The values.
            through_libraries: Whether what a function of a library returns is made of what it is given.
        """
        whole = _Search(through_libraries)
        seen: set[Node] = set()
        waiting: deque[tuple[tuple[Step, ...], _Search]] = deque()
        waiting.append(((), self._explored(givens, through_libraries)))
        while waiting:
            chain, part = waiting.popleft()
            for source in part.found.values():
                whole.add(source.origin, source.subject, (*chain, *source.chain), source.bits)
            for identity, junction in part.junctions.items():
                if identity not in seen:
                    seen.add(identity)
                    waiting.append(((*chain, *junction.chain), self._behind(identity, junction, through_libraries)))
        return sorted(whole.found.values(), key=lambda s: (s.origin, s.subject))

    def _behind(self, identity: Node, junction: _Junction, through_libraries: bool) -> _Search:  # noqa: FBT001
        """What lies behind a node that does not depend on the way to it; looked for once."""
        known = self._known.get((identity, through_libraries))
        if known is None:
            stored = self._flows.into.get(identity, ())
            known = self._known[identity, through_libraries] = self._explored(stored, through_libraries)
            body, node = junction.body, junction.node
            if node.kind == FIELD and node.key in self._flows.incremented:
                type_ = bare(body.types[node.type]) if node.type >= 0 else None
                known.add(Origin.COUNTER, node.name, (), self._bits(type_))
            if node.kind == ARGUMENT and not stored and not self._is_entry(node):
                known.add(Origin.UNKNOWN, f"no caller of `{_function(node)}` is seen", ())
        return known

    def _explored(self, givens: Iterable[Given], through_libraries: bool) -> _Search:  # noqa: FBT001
        """What values are made of, up to the nodes that do not depend on the way to them."""
        search = _Search(through_libraries)
        search.waiting.extend((given, (), ()) for given in givens)
        while search.waiting:
            if len(search.seen) > _LONGEST:
                search.add(Origin.UNKNOWN, "the way back is too long", ())
                break
            self._look(*search.waiting.popleft(), search)
        search.seen.clear()
        return search

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
                self._content(body, bare(body.types[node.type]), here, search)

    def _content(self, body: Body, type_: Type, chain: tuple[Step, ...], search: _Search) -> None:
        """What lies at an address: a pointer by value, or all that a class holds."""
        while type_.kind == ARRAY and type_.parts[0] is not None:
            type_ = type_.parts[0]
        record = self._walker.world.record_of(type_)
        known = self._walker.containers.of(type_) if type_.kind == RECORD else None
        if type_.kind == POINTER and type_.parts[0] is not None:
            self._address(bare(type_.parts[0]), chain, search)
        elif known is not None:
            for _, part in (*chosen(type_, known.elements), *chosen(type_, known.pointers)):
                self._content(body, part, chain, search)
        elif record is not None:
            for member in record.fields.values():
                self._field_of(body, member, chain, search)

    def _elements(self, body: Body, call: Call, chain: tuple[Step, ...], search: _Search) -> None:
        """The bytes of what a container holds, at the address that one of its members returns."""
        if call.receiver is not None and not call.is_tracked:
            type_ = bare(body.types[call.receiver.type])
            known = self._walker.containers.of(type_) if type_.kind == RECORD else None
            for _, part in chosen(type_, known.elements) if known is not None else ():
                self._content(body, part, chain, search)

    def _address(self, type_: Type, chain: tuple[Step, ...], search: _Search) -> None:
        if type_.kind == RECORD and self._walker.is_frontend(type_):
            search.add(Origin.POINTER, type_.name, chain)
        elif type_.kind == RECORD and self._walker.is_backend(type_):
            search.add(Origin.BACKEND, type_.name, chain)

    def _node(self, body: Body, node: NodeRecord, chain: tuple[Step, ...], calls: Calls, search: _Search) -> None:
        type_ = bare(body.types[node.type]) if node.type >= 0 else None
        if any(map(self._walker.terms.gl_names.select, node.aliases)):
            search.add(Origin.GL_NAME, node.name, chain)
            return
        if type_ is not None and self._carries_nothing(type_):
            return
        identity = node_of(node)
        if node.kind == FIELD and calls and (ways := self._own_stores(node, calls)) is not None:
            if search.is_new(identity, calls):
                search.waiting.extend((given, chain, inner) for given, inner in ways)
        elif node.kind in {FIELD, VARIABLE} or (node.kind == ARGUMENT and not calls):
            search.junctions.setdefault(identity, _Junction(chain, body, node))  # whoever stored: in another call
        elif search.is_new(identity, calls):
            stored: Iterable[Given] = self._flows.into.get(identity, ())
            if node.kind == ARGUMENT and (own := self._own_argument(node, calls)) is not None:
                search.waiting.append((own, chain, calls[:-1]))
                stored = [given for given in stored if not given.by_caller]
            search.waiting.extend((given, chain, calls) for given in stored)

    def _own_stores(self, field_: NodeRecord, calls: Calls) -> list[tuple[Given, Calls]] | None:
        """What the members of a class store into a field of a local object, given the call of one of them on it.

        None where the object is no local one, is known under another name, or something else stores into the field.
        """
        body, call = calls[-1]
        path = call.receiver.path if call.receiver is not None else ()
        owner = self._walker.world.owners.get(field_.key, "")
        if len(path) != 1 or body.node(path[0]).kind != LOCAL or _is_shared(body, path):
            return None
        if body.types[body.node(path[0]).type].key != owner:
            return None
        found: list[tuple[Given, Calls]] = []
        for given in self._flows.into.get(node_of(field_), ()):
            key = given.body.row.key
            if given.body.row.owner != owner:
                return None
            if key == field_.key or key in self._flows.makers.get(owner, ()):
                found.append((given, ()))
            found += ((given, _kept(way)) for way in self._ways(body, path, owner, key, calls[:-1]))
        return found

    def _ways(  # noqa: PLR0913, PLR0917
        self, body: Body, path: tuple[int, ...], owner: str, key: str, calls: Calls, depth: int = 0
    ) -> Iterator[Calls]:
        """How a member function is called on a local object: by its name, or by another member that is."""
        for call in body.row.calls:
            if call.key == key and call.receiver is not None and call.receiver.path == path:
                yield (*calls, (body, call))
        for other in self._flows.members.get(owner, ()) if depth < _DEEPEST else ():
            member = self._flows.bodies[other]
            for call in member.row.calls:
                if call.key == key and other != key and not (call.receiver is not None and call.receiver.path):
                    for way in self._ways(body, path, owner, other, calls, depth + 1):
                        yield (*way, (member, call))

    def _bits(self, type_: Type | None) -> int:
        """The width of a number, or of the elements of an array of numbers."""
        while type_ is not None and type_.kind in {ARRAY, RECORD}:
            known = self._walker.containers.of(type_) if type_.kind == RECORD else None
            elements = [part for _, part in chosen(type_, known.elements)] if known is not None else type_.parts
            type_ = elements[0] if len(elements) == 1 or type_.kind == ARRAY else None
        return type_.bits if type_ is not None else 0

    def _is_entry(self, node: NodeRecord) -> bool:
        """Whether a parameter belongs to a free function of the frontend: its value is the application's."""
        function = self._flows.bodies.get(node.key.rpartition("/")[0])
        return function is not None and not function.row.owner and self._walker.terms.is_frontend(
            function.path, function.row.name
        )  # fmt: skip

    def _own_argument(self, node: NodeRecord, calls: Calls) -> Given | None:
        """What the call by which the way entered a function gives to a parameter of it."""
        body, call = calls[-1]
        key, _, position = node.key.rpartition("/")
        if key in self._flows.targets(call.key) and int(position) < len(call.arguments):
            return Given(body, call.arguments[int(position)], call.line)
        return None

    def _carries_nothing(self, type_: Type) -> bool:
        """Whether a value of a type tells nothing that its conversions and fields do not tell."""
        known = self._empty.get(type_)
        if known is None:
            target = bare(type_.parts[0]) if type_.kind == POINTER and type_.parts[0] is not None else type_
            is_object = target.kind == RECORD and self._walker.containers.of(target) is None
            is_known = is_object and (self._walker.world.record_of(target) or self._walker.is_frontend(target))
            known = self._empty[type_] = type_.kind in {ENUMERATION, OTHER} or bool(is_known)
        return known

    def _yields(self, call: Call) -> Origin | None:
        """What a function returns by its name, if that is known."""
        if call.name not in self._kinds:
            kind = Origin.GL_NAME if self._names.gl_names.select(call.name) else None
            kind = Origin.LIFETIME if self._names.lifetimes.select(call.name) else kind
            self._kinds[call.name] = kind
        is_gl_name = any(map(self._walker.terms.gl_names.select, call.aliases))
        return self._kinds[call.name] or (Origin.GL_NAME if is_gl_name else None)

    def _call(  # noqa: PLR0913, PLR0917
        self, body: Body, index: int, line: int, chain: tuple[Step, ...], calls: Calls, search: _Search
    ) -> None:
        call = body.row.calls[index]
        if not search.is_new((CALL, f"{id(body)}/{index}"), calls):
            return
        here = (*chain, Step(f"{call.name}()", body.path, call.line or line))
        origin = self._yields(call)
        if origin is not None:
            search.add(origin, call.name, here)
        elif call.is_tracked:
            keys = self._flows.targets(call.key)
            if not self._flows.is_defined(call):  # an argument that it filled elsewhere may still tell
                search.add(Origin.UNKNOWN, f"no definition of `{call.name}` is seen", here)
                for operand in call.arguments:
                    seen = msgspec.structs.replace(operand, path=())
                    search.waiting.append((Given(body, seen, call.line, None, is_content=True), here, calls))
            inner = _entered(calls, body, call)
            search.waiting.extend(
                (given, here, inner) for key in keys for given in self._flows.into.get((RESULT, key), ())
            )
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
        search.waiting.extend((self._flows.argument(body, call, operand), chain, calls) for operand in operands)

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
            self._content(body, record.type, chain, search)  # a hash over an object is one over its fields
        if target is not None:
            self._address(bare(target), chain, search)

    def _field_of(self, body: Body, member: Member, chain: tuple[Step, ...], search: _Search) -> None:
        key, name, type_ = member.place.key, member.place.name, member.type
        here = (*chain, Step(name, *chain[-1][1:]))
        pointee = bare(type_.parts[0]) if type_.kind == POINTER and type_.parts[0] is not None else None
        if pointee is not None:
            self._address(pointee, here, search)
        elif type_.kind == INTEGER:
            search.junctions.setdefault((FIELD, key), _Junction(here, body, NodeRecord(FIELD, key, name)))


def _entered(calls: Calls, body: Body, call: Call) -> Calls:
    """The calls with one more."""
    return _kept((*calls, (body, call)))


def _kept(calls: Calls) -> Calls:
    """The last calls; the oldest are forgotten where there are too many."""
    return calls[-_DEEPEST:]


def _is_shared(body: Body, path: tuple[int, ...]) -> bool:
    """Whether a local object is known under another name: a reference, a pointer, a parameter of something called."""
    for flow in body.row.flows:
        target = body.node(flow.target)
        is_reference = target.type >= 0 and body.types[target.type].kind == REFERENCE
        if flow.value.path == path and (is_reference or flow.value.is_address):
            return True
    return any(
        argument.path == path and (argument.is_address or position in call.outputs)
        for call in body.row.calls
        for position, argument in enumerate(call.arguments)
    )


def _function(node: NodeRecord) -> str:
    return node.name.rpartition("::")[0] or node.name


def _said(body: Body, node: NodeRecord) -> str:
    if node.kind == ADDRESS:
        return f"a pointer to {body.types[node.type].text}"
    return node.name or node.key


def steps(chain: Iterable[Step]) -> tuple[str, ...]:
    """The steps as text."""
    return tuple(f"{step.text} ({step.path}:{step.line})" for step in chain)
