"""The check of the gate kind ``include-purity``."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from mgaudit.domain.findings import Finding, Severity
from mgaudit.domain.problems import Problem
from mgaudit.gates import directives
from mgaudit.gates.context import Verdict
from mgaudit.gates.include_purity.crossings import crossings, leads_across
from mgaudit.gates.include_purity.parameters import IncludePurityParameters
from mgaudit.graphs.includes import IncludeGraph, is_fragment
from mgaudit.sources.records import COMMAND_LINE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.config.model import Exemption
    from mgaudit.facts.query import Edge, Unit
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.include_purity.crossings import Chain
    from mgaudit.graphs.includes import Adjacency

_HELP = (
    "forward-declare, or move what is needed to a neutral header; `mgaudit cut` lists the fewest directives to remove"
)


def check(context: GateContext) -> Verdict:
    """Judge every translation unit and every header of the zones under guard, in each configuration."""
    return _Check(context).verdict()


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file whose closure is judged, and the unit that tells what it includes; it is a unit, or a header alone."""

    path: str
    graph: IncludeGraph
    unit: Unit
    is_unit: bool

    @property
    def configuration(self) -> str:
        """The configuration in which it is judged."""
        return self.graph.configuration

    def adjacency(self) -> Adjacency:
        """The edges to follow from the file."""
        edges = self.graph.adjacency(self.unit)
        return edges if self.unit.name.path == self.path else _behind(self.path, self.unit.name.path, edges)


@dataclass(slots=True)
class _Breach:
    """What is known of one pair of a leaving directive and a crossed file."""

    chain: Chain
    entry: _Entry
    configurations: set[str] = field(default_factory=set)
    entries: set[str] = field(default_factory=set)
    exempted: set[int] = field(default_factory=set)


