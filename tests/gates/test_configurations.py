"""The union of configurations: what only some of them see, and what stands in arms that none takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.gates.conftest import Audit

STATE = {
    "src/state/s.h": (
        "#pragma once\nnamespace s {\nstruct C { int Width() const; int Height() const; void Set(int); };\n}\n"
    ),
    "src/state/s.cpp": '#include "state/s.h"\nint s::C::Width() const { return 1; }\n',
}
DRAW = """\
#include "state/s.h"
int Both(s::C& c) { return c.Width(); }
#if MONO
int Mono(s::C& c) { return c.Height(); }
#endif
#if NEVER
int Never(s::C& c) { c.Set(1); return c.Height(); }
#endif
"""
MONO = 'defines = ["MONO=1"]\n'
OTHER = '[[configuration]]\nname = "plain"\nstandard = "c++20"\ninclude-dirs = ["src"]\n'
TREE = {**STATE, "src/backend/d.cpp": DRAW}


def gate(rows: str, more: str = "") -> str:
    return (
        f'[[catalogue]]\nname = "reads"\ncolumns = ["accessor", "call"]\nrows = [{rows}]\n'
        f'[[gate]]\nid = "R"\nkind = "reads"\nfrom = ["backend"]\nof = ["state"]\ncatalogue = "reads"\n{more}'
    )


WIDTH = '{ accessor = "Width", call = "LOCAL" }'
HEIGHT = '{ accessor = "Height", call = "LOCAL" }'
SET = '{ accessor = "Set", call = "LOCAL" }'


def found(audit: Audit, gates: str, configuration: str = MONO + OTHER) -> list[tuple[int, str, str, tuple[str, ...]]]:
    report = audit(TREE, gates, configuration)
    assert report.errors == ()
    return [(f.line, f.entity, str(f.severity), f.configurations) for f in report.findings if f.gate == "R"]


def test_a_finding_names_the_configurations_that_have_it(audit: Audit) -> None:
    findings = found(audit, gate(WIDTH))
    assert (4, "s::C::Height", "error", ("split",)) in findings
    assert not any(line == 2 for line, *_ in findings)


def test_an_accessor_in_an_arm_that_no_configuration_takes_is_told_and_not_proven(audit: Audit) -> None:
    report = audit(TREE, gate(f"{WIDTH}, {HEIGHT}"), MONO + OTHER)
    (finding,) = [f for f in report.findings if f.line == 7]
    assert finding.message == (
        "`Set`, the name of an accessor, is used in an arm that no configuration takes (NEVER): syntactic, not proven"
    )
    assert (str(finding.severity), finding.configurations, report.exit_code) == ("warning", (), 0)


def test_it_is_an_error_where_unresolved_uses_are(audit: Audit) -> None:
    more = 'unresolved = "error"\n'
    assert found(audit, gate(f"{WIDTH}, {HEIGHT}", more)) == [(7, "s::C::Set", "error", ())]
    partly = found(audit, gate(f"{WIDTH}, {HEIGHT}", more + 'configurations = ["split"]\n'))
    assert partly == [(7, "s::C::Set", "warning", ())]


def test_a_row_maps_it_and_is_stale_all_the_same(audit: Audit) -> None:
    findings = audit(TREE, gate(f"{WIDTH}, {HEIGHT}, {SET}"), MONO + OTHER).findings
    assert [(f.path, f.message) for f in findings] == [("mgaudit.toml", "stale: nothing reads Set")]


def test_what_another_configuration_takes_is_in_no_idle_arm(audit: Audit) -> None:
    """The gate judges `plain` alone, where the arm of MONO is not taken."""
    findings = found(audit, gate(WIDTH, 'configurations = ["plain"]\n'))
    assert {(line, entity) for line, entity, *_ in findings} == {(7, "s::C::Height"), (7, "s::C::Set")}
