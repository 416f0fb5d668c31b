"""The second witness: identifier tokens that read like an entity, and what each of them is.

The scanner sees all arms and macro bodies, and knows no scopes: a token counts unless something proves that it means
something else, or that the expansion of its macro already counts.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from mgaudit.domain.findings import Evidence
from mgaudit.sources.scan_facts import TokenFlag

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mgaudit.facts.query import Facts
    from mgaudit.sources.scan_facts import FileScan, MacroDefinition


class TokenClass(enum.Enum):
    """What a token is, where the front end reports no use of the entity at its place."""

    TEXT = "text of a directive, or stringised"
    HOMONYM = "something else of that name"
    EXPANDED = "in a macro body whose expansion counts"
    ELSEWHERE = "in an arm that only other configurations take"
    IDLE_BODY = "in a macro body that no code of the zone takes"
    IDLE_ARM = "in an arm that no configuration takes"
    OPEN = "in code that the front end resolves to nothing"

    @property
    def counts(self) -> bool:
        """Whether the token is a use."""
        return self in {TokenClass.IDLE_BODY, TokenClass.IDLE_ARM, TokenClass.OPEN}


class MacroPlace(NamedTuple):
    """Where a macro is defined."""

    path: str
    definition: MacroDefinition


class Macros:
    """The macros of the tree, by the scanner."""

    def __init__(self, scans: Mapping[str, FileScan]) -> None:
        self._scans = scans

    @cached_property
    def by_name(self) -> Mapping[str, tuple[MacroPlace, ...]]:
        """Every definition of each macro, sorted by place."""
        found: dict[str, list[MacroPlace]] = defaultdict(list)
        for path in sorted(self._scans):
            for definition in self._scans[path].macro_definitions:
                found[definition.name].append(MacroPlace(path, definition))
        return {name: tuple(places) for name, places in found.items()}

    def evidence(self, name: str | None) -> list[Evidence]:
        """Every definition of a macro; of a name that is none, nothing."""
        found = self.by_name.get(name, ()) if name else ()
        return [Evidence("macro", place.path, place.definition.line, f"#define {name}") for place in found]

    def holding(self, path: str, offset: int) -> MacroDefinition | None:
        """The macro in whose body a token lies."""
        return next((d for d in self._scans[path].macro_definitions if d.body_start <= offset < d.body_end), None)

    def expanding_to(self, name: str) -> frozenset[str]:
        """The macros whose expansion may expand a macro, that one included."""
        found = {name}
        waiting = [name]
        while waiting:
            current = waiting.pop()
            for path, scan in self._scans.items():
                for offset, flags in scan.occurrences(current):
                    user = self.holding(path, offset) if flags & TokenFlag.IN_MACRO_BODY else None
                    if user is not None and user.name not in found:
                        found.add(user.name)
                        waiting.append(user.name)
        return frozenset(found)

    def only_stringises(self, name: str) -> bool:
        """Whether every definition of a macro uses its arguments as text alone, itself or through such a macro."""
        return self._only_stringises(name, frozenset())

    def _only_stringises(self, name: str, above: frozenset[str]) -> bool:
        places = self.by_name.get(name, ())
        return bool(places) and all(self._is_text(place, above | {name}) for place in places)

    def _is_text(self, place: MacroPlace, above: frozenset[str]) -> bool:
        scan, definition = self._scans[place.path], place.definition
        uses = [
            flags
            for parameter in _spellings(definition)
            for offset, flags in scan.occurrences(parameter)
            if definition.body_start <= offset < definition.body_end
        ]
        if not uses:
            return False
        if all(flags & TokenFlag.STRINGIFIED for flags in uses):
            return True
        inner = {
            token.name
            for token in scan.tokens()
            if definition.body_start <= token.offset < definition.body_end and token.flags & TokenFlag.BEFORE_CALL
        }
        return bool(inner) and inner.isdisjoint(above) and all(self._only_stringises(n, above) for n in inner)


class FactPlaces:
    """Where the front end reports anything, by file: offset → names."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known: dict[str, dict[int, set[str]]] = {}

    def names_at(self, path: str, offset: int) -> Collection[str]:
        """The names of what is referenced or declared at a place."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = defaultdict(set)
            rows = [(row.offset, row.symbol) for row in self._facts.references_in([path])]
            rows += [(row.offset, row.symbol) for row in self._facts.declarations_in([path])]
            for place, symbol in rows:
                known[place].add(self._facts.symbol(symbol).name)
        return known.get(offset, ())


def names_at(scan: FileScan, offsets: Collection[int]) -> dict[int, str]:
    """The identifier tokens at some byte offsets of a file."""
    return {token.offset: token.name for token in scan.tokens() if token.offset in offsets}


def _spellings(definition: MacroDefinition) -> list[str]:
    return ["__VA_ARGS__" if p == "..." else p.removesuffix("...").strip() for p in definition.parameters]
