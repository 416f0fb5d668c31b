from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mgaudit.gates import registry

Run = Callable[..., Any]
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/report.schema.json").read_text(encoding="utf-8"))


def report(result: Any) -> Any:
    value = json.loads(result.out)
    jsonschema.validate(value, SCHEMA)
    assert value["exit-code"] == result.code
    return value


def test_a_clean_tree_exits_with_0(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("check")
    assert (result.code, result.err) == (0, "")
    assert "gates found no violation in little (exit code 0)\n" in result.out
    value = report(mgaudit("check", "--output-format", "json"))
    assert [item["name"] for item in value["configurations"]] == ["mono", "split"]
    assert {gate["id"]: gate["status"] for gate in value["gates"]} == {"A": "green", "health": "green"}


def test_a_violation_exits_with_1_and_shows_its_line(red: Path, mgaudit: Run) -> None:
    result = mgaudit("check")
    assert (result.code, result.err) == (1, "")
    assert "src/backend/draw.h:1:1: A error: " in result.out
    assert '    1 | #include "state/context.h"\n      | ^^^^^' in result.out
    (finding,) = report(mgaudit("check", "--output-format", "json"))["findings"]
    assert (finding["path"], finding["line"], finding["entity"]) == ("src/backend/draw.h", 1, "src/state/context.h")


def test_reports_are_the_same_byte_for_byte(red: Path, mgaudit: Run) -> None:
    for form in ("text", "json"):
        first = mgaudit("check", "--output-format", form)
        assert mgaudit("check", "--output-format", form).out == first.out
        assert mgaudit("check", "--output-format", form, "--no-cache", "--no-pch").out == first.out


def test_exit_zero_turns_1_into_0_and_2_into_nothing(red: Path, mgaudit: Run) -> None:
    value = report(mgaudit("check", "--exit-zero", "--output-format", "json"))
    assert (value["exit-code"], len(value["findings"])) == (0, 1)
    assert mgaudit("check", "--exit-zero", "--gate", "B").code == 2


def test_quiet_prints_findings_only(red: Path, mgaudit: Run) -> None:
    result = mgaudit("check", "--quiet")
    assert result.out.startswith("src/backend/draw.h:1:1: A error: ")
    assert "exit code" not in result.out


def test_statistics_go_to_standard_error(tree: Path, mgaudit: Run) -> None:
    plain = mgaudit("check", "--output-format", "json")
    result = mgaudit("check", "--output-format", "json", "--statistics")
    assert result.out == plain.out
    assert "reused from the cache: 4 units\n" in result.err


# ---- what is chosen


@pytest.mark.parametrize(
    ("arguments", "findings"),
    [
        (["src/backend/draw.h"], 1),
        (["src/backend"], 1),
        (["."], 1),
        (["src/backend/draw.cpp"], 0),
        (["src/state", "src/backend/draw.h"], 1),
        (["--gate", "A"], 1),
        (["--gate", "health"], 0),
        (["--configuration", "split"], 1),
    ],
)
def test_a_choice_narrows_what_is_reported(red: Path, mgaudit: Run, arguments: list[str], findings: int) -> None:
    value = report(mgaudit("check", "--output-format", "json", *arguments))
    assert len(value["findings"]) == findings
    assert value["exit-code"] == bool(findings)


def test_paths_start_from_the_current_folder(red: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(red / "src/backend")
    value = report(mgaudit("check", "draw.h", "--output-format", "json"))
    assert [finding["path"] for finding in value["findings"]] == ["src/backend/draw.h"]


@pytest.mark.parametrize(
    ("arguments", "message", "help_"),
    [
        (["--gate", "a"], 'there is no gate "a"', "known: A, health"),
        (["--gate", "heath"], 'there is no gate "heath"', 'did you mean "health"?'),
        (["--configuration", "spilt"], '--configuration: there is no configuration "spilt"', 'did you mean "split"?'),
        (["src/nothing.cpp"], "src/nothing.cpp: no audited file is there", "see `sources`, `headers` and zones"),
        (["src/back"], "src/back: no audited file is there", "see `sources`, `headers` and zones"),
    ],
)
def test_a_choice_that_selects_nothing_is_untrusted(
    tree: Path, mgaudit: Run, arguments: list[str], message: str, help_: str
) -> None:
    value = report(mgaudit("check", "--output-format", "json", *arguments))
    assert value["errors"] == [{"path": None, "line": None, "message": message, "help": help_}]


def test_a_path_outside_of_the_tree_is_untrusted(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("check", "..", tree.parent)
    assert (result.code, result.out) == (2, "")
    assert result.err.count("it lies outside of the tree") == 2


def test_a_choice_does_not_make_a_broken_run_trusted(tree: Path, mgaudit: Run) -> None:
    (tree / "src/backend/broken.cpp").write_text('#include "missing.h"\n', encoding="utf-8")
    for arguments in ([], ["--gate", "A"], ["src/state"], ["src/state", "--exit-zero"]):
        assert mgaudit("check", *arguments).code == 2


# ---- untrusted


def test_every_configuration_error_is_shown_and_is_json_where_asked(tree: Path, mgaudit: Run) -> None:
    text = (tree / "mgaudit.toml").read_text(encoding="utf-8")
    changed = text.replace('forbid = ["state"]', 'forbid = ["stat"]').replace("c++20", "c++2")
    (tree / "mgaudit.toml").write_text(changed, encoding="utf-8")
    result = mgaudit("check")
    assert (result.code, result.out) == (2, "")
    assert result.err.count("mgaudit.toml:") == 3
    value = report(mgaudit("check", "--output-format", "json"))
    assert value["tree"] is None
    assert value["gates"] == []
    assert len(value["errors"]) == 3
    assert all(error["path"] == "mgaudit.toml" and error["line"] for error in value["errors"])


def test_no_configuration_is_untrusted(tmp_path: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (error,) = report(mgaudit("check", "--output-format", "json"))["errors"]
    assert "there is no mgaudit.toml" in error["message"]


def test_a_gate_that_is_not_available_is_untrusted(tree: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = {**registry.KINDS, "include-purity": replace(registry.KINDS["include-purity"], available=False)}
    monkeypatch.setattr(registry, "KINDS", closed)
    (error,) = report(mgaudit("check", "--output-format", "json"))["errors"]
    assert "not available yet" in error["message"]


def test_a_crash_is_json_too(tree: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr("mgaudit.engine.judge.judge", crash)
    (error,) = report(mgaudit("check", "--output-format", "json"))["errors"]
    assert "internal error: RuntimeError: unforeseen" in error["message"]


# ---- where the report goes


def test_the_configuration_and_the_root_can_lie_elsewhere(
    red: Path, mgaudit: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (red / "mgaudit.toml").rename(tmp_path / "rules.toml")
    monkeypatch.chdir(tmp_path)
    value = report(mgaudit("check", "--config", "rules.toml", "--root", "tree", "--output-format", "json"))
    assert [finding["path"] for finding in value["findings"]] == ["src/backend/draw.h"]


def test_a_report_in_a_file_is_whole_and_readable(red: Path, mgaudit: Run) -> None:
    file = red / "report.json"
    file.write_text("old", encoding="utf-8")
    file.chmod(0o640)
    result = mgaudit("check", "--output-format", "json", "--output", file)
    assert (result.code, result.out, result.err) == (1, "", "")
    assert len(json.loads(file.read_text(encoding="utf-8"))["findings"]) == 1
    if sys.platform != "win32":
        assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in red.glob(".*")] == []


def test_one_run_is_written_in_several_forms(red: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(red.parent))
    result = mgaudit("check", "--output-format", "github", "--also", "sarif=run.sarif", "--also", "junit=run.xml")
    assert result.code == 1
    assert result.out.startswith("::error file=tree/src/backend/draw.h,line=1,col=1,title=mgaudit A::")
    (run,) = json.loads((red / "run.sarif").read_text(encoding="utf-8"))["runs"]
    (place,) = run["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "tree/src/backend/draw.h"
    assert "<failure " in (red / "run.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", ["sarif", "sarif=", "=run", "pdf=run.pdf"])
def test_a_further_form_needs_a_form_and_a_file(tree: Path, mgaudit: Run, word: str) -> None:
    result = mgaudit("check", "--also", word)
    assert result.code == 2
    assert "write FORM=FILE, with a form out of text, json, sarif" in result.err


def test_every_form_tells_that_there_is_no_answer(tree: Path, mgaudit: Run) -> None:
    forms = ("json", "sarif", "github", "junit", "markdown")
    for form in forms:
        (tree / form).write_text("an older answer", encoding="utf-8")
    result = mgaudit("check", "--gate", "B", *(word for form in forms for word in ("--also", f"{form}={form}")))
    assert (result.code, result.out) == (2, "")
    assert all("there is no gate" in (tree / form).read_text(encoding="utf-8") for form in forms)


def test_an_exempted_finding_is_suppressed_with_its_reason(red: Path, mgaudit: Run) -> None:
    exempt = 'exempt = [{ path = "src/backend/draw.h", reason = "goes with the split" }]\n'
    with (red / "mgaudit.toml").open("a", encoding="utf-8") as file:
        file.write(exempt)
    result = mgaudit("check", "--output-format", "sarif")
    (found,) = json.loads(result.out)["runs"][0]["results"]
    assert (result.code, found["suppressions"][0]["justification"]) == (0, "goes with the split")


def test_a_form_that_fails_is_no_answer(red: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr("mgaudit.reports.junit.render", crash)
    result = mgaudit("check", "--output-format", "junit")
    assert (result.code, result.out) == (2, "")
    assert "internal error: RuntimeError: unforeseen" in result.err


def test_a_file_never_keeps_an_older_answer_where_there_is_none(red: Path, mgaudit: Run) -> None:
    file = red / "report.json"
    mgaudit("check", "--output-format", "json", "-o", file)
    result = mgaudit("check", "--gate", "B", "--output-format", "json", "-o", file)
    assert result.code == 2
    assert "there is no gate" in result.err
    assert json.loads(file.read_text(encoding="utf-8"))["trusted"] is False


def test_a_file_that_cannot_be_written_is_untrusted(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("check", "--output", tree / "none/report.txt")
    assert result.code == 2
    assert "it cannot be written" in result.err


@pytest.mark.parametrize(
    ("color", "environment", "colored"),
    [
        ("auto", {}, False),
        ("always", {}, True),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours(
    red: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch, color: str, environment: dict[str, str], colored: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in mgaudit("check", "--color", color).out) is colored


def test_without_a_cache_none_is_made(tree: Path, mgaudit: Run, tmp_path: Path) -> None:
    assert mgaudit("check", "--no-cache").code == 0
    assert not (tmp_path / "cache").exists()
    assert mgaudit("check", "--no-cache", "--cache-dir", tmp_path / "other").code == 2
    assert mgaudit("check", "--cache-dir", tmp_path / "other").code == 0
    assert (tmp_path / "other").is_dir()


@pytest.mark.skipif(sys.platform == "win32" or os.name != "posix", reason="such names are POSIX's")
def test_a_hostile_file_name_cannot_drive_the_terminal(red: Path, mgaudit: Run) -> None:
    hostile = red / "src/backend/\x1b[2Jgone.cpp"
    hostile.write_text('#include "state/context.h"\n', encoding="utf-8")
    result = mgaudit("check")
    assert result.code == 1
    assert "\x1b" not in result.out + result.err
    assert "\\x1b[2Jgone.cpp:1:1: A error" in result.out
