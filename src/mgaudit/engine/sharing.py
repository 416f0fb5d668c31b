"""What a run takes from a shared cache before it parses, and gives to it afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.engine import manifest
from mgaudit.facts import parcels
from mgaudit.facts.parcels import Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mgaudit.engine.contents import Contents
    from mgaudit.engine.worker import Job
    from mgaudit.facts.cache import Cache
    from mgaudit.facts.remote import Remote


def names(key: str, record: str) -> tuple[Name, Name]:
    """The blobs of one parse, by its command's key and its record's; the manifest, which leads to the record, last."""
    return Name("unit", record), Name("manifest", key)


class Sharing:
    """Moves facts between a shared cache and this machine's.

    Args:
        remote: The shared cache.
        cache: This machine's.
        contents: The files as they are.
        tracked: The audited files.
    """

    def __init__(self, remote: Remote, cache: Cache, contents: Contents, tracked: frozenset[str]) -> None:
        self.remote = remote
        self._cache = cache
        self._contents = contents
        self._tracked = tracked

    def bring(self, jobs: Sequence[Job]) -> int:
        """Put into the cache what others know of some jobs, as far as it fits the files; how many records."""
        found = {
            name.key: manifest.decode(parcels.unpack(name, parcel) or b"")
            for name, parcel in self.remote.fetch(Name("manifest", job.key) for job in jobs)
        }
        wanted = []
        for job in jobs:
            variants = manifest.joined(manifest.read(self._cache, job.key), found.get(job.key, []))
            fitting = [v for v in variants if manifest.holds(v, self._contents, self._tracked)][:1]
            # Those that do not fit are kept, too: this run's own is to stand beside them.
            if job.key in found:
                manifest.keep(self._cache, job.key, manifest.joined(fitting, variants))
            wanted += [Name("unit", v.record) for v in fitting if not self._cache.path("unit", v.record).exists()]
        return sum(parcels.store(self._cache, name, parcel) for name, parcel in self.remote.fetch(wanted))

    def send(self, parses: Iterable[tuple[str, str]]) -> None:
        """Give what this run parsed to others.

        Args:
            parses: Keys of commands, each with the key of its record.
        """
        pairs = [names(*parse) for parse in parses]
        self.remote.send((record for record, _ in pairs), self._cache)
        self.remote.send((found for _, found in pairs), self._cache)
