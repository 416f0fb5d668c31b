from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from mgaudit.cli import main

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATION = """\
schema = 1

[tree]
name = "little"
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h"]

[[configuration]]
name = "mono"
standard = "c++20"
include-dirs = ["src"]

[[configuration]]
name = "split"
standard = "c++20"
include-dirs = ["src"]
defines = ["SPLIT=1"]

[zone.state]
paths = ["src/state/**"]

[zone.backend]
paths = ["src/backend/**"]

[[gate]]
id = "A"
kind = "include-purity"
from = ["backend"]
forbid = ["state"]
"""
FILES = {
    "mgaudit.toml": CONFIGURATION,
    "src/state/context.h": "#pragma once\nnamespace state {\nstruct Context {\n    int width = 0;\n};\n}\n",
    "src/state/context.cpp": (
        '#include "state/context.h"\nint Width(state::Context& c) {\n    c.width = 1;\n    return c.width;\n}\n'
    ),
    "src/backend/draw.h": "#pragma once\n#define TWICE(x) Once(x) + Once(x)\nint Once(int);\nint Draw();\n",
    "src/backend/draw.cpp": (
        '#include "backend/draw.h"\nint Draw() {\n#if SPLIT\n    return TWICE(1);\n#else\n    return 0;\n#endif\n}\n'
    ),
}
VIOLATION = '#include "state/context.h"\n'


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MGAUDIT_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("NO_COLOR", "FORCE_COLOR", "MGAUDIT_LIBCLANG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clean tree, which is the current folder."""
    root = tmp_path / "tree"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def red(tree: Path) -> Path:
    """The tree with one violation, in the first line of src/backend/draw.h."""
    file = tree / "src/backend/draw.h"
    file.write_text(VIOLATION + file.read_text(encoding="utf-8"), encoding="utf-8")
    return tree


@pytest.fixture
def mgaudit(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""

    def run(*arguments: str | Path) -> Result:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run
