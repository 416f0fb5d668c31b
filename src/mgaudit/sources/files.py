"""The files of one parse: handles and names of the front end to interned, link-resolved paths."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mgaudit.sources.records import NONE
from mgaudit.sources.tree import file_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.sources.clang_abi import CXIdxLoc, CXSourceLocation
    from mgaudit.sources.clang_binding import Library
    from mgaudit.sources.tree import PathResolver


class FileTable:
    """Interns the files of one translation unit.

    Args:
        library: libclang.
        paths: Resolves names to keys; one per process, since units share most headers.
        tracked: The audited files, relative to the root.
        overlay: Absolute path → text of in-memory files.
        observed: The files whose uses are looked at closely.
        keyed: The files whose memos are looked at.
    """

    def __init__(  # noqa: PLR0913
        self,
        library: Library,
        paths: PathResolver,
        tracked: frozenset[str],
        overlay: Mapping[str, str],
        observed: frozenset[str] = frozenset(),
        *,
        keyed: frozenset[str] = frozenset(),
    ) -> None:
        self._cdll = library.cdll
        self._resolver = paths
        self._tracked_paths = tracked
        self._observed_paths = observed
        self._keyed_paths = keyed
        self._overlay = {paths.key(name): text for name, text in overlay.items()}
        self.by_handle: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._by_path: dict[str, int] = {}
        self._content: dict[int, bytes] = {}
        self.tracked: list[bool] = []
        self._is_observed: list[bool] = []
        self._is_keyed: list[bool] = []
        self.paths: list[str] = []
        self.places: dict[int, tuple[int, int, int, int]] = {}

    def of_handle(self, handle: int) -> int:
        """The index of a ``CXFile``."""
        index = self.by_handle.get(handle)
        if index is None:
            name = self._cdll.clang_getFileName(handle)
            index = self.by_handle[handle] = self.of_path(self._resolver.key(name))
        return index

    def of_path(self, path: str) -> int:
        """The index of a `PathResolver` key."""
        index = self._by_path.get(path)
        if index is None:
            index = self._by_path[path] = len(self.paths)
            self.paths.append(path)
            self.tracked.append(path in self._tracked_paths)
            self._is_observed.append(path in self._observed_paths)
            self._is_keyed.append(path in self._keyed_paths)
        return index

    def is_tracked(self, index: int) -> bool:
        """Whether a file belongs to the audited tree."""
        return self.tracked[index]

    def is_observed(self, index: int) -> bool:
        """Whether the uses in a file are looked at closely."""
        return self._is_observed[index]

    def is_keyed(self, index: int) -> bool:
        """Whether the memos in a file are looked at."""
        return self._is_keyed[index]

    def expansion(self, location: CXSourceLocation) -> tuple[int, int, int, int]:
        """As `place`, but of a macro's argument where the macro is expanded."""
        return self._told(self._cdll.clang_getExpansionLocation(location))

    def place(self, location: CXSourceLocation) -> tuple[int, int, int, int]:
        """File index (`NONE` where there is no file), line, column and offset of a location."""
        known = self.places.get(location.raw)
        if known is None:
            known = self.places[location.raw] = self._told(self._cdll.clang_getFileLocation(location))
        return known

    def indexed_place(self, location: CXIdxLoc) -> tuple[int, int, int, int]:
        """As `place`, of a location that the indexer reports: the front end encodes both alike."""
        known = self.places.get(location.raw)
        if known is None:
            known = self.places[location.raw] = self._told(self._cdll.clang_indexLoc_getFileLocation(location))
        return known

    def _told(self, told: tuple[int | None, int, int, int]) -> tuple[int, int, int, int]:
        handle, line, column, offset = told
        return (self.of_handle(handle), line, column, offset) if handle else (NONE, 0, 0, 0)

    def size(self, index: int) -> int:
        """The size of a file in bytes, 0 where it cannot be told; the front end would read the file for it."""
        known = self._sizes.get(index)
        if known is None:
            text = self._overlay.get(self.paths[index])
            try:
                path = os.path.join(self._resolver.root, self.paths[index])  # noqa: PTH118  a hot loop
                known = os.stat(path).st_size if text is None else len(text.encode())  # noqa: PTH116
            except OSError:
                known = 0
            self._sizes[index] = known
        return known

    def content(self, index: int) -> bytes:
        """The bytes of a file as the front end saw them."""
        known = self._content.get(index)
        if known is None:
            path = self.paths[index]
            text = self._overlay.get(path)
            known = text.encode() if text is not None else file_content(Path(self._resolver.root, path))
            self._content[index] = known
        return known
