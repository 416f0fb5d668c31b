"""The census of memos: what decides "same as before" on one side of a boundary, and what identifies its entries."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.memo_candidates import KEY as KEY_NODE
from mgaudit.analysis.memo_candidates import Candidate, Finder
from mgaudit.analysis.memo_containers import chosen
from mgaudit.analysis.memo_equality import Equality
from mgaudit.analysis.memo_flows import Flows, Given, bare
from mgaudit.analysis.memo_origins import Names, Origin, Origins, Source, steps
from mgaudit.analysis.memo_stored import Places
from mgaudit.analysis.memo_walk import Part, Shape, Start, Walker, held
from mgaudit.sources.memo_records import ARRAY, FIELD, POINTER, RECORD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mgaudit.analysis.memo_containers import Containers
    from mgaudit.analysis.memo_walk import Terms
    from mgaudit.analysis.memo_world import Member, Place, Type, World


class Role(StrEnum):
    """What a component is for."""

    KEY = "key"
    VALUE = "value"
    COMPARED = "compare-only"
    LIVENESS = "liveness"
    FRESHNESS = "freshness"
    REVERSE = "reverse"


class Answer(StrEnum):
    """What is said of a component."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Component:
    """One component of a memo.

    Attributes:
        container: The declaration that keeps the entries.
        place: The innermost declaration inside the zones that introduces the component.
        type: Its type.
        role: What it is for.
        answer: Whether it may be.
        why: In one line.
        evidence: How it was come to, and where its value comes from.
        form: What kind of memo it is part of.
        mask: The configurations that see it.
    """

    container: Place
    place: Place
    type: Type
    role: Role
    answer: Answer
    why: str
    evidence: tuple[str, ...]
    form: str
    mask: int


