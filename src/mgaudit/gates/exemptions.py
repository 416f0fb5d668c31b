"""Exemptions: named exceptions with a reason and an exact number of findings that each covers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mgaudit.domain.findings import Finding, Severity
from mgaudit.domain.names import selects
from mgaudit.gates.uses import is_in_one_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.config.model import Exemption, GateSpec
    from mgaudit.facts.query import Facts
    from mgaudit.gates.context import Verdict


def matches(exemption: Exemption, finding: Finding) -> bool:
    """Whether an exemption covers a finding: every key that it states must fit.

    One that names an edge fits nothing here: only a check that knows its graph can judge it.
    """
    if exemption.edge is not None:
        return False
    if exemption.entry_path is not None and exemption.entry_path != finding.path:
        return False
    if exemption.entity is not None and not (
        exemption.entity == finding.entity or selects(exemption.entity, finding.entity)
    ):
        return False
    return exemption.symbol is None or (finding.symbol is not None and selects(exemption.symbol, finding.symbol))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What exemptions leave of a gate's findings.

    Attributes:
        open: The findings that none covers.
        covered: Those that one covers, with its reason as their justification.
        stale: One finding for each stale exemption.
    """

    open: tuple[Finding, ...]
    covered: tuple[Finding, ...]
    stale: tuple[Finding, ...]


def apply(spec: GateSpec, verdict: Verdict) -> Outcome:
    """Divide a gate's findings.

    An exemption covers as many findings as it counts, errors first, in the order of the sources: one more is red. One
    that covers fewer than it counts is stale.
    """
    left = sorted(verdict.findings, key=lambda finding: (finding.severity is not Severity.ERROR, finding.sort_key))
    stale: list[Finding] = []
    taken: list[Finding] = []
    for index, exemption in enumerate(spec.exempt):
        if index in verdict.handled:
            if index in verdict.stale:
                stale.append(_stale(spec, exemption, 0))
            continue
        fitting = [place for place, finding in enumerate(left) if matches(exemption, finding)][: exemption.count]
        covered = frozenset(fitting)
        taken += (replace(left[place], justification=exemption.reason) for place in fitting)
        left = [finding for place, finding in enumerate(left) if place not in covered]
        if len(covered) < exemption.count:
            stale.append(_stale(spec, exemption, len(covered)))
    return Outcome(tuple(left), tuple(taken), tuple(stale))


def span_files(facts: Facts, spec: GateSpec, findings: Iterable[Finding]) -> bool:
    """Whether an exemption without a file counts some findings together with others that may lie elsewhere.

    One that names a function of a single file does not, and one that takes an edge out of the graph counts nothing.
    """
    everywhere = [e for e in spec.exempt if e.entry_path is None]
    if any(e.edge and (e.entity or e.symbol) for e in everywhere):
        return True
    fitting = {e for finding in findings for e in everywhere if matches(e, finding)}
    return not all(e.symbol is not None and is_in_one_file(facts, e.symbol) for e in fitting)


def describe(exemption: Exemption) -> str:
    """What an exemption names, for people."""
    parts = {
        "edge": " -> ".join(exemption.edge) if exemption.edge else None,
        "path": exemption.entry_path,
        "symbol": exemption.symbol,
        "entity": exemption.entity,
    }
    return ", ".join(f"{key} {value}" for key, value in parts.items() if value is not None)


def _stale(spec: GateSpec, exemption: Exemption, covered: int) -> Finding:
    named = describe(exemption)
    return Finding(
        gate=spec.id,
        kind=spec.kind,
        severity=Severity.ERROR,
        message=f"stale exemption: {named} covers {covered} {'finding' if covered == 1 else 'findings'}, "
        f"not {exemption.count}",
        help="remove the exemption, or lower its `count` to what it still covers",
        path=exemption.path,
        line=exemption.line,
        column=1,
        entity=named,
        identity=("stale exemption", named),
    )
