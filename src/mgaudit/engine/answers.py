"""What a check asks for beyond the facts: files beside the sources, revisions, binaries, a second witness.

Every answer is noted with its digest, so that a later run can ask the same again before it believes a kept verdict
(`mgaudit.engine.verdicts`).
"""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from mgaudit.sources.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from mgaudit.config.places import Places
    from mgaudit.sources.binaries_model import Binary

    Poisoned = Mapping[tuple[str, str], frozenset[str]]

T = TypeVar("T")
_THIN: Final = b"!<thin>\n"

Arguments = tuple[tuple[str, ...], ...]


class Reading(msgspec.Struct, frozen=True, array_like=True):
    """A question, its arguments, and the digest of the answer."""

    question: str
    arguments: Arguments
    answer: bytes


class Answers:
    """Answers what checks ask.

    Args:
        places: Where the tree and its configuration lie.
        read: The content of a file by its name of `Places`; it raises `OSError`.
        poisoned: As in `GateContext`.
        overlay: As in `Settings`.
    """

    def __init__(
        self, places: Places, read: Callable[[str], bytes],
        poisoned: Callable[[Collection[str], Collection[str]], Poisoned], overlay: Mapping[str, bytes],
    ) -> None:  # fmt: skip
        self._places = places
        self._overlay = overlay
        self._read = read
        self._library = Library(places.root, read)
        self._poisoned = poisoned
        self._noted: dict[tuple[str, Arguments], bytes] = {}
        self._is_repeatable = True

    @property
    def readings(self) -> list[Reading] | None:
        """All that was asked, or None where an answer would not prove that the next one is the same."""
        return [Reading(*key, answer) for key, answer in self._noted.items()] if self._is_repeatable else None

    def repeat(self, reading: Reading) -> bool:
        """Whether the answer is still the same.

        Raises:
            UntrustedError, OSError: There is none.
        """
        how: dict[str, Callable[..., object]] = {
            "file": lambda name: self._read(*name),
            "content": lambda path: self._library.content(*path),
            "commit": lambda revision: self._library.commit(*revision),
            "listing": self._library.listing,
            "matching": self._library.matching,
            "binary": lambda path: self._digest_of_file(*path),
            "poisoned": lambda entries, forbidden: _plain(self._poisoned(entries, forbidden)),
        }
        return _digest(how[reading.question](*reading.arguments)) == reading.answer

    # ---- what `GateContext` offers

    def content(self, path: str, revision: str | None = None) -> bytes | None:
        """See `Library.content`; what a commit holds never changes."""
        with self._careful():
            if revision is None:
                return self._note("content", ((path,),), self._library.content(path))
            self._note("commit", ((revision,),), self._library.commit(revision))
            return self._library.content(path, revision)

    def listing(self, revision: str | None = None) -> tuple[str, ...]:
        """See `Library.listing`."""
        with self._careful():
            if revision is None:
                return self._note("listing", (), self._library.listing())
            self._note("commit", ((revision,),), self._library.commit(revision))
            return self._library.listing(revision)

    def matching(self, globs: Iterable[str]) -> tuple[str, ...]:
        """See `Library.matching`."""
        wanted = tuple(globs)
        with self._careful():
            return self._note("matching", (wanted,), self._library.matching(wanted))

    def binaries(self, paths: Iterable[str]) -> tuple[Binary, ...]:
        """See `mgaudit.sources.binaries.read_binaries`."""
        wanted = tuple(paths)
        with self._careful():
            self._note_files(wanted)
            from mgaudit.sources.binaries import read_binaries  # noqa: PLC0415  slow to import

            found = read_binaries(((self._places.root / path, path) for path in wanted), self._overlay)
            self._note_files(wanted)  # what changed meanwhile proves nothing
            return found

    def file(self, name: str) -> bytes:
        """The content of a file by its name of `Places`.

        Raises:
            OSError: It cannot be read.
        """
        with self._careful():
            return self._note("file", ((name,),), self._read(name))

    def poisoned(self, entries: Collection[str], forbidden: Collection[str]) -> Poisoned:
        """See `mgaudit.engine.inquiry.Inquiry.poisoned`."""
        with self._careful():
            found = self._poisoned(entries, forbidden)
            self._note("poisoned", (tuple(sorted(entries)), tuple(sorted(forbidden))), _plain(found))
            return found

    # ---- notes

    @contextlib.contextmanager
    def _careful(self) -> Iterator[None]:
        """A question that fails has no answer that could be compared."""
        try:
            yield
        except BaseException:
            self._is_repeatable = False
            raise

    def _note(self, question: str, arguments: Arguments, answer: T) -> T:
        digest = _digest(answer)
        if self._noted.setdefault((question, arguments), digest) != digest:
            self._is_repeatable = False
        return answer

    def _note_files(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._note("binary", ((path,),), self._digest_of_file(path))

    def _digest_of_file(self, path: str) -> bytes:
        """Of a binary, which may be large; of a thin archive it tells nothing, for its members are other files."""
        if path in self._overlay:
            return hashlib.blake2b(self._overlay[path]).digest()
        file = self._places.root / path
        with contextlib.suppress(OSError):
            if file.is_file():  # opening a pipe would wait for its other end
                with file.open("rb") as stream:
                    if stream.read(len(_THIN)) == _THIN:
                        self._is_repeatable = False
                    stream.seek(0)
                    return hashlib.file_digest(stream, "blake2b").digest()
        return b""


def _plain(found: Poisoned) -> list[tuple[str, str, list[str]]]:
    return sorted((*place, sorted(files)) for place, files in found.items())


def _digest(answer: object) -> bytes:
    return hashlib.blake2b(msgspec.msgpack.encode(answer), digest_size=20).digest()
