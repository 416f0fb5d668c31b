"""A cache within bounds, as a user sets them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Run


def age(cache: Path, days: float) -> None:
    for path in (path for path in cache.rglob("*") if path.is_file()):
        at = path.stat().st_mtime - days * 86400
        os.utime(path, (at, at))


@pytest.mark.usefixtures("tree")
def test_a_run_keeps_the_cache_within_bounds(mgaudit: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    assert mgaudit("check").code == 0
    other = cache / "unit/ab" / ("ab" * 20)
    other.parent.mkdir(exist_ok=True)
    other.write_bytes(b"of another tree")
    age(cache, 40)
    for size in ("1 GB", "0"):
        monkeypatch.setenv("MGAUDIT_CACHE_SIZE", size)
        assert "parsed: 0 units" in mgaudit("check", "--statistics").err
        assert not other.exists()
        age(cache, 1)
    assert "parsed: 0 units" in mgaudit("check", "--statistics").err  # what these runs used has stayed


@pytest.mark.usefixtures("tree")
def test_pruning(mgaudit: Run, tmp_path: Path) -> None:
    mgaudit("check")
    assert "0 files deleted" in mgaudit("cache", "prune").out
    age(tmp_path / "cache", 2)
    assert "0 files deleted" in mgaudit("cache", "prune", "--max-age", "3", "--max-size", "none").out
    assert mgaudit("cache", "prune", "--max-age", "1").out.endswith("; 0.0 MB left\n")
    assert mgaudit("check").code == 0


@pytest.mark.parametrize("words", [["--max-size", "much"], ["--max-age", "long"]])
def test_bounds_that_are_none(mgaudit: Run, words: list[str]) -> None:
    result = mgaudit("cache", "prune", *words)
    assert result.code == 2
    assert "write " in result.err


@pytest.mark.usefixtures("tree")
def test_an_environment_that_says_no_size(mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MGAUDIT_CACHE_SIZE", "huge")
    result = mgaudit("check")
    assert result.code == 2
    assert "'huge' is no size" in result.err
