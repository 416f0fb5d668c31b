"""Reports are the same bytes, whatever the cache, the processes and the folders are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.config import places

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]

FORMS = ("json", "sarif", "github", "junit", "markdown", "text")
PACK = """\
schema = 1
[[catalogue]]
name = "reads"
file = "reads.def"
list = "READS"
columns = ["accessor", "call"]
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
[[gate]]
id = "H"
kind = "health"
floors = { units = 2 }
"""
DRAW = (
    '#include "state/context.h"\n#define MAKE(n) int n(state::Context& c) { return c.width; }\nMAKE(made);\n'
    "#if SPLIT\nint Draw(state::Context& c) {\n    return c.width;\n}\n#endif\n"
)


@pytest.fixture
def red(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with findings in its files, in its configuration and in a shipped pack."""
    house = tmp_path / "site-packages/rules/house"
    house.mkdir(parents=True)
    (house / "mgaudit.toml").write_text(PACK)
    (house / "reads.def").write_text("#define READS(X) \\\n    X(height, kCall)\n")
    monkeypatch.setattr(places, "rules_folder", lambda: house.parent)
    text = (tree / "mgaudit.toml").read_text()
    exempt = 'exempt = [{ path = "src/backend/gone.cpp", reason = "it was here" }]\n'
    (tree / "mgaudit.toml").write_text(text.replace("schema = 1", 'schema = 1\nextends = ["house"]') + exempt)
    (tree / "src/backend/draw.cpp").write_text(DRAW)
    return tree


def reports(mgaudit: Run, tree: Path, out: Path, *words: object) -> dict[str, bytes]:
    out.mkdir()
    also = [word for form in FORMS for word in ("--also", f"{form}={out / form}")]
    result = mgaudit("check", "--config", tree / "mgaudit.toml", "--sites", *also, *words)
    assert result.code == 1, result.err
    html = mgaudit("report", "--config", tree / "mgaudit.toml", "-o", out / "html", *words)
    assert html.code in {0, 1}, html.err
    return {file.name: file.read_bytes() for file in sorted(out.iterdir())}


def test_reports_are_the_same_bytes_in_every_run(red: Path, tmp_path: Path, mgaudit: Run) -> None:
    first = reports(mgaudit, red, tmp_path / "1", "--cache-dir", tmp_path / "a", "-j", "1")
    assert sorted(first) == sorted((*FORMS, "html"))
    findings = json.loads(first["json"])["findings"]
    assert {f["path"] for f in findings} >= {"<packs>/house/reads.def", "mgaudit.toml", "src/backend/draw.cpp"}

    warm = reports(mgaudit, red, tmp_path / "2", "--cache-dir", tmp_path / "a", "-j", "1")
    assert [name for name in first if warm[name] != first[name]] == []
    moved = tmp_path / "elsewhere/deeper/tree"
    shutil.copytree(red, moved)
    other = reports(mgaudit, moved, tmp_path / "3", "--cache-dir", tmp_path / "b", "-j", "2", "--no-pch")
    assert [name for name in first if other[name] != first[name]] == []
    for text in first.values():
        assert str(tmp_path).encode() not in text


def test_statistics_are_no_part_of_a_report(red: Path, tmp_path: Path, mgaudit: Run) -> None:
    plain, told = (
        mgaudit("check", "--config", red / "mgaudit.toml", "--cache-dir", tmp_path / "a", *words)
        for words in ((), ("--statistics",))
    )
    assert plain.out == told.out
    assert "parsed: " not in plain.err
    assert "parsed: " in told.err


def test_two_saved_runs_say_which_evidence_differs(red: Path, tmp_path: Path, mgaudit: Run) -> None:
    words = ("--config", red / "mgaudit.toml", "--cache-dir", tmp_path / "a", "--sites", "--output-format", "json")
    (tmp_path / "a.json").write_text(mgaudit("check", *words).out)
    text = (red / "mgaudit.toml").read_text()
    (red / "mgaudit.toml").write_text(text.replace('defines = ["SPLIT=1"]', 'defines = ["SPLIT=2"]'))
    (tmp_path / "b.json").write_text(mgaudit("check", *words).out)

    result = mgaudit("diff", tmp_path / "a.json", tmp_path / "b.json", "--output-format", "json")
    found = json.loads(result.out)
    assert [(e["part"], e["name"]) for e in found["evidence"]] == [("document", "mgaudit.toml"), ("flags", "split")]
    assert found["changed-inputs"] == ["configuration", "flags split"]
    shown = mgaudit("diff", tmp_path / "a.json", tmp_path / "b.json").out
    assert "2 parts of the evidence differ" in shown