class _Check:
    def __init__(self, context: GateContext) -> None:
        assert isinstance(context.spec.parameters, IncludePurityParameters)
        self.context = context
        self.parameters = context.spec.parameters
        self.guarded = context.paths_in(self.parameters.from_zones)
        self.forbidden = context.paths_in(self.parameters.forbid)
        exempt = context.spec.exempt
        self.cut = {e.edge: index for index, e in enumerate(exempt) if e.edge and _is_bare(e)}
        self.partial = {index: e for index, e in enumerate(exempt) if e.edge and not _is_bare(e)}
        self.live: set[int] = set()
        self.crossed: dict[tuple[str, str], set[str]] = {}
        self.edges: set[int] = set()
        self.breaches: dict[tuple[directives.Place, str], _Breach] = {}

    def verdict(self) -> Verdict:
        entries = [entry for entry in self._entries() if self._can_bear_on_wanted(entry)]
        for entry in entries:
            self._judge(entry)
        covered = self._covered()
        handled = frozenset(index for index, e in enumerate(self.context.spec.exempt) if e.edge)
        return Verdict(
            findings=tuple(
                self._finding(key, breach)
                for key, breach in self.breaches.items()
                if key not in covered and (self.context.wants(key[0].path) or key[0].path not in self.guarded)
            ),
            examined={
                "units": len({e.path for e in entries if e.is_unit}),
                "headers": len({e.path for e in entries if not e.is_unit}),
                "edges": len(self.edges),
            },
            problems=tuple(self._problems({entry.path for entry in self._entries()})),
            stale=handled - self.live,
            handled=handled,
        )

    def _problems(self, entries: set[str]) -> Iterator[Problem]:
        """A selection that holds nothing proves nothing."""
        kinds = "translation unit or header" if self.parameters.headers else "translation unit"
        for index, name in enumerate(self.parameters.from_zones):
            if entries.isdisjoint(self.context.files.in_zone(name)):
                yield Problem(
                    *self.context.spec.place(f"from[{index}]"),
                    f'gate "{self.context.spec.id}": no {kinds} of zone "{name}" was parsed',
                    "correct the zone's paths, or the sources of the tree",
                )
        for index, name in enumerate(self.parameters.forbid):
            if not self.context.files.in_zone(name):
                yield Problem(
                    *self.context.spec.place(f"forbid[{index}]"),
                    f'gate "{self.context.spec.id}": the forbidden zone "{name}" holds no file',
                    "correct the zone's paths: nothing can violate an empty zone",
                )
        if self.parameters.poison:
            yield from self._disagreements()

    def _disagreements(self) -> Iterator[Problem]:
        """Where the include closure and a parse with poisoned headers differ: then neither is to be trusted."""
        witnessed = self.context.poisoned(frozenset(path for _, path in self.crossed), self.forbidden)
        for (configuration, path), poisoned in sorted(witnessed.items()):
            recorded = self.crossed.get((configuration, path), set())
            if recorded & poisoned:
                continue  # macros of what both met decide over further inclusions, and the poison took those away
            for file in sorted(recorded ^ poisoned):
                seen, blind = ("recorded", "poisoned") if file in recorded else ("poisoned", "recorded")
                yield Problem(
                    path, 0,
                    f"configuration {configuration}: the {seen} inclusions reach {file}, the {blind} ones do not",
                    "report this: the two witnesses of the include closure must agree",
                )  # fmt: skip

    # ---- entries

    def _entries(self) -> Iterator[_Entry]:
        sources = frozenset(self.context.files.sources)
        for configuration in self.context.facts.configurations:
            graph = IncludeGraph.of(self.context.facts, configuration)
            units = {unit.name.path for unit in graph.sources()}
            for unit in graph.sources():
                if unit.name.path in self.guarded:
                    yield _Entry(unit.name.path, graph, unit, is_unit=True)
            if self.parameters.headers:
                for header in sorted(self.guarded - sources - units):
                    for unit in _telling(graph, header):
                        yield _Entry(header, graph, unit, is_unit=False)

    def _can_bear_on_wanted(self, entry: _Entry) -> bool:
        """Whether an entry leads to a wanted file, or to a finding that lies in no file of the tree."""
        wanted = self.context.looked_at
        if wanted is None or entry.path in wanted or not wanted.isdisjoint(entry.graph.closure(entry.unit)):
            return True
        return not self._forced.isdisjoint(self.context.facts.edges_of(entry.unit))

    @cached_property
    def _forced(self) -> frozenset[int]:
        """Ids of the inclusions that the configurations force."""
        return frozenset(edge.id for edge in self.context.facts.edges.values() if edge.source == COMMAND_LINE)

    def _judge(self, entry: _Entry) -> None:
        adjacency = entry.adjacency()
        before = crossings(adjacency, entry.path, self.forbidden)
        crossed = self.crossed.setdefault((entry.configuration, entry.path), set())
        crossed.update(chain[-1].target for chain in before.chains if chain[-1].target is not None)
        self.edges.update(e.id for path in before.reached for e in adjacency.get(path, ()))
        for pair, index in self.cut.items():
            source, target = pair
            known = index in self.live or source not in before.reached or not _has_edge(adjacency, pair)
            if not known and leads_across(adjacency, target, self.forbidden):
                self.live.add(index)
        found = crossings(adjacency, entry.path, self.forbidden, self.cut) if self.cut else before
        for chain in found.chains:
            self._record(entry, chain)

    def _record(self, entry: _Entry, chain: Chain) -> None:
        crossed = chain[-1].target
        assert crossed is not None
        key = (self._place(entry, self._leaving(chain)), crossed)
        breach = self.breaches.get(key)
        if breach is None:
            breach = self.breaches[key] = _Breach(chain, entry)
        elif _rank(entry, chain) < _rank(breach.entry, breach.chain):
            breach.chain, breach.entry = chain, entry
        breach.configurations.add(entry.configuration)
        breach.entries.add(entry.path)
        for index, exemption in self.partial.items():
            if any((edge.source, edge.target) == exemption.edge for edge in chain):
                breach.exempted.add(index)

    def _leaving(self, chain: Chain) -> Edge:
        """The last directive in a file under guard; a forced include where no such file is on the chain."""
        return next((edge for edge in reversed(chain) if edge.source in self.guarded), chain[0])

    def _place(self, entry: _Entry, edge: Edge) -> directives.Place:
        return directives.place(edge, self.context.facts, self.context.settings, entry.configuration)

    # ---- exemptions that name an edge and more

    def _covered(self) -> set[tuple[directives.Place, str]]:
        """The findings that an exemption with an edge and further keys covers, as many as it counts."""
        covered: set[tuple[directives.Place, str]] = set()
        for index, exemption in self.partial.items():
            fitting = sorted(
                key for key, breach in self.breaches.items()
                if key not in covered and index in breach.exempted and _fits(exemption, key)
            )  # fmt: skip
            covered.update(fitting[: exemption.count])
            if len(fitting) >= exemption.count:
                self.live.add(index)
        return covered

    # ---- findings

    def _finding(self, key: tuple[directives.Place, str], breach: _Breach) -> Finding:
        place, crossed = key
        entry = breach.entry
        leaving = self._leaving(breach.chain)
        forced = leaving.source == COMMAND_LINE
        way = f"{'forces' if forced else 'includes'} {leaving.target}"
        way += "" if leaving.target == crossed else f", which leads to {crossed}"
        others = f"; {len(breach.entries)} entry files are affected" if len(breach.entries) > 1 else ""
        return Finding(
            gate=self.context.spec.id,
            kind=self.context.spec.kind,
            severity=Severity.ERROR,
            message=f"{f'configuration {entry.configuration}' if forced else place.path} {way}{others}",
            help=_HELP,
            path=place.path,
            line=place.line,
            column=place.column,
            entity=crossed,
            identity=(place.path, crossed),
            configurations=tuple(sorted(breach.configurations)),
            evidence=directives.evidence(
                breach.chain, self.context.facts, self.context.settings, entry.configuration
            ),
        )  # fmt: skip


def _is_bare(exemption: Exemption) -> bool:
    """Whether an exemption names an edge and nothing else."""
    return exemption.entry_path is None and exemption.entity is None and exemption.symbol is None


def _fits(exemption: Exemption, key: tuple[directives.Place, str]) -> bool:
    place, crossed = key
    return (
        exemption.entry_path in (None, place.path)
        and exemption.entity in (None, crossed)
        and exemption.symbol is None  # a directive stands in no function
    )


def _has_edge(adjacency: Adjacency, edge: tuple[str, str]) -> bool:
    return any(e.target == edge[1] for e in adjacency.get(edge[0], ()))


def _telling(graph: IncludeGraph, header: str) -> Sequence[Unit]:
    """The units that tell what a header taken alone includes.

    Where it was not parsed alone, one unit is known to tell; of a fragment, which cannot be parsed alone, all may tell
    different things.
    """
    if is_fragment(header) and not graph.header_units(header):
        return graph.including_units(header)
    return graph.telling_units(header)


def _behind(header: str, main: str, adjacency: Adjacency) -> Adjacency:
    """A unit's edges as a header alone would meet them: forced includes come before the header, too."""
    forced = [edge for edge in adjacency.get(main, ()) if edge.source == COMMAND_LINE]
    return {**adjacency, header: [*forced, *adjacency.get(header, ())]} if forced else adjacency


def _rank(entry: _Entry, chain: Chain) -> tuple[int, list[tuple[str, int]], str, str]:
    return len(chain), [(edge.source, edge.line) for edge in chain], entry.path, entry.configuration
