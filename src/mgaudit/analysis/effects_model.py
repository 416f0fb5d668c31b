"""What effect inference speaks of: places, values, writes, and the summary of a function.

A place is a root and a path. The root is the object of a member function, a parameter, a variable that outlives the
function, some object that is not known, or something of the function's own. The path goes through fields, through
*elements* (of an array, of a container that owns them: parts of the object, as fields are), and through *content*: what
a pointer, a reference or an iterator leads to. One step stands for all the elements, and one for whatever is led to.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from mgaudit.facts.bodies import Node
from mgaudit.sources.body_kinds import TypeKind
from mgaudit.sources.cursors import CALL_EXPRESSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.facts.bodies import BodyRow, BodyType

CONTENT: Final = 0
"""The step of a path from a pointer, or anything like one, to what it leads to."""

ELEMENT: Final = -1
"""The step of a path from an array or container to its elements; other steps are fields' ids."""

MOST_PARAMETERS: Final = 64
"""Tells the parameters of different lambdas apart by number."""

REFERENCES: Final = frozenset({TypeKind.REFERENCE, TypeKind.RVALUE_REFERENCE})
DEEPEST: Final = 5
"""The longest path; what lies deeper counts as its prefix."""


class Root(enum.IntEnum):
    """Where a path starts."""

    THIS = 0  # the object of the member function
    PARAMETER = 1  # of a parameter by reference, what it refers to; else the parameter's own copy
    GLOBAL = 2  # a variable that outlives functions
    OBJECT = 3  # some object that is not known
    LOCAL = 4  # a variable of the function's own
    TEMPORARY = 5
    HEAP = 6  # made by the function
    FUNCTION = 7  # a function or a lambda, as a value
    FIELD = 8  # a pointer to a member, as a value
    LAMBDA_PARAMETER = 9


class Place(NamedTuple):
    """A place.

    Attributes:
        root: Where the path starts.
        number: Which one: a parameter's position, a symbol's id, that of `OwnPlaces`.
        path: Ids of fields, `ELEMENT` and `CONTENT`.
    """

    root: Root
    number: int
    path: tuple[int, ...] = ()

    def below(self, step: int) -> Place:
        """The place one step further."""
        root, number, path = self
        return self if len(path) >= DEEPEST else _new(Place, (root, number, (*path, step)))

    def at(self, path: tuple[int, ...]) -> Place:
        """The place that another path from the same root leads to."""
        return _new(Place, (self.root, self.number, path))

    def shortened(self, length: int) -> Place:
        """What no more steps lead to; behind a pointer, no less than what that points to: it may itself be a copy."""
        end = self.path.index(CONTENT) + 1 if CONTENT in self.path else 0
        return self.at(self.path[: max(length, end)])

    @property
    def fields(self) -> tuple[int, ...]:
        """The ids of the fields on the path."""
        return tuple([step for step in self.path if step > CONTENT])

    @property
    def is_own(self) -> bool:
        """Whether it vanishes with the function that is looked at, however it is changed."""
        return self.root in _OWN


_new: Final = tuple.__new__  # places are made by the million, and this takes half the time of `Place`
_FUNCTION: Final = Root.FUNCTION
_OWN: Final = frozenset({Root.LOCAL, Root.TEMPORARY, Root.HEAP, Root.FUNCTION, Root.FIELD})


Sources = frozenset["Node"]
"""The nodes that a place was last named by: a member access, a variable, a call that returned it."""

Places = dict[Place, Sources]

Path = tuple[int, ...]

THIS: Final = Place(Root.THIS, 0)
SOME_OBJECT: Final[Places] = {Place(Root.OBJECT, 0): frozenset()}


class Value(msgspec.Struct, frozen=True, gc=False):
    """What an expression denotes.

    Attributes:
        places: Of an lvalue, the objects that it may be.
        targets: Of a pointer, or of an object that holds references, what it may lead to; None where that is to be
            read at the places.
    """

    places: Places
    targets: Places | None = None


NOTHING: Final = Value({}, {})


