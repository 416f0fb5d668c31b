from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from mgaudit.config.loader import load
from mgaudit.engine.pipeline import Analysis, Options, analyse
from mgaudit.gates.registry import PARAMETERS
from mgaudit.graphs.call_builder import call_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mgaudit.graphs.calls import CallEdge, CallGraph

CONFIGURATION = """
schema = 1
[tree]
name = "small"
sources = ["**/*.cpp"]
headers = ["**/*.h", "**/*.inc"]
[[configuration]]
name = "only"
standard = "c++20"
include-dirs = ["."]
"""


@dataclass
class Calls:
    """A call graph whose nodes are named."""

    analysis: Analysis
    graph: CallGraph

    def edges(self, *, kinds: str | None = None) -> set[tuple[str, str, str]]:
        return {
            (self.name(edge.source), edge.kind.value, self.name(edge.target))
            for edge in self.graph.edges
            if kinds is None or edge.kind.value in kinds.split()
        }

    def name(self, number: int) -> str:
        symbol = self.graph.symbols[number]
        return symbol.qualified + ("<>" if symbol.pattern is not None else "")

    def ids(self, qualified: str) -> set[int]:
        found = {number for number, s in self.graph.symbols.items() if s.qualified == qualified}
        assert found, f"no {qualified}"
        return found

    def reaches(self, start: str, goal: str) -> bool:
        return bool(self.graph.reachable(self.ids(start)) & self.ids(goal))

    def unresolved(self) -> list[tuple[str, int, str, str | None]]:
        return [
            (self.name(u.source), u.line, u.reason.name, None if u.through is None else self.name(u.through))
            for u in self.graph.unresolved
        ]

    def chain(self, start: str, goal: str) -> list[str]:
        found = self.graph.chain(self.ids(start), self.ids(goal))
        return [] if found is None else [self.step(edge) for edge in found]

    def step(self, edge: CallEdge) -> str:
        return f"{self.name(edge.source)} -{edge.kind.value}-> {self.name(edge.target)} {edge.path}:{edge.line}"


@pytest.fixture
def analysed(tmp_path: Path) -> Callable[..., Analysis]:
    def run(files: Mapping[str, str], zones: str = "") -> Analysis:
        for name, text in files.items():
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (tmp_path / "tree" / "mgaudit.toml").write_text(CONFIGURATION + zones)
        settings = load(tmp_path / "tree" / "mgaudit.toml", PARAMETERS)
        analysis = analyse(settings, Options(tmp_path / "cache"))
        assert not analysis.problems, analysis.problems
        return analysis

    return run


@pytest.fixture
def calls(analysed: Callable[..., Analysis], tmp_path: Path) -> Callable[..., Calls]:
    def run(source: str, library: Mapping[str, str] | None = None) -> Calls:
        for name, text in (library or {}).items():
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        analysis = analysed({"a.cpp": source})
        errors = analysis.facts.diagnostics()
        assert not errors, errors
        return Calls(analysis, call_graph(analysis.facts))

    return run
