"""The files of a revision in a folder of their own: the user's work tree, index and hooks are not touched.

One folder serves a repository: git writes only what differs between the revisions that it holds one after the other,
so that facts which rest on the rest stay valid. What git does not hold, submodules above all, is copied from the work
tree.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filelock import FileLock

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.sources.git import Git

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_GITLINK: Final = b"160000"


class Revisions:
    """A folder that holds one revision at a time.

    Args:
        root: The tree's root, absolute.
        cache: The cache's directory.

    Raises:
        UntrustedError: The root lies in no repository.
    """

    def __init__(self, root: Path, cache: Path) -> None:
        self.git = Git(root)
        done = self.git.run("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir")
        if done.returncode != 0:
            raise UntrustedError.single(f"{root} lies in no work tree of git", help="compare saved JSON runs instead")
        top, self._git_folder = os.fsdecode(done.stdout).rstrip("\n").split("\n")
        self.top = Path(os.path.realpath(top))
        name = hashlib.blake2b(os.fsencode(self.top), digest_size=16).hexdigest()
        self._home = cache / "revisions" / name
        self.folder = self._home / "tree"

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep the folder for oneself.

        Raises:
            UntrustedError: It cannot be made.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self._home / "lock"):
                yield
        except OSError as error:
            raise UntrustedError.single(
                f"revisions cannot be written below {self._home}: {error.strerror}", help="choose another --cache-dir"
            ) from None

    def hold(self, commit: str, extra: Iterable[str] = (), databases: Iterable[str] = ()) -> list[Problem]:
        """Make the folder hold a commit.

        Args:
            commit: A commit's hash.
            extra: Files and folders of the work tree that git does not hold, relative to its top.
            databases: Compile databases likewise, where git does not hold them: their paths are made to lead here.

        Returns:
            What the reader should know.

        Raises:
            UntrustedError: Git cannot write it.
        """
        self._read_tree(commit)
        links = self._submodules(commit)
        for path in (*links, *extra):
            self._copy(path)
        for path in databases:
            if not self.tracks(commit, path) and (self.top / path).is_file():
                self._rewrite(path)
        return [
            Problem(path, 0, f"the submodule is taken as it is in the work tree, at {there[:12]}, not {wanted[:12]}")
            for path, wanted in sorted(links.items())
            if (there := self._head_of(path)) not in {"", wanted}
        ]

    def tracks(self, commit: str, path: str) -> bool:
        """Whether a commit holds a file, named from the top of the work tree."""
        return self.git.run("cat-file", "-e", f"{commit}:{path}").returncode == 0

    def _read_tree(self, commit: str) -> None:
        words = ["git", f"--git-dir={self._git_folder}", f"--work-tree={self.folder}",
                 "-c", "core.sparseCheckout=false", "read-tree", "--reset", "-u", commit]  # fmt: skip
        environment = {
            **os.environ, "GIT_INDEX_FILE": str(self._home / "index"), "GIT_LFS_SKIP_SMUDGE": "1", "LC_ALL": "C",
        }  # fmt: skip
        done = subprocess.run(words, cwd=self.folder, capture_output=True, check=False, env=environment)  # noqa: S603
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["read-tree failed"]
            raise UntrustedError.single(f"git cannot write the revision {commit[:12]}: {said[0]}")

    def _submodules(self, commit: str) -> dict[str, str]:
        done = self.git.run("ls-tree", "-r", "-z", "--full-tree", commit)
        entries = [entry.partition(b"\t") for entry in done.stdout.split(b"\0") if entry.startswith(_GITLINK)]
        return {os.fsdecode(path): head.split()[2].decode() for head, _, path in entries}

    def _head_of(self, path: str) -> str:
        """The commit that a submodule of the work tree is at; empty where it is no repository of its own."""
        if not (self.top / path / ".git").exists():
            return ""
        return Git(self.top / path).run("rev-parse", "HEAD").stdout.decode().strip()

    def _rewrite(self, path: str) -> None:
        """Copy a text in which the work tree's path becomes that of the folder."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (self.top / path).read_text(encoding="utf-8", errors="surrogateescape")
        text = text.replace(f"{self.top}/", f"{self.folder}/").replace(f'"{self.top}"', f'"{self.folder}"')
        target.write_text(text, encoding="utf-8", errors="surrogateescape")

    def _copy(self, path: str) -> None:
        """Make a file or folder equal to that of the work tree, by sizes and times of the last change."""
        source, target = self.top / path, self.folder / path
        if source.is_dir():
            wanted = dict(_files(source))
            for name in dict(_files(target)).keys() - wanted.keys():
                (target / name).unlink()
            for name, state in wanted.items():
                _copy_file(source / name, target / name, state)
        elif source.is_file():
            _copy_file(source, target, _state(source))


def _copy_file(source: Path, target: Path, state: tuple[int, int]) -> None:
    if not target.is_file() or _state(target) != state:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def _files(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    """The files of a folder, links followed, with size and time; ``.git`` is left out."""
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            file = Path(place, name)
            if name != ".git" and file.is_file():
                yield file.relative_to(folder).as_posix(), _state(file)


def _state(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_size, found.st_mtime_ns
