"""From the rows of a coverage catalogue to the entities that they mean, and from sites to their rows."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mgaudit.analysis.sites_entities import CLASSES
from mgaudit.domain.names import selects, strip_signature
from mgaudit.domain.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mgaudit.analysis.sites import Site
    from mgaudit.analysis.sites_entities import Entities, EntityKind
    from mgaudit.facts.query import Facts
    from mgaudit.sources.catalogues import Catalogue, Row


@dataclass(frozen=True, slots=True)
class Mapped:
    """A row and what it means.

    Attributes:
        row: The row.
        symbols: Ids of the entities; empty where nothing has the name.
        overriders: Ids of what overrides them.
        arguments: The constant arguments that it is confined to, or none.
    """

    row: Row
    symbols: frozenset[int]
    overriders: frozenset[int]
    arguments: tuple[str, ...]

    def takes(self, arguments: tuple[str, ...]) -> bool:
        """Whether the row's constants stand in the same places of a call."""
        return len(arguments) >= len(self.arguments) and all(
            not wanted or selects(wanted, found)
            for wanted, found in zip(self.arguments, arguments, strict=False)
        )  # fmt: skip


RowIndex = dict[int, list[tuple[int, Mapped]]]


def _by_symbol(rows: Iterable[tuple[frozenset[int], Mapped]]) -> RowIndex:
    """The rows of each symbol, with their places in the catalogue."""
    found: RowIndex = {}
    for number, (symbols, mapped) in enumerate(rows):
        for symbol in symbols:
            found.setdefault(symbol, []).append((number, mapped))
    return found


class Mapping:
    """One catalogue against the entities of a scope.

    Args:
        facts: The facts.
        entities: The scope's entities.
        catalogue: The rows.
        used: Ids of the entities that sites use: inherited ones are found among them alone.
        column: The column that names the entity; default: the first.
        kinds: What a row may mean, beside what is used: the scope's entities of these kinds; default: the members of
            watched classes.
    """

    def __init__(  # noqa: PLR0913
        self, facts: Facts, entities: Entities, catalogue: Catalogue, used: Collection[int], *,
        column: str | None = None, kinds: Collection[EntityKind] | None = None,
    ) -> None:  # fmt: skip
        self._facts = facts
        self._entities = entities
        self._used = frozenset(used)
        self._column = column
        self._kinds = kinds
        self.problems: list[Problem] = []
        self.rows: tuple[Mapped, ...] = tuple(self._mapped(row) for row in catalogue.rows)

    @cached_property
    def _accessors(self) -> frozenset[int]:
        return self._used.union(*self._entities.accessors_by_name().values())

    def is_meant(self, number: int) -> bool:
        """Whether a row may mean an entity."""
        if self._kinds is None:
            return number in self._accessors
        is_kind = self._entities.is_inside(number) and self._entities.kind(number) in self._kinds
        return is_kind or number in self._used

    def _mapped(self, row: Row) -> Mapped:
        name = row.key if self._column is None else row.get(self._column) or ""
        arguments: tuple[str, ...] = ()
        found = self._named(name)
        if not found and strip_signature(name) != name:
            bare = strip_signature(name)
            inner = name[len(bare) + 1 : -1]
            name, arguments = bare, tuple(text.strip() for text in inner.split(","))
            found = self._named(name)
        families = self._entities.families(n for n in found if self._facts.symbol(n).kind not in CLASSES)
        if len(families) > 1:
            names = sorted({f"::{self._facts.symbol(min(numbers)).qualified}" for numbers in families.values()})
            self.problems.append(
                Problem(
                    row.path, row.line, f"column {row.column}: `{name}` means several entities: {', '.join(names)}",
                    "qualify it with its class",
                )
            )  # fmt: skip
        return Mapped(row, found, self._entities.overriders(found) - found, arguments)

    def _named(self, name: str) -> frozenset[int]:
        """The entities of a name; that of a constructor is also meant where a braced list makes an aggregate."""
        found = {s.id for s in self._facts.symbols_named(name) if self.is_meant(s.id)}
        class_, _, last = name.rpartition("::")
        if class_.rpartition("::")[2] == last:
            classes = (s for s in self._facts.symbols_named(class_) if s.kind in CLASSES)
            found.update(s.id for s in classes if s.id in self._used)
        return frozenset(found)

    def rows_of(self, site: Site, among: Sequence[Mapped] | None = None) -> list[Mapped]:
        """The rows that answer a site: those for its arguments before the bare ones, its own before the inherited.

        A site whose arguments differ between instantiations is answered where each of them is.

        Args:
            site: The site.
            among: The rows that count; default: all.
        """
        if among is None:
            candidates = self._indexed(site, self._own) or self._indexed(site, self._inherited)
        else:
            own = [mapped for mapped in among if mapped.symbols & site.symbols]
            candidates = own or [mapped for mapped in among if mapped.overriders & site.symbols]
        found: dict[int, Mapped] = {}
        for arguments in sorted(site.arguments) or [()]:
            exact = [m for m in candidates if m.arguments and m.takes(arguments)]
            chosen = exact or [m for m in candidates if not m.arguments]
            if not chosen:
                return []
            found.update((id(m), m) for m in chosen)
        return list(found.values())

    @cached_property
    def _own(self) -> RowIndex:
        return _by_symbol((mapped.symbols, mapped) for mapped in self.rows)

    @cached_property
    def _inherited(self) -> RowIndex:
        return _by_symbol((mapped.overriders, mapped) for mapped in self.rows)

    @staticmethod
    def _indexed(site: Site, index: RowIndex) -> list[Mapped]:
        found = {number: mapped for symbol in site.symbols for number, mapped in index.get(symbol, ())}
        return [found[number] for number in sorted(found)]

    def without(self, dropped: Mapped) -> Mapping:
        """The mapping as it would be if a row were not there."""
        other = copy(self)
        other.rows = tuple(mapped for mapped in self.rows if mapped is not dropped)
        for name in ("_own", "_inherited"):
            other.__dict__.pop(name, None)
        return other

    def doubled(self, beside: str = "") -> Sequence[Mapped]:
        """The rows that say again what an earlier row of the same definition of the list says.

        Args:
            beside: A column that rows of one accessor may differ in.
        """
        seen: dict[tuple[object, ...], Row] = {}
        repeated = []
        for mapped in self.rows:
            what: tuple[object, ...] = (mapped.symbols, mapped.arguments) if mapped.symbols else (mapped.row.key,)
            key = (mapped.row.definition, mapped.row.get(beside), *what)
            if key in seen:
                repeated.append(mapped)
            seen.setdefault(key, mapped.row)
        return repeated
