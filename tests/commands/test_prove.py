from __future__ import annotations

import hashlib
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.gates.context import Verdict
from mgaudit.gates.undeclared import check as undeclared

if TYPE_CHECKING:
    from pathlib import Path

    from mgaudit.gates.context import GateContext

Run = Callable[..., Any]

UNDECLARED = """
[[gate]]
id = "C"
kind = "undeclared"
zones = ["backend"]
entities = ["state::shared"]
"""


LISTS = """
[[gate]]
id = "T"
kind = "test-names"
before = "before.txt"
after = "after.txt"
[[gate]]
id = "D"
kind = "doc-citations"
documents = ["notes/*.md"]
"""


WRITE_BACKS = """
[[catalogue]]
name = "writebacks"
columns = ["entity", "verdict", "reason"]
rows = []
[[gate]]
id = "W"
kind = "writebacks"
from = ["backend"]
of = ["state"]
catalogue = "writebacks"
"""


def digest(root: Path) -> str:
    """Of every file of a tree: name, content and time of its last change."""
    found = hashlib.sha256()
    for file in sorted(path for path in root.rglob("*") if path.is_file()):
        found.update(f"{file} {file.stat().st_mtime_ns}".encode() + file.read_bytes())
    return found.hexdigest()


def append(file: Path, text: str) -> None:
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


@pytest.fixture
def named(tree: Path) -> Path:
    """The tree with a gate of names."""
    append(tree / "mgaudit.toml", UNDECLARED)
    header = tree / "src/state/context.h"
    header.write_text(header.read_text(encoding="utf-8").replace("};\n}", "};\nextern Context shared;\n}"))
    return tree


def test_each_way_to_break_a_gate_is_found_and_nothing_is_written(named: Path, mgaudit: Run) -> None:
    before = digest(named)
    result = mgaudit("prove", "--output-format", "json", "-q")
    assert digest(named) == before
    answer = json.loads(result.out)
    assert (result.code, answer["trusted"]) == (0, True), result.out
    assert [gate["status"] for gate in answer["gates"]] == ["proved"] * 3
    for gate in answer["gates"]:
        planted = [control for control in gate["controls"] if control["verdict"] != "unplanted"]
        assert {control["verdict"] for control in planted} == {"proved"}
        assert sum(control["expected"] == "red" for control in planted) >= 6, gate
        assert any(control["expected"] == "green" for control in planted)
    header = next(c for c in answer["gates"][0]["controls"] if c["control"] == "in a header")
    assert (header["path"], header["entity"]) == ("src/backend/draw.h", "src/state/context.h")
    once, again = (mgaudit("prove", "C", "--output-format", "json", "-q").out for _ in range(2))
    assert once == again
    assert (
        json.loads(once)["inputs"]["sources"]
        == json.loads(mgaudit("check", "--output-format", "json").out)["inputs"]["sources"]
    )
    assert "\nmade with: mgaudit" in mgaudit("prove", "C", "-q").out
    assert mgaudit("check", "-q").code == 0  # the cache holds nothing of the plants


def test_what_no_chosen_configuration_takes_another_one_may(named: Path, mgaudit: Run) -> None:
    append(named / "mgaudit.toml", '[[configuration]]\nname = "other"\nstandard = "c++20"\ninclude-dirs = ["src"]\n')

    def controls(*words: str) -> set[str]:
        result = mgaudit("prove", "C", "-q", "--output-format", "json", *words)
        assert result.code == 0, result.out
        return {control["control"] for control in json.loads(result.out)["gates"][0]["controls"]}

    assert controls() - controls("--configuration", "other") == {"in an arm that nobody takes"}


