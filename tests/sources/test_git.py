from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from mgaudit.domain.problems import UntrustedError
from mgaudit.sources.git import Git, Hunk
from mgaudit.sources.revisions import Revisions

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (
    "plain.cpp",
    "with space.cpp",
    "ümlaut.cpp",
    'quo"te.cpp',
    "tab\there.cpp",
    "back\\slash.cpp",
    "sub/b/deep.cpp",
)


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "commit.gpgsign=false", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for key in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(key, os.devnull)
    for key in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(key, "a@a")
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("".join(f"{name} {n}\n" for n in range(1, 11)))
    commit(root)
    return root


def commit(root: Path) -> str:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "next")
    return git(root, "rev-parse", "HEAD")


def edit(file: Path, line: int, *new: str) -> None:
    lines = file.read_text().splitlines(keepends=True)
    lines[line - 1 : line] = [f"{text}\n" for text in new]
    file.write_text("".join(lines))


@pytest.mark.parametrize("name", NAMES)
def test_hunks_of_a_file_of_any_name(repository: Path, name: str) -> None:
    base = git(repository, "rev-parse", "HEAD")
    edit(repository / name, 3, "+++ b/plain.cpp", "@@ -1 +1 @@", "--- a/x")
    edit(repository / name, 12, "\\ No newline")
    head = commit(repository)
    patch = Git(repository).patch(base, head)
    assert patch.touched == {name}
    assert patch.hunks == {name: [Hunk(3, 1, 3, 3), Hunk(10, 1, 12, 1)]}
    assert Git(repository).patch(base, None) == patch


def test_a_rename_is_followed_and_a_deletion_touches(repository: Path) -> None:
    base = git(repository, "rev-parse", "HEAD")
    git(repository, "mv", "with space.cpp", "moved.cpp")
    git(repository, "rm", "-q", "plain.cpp")
    edit(repository / "moved.cpp", 5)
    head = commit(repository)
    patch = Git(repository).patch(base, head)
    assert patch.renamed == {"with space.cpp": "moved.cpp"}
    assert patch.touched == {"with space.cpp", "moved.cpp", "plain.cpp"}
    assert patch.hunks["moved.cpp"] == [Hunk(5, 1, 4, 0)]


def test_paths_start_from_the_trees_root(repository: Path) -> None:
    base = git(repository, "rev-parse", "HEAD")
    edit(repository / "sub/b/deep.cpp", 1, "new")
    edit(repository / "plain.cpp", 1, "new")
    found = Git(repository / "sub")
    assert found.patch(base, None).touched == {"b/deep.cpp"}
    assert found.changes("HEAD").present == {"b/deep.cpp"}


def test_a_revision_cannot_be_an_option(repository: Path) -> None:
    for revision in ("--output=x", "-h", "", "HEAD --"):
        with pytest.raises(UntrustedError, match="git knows no revision"):
            Git(repository).commit(revision)
    assert not (repository / "x").exists()


# ---- revisions


def test_a_folder_holds_one_revision_after_the_other(repository: Path, tmp_path: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "rm", "-q", "plain.cpp")
    edit(repository / "sub/b/deep.cpp", 1, "new")
    second = commit(repository)
    revisions = Revisions(repository, tmp_path / "cache")
    untouched = revisions.folder / "ümlaut.cpp"
    with revisions.held():
        revisions.hold(first)
        assert (revisions.folder / "plain.cpp").is_file()
        before = untouched.stat()
        (revisions.folder / "sub/b/deep.cpp").write_text("damaged")
        revisions.hold(second)
        assert not (revisions.folder / "plain.cpp").exists()
        assert (revisions.folder / "sub/b/deep.cpp").read_text().startswith("new\n")
        assert untouched.stat().st_mtime_ns == before.st_mtime_ns
        assert untouched.stat().st_ino == before.st_ino


def test_what_is_copied_follows_the_work_tree(repository: Path, tmp_path: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    (repository / "gen").mkdir()
    (repository / "gen/a.h").write_text("1")
    (repository / "gen/b.h").write_text("2")
    (repository / "build").mkdir()
    (repository / "build/db.json").write_text(f'[{{"directory": "{repository}", "file": "{repository}/plain.cpp"}}]')
    revisions = Revisions(repository, tmp_path / "cache")
    with revisions.held():
        revisions.hold(head, ["gen"], ["build/db.json"])
        (repository / "gen/a.h").write_text("changed")
        (repository / "gen/b.h").unlink()
        revisions.hold(head, ["gen"], ["build/db.json"])
    assert (revisions.folder / "gen/a.h").read_text() == "changed"
    assert not (revisions.folder / "gen/b.h").exists()
    text = (revisions.folder / "build/db.json").read_text()
    assert str(revisions.folder) in text
    assert f'"{repository}' not in text


def test_a_folder_without_a_repository_has_no_revisions(tmp_path: Path) -> None:
    with pytest.raises(UntrustedError, match="lies in no work tree of git"):
        Revisions(tmp_path, tmp_path / "cache")