class Census:
    """Finds the memos of one gate.

    Args:
        world: What is known.
        containers: What templates hold.
        terms: How the gate names things.
        names: The functions that yield what no key may hold.
        overriding: The overriding functions of each virtual function, by key.
        narrow: Whether a counter of at most 16 bits proves no freshness.
    """

    def __init__(  # noqa: PLR0913
        self, world: World, containers: Containers, terms: Terms, names: Names,
        overriding: Mapping[str, Sequence[str]], *, narrow: bool = True,
    ) -> None:  # fmt: skip
        self._world = world
        self._terms = terms
        self._narrow = narrow
        equality = Equality(world)
        self._walker = Walker(world, containers, terms, equality.touched)
        self._flows = Flows(self._walker, overriding)
        self._origins = Origins(self._walker, self._flows, names)
        lasting = frozenset(key for member in self._walker.declared() for key in held(self._walker, member.type))
        self._finder = Finder(self._walker, self._flows, Places(self._walker, self._flows, lasting), equality)
        self._keyed_by_handle: dict[str, bool] = {}

    def components(self) -> list[Component]:
        """Every component of every memo, once each, sorted."""
        containers = list(self._finder.containers())
        compared = list(self._finder.compared())
        self._note_entries((*containers, *compared))
        found: dict[tuple[str, str, str, str], Component] = {}
        beside = self._beside(compared)
        for candidate in (*containers, *compared):
            for component in self._judged(candidate, beside):
                key = (component.container.key, component.place.key, component.type.text, component.role)
                known = found.get(key)
                if known is None or _weight(component) > _weight(known):
                    found[key] = component
                if known is not None:
                    found[key] = replace(found[key], mask=found[key].mask | known.mask | component.mask)
        for component in self._reverse():
            found[component.container.key, component.place.key, component.type.text, component.role] = component
        return sorted(_settled(found.values()), key=_order)

    # ---- what stands beside a counter

    def _note_entries(self, containers: Iterable[Candidate]) -> None:
        """Which classes are entries of containers, all of which are keyed by handles."""
        for candidate in containers:
            if candidate.role != "key":
                continue
            has_handle = any(part.shape is Shape.HANDLE for part in candidate.parts)
            member = self._world.member(candidate.container.key)
            type_ = member.type if member is not None and (candidate.key is not None or candidate.is_table) else None
            for key in held(self._walker, type_, through_zones=True) if type_ is not None else ():
                self._keyed_by_handle[key] = self._keyed_by_handle.get(key, True) and has_handle

    def _beside(self, compared: Iterable[Candidate]) -> set[tuple[object, ...]]:
        """Conditions and owners in which a handle is compared."""
        return {
            (*candidate.condition, candidate.owner)
            for candidate in compared
            if candidate.role == "key" and any(part.shape is Shape.HANDLE for part in candidate.parts)
        }

    # ---- one candidate

    def _judged(self, candidate: Candidate, beside: set[tuple[object, ...]]) -> Iterator[Component]:
        has_handle = (
            any(part.shape is Shape.HANDLE for part in candidate.parts)
            or (*candidate.condition, candidate.owner) in beside
            or self._keyed_by_handle.get(candidate.entry, False)
        )
        for part in candidate.parts:
            yield from self._component(candidate, part, has_handle=has_handle)

    def _component(self, candidate: Candidate, part: Part, *, has_handle: bool) -> Iterator[Component]:
        role = Role(candidate.role)
        evidence: tuple[str, ...] = part.steps
        if role is Role.KEY:
            answer, why, source = self._key(candidate, part)
            if candidate.index and answer is not Answer.FORBIDDEN:
                return
            if source is not None and source.origin is Origin.COUNTER:
                role = Role.FRESHNESS
                bits = min(source.bits or part.type.bits, part.type.bits)
                if self._narrow and bits <= _NARROW and not has_handle:
                    answer, why = (
                        Answer.FORBIDDEN,
                        f"{source.subject} has {bits} bits and wraps: alone it proves nothing",
                    )
                else:
                    beside = "beside a handle" if has_handle else f"of {bits} bits"
                    answer, why = Answer.ALLOWED, f"a counter {beside} ({source.subject})"
            if source is not None:
                evidence += steps(source.chain)
        elif role is Role.VALUE:
            role = Role.LIVENESS if part.is_weak else Role.VALUE
            answer, why = Answer.ALLOWED, "kept under a key" if role is Role.VALUE else "asked whether it still lives"
        else:
            if part.shape not in {Shape.FRONTEND, Shape.GL_NAME, Shape.ERASED}:
                return
            answer, why = Answer.ALLOWED, "compared, but what is cached does not rest on it"
        yield Component(
            candidate.container, part.place, part.type, role, answer, why, evidence, candidate.form, candidate.mask
        )  # fmt: skip

    def _key(self, candidate: Candidate, part: Part) -> tuple[Answer, str, Source | None]:
        shape = part.shape
        if shape is Shape.FRONTEND:
            kind = "weak pointer" if part.is_weak else "pointer"
            return Answer.FORBIDDEN, f"a {kind} to {part.subject} of the frontend: its address is used again", None
        if shape is Shape.GL_NAME:
            return Answer.FORBIDDEN, f"a GL name ({part.subject}): it is used again after deletion", None
        if shape is Shape.UNKNOWN:
            return Answer.UNDECIDED, part.subject, None
        if shape in {Shape.INTEGER, Shape.ERASED, Shape.TEXT}:
            return self._traced(candidate, part)
        if shape is Shape.HANDLE:
            return Answer.ALLOWED, "a handle", None
        plain = {Shape.BACKEND: f"a pointer to {part.subject} of this side", Shape.VALUE: "a plain value"}
        return Answer.ALLOWED, plain.get(shape, "a pointer to no object of the frontend"), None

    def _traced(self, candidate: Candidate, part: Part) -> tuple[Answer, str, Source | None]:
        """What a number or an untyped pointer is made of."""
        givens = self._givens(candidate, part)
        sources = self._origins.of(givens)
        for origin, why in _FORBIDDEN.items():
            found = [source for source in sources if source.origin is origin]
            if found:
                nearest = min(found, key=lambda source: (len(source.chain), source.subject))
                return Answer.FORBIDDEN, why.format(subject=nearest.subject), nearest
        counters = [s for s in sources if s.origin is Origin.COUNTER]
        if counters and part.shape is not Shape.TEXT:
            return Answer.ALLOWED, "", counters[0]
        unknown = [s for s in sources if s.origin is Origin.UNKNOWN]
        if unknown and part.shape is not Shape.TEXT:  # what text says comes from files and people
            return Answer.UNDECIDED, f"where its value comes from is not known: {unknown[0].subject}", unknown[0]
        is_key = part.node is not None and part.node[0] == KEY_NODE
        if (part.shape is Shape.ERASED or is_key) and not givens:
            return Answer.UNDECIDED, "nothing is seen to store a value here", None
        return Answer.ALLOWED, "a plain value", None

    def _givens(self, candidate: Candidate, part: Part) -> list[Given]:
        found: list[Given] = []
        if part.node is not None and part.node[0] == KEY_NODE:
            return list(candidate.key or ())
        if candidate.index:
            return list(candidate.key or ())
        if candidate.key and part.node is not None and len(candidate.parts) == 1:
            found += candidate.key
        elif part.node is not None:
            found += self._flows.into.get(part.node, ())
        if len(candidate.parts) == 1:
            found += candidate.fresh
        return found

    # ---- the other direction

    def _reverse(self) -> Iterator[Component]:
        members = dict(self._world.holders)
        for record in self._world.records.values():
            members.update(record.fields)
        for member in sorted(members.values(), key=lambda m: (m.place, m.type.text)):
            if member.storage == "field" and self._terms.is_frontend(member.place.path, member.place.name):
                yield from self._backend_pointers(member)

    def _backend_pointers(self, member: Member) -> Iterator[Component]:
        for type_ in self._pointees(member.type):
            if self._walker.is_backend(type_) and not self._walker.is_frontend(type_):
                yield Component(
                    member.place, member.place, member.type, Role.REVERSE, Answer.FORBIDDEN,
                    f"an object of the frontend keeps a pointer to {type_.name} of the backend",
                    (f"{member.place.name}: {member.type.text}",), "frontend member", member.mask,
                )  # fmt: skip
                return
        is_wide = any(alias.name.endswith("intptr_t") for alias in member.aliases)
        if is_wide or any(part.shape is Shape.ERASED for part in self._walker.parts(_start(member))):
            given = self._flows.into.get((FIELD, member.place.key), ())
            for source in self._origins.of(given, through_libraries=False):
                if source.origin is Origin.BACKEND:
                    yield Component(
                        member.place, member.place, member.type, Role.REVERSE, Answer.FORBIDDEN,
                        f"an object of the frontend keeps what is made of a pointer to {source.subject} of the backend",
                        steps(source.chain), "frontend member", member.mask,
                    )  # fmt: skip
                    return

    def _pointees(self, type_: Type, *, behind: bool = False) -> Iterator[Type]:
        """The classes that a type points to, through containers too."""
        if type_.kind == POINTER or bare(type_) is not type_:
            if type_.parts[0] is not None:
                yield from self._pointees(type_.parts[0], behind=True)
        elif type_.kind == ARRAY and type_.parts[0] is not None:
            yield from self._pointees(type_.parts[0], behind=behind)
        elif type_.kind == RECORD:
            known = self._walker.containers.of(type_)
            if behind:
                yield type_
            if known is not None:
                for _, part in chosen(type_, known.pointers):
                    yield from self._pointees(part, behind=True)
                for positions in (known.keys, known.values, known.elements):
                    for _, part in chosen(type_, positions):
                        yield from self._pointees(part)


