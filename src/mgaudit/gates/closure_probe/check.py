"""The check of the gate kind ``closure-probe``."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.problems import Problem
from mgaudit.domain.zones import matches_any
from mgaudit.gates import directives
from mgaudit.gates.closure_probe.parameters import ClosureProbeParameters
from mgaudit.gates.context import Verdict
from mgaudit.graphs.includes import IncludeGraph, reachable, shortest_chain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.facts.query import Diagnostic, Edge, Unit
    from mgaudit.gates.context import GateContext
    from mgaudit.graphs.includes import Adjacency

_SHOWN_ERRORS = 10


def check(context: GateContext) -> Verdict:
    """Judge the named header, parsed alone, in each configuration."""
    return _Probe(context).verdict()


@dataclass(slots=True)
class _Hit:
    """A forbidden file in the closure: the chain to it in the first configuration that has it, and all that do."""

    chain: list[Edge]
    configurations: list[str] = field(default_factory=list)


class _Probe:
    def __init__(self, context: GateContext) -> None:
        assert isinstance(context.spec.parameters, ClosureProbeParameters)
        self.context = context
        self.parameters = context.spec.parameters
        self.header = self.parameters.header
        self.allowed = {item.path for item in self.parameters.allow}
        self.exempted = {e.edge: index for index, e in enumerate(context.spec.exempt) if e.edge is not None}
        self.live: set[int] = set()
        self.closure: set[str] = set()
        self.targets: set[str] = set()
        self.hits: dict[str, _Hit] = {}
        self.errors: dict[tuple[str | None, int, int, str], list[str]] = defaultdict(list)
        self.problems: list[Problem] = []
        self._configurations = tuple(sorted(context.facts.configurations))
        self._finding = partial(Finding, gate=context.spec.id, kind=context.spec.kind, severity=Severity.ERROR)

    def verdict(self) -> Verdict:
        if self.header not in self.context.files.files:
            return Verdict(problems=(self._problem("is not in the tree", "correct its path, or `tree.headers`"),))
        for configuration in self.context.facts.configurations:
            self._gather(configuration)
        self.problems += self._idle_globs()
        handled = frozenset(self.exempted.values())
        findings = [*self._forbidden(), *self._stale(), *self._dependent(), *self._crowded()]
        tokens = sum(self._count(name) for name in self.parameters.token_limits)
        return Verdict(
            findings=tuple(findings),
            examined={
                "headers": 1, "configurations": len(self.context.facts.configurations), "files": len(self.closure),
                "tokens": tokens,
            },
            problems=tuple(dict.fromkeys(self.problems)), stale=handled - self.live, handled=handled,
        )  # fmt: skip

    def _problem(self, message: str, advice: str) -> Problem:
        place = self.context.spec.place("header")
        return Problem(*place, f'gate "{self.context.spec.id}": {self.header} {message}', advice)

    def _gather(self, configuration: str) -> None:
        graph = IncludeGraph.of(self.context.facts, configuration)
        units = graph.header_units(self.header)
        if not units:
            self.problems.append(
                self._problem(f'was not parsed in the configuration "{configuration}"', "run `mgaudit doctor`")
            )
        for unit in units:
            self._gather_unit(graph, unit)

    def _gather_unit(self, graph: IncludeGraph, unit: Unit) -> None:
        adjacency = graph.adjacency(unit)
        closure = graph.closure(unit) - {self.header}
        self.closure |= closure
        self.targets.update(edge.target for edge in graph.all_edges() if edge.target is not None)
        self._weigh(adjacency, closure)
        left = {
            path: [edge for edge in edges if (edge.source, edge.target) not in self.exempted]
            for path, edges in adjacency.items()
        }
        for path in sorted(self._forbidden_among(reachable(left, self.header))):
            hit = self.hits.get(path)
            if hit is None:
                hit = self.hits[path] = _Hit(shortest_chain(left, self.header, {path}) or [])
            if graph.configuration not in hit.configurations:
                hit.configurations.append(graph.configuration)
        for diagnostic in self.context.facts.diagnostics():
            if diagnostic.unit == unit.id:
                self.errors[_error_key(diagnostic)].append(graph.configuration)
        if not self.parameters.self_contained:
            self._check_whole([edge for path in (self.header, *closure) for edge in adjacency.get(path, ())])

    def _forbidden_among(self, paths: Iterable[str]) -> set[str]:
        """Those of some files that a glob forbids and no entry allows."""
        return {
            path
            for path in paths
            if path != self.header and path not in self.allowed and matches_any(path, self.parameters.forbid)
        }

    def _weigh(self, adjacency: Adjacency, closure: set[str] | frozenset[str]) -> None:
        """Finds the exempted edges that lead to something forbidden."""
        for (source, target), index in self.exempted.items():
            met = source == self.header or source in closure
            present = met and any(edge.target == target for edge in adjacency.get(source, ()))
            if present and self._forbidden_among([target, *reachable(adjacency, target)]):
                self.live.add(index)

    def _idle_globs(self) -> Iterator[Problem]:
        """A glob that selects no file, neither of the tree nor of any closure, forbids nothing."""
        known = self.targets.union(self.context.files.files)
        for index, glob in enumerate(self.parameters.forbid):
            if not any(matches_any(path, [glob]) for path in known) and not self.context.matching([glob]):
                yield Problem(
                    *self.context.spec.place(f"forbid[{index}]"),
                    f'gate "{self.context.spec.id}": the glob "{glob}" matches no file',
                    "correct it: nothing can violate it",
                )

    def _check_whole(self, edges: list[Edge]) -> None:
        """A header that was not found hides what it includes; `self-contained` would have said so."""
        for edge in edges:
            if edge.target is None:
                self.problems.append(
                    Problem(
                        edge.source, edge.line, f"`{edge.spelling}` was not found, so the closure is not known",
                        "add its folder to the configuration's include-dirs",
                    )
                )  # fmt: skip

    # ---- findings

    def _forbidden(self) -> Iterator[Finding]:
        settings, facts = self.context.settings, self.context.facts
        for path, hit in self.hits.items():
            place = directives.place(hit.chain[0], facts, settings, hit.configurations[0])
            first = hit.chain[0].target
            way = f"includes {path}" if first == path else f"includes {first}, which leads to {path}"
            yield self._finding(
                message=f"{self.header} {way}, which its closure must not hold",
                help="remove the inclusion, or allow the file with a reason",
                path=place.path, line=place.line, column=place.column, entity=path,
                identity=(self.header, path), configurations=tuple(hit.configurations),
                evidence=directives.evidence(hit.chain, facts, settings, hit.configurations[0]),
            )  # fmt: skip

    def _stale(self) -> Iterator[Finding]:
        for index, item in enumerate(self.parameters.allow):
            present = item.path in self.closure
            if present and matches_any(item.path, self.parameters.forbid):
                continue
            path, line = self.context.spec.place(f"allow[{index}]")
            cause = "no glob forbids it" if present else f"the closure of {self.header} does not hold it"
            yield self._finding(
                message=f"stale entry of allow: {item.path}: {cause}", help="remove the entry",
                path=path, line=line, column=1, entity=item.path, identity=("stale entry of allow", item.path),
                configurations=self._configurations,
            )  # fmt: skip

    def _dependent(self) -> Iterator[Finding]:
        """The header does not parse alone."""
        if not self.parameters.self_contained or not self.errors:
            return
        keys = sorted(self.errors, key=lambda key: (key[0] != self.header, key[0] or "", *key[1:]))
        path, line, column, message = keys[0]
        if path != self.header:
            line, column = self._way_to(path), 1
        more = f" (and {len(keys) - 1} more errors)" if len(keys) > 1 else ""
        yield self._finding(
            message=f"{self.header} is not self-contained: {message}{more}",
            help="include or forward-declare what the header uses",
            path=self.header, line=line, column=column, entity=self.header, identity=(self.header, "self-contained"),
            configurations=tuple(sorted({name for names in self.errors.values() for name in names})),
            evidence=tuple(Evidence("error", key[0] or self.header, key[1], key[3]) for key in keys[:_SHOWN_ERRORS]),
        )  # fmt: skip

    def _way_to(self, path: str | None) -> int:
        """The line of the header's directive that leads to a file; 1 where there is none."""
        for configuration in self.context.facts.configurations:
            graph = IncludeGraph.of(self.context.facts, configuration)
            for unit in graph.header_units(self.header):
                chain = shortest_chain(graph.adjacency(unit), self.header, {path} if path is not None else set())
                if chain:
                    return max(chain[0].line, 1)
        return 1

    def _crowded(self) -> Iterator[Finding]:
        """The header's own tokens of a namespace are more than it may hold."""
        scan = self.context.facts.scans[self.header]
        for name, limit in self.parameters.token_limits.items():
            places = [scan.location(offset) for offset, _ in scan.occurrences(_last_component(name))]
            if len(places) > limit:
                line, column = places[limit]
                yield self._finding(
                    message=f"{self.header} names {name} {len(places)} times; {limit} times are allowed",
                    help="move what needs it behind the header's interface",
                    path=self.header, line=line, column=column, entity=name, identity=(self.header, "tokens", name),
                    configurations=self._configurations,
                    evidence=tuple(Evidence("token", self.header, at, name) for at, _ in places),
                )  # fmt: skip

    def _count(self, name: str) -> int:
        return len(self.context.facts.scans[self.header].occurrences(_last_component(name)))


def _error_key(diagnostic: Diagnostic) -> tuple[str | None, int, int, str]:
    return diagnostic.path, diagnostic.line, diagnostic.column, diagnostic.message


def _last_component(name: str) -> str:
    return name.rsplit("::", 1)[-1]
