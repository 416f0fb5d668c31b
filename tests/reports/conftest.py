from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.domain.certificate import Standing
from mgaudit.domain.findings import BaselineCount, Evidence, Finding, GateResult, Severity, Status, with_fingerprints
from mgaudit.domain.problems import Problem
from mgaudit.domain.report import ConfigurationHealth, Floor, Inputs, Report, ToolVersions

if TYPE_CHECKING:
    from collections.abc import Callable

TOOL = ToolVersions("0.1.0", "22.1.4", "0.23.4", {"networkx": "3.4"})
INPUTS = Inputs(
    "c0" * 16, {"mgaudit.toml": "d0" * 16, "<packs>/house/mgaudit.toml": "d1" * 16}, {"calls": "ca" * 16},
    {"baselines/A.txt": "ba" * 16}, {"split": "f1" * 16}, "50" * 16,
)  # fmt: skip


def make_finding(gate: str = "A", line: int = 3, **values: object) -> Finding:
    """A finding with a chain of two steps."""
    path = str(values.get("path", "src/backend/draw.cpp"))
    defaults: dict[str, object] = {
        "kind": "include-purity",
        "severity": Severity.ERROR,
        "message": "draw.cpp reaches context.h",
        "help": "forward-declare",
        "path": path,
        "column": 1,
        "entity": "src/state/context.h",
        "symbol": "Draw()",
        "identity": (path, str(values.get("entity", "")), "include"),
        "configurations": ("split",),
        "evidence": (Evidence("include", path, line, '#include "a.h"'), Evidence("include", "src/a.h", 1, "#include")),
    }
    return Finding(gate=gate, line=line, **(defaults | values))  # type: ignore[arg-type]


def make_report(*findings: Finding, errors: tuple[Problem, ...] = (), exempted: tuple[Finding, ...] = ()) -> Report:
    """The report of a run with these findings, one gate for each of their ids."""
    marked = with_fingerprints(findings)
    gates = []
    for gate in sorted({f.gate for f in (*marked, *exempted)}) or ["A"]:
        own = tuple(f for f in marked if f.gate == gate)
        is_red = any(f.severity is Severity.ERROR and not f.baselined for f in own)
        status = Status.UNTRUSTED if errors else Status.RED if is_red else Status.GREEN
        reason = "; ".join(problem.message for problem in errors)
        counts = (BaselineCount(f"baselines/{gate}.txt", 1, 0, 0),)
        kept = tuple(f for f in exempted if f.gate == gate)
        gates.append(GateResult(gate, "include-purity", status, own, {"units": 12}, reason, counts, kept))
    is_red = any(result.status is Status.RED for result in gates)
    return Report(
        TOOL, "minigl", trusted=not errors, exit_code=2 if errors else int(is_red), gates=tuple(gates),
        configurations=(ConfigurationHealth("split", 12, 0),), findings=marked, errors=errors,
        warnings=(Problem("mgaudit.toml", 4, "a glob matches nothing", "correct it"),), inputs=INPUTS,
        floors={"units": Floor(10, 12)},
        certificate={Standing.BOTH: 900, Standing.FRONT_END: 100, Standing.SYNTAX: 0, Standing.NONE: 24},
    )  # fmt: skip


@pytest.fixture
def finding() -> Callable[..., Finding]:
    return make_finding


@pytest.fixture
def report() -> Callable[..., Report]:
    return make_report
