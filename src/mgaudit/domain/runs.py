"""A run as its JSON tells it: what two runs are compared by, whether they were just made or saved long ago."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  msgspec reads the annotations
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RunTool:
    """What made the run."""

    version: str
    libclang: str | None
    libraries: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunProblem:
    """Why the run cannot be trusted."""

    path: str | None
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class RunGate:
    """A gate and its verdict."""

    id: str
    kind: str
    status: str
    examined: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunFinding:
    """A finding, as far as it is compared and shown."""

    gate: str
    kind: str
    severity: str
    message: str
    help: str
    path: str
    line: int | None
    column: int | None
    entity: str
    symbol: str | None
    fingerprint: str
    baselined: bool


@dataclass(frozen=True, slots=True)
class RunSite:
    """A site of the boundary census, likewise."""

    gate: str
    path: str
    line: int
    column: int
    symbol: str | None
    entity: str
    accessor: str
    kind: str
    role: str
    verdict: str | None


@dataclass(frozen=True, slots=True)
class RunInputs:
    """Digests of what the gates judged by."""

    configuration: str
    catalogues: Mapping[str, str]
    baselines: Mapping[str, str]
    documents: Mapping[str, str] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    sources: str = ""


@dataclass(frozen=True, slots=True)
class RunFloor:
    """A floor, and what was counted."""

    least: int
    count: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run. The attributes are those of ``docs/schema/report.schema.json``; what is not compared is left out."""

    schema: int
    tool: RunTool
    tree: str | None
    trusted: bool
    gates: tuple[RunGate, ...]
    findings: tuple[RunFinding, ...]
    errors: tuple[RunProblem, ...]
    scope: tuple[str, ...] | None = None
    sites: tuple[RunSite, ...] | None = None
    zones: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inputs: RunInputs | None = None
    floors: Mapping[str, RunFloor] = field(default_factory=dict)
    certificate: Mapping[str, int] | None = None
