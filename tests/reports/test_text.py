from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mgaudit.domain.findings import Evidence, Finding, GateResult, Severity, Status
from mgaudit.domain.problems import Problem
from mgaudit.domain.report import ConfigurationHealth, Report, ToolVersions
from mgaudit.reports.excerpt import Sources
from mgaudit.reports.text import Style, render

if TYPE_CHECKING:
    from pathlib import Path

FINDING = Finding(
    gate="A",
    kind="include-purity",
    severity=Severity.ERROR,
    message="src/draw.cpp reaches src/state/context.h",
    help="forward-declare",
    path="src/draw.cpp",
    line=2,
    column=1,
    entity="src/state/context.h",
    configurations=("split",),
    evidence=(
        Evidence("include", "src/draw.cpp", 2, '#include "util/a.h"'),
        Evidence("include", "src/util/a.h", 1, '#include "state/context.h"'),
    ),
)
NOTE = replace(FINDING, severity=Severity.NOTE, message="a remark", help="", evidence=(), configurations=())
BASELINED = replace(FINDING, message="accepted", baselined=True)
REPORT = Report(
    tool=ToolVersions("0.1.0", "22.1.4", "0.23.4"),
    tree="minigl",
    trusted=True,
    exit_code=1,
    configurations=(ConfigurationHealth("mono", 12, 0), ConfigurationHealth("split", 1, 1)),
    gates=(
        GateResult("A", "include-purity", Status.RED, (FINDING, BASELINED), {"units": 12, "headers": 1}),
        GateResult("M", "mutations", Status.SKIPPED, reason="only the whole tree can tell"),
    ),
    findings=(FINDING, BASELINED),
    warnings=(Problem("mgaudit.toml", 7, "a glob matches nothing", "correct it"),),
)
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def tree(tmp_path: Path) -> Sources:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/draw.cpp").write_text('// first\n#include "util/a.h"\n', encoding="utf-8")
    return Sources(tmp_path.joinpath)


def test_a_red_report_reads_like_a_compiler_with_a_table_at_its_end(tree: Sources) -> None:
    assert (
        render(REPORT, tree, Style())
        == """\
src/draw.cpp:2:1: A error: src/draw.cpp reaches src/state/context.h
    2 | #include "util/a.h"
      | ^^^^^^^^^^^^^^^^^^^
    src/draw.cpp:2: #include "util/a.h"
    src/util/a.h:1: #include "state/context.h"
  only in: split
  help: forward-declare

mgaudit.toml:7: warning: a glob matches nothing
  help: correct it

gate  kind            status   findings                    examined
A     include-purity  red      1 error, 1 in the baseline  12 units, 1 header
M     mutations       skipped  none                        only the whole tree can tell

configuration mono: 12 units, all parsed without errors
configuration split: 1 unit, 1 with errors
made with: mgaudit 0.1.0, libclang 22.1.4, tree-sitter-cpp 0.23.4
red: 1 of 2 gates found a violation in minigl (exit code 1)
"""
    )


def test_quiet_prints_findings_and_errors_only(tree: Sources) -> None:
    report = replace(REPORT, findings=(NOTE,), errors=(Problem(None, 0, "no"),), trusted=False, exit_code=2)
    assert (
        render(report, tree, Style(), quiet=True)
        == """\
src/draw.cpp:2:1: A note: a remark
    2 | #include "util/a.h"
      | ^^^^^^^^^^^^^^^^^^^

error: no

"""
    )


def test_the_table_holds_the_first_of_many_reasons_only(tree: Sources) -> None:
    def shown(reason: str) -> str:
        gate = GateResult("A", "health", Status.UNTRUSTED, reason=reason)
        return render(replace(REPORT, findings=(), gates=(gate,), trusted=False, exit_code=2), tree, Style())

    assert "  first; second; third; and 2 more, see above\n" in shown("first; second; third; fourth; fifth")
    assert "  first; second; third\n" in shown("first; second; third")


def test_an_untrusted_report_says_so_and_a_clean_one_does_not(tree: Sources) -> None:
    untrusted = replace(REPORT, findings=(), trusted=False, exit_code=2, errors=(Problem("a.h", 0, "it is gone"),))
    text = render(untrusted, tree, Style())
    assert "a.h: error: it is gone\n" in text
    assert text.endswith("untrusted: 1 reason not to trust this run in minigl (exit code 2)\n")
    green = GateResult("A", "include-purity", Status.GREEN, examined={"units": 1})
    clean = replace(REPORT, findings=(), gates=(green,), exit_code=0)
    assert render(clean, tree, Style()).endswith("clean: 1 gate found no violation in minigl (exit code 0)\n")


def test_colours_change_nothing_but_colours(tree: Sources) -> None:
    colored = render(REPORT, tree, Style(color=True))
    plain = render(REPORT, tree, Style())
    assert "\x1b[" in colored
    assert [line.rstrip() for line in ESCAPE.sub("", colored).splitlines()] == plain.splitlines()
    assert "\x1b" not in plain


def test_lines_are_not_wrapped(tree: Sources) -> None:
    long = replace(FINDING, message="word " * 100 + "end", evidence=())
    assert ("word " * 100 + "end") in render(replace(REPORT, findings=(long,)), tree, Style(width=40))


TEXT = st.text(st.characters(), min_size=1, max_size=40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(message=TEXT, path=TEXT, name=TEXT, color=st.booleans(), line=st.integers(0, 3), column=st.integers(0, 9))
def test_no_text_can_drive_the_terminal(
    tree: Sources, message: str, path: str, name: str, color: bool, line: int, column: int
) -> None:
    finding = Finding(
        name, name, Severity.WARNING, message, message, path, line, column, name, name,
        configurations=(name,), evidence=(Evidence(name, path, line, message), Evidence(name, path, 0, message)),
    )  # fmt: skip
    report = Report(
        ToolVersions(name, name, name), name, trusted=False, exit_code=2,
        configurations=(ConfigurationHealth(name, 1, 0),),
        gates=(GateResult(name, "k", Status.UNTRUSTED, (finding,), {"units": 1}, message),),
        findings=(finding,), errors=(Problem(path, line, message, message),), warnings=(Problem(path, 0, message),),
    )  # fmt: skip
    output = ESCAPE.sub("", render(report, tree, Style(color=color))) if color else render(report, tree, Style())
    assert all(character.isprintable() or character == "\n" for character in output)
