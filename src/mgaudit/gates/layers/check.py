"""The check of the gate kind ``layers``: an order of zones, independent zones, no cycles, no file without a zone."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.gates.context import Verdict
from mgaudit.gates.layers.cycles import cycles
from mgaudit.gates.layers.edges import by_include, by_symbol
from mgaudit.gates.layers.parameters import LayersParameters
from mgaudit.gates.layers.rules import Breach, Independent, Ordered, Rule, breaches
from mgaudit.gates.scopes import empty_zones

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext
    from mgaudit.gates.layers.edges import Edge
    from mgaudit.gates.layers.rules import Chain

_HELP: Final = "move what is needed to a lower zone, or turn the dependency around: let the upper zone pass it in"
_CYCLE_HELP: Final = "remove one of these uses; `mgaudit cut` lists the fewest inclusions to remove between two zones"


def check(context: GateContext) -> Verdict:
    """Find every use that breaks the order, the independence or the freedom from cycles of zones."""
    return _Check(context).verdict()


@dataclass(slots=True)
class _Found:
    """One violation over all configurations."""

    chain: Chain
    reason: str
    configurations: set[str] = field(default_factory=set)


class _Check:
    def __init__(self, context: GateContext) -> None:
        assert isinstance(context.spec.parameters, LayersParameters)
        self.context = context
        self.parameters = context.spec.parameters
        groups = self.parameters.independent
        self.named = sorted({*self.parameters.layers, *(zone for group in groups for zone in group)})
        self.rules: list[Rule] = [Ordered(self.parameters.layers)] if self.parameters.layers else []
        self.rules += [Independent(group) for group in groups]
        self.zones = {path: frozenset(context.files.zones_of(path)) for path in context.files.files}
        exempt = context.spec.exempt
        bare = (e for e in enumerate(exempt) if e[1].edge and not (e[1].entry_path or e[1].entity or e[1].symbol))
        self.exempted = {e.edge: index for index, e in bare}
        self.live: set[int] = set()
        self.uses: set[tuple[str, int, int, str]] = set()
        self.found: dict[tuple[str, ...], _Found] = {}

    def verdict(self) -> Verdict:
        for configuration in self.context.facts.configurations:
            self._judge(configuration)
        problems = [*empty_zones(self.context, "layers", self.parameters.layers)]
        for index, group in enumerate(self.parameters.independent):
            problems += empty_zones(self.context, f"independent[{index}]", group)
        findings = [self._finding(key, found) for key, found in self.found.items()]
        findings += self._without_zone() if self.parameters.exhaustive else ()
        handled = frozenset(self.exempted.values())
        what = "inclusions" if self.parameters.by == "include" else "uses"
        examined = {"files": len(self.zones), what: len(self.uses), "zones": len(self.named)}
        return Verdict(tuple(findings), examined, tuple(problems), handled - self.live, handled)

    def _judge(self, configuration: str) -> None:
        edges = self._edges(configuration)
        self.uses |= {(e.path, e.line, e.column, e.entity) for e in edges}
        found = self._violations(edges)
        for chain in found.values():
            self.live |= {index for e in chain.chain if (index := self.exempted.get((e.source, e.target))) is not None}
        if self.live:
            kept = [e for e in edges if (e.source, e.target) not in self.exempted]
            found = self._violations(kept)
        for key, breach in found.items():
            known = self.found.setdefault(key, _Found(breach.chain, breach.reason))
            known.configurations.add(configuration)

    def _edges(self, configuration: str) -> list[Edge]:
        if self.parameters.by == "include":
            return list(by_include(self.context, configuration))
        with self.context.facts.within([configuration]) as facts:
            return list(by_symbol(self.context, facts))

    def _violations(self, edges: list[Edge]) -> dict[tuple[str, ...], Breach]:
        """What breaks a rule, by identity: (using file, used entity), or the zones of a circle."""
        adjacency: dict[str, list[Edge]] = defaultdict(list)
        for edge in sorted(edges, key=lambda e: (e.line, e.column, e.entity)):
            adjacency[edge.source].append(edge)
        found: dict[tuple[str, ...], Breach] = {}
        for rule in self.rules:
            for breach in breaches(rule, adjacency, self.zones):
                found.setdefault((breach.chain[0].source, breach.chain[-1].entity), breach)
        if self.parameters.acyclic:
            guilty = {(b.chain[-1].source, b.chain[-1].entity) for b in found.values()}
            innocent = [e for e in edges if (e.source, e.entity) not in guilty]
            for circle, chain in cycles(innocent, self.zones, self.named):
                reason = "zones use each other in a circle: " + " -> ".join(circle)
                found["cycle", *circle] = Breach(chain, reason)
        return found

    def _finding(self, key: tuple[str, ...], found: _Found) -> Finding:
        first, last = found.chain[0], found.chain[-1]
        verb = "includes" if self.parameters.by == "include" else "uses"
        if key[0] == "cycle":
            entity, message, advice = " -> ".join(key[1:]), found.reason, _CYCLE_HELP
        else:
            way = "" if len(found.chain) == 1 else f"{first.entity}, which leads to "
            entity, advice = last.entity, _HELP
            message = f"{first.source} {verb} {way}{last.entity}: {found.reason}"
        kind = "include" if self.parameters.by == "include" else "reference"
        return Finding(
            gate=self.context.spec.id, kind=self.context.spec.kind, severity=Severity.ERROR, message=message,
            help=advice, path=first.path, line=first.line, column=first.column, entity=entity, identity=key,
            configurations=tuple(sorted(found.configurations)),
            evidence=tuple(Evidence(kind, edge.path, edge.line, edge.text) for edge in found.chain),
        )  # fmt: skip

    def _without_zone(self) -> Iterator[Finding]:
        for path, zones in sorted(self.zones.items()):
            if not zones:
                yield Finding(
                    gate=self.context.spec.id, kind=self.context.spec.kind, severity=Severity.ERROR,
                    message=f"{path} is in no zone", help="add it to a zone's paths", path=path, line=0, column=0,
                    entity=path, identity=("no zone", path), configurations=tuple(self.context.facts.configurations),
                )  # fmt: skip
