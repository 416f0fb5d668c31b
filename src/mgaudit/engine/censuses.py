"""The boundary census of configured gates: every site, whether or not it is a finding."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from mgaudit.domain.census import Census, MemoCensus, SurfaceSite
from mgaudit.domain.findings import Status
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.engine.judge import context_of, listed
from mgaudit.gates.memo_keys import census as memo_census
from mgaudit.gates.registry import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.config.model import GateSpec
    from mgaudit.domain.census import Memo
    from mgaudit.domain.report import Report
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.gates.context import GateContext


def contexts_of(analysis: Analysis, gates: Iterable[GateSpec]) -> Iterator[GateContext]:
    """What the checks of some gates would get, one after the other; each is good until the next."""
    for gate in gates:
        with analysis.facts.within(gate.configurations) as facts:
            yield context_of(analysis, gate, facts)


def memos_of(analysis: Analysis, gates: Iterable[GateSpec]) -> MemoCensus:
    """The memos of some gates of the kind ``memo-keys``.

    Raises:
        UntrustedError: As `census_of`.
    """
    memos: list[Memo] = []
    examined: Counter[str] = Counter()
    problems: list[Problem] = []
    for context in contexts_of(analysis, gates):
        try:
            part = memo_census.census_of(context)
        except UntrustedError as error:
            problems += error.problems
            continue
        memos += part.memos
        examined.update(part.examined)
    if problems:
        raise UntrustedError(problems)
    ordered = sorted(memos, key=lambda m: (m.path, m.line, m.column, m.symbol, m.gate))
    return MemoCensus(tuple(ordered), dict(sorted(examined.items())))


def with_sites(report: Report, analysis: Analysis) -> Report:
    """A report with the boundary census of all gates that have a verdict in it."""
    judged = {result.gate for result in report.gates if result.status in {Status.GREEN, Status.RED}}
    gates = [gate for gate in analysis.settings.gates if gate.id in judged]
    sites = census_of(analysis, gates, "all").sites
    paths = {site.path for site in sites} | report.zones.keys()
    zones = {path: analysis.files.zones_of(path) for path in sorted(paths)}
    return replace(report, sites=sites, zones=zones)


def census_of(analysis: Analysis, gates: Iterable[GateSpec], name: str) -> Census:
    """The sites of some gates; kinds of gates without a boundary have none.

    Args:
        analysis: The analysis.
        gates: The gates.
        name: What the census is called.

    Raises:
        UntrustedError: Some boundary cannot be told; every problem.
    """
    sites: list[SurfaceSite] = []
    examined: Counter[str] = Counter()
    totals: Counter[tuple[str, str]] = Counter()
    references = 0
    problems: list[Problem] = []
    for gate in gates:
        census = KINDS[gate.kind].load_census()
        if census is None:
            continue
        try:
            with analysis.facts.within(gate.configurations) as facts:
                part = listed(analysis, gate, facts, census)
        except UntrustedError as error:
            problems += error.problems
            continue
        sites += part.sites
        examined.update(part.examined)
        references += part.references
        totals.update({(what, why): count for what, why, count in part.totals})
    if problems:
        raise UntrustedError(problems)
    ordered = sorted(sites, key=lambda s: (s.path, s.line, s.column, s.entity, s.gate))
    lines = tuple((what, why, count) for (what, why), count in sorted(totals.items()))
    judged = tuple(sorted(analysis.facts.configurations))
    return Census(name, tuple(ordered), dict(sorted(examined.items())), lines, references, judged)
