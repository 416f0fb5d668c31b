"""From what one body does to its summary: the places as callers see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_memory import POOL, WIDEST
from mgaudit.analysis.effects_model import (
    CONTENT,
    MOST_PARAMETERS,
    Beginnings,
    PassedCall,
    Place,
    Root,
    Summary,
    condensed,
    most_stores,
    shortenings,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mgaudit.analysis.effects_memory import Memory
    from mgaudit.analysis.effects_model import Evidence, Places


@dataclass(slots=True)
class Sink:
    """Where the deeds of a function or of a lambda inside of it are collected."""

    writes: dict[Place, Evidence] = field(default_factory=dict)
    taints: dict[Place, Evidence] = field(default_factory=dict)
    returned: Places = field(default_factory=dict)
    led_to: Places = field(default_factory=dict)
    calls: dict[PassedCall, None] = field(default_factory=dict)
    names: Beginnings = field(default_factory=Beginnings)


def general(place: Place) -> Place | None:
    """A place as callers see it: not what vanishes with the function."""
    return None if place.is_own and place.root is not Root.FUNCTION else place


def captured(place: Place) -> Place | None:
    """A place in a lambda as a stranger who calls it sees it."""
    if place.root is Root.LAMBDA_PARAMETER:
        return Place(Root.PARAMETER, place.number % MOST_PARAMETERS, place.path)
    if place.root in {Root.THIS, Root.PARAMETER}:
        return Place(Root.OBJECT, 0, place.path)
    return general(place)


def summary_of(
    sink: Sink, memory: Memory, name: Callable[[Place], Place | None], is_interesting: Callable[[int], bool]
) -> Summary:  # fmt: skip
    """What a function, or a lambda inside of it, does to what outlives it.

    Args:
        sink: What was done.
        memory: What places lead to.
        name: A place as callers see it; None for what they do not.
        is_interesting: Whether anybody asks who changes a field of some object.
    """

    def named(places: Iterable[Place]) -> frozenset[Place]:
        return frozenset(known for place in places if (known := name(place)) is not None)

    def returned(places: Places) -> frozenset[Place]:
        is_new = any(place.root is Root.HEAP or place == POOL for place in places)
        return named(places) | {Place(Root.HEAP, 0)} if is_new else named(places)

    def deeds(done: dict[Place, Evidence]) -> dict[Place, Evidence]:
        return condensed({known: e for p, e in done.items() if (known := name(p)) is not None}, is_interesting)

    stores = {
        known: named(memory.narrowed(targets) if len(targets) > WIDEST else targets)
        for place, targets in memory.stored.items()
        if len(place.path) <= _DEEPEST_STORE and (known := name(place)) is not None
    }
    calls = [
        PassedCall(callee, tuple((named(places), named(led)) for places, led in call.arguments), call.evidence)
        for call in sink.calls
        if (callee := name(call.callee)) is not None
    ]
    return Summary(
        deeds(sink.writes), deeds(sink.taints), most_stores({place: led for place, led in stores.items() if led}),
        returned(sink.returned), returned(sink.led_to), tuple(dict.fromkeys(calls)),
    )  # fmt: skip


def widened(before: Summary, found: Summary, is_interesting: Callable[[int], bool]) -> Summary:
    """What either of two summaries of a function says, in the coarsest names (widening: Cousot and Cousot, 1977).

    There are so few of these that no summary can grow, or change to and fro, for long.
    """

    def deeds(one: dict[Place, Evidence], other: dict[Place, Evidence]) -> dict[Place, Evidence]:
        both: dict[Place, Evidence] = {}
        for place, evidence in (*one.items(), *other.items()):
            both.setdefault(shortenings(place, is_interesting)[-1], evidence)
        return both

    stores: dict[Place, frozenset[Place]] = {}
    for place, targets in (*before.stores.items(), *found.stores.items()):
        stores[place] = stores.get(place, frozenset()) | _near(targets)
    return Summary(
        deeds(before.writes, found.writes), deeds(before.taints, found.taints), stores,
        _near(before.returned | found.returned), _near(before.led_to | found.led_to),
        tuple(_merged((*before.calls, *found.calls))),
    )  # fmt: skip


def _merged(calls: Iterable[PassedCall]) -> Iterator[PassedCall]:
    """One call in place of all those of the same thing with as many arguments: with any of these."""
    alike: dict[tuple[Place, int], list[PassedCall]] = {}
    for call in calls:
        alike.setdefault((call.callee, len(call.arguments)), []).append(call)
    for (callee, _), some in alike.items():
        arguments = tuple(
            (_near(place for places, _ in given for place in places), _near(place for _, led in given for place in led))
            for given in zip(*(call.arguments for call in some), strict=True)
        )
        yield PassedCall(callee, arguments, some[0].evidence)


def _near(places: Iterable[Place]) -> frozenset[Place]:
    """Places behind one pointer at most, in place of those behind several: the first, and some object."""
    found: set[Place] = set()
    for place in places:
        near = place.shortened(0) if CONTENT in place.path else place
        found.add(near)
        if CONTENT in place.path[len(near.path) :]:
            found.add(Place(Root.OBJECT, 0))
    return frozenset(found)


_DEEPEST_STORE: Final = 3
