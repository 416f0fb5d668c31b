"""A run in shards, as a lane starts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.commands.conftest import VIOLATION

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Run


def shard(mgaudit: Run, tmp_path: Path, number: int, *words: str) -> None:
    cache = str(tmp_path / f"cache-{number}")
    result = mgaudit("check", "--shard", f"{number}/2", "--cache-dir", cache, *words)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"shard {number}/2: 2 of 4 units; facts in ")
    assert "no gate was judged" in result.out


@pytest.mark.parametrize(("violation", "code"), [("", 0), (VIOLATION, 1)])
def test_the_answer_is_that_of_one_process(mgaudit: Run, tree: Path, tmp_path: Path, violation: str, code: int) -> None:
    source = tree / "src/backend/draw.cpp"
    source.write_text(violation + source.read_text())
    whole = mgaudit("check", "--output-format", "json")
    for number in (1, 2):
        shard(mgaudit, tmp_path, number)
    (tree / "bundles").mkdir()
    for bundle in tree.glob("mgaudit-shard-*-of-2.zip"):
        bundle.rename(tree / "bundles" / bundle.name)
    merged = mgaudit("merge", "bundles", "--cache-dir", str(tmp_path / "merged"), "--output-format", "json")
    assert (merged.code, merged.out, merged.err) == (code, whole.out, "")
    assert whole.code == code


@pytest.mark.usefixtures("tree")
def test_a_missing_shard_is_untrusted(mgaudit: Run, tmp_path: Path) -> None:
    shard(mgaudit, tmp_path, 2, "--bundle", str(tmp_path / "second.zip"))
    result = mgaudit("merge", str(tmp_path / "second.zip"))
    assert result.code == 2
    assert "shard 1/2 is missing" in result.err


@pytest.mark.parametrize(
    "words", [["src/backend"], ["--gate", "A"], ["--changed"], ["--output-format", "json"], ["--exit-zero"]]
)
def test_a_shard_does_not_seem_to_judge(mgaudit: Run, words: list[str]) -> None:
    result = mgaudit("check", "--shard", "1/2", *words)
    assert result.code == 2
    assert "--shard judges nothing" in result.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "--shard", "3/2"], "write 1/4 for the first of four"),
        (["check", "--bundle", "x.zip"], "--bundle goes with --shard"),
        (["merge"], "Missing argument"),
    ],
)
def test_what_is_misspelt(mgaudit: Run, words: list[str], said: str) -> None:
    result = mgaudit(*words)
    assert result.code == 2
    assert said in result.err


def test_a_shared_cache(mgaudit: Run, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mgaudit("check", "--output-format", "json")
    shared = str(tmp_path / "shared")
    mgaudit("check", "--cache-dir", str(tmp_path / "first"), "--remote-cache", shared)
    monkeypatch.setenv("MGAUDIT_REMOTE_CACHE", shared)
    result = mgaudit("check", "--cache-dir", str(tmp_path / "second"), "--output-format", "json", "--statistics")
    assert result.out == whole.out
    assert "parsed: 0 units" in result.err
    assert "taken from the shared cache: 3 of them" in result.err
