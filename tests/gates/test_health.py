from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mgaudit.gates.context import GateContext
from mgaudit.gates.health.check import check
from mgaudit.sources.syntax import FileSyntax, Span

if TYPE_CHECKING:
    from mgaudit.engine.pipeline import Analysis
    from tests.gates.conftest import Analyse, Audit

GATE = '[[gate]]\nid = "A"\nkind = "include-purity"\nfrom = ["backend"]\nforbid = ["state"]\n'
OPTIONAL = """
[[configuration]]
name = "old"
required = false
standard = "c++20"
include-dirs = ["src"]
defines = ["OLD=1"]
"""
STATE = {"src/state/s.h": "#pragma once\n", "src/state/s.cpp": '#include "state/s.h"\n'}


def health(extra: str) -> str:
    return GATE + f'[[gate]]\nid = "H"\nkind = "health"\n{extra}\n'


def context(analysis: Analysis) -> GateContext:
    return GateContext(analysis.settings.gates[-1], analysis.settings, analysis.files, analysis.facts, analysis.audited)


def test_it_runs_unconfigured_and_counts(audit: Audit) -> None:
    report = audit({**STATE, "src/backend/d.cpp": "int d;\n"}, GATE)
    result = report.gates[-1]
    assert (result.gate, str(result.status)) == ("health", "green")
    assert {k: result.examined[k] for k in ("units", "headers", "files")} == {"units": 2, "headers": 1, "files": 3}


def test_a_missing_header_is_named_once_with_its_configurations(audit: Audit) -> None:
    tree = {**STATE, "src/backend/d.h": '#pragma once\n#include "gone.h"\n'}
    tree |= {f"src/backend/{n}.cpp": '#include "backend/d.h"\n' for n in "ab"}
    report = audit(tree, GATE, OPTIONAL)
    assert report.exit_code == 2
    (problem,) = report.errors
    assert (problem.path, problem.line) == ("src/backend/d.h", 2)
    assert '"gone.h" was not found (configuration old, split)' in problem.message


def test_many_errors_of_one_file_are_cut_short(audit: Audit) -> None:
    code = "".join(f"int a{n} = unknown{n};\n" for n in range(30))
    report = audit({**STATE, "src/backend/d.cpp": code}, GATE)
    assert len(report.errors) == 11
    assert any("20 more errors" in problem.message for problem in report.errors)


@pytest.mark.parametrize(
    ("path", "code", "configuration", "exit_code"),
    [
        ("src/backend/d.cpp", "int d = nothing;\n", "", 2),
        ("src/backend/d.cpp", "#ifdef OLD\nint d = nothing;\n#endif\n", OPTIONAL, 0),
        ("src/tools/t.cpp", "int d = nothing;\n", "", 0),
        ("src/tools/t.cpp", '#include "gone.h"\n', "", 0),
        ("src/tools/t.cpp", '#include "backend/bad.inc"\n', "", 2),
    ],
)
def test_which_errors_count(audit: Audit, path: str, code: str, configuration: str, exit_code: int) -> None:
    tree = {**STATE, "src/backend/ok.cpp": "int ok;\n", path: code}
    if "bad.inc" in code:
        tree["src/backend/bad.inc"] = "int bad = nothing;\n"
    report = audit(tree, GATE, configuration)
    assert report.exit_code == exit_code
    assert bool([f for f in report.findings if f.gate == "health"]) == (exit_code == 0)


def test_a_source_that_another_unit_includes_is_no_orphan(audit: Audit) -> None:
    tree = {**STATE, "src/backend/all.cpp": '#include "backend/part.cc"\n', "src/backend/part.cc": "int part;\n"}
    assert audit(tree, GATE).exit_code == 0
    report = audit({**tree, "src/backend/all.cpp": "\n"}, GATE)
    assert [(f.gate, f.path, f.identity) for f in report.findings] == [
        ("health", "src/backend/part.cc", ("orphan", "src/backend/part.cc"))
    ]


