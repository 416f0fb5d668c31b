"""The boundary census of configured gates: every site, whether or not it is a finding."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mgaudit.domain.census import Census, SurfaceSite
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.engine.judge import context_of
from mgaudit.gates.registry import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.config.model import GateSpec
    from mgaudit.engine.pipeline import Analysis


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
        facts = analysis.facts
        names = [name for name in facts.configurations if not gate.configurations or name in gate.configurations]
        if len(names) < len(facts.configurations):
            facts = facts.restricted_to(names)
        try:
            part = census(context_of(analysis, gate, facts))
        except UntrustedError as error:
            problems += error.problems
            continue
        finally:
            analysis.facts.select()
        sites += part.sites
        examined.update(part.examined)
        references += part.references
        totals.update({(what, why): count for what, why, count in part.totals})
    if problems:
        raise UntrustedError(problems)
    ordered = sorted(sites, key=lambda s: (s.path, s.line, s.column, s.entity, s.gate))
    lines = tuple((what, why, count) for (what, why), count in sorted(totals.items()))
    return Census(name, tuple(ordered), dict(sorted(examined.items())), lines, references)
