"""A cache that machines share: it saves parses, and changes no answer whatever becomes of it."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from mgaudit.domain.problems import UntrustedError
from mgaudit.facts.remote import Remote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.engine.pipeline import Analysis
    from tests.engine.conftest import Tree

ALL = ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


@pytest.fixture(params=["folder", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "memory":
        yield f"memory://{uuid.uuid4()}/shared"
        MemoryFileSystem.store.clear()
    else:
        yield f"{tmp_path}/shared [1]"


class Machines:
    """Machines with one tree, each with its own cache, and one shared cache."""

    def __init__(self, tree: Tree, folder: Path) -> None:
        self.tree = tree
        self.folder = folder

    def run(self, machine: str, url: str, *, read_only: bool = False) -> tuple[Analysis, Remote]:
        remote = Remote(url, read_only=read_only)
        return self.tree.analyse(cache=self.folder / machine, remote=remote), remote


@pytest.fixture
def machines(tree: Tree, tmp_path: Path) -> Machines:
    return Machines(tree, tmp_path / "machines")


def parsed(analysis: Analysis) -> list[str]:
    return sorted(unit.path for unit in analysis.statistics.parsed)


def test_what_one_machine_parsed_no_other_does(machines: Machines, url: str) -> None:
    first, _ = machines.run("first", url)
    second, remote = machines.run("second", url)
    assert (parsed(first), parsed(second)) == (ALL, [])
    assert (second.statistics.shared, remote.failure, remote.damaged) == (3, None, 0)
    assert machines.tree.dump_of(second) == machines.tree.dump_of(first) == machines.tree.dump()


def test_a_folder_is_a_url_of_files(machines: Machines, tmp_path: Path) -> None:
    machines.run("first", f"file://{tmp_path}/shared")
    assert parsed(machines.run("second", str(tmp_path / "shared"))[0]) == []


def test_what_changed_is_parsed(machines: Machines, url: str) -> None:
    machines.run("first", url)
    machines.tree.write("src/c.cpp", "int c() { return 3; }\n")
    second, _ = machines.run("second", url)
    third, _ = machines.run("third", url)
    assert (parsed(second), parsed(third)) == (["src/c.cpp"], [])
    assert machines.tree.dump_of(third) == machines.tree.dump()


def test_variants_of_two_branches_live_side_by_side(machines: Machines, url: str) -> None:
    machines.run("main", url)
    branch = "int c() { return 3; }\n"
    trunk = (machines.tree.root / "src/c.cpp").read_text()
    machines.tree.write("src/c.cpp", branch)
    machines.run("branch", url)
    machines.tree.write("src/c.cpp", trunk)
    assert parsed(machines.run("third", url)[0]) == []
    machines.tree.write("src/c.cpp", branch)
    assert parsed(machines.run("fourth", url)[0]) == []


def test_a_header_that_appears_where_it_was_looked_for_in_vain(machines: Machines, url: str) -> None:
    machines.run("first", url)
    machines.tree.write("src/first/util.h", "#pragma once\ntemplate <class T> int width(T&) { return 2; }\n")
    second, _ = machines.run("second", url)
    assert parsed(second) == ["src/a.cpp", "src/b.cpp"]
    assert machines.tree.dump_of(second) == machines.tree.dump()


def test_a_reader_gives_nothing(machines: Machines, tmp_path: Path) -> None:
    url = str(tmp_path / "shared")
    machines.run("fork", url, read_only=True)
    assert not Path(url).exists()
    machines.run("first", url)
    held = sorted(Path(url).rglob("*"))
    machines.tree.write("src/c.cpp", "int c() { return 3; }\n")
    fork, _ = machines.run("fork of a fork", url, read_only=True)
    assert parsed(fork) == ["src/c.cpp"]
    assert sorted(Path(url).rglob("*")) == held


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("unit", "flip"),
        ("unit", "cut"),
        ("unit", "swap"),
        ("manifest", "empty"),
        ("manifest", "foreign"),
        ("manifest", "swap"),
    ],
)
def test_a_damaged_entry_is_ignored(machines: Machines, tmp_path: Path, kind: str, damage: str) -> None:
    url = str(tmp_path / "shared")
    machines.run("first", url)
    entries = sorted(path for path in Path(url).rglob("*") if path.parent.name == kind)
    contents = [path.read_bytes() for path in entries]
    for number, (path, content) in enumerate(zip(entries, contents, strict=True)):
        flipped = bytes([*content[:-1], content[-1] ^ 1])
        swapped = contents[(number + 1) % len(contents)]
        path.write_bytes(
            {"flip": flipped, "cut": content[:-9], "empty": b"", "foreign": b"<html>", "swap": swapped}[damage]
        )
    second, remote = machines.run("second", url)
    assert (parsed(second), remote.damaged, remote.failure) == (ALL, 3, None)
    assert machines.tree.dump_of(second) == machines.tree.dump()
    if damage == "swap":
        assert parsed(machines.run("third", url)[0]) == []  # the second run made it good


class Failing(MemoryFileSystem):  # type: ignore[misc]
    """A file system that breaks in one way."""

    fails: str

    def cat_ranges(self, *args: Any, **options: Any) -> Any:
        if self.fails == "read":
            raise ConnectionError("no route to host")
        if self.fails == "entry":
            return [PermissionError("Forbidden")] * len(args[0])
        return super().cat_ranges(*args, **options)

    def pipe(self, *args: Any, **options: Any) -> None:
        if self.fails == "write":
            raise OSError("quota exceeded")
        super().pipe(*args, **options)


@pytest.mark.parametrize("fails", ["read", "entry", "write"])
def test_a_place_that_fails_is_survived_and_told(machines: Machines, monkeypatch: Any, fails: str) -> None:
    monkeypatch.setattr(Failing, "fails", fails, raising=False)
    monkeypatch.setattr("fsspec.core.url_to_fs", lambda url: (Failing(skip_instance_cache=True), "/place"))
    analysis, remote = machines.run("first", "s3://user:secret@host/place")
    (warning,) = analysis.warnings
    assert warning == remote.failure
    assert warning.message.startswith("the shared cache s3://host/place cannot be used: ")
    assert parsed(analysis) == ALL
    assert machines.tree.dump_of(analysis) == machines.tree.dump()
    MemoryFileSystem.store.clear()


def test_a_folder_where_a_file_stands(machines: Machines, tmp_path: Path) -> None:
    (tmp_path / "shared").write_text("")
    analysis, remote = machines.run("first", str(tmp_path / "shared"))
    assert remote.failure is not None
    assert analysis.warnings == (remote.failure,)
    assert parsed(analysis) == ALL


@pytest.mark.parametrize(
    ("url", "said"), [("nosuch://place", "cannot be used: Protocol not known"), ("dropbox://x", "not installed")]
)
def test_a_url_that_fsspec_does_not_know(url: str, said: str) -> None:
    with pytest.raises(UntrustedError, match=said):
        Remote(url)


def test_without_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(UntrustedError, match=r"install mgaudit\[remote\]"):
        Remote("memory://x")