def test_a_fragment_that_a_catalogue_reads_is_no_orphan(audit: Audit) -> None:
    tree = {**STATE, "src/backend/d.cpp": "int d;\n", "src/backend/list.def": "#define LIST(X) X(A)\n"}
    assert [f.path for f in audit(tree, GATE).findings] == ["src/backend/list.def"]
    catalogue = '[[catalogue]]\nname = "l"\nfile = "src/backend/list.def"\nlist = "LIST"\ncolumns = ["name"]\n'
    assert audit(tree, catalogue + GATE).exit_code == 0


@pytest.mark.parametrize(
    ("floors", "message"),
    [
        ("{ units = 2, headers = 1, files = 3, references = 1 }", ""),
        ("{ units = 3 }", "2 units, and the floor is 3"),
        ("{ headers = 2 }", "1 headers, and the floor is 2"),
        ("{ references = 1000 }", "the floor is 1000"),
        ("{ sites = 1 }", "0 sites, and the floor is 1"),
        ("{ unit = 1 }", 'nothing counts "unit"'),
    ],
)
def test_floors(audit: Audit, floors: str, message: str) -> None:
    report = audit({**STATE, "src/backend/d.cpp": "int d;\nint e = d;\n"}, health(f"floors = {floors}"))
    assert [message in problem.message for problem in report.errors] == ([True] if message else [])


def test_floors_take_what_other_gates_counted(analysed: Analyse) -> None:
    given = context(analysed({**STATE, "src/backend/d.cpp": "int d;\n"}, health("floors = { sites = 5 }")))
    assert check(replace(given, examined={"sites": 5})).problems == ()
    assert check(replace(given, examined={"sites": 4})).problems


UNRESOLVED = "struct S { int a; };\ntemplate <class T> int f(T t) { return t.b + t.c; }\nint g(S s) { return s.a; }\n"


def test_unresolved_accesses_are_counted_by_zone(audit: Audit) -> None:
    examined = audit({**STATE, "src/backend/d.cpp": UNRESOLVED}, GATE).gates[-1].examined
    assert (examined["unresolved"], examined["unresolved-backend"], examined["unresolved-state"]) == (2, 2, 0)


def entries(*names: str) -> str:
    return "".join(f"unresolved | src/backend/d.cpp | {name}\n" for name in names)


@pytest.mark.parametrize(
    ("baseline", "findings"),
    [
        ("# known\n" + entries("b", "c"), []),
        (entries("b"), [("c", "error")]),
        (entries("b", "b", "c"), [("unresolved | src/backend/d.cpp | b", "note")]),
        ("", [("b", "error"), ("c", "error")]),
    ],
)
def test_unresolved_accesses_only_shrink(audit: Audit, baseline: str, findings: list[tuple[str, str]]) -> None:
    tree = {**STATE, "src/backend/d.cpp": UNRESOLVED, "known.txt": baseline}
    report = audit(tree, health('unresolved = "known.txt"'))
    assert [(f.entity, str(f.severity)) for f in report.findings if not f.baselined] == findings
    assert [count.path for count in report.gates[-1].baselines] == ["known.txt"]


def test_other_findings_go_to_the_other_baseline(audit: Audit) -> None:
    orphan = {"src/backend/lost.inc": "int lost;\n", "other.txt": "orphan | src/backend/lost.inc\n"}
    tree = {**STATE, **orphan, "src/backend/d.cpp": UNRESOLVED, "known.txt": entries("b", "c")}
    report = audit(tree, health('unresolved = "known.txt"\nbaseline = "other.txt"'))
    assert report.exit_code == 0
    assert [(count.path, count.same) for count in report.gates[-1].baselines] == [("known.txt", 2), ("other.txt", 1)]
    crossed = {**tree, "known.txt": tree["other.txt"], "other.txt": tree["known.txt"]}
    report = audit(crossed, health('unresolved = "known.txt"\nbaseline = "other.txt"'))
    assert [count.same for count in report.gates[-1].baselines] == [0, 0]


