"""What a dirty surface may leave undecided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.gates.conftest import Audit

GATE = """
[zone.impl]
paths = ["src/impl/**"]
[[catalogue]]
name = "dirty"
columns = ["mutator", "publishers"]
rows = [{ mutator = "Jump", publishers = "NEW_RENDER" }, { mutator = "Plain", publishers = "NEW_RENDER" }]
[[catalogue]]
name = "undecided"
columns = ["mutator", "bit"]
rows = [{rows}]
[[gate]]
id = "D"
kind = "dirty-surface"
entry = ["impl"]
of = ["state"]
catalogue = "dirty"
{more}
[gate.publishers]
NEW_RENDER = { counters = ["m_version"] }
NEW_OTHER = { counters = ["m_other"] }
"""
TREE = {
    "src/state/s.h": "#pragma once\nnamespace state {\nstruct State {\n  void Jump(int v);\n  void Plain(int v);\n"
    "  int w = 0;\n  unsigned m_version = 0, m_other = 0;\n};\nextern State gState;\n}\n",
    "src/state/s.cpp": '#include "state/s.h"\nnamespace state {\n'
    "void State::Jump(int v) {\n  if (v < 0) goto out;\n  w = v;\n  ++m_version;\nout:\n  return;\n}\n"
    "void State::Plain(int v) {\n  w = v;\n  ++m_version;\n}\n}\n",
    "src/impl/gl.cpp": '#include "state/s.h"\nvoid glJump() { state::gState.Jump(1); }\n'
    "void glPlain() { state::gState.Plain(1); }\n",
    "src/backend/b.cpp": "int b();\n",
}
ALLOWED = '{ mutator = "Jump", bit = "NEW_RENDER" }'


@pytest.mark.parametrize(
    ("rows", "more", "found"),
    [
        ("", "", ["undecided"]),
        (ALLOWED, "", ["undecided"]),  # a catalogue that the gate does not name allows nothing
        (ALLOWED, 'undecided-catalogue = "undecided"', []),
        (ALLOWED.replace("NEW_RENDER", "NEW_OTHER"), 'undecided-catalogue = "undecided"', ["undecided"]),
        (
            f'{ALLOWED}, {{ mutator = "Plain", bit = "NEW_RENDER" }}',
            'undecided-catalogue = "undecided"',
            ["stale"],
        ),
    ],
)
def test_what_may_stay_undecided_is_listed_and_no_more(audit: Audit, rows: str, more: str, found: list[str]) -> None:
    report = audit(TREE, GATE.replace("{rows}", rows).replace("{more}", more))
    assert report.trusted, report.errors
    red = sorted(f.message.partition(":")[0] for f in report.findings if f.severity == "error")
    assert red == found
    assert report.exit_code == (1 if found else 0)
