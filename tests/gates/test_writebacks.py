"""Which row of a write-back catalogue answers which site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.gates.conftest import Audit

GATE = """
[[catalogue]]
name = "writebacks"
columns = ["entity", "verdict", "reason", "symbol", "ordinal"]
rows = [{rows}]
[[gate]]
id = "W"
kind = "writebacks"
from = ["backend"]
of = ["state"]
catalogue = "writebacks"
"""
TREE = {
    "src/state/buffer.h": "#pragma once\nnamespace state {\nstruct Buffer { void Sync() { ++n; } int n = 0; };\n"
    "extern Buffer gBuffer;\n}\n",
    "src/backend/draw.cpp": '#include "state/buffer.h"\nvoid one() { state::gBuffer.Sync(); }\n'
    "void two() {\n  state::gBuffer.Sync();\n  state::gBuffer.Sync();\n}\n",
}
OWN = '{ entity = "state::Buffer::Sync", verdict = "server-local", reason = "r", symbol = "%s", ordinal = "%d" }'
BLANKET = '{ entity = "state::Buffer::Sync", verdict = "server-local", reason = "r" }'


@pytest.mark.parametrize(
    ("rows", "open_lines"),
    [
        ([], [2, 4, 5]),
        ([BLANKET], []),
        ([OWN % ("one", 1)], [4, 5]),  # a row for one site answers for no other
        ([OWN % ("two", 2)], [2, 4]),
        ([OWN % ("one", 1), OWN % ("two", 1), OWN % ("two", 2)], []),
        ([OWN % ("one", 1), BLANKET], []),
    ],
)
def test_a_row_with_a_symbol_answers_its_own_site_alone(audit: Audit, rows: list[str], open_lines: list[int]) -> None:
    report = audit(TREE, GATE.replace("{rows}", ", ".join(rows)))
    assert report.trusted, report.errors
    assert [f.line for f in report.findings if f.path == "src/backend/draw.cpp"] == open_lines
    assert report.exit_code == (1 if open_lines else 0)
