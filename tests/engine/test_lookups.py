"""What a worker remembers of files between parses must never hide a change."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from mgaudit.engine.absence import Listings
from mgaudit.engine.contents import digest_of
from mgaudit.engine.lookups import FileStates, Lookups, Question, Search, questions_in
from mgaudit.sources.include_resolver import Resolver
from mgaudit.sources.records import IncludeRecord, UnitRecord
from mgaudit.sources.tree import PathResolver

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_file_that_changes_between_two_parses_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "a.h"
    file.write_text("int a;")
    states = FileStates(str(tmp_path))
    first = states.of("a.h", time.time_ns() + 1)
    file.write_text("int b;")  # as long as before
    os.utime(file, ns=(1, 1))
    second = states.of("a.h", time.time_ns() + 1)
    assert first is not None
    assert second is not None
    assert (first.digest, second.digest) == (digest_of(b"int a;"), digest_of(b"int b;"))


def test_a_file_that_changes_after_the_parse_began_has_no_state(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("int a;")
    assert FileStates(str(tmp_path)).of("a.h", 1) is None
    assert FileStates(str(tmp_path)).of("b.h", time.time_ns()) is None


def test_a_settled_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.h").write_text("int a;")
    states = FileStates(str(tmp_path))
    later = time.time_ns() + 60_000_000_000
    monkeypatch.setattr("mgaudit.engine.lookups.time.time_ns", lambda: later)
    known = states.of("a.h", later)
    assert states.of("a.h", later) is known


def test_a_fresh_file_is_not_remembered(tmp_path: Path) -> None:
    """Two changes within one tick of the file system's clock look alike."""
    (tmp_path / "a.h").write_text("int a;")
    states = FileStates(str(tmp_path))
    later = time.time_ns() + 1
    assert states.of("a.h", later) is not states.of("a.h", later)


def test_questions_are_found_once_each() -> None:
    text = b'#if __has_include("a.h") && __has_include_next(<b.h>)\n#if __has_include("a.h")\n'
    assert questions_in(text) == (
        Question("a.h", angled=False, is_next=False),
        Question("b.h", angled=True, is_next=True),
    )
    assert questions_in(b"int has_include;") == ()


def test_a_question_rests_on_what_is_not_there(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    (tmp_path / "second" / "a.h").write_text("")
    folders = [str(tmp_path / name) for name in ("first", "second")]
    resolver = Resolver.from_arguments(tuple(f"-I{folder}" for folder in folders), str(tmp_path))
    search = Search(PathResolver(tmp_path), resolver, str(tmp_path), (), frozenset(), Listings())
    lookups = Lookups(search)
    lookups.of_questions("main.cpp", [Question("a.h", angled=True, is_next=False)])
    assert lookups.absent == {f"{folders[0]}/a.h"}
    assert lookups.present == {"second/a.h"}


def searching(root: Path, overlay: frozenset[str] = frozenset()) -> Search:
    folders = [str(root / name) for name in ("first", "second", "first/../third", "none/../third")]
    resolver = Resolver.from_arguments(tuple(f"-I{folder}" for folder in folders), str(root))
    return Search(PathResolver(root), resolver, str(root), (str(root / "first"),), overlay, Listings())


def test_a_way_ends_where_following_each_path_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second", "third"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "all.h").write_text("")
    (tmp_path / "second" / "a.h").write_text("")
    (tmp_path / "first" / "linked.h").symlink_to(tmp_path / "second" / "a.h")
    (tmp_path / "first" / "broken.h").symlink_to(tmp_path / "second" / "gone.h")
    (tmp_path / "third" / "c.h").write_text("")
    memory = frozenset({str(tmp_path / "second" / "gone.h"), str(tmp_path / "first" / "memory.h")})
    names = ["all.h", "a.h", "linked.h", "broken.h", "c.h", "gone.h", "memory.h", "nowhere.h", "../second/a.h"]
    found = [None, "first/all.h", "second/all.h", "second/a.h", "third/c.h", "second/gone.h", "first/memory.h"]

    def ways() -> list[tuple[str, ...]]:
        search = searching(tmp_path, memory)
        return [
            search.passed(name, angled=angled, source="second/x.h", found=file)
            for name in names for angled in (False, True) for file in found
        ]  # fmt: skip

    quick = ways()
    monkeypatch.setattr(Listings, "has", lambda *_: True)
    assert quick == ways()
    assert len(set(map(len, quick))) > 2


def test_a_way_ends_at_a_file_that_its_listing_lacks(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    search = searching(tmp_path)
    assert not search.listings.has(str(tmp_path / "first" / "a.h"))
    (tmp_path / "first" / "a.h").write_text("")
    way = search.passed("a.h", angled=True, source="x.h", found="first/a.h")
    assert way == (str(tmp_path / "first" / "a.h"),)


def test_what_was_listed_and_is_gone_by_the_next_parse_was_looked_for_in_vain(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    (tmp_path / "second" / "a.h").write_text("")
    passed = tmp_path / "first" / "a.h"  # which leads nowhere for a moment
    passed.write_text("")
    search = searching(tmp_path)
    include = IncludeRecord(0, 1, "a.h", True, 1)
    record = UnitRecord(["x.h", "second/a.h"], [], b"", b"", [include], [], [], [], [], [], b"", b"", [])
    absent = []
    for _ in range(2):
        lookups = Lookups(search)
        lookups.of_inclusions(record)
        absent.append(lookups.absent)
        passed.unlink(missing_ok=True)
    assert absent == [set(), {str(passed)}]