_NARROW: Final = 16  # bits
_FORBIDDEN: Final = {
    Origin.POINTER: "made of a pointer to {subject} of the frontend: its address is used again",
    Origin.LIFETIME: "made of a lifetime id ({subject})",
    Origin.GL_NAME: "made of a GL name ({subject}): it is used again after deletion",
}


def _start(member: Member) -> Start:
    return Start(member.type, member.place, None, member, is_whole=True)


def _weight(component: Component) -> int:
    return [Answer.ALLOWED, Answer.UNDECIDED, Answer.FORBIDDEN].index(component.answer)


def _settled(components: Iterable[Component]) -> list[Component]:
    """Without what another role of the same component says already."""
    found = list(components)
    keys = {(c.container.key, c.place.key, c.type.text) for c in found if c.role in {Role.KEY, Role.FRESHNESS}}
    return [
        c for c in found
        if c.role in {Role.KEY, Role.FRESHNESS, Role.REVERSE} or (c.container.key, c.place.key, c.type.text) not in keys
    ]  # fmt: skip


def _order(component: Component) -> tuple[object, ...]:
    return component.container, component.place, component.type.text, component.role


def totals(components: Iterable[Component]) -> Counter[str]:
    """How many components have each role."""
    return Counter(str(component.role) for component in components)
