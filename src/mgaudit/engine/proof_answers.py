"""What a run says of planted violations: findings of gates and errors of the front end, beside those of another run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from mgaudit.domain.names import selects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.config.model import GateSpec
    from mgaudit.domain.findings import Finding, GateResult
    from mgaudit.domain.report import Report
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.gates.plants import Plant

Key = tuple[object, ...]
"""What stays the same of a finding under line moves, and how heavy it is."""


class GateAnswers:
    """What the gates say of a tree, by what stays the same under line moves."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._results = {result.gate: result for result in report.gates}

    def of(self, gate: GateSpec) -> GateResult:
        """The result of a gate."""
        return self._results[gate.id]

    def _findings(self, gate: GateSpec) -> tuple[Finding, ...]:
        result = self.of(gate)
        return (*result.findings, *result.exempted)

    def keys(self, gate: GateSpec) -> Counter[Key]:
        """How many findings of a gate there are of each identity and weight."""
        return Counter(map(key_of, self._findings(gate)))

    def example(self, gate: GateSpec, key: Key) -> Finding:
        """The last finding of a key."""
        return next(finding for finding in reversed(self._findings(gate)) if key_of(finding) == key)

    def hit(self, gate: GateSpec, plant: Plant, line: int, fresh: Counter[Key]) -> Finding | None:
        """The finding that a plant must have caused: at its place, about its entity, as heavy as the gate lets it."""
        if plant.stays_green:
            return None
        place = (plant.path, line)
        found = (f for f in self._findings(gate) if key_of(f) in fresh and (f.path, f.line) == place)
        return next((f for f in found if _is_answered(gate, plant, f)), None)


def places_of(finding: Finding) -> Iterator[tuple[str, int]]:
    """Where a finding and its evidence lie."""
    yield finding.path, finding.line
    yield from ((step.path, step.line) for step in finding.evidence)


def _is_answered(gate: GateSpec, plant: Plant, finding: Finding) -> bool:
    is_open = not finding.baselined and not finding.justification
    return (
        is_open
        and finding.severity == gate.severity
        and (selects(plant.entity, finding.entity) or plant.entity in finding.message)
    )


def key_of(finding: Finding) -> Key:
    """See `Key`."""
    return (finding.identity, str(finding.severity), finding.baselined, finding.justification)


class Error(NamedTuple):
    """An error of the front end in a unit: its main file, and where the error is."""

    unit: str
    path: str
    line: int
    message: str


def fresh_errors(before: Iterable[Error], after: Iterable[Error]) -> list[Error]:
    """The errors that were not there before; lines may have moved."""
    known = Counter(error._replace(line=0) for error in before)
    found = []
    for error in sorted(after):
        bare = error._replace(line=0)
        if known[bare]:
            known[bare] -= 1
        else:
            found.append(error)
    return found


def errors_of(analysis: Analysis) -> list[Error]:
    """The errors of a run's units, and its other reasons for doubt."""
    units = {unit.id: unit.name.path for unit in analysis.facts.units}
    found = [Error(units[d.unit], d.path or "", d.line, d.message) for d in analysis.facts.diagnostics()]
    return found + [Error(problem.path or "", "", 0, problem.message) for problem in analysis.problems]
