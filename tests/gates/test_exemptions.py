from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.gates.conftest import Audit

GATE = '[[gate]]\nid = "C"\nkind = "undeclared"\nzones = ["backend"]\nentities = ["mg::state::p"]\n'
TREE = {
    "src/state/s.h": "#pragma once\nnamespace mg::state { extern int* p; }\n",
    "src/backend/d.cpp": '#include "state/s.h"\nint a() { return *mg::state::p; }\nint b() { return *mg::state::p; }\n',
}


@pytest.mark.parametrize(
    ("exempt", "lines"),
    [
        ('path = "src/backend/d.cpp", count = 2', []),
        ('path = "src/backend/d.cpp"', [3]),
        ('path = "src/backend/d.cpp", count = 3', ["stale"]),
        ('path = "src/backend"', ["stale", 2, 3]),
        ('symbol = "b"', [2]),
        ('symbol = "b()"', [2]),
        ('symbol = "b(int)"', ["stale", 2, 3]),
        ('entity = "state::p", symbol = "a"', [3]),
        ('entity = "q"', ["stale", 2, 3]),
        ('edge = "src/backend/d.cpp -> src/state/s.h"', ["stale", 2, 3]),
        ('path = "src/backend/d.cpp", edge = "src/backend/d.cpp -> src/state/s.h"', ["stale", 2, 3]),
    ],
)
def test_an_exemption_covers_what_all_its_keys_fit_and_no_more(
    audit: Audit, exempt: str, lines: list[int | str]
) -> None:
    report = audit(TREE, GATE + f'exempt = [{{ {exempt}, reason = "r" }}]\n')
    found = ["stale" if f.path == "mgaudit.toml" else f.line for f in report.findings]
    assert found == lines
    assert report.exit_code == (1 if lines else 0)


def test_a_stale_exemption_says_what_it_names_and_is_told_from_others(audit: Audit) -> None:
    exempt = 'exempt = [\n{ path = "src/x.h", symbol = "b", reason = "r" },\n{ entity = "q", reason = "r" },\n]\n'
    stale = [f for f in audit(TREE, GATE + exempt).findings if f.path == "mgaudit.toml"]
    assert [f.message for f in stale] == [
        "stale exemption: path src/x.h, symbol b covers 0 findings, not 1",
        "stale exemption: entity q covers 0 findings, not 1",
    ]
    assert [(f.line - stale[0].line, f.column, f.kind) for f in stale] == [(0, 1, "undeclared"), (1, 1, "undeclared")]
    assert len({f.fingerprint for f in stale}) == 2


def test_a_stale_exemption_counts_one_finding_as_one(audit: Audit) -> None:
    report = audit(TREE, GATE + 'exempt = [{ symbol = "b", count = 2, reason = "r" }]\n')
    assert "stale exemption: symbol b covers 1 finding, not 2" in [f.message for f in report.findings]
