"""What the last run over a tree rested on, asked once for all of its units together.

That a unit's record still holds follows from its manifest (`mgaudit.engine.manifest`): every file has the recorded
content, nothing has appeared where nothing was, links lead where they led. The units of a tree rest on nearly the same
files, so the last run leaves all of them in one list. Only the units for which something in it is not so any more are
looked up one by one.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.engine.absence import Absence, Absences
from mgaudit.engine.contents import DIGEST_SIZE
from mgaudit.facts.merge import UnitId

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mgaudit.engine.contents import Contents
    from mgaudit.engine.manifest import Variant
    from mgaudit.facts.cache import Cache


class Stood(msgspec.Struct, frozen=True, array_like=True):
    """A unit of the last run; precompiled headers are none.

    Attributes:
        unit: Which one.
        key: The key of its command without a precompiled header.
        record: The key of its record.
        headers: The headers, precompiled, that it was to start from.
        head: The record of these, if it did start from them, else empty.
        files: Places in the list of files, as 32-bit words.
    """

    unit: UnitId
    key: str
    record: str
    headers: tuple[str, ...]
    head: str
    files: bytes = b""


class _Run(msgspec.Struct, frozen=True, array_like=True):
    """A whole run.

    Attributes:
        files: The files that its units rest on.
        digests: Their digests, joined.
        tracked: One character a file, ``1`` where it belonged to the audited tree.
        absent: Paths that did not exist.
        links: Absolute paths that lead through links, and the keys of the files where they end.
        units: Its units.
        decided: What was decided about headers, as `HeaderPlanner` says.
    """

    files: list[str]
    digests: bytes
    tracked: str
    absent: Absence
    links: list[tuple[str, str]]
    units: list[Stood]
    decided: dict[bytes, bool]


_NOTHING: Final = _Run([], b"", "", Absence(), [], [], {})
_GONE: Final = bytes(DIGEST_SIZE)  # of a file that only units of earlier runs rested on
_decoder: Final = msgspec.msgpack.Decoder(_Run)


class Standing:
    """The last run over a tree, and what of it still holds.

    Args:
        cache: Where it is kept.
        name: The key of the tree and its configuration file.
        contents: The files as they are now.
        tracked: The files of the tree.
    """

    def __init__(self, cache: Cache, name: str, contents: Contents, tracked: frozenset[str]) -> None:
        self._cache = cache
        self._name = name
        self._contents = contents
        self._tracked = tracked
        self._last = self._read()
        self._units = {stood.unit: stood for stood in self._last.units}
        self._holding = frozenset(stood.unit for stood in self._still())
        self._found: dict[UnitId, Stood] = {}
        self._places = {path: index for index, path in enumerate(self._last.files)} if self._holding else {}
        self._absent = Absences()
        self._links: dict[str, str] = {}

    def _read(self) -> _Run:
        data = self._cache.read("standing", self._name)
        try:
            return _NOTHING if data is None else _decoder.decode(data)
        except msgspec.DecodeError:
            return _NOTHING

    def _still(self) -> Iterable[Stood]:
        last, contents = self._last, self._contents
        if contents.ends(last.absent) or any(contents.key(path) != key for path, key in last.links):
            return ()
        changed = {
            index
            for index, path in enumerate(last.files)
            if contents.digest(path) != last.digests[index * DIGEST_SIZE : (index + 1) * DIGEST_SIZE]
            or (path in self._tracked) != (last.tracked[index] == "1")
        }
        return (stood for stood in last.units if changed.isdisjoint(_words(stood.files)))

    @property
    def decided(self) -> Mapping[bytes, bool]:
        """What the last run decided about headers."""
        return self._last.decided

    def last(self, unit: UnitId) -> Stood | None:
        """How a unit was in the last run."""
        return self._units.get(unit)

    def holds(self, unit: UnitId, key: str) -> bool:
        """Whether all that a unit rested on is as it was, and its command has the same key."""
        return unit in self._holding and self._units[unit].key == key

    def note(self, stood: Stood, variant: Variant) -> None:
        """A unit of this run, without its files, and what it rests on."""
        words = array("I", [self._places.setdefault(path, len(self._places)) for path in variant.files])
        self._found[stood.unit] = msgspec.structs.replace(stood, files=words.tobytes())
        self._absent.add(variant.absent)
        self._links.update(variant.links)

    def remember(self, kept: Sequence[Stood], decided: Mapping[bytes, bool]) -> None:
        """Leave this run's units to the next one, if it noted any.

        Args:
            kept: Units that were taken over from the last run.
            decided: What was decided about headers.
        """
        if not self._found:
            return
        if kept:
            self._absent.add(self._last.absent)
            self._links.update(self._last.links)
        digests = b"".join(self._contents.digest(path) or _GONE for path in self._places)
        tracked = "".join("1" if path in self._tracked else "0" for path in self._places)
        units, links = [*kept, *self._found.values()], sorted(self._links.items())
        run = _Run(list(self._places), digests, tracked, self._absent.joined(), links, units, dict(decided))
        self._cache.write("standing", self._name, msgspec.msgpack.encode(run))


def _words(data: bytes) -> array[int]:
    words = array("I")
    words.frombytes(data)
    return words
