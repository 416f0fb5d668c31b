"""What pointers and references of one function may lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_model import CONTENT, ELEMENT, Place, Root, joined

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.analysis.effects_model import Places, Sources


_FUNCTION: Final = Root.FUNCTION
POOL: Final = Place(Root.TEMPORARY, -1)
WIDEST: Final = 16
"""The most places that one expression is told to lead to; more become coarser."""


class Memory:
    """The stores of one function, in no order.

    Attributes:
        stored: What each place is ever given to lead to.
        changes: How often something new was stored.
    """

    def __init__(self) -> None:
        self.stored: dict[Place, Places] = {}
        self.changes = 0
        self._holders: dict[tuple[Root, int], list[Place]] = {}  # of each root, the places where something is stored
        self._pooled: set[tuple[Root, int]] = set()

    def store(self, places: Iterable[Place], targets: Places) -> None:
        """Every place may lead to every target from now on."""
        if not targets:
            return
        if len(targets) > WIDEST:
            targets = self.narrowed(targets)
        for place in places:
            known = self.stored.get(place)
            if known is None:
                known = self.stored[place] = {}
                self._holders.setdefault((place.root, place.number), []).append(place)
            for target, sources in targets.items():
                self._put(known, target if len(known) < WIDEST else self._coarse(target), sources)
            if (place.root, place.number) in self._pooled:
                for own in self._pour(targets):
                    self._pool(own)

    def _coarse(self, target: Place) -> Place:
        """What stands for a place beside many others."""
        if target.is_own and target.root is not Root.FUNCTION:
            self._pool(target)
            return POOL
        return target.at(target.path[:1])

    def _put(self, known: Places, target: Place, sources: Sources) -> None:
        before = known.get(target)
        if before is None:
            known[target] = sources
            self.changes += 1
        elif not sources <= before:
            known[target] = before | sources
            self.changes += 1

    def content(self, places: Places) -> Places:
        """What places lead to: what is stored there, or in what holds them, and what lies there from the start."""
        found: Places = {}
        for place, sources in places.items():
            _add(found, place.below(CONTENT), sources)
            for target, own in self._stored_at(place).items():
                _add(found, target, own or sources)
        return found if len(found) <= WIDEST else self.narrowed(found)

    def narrowed(self, places: Places) -> Places:
        """Fewer places that stand for many: what outlives the function, by the first steps of its paths.

        The function's own objects go into a pool, which leads to whatever any of them does.
        """
        found: Places = {}
        for place, sources in places.items():
            if place.is_own and place.root is not Root.FUNCTION:
                self._pool(place)
                _add(found, POOL, sources)
            else:
                _add(found, place, sources)
        return _coarser(found)

    def _pool(self, place: Place) -> None:
        """Let an object of the function's own, and all that it leads to, be one with the others of the pool."""
        waiting = [place]
        while waiting:
            place = waiting.pop()
            root = (place.root, place.number)
            if root in self._pooled or place == POOL:
                continue
            self._pooled.add(root)
            self.changes += 1
            for holder in self._holders.get(root, ()):
                waiting += self._pour(self.stored[holder])

    def _pour(self, targets: Places) -> list[Place]:
        """Let the pool lead to some places; the own ones among them are to be pooled."""
        pool = self.stored.setdefault(POOL, {})
        own = []
        for target, sources in targets.items():
            if target.is_own and target.root is not Root.FUNCTION:
                own.append(target)
            else:
                self._put(pool, target if len(pool) < WIDEST else self._coarse(target), sources)
        return own

    def contents(self, places: Places, *, owns: bool = False) -> Places:
        """As `content`, with what any part of an object leads to; of one that owns elements, what these lead to."""
        found = dict(self.content(elements_of(places) if owns else places))
        for place in places:
            for holder in self._holders.get((place.root, place.number), ()):
                if _is_part(holder, place):
                    for target, own in self.stored[holder].items():
                        _add(found, target, own)
        return found if len(found) <= WIDEST else self.narrowed(found)

    def _stored_at(self, place: Place) -> Places:
        found = self.stored.get(place, {})
        if place.path and ((place.root, place.number) in self._holders or place.number == POOL.number):
            parts = [found]
            for length in range(len(place.path)):
                holder = place.at(place.path[:length])
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
                places = {place.below(step): named for place, named in places.items() if place.root is not _FUNCTION}
        return places if sources is None else dict.fromkeys(places, sources)


def elements_of(places: Places) -> Places:
    """The elements of arrays and containers."""
    return {place.below(ELEMENT): sources for place, sources in places.items() if place.root is not Root.FUNCTION}


def _coarser(places: Places) -> Places:
    for length in (2, 1, 0):
        if len(places) <= WIDEST:
            break
        shorter: Places = {}
        for place, sources in places.items():
            _add(shorter, place.at(place.path[:length]), sources)
        places = shorter
    return places


def _add(found: Places, place: Place, sources: Sources) -> None:
    known = found.setdefault(place, sources)
    if known is not sources:
        found[place] = known | sources


def _is_part(place: Place, whole: Place) -> bool:
    """Whether a place is a part of another one of the same root, and nothing that this only leads to."""
    length = len(whole.path)
    return len(place.path) > length and place.path[:length] == whole.path and CONTENT not in place.path[length:]
