"""From what one body does to its summary: the places as callers see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_memory import POOL, WIDEST
from mgaudit.analysis.effects_model import (
    MOST_PARAMETERS,
    Beginnings,
    PassedCall,
    Place,
    Root,
    Summary,
    condensed,
    most_stores,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
        PassedCall(
            callee, tuple((named(places), None if led is None else named(led)) for places, led in call.arguments),
            call.evidence,
        )
        for call in sink.calls
        if (callee := name(call.callee)) is not None
    ]  # fmt: skip
    return Summary(
        deeds(sink.writes), deeds(sink.taints), most_stores({place: led for place, led in stores.items() if led}),
        returned(sink.returned), returned(sink.led_to), tuple(dict.fromkeys(calls)),
    )  # fmt: skip


_DEEPEST_STORE: Final = 3
