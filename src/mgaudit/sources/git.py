"""What git knows of a tree: its revisions, and what changed since one. Nothing is written, not even an index."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.domain.problems import UntrustedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE: Final = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS: Final = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


@dataclass(frozen=True, slots=True)
class Changes:
    """Files that differ from a revision, by paths relative to the tree's root.

    Attributes:
        present: Files that are there: changed, staged or not, or new.
        gone: Files that are not there any more.
    """

    present: frozenset[str]
    gone: frozenset[str]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that a change replaced: first old line and their number, first new line and their number, 1-based."""

    old: int
    removed: int
    new: int
    added: int


@dataclass(frozen=True, slots=True)
class Patch:
    """What differs between two revisions, by paths relative to the tree's root.

    Attributes:
        touched: Every path, old and new.
        renamed: Old path → new path, as git guesses.
        hunks: Replaced lines by new path, in order.
    """

    touched: frozenset[str]
    renamed: Mapping[str, str]
    hunks: Mapping[str, Sequence[Hunk]]


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
                f'git knows no revision "{revision}"{reason}',
                help="name a commit, a tag or a branch of the repository that the tree lies in",
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

    def patch(self, base: str, head: str | None) -> Patch:
        """What differs between a commit and another one, or the work tree, line by line.

        Args:
            base: A commit's hash.
            head: Another one; None for the work tree, where files that git does not know count as absent.
        """
        between = (base,) if head is None else (base, head)
        words = ("diff", "--no-ext-diff", "--no-color", "--relative", "--find-renames", "-z")
        return Patch(
            frozenset(self._fields(*words[:-2], "--no-renames", "--name-only", "-z", *between, "--")),
            _renames(self._fields(*words, "--name-status", *between, "--")),
            self._hunks(between),
        )

    def _hunks(self, between: tuple[str, ...]) -> dict[str, list[Hunk]]:
        """The replaced lines by the new path of their file; git quotes paths that would be hard to read."""
        done = self.run(
            "-c", "core.quotePath=true", "diff", "--no-ext-diff", "--no-color", "--relative", "--find-renames",
            "--unified=0", "--src-prefix=a/", "--dst-prefix=b/", *between, "--",
        )  # fmt: skip
        found: dict[str, list[Hunk]] = {}
        path = ""
        left = 0  # lines of the hunk that are still to come: they may look like anything
        for line in done.stdout.split(b"\n"):
            if left and line[:1] in b"+-":
                left -= 1
            elif match := _HUNK.match(line):
                old, removed, new, added = (1 if number is None else int(number) for number in match.groups())
                left = removed + added
                found.setdefault(path, []).append(Hunk(old, removed, new, added))
            elif line.startswith(b"+++ "):
                path = _unquoted(line[4:].rstrip(b"\t")).removeprefix("b/")
        return found

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


def _renames(fields: list[str]) -> dict[str, str]:
    """Old and new paths out of ``--name-status -z``: a state, then one path, or two of a rename or copy."""
    found = {}
    words = iter(fields)
    for state in words:
        path = next(words, "")
        if state.startswith(("R", "C")):
            new = next(words, "")
            if state.startswith("R"):
                found[path] = new
    return found


def _unquoted(path: bytes) -> str:
    """A path as git quotes it, in C's manner."""
    if path.startswith(b'"'):
        path = _ESCAPE.sub(lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else _LETTERS.get(m[1], m[1]), path[1:-1])
    return path.decode(errors="surrogateescape")
