from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mgaudit.facts.cache import Cache

if TYPE_CHECKING:
    from pathlib import Path

KEY = "ab" * 20


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_what_was_written_can_be_read(cache: Cache) -> None:
    assert cache.read("unit", KEY) is None
    assert cache.write("unit", KEY, b"facts")
    assert Cache(cache.directory).read("unit", KEY) == b"facts"
    assert cache.read("manifest", KEY) is None


@pytest.mark.parametrize("damage", ["flip", "head", "cut", "empty", "tail", "magic", "foreign"])
def test_a_damaged_blob_is_absent_and_goes_away(cache: Cache, damage: str) -> None:
    cache.write("unit", KEY, b"facts" * 100)
    path = cache.path("unit", KEY)
    data = bytearray(path.read_bytes())
    if damage == "flip":
        data[-1] ^= 1
    elif damage == "head":
        data[10] ^= 1
    elif damage == "magic":
        data[0] ^= 1
    path.write_bytes(
        {"cut": bytes(data[:-3]), "empty": b"", "tail": bytes(data) + b"x", "foreign": b"#!/bin/sh"}.get(
            damage, bytes(data)
        )
    )
    assert cache.read("unit", KEY) is None
    assert not path.exists()
    assert cache.write("unit", KEY, b"anew")
    assert cache.read("unit", KEY) == b"anew"


def test_a_blob_that_cannot_be_written_is_survived(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    cache = Cache(blocker / "cache")
    assert not cache.write("unit", KEY, b"facts")
    assert cache.write_error is not None
    assert cache.read("unit", KEY) is None
    assert (cache.usage(), cache.clear()) == ([], 0)


def test_a_folder_that_goes_away_meanwhile_is_made_anew(cache: Cache) -> None:
    cache.write("unit", KEY, b"facts")
    shutil.rmtree(cache.directory)
    assert cache.write("unit", KEY, b"facts")
    assert cache.is_own()
    assert cache.read("unit", KEY) == b"facts"


def test_a_failing_write_leaves_what_was_there(cache: Cache) -> None:
    cache.write("unit", KEY, b"old")

    def fail() -> None:
        with cache.replacing(cache.path("unit", KEY)) as temporary:
            temporary.write_bytes(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert cache.read("unit", KEY) == b"old"
    assert [path.name for path in cache.path("unit", KEY).parent.iterdir()] == [KEY]


_WRITE = """
import sys
from pathlib import Path
from mgaudit.facts.cache import Cache
cache = Cache(Path(sys.argv[1]))
for turn in range(200):
    assert cache.write("unit", "ab" * 20, sys.argv[2].encode() * 5000)
    assert cache.read("unit", "ab" * 20) in (b"x" * 5000, b"y" * 5000)
"""


def test_processes_that_write_one_blob_at_once_leave_a_whole_one(cache: Cache) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", _WRITE, str(cache.directory), letter]) for letter in "xy"]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert cache.read("unit", KEY) in (b"x" * 5000, b"y" * 5000)
    assert [path.name for path in cache.path("unit", KEY).parent.iterdir()] == [KEY]


class TestClear:
    def test_deletes_what_the_cache_wrote(self, cache: Cache) -> None:
        cache.write("unit", KEY, b"facts")
        cache.write("scan", KEY + "-1", b"scan")
        with cache.replacing(cache.path("preamble", KEY, ".pch")) as temporary:
            temporary.write_bytes(b"pch")
        facts = cache.directory / "facts"
        facts.mkdir()
        for suffix in ("", "-wal", "-shm", ".lock"):
            (facts / f"{'0' * 32}.sqlite{suffix}").write_bytes(b"")
        (cache.path("unit", KEY).parent / ".tmpabc123").write_bytes(b"of a killed run")
        (cache.path("preamble", KEY).parent / f"{KEY}-123.tmp").write_bytes(b"of a killed run")
        assert sum(usage.files for usage in cache.usage()) == 9
        assert cache.clear() == 9
        assert cache.read("unit", KEY) is None
        assert cache.usage() == []

    def test_leaves_a_folder_alone_that_the_cache_did_not_tag(self, tmp_path: Path) -> None:
        for tag in (None, "Signature: 8a477f597d28d172789f06886806bc55\n# Written by another tool.\n"):
            folder = tmp_path / str(bool(tag))
            (folder / "unit" / KEY[:2]).mkdir(parents=True)
            (folder / "unit" / KEY[:2] / KEY).write_text("mine")
            if tag:
                (folder / "CACHEDIR.TAG").write_text(tag)
            assert Cache(folder).usage() == []
            assert Cache(folder).clear() == 0
            assert (folder / "unit" / KEY[:2] / KEY).read_text() == "mine"

    def test_leaves_files_alone_that_the_cache_did_not_write(self, cache: Cache, tmp_path: Path) -> None:
        cache.write("unit", KEY, b"facts")
        names = ("notes.txt", "unit/readme.md", "facts/mine.sqlite", "unit/ab/notes", "src/main.cpp")
        kept = [cache.directory / name for name in names]
        for path in kept:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("mine")
        outside = tmp_path / "outside" / KEY[:2]
        outside.mkdir(parents=True)
        (outside / KEY).write_text("mine")
        (cache.directory / "manifest").symlink_to(outside.parent)
        assert cache.clear() == 1
        assert [path.read_text() for path in [*kept, outside / KEY]] == ["mine"] * 6
