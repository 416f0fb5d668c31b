"""What pointers and references of one function may lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_model import CONTENT, ELEMENT, Place, Root, all_below, joined

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.analysis.effects_model import Path, Places, Sources


_POOL_NUMBER: Final = -1
POOL: Final = Place(Root.TEMPORARY, _POOL_NUMBER)
WIDEST: Final = 16
"""The most places that one expression is told to lead to; more become coarser."""


class Memory:
    """The stores of one function, in no order.

    It notes what is read and what changes, since an evaluation that read nothing before it changed finds nothing new
    when it is repeated.

    Attributes:
        stored: What each place is ever given to lead to.
        changes: How often something new was stored.
    """

    def __init__(self) -> None:
        self.stored: dict[Place, Places] = {}
        self.changes = 0
        self._read: list[tuple[int, Iterable[Place], bool]] = []  # when, what, and whether with all of its parts
        self._changed: dict[Place, int] = {}  # when last
        self._is_full = False
        self._holders: dict[tuple[Root, int], list[Place]] = {}  # of each root, the places where something is stored
        self._pooled: set[tuple[Root, int]] = set()

    # ---- what is read and what changes

    def begin(self) -> None:
        """Forget what was read and what changed until now."""
        self._read.clear()
        self._changed.clear()
        self._is_full = False

    def is_overtaken(self) -> bool:
        """Whether something changed after it was read: only then may the same evaluation find more.

        What leads to as many places as it may is given coarser ones at the next attempt.
        """
        if self._is_full:
            return True
        changed: dict[tuple[Root, int], list[tuple[Path, int]]] = {}
        for (root, number, path), when in self._changed.items():
            changed.setdefault((root, number), []).append((path, when))
        return any(
            last > when and (with_parts or path[: len(other)] == other)
            for when, places, with_parts in self._read
            for root, number, path in places
            for other, last in changed.get((root, number), ())
        )

    def _note(self, place: Place, known: Places) -> None:
        self._changed[place] = self.changes
        self._is_full = self._is_full or len(known) >= WIDEST

    # ---- stores

    def at(self, place: Place) -> Places:
        """What is stored at a place."""
        self._read.append((self.changes, (place,), False))
        return self.stored.get(place, {})

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
            before = self.changes
            for target, sources in targets.items():
                self._put(known, target if len(known) < WIDEST else self._coarse(target), sources)
            if self.changes != before:
                self._note(place, known)
            if (place.root, place.number) in self._pooled:
                for own in self._pour(targets):
                    self._pool(own)

    def _coarse(self, target: Place) -> Place:
        """What stands for a place beside many others."""
        if target.is_own and target.root is not Root.FUNCTION:
            self._pool(target)
            return POOL
        return target.shortened(1)

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
        self._read.append((self.changes, places, False))
        found: Places = {}
        for place, sources in places.items():
            _add(found, place.below(CONTENT), sources)
            root, number, _ = place
            if (root, number) in self._holders or number == _POOL_NUMBER:
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
        before = self.changes
        for target, sources in targets.items():
            if target.is_own and target.root is not Root.FUNCTION:
                own.append(target)
            else:
                self._put(pool, target if len(pool) < WIDEST else self._coarse(target), sources)
        if self.changes != before:
            self._note(POOL, pool)
        return own

    def contents(self, places: Places, *, owns: bool = False) -> Places:
        """As `content`, with what any part of an object leads to; of one that owns elements, what these lead to."""
        found = dict(self.content(elements_of(places) if owns else places))
        self._read.append((self.changes, places, True))
        for place in places:
            for holder in self._holders.get((place.root, place.number), ()):
                if _is_part(holder, place):
                    for target, own in self.stored[holder].items():
                        _add(found, target, own)
        return found if len(found) <= WIDEST else self.narrowed(found)

    def _stored_at(self, place: Place) -> Places:
        """What is stored at a place, and at what holds it."""
        root, number, path = place
        found = self.stored.get(place, {})
        if path:
            holders: list[tuple[Root, int, Path]] = [(root, number, path[:length]) for length in range(len(path))]
            found = joined(found, *[self.stored[holder] for holder in holders if holder in self.stored])
        return found

    def step(self, places: Places, step: int) -> Places:
        """The places one step further on a path."""
        return self.content(places) if step == CONTENT else all_below(places, step)


def elements_of(places: Places) -> Places:
    """The elements of arrays and containers."""
    return all_below(places, ELEMENT)


def _coarser(places: Places) -> Places:
    for length in (2, 1, 0):
        if len(places) <= WIDEST:
            break
        shorter: Places = {}
        for place, sources in places.items():
            _add(shorter, place.shortened(length), sources)
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
