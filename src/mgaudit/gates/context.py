"""What a gate's check gets and gives: facts and parameters in, a verdict out. It prints nothing and reads no file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.domain.findings import Finding
    from mgaudit.domain.problems import Problem
    from mgaudit.domain.zones import Zone
    from mgaudit.facts.query import Facts
    from mgaudit.sources.tree import TreeFiles


@dataclass(frozen=True, slots=True)
class GateContext:
    """Everything that a check may look at.

    Attributes:
        spec: The gate as configured.
        settings: The whole configuration, for zones, verbs and catalogues.
        files: The files of the tree and their zones.
        facts: The facts of the configurations that the gate judges.
        audited: Names of the zones that any configured gate names.
    """

    spec: GateSpec
    settings: Settings
    files: TreeFiles
    facts: Facts
    audited: frozenset[str] = frozenset()

    def zone(self, name: str) -> Zone:
        """The zone of a name; the configuration has checked that it exists."""
        return self.settings.zones[name]

    def paths_in(self, zones: tuple[str, ...]) -> frozenset[str]:
        """The files of some zones."""
        return frozenset(path for name in zones for path in self.files.in_zone(name))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found.

    Attributes:
        findings: With `Finding.identity` set and without fingerprints, in any order, before exemptions.
        examined: What was looked at, by name; a check that looked at nothing must say so in `problems`.
        problems: Reasons why this gate cannot be trusted.
        stale: Index of each of the gate's exemptions that the check handled itself and found to cover nothing.
        handled: Index of each exemption that the check handled itself; the others are matched with the findings.
        skipped: Why the gate was not judged; empty where it was.
    """

    findings: tuple[Finding, ...] = ()
    examined: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    stale: frozenset[int] = frozenset()
    handled: frozenset[int] = frozenset()
    skipped: str = ""
