"""Which lasting declaration an operand reads: through local references, helpers, iterators and library functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.memo_flows import SIZES, Given, bare, node_of
from mgaudit.sources.memo_records import (
    ARGUMENT,
    CALL,
    FIELD,
    INTEGER,
    LOCAL,
    POINTER,
    RECORD,
    RESULT,
    VARIABLE,
    NodeRecord,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.analysis.memo_flows import Flows
    from mgaudit.analysis.memo_walk import Walker
    from mgaudit.analysis.memo_world import Body
    from mgaudit.sources.memo_records import Operand

_DEEPEST: Final = 6  # helpers and local variables on the way
_ADDRESS_BITS: Final = 64
_LASTING: Final = frozenset({FIELD, VARIABLE})
_FIRST_ARGUMENT: Final = frozenset(
    {"exchange", "get", "move", "forward", "as_const", "ref", "cref", "addressof", "to_address", "launder", "bit_cast",
     "static_pointer_cast", "dynamic_pointer_cast", "const_pointer_cast", "reinterpret_pointer_cast", "find", "find_if",
     "begin", "end", "cbegin", "cend", "rbegin", "rend", "data", "prev", "next", "lower_bound", "upper_bound", "min",
     "max", "get_if"}
)  # fmt: skip
"""Functions of libraries that return their first argument, or something within it."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A lasting place.

    Attributes:
        nodes: The variable and fields that lead to it, from the outside in.
        is_exact: Whether the operand is that place itself, and not an element or result of something of it.
    """

    nodes: tuple[NodeRecord, ...]
    is_exact: bool = True

    @property
    def key(self) -> str:
        """What names the innermost declaration."""
        return self.nodes[-1].key


class Places:
    """Finds lasting places.

    Args:
        walker: Knows which files are judged.
        flows: Knows what local variables, parameters and results are given.
        lasting: Keys of the classes of which this side keeps objects.
    """

    def __init__(self, walker: Walker, flows: Flows, lasting: frozenset[str]) -> None:
        self._walker = walker
        self._flows = flows
        self._lasting = lasting

    def of(self, body: Body, operand: Operand, *, through_callers: bool = False) -> list[Stored]:
        """The lasting places that an operand reads, once each; none where it is fresh.

        Args:
            body: Whose nodes the operand names.
            operand: The operand.
            through_callers: Whether a parameter stands for what callers give.
        """
        found: dict[tuple[str, ...], Stored] = {}
        for stored in self._of(body, operand, 0, set(), through=through_callers):
            found.setdefault(tuple(node.key for node in stored.nodes), stored)
        return list(found.values())

    def _of(
        self, body: Body, operand: Operand, depth: int, seen: set[tuple[str, str]], *, through: bool
    ) -> Iterator[Stored]:
        if depth > _DEEPEST:
            return
        path = [body.node(index) for index in operand.path]
        if path:
            yield from self._path(body, path, depth, seen, through=through)
            return
        for index in operand.nodes:
            node = body.node(index)
            if node.kind == CALL:
                for stored in self._call(body, int(node.key), depth, seen, through=through):
                    yield Stored(stored.nodes, is_exact=False)
            elif node.kind in {LOCAL, ARGUMENT}:
                for stored in self._given(node, depth, seen, through=through):
                    yield Stored(stored.nodes, is_exact=False)
            elif node.kind in _LASTING and self._may_be_address(body, operand) and self._is_kept((node,)):
                yield Stored((node,), is_exact=False)

    def _may_be_address(self, body: Body, operand: Operand) -> bool:
        """Whether what is computed may still be a pointer: one with a tag in its low bits, say."""
        type_ = bare(body.types[operand.type])
        return type_.kind == POINTER or (type_.kind == INTEGER and type_.bits >= _ADDRESS_BITS)

    def _path(
        self, body: Body, path: list[NodeRecord], depth: int, seen: set[tuple[str, str]], *, through: bool
    ) -> Iterator[Stored]:
        first, rest = path[0], tuple(path[1:])
        if first.kind in _LASTING:
            if self._is_kept(tuple(path)):
                yield Stored(tuple(path))
            return
        if first.kind == CALL:
            bases = (
                []
                if self._is_pointer(body, first)
                else list(self._call(body, int(first.key), depth, seen, through=through))
            )
        else:
            bases = list(self._given(first, depth, seen, through=through)) if first.kind == LOCAL or through else []
        for stored in bases:
            yield Stored((*stored.nodes, *rest), (stored.is_exact and first.kind != CALL) or bool(rest))
        type_ = bare(body.types[first.type]) if first.type >= 0 else None
        is_apart = first.kind == LOCAL and type_ is not None and type_.text == body.types[first.type].text
        if not bases and rest and not is_apart and self._is_kept(rest):
            yield Stored(rest)

    def _is_pointer(self, body: Body, node: NodeRecord) -> bool:
        """Whether a call is the arrow of a pointer, behind which another object lies."""
        call = body.row.calls[int(node.key)]
        if not call.name.endswith("operator->") or call.receiver is None:
            return False
        known = self._walker.containers.of(bare(body.types[call.receiver.type]))
        return call.is_tracked or (known is not None and known.pointers != ())

    def _given(self, node: NodeRecord, depth: int, seen: set[tuple[str, str]], *, through: bool) -> Iterator[Stored]:
        identity = node_of(node)
        if identity in seen or (node.kind == ARGUMENT and not through):
            return
        seen.add(identity)
        for given in self._flows.into.get(identity, ()):
            yield from self._one(given, depth + 1, seen, through=through)

    def _one(self, given: Given, depth: int, seen: set[tuple[str, str]], *, through: bool) -> Iterator[Stored]:
        if given.node is None:
            yield from self._of(given.body, given.operand, depth, seen, through=through)

    def _call(
        self, body: Body, index: int, depth: int, seen: set[tuple[str, str]], *, through: bool
    ) -> Iterator[Stored]:
        call = body.row.calls[index]
        if call.is_tracked:
            bases = []
            if call.receiver is not None:
                bases = list(self._of(body, call.receiver, depth + 1, seen, through=through))
            for key in self._flows.targets(call.key):
                for stored in self._given(NodeRecord(RESULT, key, call.name), depth, seen, through=through):
                    yield from self._within(bases, stored)
            return
        name = call.name.rpartition("::")[2]
        if call.receiver is not None:
            if name not in SIZES:
                yield from self._of(body, call.receiver, depth + 1, seen, through=through)
        elif name in _FIRST_ARGUMENT and call.arguments:
            yield from self._of(body, call.arguments[0], depth + 1, seen, through=through)

    def _within(self, bases: list[Stored], stored: Stored) -> Iterator[Stored]:
        """A place that a member function returns, within the object that it is called on."""
        owner = self._walker.world.owners.get(stored.nodes[0].key, "")
        fitting = [base for base in bases if self._is_of(base, owner)]
        for base in fitting:
            yield Stored((*base.nodes, *stored.nodes), stored.is_exact)
        if not fitting:
            yield stored

    def _is_of(self, base: Stored, owner: str) -> bool:
        """Whether a place holds an object of a class, or of one that derives from it."""
        member = self._walker.world.member(base.key)
        waiting = [member.type] if member is not None else []
        while waiting:
            record = self._walker.world.record_of(waiting.pop())
            if record is not None:
                if record.place.key == owner:
                    return True
                waiting += record.bases
        return False

    def _is_kept(self, path: tuple[NodeRecord, ...]) -> bool:
        """Whether a path begins with something that lasts on this side of the boundary."""
        first = path[0]
        if first.kind == VARIABLE:
            return self._walker.terms.is_inside(first.path)
        owner = self._walker.world.owners.get(first.key, "")
        record = self._walker.world.records.get(owner)
        if record is None or (not record.is_plain and self._walker.terms.is_inside(first.path)):
            return self._walker.terms.is_inside(first.path)
        return not self._walker.is_frontend(record.type) and record.place.key in self._lasting

    def is_foreign(self, body: Body, operand: Operand) -> bool:
        """Whether an operand is an object of a library that is no container: an iterator, say."""
        type_ = bare(body.types[operand.type])
        if type_.kind != RECORD or self._walker.containers.of(type_) is not None:
            return False
        return self._walker.world.record_of(type_) is None