class Evidence(msgspec.Struct, frozen=True, gc=False):
    """Why a place counts as written: the deed in one function, and the function called where it is none of its own.

    Attributes:
        path: The file.
        line: 1-based.
        column: 1-based, in bytes.
        text: What is done there.
        callee: Id of the called function that writes, or None.
        place: What that function calls the place.
    """

    path: str
    line: int
    column: int
    text: str
    callee: int | None = None
    place: Place | None = None


class OwnPlaces:
    """The places of what one function makes, numbered as they come: sets of addresses have an order of their own."""

    def __init__(self) -> None:
        self._known: dict[tuple[Root, Node, int], Place] = {}

    def of(self, root: Root, node: Node, part: int = 0) -> Place:
        """The place of what a node declares or makes; of several things that one node makes, by part."""
        known = self._known.get((root, node, part))
        if known is None:
            known = self._known[root, node, part] = Place(root, len(self._known))
        return known


@dataclass(frozen=True, slots=True)
class PassedCall:
    """A call of what a parameter (or a place below one) holds: the callers know what that is.

    Attributes:
        callee: Where the function lies.
        arguments: What it is given: places, and targets.
        evidence: Where it is called.
    """

    callee: Place
    arguments: tuple[tuple[frozenset[Place], frozenset[Place]], ...]
    evidence: Evidence = field(compare=False)


class Beginnings:
    """Places by number, each with the number of the place one step before; -1 where there is none.

    Callers walk along the places of a summary again and again, and most of these begin alike.
    """

    __slots__ = ("_numbers", "before", "places")

    def __init__(self) -> None:
        self._numbers: dict[Place, int] = {}
        self.places: list[Place] = []
        self.before: list[int] = []

    def number(self, place: Place) -> int:
        """The number of a place."""
        known = self._numbers.get(place)
        if known is None:
            before = self.number(place.at(place.path[:-1])) if place.path else -1
            known = self._numbers[place] = len(self.places)
            self.places.append(place)
            self.before.append(before)
        return known


@dataclass(slots=True)
class Summary:
    """What a function may do to what outlives it.

    Attributes:
        writes: The places that it may change, with the first evidence.
        taints: Places that something unknown may change, with the reason.
        stores: What it may leave in places: pointers and references to other places.
        returned: The places that it may return a reference to.
        led_to: What the pointer or object that it returns may lead to.
        calls: Calls of what it was handed.
        names: The places in all of that, with what they begin with.
    """

    writes: dict[Place, Evidence] = field(default_factory=dict)
    taints: dict[Place, Evidence] = field(default_factory=dict)
    stores: dict[Place, frozenset[Place]] = field(default_factory=dict)
    returned: frozenset[Place] = frozenset()
    led_to: frozenset[Place] = frozenset()
    calls: tuple[PassedCall, ...] = ()
    names: Beginnings = field(default_factory=Beginnings, compare=False, repr=False)

    def shape(self) -> object:
        """What callers see of it: equal shapes need no new look."""
        return (
            frozenset(self.writes), frozenset(self.taints), frozenset(self.stores.items()), self.returned, self.led_to,
            frozenset(self.calls),
        )  # fmt: skip


def condensed(
    deeds: dict[Place, Evidence], is_interesting: Callable[[int], bool] = lambda _: True
) -> dict[Place, Evidence]:  # fmt: skip
    """Fewer places for a summary that names very many.

    Each keeps its first step and the field that is written; then, of what lies behind pointers, only fields that
    somebody asks about.
    """
    if len(deeds) > _MOST_DEEDS:
        deeds = _shortened(deeds, _first_and_last)
    if len(deeds) > _MOST_DEEDS:
        deeds = _shortened(deeds, _last)
    if len(deeds) > _MOST_DEEDS:
        deeds = _shortened(deeds, lambda place: _asked(place, is_interesting))
    return {
        place: evidence for place, evidence in deeds.items()
        if place.root is not Root.OBJECT or not place.path or any(map(is_interesting, place.fields))
    }  # fmt: skip


def shortenings(place: Place, is_interesting: Callable[[int], bool]) -> tuple[Place, ...]:
    """The names that a summary that names very many places may give to one: see `condensed`."""
    first = _first_and_last(place)
    last = _last(first)
    return first, last, _asked(last, is_interesting)


