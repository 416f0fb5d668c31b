"""What goes from a cache that grew too old or too large, and what must not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from mgaudit.facts import eviction
from mgaudit.facts.cache import Cache
from mgaudit.facts.eviction import Bounds, evict, evict_lately, in_use
from mgaudit.facts.merge import Database

if TYPE_CHECKING:
    from pathlib import Path

DAY = 86400.0
NOTHING_BOUND = Bounds(float("inf"), float("inf"))


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """Five blobs of about equal size, last used one to five days ago."""
    cache = Cache(tmp_path / "cache")
    for age in range(1, 6):
        cache.write("unit", key(age), os.urandom(1000))
        used(cache, age, age * DAY)
    return cache


def key(age: int) -> str:
    return f"{age:02}" * 20


def used(cache: Cache, age: int, seconds: float) -> None:
    at = time.time() - seconds
    os.utime(cache.path("unit", key(age)), (at, at))


def held(cache: Cache) -> list[int]:
    return [age for age in range(1, 6) if cache.path("unit", key(age)).exists()]


@pytest.mark.parametrize(
    ("bounds", "left"),
    [
        (NOTHING_BOUND, [1, 2, 3, 4, 5]),
        (Bounds(float("inf"), 2.5), [1, 2]),
        (Bounds(float("inf"), 0), []),
        (Bounds(3500, 100), [1, 2, 3]),
        (Bounds(0, 100), []),
        (Bounds(3500, 1.5), [1]),
    ],
)
def test_the_oldest_go_first(cache: Cache, bounds: Bounds, left: list[int]) -> None:
    done = evict(cache, bounds)
    assert held(cache) == left
    assert (done.files, done.left > 0) == (5 - len(left), bool(left))


def test_to_read_is_to_use(cache: Cache) -> None:
    assert Cache(cache.directory).read("unit", key(5)) is not None
    evict(cache, Bounds(float("inf"), 0.5))
    assert held(cache) == [5]


def test_what_a_run_uses_stays(cache: Cache) -> None:
    with in_use(cache):
        Cache(cache.directory).read("unit", key(4))
        cache.write("unit", key(1), b"new")
        evict(cache, Bounds(0, 0))
        assert held(cache) == [1, 4]
    time.sleep(0.01)
    used(cache, 1, 60)
    used(cache, 4, 60)
    evict(cache, Bounds(0, 0))
    assert held(cache) == []


def test_what_another_process_uses_stays(cache: Cache) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from mgaudit.facts import eviction; from mgaudit.facts.cache import Cache\n"
        "cache = Cache(Path(sys.argv[1]))\n"
        "with eviction.in_use(cache):\n"
        "    cache.read('unit', sys.argv[2]); print('ready', flush=True); sys.stdin.readline()\n"
    )
    words = [sys.executable, "-c", script, str(cache.directory), key(3)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
        evict(cache, Bounds(0, 0))
        assert held(cache) == [3]
        other.kill()
    used(cache, 3, 60)
    evict(cache, Bounds(0, 0))  # the marker of the dead protects nothing
    assert held(cache) == []
    assert list((cache.directory / "runs").iterdir()) == []


def test_a_database_goes_with_its_journals(cache: Cache) -> None:
    path = cache.directory / "facts" / ("0" * 32 + ".sqlite")
    path.parent.mkdir()
    Database(path).close()
    path.with_name(path.name + "-wal").write_bytes(b"")
    os.utime(path, (0, 0))
    evict(cache, Bounds(float("inf"), 10))
    assert [item.name for item in path.parent.iterdir()] == [path.name + ".lock"]
    assert held(cache) == [1, 2, 3, 4, 5]


def test_a_folder_that_is_no_cache_keeps_all(tmp_path: Path) -> None:
    (tmp_path / "unit/ab").mkdir(parents=True)
    (tmp_path / "unit/ab" / ("ab" * 20)).write_text("")
    evict(Cache(tmp_path), Bounds(0, 0))
    assert sorted(item.name for item in tmp_path.rglob("*")) == ["ab", "ab" * 20, "unit"]


def test_unasked_it_is_done_once_an_hour(cache: Cache) -> None:
    evict_lately(cache, Bounds(float("inf"), 4.5))
    assert held(cache) == [1, 2, 3, 4]
    evict_lately(cache, Bounds(0, 0))
    assert held(cache) == [1, 2, 3, 4]
    os.utime(cache.directory / "evict.lock", (0, 0))
    evict_lately(cache, Bounds(float("inf"), 2.5))
    assert held(cache) == [1, 2]


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("500 MB", 5e8), ("1.5g", 1.5e9), ("2 GiB", 2e9), ("7k", 7000), ("none", float("inf")), ("3TB", 3e12)],
)
def test_sizes(text: str, size: float) -> None:
    assert eviction.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "ten", "-1", "5 PB", "1 2", "nan"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="no size"):
        eviction.parse_size(text)


@pytest.mark.parametrize("text", ["", "ten", "-1", "nan", "inf"])
def test_what_is_no_number_of_days(text: str) -> None:
    with pytest.raises(ValueError, match="no number of days"):
        eviction.parse_days(text)
