from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.domain.findings import BaselineCount, Evidence, Finding, GateResult, Severity, Status
from mgaudit.domain.problems import Problem
from mgaudit.domain.report import ConfigurationHealth, Report, ToolVersions
from mgaudit.reports.json import render

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

EVIDENCE = Evidence("include", "src/backend/draw.cpp", 3, '#include "util/a.h"')
FINDING = Finding(
    gate="A",
    kind="include-purity",
    severity=Severity.ERROR,
    message="src/backend/draw.cpp reaches src/state/context.h",
    help="forward-declare",
    path="src/backend/draw.cpp",
    line=3,
    column=1,
    entity="src/state/context.h",
    configurations=("split",),
    evidence=(EVIDENCE,),
    fingerprint="f00d",
)
EXEMPTED = replace(FINDING, line=9, justification="goes with the split", evidence=())
TOOL = ToolVersions("0.1.0", "22.1.4", "0.23.4")
RED = Report(
    tool=TOOL,
    tree="minigl",
    trusted=True,
    exit_code=1,
    configurations=(ConfigurationHealth("split", 12, 0),),
    gates=(
        GateResult(
            "A",
            "include-purity",
            Status.RED,
            (FINDING,),
            {"units": 12, "headers": 9},
            baselines=(BaselineCount("A.txt", 1, 0, None, (("a", "b"),)),),
            exempted=(EXEMPTED,),
        ),
    ),
    findings=(FINDING,),
)
UNREADABLE = Report(
    ToolVersions("0.1.0", "", ""), "", trusted=False, exit_code=2, errors=(Problem("mgaudit.toml", 3, "bad", "mend"),)
)


LESS: dict[str, Any] = {"baselines": []}


def value(report: Report) -> Any:
    return json.loads(render(report))


def test_the_report_has_the_shape_of_the_contract() -> None:
    assert value(RED) == {
        "schema": 1,
        "tool": {
            "name": "mgaudit",
            "version": "0.1.0",
            "libclang": "22.1.4",
            "tree-sitter-cpp": "0.23.4",
            "libraries": {},
        },
        "tree": "minigl",
        "trusted": True,
        "exit-code": 1,
        "scope": None,
        "configurations": [{"name": "split", "units": 12, "units-with-errors": 0}],
        "gates": [
            {
                "id": "A",
                "kind": "include-purity",
                "status": "red",
                "reason": None,
                "findings": 1,
                "exempted": 1,
                "examined": {"headers": 9, "units": 12},
                "baselines": [
                    {"path": "A.txt", "new": 1, "same": 0, "removed": None, "renamed": [{"from": "a", "to": "b"}]}
                ],
            }
        ],
        "findings": [
            {
                "gate": "A",
                "kind": "include-purity",
                "severity": "error",
                "message": "src/backend/draw.cpp reaches src/state/context.h",
                "help": "forward-declare",
                "path": "src/backend/draw.cpp",
                "line": 3,
                "column": 1,
                "entity": "src/state/context.h",
                "symbol": None,
                "configurations": ["split"],
                "fingerprint": "f00d",
                "baselined": False,
                "justification": None,
                "evidence": [
                    {"kind": "include", "path": "src/backend/draw.cpp", "line": 3, "text": '#include "util/a.h"'}
                ],
            }
        ],
        "exempted": [
            {
                "gate": "A",
                "kind": "include-purity",
                "severity": "error",
                "message": "src/backend/draw.cpp reaches src/state/context.h",
                "help": "forward-declare",
                "path": "src/backend/draw.cpp",
                "line": 9,
                "column": 1,
                "entity": "src/state/context.h",
                "symbol": None,
                "configurations": ["split"],
                "fingerprint": "f00d",
                "baselined": False,
                "justification": "goes with the split",
                "evidence": [],
            }
        ],
        "zones": {},
        "inputs": None,
        "floors": {},
        "certificate": None,
        "errors": [],
        "warnings": [],
    }


@pytest.mark.parametrize("report", [RED, UNREADABLE])
def test_reports_follow_the_schema(report: Report) -> None:
    VALIDATOR.validate(value(report))


@pytest.mark.parametrize(
    "change",
    [
        {"exit-code": 0, "trusted": False},
        {"trusted": False, "exit-code": 2, "errors": []},
        {"errors": [{"path": None, "line": None, "message": "m", "help": ""}]},
        {"schema": 2},
        {"surprise": 1},
        {"tree": None},
        {
            "gates": [
                {"id": "A", "kind": "k", "status": "skipped", "reason": None, "findings": 0, "examined": {}} | LESS
            ]
        },
        {"gates": [{"id": "A", "kind": "k", "status": "fine", "reason": None, "findings": 0, "examined": {}} | LESS]},
    ],
)
def test_the_schema_refuses_what_contradicts_itself(change: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(value(RED) | change)


def test_a_place_that_is_unknown_is_null() -> None:
    report = Report(TOOL, "t", trusted=False, exit_code=2, errors=(Problem(None, 0, "no tree"),))
    assert value(report)["errors"] == [{"path": None, "line": None, "message": "no tree", "help": ""}]


TEXT = st.text(st.characters(), min_size=1)


@given(message=TEXT, path=TEXT, entity=TEXT, text=TEXT)
def test_any_text_comes_back_and_the_bytes_are_plain(message: str, path: str, entity: str, text: str) -> None:
    finding = Finding(
        "A", "k", Severity.NOTE, message, "", path, 1, 1, entity, evidence=(Evidence("step", path, 0, text),)
    )
    output = render(Report(TOOL, "t", trusted=True, exit_code=0, findings=(finding,)))
    assert output.isascii()
    assert all(character.isprintable() or character == "\n" for character in output)
    (found,) = json.loads(output)["findings"]
    assert (found["message"], found["path"], found["entity"]) == (message, path, entity)
    VALIDATOR.validate(json.loads(output))
