"""The red and green cases that lie beside each gate, run as a user would."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import mgaudit.gates
from mgaudit.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FOLDER = Path(mgaudit.gates.__file__).parent
CASES = sorted(FOLDER.glob("*/cases/*/expect.json"))
SUBSTRINGS = {"message", "entity", "symbol"}


def fits(want: Mapping[str, Any], got: Mapping[str, Any]) -> bool:
    """Whether a finding is the expected one; texts need only hold what is expected of them."""
    return all(
        str(value) in str(got.get(key)) if key in SUBSTRINGS else got.get(key) == value for key, value in want.items()
    )


def faults(expect: Mapping[str, Any], code: int, answer: Mapping[str, Any]) -> Iterable[str]:
    """Where an answer is not what the case expects, in the form of ``expect.json``."""
    if code != expect["exit"]:
        yield f"exit code {code}, not {expect['exit']}: {answer.get('errors')}"
    if code == 2 and (answer["trusted"] or not answer["errors"]):
        yield "exit code 2 without a reason"
    left = [f for f in answer["findings"] if f["severity"] == "error" and not f["baselined"]]
    for want in expect.get("absent", ()):
        if any(fits(want, finding) for finding in left):
            yield f"forbidden: {want}"
    for want in expect.get("findings", ()):
        hit = next((finding for finding in left if fits(want, finding)), None)
        if hit is None:
            yield f"missing: {want}"
        else:
            left.remove(hit)
    for finding in left:
        if finding["gate"] in expect.get("gates", ()):
            yield f"unexpected: {finding['gate']} {finding['path']}:{finding['line']} {finding['entity']}"
    status = {gate["id"]: gate["status"] for gate in answer["gates"]}
    for gate, want in expect.get("status", {}).items():
        if status.get(gate) != want:
            yield f"gate {gate} is {status.get(gate)}, not {want}"


@pytest.mark.parametrize("file", CASES, ids=lambda file: f"{file.parent.parent.parent.name}-{file.parent.name}")
def test_case_has_its_expected_answer(file: Path, tmp_path: Path, cache: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(file.parent, tree)
    expect = json.loads(file.read_text())
    output = tmp_path / "answer.json"
    code = main(
        [
            *expect.get("command", ["check"]), "--config", str(tree / "mgaudit.toml"), "--output-format", "json",
            "--output", str(output), "--cache-dir", str(cache), "--quiet",
        ]
    )  # fmt: skip
    assert list(faults(expect, code, json.loads(output.read_text()))) == []


def test_every_gate_with_cases_has_a_red_and_a_green_one() -> None:
    kinds = {file.parent.parent.parent.name: set[int]() for file in CASES}
    for file in CASES:
        kinds[file.parent.parent.parent.name].add(json.loads(file.read_text())["exit"])
    assert kinds
    assert [kind for kind, codes in kinds.items() if not {0, 1} <= codes] == []


def test_a_wrong_answer_is_a_fault() -> None:
    finding = {
        "gate": "A", "severity": "error", "baselined": False, "path": "a.cpp", "line": 3, "entity": "mg::state::x",
    }  # fmt: skip
    answer = {"findings": [finding], "gates": [{"id": "A", "status": "red"}], "trusted": True, "errors": []}
    right = {
        "exit": 1,
        "gates": ["A"],
        "findings": [{"path": "a.cpp", "line": 3, "entity": "x"}],
        "status": {"A": "red"},
    }
    assert list(faults(right, 1, answer)) == []
    for wrong in (
        {**right, "exit": 0}, {**right, "findings": []}, {**right, "findings": [{"path": "a.cpp", "line": 4}]},
        {**right, "status": {"A": "green"}}, {**right, "absent": [{"path": "a.cpp"}]},
    ):  # fmt: skip
        assert list(faults(wrong, 1, answer))
