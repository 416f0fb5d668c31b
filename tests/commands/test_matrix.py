from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]

GATE = """
[[catalogue]]
name = "reads"
columns = ["accessor", "call"]
rows = []
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
"""


@pytest.fixture
def boundary(tree: Path) -> Path:
    (tree / "src/state/context.h").write_text(
        "#pragma once\nnamespace state {\nstruct Context {\n    int width = 0;\n    int Height() const;\n};\n}\n"
    )
    (tree / "src/backend/draw.cpp").write_text(
        '#include "state/context.h"\nint Own();\n'
        "int Draw(const state::Context& c) { return c.width + c.width + c.Height() + Own(); }\n"
    )
    file = tree / "mgaudit.toml"
    file.write_text(file.read_text() + GATE)
    return tree


def test_zone_by_zone(boundary: Path, mgaudit: Run) -> None:
    value = json.loads(mgaudit("matrix", "--output-format", "json").out)
    counts = {row["name"]: row["counts"] for row in value["rows"]}
    assert counts["backend"] == {"backend": 1, "state": 4}  # Own; Context, width twice, Height
    text = mgaudit("matrix").out.splitlines()
    assert text[0].split()[:3] == ["from", "\\", "to"]
    assert text[-1].endswith("references, from the rows to the columns")


def test_accessor_by_backend(boundary: Path, mgaudit: Run) -> None:
    lines = mgaudit("matrix", "--by", "accessor", "--output-format", "csv").out.splitlines()
    assert lines == ["of \\ in,backend,total", "width,2,2", "Height,1,1", "total,3,3"]


def test_an_accessor_matrix_needs_a_gate(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("matrix", "--by", "accessor")
    assert (result.code, "no gate of the kind `reads` is configured" in result.err) == (2, True)
