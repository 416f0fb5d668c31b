"""The symbol table: where each entity is declared and defined, and how zones depend on each other through uses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mgaudit.facts.rows import declarations, tracked_uses
from mgaudit.graphs.zones import quotient
from mgaudit.sources.records import DECL_DEFINITION, DECL_IMPLICIT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.facts.entities import Symbol
    from mgaudit.facts.query import Facts
    from mgaudit.graphs.zones import Dependency, Membership


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in a file, 1-based."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entity of the tree.

    Attributes:
        symbol: The entity.
        signature: Qualified name and, of a function, its parameters.
        declarations: Where it is declared without being defined, sorted.
        definitions: Where it is defined, sorted; several for what configurations or an inclusion repeat.
        zones: Names of its zones, sorted.
    """

    symbol: Symbol
    signature: str
    declarations: tuple[Place, ...]
    definitions: tuple[Place, ...]
    zones: tuple[str, ...]

    @property
    def place(self) -> Place:
        """Its definition, or else its first declaration."""
        return (self.definitions or self.declarations)[0]


def symbol_table(facts: Facts, membership: Membership) -> list[Entry]:
    """Every entity that a file of the tree declares, sorted by signature and place; implicit members are left out."""
    declared: dict[int, set[Place]] = defaultdict(set)
    defined: dict[int, set[Place]] = defaultdict(set)
    for symbol, path, line, column, flags, _ in declarations(facts):
        if not flags & DECL_IMPLICIT:
            (defined if flags & DECL_DEFINITION else declared)[symbol].add(Place(path, line, column))
    entries = []
    for number in declared.keys() | defined.keys():
        entity = facts.symbol(number)
        entries.append(
            Entry(
                entity, facts.signature(entity), tuple(sorted(declared[number])), tuple(sorted(defined[number])),
                membership.of_symbol(number),
            )
        )  # fmt: skip
    return sorted(entries, key=lambda entry: (entry.signature, entry.place, entry.symbol.usr))


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """That a file uses an entity: the first place, and how often.

    Attributes:
        path: The using file.
        symbol: Id of the entity.
        line: 1-based line of the first use.
        count: Distinct places.
    """

    path: str
    symbol: int
    line: int
    count: int


def uses(facts: Facts) -> list[Use]:
    """Which file uses which entity, over all references; namespaces are left out, since a name alone uses nothing."""
    places: dict[tuple[str, int], set[tuple[int, int]]] = defaultdict(set)
    for path, symbol, line, column in tracked_uses(facts):
        places[path, symbol].add((line, column))
    return [Use(path, symbol, min(found)[0], len(found)) for (path, symbol), found in sorted(places.items())]


def zone_dependencies(found: Iterable[Use], membership: Membership) -> list[Dependency]:
    """Zone by zone dependencies over uses: the using file's zones against the used entity's.

    Entities that no file of the tree declares are left out.
    """
    return quotient(
        (membership.of_path(use.path), membership.of_symbol(use.symbol), use.path, use.line)
        for use in found
        if membership.is_declared(use.symbol)
    )
