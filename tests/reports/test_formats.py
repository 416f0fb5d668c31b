"""What holds of every form in which `check` reports."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from sarif import loader

from mgaudit.domain.findings import Evidence, Severity
from mgaudit.domain.problems import Problem
from mgaudit.domain.report import ConfigurationHealth, Report, ToolVersions
from mgaudit.reports import github, junit, markdown, sarif, text
from mgaudit.reports import json as json_report
from mgaudit.reports.excerpt import Sources

if TYPE_CHECKING:
    from collections.abc import Callable

NOWHERE = Sources(Path("/nowhere").joinpath)
FORMS: dict[str, Callable[[Report], str]] = {
    "json": json_report.render,
    "sarif": lambda report: sarif.render(report, NOWHERE),
    "github": lambda report: github.render(report, NOWHERE),
    "junit": junit.render,
    "markdown": markdown.render,
}
HOSTILE = (
    "</code></details><script>alert(1)</script>",
    "a`b``c|d\\|e",
    "x\n::error::owned\r\n::set-output name=a::b",
    "]]>&<>\"'",
    "\x1b[2J\x00\u202e\ufffe",
    "@everyone #1 [a](javascript:alert(1)) ![x](http://e.vil/x.png)",
    "%0A::error::x",
    "ünï/文字.cpp",
)
forms = pytest.mark.parametrize("form", FORMS)


@forms
@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_is_data(form: str, text: str, finding: Any, report: Any) -> None:
    hostile = finding(gate=text, message=text, help=text, path=text, entity=text, symbol=text,
                      evidence=(Evidence(text, text, 1, text), Evidence(text, text, 2, text)))  # fmt: skip
    problem = Problem(text, 1, text, text)
    for made in (report(hostile), report(hostile, errors=(problem,))):
        output = FORMS[form](made)
        assert all(character.isprintable() or character == "\n" for character in output)
        CHECKS[form](output)


def _is_json(output: str) -> None:
    assert output.isascii()
    json.loads(output)


def _is_annotations(output: str) -> None:
    commands = ("::error ", "::warning ", "::notice ", "mgaudit ")
    assert all(line.startswith(commands) for line in output.splitlines())


def _is_inert(output: str) -> None:
    """Neither markup nor links nor mentions outside of code, apart from what the report itself writes."""
    for token in MarkdownIt("commonmark").enable("table").parse(output):
        if token.type == "html_block":
            assert token.content.startswith(("<details", "</details>"))
        depth = 0
        for child in token.children or ():
            assert child.type not in {"link_open", "image"}
            if child.type == "html_inline":
                assert child.content in {"<code>", "</code>", "<summary>", "</summary>"}
                depth += {"<code>": 1, "</code>": -1}.get(child.content, 0)
            if child.type == "text" and not depth:
                assert "@" not in child.content
                assert "http" not in child.content


CHECKS: dict[str, Callable[[str], Any]] = {
    "json": _is_json,
    "sarif": _is_json,
    "github": _is_annotations,
    "junit": ET.fromstring,
    "markdown": _is_inert,
}


@forms
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(text=st.text(st.characters(), min_size=1))
def test_any_text_can_be_told(form: str, text: str, finding: Any, report: Any) -> None:
    CHECKS[form](FORMS[form](report(finding(message=text, path=text, entity=text), errors=(Problem(text, 1, text),))))


@forms
def test_every_form_tells_what_the_run_rests_on(form: str, finding: Any, report: Any) -> None:
    text = FORMS[form](report(finding()))
    for said in ("0.1.0", "22.1.4", "0.23.4", "3.4", "d1d1d1d1d1d1", "f1f1f1f1f1f1", "505050505050", "cacacacacaca"):
        assert said in text, said
    assert re.search(r'900 \(87.9 %\) by both parsers|"both": 900', text)
    assert re.search(r'12 units of at least 10|"least": 10', text)


@forms
def test_every_form_says_where_a_finding_holds_alone(form: str, finding: Any, report: Any) -> None:
    other = ConfigurationHealth("mono", 3, 0)
    made = report(finding())
    made = replace(made, configurations=(*made.configurations, other))
    alone, both = FORMS[form](made), FORMS[form](replace(made, configurations=made.configurations[:1]))
    if form in {"json", "sarif"}:
        assert re.search(r'"configurations": \[\s*"split"\s*\]', alone)
    else:
        assert "only in: split" in alone
    assert "only in" not in both


@forms
def test_a_run_that_cannot_be_trusted_says_so_and_why(form: str, finding: Any, report: Any) -> None:
    output = FORMS[form](report(finding(), errors=(Problem("mgaudit.toml", 3, "zone `a` holds no file", "correct"),)))
    assert "untrusted" in output or '"trusted": false' in output
    assert "zone `a` holds no file" in output.replace("&#96;", "`")


@forms
def test_a_configuration_that_cannot_be_read_is_told_in_every_form(form: str) -> None:
    unreadable = Report(
        ToolVersions("0.1.0", "", ""), "", trusted=False, exit_code=2, errors=(Problem(None, 0, "there is none"),)
    )
    output = FORMS[form](unreadable)
    CHECKS[form](output)
    assert "there is none" in output


@forms
def test_a_run_without_gates_and_findings_is_told(form: str, report: Any) -> None:
    CHECKS[form](FORMS[form](report()))
    empty = Report(ToolVersions("0.1.0", "1", "1"), "t", trusted=True, exit_code=0)
    CHECKS[form](FORMS[form](empty))


@forms
def test_very_many_findings_stay_readable(form: str, finding: Any, report: Any) -> None:
    many = [finding(line=line, entity=f"e{line}") for line in range(1, 4001)]
    output = FORMS[form](report(*many, finding(gate="B", line=9)))
    if form == "markdown":
        assert len(output.encode()) < 1 << 20
    if form in {"markdown", "github"}:
        assert "B" in output  # another gate is not buried
    else:
        assert output.count("e3999" if form != "junit" else ":3999") >= 1


@forms
def test_what_is_accepted_is_not_reported_as_red(form: str, finding: Any, report: Any) -> None:
    accepted = finding(baselined=True, justification="first import")
    output = FORMS[form](report(accepted))
    if form == "junit":
        assert ET.fromstring(output).get("failures") == "0"
    if form == "github":
        assert "::error" not in output
    if form == "markdown":
        assert "draw.cpp reaches" not in output
    assert "0" in output


# ---- SARIF

SCHEMA = json.loads((Path(__file__).parent / "sarif/sarif-schema-2.1.0.json").read_text(encoding="utf-8"))


def run_of(output: str) -> Any:
    value = json.loads(output)
    jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(value)
    (run,) = value["runs"]
    return run


@pytest.mark.parametrize("text", [*HOSTILE, "src/a b#c?.cpp", "/usr/include/x.h", ""])
def test_sarif_follows_the_official_schema(text: str, finding: Any, report: Any) -> None:
    made = report(
        finding(path=text), finding(severity=Severity.NOTE, line=0, column=0), errors=(Problem(text, 1, "m"),)
    )
    run = run_of(sarif.render(made, NOWHERE))
    for result in run["results"]:
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_what_is_exempt_is_counted_and_named(finding: Any, report: Any) -> None:
    made = report(finding(), exempted=(finding(line=9, justification="debug only"), finding("B", line=4)))
    assert re.search(r"^A .* 1 error, 1 exempt  ", text.render(made, NOWHERE, text.Style()), re.MULTILINE)
    assert "| 1 error, 1 exempt |" in markdown.render(made)
    named = [suite.findtext("system-out") or "" for suite in ET.fromstring(junit.render(made))]
    assert ["exempt: draw.cpp reaches context.h" in said for said in named] == [True, True]
    assert "src/backend/draw.cpp:9:1: exempt" in named[0]


def test_sarif_tells_what_is_new_accepted_and_exempted(finding: Any, report: Any) -> None:
    made = report(
        finding(line=1, entity="new"), finding(line=2, entity="old", baselined=True, justification="first import"),
        exempted=(finding(line=3, entity="kept", justification="debug only", fingerprint="f"),),
    )  # fmt: skip
    results = run_of(sarif.render(made, NOWHERE))["results"]
    assert [(r["baselineState"], [s["justification"] for s in r["suppressions"]]) for r in results] == [
        ("new", []), ("unchanged", ["first import"]), ("unchanged", ["debug only"]),
    ]  # fmt: skip


def test_sarif_shows_a_chain_step_by_step_and_explains_the_rule(finding: Any, report: Any) -> None:
    run = run_of(sarif.render(report(finding()), NOWHERE, "lib/"))
    (result,) = run["results"]
    (flow,) = result["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    uris = [step["location"]["physicalLocation"]["artifactLocation"]["uri"] for step in steps]
    assert uris == ["lib/src/backend/draw.cpp", "lib/src/a.h"]
    assert [place["id"] for place in result["relatedLocations"]] == [1, 2]
    assert "include closure" in run["tool"]["driver"]["rules"][0]["help"]["markdown"]


def test_sarif_fingerprints_survive_moved_lines(finding: Any, report: Any) -> None:
    def prints(line: int) -> Any:
        (result,) = run_of(sarif.render(report(finding(line=line)), NOWHERE))["results"]
        return result["partialFingerprints"]

    assert prints(3) == prints(300)


def test_sarif_counts_columns_in_characters(tmp_path: Path, finding: Any, report: Any) -> None:
    (tmp_path / "a.cpp").write_text("/* äöü */ x\n", encoding="utf-8")
    text = sarif.render(report(finding(path="a.cpp", line=1, column=14)), Sources(tmp_path.joinpath))
    (result,) = run_of(text)["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startColumn"] == 11


@pytest.mark.parametrize(
    ("path", "uri", "base"),
    [
        ("<packs>/house/reads.def", "house/reads.def", "PACKS"),
        ("<configuration>/../mgaudit.toml", "../mgaudit.toml", "CONFIGURATION"),
        ("src/a.cpp", "lib/src/a.cpp", "%SRCROOT%"),
    ],
)
def test_files_outside_of_the_tree_have_a_base_of_their_own(
    finding: Any, report: Any, path: str, uri: str, base: str
) -> None:
    run = run_of(sarif.render(report(finding(path=path)), NOWHERE, "lib/"))
    (result,) = run["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri, "uriBaseId": base}
    assert base in run["originalUriBaseIds"]


def test_sarif_is_accepted_by_a_public_tool(tmp_path: Path, finding: Any, report: Any) -> None:
    file = tmp_path / "run.sarif"
    file.write_text(sarif.render(report(finding(), finding(gate="B", severity=Severity.WARNING)), NOWHERE))
    found = loader.load_sarif_file(str(file)).get_report()
    assert {severity: found.get_issue_count_for_severity(severity) for severity in ("error", "warning", "note")} == {
        "error": 1, "warning": 1, "note": 0,
    }  # fmt: skip


# ---- annotations


def test_a_step_gets_ten_annotations_of_a_type_the_most_important_ones(finding: Any, report: Any) -> None:
    many = [finding(line=line, entity=f"e{line}") for line in range(1, 30)]
    notes = [finding(line=line, severity=Severity.NOTE, entity=f"n{line}") for line in range(100, 120)]
    made = report(*many, *notes, finding(gate="Z", path="zz.cpp"), errors=(Problem(None, 0, "fatal"),))
    lines = github.render(made, NOWHERE).splitlines()
    errors = [line for line in lines if line.startswith("::error ")]
    assert len(errors) == 10
    assert errors[0] == "::error title=mgaudit%3A untrusted::fatal"
    assert any("title=mgaudit Z" in line for line in errors)
    assert sum(line.startswith("::notice ") for line in lines) == 10
    assert "21 more errors, of 31: the other reports have them all" in lines
    assert lines[-1] == "mgaudit untrusted: 1 reason not to trust this run in minigl (exit code 2)"


def test_an_annotation_has_the_place_in_the_repository(finding: Any, report: Any) -> None:
    first = github.render(report(finding(path="src/a,b:c.cpp")), NOWHERE, "lib/").splitlines()[0]
    assert first == (
        "::error file=lib/src/a%2Cb%3Ac.cpp,line=3,col=1,title=mgaudit A::draw.cpp reaches context.h%0A"
        'src/a,b:c.cpp:3: #include "a.h"%0Asrc/a.h:1: #include%0Aforward-declare'
    )


def test_an_annotation_names_no_file_outside_of_the_tree(finding: Any, report: Any) -> None:
    first = github.render(report(finding(path="<packs>/house/reads.def")), NOWHERE, "lib/").splitlines()[0]
    assert first.startswith("::error title=mgaudit A::")


# ---- JUnit


def test_junit_has_a_case_for_each_error_and_a_passing_one_for_a_green_gate(finding: Any, report: Any) -> None:
    made = report(finding(line=1, entity="a"), finding(line=2, entity="b"), finding(gate="B", severity=Severity.NOTE))
    root = ET.fromstring(junit.render(made))
    assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3", "failures": "2", "errors": "0", "skipped": "0",
    }  # fmt: skip
    assert [suite.get("name") for suite in root] == ["A", "B"]


def test_junit_says_in_every_suite_what_the_run_rests_on(finding: Any, report: Any) -> None:
    made = report(finding(), errors=(Problem("a.cpp", 1, "it does not parse"),))
    suites = ET.fromstring(junit.render(made)).findall("testsuite")
    said = [[dict(item.attrib) for item in suite.findall("properties/property")] for suite in suites]
    assert len(said) == 2
    assert said[0] == said[1]
    assert said[0]


def test_junit_shows_an_untrusted_gate_as_an_error(report: Any) -> None:
    root = ET.fromstring(junit.render(report(errors=(Problem("a.cpp", 1, "it does not parse"),))))
    assert [case.get("message") for case in root.iter("error")] == ["it does not parse"] * 2


# ---- Markdown


def test_a_summary_lists_the_gates_the_findings_and_what_to_do(finding: Any, report: Any) -> None:
    text = markdown.render(report(finding()))
    assert text.startswith("## mgaudit: 🔴 red\n\n`1 of 1 gate found a violation in minigl (exit code 1)`\n")
    assert "| <code>A</code> | <code>include-purity</code> | 🔴 red | 1 error | <code>12 units</code> |" in text
    assert "- `src/backend/draw.cpp:3:1` **error** `draw.cpp reaches context.h`\n" in text
    assert "  - help: `forward-declare`\n" in text
    assert "- baseline `baselines/A.txt`: 1 new, 0 same, 0 removed\n" in text
