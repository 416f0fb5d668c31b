"""The merged database of a tree, in the cache: replaced where it is damaged, in memory where the disk refuses it."""

from __future__ import annotations

import errno
import os
import sqlite3
from functools import cached_property, partial
from typing import TYPE_CHECKING

import msgspec

from mgaudit.domain.problems import UntrustedError
from mgaudit.engine.garbage import no_collection
from mgaudit.facts import storage
from mgaudit.facts.merge import Database, UnitId, UnitState
from mgaudit.sources.records import UnitRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from mgaudit.facts.cache import Cache


class Store:
    """A database, and the records that go into it.

    Args:
        cache: Where it lies, and where records are.
        name: The key of the tree and its configuration file.
        file: Where the database lies instead.

    Attributes:
        unstored: Records that the cache could not take.
    """

    def __init__(self, cache: Cache, name: str, file: Path | None = None) -> None:
        self._cache = cache
        self._database = Database(file or self._path(name))
        self.unstored: dict[UnitId, UnitRecord] = {}

    def _path(self, name: str) -> str:
        path = self._cache.directory / "facts" / f"{name[:32]}.sqlite"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._cache.tag()
            self._cache.touch(path)
        except OSError as error:
            self._cache.write_error = error
            return storage.MEMORY
        return str(path)

    @property
    def write_error(self) -> Exception | None:
        """Why the disk refuses the database, or None."""
        return self._database.write_error

    @property
    def forked(self) -> Callable[[], sqlite3.Connection | None] | None:
        """Opens what `merge` opened for a process that is forked; None where nobody can tell that it is the same."""
        path, file = self._database.path, self._database.file
        return None if file is None else partial(storage.forked, path, file)

    @cached_property
    def held(self) -> Mapping[UnitId, str]:
        """The units that the database held when this was first asked, with the keys of their records."""
        return self._database.held()

    def merge(
        self, states: Mapping[UnitId, UnitState], tracked: frozenset[str], configurations: list[str],
        spared: Collection[UnitId] = (),
    ) -> sqlite3.Connection:  # fmt: skip
        """Make the database hold some units and no others; precompiled headers that none of them starts from aside.

        Args:
            states: The units.
            tracked: The audited files.
            configurations: All configuration names, in a fixed order.
            spared: Units that stay as they are if the database holds them.

        Raises:
            UntrustedError: A record is gone.
        """
        used = {state.preamble for state in states.values()}
        wanted = {unit: state for unit, state in states.items() if unit.kind != "preamble" or unit in used}
        for is_hopeless in (False, True):
            try:
                with no_collection():
                    self._database.update(wanted, self._load, tracked, configurations, spared)
                break
            except sqlite3.DatabaseError as error:
                self._replace(error, is_hopeless=is_hopeless)
        else:
            self._database.update(wanted, self._load, tracked, configurations)
        return self._database.connection

    def _replace(self, error: sqlite3.DatabaseError, *, is_hopeless: bool) -> None:
        """After damage a new file; where the disk is full, or refuses a new file, too, memory."""
        path = self._database.path
        self._database.close()
        is_full = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
        if is_full or is_hopeless:
            code = errno.ENOSPC if is_full else errno.EIO
            self._cache.write_error = OSError(code, os.strerror(code))
            path = storage.MEMORY
        else:
            storage.discard(path)
        self._database = Database(path)

    def _load(self, state: UnitState) -> UnitRecord:
        if state.id in self.unstored:
            return self.unstored[state.id]
        data = self._cache.read("unit", state.key)
        if data is None:
            raise UntrustedError.single(
                "a cached record vanished while it was needed", path=state.id.path, help="run again"
            )
        return msgspec.msgpack.decode(data, type=UnitRecord)
