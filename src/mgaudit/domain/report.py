"""The result of a run: what every report format shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.domain.census import SurfaceSite
    from mgaudit.domain.certificate import Standing
    from mgaudit.domain.findings import Finding, GateResult
    from mgaudit.domain.problems import Problem


@dataclass(frozen=True, slots=True)
class ToolVersions:
    """What produced a report."""

    mgaudit: str
    libclang: str
    tree_sitter_cpp: str
    libraries: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConfigurationHealth:
    """One configuration: how many units were parsed, and how many of them had errors."""

    name: str
    units: int
    units_with_errors: int


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the gates judged by, as digests: equal ones mean that a difference comes from elsewhere.

    Attributes:
        configuration: Of the configuration and the packs that it extends.
        documents: Of each of these files, by its name.
        catalogues: Of each catalogue's file, by the catalogue's name.
        baselines: Of each baseline, by its path.
        flags: Of the arguments by which files are parsed, by configuration.
        sources: Of all files of the tree.
    """

    configuration: str
    documents: Mapping[str, str]
    catalogues: Mapping[str, str]
    baselines: Mapping[str, str]
    flags: Mapping[str, str]
    sources: str


@dataclass(frozen=True, slots=True)
class Floor:
    """The least number of something, and how many there were."""

    least: int
    count: int


@dataclass(frozen=True, slots=True)
class Report:
    """One run of `check`.

    Attributes:
        tool: The versions.
        tree: The tree's name.
        trusted: Whether the answer can be trusted.
        exit_code: 0 clean, 1 a red gate, 2 untrusted.
        configurations: In the order of the configuration file.
        gates: In the order of the configuration file.
        findings: All findings of all gates, sorted.
        errors: Why the answer cannot be trusted; empty for a trusted run.
        warnings: What the reader should know.
        scope: The audited files whose findings were wanted, sorted; None for all.
        inputs: What the gates judged by; None where the configuration could not be read.
        floors: What there had to be of, by name.
        sites: The boundary census of all gates, where it was asked for.
        certificate: How many bytes of the audited files who vouches for, in any configuration; None where it is off.
        zones: The zones of the files that findings and sites lie in, by path.
    """

    tool: ToolVersions
    tree: str
    trusted: bool
    exit_code: int
    configurations: tuple[ConfigurationHealth, ...] = ()
    gates: tuple[GateResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    scope: tuple[str, ...] | None = None
    inputs: Inputs | None = None
    floors: Mapping[str, Floor] = field(default_factory=dict)
    sites: tuple[SurfaceSite, ...] | None = None
    certificate: Mapping[Standing, int] | None = None
    zones: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def exempted(self) -> tuple[Finding, ...]:
        """What exemptions cover, over all gates, sorted as ``findings`` are; no part of them."""
        found = (finding for result in self.gates for finding in result.exempted)
        return tuple(sorted(found, key=lambda finding: finding.sort_key))