def test_lists_and_documents_are_planted_too(tree: Path, mgaudit: Run) -> None:
    append(tree / "mgaudit.toml", LISTS)
    for name in ("before.txt", "after.txt"):
        (tree / name).write_text("Draw.Once\nDraw.Twice\n", encoding="utf-8")
    (tree / "notes").mkdir()
    (tree / "notes/draw.md").write_text("See src/backend/draw.cpp:2.\n", encoding="utf-8")
    before = digest(tree)
    result = mgaudit("prove", "T", "D", "-q")
    assert (result.code, digest(tree)) == (0, before), result.out
    assert "T (test-names) proved" in result.out
    assert "D (doc-citations) proved" in result.out
    assert result.out.count("  proved  ") - result.out.count("green: ") == 16
    for control in ("in another case", "a file that is not there", "green: a right citation", "green: an empty line"):
        assert f"proved  {control}" in result.out


def test_a_gate_whose_check_sees_nothing_is_told(named: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(context: GateContext) -> Verdict:
        return Verdict(examined={"files": len(context.files.files)})

    monkeypatch.setattr(undeclared, "check", blind)
    result = mgaudit("prove", "C", "-q")
    assert result.code == 1
    assert "C (undeclared) failed" in result.out
    assert "the gate says nothing of it" in result.out
    assert "green: a comment" in result.out
    assert named.exists()


def test_an_exemption_that_swallows_everything_is_told(named: Path, mgaudit: Run) -> None:
    settings = named / "mgaudit.toml"
    broken = 'exempt = [{ entity = "src/state/context.h", count = 99, reason = "a rule too wide" }]\n'
    settings.write_text(settings.read_text(encoding="utf-8").replace(UNDECLARED, broken), encoding="utf-8")
    result = mgaudit("prove", "A", "--output-format", "junit", "-q")
    suite = ET.fromstring(result.out).find("testsuite")
    assert result.code == 1
    assert suite is not None
    assert int(suite.get("failures", "0")) >= 6
    assert {"judged", "made with"} <= {item.get("name") for item in suite.iter("property")}


def test_a_gate_for_which_nothing_can_be_planted_has_failed(tree: Path, mgaudit: Run) -> None:
    (tree / "src/state/context.h").rename(tree / "src/state/context.inc")
    for name in ("src/state/context.cpp",):
        text = (tree / name).read_text(encoding="utf-8")
        (tree / name).write_text(text.replace("context.h", "context.inc"), encoding="utf-8")
    result = mgaudit("prove", "A", "-q")
    assert result.code == 1
    assert "it has no red control in this tree" in result.out


def test_what_a_gate_takes_on_trust_is_listed(tree: Path, mgaudit: Run) -> None:
    entry = '[effects]\n"Width" = { instead-of-body = "it only measures" }\n'
    append(tree / "mgaudit.toml", WRITE_BACKS + entry)
    place = f"mgaudit.toml:{(tree / 'mgaudit.toml').read_text(encoding='utf-8').count(chr(10))}"
    assumed = f"what Width does: {place} in the place of src/state/context.cpp:2: it only measures"
    result = mgaudit("prove", "W", "-q")
    assert f"  assumed  {assumed}" in result.out
    assert "1 assumption that no control can prove" in result.out
    answer = json.loads(mgaudit("prove", "--output-format", "json", "-q").out)
    assert {gate["id"]: gate["assumptions"] for gate in answer["gates"]} == {"A": [], "W": [assumed], "health": []}
    assert f"assumed: {assumed}" in mgaudit("prove", "W", "--output-format", "junit", "-q").out


def test_what_does_not_parse_makes_the_proof_untrusted(tree: Path, mgaudit: Run) -> None:
    append(tree / "src/backend/draw.cpp", "int Broken() { return missing; }\n")
    result = mgaudit("prove", "A", "-q")
    assert result.code == 2
    assert "undeclared identifier 'missing'" in result.out


def test_wrong_names_are_told_at_once(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("prove", "B", "--kind", "reads", "--configuration", "none")
    assert result.code == 2
    assert 'there is no gate "B"' in result.err
    assert 'no gate of the kind "reads" is configured' in result.err
    assert 'there is no configuration "none"' in result.err
    assert tree.exists()
