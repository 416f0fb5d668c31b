"""The walk over a type: from what a memo compares to the components that could be reused behind its back."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.memo_containers import Containers, chosen
from mgaudit.sources.memo_records import (
    ARRAY,
    DEPENDENT,
    ENUMERATION,
    FIELD,
    INTEGER,
    POINTER,
    RECORD,
    REFERENCE,
    VOID,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from mgaudit.analysis.memo_world import Member, Node, Place, Record, Type, World
    from mgaudit.domain.names import Patterns
    from mgaudit.sources.memo_records import AliasRecord

_DEEPEST: Final = 16
_TEXTS: Final = frozenset({"std::basic_string", "std::basic_string_view"})
_CHARACTERS: Final = frozenset({"char", "wchar_t", "char8_t", "char16_t", "char32_t"})


class Shape(StrEnum):
    """What a component is, before anyone asks where its value comes from."""

    HANDLE = "handle"
    GL_NAME = "GL name"
    FRONTEND = "frontend pointer"
    BACKEND = "backend pointer"
    POINTER = "pointer"  # to neither side's objects
    ERASED = "untyped pointer"
    INTEGER = "integer"
    TEXT = "text"
    VALUE = "value"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Part:
    """One component of a type.

    Attributes:
        shape: What it is.
        type: Its type.
        place: The innermost declaration inside the zones that introduces it.
        node: What holds its value, where the value's origin matters.
        steps: How the walk came to it, from the outside in.
        subject: What the shape is about: the class pointed to, the alias of a GL name.
        is_weak: Whether the pointer does not keep alive what it points to.
    """

    shape: Shape
    type: Type
    place: Place
    node: Node | None
    steps: tuple[str, ...]
    subject: str = ""
    is_weak: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """Where a walk begins.

    Attributes:
        type: The type.
        place: The innermost declaration so far.
        node: What holds the value.
        member: The declaration whose aliases count, if any.
        path: The positions of template arguments that lead from the declaration to the type.
        functors: The functors of the container.
        steps: How the type was come to.
        is_whole: Whether all fields count, whatever equality looks at: bytes are compared.
    """

    type: Type
    place: Place
    node: Node | None
    member: Member | None = None
    path: tuple[int, ...] = ()
    functors: tuple[Type, ...] = ()
    steps: tuple[str, ...] = ()
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """How one gate names things.

    Attributes:
        is_frontend: Whether a class belongs to the frontend, by its file and qualified name.
        is_inside: Whether a file belongs to the judged zones.
        handles: Handle types.
        gl_names: Types that are GL names.
        values: Plain value classes.
    """

    is_frontend: Callable[[str, str], bool]
    is_inside: Callable[[str], bool]
    handles: Patterns
    gl_names: Patterns
    values: Patterns


@dataclass(frozen=True, slots=True)
class _At:
    """Where a walk stands."""

    place: Place
    node: Node | None
    aliases: tuple[AliasRecord, ...]
    path: tuple[int, ...]
    steps: tuple[str, ...]
    depth: int = 0
    is_whole: bool = False

    def names(self, type_: Type) -> list[str]:
        """The aliases that the declaration gives to the type at this point of its walk."""
        own = ".".join(map(str, self.path))
        return [a.name for a in self.aliases if a.path == own or (a.path == "*" and a.text == type_.text)]


class Walker:
    """Walks types.

    Args:
        world: What is known.
        containers: What templates hold.
        terms: How the gate names things.
        touched: Of a class, the keys of the fields that its equality or hash looks at, given the types of functors of
            the container; None for all.
    """

    def __init__(
        self, world: World, containers: Containers, terms: Terms,
        touched: Callable[[Record, tuple[Type, ...]], Collection[str] | None],
    ) -> None:  # fmt: skip
        self.world = world
        self.containers = containers
        self.terms = terms
        self._touched = touched
        self._frontend: dict[Type, bool] = {}

    def parts(self, start: Start) -> list[Part]:
        """The components of a type that is compared or hashed."""
        aliases = start.member.aliases if start.member is not None else ()
        at = _At(start.place, start.node, aliases, start.path, start.steps, is_whole=start.is_whole)
        return list(self._walk(start.type, at, start.functors))

    def is_frontend(self, type_: Type) -> bool:
        """Whether a class lies in the frontend."""
        known = self._frontend.get(type_)
        if known is None:
            record = self.world.record_of(type_)
            paths = {type_.path, record.place.path if record is not None else type_.path}
            known = self._frontend[type_] = any(self.terms.is_frontend(path, type_.name) for path in paths)
        return known

    def is_backend(self, type_: Type) -> bool:
        """Whether a class lies in the judged zones."""
        record = self.world.record_of(type_)
        return self.terms.is_inside(record.place.path if record is not None else type_.path)

    def declared(self) -> list[Member]:
        """Every field and lasting variable of the zones, those of instantiations included; by place."""
        inside = self.terms.is_inside
        found = {key: m for key, m in self.world.holders.items() if inside(m.place.path)}
        for record in self.world.records.values():
            if inside(record.place.path):
                for key, member in record.fields.items():
                    found.setdefault(key, member)
        return sorted(found.values(), key=lambda m: (m.place, m.type.text))

    # ---- the walk

    def _walk(self, type_: Type, at: _At, functors: tuple[Type, ...]) -> Iterator[Part]:
        names = [*at.names(type_), type_.name]
        if any(map(self.terms.handles.select, filter(None, names))):
            yield Part(Shape.HANDLE, type_, at.place, at.node, at.steps)
            return
        gl_name = next(filter(self.terms.gl_names.select, filter(None, names)), None)
        if gl_name is not None:
            yield Part(Shape.GL_NAME, type_, at.place, at.node, at.steps, gl_name)
        elif at.depth > _DEEPEST:
            yield Part(Shape.UNKNOWN, type_, at.place, at.node, at.steps, "it is nested too deeply")
        elif type_.kind in {POINTER, REFERENCE}:
            yield self._pointer(type_, type_.parts[0], at)
        elif type_.kind == ARRAY:
            assert type_.parts[0] is not None
            yield from self._walk(type_.parts[0], replace(at, depth=at.depth + 1), functors)
        elif type_.kind == RECORD:
            yield from self._record(type_, at, functors)
        elif type_.kind in {INTEGER, ENUMERATION}:
            shape = Shape.INTEGER if type_.kind == INTEGER and type_.text not in _CHARACTERS else Shape.VALUE
            yield Part(shape, type_, at.place, at.node, at.steps)
        elif type_.kind == DEPENDENT:
            yield Part(Shape.UNKNOWN, type_, at.place, at.node, at.steps, "its type depends on a template parameter")
        else:
            yield Part(Shape.VALUE, type_, at.place, at.node, at.steps)

    def _pointer(self, type_: Type, pointee: Type | None, at: _At, *, is_weak: bool = False) -> Part:
        target = pointee
        while target is not None and target.kind in {POINTER, REFERENCE, ARRAY}:
            target = target.parts[0]
        shape, subject = Shape.POINTER, target.name if target is not None else ""
        if target is not None and target.kind == RECORD:
            if self.is_frontend(target):
                shape = Shape.FRONTEND
            elif self.is_backend(target):
                shape = Shape.BACKEND
        elif target is not None and target.kind == VOID:
            shape = Shape.ERASED
        return Part(shape, type_, at.place, at.node, at.steps, subject, is_weak)

    def _record(self, type_: Type, at: _At, functors: tuple[Type, ...]) -> Iterator[Part]:
        known = self.containers.of(type_)
        record = self.world.record_of(type_)
        if type_.name in _TEXTS:
            yield Part(Shape.TEXT, type_, at.place, at.node, at.steps)
        elif self.terms.values.select(type_.name):
            yield Part(Shape.VALUE, type_, at.place, at.node, at.steps)
        elif known is not None:
            for _, pointee in chosen(type_, known.pointers):
                yield self._pointer(type_, pointee, at, is_weak=known.is_weak)
            for positions in (known.keys, known.values, known.elements):
                for position, part in chosen(type_, positions):
                    yield from self._walk(part, replace(at, path=(*at.path, position), depth=at.depth + 1), functors)
        elif record is not None:
            yield from self._fields(record, at, functors)
        elif any(part is not None and self._holds_frontend(part) for part in type_.parts):
            yield Part(
                Shape.UNKNOWN, type_, at.place, at.node, at.steps,
                f"what `{type_.name}` does with its arguments is not known",
            )  # fmt: skip
        elif self.is_frontend(type_):
            yield Part(Shape.UNKNOWN, type_, at.place, at.node, at.steps, "no unit sees its definition")
        else:
            yield Part(Shape.VALUE, type_, at.place, at.node, at.steps)

    def _holds_frontend(self, type_: Type) -> bool:
        if type_.kind == RECORD and self.is_frontend(type_):
            return True
        return any(part is not None and self._holds_frontend(part) for part in type_.parts)

    def _fields(self, record: Record, at: _At, functors: tuple[Type, ...]) -> Iterator[Part]:
        touched = None if at.is_whole else self._touched(record, functors)
        count = 0
        for key, member in record.fields.items():
            if touched is None or key in touched:
                count += 1
                yield from self._walk(member.type, self._below(member, at), functors)
        for base in record.bases:
            count += 1
            step = f"{record.place.name}: base {base.text}"
            inside = record.place if self.terms.is_inside(record.place.path) else at.place
            yield from self._walk(
                base, replace(at, place=inside, steps=(*at.steps, step), aliases=(), depth=at.depth + 1), functors
            )
        if not count and not record.fields:
            yield Part(Shape.VALUE, record.type, at.place, at.node, at.steps)

    def _below(self, member: Member, at: _At) -> _At:
        """A step into a field; one that lies outside of the zones is introduced by what led to it."""
        place = member.place if self.terms.is_inside(member.place.path) else at.place
        aliases, path = member.aliases, ()
        if member.parameter >= 0:  # the declaration that gave the argument knows its alias
            aliases, path = at.aliases, (*at.path, member.parameter)  # type: ignore[assignment]
        step = f"{member.place.name}: {member.type.text}"
        return _At(place, (FIELD, member.place.key), aliases, path, (*at.steps, step), at.depth + 1, at.is_whole)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A container within the type of a declaration.

    Attributes:
        type: The container.
        path: The positions of template arguments that lead to it.
        steps: How.
        member: The declaration whose aliases count, if any.
    """

    type: Type
    path: tuple[int, ...]
    steps: tuple[str, ...]
    member: Member | None


