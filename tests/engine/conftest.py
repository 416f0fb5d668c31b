"""A small tree that tests edit and analyse."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.config.loader import load
from mgaudit.engine import preambles
from mgaudit.engine.pipeline import Analysis, Options, analyse
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAD = """
schema = 1
[tree]
name = "small"
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h", "src/**/*.inc"]
[zone.state]
paths = ["src/state/**"]
[zone.backend]
paths = ["src/backend/**"]
"""
CONFIGURATION = """
[[configuration]]
name = "only"
standard = "c++20"
include-dirs = ["src/first", "src"]
"""
SETTINGS = HEAD + CONFIGURATION
FILES = {
    "src/state/context.h": "#pragma once\nnamespace state { struct Context { int width; virtual int get(); }; }\n",
    "src/util.h": "#ifndef UTIL_H\n#define UTIL_H\ntemplate <class T> int width(T& t) { return t.width; }\n#endif\n",
    "src/a.cpp": "#include <state/context.h>\n#include <util.h>\n"
    "int a(state::Context& c) { return width(c) + c.get(); }\n",
    "src/b.cpp": "#include <util.h>\nstruct Other { long width; };\nint b(Other& o) { return width(o); }\n",
    "src/c.cpp": "static int hidden() { return 1; }\nint c() { return hidden(); }\n",
    "src/backend/placeholder.inc": "",
}


@dataclass
class Tree:
    """A tree on disk with its own cache."""

    root: Path
    cache: Path
    dumped: Callable[..., dict[str, Any]]
    settings: str = SETTINGS
    analyses: list[Analysis] = field(default_factory=list)

    def write(self, name: str, text: str | bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def delete(self, name: str) -> None:
        (self.root / name).unlink()

    def analyse(self, *, cache: Path | None = None, **options: Any) -> Analysis:
        self.write("mgaudit.toml", self.settings)
        for zone in ("state", "backend"):  # a zone must hold something, which most tests do not care for
            if not any((self.root / "src" / zone).glob("*.*")):
                self.write(f"src/{zone}/placeholder.inc", "")
        settings = load(self.root / "mgaudit.toml", PARAMETERS)
        analysis = analyse(settings, Options(cache or self.cache, **options))
        self.analyses.append(analysis)
        return analysis

    def dump(self, **options: Any) -> dict[str, Any]:
        return self.dump_of(self.analyse(**options))

    def dump_of(self, analysis: Analysis) -> dict[str, Any]:
        return self.dumped(analysis.facts.connection, analysis.facts.configurations)

    def known(self, analysis: Analysis) -> dict[str, Any]:
        """What an analysis knows, whichever unit told it."""
        assert analysis.problems == ()
        dump = self.dump_of(analysis)
        facts = analysis.facts
        found: dict[str, Any] = {
            name: sorted(set(dump[name]), key=repr)
            for name in (
                "symbol", "file", "reference", "declaration", "slot", "use", "carry", "body", "demand", "emission",
                "computed", "memo", "edge",
            )
        }  # fmt: skip
        for table in ("base", "override", "skipped"):
            found[table] = sorted({row[1:] for row in dump[table]}, key=repr)
        for unit in facts.units:
            if unit.name.kind != "preamble":
                edges = [facts.edges[edge] for edge in facts.edges_of(unit)]
                found[f"includes {unit.name.path}"] = sorted(
                    (e.source, e.line, e.target or "", e.spelling) for e in edges
                )
        return found

    def cold(self, **options: Any) -> dict[str, Any]:
        """The dump of a run that knows nothing."""
        return self.dump(cache=self.cache.parent / f"cold{len(self.analyses)}", **options)

    def parsed(self, **options: Any) -> list[str]:
        """What a run parses, sorted."""
        return sorted(unit.path for unit in self.analyse(**options).statistics.parsed)


@pytest.fixture
def empty(tmp_path: Path, dumped: Callable[..., dict[str, Any]]) -> Tree:
    (tmp_path / "tree").mkdir()
    return Tree(tmp_path / "tree", tmp_path / "cache", dumped)


@pytest.fixture
def small_headers_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers of a few lines are precompiled, too."""
    monkeypatch.setattr(preambles, "_MIN_CLOSURE", 10_000)


@pytest.fixture
def tree(empty: Tree) -> Tree:
    """Three sources, two headers."""
    for name, text in FILES.items():
        empty.write(name, text)
    return empty
