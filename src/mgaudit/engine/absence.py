"""Paths at which nothing was, in little room.

A preprocessor looks for each name in one folder after the other, so a unit of a tree with hundreds of include folders
rests on tens of thousands of such paths, made of few names and few folders. One bit stands for each pair.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Listings:
    """Whether paths exist, by listings of folders: thousands of paths that must *not* exist cost one a folder.

    Listings are remembered: what appears later does not exist.
    """

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str]] = {}

    def of(self, folder: str) -> frozenset[str]:
        """The names in an absolute folder; none where it cannot be read."""
        known = self._names.get(folder)
        if known is None:
            try:
                known = frozenset(os.listdir(folder or "/"))  # noqa: PTH208  names only, a hot path
            except OSError:
                known = frozenset()
            self._names[folder] = known
        return known

    def has(self, path: str) -> bool:
        """Whether an absolute path names something."""
        folder, _, name = path.rpartition("/")
        return name in self.of(folder)


class Absence(msgspec.Struct, frozen=True, array_like=True):
    """Some paths.

    Attributes:
        names: File names.
        folders: Absolute folders.
        pairs: For each folder, as many bytes as hold one bit a name: the least significant bit of the first byte is
            the first name's.
    """

    names: list[str] = []
    folders: list[str] = []
    pairs: bytes = b""

    @classmethod
    def of(cls, paths: Iterable[str]) -> Absence:
        """What stands for some absolute paths; equal for equal sets of them."""
        gathered = Absences()
        for folder, _, name in sorted(path.rpartition("/") for path in paths):
            gathered.add_name(folder, name)
        return gathered.joined()

    def rows(self) -> Iterator[tuple[str, int]]:
        """The folders, each with the bits of its names."""
        width = _width(self.names)
        for index, folder in enumerate(self.folders):
            yield folder, int.from_bytes(self.pairs[index * width : (index + 1) * width], "little")

    def ends(self, listings: Listings) -> bool:
        """Whether any of the paths names something by now; a link that leads nowhere is nothing to a preprocessor."""
        places = {name: index for index, name in enumerate(self.names)}
        return any(
            bits >> places[name] & 1 and not _leads_nowhere(f"{folder}/{name}")
            for folder, bits in self.rows()
            if (present := listings.of(folder))
            for name in places.keys() & present
        )


class Absences:
    """Joins the paths of many units."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._rows: dict[str, int] = {}

    def add_name(self, folder: str, name: str) -> None:
        """Add one path."""
        self._rows[folder] = self._rows.get(folder, 0) | 1 << self._places.setdefault(name, len(self._places))

    def add(self, absence: Absence) -> None:
        """Add the paths of a unit."""
        places = [self._places.setdefault(name, len(self._places)) for name in absence.names]
        moved: dict[int, int] = {}  # most folders of a unit lack the same names
        for folder, bits in absence.rows():
            if bits not in moved:
                moved[bits] = sum(1 << place for index, place in enumerate(places) if bits >> index & 1)
            self._rows[folder] = self._rows.get(folder, 0) | moved[bits]

    def joined(self) -> Absence:
        """All of them."""
        width = _width(self._places)
        pairs = b"".join(bits.to_bytes(width, "little") for bits in self._rows.values())
        return Absence(list(self._places), list(self._rows), pairs)


def _leads_nowhere(path: str) -> bool:
    return os.path.islink(path) and not os.path.exists(path)  # noqa: PTH110, PTH114  strings, as above


def _width(names: list[str] | dict[str, int]) -> int:
    return (len(names) + 7) // 8
