from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.baseline.entries import Entry
from mgaudit.baseline.files import Baseline, parse, render
from mgaudit.baseline.merging import merge, merged_count

if TYPE_CHECKING:
    from pathlib import Path

SMALL = st.integers(0, 4)
ENTRY = st.builds(
    Entry, st.tuples(st.sampled_from("ab"), st.just("x")), st.sampled_from(["", "r", "s"]),
    expires=st.sampled_from(["", "2026-01-01"]),
)  # fmt: skip
SIDE = st.lists(ENTRY, max_size=6).map(lambda entries: Baseline("A.txt", tuple(sorted(entries))))


def identities(baseline: Baseline) -> Counter[tuple[str, ...]]:
    return Counter(entry.identity for entry in baseline.entries)


@given(base=SMALL, ours=SMALL, theirs=SMALL)
def test_counts(base: int, ours: int, theirs: int) -> None:
    count = merged_count(base, ours, theirs)
    assert count == merged_count(base, theirs, ours)
    assert 0 <= count <= max(ours, theirs)
    assert merged_count(base, base, theirs) == theirs
    assert merged_count(base, ours, ours) == ours
    if ours < base and theirs <= base:
        assert count <= ours


@given(base=SIDE, ours=SIDE, theirs=SIDE)
def test_a_merge_takes_both_sides_changes_and_resurrects_nothing(
    base: Baseline, ours: Baseline, theirs: Baseline
) -> None:
    merged = merge(base, ours, theirs)
    old, one, other, new = map(identities, (base, ours, theirs, merged))
    for identity in {*old, *one, *other}:
        assert new[identity] == merged_count(old[identity], one[identity], other[identity])
        if identity in old and (identity not in one or identity not in other):
            assert new[identity] <= max(0, one[identity] + other[identity] - old[identity])
    assert set(merged.entries) <= {*ours.entries, *theirs.entries}
    assert identities(merge(base, theirs, ours)) == new


@given(base=SIDE, theirs=SIDE)
def test_a_side_without_changes_yields(base: Baseline, theirs: Baseline) -> None:
    assert merge(base, base, theirs).entries == theirs.entries
    assert merge(base, theirs, base).entries == theirs.entries
    assert merge(base, theirs, theirs).entries == theirs.entries


def only(*entries: Entry) -> Baseline:
    return Baseline("A.txt", entries)


def test_what_is_said_of_an_entry_is_merged_too() -> None:
    plain, explained = Entry(("a", "x")), Entry(("a", "x"), "why")
    early, late = Entry(("a", "x"), expires="2026-01-01"), Entry(("a", "x"), expires="2027-01-01")
    assert merge(only(plain), only(plain), only(explained)).entries == (explained,)
    assert merge(only(plain), only(explained), only(plain)).entries == (explained,)
    assert merge(only(plain), only(late), only(early)).entries == (early,)
    assert merge(only(plain), only(), only(explained)).entries == ()


def test_heads_are_merged() -> None:
    def head(*lines: str) -> Baseline:
        return Baseline("A.txt", (), lines)

    assert merge(head("# a"), head("# a"), head("# b")).head == ("# b",)
    assert merge(head("# a"), head("# b"), head("# a")).head == ("# b",)
    assert merge(head(), head("# a", "# b"), head("# a", "# c")).head == ("# a", "# b", "# c")


# ---- with git itself


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "A.txt"
        self.git("init", "-q", "-b", "main")
        for key, value in {"user.name": "n", "user.email": "e@example.org", "commit.gpgsign": "false"}.items():
            self.git("config", key, value)

    def git(self, *words: str) -> int:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *words], cwd=self.folder, env=environment, capture_output=True, check=False
        ).returncode

    def commit(self, names: list[str]) -> None:
        self.file.write_text(render(Baseline("A.txt", tuple(Entry((name, "src/state/context.h")) for name in names))))
        assert self.git("add", "-A") == 0
        assert self.git("commit", "-q", "--allow-empty", "-m", "m") == 0

    def merge(self, base: list[str], ours: list[str], theirs: list[str]) -> int:
        """Merge two branches; the exit code of git."""
        self.commit(base)
        self.git("checkout", "-q", "-b", "theirs")
        self.commit(theirs)
        self.git("checkout", "-q", "main")
        self.commit(ours)
        return self.git("merge", "-q", "-m", "merge", "theirs")

    @property
    def names(self) -> list[str]:
        baseline, problems = parse("A.txt", self.file.read_bytes())
        assert problems == []
        return [entry.identity[0] for entry in baseline.entries]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if shutil.which("git") is None:
        pytest.skip("git is needed")
    return Repository(tmp_path)


NAMES = [f"{letter}.cpp" for letter in "abcdefgh"]


def without(*names: str) -> list[str]:
    return [name for name in NAMES if name not in names]


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        (without("b.cpp"), without("f.cpp"), without("b.cpp", "f.cpp")),
        ([*NAMES, "aa.cpp"], [*NAMES, "ff.cpp"], sorted([*NAMES, "aa.cpp", "ff.cpp"])),
        (without("a.cpp"), [*NAMES, "z.cpp"], [*without("a.cpp"), "z.cpp"]),
    ],
)
def test_git_alone_merges_changes_that_do_not_touch(
    repository: Repository, ours: list[str], theirs: list[str], merged: list[str]
) -> None:
    assert repository.merge(NAMES, ours, theirs) == 0
    assert repository.names == merged


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        (NAMES, without("b.cpp"), without("c.cpp"), without("b.cpp", "c.cpp")),
        (NAMES, without("b.cpp", "c.cpp"), [*NAMES, "bb.cpp"], sorted([*without("b.cpp", "c.cpp"), "bb.cpp"])),
        ([], ["a.cpp"], ["b.cpp"], ["a.cpp", "b.cpp"]),
        (["a.cpp"] * 3, ["a.cpp"] * 2, ["a.cpp"], ["a.cpp"]),
    ],
)
def test_the_merge_driver_resolves_the_rest(
    repository: Repository, base: list[str], ours: list[str], theirs: list[str], merged: list[str]
) -> None:
    (repository.folder / ".gitattributes").write_text("*.txt merge=baseline\n")
    driver = f'"{sys.executable}" -m mgaudit baseline merge %O %A %B'
    assert repository.git("config", "merge.baseline.driver", driver) == 0
    assert repository.merge(base, ours, theirs) == 0
    assert repository.names == merged


def test_without_the_driver_such_changes_are_a_conflict_that_is_seen(repository: Repository) -> None:
    assert repository.merge(NAMES, without("b.cpp"), without("c.cpp")) != 0
    _, problems = parse("A.txt", repository.file.read_bytes())
    assert problems
