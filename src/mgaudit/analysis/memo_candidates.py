"""What may be a memo: containers with keys, and lasting places that are compared, searched or indexed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.memo_containers import chosen
from mgaudit.analysis.memo_flows import Given, bare
from mgaudit.analysis.memo_walk import Part, Shape, Start, containers_in, held
from mgaudit.analysis.memo_world import Place
from mgaudit.sources.memo_records import (
    ARGUMENT,
    ARRAY,
    DEPENDENT,
    INTEGER,
    OPAQUE,
    POINTER,
    RECORD,
    REFERENCE,
    VARIABLE,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.analysis.memo_equality import Equality
    from mgaudit.analysis.memo_flows import Flows
    from mgaudit.analysis.memo_stored import Places, Stored
    from mgaudit.analysis.memo_walk import Occurrence, Walker
    from mgaudit.analysis.memo_world import Body, Member, Type
    from mgaudit.sources.memo_records import Call, Comparison, Operand

KEY: Final = "key"  # the kind of the node of what identifies entries of a container

# Functions of libraries that compare: the positions of what is searched or compared, and of what it is held against.
_COMPARING: Final = {
    "memcmp": (0, 1), "strcmp": (0, 1), "strncmp": (0, 1), "std::equal": (0, 2), "std::mismatch": (0, 2),
    "std::lexicographical_compare": (0, 2), "std::find": (0, 2), "std::count": (0, 2), "std::lower_bound": (0, 2),
    "std::upper_bound": (0, 2), "std::equal_range": (0, 2), "std::binary_search": (0, 2), "std::remove": (0, 2),
    "std::search": (0, 2), "std::equal_to::operator()": (0, 1), "std::not_equal_to::operator()": (0, 1),
    "std::less::operator()": (0, 1), "std::greater::operator()": (0, 1), "std::owner_less::operator()": (0, 1),
}  # fmt: skip
_COMPARING_MEMBERS: Final = frozenset({"owner_before", "owner_equal", "compare", "equals", "compare_exchange_strong",
                                       "compare_exchange_weak"})  # fmt: skip
_BYTES: Final = frozenset({"memcmp"})
_RANGES: Final = frozenset({"find", "count", "contains", "lower_bound", "upper_bound", "equal_range", "binary_search",
                            "equal", "mismatch", "remove"})  # fmt: skip
_ORDERING: Final = frozenset({"<", ">", "<=", ">=", "<=>"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """Components that one declaration keeps, and what is done with them.

    Attributes:
        container: The declaration that keeps the entries.
        parts: The components.
        role: ``key``, ``value`` or ``compare-only``.
        form: What kind of memo it is.
        mask: The configurations that see it.
        owner: The key of the class or variable in which comparisons stand side by side; empty for a container.
        entry: The key of the class of the place that is compared, or empty.
        condition: The function and condition in which it is compared, or empty.
        fresh: What the stored value is held against.
        key: What is used as the key of the container itself.
        index: Whether the key is a position.
        is_table: Whether the declaration is an object of a class outside of the zones that compares for itself.
    """

    container: Place
    parts: tuple[Part, ...]
    role: str
    form: str
    mask: int
    owner: str = ""
    entry: str = ""
    condition: tuple[str, int] = ("", 0)
    fresh: tuple[Given, ...] = ()
    key: tuple[Given, ...] | None = None
    index: bool = False
    is_table: bool = False


@dataclass(slots=True)
class Finder:
    """Finds candidates.

    Attributes:
        walker: Walks types.
        flows: Knows what is stored where.
        places: Finds lasting places.
        equality: Knows which bodies are part of a class's equality.
    """

    walker: Walker
    flows: Flows
    places: Places
    equality: Equality
    _keys: dict[str, list[Given]] = field(default_factory=dict)
    _resolved_places: set[tuple[str, int, int]] = field(default_factory=set)
    _reach: dict[str, dict[str, Member]] = field(default_factory=dict)
    _calls_on: dict[str, dict[str, list[tuple[Body, Call]]]] = field(default_factory=dict)

    # ---- containers

    def containers(self) -> Iterator[Candidate]:
        """The containers with keys that declarations of the zones hold, or classes of the zones are."""
        self._collect_keys()
        for member in self.walker.declared():
            for occurrence in containers_in(self.walker, member.type, member, member.place):
                yield from self._container(occurrence, member.place, member.mask)
        for record in sorted(self.walker.world.records.values(), key=lambda r: (r.place, r.type.text)):
            if self.walker.terms.is_inside(record.place.path):
                for base in record.bases:
                    for occurrence in containers_in(self.walker, base, None, record.place):
                        yield from self._container(occurrence, record.place, record.mask)

    def _container(self, occurrence: Occurrence, place: Place, mask: int) -> Iterator[Candidate]:
        known = self.walker.containers.of(occurrence.type)
        assert known is not None
        functors = tuple(part for _, part in chosen(occurrence.type, known.functors))
        name = occurrence.type.name
        form = ("set" if not known.values else "map") + f" ({name})"
        parts: list[Part] = []
        for position, key in chosen(occurrence.type, known.keys):
            is_single = bare(key).kind != RECORD or self.walker.world.record_of(bare(key)) is None
            node = (KEY, place.key) if is_single else None
            start = Start(
                key, place, node, occurrence.member, (*occurrence.path, position), functors, occurrence.steps
            )  # fmt: skip
            parts += self.walker.parts(start)
        yield Candidate(place, tuple(parts), "key", form, mask, key=tuple(self._keys.get(place.key, ())))
        values: list[Part] = []
        for _, value in chosen(occurrence.type, known.values):
            values += self.walker.parts(Start(value, place, None, None, (), (), occurrence.steps, is_whole=True))
        kept = tuple(part for part in values if part.shape in {Shape.FRONTEND, Shape.GL_NAME})
        if kept:
            yield Candidate(place, kept, "value", form, mask)

    def _collect_keys(self) -> None:
        """What is used as a key, by container: the first argument of a member, or the first part of an entry."""
        for body in self.walker.world.bodies:
            for call in body.row.calls:
                if call.is_tracked or not call.arguments:
                    continue
                for holder, key_types in self._keyed_receivers(body, call):
                    first = call.arguments[0]
                    for operand in (first, *first.parts[:1]):
                        if self._may_be_key(body, operand, key_types):
                            self._keys.setdefault(holder, []).append(Given(body, operand, call.line))
                            break

    def _keyed_receivers(self, body: Body, call: Call) -> Iterator[tuple[str, tuple[Type, ...]]]:
        world, containers = self.walker.world, self.walker.containers
        if call.receiver is None:
            record = world.records.get(body.row.owner)
            for base in record.bases if record is not None else ():
                known = containers.of(base)
                if known is not None and record is not None and call.name.startswith(base.name + "::"):
                    yield record.place.key, tuple(part for _, part in chosen(base, known.keys))
            return
        type_ = bare(body.types[call.receiver.type])
        if type_.kind != RECORD:
            return
        known = containers.of(type_)
        key_types = tuple(part for _, part in chosen(type_, known.keys)) if known is not None else ()
        if not key_types:
            return
        for stored in self.places.of(body, call.receiver, through_callers=True):
            yield stored.key, key_types
            yield from ((node.key, key_types) for node in stored.nodes[:-1])
            for node in stored.nodes:
                member = world.member(node.key)
                if member is not None and member.type.kind == RECORD:
                    yield member.type.key, key_types
        for index in call.receiver.nodes:
            node = body.node(index)
            if node.type >= 0 and bare(body.types[node.type]).kind == RECORD:
                yield bare(body.types[node.type]).key, key_types

    def _may_be_key(self, body: Body, operand: Operand, key_types: tuple[Type, ...]) -> bool:
        type_ = bare(body.types[operand.type])
        return any(
            type_ is key or (type_.kind == key.kind and type_.kind in {INTEGER, POINTER}) for key in key_types
        ) or (type_.kind in {INTEGER, POINTER} and any(key.kind in {INTEGER, POINTER} for key in key_types))

    # ---- comparisons

    def compared(self) -> Iterator[Candidate]:
        """The lasting places that bodies compare with something else; helpers of the frontend are given them, too."""
        for body in self.walker.world.bodies:
            if not self.equality.is_equality(body):
                for comparison in body.row.comparisons:
                    yield from self._comparison(body, comparison)
                for call in body.row.calls:
                    yield from self._call(body, call)

    def _comparison(self, body: Body, comparison: Comparison) -> Iterator[Candidate]:
        left, right = comparison.left, comparison.right
        if self._is_dependent(body, left) or self._is_dependent(body, right):
            yield from self._unresolved(body, comparison)
            return
        constant = not left.nodes or not right.nodes
        foreign = self.places.is_foreign(body, left) or self.places.is_foreign(body, right)
        if constant or foreign:
            return
        if comparison.operator in _ORDERING and not self._is_pointer(body, left):
            return
        how = "cleared" if comparison.cleared else ""
        yield from self._pair(body, left, right, (comparison.line, comparison.group), how)

    def _is_dependent(self, body: Body, operand: Operand) -> bool:
        return bare(body.types[operand.type]).kind == DEPENDENT or any(
            body.node(index).kind == OPAQUE for index in operand.nodes
        )

    def _unresolved(self, body: Body, comparison: Comparison) -> Iterator[Candidate]:
        """A comparison with an object of the frontend, of something that the front end resolves in no instantiation."""
        if (body.path, comparison.line, comparison.column) in self._resolved():
            return
        place = Place(body.path, comparison.line, comparison.column, body.row.name, body.row.key)
        for operand in (comparison.left, comparison.right):
            type_ = bare(body.types[operand.type])
            parts = self.walker.parts(Start(type_, place, None))
            if any(part.shape in {Shape.FRONTEND, Shape.ERASED} for part in parts):
                reason = "the front end does not resolve what is compared with it"
                unknown = Part(Shape.UNKNOWN, type_, place, None, (body.row.name,), reason)
                yield Candidate(place, (unknown,), "key", "comparison", body.mask)

    def _resolved(self) -> set[tuple[str, int, int]]:
        """Where comparisons stand that are resolved in some instantiation."""
        if not self._resolved_places:
            self._resolved_places.update(
                (body.path, c.line, c.column)
                for body in self.walker.world.bodies
                for c in body.row.comparisons
                if not self._is_dependent(body, c.left) and not self._is_dependent(body, c.right)
            )
        return self._resolved_places

    def _is_pointer(self, body: Body, operand: Operand) -> bool:
        type_ = bare(body.types[operand.type])
        return type_.kind == POINTER or (type_.kind == RECORD and self.walker.containers.of(type_) is not None)

    def _call(self, body: Body, call: Call) -> Iterator[Candidate]:
        if call.is_tracked:
            return
        name = call.name.rpartition("::")[2]
        positions = _COMPARING.get(call.name) or _COMPARING.get(name if name in _BYTES else "")
        if positions is None and name == "operator()" and call.name.startswith("std::ranges::"):
            plain = call.name.split("::")[-2].strip("_")
            positions = (0, 1) if plain in _RANGES else None
        if positions is None and name in _RANGES and call.name.startswith("std::ranges::"):
            positions = (0, 1)
        if positions is not None and len(call.arguments) > positions[1]:
            if len(call.arguments) == 2:
                positions = (0, 1)
            left, right = (call.arguments[p] for p in positions)
            yield from self._pair(body, left, right, (call.line, 0), "bytes" if name in _BYTES else "search")
        elif name in _COMPARING_MEMBERS and call.receiver is not None and call.arguments:
            yield from self._pair(body, call.receiver, call.arguments[0], (call.line, 0), "search")
        elif name in {"operator[]", "at", "test"} and call.receiver is not None and len(call.arguments) == 1:
            yield from self._index(body, call)

    def _pair(self, body: Body, left: Operand, right: Operand, at: tuple[int, int], how: str) -> Iterator[Candidate]:
        """Both sides of a comparison, at a line and in a condition."""
        sides = [(left, right), (right, left)] if how != "search" else [(left, right)]
        found = [self.places.of(body, operand) for operand, _ in sides]
        if not any(found):
            found = [self.places.of(body, operand, through_callers=True) for operand, _ in sides]
        both = len(found) == 2 and all(found)
        for (operand, other), stored in zip(sides, found, strict=True):
            opposite = found[1] if stored is found[0] and len(found) == 2 else found[0]
            for place in stored:
                role = "key"
                if how == "cleared" or (both and not self._is_fed(place, opposite)):
                    role = "compare-only"
                fresh = Given(body, other, at[0])
                for candidate in self._candidates(body, operand, place, role, fresh, how):
                    yield replace(candidate, condition=(body.row.key, at[1]))

    def _is_fed(self, place: Stored, others: list[Stored]) -> bool:
        """Whether a place is the same field as another, of another object, or is ever given its value."""
        for other in others:
            if other.key == place.key:
                return True
        keys = {other.key for other in others}
        for node in place.nodes:
            for given in self.flows.into.get((node.kind, node.key), ()):
                if given.node is None and any(
                    source.key in keys for source in self.places.of(given.body, given.operand, through_callers=True)
                ):
                    return True
        return False

    def _candidates(  # noqa: PLR0913, PLR0917
        self, body: Body, operand: Operand, stored: Stored, role: str, fresh: Given, how: str
    ) -> Iterator[Candidate]:
        type_ = self._compared_type(body, operand, stored, how)
        leaf = self.walker.world.member(stored.key)
        for holder in self._holders(stored):
            origin = (stored.nodes[-1].kind, stored.key)
            member, path = leaf, ()
            if leaf is not None and leaf.parameter >= 0:
                member, path = holder, (leaf.parameter,)  # type: ignore[assignment]
            elif leaf is None or (leaf.type is not type_ and _inner(leaf.type) is not type_):
                member = None
            names = (node.name for node in stored.nodes)
            steps = (*names, f"compared in {body.row.name} ({body.path}:{fresh.line})")
            start = Start(type_, holder.place, origin, member, path, (), steps, is_whole=how == "bytes")
            parts = tuple(self.walker.parts(start))
            owners = self.walker.world.owners
            owner, entry = owners.get(stored.nodes[0].key, stored.nodes[0].key), owners.get(stored.key, "")
            is_table = self._is_outside(stored)
            given = self._given_by(holder, stored, fresh) if is_table else None
            form = "searched table" if is_table else _form(stored, how, self.walker, leaf)
            yield Candidate(
                holder.place, parts, role, form, holder.mask, owner, entry, ("", 0),
                () if given else (fresh,), given, is_table=is_table,
            )  # fmt: skip

    def _compared_type(self, body: Body, operand: Operand, stored: Stored, how: str) -> Type:
        type_ = bare(body.types[operand.type])
        leaf = stored.nodes[-1]
        member = self.walker.world.member(leaf.key)
        if member is not None and how in {"bytes", "search"}:  # the operand is an address or an iterator
            inner = _inner(member.type)
            known = self.walker.containers.of(inner) if inner.kind == RECORD else None
            elements = chosen(inner, known.elements) if known is not None else []
            return elements[0][1] if len(elements) == 1 else inner
        if member is not None and stored.is_exact and type_.kind in {POINTER, INTEGER}:
            own = bare(_inner(member.type))
            if own.kind in {POINTER, INTEGER}:  # conversions hide what the declaration says
                return own
        return type_

    def _holders(self, stored: Stored) -> list[Member]:
        """The innermost declaration of the zones on the way; of a class outside of them, whoever holds such a class."""
        for node in reversed(stored.nodes):
            member = self.walker.world.member(node.key)
            if member is not None and self.walker.terms.is_inside(member.place.path):
                return [member]
        owner = self.walker.world.owners.get(stored.nodes[0].key, "")
        if not self._reach:
            self._collect_reach()
        return sorted(self._reach.get(owner, {}).values(), key=lambda m: (m.place, m.type.text))

    def _is_outside(self, stored: Stored) -> bool:
        members = (self.walker.world.member(node.key) for node in stored.nodes)
        return not any(m is not None and self.walker.terms.is_inside(m.place.path) for m in members)

    def _collect_reach(self) -> None:
        """Which declarations hold objects of which classes outside of the zones, those of the frontend aside."""
        world = self.walker.world
        for member in self.walker.declared():
            for key in held(self.walker, member.type):
                record = world.records.get(key)
                if record is not None and not self.walker.terms.is_inside(record.place.path):
                    self._reach.setdefault(key, {})[member.place.key] = member

    def _given_by(self, holder: Member, stored: Stored, fresh: Given) -> tuple[Given, ...] | None:
        """What the users of one object give to the members of its class that store or compare the key; None if unseen.

        Without this, all objects of a class would seem to hold what any of them holds.
        """
        users = self._users().get(holder.place.key, {})
        leaf = stored.nodes[-1]
        waiting = [*self.flows.into.get((leaf.kind, leaf.key), ()), fresh]
        found, seen = list[Given](), set[str]()
        while waiting:
            given = waiting.pop()
            for index in given.operand.nodes if given.node is None else ():
                node = given.body.node(index)
                if node.kind != ARGUMENT or node.key in seen:
                    continue
                seen.add(node.key)
                function, _, position = node.key.rpartition("/")
                for body, call in users.get(function, ()):
                    if int(position) < len(call.arguments):
                        found.append(Given(body, call.arguments[int(position)], call.line))
                if function not in users:
                    waiting += self.flows.into.get((ARGUMENT, node.key), ())
        return tuple(found) or None

    def _users(self) -> dict[str, dict[str, list[tuple[Body, Call]]]]:
        """The calls of tracked member functions: by the lasting place of the object, and by function."""
        if not self._calls_on:
            for body in self.walker.world.bodies:
                for call in body.row.calls:
                    if call.is_tracked and call.receiver is not None and call.arguments:
                        for place in self.places.of(body, call.receiver, through_callers=True):
                            by_function = self._calls_on.setdefault(place.key, {})
                            by_function.setdefault(call.key, []).append((body, call))
        return self._calls_on

    def _index(self, body: Body, call: Call) -> Iterator[Candidate]:
        """A lasting array that is indexed by what must not be a key."""
        assert call.receiver is not None
        index = call.arguments[0]
        if not index.nodes or bare(body.types[index.type]).kind != INTEGER:
            return
        if self.flows.is_keyed(body, call.receiver):
            return
        for stored in self.places.of(body, call.receiver):
            for holder in self._holders(stored):
                type_ = bare(body.types[index.type])
                part = Part(Shape.INTEGER, type_, holder.place, None, (f"{holder.place.name}[{type_.text}]",))
                given = Given(body, index, call.line)
                yield Candidate(holder.place, (part,), "key", "indexed array", holder.mask, key=(given,), index=True)


def _inner(type_: Type) -> Type:
    while type_.kind in {ARRAY, REFERENCE} and type_.parts[0] is not None:
        type_ = type_.parts[0]
    return type_


def _form(stored: Stored, how: str, walker: Walker, leaf: Member | None) -> str:
    if how == "bytes":
        return "snapshot"
    kinds = {"static": "static cache", "thread-local": "thread-local cache", "static-local": "static cache"}
    if stored.nodes[0].kind == VARIABLE:
        member = walker.world.member(stored.nodes[0].key)
        return kinds.get(member.storage if member is not None else "static", "static cache")
    if leaf is not None and _inner(leaf.type) is not leaf.type:
        return "searched array"
    return "searched sequence" if how == "search" else "last seen"
