"""Which fields of a class its equality and hash look at: the others only travel with the key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.analysis.memo_flows import bare
from mgaudit.sources.memo_records import POINTER, RECORD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.analysis.memo_world import Body, Record, Type, World

EQUALITY: Final = frozenset({"operator==", "operator<=>", "operator<", "operator!=", "operator>"})
HASHES: Final = frozenset({"AbslHashValue", "hash_value"})
_DEEPEST: Final = 5  # calls from an equality to its helpers
_STANDARD_HASHES: Final = ("std::hash", "std::equal_to", "std::less", "ankerl::unordered_dense::hash")


class Equality:
    """Tells what equality and hash of classes look at.

    Args:
        world: What is known.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._by_key: dict[str, list[Body]] = {}
        self._operators: dict[str, list[Body]] = {}
        self._calls: dict[str, list[Body]] = {}
        for body in world.bodies:
            self._by_key.setdefault(body.row.key, []).append(body)
            name = body.row.name.rpartition("::")[2]
            if name in EQUALITY | HASHES:
                for type_ in self._subjects(body):
                    self._operators.setdefault(type_.key, []).append(body)
            elif name == "operator()" and body.row.owner:
                self._calls.setdefault(body.row.owner, []).append(body)

    def _subjects(self, body: Body) -> Iterator[Type]:
        """The classes that a function compares or hashes."""
        for index in body.row.parameters:
            type_ = bare(body.types[index])
            if type_.kind == RECORD:
                yield type_

    def is_equality(self, body: Body) -> bool:
        """Whether a body is part of the equality or hash of a class, whose fields are walked with it."""
        name = body.row.name.rpartition("::")[2]
        if name in EQUALITY | HASHES:
            return True
        owner = self._world.records.get(body.row.owner)
        return name == "operator()" and owner is not None and owner.type.name in _STANDARD_HASHES

    def touched(self, record: Record, functors: tuple[Type, ...]) -> frozenset[str] | None:
        """The keys of the fields that equality and hash of a class look at; None where all of them may count.

        Args:
            record: The class.
            functors: The types of the functors of a container of it.
        """
        equalities = [b for b in self._operators.get(record.place.key, ()) if not self._is_hash(b)]
        hashes = [b for b in self._operators.get(record.place.key, ()) if self._is_hash(b)]
        for functor in functors:
            bodies = [b for b in self._calls.get(functor.key, ()) if self._takes(b, record)]
            named = functor.name
            if bodies and (len(bodies[0].row.parameters) > 1):
                equalities = bodies  # the container asks no operator
            elif bodies or named in _STANDARD_HASHES:
                hashes += bodies
        if not equalities:
            return None
        fields = set(record.fields)
        found: set[str] = set()
        for body in (*equalities, *hashes):
            seen: set[str] = set()
            if body.row.is_defaulted or not self._collect(body, record, found, seen, 0):
                return None
        return frozenset(found & fields)

    def _is_hash(self, body: Body) -> bool:
        return body.row.name.rpartition("::")[2] in HASHES

    def _takes(self, body: Body, record: Record) -> bool:
        return any(type_.key == record.place.key for type_ in self._subjects(body)) or not body.row.parameters

    def _collect(self, body: Body, record: Record, found: set[str], seen: set[str], depth: int) -> bool:
        """Add what a body and its helpers name; False where something takes the whole object."""
        if depth > _DEEPEST:
            return False
        if body.row.key in seen:
            return True
        seen.add(body.row.key)
        found.update(body.row.touched)
        for call in body.row.calls:
            if call.is_tracked:
                helpers = self._by_key.get(call.key, ())
                if not helpers and self._gives_whole(body, call.arguments, record):
                    return False
                if not all(self._collect(helper, record, found, seen, depth + 1) for helper in helpers):
                    return False
            elif self._gives_whole(body, call.arguments, record):
                return False
        return True

    def _gives_whole(self, body: Body, arguments: tuple[object, ...], record: Record) -> bool:
        for argument in arguments:
            for index in getattr(argument, "path", ())[-1:]:
                node = body.node(index)
                type_ = bare(body.types[node.type]) if node.type >= 0 else None
                if type_ is not None and type_.kind == POINTER and type_.parts[0] is not None:
                    type_ = bare(type_.parts[0])
                if type_ is not None and type_.key == record.place.key:
                    return True
        return False
