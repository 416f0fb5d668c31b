"""Controls: changes of a tree, planted in memory, of which a gate must say exactly one thing, or nothing.

A planter is a pure function of what a gate's check sees. It yields candidates, the best ones first: whether one is C++
shows when it is parsed, and what does not parse proves nothing, so that the next one of its kind takes its place.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.activity import Activity
from mgaudit.graphs.includes import IncludeGraph, is_fragment
from mgaudit.sources.records import DECL_DEFINITION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mgaudit.gates.context import GateContext

OFFERED: Final = 8
"""How many candidates a planter offers of one control."""
_MANY_UNITS: Final = 8  # what more units include costs too much to plant in
_LINE_END: Final = re.compile(rb"\r?\n\Z")


@dataclass(frozen=True, slots=True)
class Plant:
    """One change that is to be judged.

    Attributes:
        control: What kind of control it is: ``direct``, ``through a macro``. Those of one kind stand for one another.
        why: Why the gate must turn red, or must not, in one line.
        texts: The new content of each changed file, by path.
        path: Where the finding must lie; of a change that must stay green, where it is.
        line: 1-based; 0 for a finding that has no line.
        entity: What the finding must be about: its name as a catalogue would write it. Empty where it must stay green.
        is_doubt: Whether the gate must say that it cannot be trusted, with a reason at that place; else a finding.
    """

    control: str
    why: str
    texts: Mapping[str, bytes]
    path: str
    line: int
    entity: str = ""
    is_doubt: bool = False

    @property
    def stays_green(self) -> bool:
        """Whether the gate must say nothing new."""
        return not self.entity

    def found_at(self, path: str, line: int) -> Plant:
        """The same plant, whose finding lies elsewhere."""
        return replace(self, path=path, line=line)

    def about(self, entity: str) -> Plant:
        """The same plant, whose finding is about something else; none where that is empty."""
        return replace(self, entity=entity)


class Ground:
    """Where something can be planted.

    Args:
        context: The gate's context.
    """

    def __init__(self, context: GateContext) -> None:
        self.context = context
        self.facts = context.facts

    @cached_property
    def is_whole(self) -> bool:
        """Whether the run knows all configurations, also those that the gate does not judge."""
        every = [spec.name for spec in self.context.settings.configurations]
        return Activity.anywhere(self.facts, (), every).configurations.issuperset(every)

    @cached_property
    def _graphs(self) -> list[IncludeGraph]:
        return [IncludeGraph.of(self.facts, name) for name in self.facts.configurations]

    @cached_property
    def _units(self) -> Mapping[str, frozenset[str]]:
        """The main files of the units that hold each file."""
        found: dict[str, set[str]] = defaultdict(set)
        for graph in self._graphs:
            for unit in graph.sources():
                for path in (unit.name.path, *graph.closure(unit)):
                    found[path].add(unit.name.path)
        return {path: frozenset(units) for path, units in found.items()}

    @cached_property
    def _failing(self) -> frozenset[str]:
        """The main files of units that do not parse without errors: nothing can be proven there."""
        numbers = {diagnostic.unit for diagnostic in self.facts.diagnostics()}
        return frozenset(unit.name.path for unit in self.facts.units if unit.id in numbers)

    @cached_property
    def _precompiled(self) -> frozenset[str]:
        heads = [(graph, unit) for graph in self._graphs for unit in graph.units if unit.name.kind == "preamble"]
        return frozenset(path for graph, unit in heads for path in (unit.name.path, *graph.closure(unit)))

    def text(self, path: str) -> bytes:
        """The content of a file; empty where it cannot be read."""
        return self.context.content(path, None) or b""

    def sources(self, paths: Iterable[str]) -> list[str]:
        """The main files of units among some files, small ones first."""
        return self._chosen(path for path in paths if self._units.get(path, ()) and path in self._units[path])

    def headers(self, paths: Iterable[str]) -> list[str]:
        """The headers among some files that few units include, those with the fewest first."""
        sources = frozenset(self.context.files.sources)
        return self._chosen(p for p in paths if p not in sources and not is_fragment(p) and p not in self._precompiled)

    def fragments(self, paths: Iterable[str]) -> list[str]:
        """The ``.inc`` files and their like among some files, likewise."""
        catalogues = {spec.file for spec in self.context.settings.catalogues.values()}
        return self._chosen(path for path in paths if is_fragment(path) and path not in catalogues)

    def _chosen(self, paths: Iterable[str]) -> list[str]:
        fitting = (path for path in paths if self._is_fit(path))
        return sorted(fitting, key=lambda path: (len(self._units[path]), self.facts.scans[path].size, path))

    def _is_fit(self, path: str) -> bool:
        units = self._units.get(path, frozenset())
        if not 0 < len(units) <= _MANY_UNITS or path not in self.facts.scans or not units.isdisjoint(self._failing):
            return False
        try:
            self.text(path).decode("utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def sees(self, path: str, wanted: Iterable[str]) -> bool:
        """Whether code at the end of a file can name what one of some files declares, in every unit."""
        goals = frozenset(wanted)
        if path in goals:
            return True
        return all(
            not goals.isdisjoint(graph.closure(unit) if unit.name.path == path else graph.reachable_from_header(path))
            for graph in self._graphs
            for unit in graph.sources()
            if unit.name.path in self._units.get(path, ())
        )

    def includable(self, paths: Iterable[str]) -> list[str]:
        """Those of some files that are headers, sorted."""
        sources = frozenset(self.context.files.sources)
        return sorted(path for path in paths if path not in sources and not is_fragment(path))

    def defined_in_sources(self, symbols: Sequence[int]) -> frozenset[int]:
        """Those of some functions whose only definition is one source's."""
        places: dict[int, set[str]] = defaultdict(set)
        for row in self.facts.declarations_of(symbols):
            if row.flags & DECL_DEFINITION:
                places[row.symbol].add(row.path)
        sources = frozenset(self.context.files.sources)
        return frozenset(symbol for symbol, paths in places.items() if paths <= sources)

    def inclusion(self, path: str, header: str) -> str:
        """The directive by which a file includes a header, whatever the search path says."""
        return f'#include "{posixpath.relpath(header, posixpath.dirname(path) or ".")}"'

    def declaring(self, symbol: int) -> list[str]:
        """The headers of the tree that declare an entity, by path."""
        sources = frozenset(self.context.files.sources)
        rows = self.facts.declarations_of([symbol])
        return sorted({row.path for row in rows if not row.path.startswith("/") and row.path not in sources})

    def used_outside(self, symbols: Sequence[int]) -> frozenset[int]:
        """Those of some members that files use which do not declare them: they are accessible."""
        declaring: dict[int, set[str]] = defaultdict(set)
        for row in self.facts.declarations_of(symbols):
            declaring[row.symbol].add(row.path)
        return frozenset(r.symbol for r in self.facts.references_to(symbols) if r.path not in declaring[r.symbol])

    def appended(self, path: str, lines: Sequence[str]) -> tuple[bytes, int]:
        """A file with lines at its end, inside of its include guard, and the number of the first of them."""
        data, scan = self.text(path), self.facts.scans[path]
        guards = [arm for arm in scan.conditionals if arm.guard]
        at = guards[-1].end if guards else len(data)
        start = data.rfind(b"\n", 0, at) + 1 if guards else at
        before = data[:start]
        if before and not _LINE_END.search(before):
            before += b"\n"
        return before + "".join(f"{line}\n" for line in lines).encode() + data[start:], before.count(b"\n") + 1

    def bodies(self, path: str) -> Iterator[tuple[int, int]]:
        """Behind the opening brace of each function body that surely is one: byte offset and line."""
        syntax, scan, data = self.context.syntax.get(path), self.facts.scans[path], self.text(path)
        if syntax is None or syntax.errors or syntax.suspicious:
            return
        for function in syntax.functions:
            at = function.body_start
            # Where an #if decides over the function, some configuration may never see it.
            if at >= 0 and data[at : at + 1] == b"{" and not scan.condition(scan.arm_of(at)):
                yield at + 1, scan.location(at)[0]

    def inserted(self, path: str, offset: int, text: str) -> bytes:
        """A file with a text at a byte offset."""
        data = self.text(path)
        return data[:offset] + text.encode() + data[offset:]
