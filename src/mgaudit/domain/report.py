"""The result of a run: what every report format shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mgaudit.domain.findings import Finding, GateResult
    from mgaudit.domain.problems import Problem


@dataclass(frozen=True, slots=True)
class ToolVersions:
    """What produced a report."""

    mgaudit: str
    libclang: str
    tree_sitter_cpp: str


@dataclass(frozen=True, slots=True)
class ConfigurationHealth:
    """One configuration: how many units were parsed, and how many of them had errors."""

    name: str
    units: int
    units_with_errors: int


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
