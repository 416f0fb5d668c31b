from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mgaudit.gates

Run = Callable[..., Any]
CASES = Path(mgaudit.gates.__file__).parent
DEBT = CASES / "link_ratchet" / "cases" / "red-debt"
OBSERVER, CLAMP, WATCH = "objects/state/observer.o", "objects/util/clamp.o", "objects/backend/watch.o"
ATTACH, CONSTRUCTOR = "_ZN2mg5state6AttachEi", "_ZN2mg5state8ObserverC1Ei"


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The objects and configuration of a case with one debt."""
    folder = tmp_path / "build"
    shutil.copytree(DEBT, folder)
    monkeypatch.chdir(folder)
    return folder


# ---- check, links, predict


def test_objects_are_judged_without_a_configuration(build: Path, mgaudit: Run) -> None:
    (build / "mgaudit.toml").unlink()
    result = mgaudit("symbols", "check", WATCH, "--forbid", "mg::state::")
    assert result.code == 1
    assert f"{WATCH}: symbols error: undefined symbol mg::state::Attach(int) ({ATTACH})" in result.out
    assert mgaudit("symbols", "check", WATCH, "--forbid", "mg::nobody::").code == 0
    report = json.loads(mgaudit("symbols", "check", "objects", "--forbid", "Attach", "--output-format", "json").out)
    assert [finding["entity"] for finding in report["findings"]] == [ATTACH]


def test_what_cannot_be_judged_is_untrusted(build: Path, mgaudit: Run) -> None:
    (build / "empty").mkdir()
    (build / "text.o").write_text("int main() {}\n")
    for words in (
        ("check", WATCH),
        ("check", "none.o", "--forbid", "x"),
        ("check", "empty", "--forbid", "x"),
        ("check", "text.o", "--forbid", "x"),
        ("check", WATCH, "--forbid", "re:("),
        ("check", WATCH, "--require-export", "x"),
        ("links", "objects", "--server", "objects/backend/", "--frontend", "objects/state/"),
        ("predict", "backend", "nowhere"),
        ("report", "text.o", WATCH),
    ):
        result = mgaudit("symbols", *words)
        assert (result.code, "error: " in result.err) == (2, True), words


def test_links_without_a_configuration(build: Path, mgaudit: Run) -> None:
    sides = ("--server", "objects/backend/", "--frontend", "objects/")
    assert mgaudit("symbols", "links", "objects", *sides, "--shared", "objects/util/").code == 1
    assert mgaudit("symbols", "links", "objects", *sides, "--shared", "objects/state").code == 1
    report = mgaudit("symbols", "links", "objects", *sides, "--server", "objects/state", "--output-format", "json")
    assert [f["entity"] for f in json.loads(report.out)["findings"]] == ["_ZN2mg4util5ClampEi"]


def test_symbols_are_predicted_between_zones(build: Path, mgaudit: Run) -> None:
    result = mgaudit("symbols", "predict", "backend", "state", "--output-format", "json")
    assert result.code == 1
    assert [f["entity"] for f in json.loads(result.out)["findings"]] == [ATTACH]
    assert mgaudit("symbols", "predict", "state", "backend").code == 0


# ---- report


def test_two_builds_in_three_forms(build: Path, mgaudit: Run) -> None:
    text = mgaudit("symbols", "report", OBSERVER, CLAMP)
    assert text.code == 0
    assert "1 added" in text.out.split("\n", 1)[0]
    markdown = mgaudit("symbols", "report", OBSERVER, CLAMP, "--output-format", "markdown").out
    assert markdown.startswith("## Symbols: 🟢 ")
    assert f"| removed | `mg::state::Attach(int) ({ATTACH})` | `.text` |" in markdown
    value = json.loads(mgaudit("symbols", "report", OBSERVER, CLAMP, "--output-format", "json").out)
    assert (value["exit-code"], value["counts"]["added"], value["counts"]["unchanged"]) == (0, 1, 0)
    assert {c["change"] for c in value["changes"]} == {"added", "removed"}
    same = json.loads(mgaudit("symbols", "report", "objects", "objects", "--output-format", "json").out)
    assert (same["changes"], same["growth"]) == ([], 0)


def test_terms_decide_the_exit_code(build: Path, mgaudit: Run) -> None:
    terms = build / "terms.toml"
    terms.write_text("[thresholds]\nadded = 0\n")
    assert mgaudit("symbols", "report", OBSERVER, CLAMP, "--terms", terms).code == 1
    terms.write_text(f'[thresholds]\nadded = 0\n[renames]\n"{ATTACH}" = "_ZN2mg4util5ClampEi"\n')
    assert mgaudit("symbols", "report", OBSERVER, CLAMP, "--terms", terms).code == 0
    terms.write_text('[[admit]]\nsymbol = "nobody"\ngrowth = 1\nreason = "none"\n')
    result = mgaudit("symbols", "report", OBSERVER, CLAMP, "--terms", terms)
    assert (result.code, "nobody: admitted growth without any growth" in result.out) == (1, True)


def test_malformed_terms_are_reported_with_their_lines(build: Path, mgaudit: Run) -> None:
    (build / "terms.toml").write_text('limit = 3\n[thresholds]\nadded = "x"\n[[admit]]\nsymbol = "a"\n')
    result = mgaudit("symbols", "report", OBSERVER, CLAMP, "--terms", "terms.toml")
    assert result.code == 2
    for place in ("terms.toml:1: ", "terms.toml:3: ", "terms.toml:4: "):
        assert place in result.err
    assert mgaudit("symbols", "report", OBSERVER, CLAMP, "--terms", "none.toml").code == 2


def test_the_largest_changes_come_first_and_the_rest_on_demand(
    build: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mgaudit.reports.symbols.SHOWN", 2)
    short = mgaudit("symbols", "report", OBSERVER, CLAMP).out
    assert "further changes: `--all` lists them" in short
    assert "further changes" not in mgaudit("symbols", "report", OBSERVER, CLAMP, "--all").out
    file = build / "report.txt"
    assert mgaudit("symbols", "report", OBSERVER, CLAMP, "-o", file).out == ""
    assert file.read_text() == short


# ---- cut


def test_cut_says_which_objects_to_move(build: Path, mgaudit: Run) -> None:
    result = mgaudit("cut", "LINK")
    assert result.code == 0
    assert f"  {OBSERVER}  takes 1 off, brings 0 on, leaves 0" in result.out
    value = json.loads(mgaudit("cut", "LINK", "--output-format", "json").out)
    assert value["moves"] == [{"object": OBSERVER, "settled": 1, "incurred": 0, "left": 0}]
    assert value["scopes"] == [{"name": "mg::state", "symbols": 1, "entries": 1}]


def test_cut_of_what_is_no_link_ratchet(build: Path, mgaudit: Run) -> None:
    result = mgaudit("cut", "LINKS")
    assert (result.code, 'did you mean "LINK"?' in result.err) == (2, True)
    shutil.rmtree(build / "objects")
    assert mgaudit("cut", "LINK").code == 2
