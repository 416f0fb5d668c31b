"""What git knows of a tree: its revisions, and what changed since one. Nothing is written, not even an index."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mgaudit.domain.problems import UntrustedError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Changes:
    """Files that differ from a revision, by paths relative to the tree's root.

    Attributes:
        present: Files that are there: changed, staged or not, or new.
        gone: Files that are not there any more.
    """

    present: frozenset[str]
    gone: frozenset[str]


@dataclass(slots=True)
class Git:
    """Asks git about the repository that a tree's root lies in.

    Attributes:
        root: The tree's root, absolute.
    """

    root: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        """Run git in the root.

        Raises:
            UntrustedError: There is no git.
        """
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
        try:
            return subprocess.run(  # noqa: S603  git's own words and a revision that cannot be taken for an option
                ["git", "-C", str(self.root), *words], capture_output=True, check=False, env=environment  # noqa: S607
            )  # fmt: skip
        except OSError as error:
            raise UntrustedError.single(
                f"git cannot be run: {error.strerror}", help="install it, or judge the tree as it is"
            ) from None

    def commit(self, revision: str) -> str:
        """The hash of the commit that a revision names (``v1``, ``HEAD~2``).

        Raises:
            UntrustedError: Git knows no such revision.
        """
        done = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            reason = f": {said[0]}" if said else ""
            raise UntrustedError.single(
                f'git knows no revision "{revision}"{reason}', help="name a commit, a tag or a branch of the tree"
            )
        return done.stdout.decode().strip()

    def changes(self, revision: str) -> Changes:
        """What differs from a revision in the work tree, staged or not, and new files that git does not ignore.

        Args:
            revision: Of a repository without commits, ``HEAD`` is the empty one.

        Raises:
            UntrustedError: Git knows no such revision, or the tree lies in no repository.
        """
        base = self._empty_tree() if revision == "HEAD" and self._is_unborn() else self.commit(revision)
        words = self._fields("diff", "--name-status", "--no-renames", "--no-ext-diff", "--relative", "-z", base, "--")
        states = dict(zip(words[1::2], words[::2], strict=True))
        new = self._fields("ls-files", "--others", "--exclude-standard", "-z")
        gone = frozenset(path for path, state in states.items() if state == "D")
        return Changes(frozenset((*states, *new)) - gone, gone)

    def _is_unborn(self) -> bool:
        return (
            self.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").returncode != 0
            and self.run("symbolic-ref", "--quiet", "HEAD").returncode == 0
        )

    def _empty_tree(self) -> str:
        return self._fields("hash-object", "-t", "tree", os.devnull)[0].strip()

    def _fields(self, *words: str) -> list[str]:
        """What a command says, cut at its zero bytes.

        Raises:
            UntrustedError: It failed.
        """
        done = self.run(*words)
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines() or [f"git {words[0]} failed"]
            raise UntrustedError.single(f"git cannot tell what changed: {said[0]}", help="judge the tree as a whole")
        return [field for field in done.stdout.decode(errors="surrogateescape").split("\0") if field]
