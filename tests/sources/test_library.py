from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from mgaudit.domain.problems import UntrustedError
from mgaudit.sources.library import Library

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *words: str) -> None:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree in a folder of a repository, with one commit of older contents."""
    root = tmp_path / "repository" / "tree"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "a.md").write_text("old\n")
    git(tmp_path / "repository", "init", "-q")
    git(tmp_path / "repository", "add", ".")
    git(tmp_path / "repository", "commit", "-q", "-m", "one")
    (root / "docs" / "a.md").write_text("new\n")
    (root / "b.md").write_text("b\n")
    return root


def test_contents_as_they_are_and_were(tree: Path) -> None:
    library = Library(tree)
    assert library.content("docs/a.md") == b"new\n"
    assert library.content("docs/a.md", "HEAD") == b"old\n"
    assert library.content("b.md", "HEAD") is None
    assert library.content("none.md") is None
    assert library.content("docs") is None
    assert library.content("docs", "HEAD") is None


@pytest.mark.parametrize("revision", ["v9", "--help", "HEAD~9", ""])
def test_an_unknown_revision(tree: Path, revision: str) -> None:
    with pytest.raises(UntrustedError, match="git knows no revision"):
        Library(tree).content("docs/a.md", revision)


def test_no_git(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UntrustedError, match="git cannot be run"):
        Library(tree).content("docs/a.md", "HEAD")


def test_globs_select_files_wherever_they_lie(tree: Path) -> None:
    library = Library(tree)
    assert library.matching(["**/*.md"]) == ("b.md", "docs/a.md")
    assert library.matching(["docs/*.md", "*.md"]) == ("b.md", "docs/a.md")
    assert library.matching(["docs/**"]) == ("docs/a.md",)
    assert library.matching(["nowhere/*.md"]) == ()


def test_globs_may_leave_the_tree(tree: Path) -> None:
    library = Library(tree)
    (tree.parent / "build").mkdir()
    (tree.parent / "build" / "a.o").write_text("")
    assert library.matching(["../build/*.o"]) == ("../build/a.o",)
    assert library.matching(["../build/a.o", "./docs/*"]) == ("../build/a.o", "./docs/a.md")
    assert library.matching([f"{tree}/docs/*.md"]) == (f"{tree}/docs/a.md",)
    assert library.matching(["/*.no-such"]) == ()


def test_a_folder_that_cannot_be_listed_is_not_taken_for_empty(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: str) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(UntrustedError, match="docs cannot be listed: Permission denied"):
        Library(tree).matching(["docs/*.md"])


def test_the_files_of_the_tree_and_of_a_revision(tree: Path) -> None:
    library = Library(tree)
    assert library.listing() == ("b.md", "docs/a.md")
    assert library.listing("HEAD") == ("docs/a.md",)
    with pytest.raises(UntrustedError):
        library.listing("v9")