def most_stores(stores: dict[Place, frozenset[Place]]) -> dict[Place, frozenset[Place]]:
    """The stores of a summary; where there are very many, those into what the caller handed over."""
    if len(stores) > _MOST_DEEDS:
        stores = {p: t for p, t in stores.items() if p.root in {Root.THIS, Root.PARAMETER} and len(p.path) <= 1}
    return stores


def _shortened(deeds: dict[Place, Evidence], shorten: Callable[[Place], Place]) -> dict[Place, Evidence]:
    shorter: dict[Place, Evidence] = {}
    for place, evidence in deeds.items():
        shorter.setdefault(shorten(place), evidence)
    return shorter


def _first_and_last(place: Place) -> Place:
    if len(place.path) <= 3:
        return place
    return place.at((place.path[0], CONTENT, _last_field(place)))


def _last(place: Place) -> Place:
    """Of what lies behind a pointer, the field of some object."""
    if CONTENT not in place.path:
        return place
    field_ = _last_field(place)
    return place.at((CONTENT,)) if field_ == CONTENT else Place(Root.OBJECT, 0, (field_,))


def _asked(place: Place, is_interesting: Callable[[int], bool]) -> Place:
    """The last field that somebody asks about, of some object; else no more than the first step."""
    asked = next((step for step in reversed(place.fields) if is_interesting(step)), None)
    if asked is not None and len(place.path) > 1:
        return Place(Root.OBJECT, 0, (asked,))
    return place.at(place.path[:1])


def _last_field(place: Place) -> int:
    return next(reversed(place.fields), CONTENT)


_MOST_DEEDS: Final = 64


class Event(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One deed in a body: something writes places.

    Attributes:
        node: The assignment, the call, or whatever does it.
        place: What is written.
        sources: The nodes that named the place.
        evidence: As in a summary.
        is_certain: False where only something unknown may write.
    """

    node: Node
    place: Place
    sources: Sources
    evidence: Evidence
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Deeds:
    """What one body does.

    Attributes:
        row: The body.
        root: Its tree.
        events: Every deed.
        callees: Of each call, what it is called on, or what holds the function that is called.
    """

    row: BodyRow
    root: Node
    events: tuple[Event, ...]
    callees: dict[Node, Places]

    def widths(self) -> dict[Node, int]:
        """How many lasting places each node may write."""
        found: dict[Node, set[Place]] = {}
        for event in self.events:
            if not event.place.is_own:
                found.setdefault(event.node, set()).add(event.place)
        return {node: len(places) for node, places in found.items()}


WIDEST_CERTAIN: Final = 6
"""Of more places than these that one node may write, and that nothing there names, none counts for certain."""


def is_pointer(type_: BodyType | None) -> bool:
    """Whether a type is that of a pointer."""
    return type_ is not None and type_.kind is TypeKind.POINTER


def type_of(node: Node) -> BodyType | None:
    """The type of an expression; of a call, of what it yields. None where it is not known."""
    type_ = node.type
    if node.kind == CALL_EXPRESSION and type_ is not None and type_.kind is TypeKind.FUNCTION:
        type_ = type_.inner
        if type_ is not None and type_.kind is TypeKind.VOID:
            return None  # a constructor
    if type_ is not None and type_.kind in REFERENCES:
        return type_.inner
    return type_


def all_below(places: Places, step: int) -> Places:
    """The places one step further; in a function there is none."""
    found: Places = {}
    for place, sources in places.items():
        root, number, path = place
        if root is not _FUNCTION:
            found[place if len(path) >= DEEPEST else _new(Place, (root, number, (*path, step)))] = sources
    return found


def joined(*parts: Places) -> Places:
    """The union of sets of places."""
    filled = [part for part in parts if part]
    if len(filled) <= 1:
        return filled[0] if filled else {}
    result = dict(filled[0])
    for part in filled[1:]:
        add(result, part)
    return result


def add(found: Places, more: Places) -> None:
    """Add places to a set of them."""
    for place, sources in more.items():
        known = found.setdefault(place, sources)
        if known is not sources:
            found[place] = known | sources