def containers_in(walker: Walker, type_: Type, member: Member | None, place: Place) -> list[Occurrence]:
    """The keyed containers that a declaration's type is or holds.

    The walk ends at classes of the zones, whose own declarations are looked at by themselves.
    """
    found: list[Occurrence] = []
    seen: set[str] = set()
    waiting = deque([Occurrence(type_, (), (f"{place.name}: {type_.text}",), member)])
    while waiting:
        here = waiting.popleft()
        known = walker.containers.of(here.type) if here.type.kind == RECORD else None
        if known is not None and chosen(here.type, known.keys):
            found.append(here)
        if known is not None:
            for positions in (known.values, known.elements, known.pointers):
                for position, part in chosen(here.type, positions):
                    waiting.append(replace(here, type=part, path=(*here.path, position)))
        elif here.type.kind in {POINTER, REFERENCE, ARRAY}:
            if here.type.parts[0] is not None:
                waiting.append(replace(here, type=here.type.parts[0]))
        else:
            record = walker.world.record_of(here.type)
            outside = record is not None and not walker.terms.is_inside(record.place.path)
            if record is not None and outside and not walker.is_frontend(here.type) and here.type.key not in seen:
                seen.add(here.type.key)
                waiting.extend(_held(record, here))
    return found


def _held(record: Record, here: Occurrence) -> Iterator[Occurrence]:
    for field_ in record.fields.values():
        step = f"{field_.place.name}: {field_.type.text}"
        yield Occurrence(field_.type, (), (*here.steps, step), field_)
    for base in record.bases:
        yield Occurrence(base, (), (*here.steps, f"{record.place.name}: base {base.text}"), None)


def held(walker: Walker, type_: Type, *, through_zones: bool = False) -> Mapping[str, None]:
    """The keys of the classes that a value of a type is made of, or leads to, those of the frontend aside.

    Args:
        walker: Knows types and zones.
        type_: The type.
        through_zones: Whether the members of a class of the judged zones count, which are declarations of their own.
    """
    found: dict[str, None] = {}
    waiting = [type_]
    while waiting:
        here = waiting.pop()
        if here.kind == RECORD:
            if here.key in found or walker.is_frontend(here):
                continue
            found[here.key] = None
            record = walker.world.record_of(here)
            is_own = record is not None and walker.terms.is_inside(record.place.path)
            if record is not None and walker.containers.of(here) is None and (through_zones or not is_own):
                waiting += [member.type for member in record.fields.values()]
                waiting += record.bases
        waiting += [part for part in here.parts if part is not None]
    return found
