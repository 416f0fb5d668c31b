"""What one part of a build needs from another: the link debts of a partition of objects.

The list is (undefined in server - defined in server - defined in shared) ∩ defined in frontend, by mangled name.
"""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.sources.binaries_names import own_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mgaudit.sources.binaries_model import ObjectFile


_TABLES: Final = ("_ZTV", "_ZTT", "_ZTI", "_ZTS")  # of a class: their own name is the class's


class Side(enum.StrEnum):
    """Whom an object belongs to."""

    SERVER = "server"
    FRONTEND = "frontend"
    SHARED = "shared"


@dataclass(frozen=True, slots=True)
class Debt:
    """A symbol that the server needs and only the frontend defines.

    Attributes:
        name: The mangled name.
        users: The server's objects that leave it undefined, in their order.
        definers: The frontend's objects that define it, in their order.
    """

    name: str
    users: tuple[ObjectFile, ...]
    definers: tuple[ObjectFile, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A frontend object that would better be the server's.

    Attributes:
        item: The object.
        settled: Entries that go off the list: pairs of a symbol and a server object that needs it.
        incurred: Entries that come on: what the object itself needs of the rest of the frontend.
        left: Entries on the list after this move and those before it.
    """

    item: ObjectFile
    settled: int
    incurred: int
    left: int


@dataclass(frozen=True, slots=True)
class Scope:
    """A class or namespace whose definitions the server needs.

    Attributes:
        name: Qualified; empty for the global one.
        symbols: How many of its symbols are on the list.
        entries: How many entries go off the list if the server needs none of them.
    """

    name: str
    symbols: int
    entries: int


def classify(
    objects: Iterable[ObjectFile], partition: Mapping[Side, Sequence[str]]
) -> dict[Side, tuple[ObjectFile, ...]]:
    """Give each object its side, by the longest prefix of its path.

    Args:
        objects: Objects; an archive member is ``path(member)``, so that prefixes can tell members apart.
        partition: Path prefixes of each side.

    Raises:
        UntrustedError: An object has no side, two sides claim one prefix, a prefix fits no object, or the server or
            the frontend has no object.
    """
    owners: dict[str, Side] = {}
    problems: list[Problem] = []
    for side, prefixes in partition.items():
        for prefix in prefixes:
            if owners.setdefault(prefix, side) is not side:
                message = f"prefix {prefix!r} is claimed by both {owners[prefix]} and {side}"
                problems.append(Problem(None, 0, message, "give it to one side"))
    longest_first = sorted(owners, key=lambda prefix: (-len(prefix), prefix))
    sides: dict[Side, list[ObjectFile]] = {side: [] for side in Side}
    fitting: set[str] = set()
    for item in objects:
        fits = [prefix for prefix in longest_first if item.label.startswith(prefix)]
        fitting.update(fits)
        if fits:
            sides[owners[fits[0]]].append(item)
        else:
            message = f"{item.label} belongs to neither server, frontend nor shared"
            problems.append(Problem(item.path, 0, message, "add a prefix for it to the partition"))
    problems.extend(_empty_parts(longest_first, fitting, sides))
    if problems:
        raise UntrustedError(problems)
    return {side: tuple(found) for side, found in sides.items()}


def _empty_parts(
    prefixes: Iterable[str], fitting: set[str], sides: Mapping[Side, Sequence[ObjectFile]]
) -> Iterator[Problem]:
    for prefix in prefixes:
        if prefix not in fitting:
            yield Problem(None, 0, f"partition prefix {prefix!r} fits no object", "remove it, or correct its path")
    for side in (Side.SERVER, Side.FRONTEND):
        if not sides[side]:
            yield Problem(None, 0, f"no object belongs to the {side}", "correct the partition or the globs")


def link_debts(sides: Mapping[Side, Sequence[ObjectFile]]) -> tuple[Debt, ...]:
    """The symbols that server objects leave undefined and only frontend objects define, sorted by mangled name."""
    provided = defined_in((*sides[Side.SERVER], *sides[Side.SHARED]))
    frontend = defined_in(sides[Side.FRONTEND])
    users = undefined_in(sides[Side.SERVER])
    return tuple(
        Debt(name, tuple(users[name]), tuple(frontend[name]))
        for name in sorted(users.keys() & frontend.keys() - provided.keys())
    )


def defined_in(objects: Iterable[ObjectFile]) -> dict[str, list[ObjectFile]]:
    """The symbols that objects offer each other, and by which of them."""
    found: dict[str, list[ObjectFile]] = {}
    for item in objects:
        for name in {symbol.name for symbol in item.linkage if symbol.provides}:
            found.setdefault(name, []).append(item)
    return found


def undefined_in(objects: Iterable[ObjectFile]) -> dict[str, list[ObjectFile]]:
    """The symbols that objects leave undefined, and which of them."""
    found: dict[str, list[ObjectFile]] = {}
    for item in objects:
        for name in {symbol.name for symbol in item.linkage if symbol.is_undefined and symbol.name}:
            found.setdefault(name, []).append(item)
    return found


def scopes(debts: Iterable[Debt]) -> tuple[Scope, ...]:
    """The classes and namespaces on the list, those with the most entries first; tables count for their class."""
    symbols: Counter[str] = Counter()
    entries: Counter[str] = Counter()
    for debt in debts:
        own = own_name(debt.name)
        scope = own if debt.name.startswith(_TABLES) else own.rpartition("::")[0]
        symbols[scope] += 1
        entries[scope] += len(debt.users)
    found = (Scope(name, symbols[name], entries[name]) for name in symbols)
    return tuple(sorted(found, key=lambda scope: (-scope.entries, scope.name)))


def moves(sides: Mapping[Side, Sequence[ObjectFile]]) -> tuple[Move, ...]:
    """Which frontend objects to give to the server so that the list shrinks most, one after the other.

    Greedy: each is the one that shortens the list most after those before it; none that does not shorten it.
    """
    ledger = _Ledger(sides)
    found: list[Move] = []
    while True:
        best = max(map(ledger.weigh, ledger.frontend), key=_gain, default=None)
        if best is None or best.settled <= best.incurred:
            return tuple(found)
        found.append(best)
        ledger.move(best.item)


def _gain(move: Move) -> tuple[int, int]:
    """What a move is worth: of equally good ones, the first that brings least onto the list."""
    return move.settled - move.incurred, -move.incurred


class _Ledger:
    """The list while objects move, kept by name so that a move costs no more than the object's own symbols."""

    def __init__(self, sides: Mapping[Side, Sequence[ObjectFile]]) -> None:
        self.frontend = list(sides[Side.FRONTEND])
        self._provided = set(defined_in((*sides[Side.SERVER], *sides[Side.SHARED])))
        self._users = Counter({name: len(items) for name, items in undefined_in(sides[Side.SERVER]).items()})
        self._definers = Counter({name: len(items) for name, items in defined_in(self.frontend).items()})
        self._defined = {id(item): frozenset(defined_in([item])) for item in self.frontend}
        self._needed = {id(item): frozenset(undefined_in([item])) for item in self.frontend}

    def weigh(self, item: ObjectFile) -> Move:
        """What moving an object does to the list."""
        defined = self._defined[id(item)]
        settled = sum(self._users[name] for name in defined if self._is_owed(name))
        unmet = self._needed[id(item)] - defined - self._provided
        incurred = sum(self._definers[name] > 0 for name in unmet)
        return Move(item, settled, incurred, self._length() - settled + incurred)

    def _is_owed(self, name: str) -> bool:
        return name not in self._provided and self._definers[name] > 0

    def _length(self) -> int:
        return sum(count for name, count in self._users.items() if self._is_owed(name))

    def move(self, item: ObjectFile) -> None:
        """Give an object to the server."""
        self.frontend = [other for other in self.frontend if other is not item]
        self._provided |= self._defined[id(item)]
        self._definers.subtract(self._defined[id(item)])
        self._users.update(self._needed[id(item)])
