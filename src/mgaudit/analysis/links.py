"""What one part of a build needs from another: the link debts of a partition of objects.

The list is (undefined in server - defined in server - defined in shared) ∩ defined in frontend, by mangled name.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mgaudit.domain.problems import Problem, UntrustedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mgaudit.sources.binaries_model import ObjectFile


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
