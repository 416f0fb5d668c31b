"""What entries of [effects] mean beside the bodies of the tree: nothing, unless they say why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gates.test_writebacks import GATE, TREE

if TYPE_CHECKING:
    from mgaudit.domain.report import Report
    from tests.gates.conftest import Audit

BODY = "state::Buffer::Sync"
LINES = [2, 4, 5]


def about_effects(report: Report) -> list[str]:
    return [problem.message for problem in report.warnings if "[effects]" in problem.message]


@pytest.mark.parametrize(
    ("name", "entry", "found", "replaced", "warning"),
    [
        (BODY, "{}", LINES, 0, "what counts is the function's body (src/state/buffer.h:3)"),
        (BODY, '{ instead-of-body = "it only counts" }', [], 1, ""),
        (BODY, '{ instead-of-body = "it counts", writes = ["this"] }', LINES, 1, ""),
        ("*::Sync", "{}", LINES, 0, ""),
        ("Buffer::Sync", '{ instead-of-body = "it only counts" }', LINES, 0, "no function of that name has one"),
        ("elsewhere", "{}", LINES, 0, ""),
    ],
)
def test_a_body_counts_unless_an_entry_says_why_not(
    audit: Audit, name: str, entry: str, found: list[int], replaced: int, warning: str
) -> None:
    report = audit(TREE, GATE.replace("{rows}", "") + f'[effects]\n"{name}" = {entry}\n')
    assert report.trusted, report.errors
    assert [f.line for f in report.findings if f.path == "src/backend/draw.cpp"] == found
    (gate,) = (result for result in report.gates if result.gate == "W")
    assert gate.examined.get("replaced-bodies", 0) == replaced
    said = about_effects(report)
    assert len(said) == bool(warning)
    assert warning in "".join(said)


def test_entries_are_weighed_only_where_a_gate_rests_on_effects(audit: Audit) -> None:
    gates = '[[gate]]\nid = "A"\nkind = "include-purity"\nfrom = ["state"]\nforbid = ["backend"]\n'
    assert about_effects(audit(TREE, gates + f'[effects]\n"{BODY}" = {{}}\n')) == []
