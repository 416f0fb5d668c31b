"""Where the preprocessor looked for headers: what a record rests on beyond the content of the files it was made of.

A header that appears where it was looked for in vain, a link that leads elsewhere, or an answer of ``__has_include``
that changes makes another unit out of the same files.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.engine.contents import SETTLED, digest_of, stamp_of
from mgaudit.sources.arguments_compiler import host_architecture
from mgaudit.sources.records import COMMAND_LINE, NONE
from mgaudit.sources.tree import file_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mgaudit.engine.absence import Listings
    from mgaudit.engine.contents import Stamp, Stamps
    from mgaudit.sources.include_resolver import Resolver
    from mgaudit.sources.records import UnitRecord
    from mgaudit.sources.tree import PathResolver

# A name that comes out of a macro is not seen.
_QUESTION: Final = re.compile(rb'\b__has_(?:include|embed)(_next)?\s*\(\s*(?:"([^"\n]+)"|<([^>\n]+)>)')
_SYSTEM: Final = ("usr/local/include", f"usr/include/{host_architecture()}-linux-gnu", "usr/include")


def system_folders(arguments: Sequence[str]) -> tuple[str, ...]:
    """Where the front end looks last, whatever the command says: headers may be installed there any time."""
    sysroot = next((word.partition("=")[2] for word in reversed(arguments) if word.startswith("--sysroot=")), "/")
    return tuple(os.path.join(sysroot, folder) for folder in _SYSTEM)  # noqa: PTH118  strings, as in the resolver


@dataclass(frozen=True, slots=True)
class Question:
    """One ``__has_include`` or its kin.

    Attributes:
        spelling: The header name without its delimiters.
        angled: Whether it is written in angle brackets.
        is_next: Whether it asks for the next of that name.
    """

    spelling: str
    angled: bool
    is_next: bool


def questions_in(data: bytes) -> tuple[Question, ...]:
    """What the text of a file asks for."""
    if b"__has_" not in data:
        return ()
    found = (
        Question((quoted or angled).decode(errors="replace"), bool(angled), bool(is_next))
        for is_next, quoted, angled in _QUESTION.findall(data)
    )
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class FileState:
    """What a parse rests on in one file: the digest of its content, and what it asks for."""

    digest: bytes
    questions: tuple[Question, ...]

    @classmethod
    def of(cls, data: bytes) -> FileState:
        """The state of a content."""
        return cls(digest_of(data), questions_in(data))


class FileStates:
    """The states of files, read once by a worker as long as they do not change.

    Args:
        root: What keys are relative to.
        stamps: What earlier runs read.
    """

    def __init__(self, root: str, stamps: Stamps | None = None) -> None:
        self._root = root
        self._stamps = stamps
        self._known: dict[str, tuple[Stamp, FileState]] = {}

    def of(self, key: str, started: int) -> FileState | None:
        """The state of a file, or None where it cannot be read or changed after a parse began.

        Args:
            key: The file.
            started: When the parse began, in nanoseconds since the epoch.
        """
        path = os.path.join(self._root, key)  # noqa: PTH118  a hot path
        try:
            known = self._known.get(key)
            if known is None or known[0] != stamp_of(os.stat(path)):  # noqa: PTH116
                known = self._kept(key, path) or self._read(path)
                if time.time_ns() - known[0][0] > SETTLED:
                    self._known[key] = known
        except OSError:
            return None
        return None if known[0][0] >= started else known[1]

    def _kept(self, key: str, path: str) -> tuple[Stamp, FileState] | None:
        kept = self._stamps.of(key, path) if self._stamps is not None else None
        return None if kept is None or kept.asks else (kept.stamp, FileState(kept.digest, ()))

    @staticmethod
    def _read(path: str) -> tuple[Stamp, FileState]:
        data = file_content(path)
        return stamp_of(os.stat(path)), FileState.of(data)  # noqa: PTH116


class Way(NamedTuple):
    """How a directive got to its header.

    Attributes:
        absent: Where it looked in vain, by listings that stay as they are.
        doubtful: Where there was something: it looked in vain if that is gone, or no file.
        link: The path at which it found its header, where that leads there through a link.
    """

    absent: tuple[str, ...]
    doubtful: tuple[str, ...]
    link: str | None


@dataclass(slots=True)
class Search:
    """How one kind of command looks for headers; shared by the parses of a worker.

    Attributes:
        paths: Paths to keys.
        resolver: The search folders of the command.
        directory: The command's absolute working directory, where forced includes are looked for first.
        system: As `system_folders`.
        overlay: Absolute paths of in-memory files.
        listings: Tell what does not exist. A file that appears after them counts as absent, and thus as new later on.
    """

    paths: PathResolver
    resolver: Resolver
    directory: str
    system: tuple[str, ...]
    overlay: frozenset[str]
    listings: Listings
    _ways: dict[tuple[str, bool, str, str], Way] = field(default_factory=dict)

    def candidates(self, spelling: str, *, angled: bool, source: str) -> Iterator[str]:
        """The absolute paths at which a directive of a file looks for its header, in order."""
        folder = self.directory if source == COMMAND_LINE else str(self.paths.root)
        including_file = os.path.join(folder, source)  # noqa: PTH118
        yield from self.resolver.candidates(spelling, angled=angled, including_file=including_file)
        yield from (os.path.join(folder, spelling) for folder in self.system)  # noqa: PTH118

    def exists(self, candidate: str) -> bool:
        """Whether there is, in memory or on disk, what a directive looks for."""
        if candidate in self.overlay:
            return True
        return self.listings.has(candidate) and os.path.exists(candidate)  # noqa: PTH110  a hot loop

    def way_to(self, spelling: str, *, angled: bool, source: str, found: str | None) -> Way:
        """How a directive got to the file that it found, or that it found none."""
        key = ("" if angled else source.rpartition("/")[0], angled, spelling, found or "")
        if source == COMMAND_LINE:
            key = (COMMAND_LINE, *key[1:])
        known = self._ways.get(key)
        if known is None:
            known = self._ways[key] = self._way(self.passed(spelling, angled=angled, source=source, found=found), found)
        return known

    def _way(self, passed: Sequence[str], found: str | None) -> Way:
        link = None
        if found is not None and passed and self.paths.key(passed[-1]) == found:
            link = passed[-1] if self.is_link(passed[-1], found) else None
            passed = passed[:-1]
        doubtful = {path for path in passed if path in self.overlay or self.listings.has(path)}
        return Way(tuple(path for path in passed if path not in doubtful), tuple(doubtful), link)

    def is_link(self, candidate: str, key: str) -> bool:
        """Whether the path of a file leads through links."""
        return os.path.normpath(candidate) != os.path.join(self.paths.root, key)  # noqa: PTH118

    def passed(self, spelling: str, *, angled: bool, source: str, found: str | None) -> tuple[str, ...]:
        """The candidates of a directive up to the file that it found; all of them where it found nothing."""
        candidates = tuple(self.candidates(spelling, angled=angled, source=source))
        return candidates[: self._length(candidates, found)]

    def _length(self, candidates: Sequence[str], found: str | None) -> int:
        """How many candidates there are up to the first that leads to a file."""
        if found is None:
            return len(candidates)
        # To follow a path costs much; one that is not listed is only followed where the listings are older than it.
        listed = (at for at, path in enumerate(candidates) if path in self.overlay or self.listings.has(path))
        leading = (at + 1 for at in chain(listed, range(len(candidates))) if self.paths.key(candidates[at]) == found)
        return next(leading, len(candidates))


@dataclass(slots=True)
class Lookups:
    """Gathers the lookups of one parse.

    Attributes:
        search: How its command looks for headers.
        absent: Absolute paths where nothing was.
        links: Absolute path of a header that was reached through a link → the key of the file.
        present: Keys of files that were asked for; they need not have been included.
    """

    search: Search
    absent: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)
    present: set[str] = field(default_factory=set)

    def of_inclusions(self, record: UnitRecord) -> None:
        """What the directives of a record looked for."""
        doubtful: set[str] = set()
        for spelling, angled, source, target in {
            (i.spelling, i.angled, record.files[i.file], i.target) for i in record.includes
        }:
            found = None if target == NONE else record.files[target]
            way = self.search.way_to(spelling, angled=angled, source=source, found=found)
            self.absent.update(way.absent)
            doubtful.update(way.doubtful)
            if way.link is not None and found is not None:
                self.links[way.link] = found
        self.absent.update(path for path in doubtful if not self.search.exists(path))

    def of_questions(self, source: str, questions: Iterable[Question]) -> None:
        """What a file asks for."""
        for question in questions:
            for candidate in self.search.candidates(question.spelling, angled=question.angled, source=source):
                if not self.search.exists(candidate):
                    self.absent.add(candidate)
                    continue
                key = self.search.paths.key(candidate)
                if self.search.is_link(candidate, key):
                    self.links[candidate] = key
                if candidate not in self.search.overlay:
                    self.present.add(key)
                if not question.is_next:
                    break