@pytest.mark.parametrize("extra", ['unresolved = "known.txt"', 'unresolved = "here.txt"\nbaseline = "here.txt"'])
def test_each_baseline_must_be_there_and_be_one(audit: Audit, extra: str) -> None:
    report = audit({**STATE, "src/backend/d.cpp": UNRESOLVED, "here.txt": ""}, health(extra))
    assert (report.exit_code, len(report.errors)) == (2, 1)


def test_without_a_baseline_unresolved_accesses_are_counted_only(audit: Audit) -> None:
    assert audit({**STATE, "src/backend/d.cpp": UNRESOLVED}, health("")).findings == ()


def test_a_watched_name_without_any_witness_is_found(analysed: Analyse) -> None:
    code = '#include "state/s.h"\n#ifdef NEVER\nint a = pContext;\n#endif\nint b = pContext;\n// pContext\n'
    tree = {**STATE, "src/state/s.h": "#pragma once\nextern int pContext;\n", "src/backend/d.cpp": code}
    gates = '[[gate]]\nid = "C"\nkind = "undeclared"\nzones = ["backend"]\nentities = ["pContext"]\n'
    given = context(analysed(tree, gates))
    assert given.spec.kind == "health"
    size = len(code)
    doubtful = FileSyntax(size, (), (), (), (Span(0, size),), (), size, ())
    verdict = check(replace(given, syntax={"src/backend/d.cpp": doubtful}))
    assert [(f.line, f.entity) for f in verdict.findings] == [(3, "pContext")]
    (finding,) = verdict.findings
    assert "the syntax scanner cannot parse it; no configuration takes the arm defined(NEVER)" in finding.message
    certain = FileSyntax(size, (), (), (), (), (), 0, ())
    assert check(replace(given, syntax={"src/backend/d.cpp": certain})).findings == ()


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("\n#include NO_SUCH_MACRO\n", 2),
        ('#if A B\n#include "state/s.h"\n#endif\n', 1),
        ('#ifdef A\n#include "state/s.h"\n', 1),
        ('#include "util/u.h"\n', 1),
    ],
)
def test_an_error_anywhere_that_hides_inclusions_is_grave(audit: Audit, header: str, line: int) -> None:
    tree = {**STATE, "src/backend/d.cpp": '#include "util/u.h"\n', "src/util/u.h": header}
    report = audit(tree, GATE)
    assert report.exit_code == 2
    assert ("src/util/u.h", line) in {(problem.path, problem.line) for problem in report.errors}


def test_other_errors_outside_the_audited_zones_are_warnings(audit: Audit) -> None:
    tree = {**STATE, "src/backend/d.cpp": '#include "util/u.h"\n', "src/util/u.h": "#ifndef A\n#error no A\n#endif\n"}
    report = audit(tree, GATE)
    assert (report.exit_code, [(f.path, f.line) for f in report.findings]) == (0, [("src/util/u.h", 2)])


def test_where_no_configuration_is_required_every_one_must_be_sound(audit: Audit) -> None:
    tree = {**STATE, "src/backend/d.cpp": '#include "gone.h"\n'}
    assert audit(tree, GATE, "required = false\n").exit_code == 2


def test_rows_of_a_fragment_whose_names_are_only_text_need_no_certificate(audit: Audit) -> None:
    rows = "ROW(pContext)\nROW(other)\n"
    tree = {
        "src/state/s.h": "#pragma once\nextern int* pContext;\n",
        "src/backend/rows.inc": rows,
        "src/backend/d.cpp": (
            '#include "state/s.h"\n#define ROW(n) #n,\nconst char* k[] = {\n#include "backend/rows.inc"\n};\n'
        ),
    }
    gate = '[[gate]]\nid = "C"\nkind = "undeclared"\nzones = ["backend"]\nentities = ["pContext"]\n'
    assert audit(tree, gate).exit_code == 0
    tree["src/backend/rows.inc"] = "#define ROW(n)\n" + rows
    assert {f.gate for f in audit(tree, gate).findings if f.line == 2} >= {"C"}
