from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mgaudit.gates.registry import KINDS

Run = Callable[..., Any]
ROOT = Path(__file__).parents[2]


# ---- explain


def test_explain_lists_kinds_topics_and_gates(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("explain")
    assert result.code == 0
    for name, kind in KINDS.items():
        assert f"  {name} " in result.out
        assert kind.summary in result.out
    assert "exit-codes" in result.out
    assert "include-purity, mgaudit.toml:25\n" in result.out
    assert "health, always there\n" in result.out


@pytest.mark.parametrize("kind", KINDS)
def test_explain_has_a_page_for_every_kind(
    kind: str, tmp_path: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = mgaudit("explain", kind)
    assert result.code == 0
    assert result.out.startswith("# ")
    assert "## Parameters" in result.out
    assert f"## Controls\n\n`mgaudit prove --kind {kind}` plants" in result.out
    assert len(result.out.partition("what it must:")[2].strip()) > 40


def test_explain_finds_a_gate_by_its_id(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("explain", "A")
    assert result.out.startswith("Gate `A` of the kind `include-purity`: mgaudit.toml:25\n")
    assert "- `from` (required): " in result.out


def test_explain_needs_no_sound_configuration(tree: Path, mgaudit: Run) -> None:
    (tree / "mgaudit.toml").write_text("nonsense", encoding="utf-8")
    assert mgaudit("explain").code == 0
    assert mgaudit("explain", "health").code == 0
    assert mgaudit("explain", "--config", "mgaudit.toml").code == 2


def test_explain_of_a_gate_says_what_is_wrong_with_the_configuration(tree: Path, mgaudit: Run) -> None:
    with (tree / "mgaudit.toml").open("a", encoding="utf-8") as file:
        file.write('[zone.extra]\npaths = ["/abs"]\n')
    result = mgaudit("explain", "A")
    assert (result.code, result.out) == (2, "")
    assert 'no kind or topic "A", and which gates there are cannot be told' in result.err
    assert "mgaudit.toml:" in result.err
    assert "is absolute" in result.err


@pytest.mark.parametrize("topic", ["exit-codes", "baselines", "certificate"])
def test_explain_topics(topic: str, tmp_path: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "untrusted" in mgaudit("explain", "exit-codes").out
    colored = mgaudit("explain", topic, "--color", "always")
    assert colored.code == 0
    assert "\x1b[" in colored.out
    assert "|---" not in colored.out


def test_explain_tells_the_nearest(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("explain", "exit-code")
    assert result.code == 2
    assert 'did you mean "exit-codes"?' in result.err


# ---- config


def test_config_show_prints_what_can_be_loaded_again(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("config", "show")
    assert result.code == 0
    assert tomllib.loads(result.out)["zone"]["state"] == {"paths": ["src/state/**"]}
    (tree / "again.toml").write_text(result.out, encoding="utf-8")
    assert mgaudit("config", "show", "--config", "again.toml").code == 0


def test_config_is_found_above(tree: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / "src/state")
    assert mgaudit("config", "show").code == 0


def test_config_schema_is_the_kept_one(mgaudit: Run) -> None:
    kept = (ROOT / "docs/schema/mgaudit.schema.json").read_text(encoding="utf-8")
    assert mgaudit("config", "schema").out == kept


# ---- cache


def test_cache_says_what_it_holds_and_forgets_it(tree: Path, mgaudit: Run, tmp_path: Path) -> None:
    assert mgaudit("cache", "info").out.endswith("  0 files in all\n")
    mgaudit("check")
    info = mgaudit("cache", "info").out
    assert info.startswith(f"{tmp_path / 'cache'}\n")
    assert "3 files: facts of units\n" in info
    assert " files deleted\n" in mgaudit("cache", "clear").out
    assert mgaudit("cache", "info").out.endswith("  0 files in all\n")


def test_cache_clear_leaves_foreign_folders_alone(tmp_path: Path, mgaudit: Run) -> None:
    (tmp_path / "unit").mkdir()
    (tmp_path / "unit/precious").write_text("", encoding="utf-8")
    assert "0 files deleted\n" in mgaudit("cache", "clear", "--cache-dir", tmp_path).out
    assert (tmp_path / "unit/precious").exists()


# ---- init


def test_init_writes_a_configuration_that_works(tree: Path, mgaudit: Run) -> None:
    (tree / "mgaudit.toml").unlink()
    result = mgaudit("init")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("mgaudit.toml: written\n  2 sources, 2 headers\n")
    assert "zones: backend, state\n  gates: A (include-purity)\n" in result.out
    assert mgaudit("check").code == 0


def test_init_replaces_nothing_unless_forced(tree: Path, mgaudit: Run) -> None:
    before = (tree / "mgaudit.toml").read_text(encoding="utf-8")
    result = mgaudit("init")
    assert result.code == 2
    assert "--force replaces it" in result.err
    assert (tree / "mgaudit.toml").read_text(encoding="utf-8") == before
    assert mgaudit("init", "--force").code == 0
    assert (tree / "mgaudit.toml").read_text(encoding="utf-8") != before


def test_init_says_where_the_gate_is_left_to_the_reader(tmp_path: Path, mgaudit: Run) -> None:
    (tmp_path / "main.cpp").write_text("int main() {}\n", encoding="utf-8")
    assert "  gates: none yet; " in mgaudit("init", tmp_path).out


def test_init_in_another_folder(tree: Path, mgaudit: Run) -> None:
    assert mgaudit("init", "src").code == 0
    assert (tree / "src/mgaudit.toml").is_file()
    assert mgaudit("init", "none").code == 2


# ---- demo


def test_the_demonstration_is_clean(mgaudit: Run) -> None:
    result = mgaudit("demo")
    assert result.code == 0
    assert "found no violation in minigl, 1 skipped (exit code 0)\n" in result.out


def test_the_broken_demonstration_shows_every_gate_red(mgaudit: Run) -> None:
    result = mgaudit("demo", "--broken")
    assert "\nGate A (include-purity): " in result.out
    assert "would exit with 1; this was a demonstration.\n" in result.out
    assert result.code == 0


def test_the_demonstration_leaves_nothing_behind(mgaudit: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    assert mgaudit("demo").code == 0
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "cache").exists()


def test_failures_of_small_commands_are_problems(tree: Path, mgaudit: Run) -> None:
    (tree / "mgaudit.toml").write_text(json.dumps({}), encoding="utf-8")
    for words in (["config", "show"], ["facts", "a:1"], ["query", "SELECT 1"], ["check"]):
        result = mgaudit(*words)
        assert result.code == 2
        assert "mgaudit.toml:1: error: " in result.err
