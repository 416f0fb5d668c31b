"""What is stored where: through stores, calls, returns, references and functions of libraries, without regard to order.

Fields are told apart by class and instantiation, not by object; what is stored into one anywhere may be read from it
everywhere. That sees too much rather than too little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.sources.memo_records import (
    ADDRESS,
    ARGUMENT,
    CALL,
    CLOSURE,
    INTEGER,
    LOCAL,
    OPAQUE,
    POINTER,
    RECORD,
    REFERENCE,
    RESULT,
    Call,
    NodeRecord,
    Operand,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mgaudit.analysis.memo_walk import Walker
    from mgaudit.analysis.memo_world import Body, Node, Type

SIZES: Final = frozenset(
    {"size", "ssize", "length", "capacity", "count", "empty", "max_size", "bucket_count", "use_count", "has_value",
     "expired", "contains", "index", "find_first_of", "find_last_of", "extent"}
)  # fmt: skip
"""Members of library classes whose number says nothing of what their object holds."""

_INCREMENTS: Final = frozenset({"operator++", "operator+=", "fetch_add"})  # of atomics
_DEEPEST: Final = 5  # calls and references that a store goes through


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


class Flows:
    """What is stored where, over all bodies.

    Args:
        walker: Knows types, containers and how the gate names things.
        overriding: The overriding functions of each virtual function, by key.

    Attributes:
        into: The values that each node is given.
        incremented: The keys of what is incremented outside of the judged zones.
        bodies: The bodies by the key of their function.
        members: The keys of the functions of each class.
        makers: The keys of the constructors of each class.
    """

    def __init__(self, walker: Walker, overriding: Mapping[str, Sequence[str]]) -> None:
        self._walker = walker
        self._overriding = overriding
        self.into: dict[Node, list[Given]] = {}
        self.incremented: set[str] = set()
        self.bodies: dict[str, Body] = {body.row.key: body for body in walker.world.bodies}
        self.members: dict[str, list[str]] = {}
        self.makers: dict[str, set[str]] = {}
        for body in walker.world.bodies:
            self.members.setdefault(body.row.owner, []).append(body.row.key)
            scope, _, name = body.row.name.rpartition("::")
            if scope.rpartition("::")[2] == name:
                self.makers.setdefault(body.row.owner, set()).add(body.row.key)
        self._returned: dict[str, list[tuple[Body, Operand]]] = {}
        self._referred: dict[str, list[tuple[Body, Operand]]] = {}
        for body in walker.world.bodies:
            self._note(body)
        for body in walker.world.bodies:
            self._take(body)
        for body in walker.world.bodies:
            self._take_helped(body)

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
            if not call.is_tracked or not self.is_defined(call):
                self._take_library_call(body, call)
        if not self._walker.terms.is_inside(body.path):
            changed = [*row.incremented]
            for call in row.calls:
                if call.name.rpartition("::")[2] in _INCREMENTS and call.receiver is not None:
                    changed += call.receiver.path[-1:] or call.receiver.nodes
            self.incremented.update(n.key for index in changed for n in self._designated(body, index))

    def _take_helped(self, body: Body) -> None:
        """What a helper increments that is given it by reference."""
        for call in body.row.calls if not self._walker.terms.is_inside(body.path) else ():
            for position in call.outputs:
                if position < len(call.arguments) and f"{call.key}/{position}" in self.incremented:
                    path = call.arguments[position].path
                    self.incremented.update(n.key for index in path[-1:] for n in self._designated(body, index))

    def is_defined(self, call: Call) -> bool:
        """Whether the body of a called function is seen, or of one that overrides it."""
        return any(key in self.bodies for key in self.targets(call.key))

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
                self._give_back(body, call.receiver, self.argument(body, call, argument))
        for position in call.outputs if not keyed else ():
            if position < len(call.arguments):
                target = call.arguments[position]
                for other in others:
                    if other is not target:
                        self._give_back(body, target, self.argument(body, call, other))
        self._take_lambdas(body, call)

    def argument(self, body: Body, call: Call, operand: Operand) -> Given:
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
        return [closure.name, *self.members.get(closure.key, ())]

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


def bare(type_: Type) -> Type:
    """A type without the reference around it."""
    while type_.kind == REFERENCE and type_.parts[0] is not None:
        type_ = type_.parts[0]
    return type_


def node_of(node: NodeRecord) -> Node:
    """What names a node in every body."""
    return node.kind, node.key
