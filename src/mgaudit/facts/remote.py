"""A cache that several machines share, wherever fsspec reaches: a folder, an object store, a server.

Nothing in it is believed: a parcel that is damaged, cut short or filed under another name counts as absent. Nor is it
needed: after the first failure a run goes on without it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.facts import parcels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.facts.cache import Cache
    from mgaudit.facts.parcels import Name

_FOLDER: Final = "mgaudit-1"
_BATCH: Final = 256  # parcels on their way at once
_SECRET: Final = re.compile(r"(?<=//)[^/@\s]*@")


class Remote:
    """Parcels at a URL.

    Attributes:
        failure: Why the place is not used any more; None while it answers.
        damaged: How many parcels were none.

    Args:
        url: A folder, or a URL that fsspec knows, such as ``s3://bucket/folder``.
        read_only: Whether nothing may be written.
    """

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        """Raises `UntrustedError` where fsspec, or what it needs for this kind of URL, is not installed."""
        self.read_only = read_only
        self.failure: Problem | None = None
        self.damaged = 0
        self._shown = _SECRET.sub("", url)
        self._place = ""
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415  an extra

            self._system: Any
            self._system, self._place = url_to_fs(url)
        except ImportError as error:
            raise UntrustedError.single(
                f"the shared cache {self._shown} needs a package that is not installed: {error}",
                help="install mgaudit[remote], and what fsspec needs for this kind of URL, such as s3fs",
            ) from None
        except ValueError as error:
            raise UntrustedError.single(
                f"the shared cache {self._shown} cannot be used: {error}", help="name a folder or a URL of fsspec"
            ) from None
        except Exception as error:  # whatever a file system raises
            self._fail(error)

    def fetch(self, names: Iterable[Name]) -> Iterator[tuple[Name, bytes]]:
        """The parcels that are there and sound."""
        for some in _batches(names):
            if self.failure is not None:
                return
            try:
                answers = self._system.cat_ranges([self._path(name) for name in some], None, None, on_error="return")
            except Exception as error:  # as above
                self._fail(error)
                return
            for name, answer in zip(some, answers, strict=True):
                if isinstance(answer, bytes):
                    if parcels.unpack(name, answer) is not None:
                        yield name, answer
                    else:
                        self.damaged += 1
                elif not isinstance(answer, FileNotFoundError):
                    self._fail(answer)

    def send(self, names: Iterable[Name], cache: Cache) -> int:
        """Write the parcels of cached blobs; how many."""
        count = 0
        for some in _batches(names):
            if self.failure is not None or self.read_only:
                break
            found = {self._path(name): parcel for name in some if (parcel := parcels.pack(cache, name)) is not None}
            try:
                self._write(found)
            except Exception as error:  # as above
                self._fail(error)
                break
            count += len(found)
        return count

    def _path(self, name: Name) -> str:
        return f"{self._place.rstrip('/')}/{_FOLDER}/{name}"

    def _write(self, found: dict[str, bytes]) -> None:
        try:
            self._system.pipe(found)
        except FileNotFoundError:  # an object store has no folders, and a bucket is not made for a misspelt name
            if "file" not in self._system.protocol and not self._system.exists(self._place):
                raise
            for folder in sorted({path.rpartition("/")[0] for path in found}):
                self._system.makedirs(folder, exist_ok=True)
            self._system.pipe(found)

    def _fail(self, error: object) -> None:
        if self.failure is None:
            said = _SECRET.sub("", str(error)).partition("\n")[0] or type(error).__name__
            message = f"the shared cache {self._shown} cannot be used: {said}"
            self.failure = Problem(None, 0, message, "this run went on without it, and the answer is the same")


def _batches(names: Iterable[Name]) -> Iterator[list[Name]]:
    waiting = list(names)
    return (waiting[start : start + _BATCH] for start in range(0, len(waiting), _BATCH))
