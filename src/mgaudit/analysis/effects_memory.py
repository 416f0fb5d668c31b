"""What pointers and references of one function may lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.effects_model import CONTENT, Place, Root, joined

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.analysis.effects_model import Places, Sources


class Memory:
    """The stores of one function, in no order.

    Attributes:
        stored: What each place is ever given to lead to.
        has_changed: Whether something new was stored since it was last reset.
    """

    def __init__(self) -> None:
        self.stored: dict[Place, Places] = {}
        self.has_changed = False

    def store(self, places: Iterable[Place], targets: Places) -> None:
        """Every place may lead to every target from now on."""
        if not targets:
            return
        for place in places:
            known = self.stored.setdefault(place, {})
            for target, sources in targets.items():
                before = known.get(target)
                if before is None:
                    known[target] = sources
                    self.has_changed = True
                elif not sources <= before:
                    known[target] = before | sources
                    self.has_changed = True

    def content(self, places: Places) -> Places:
        """What places lead to: what is stored there, or in what holds them, and what lies there from the start."""
        found: Places = {}
        for place, sources in places.items():
            _add(found, place.below(CONTENT), sources)
            for target, own in self._stored_at(place).items():
                _add(found, target, own or sources)
        return found

    def contents(self, places: Places) -> Places:
        """As `content`, with what any part of an object leads to."""
        found = dict(self.content(places))
        for holder, targets in self.stored.items():
            if any(_is_below(holder, place) for place in places):
                for target, own in targets.items():
                    _add(found, target, own)
        return found

    def _stored_at(self, place: Place) -> Places:
        found = self.stored.get(place, {})
        if place.path:
            parts = [found]
            for length in range(len(place.path)):
                holder = Place(place.root, place.number, place.path[:length])
                if (held := self.stored.get(holder)) is not None:
                    parts.append(held)
            found = joined(*parts)
        return found

    def walk(self, places: Places, path: Iterable[int], sources: Sources | None = None) -> Places:
        """The places at the end of a path; ``sources`` replaces what named them."""
        for step in path:
            if step == CONTENT:
                places = self.content(places)
            else:
                places = {place.below(step): named for place, named in places.items() if place.root != Root.FUNCTION}
        return places if sources is None else dict.fromkeys(places, sources)


def _add(found: Places, place: Place, sources: Sources) -> None:
    known = found.get(place)
    found[place] = sources if known is None else known | sources


def _is_below(place: Place, holder: Place) -> bool:
    return (
        len(place.path) > len(holder.path)
        and place.root == holder.root
        and place.number == holder.number
        and place.path[: len(holder.path)] == holder.path
    )
