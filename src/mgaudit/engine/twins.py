"""Units that are parsed alike but for macros of the command line which no file of theirs can see: with equal facts.

So a configuration more costs little where most units do not ask what is different about it. What one of them rests on
is known from the other: the same files with the same contents, nothing where the other found nothing. The proof holds
for the contents at hand only; what follows from it is kept as a manifest of the second command, which says so.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from mgaudit.engine import manifest
from mgaudit.engine.contents import key_of
from mgaudit.engine.worker import INSTANTIATED
from mgaudit.sources.macros import Flags, Parts, differing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mgaudit.engine.contents import Contents
    from mgaudit.engine.manifest import Variant
    from mgaudit.engine.worker import Job
    from mgaudit.facts.cache import Cache
    from mgaudit.facts.merge import UnitId


class Sight:
    """What files have of some names, kept from run to run by the files' contents.

    Args:
        cache: Where it is kept.
        contents: The files.
        identity: The digest of this program.
        names: The names.
    """

    def __init__(self, cache: Cache, contents: Contents, identity: str, names: frozenset[str]) -> None:
        self.parts = Parts(names)
        self._cache = cache
        self._contents = contents
        self._key = key_of((identity, *self.parts.names))
        self._known = self._read()
        self._count = len(self._known)

    def _read(self) -> dict[bytes, frozenset[str]]:
        try:
            return _decoder.decode(self._cache.read("sight", self._key) or b"")
        except msgspec.DecodeError:
            return {}

    def of(self, file: str) -> frozenset[str] | None:
        """The names and parts of names in a file; None where it cannot be read."""
        digest = self._contents.digest(file)
        if digest is None:
            return None
        known = self._known.get(digest)
        if known is None:
            known = self._known[digest] = self.parts.of(self._contents.read(file) or b"")
        return known

    def save(self) -> None:
        """Keep what was found."""
        if len(self._known) != self._count:
            self._cache.write("sight", self._key, msgspec.msgpack.encode(self._known))


class Settled(NamedTuple):
    """What is known of a unit: its job, and what its record rests on."""

    job: Job
    variant: Variant


class Twins:
    """Tells which jobs have the same outcome.

    Args:
        cache: Keeps what files have of names.
        contents: The files as they are.
        tracked: The audited files.
        identity: The digest of this program.

    Attributes:
        settled: What came of this run's jobs.
    """

    def __init__(self, cache: Cache, contents: Contents, tracked: frozenset[str], identity: str) -> None:
        self._cache = cache
        self._contents = contents
        self._tracked = tracked
        self._identity = identity
        self._sights: dict[frozenset[str], Sight] = {}
        self.settled: dict[UnitId, Settled] = {}

    def note(self, job: Job, variant: Variant) -> None:
        """What came of a job."""
        self.settled[job.unit] = Settled(job, variant)

    def are_equal(self, one: Settled, other: Job, beneath: Variant | None) -> bool:
        """Whether a job yields what another one of its family did.

        Args:
            one: What was parsed.
            other: What would be.
            beneath: What the precompiled header rests on that the first started from.
        """
        variants = [one.variant, *([beneath] if beneath is not None else [])]
        files = list(chain.from_iterable(variant.files for variant in variants))
        return all(manifest.holds(variant, self._contents, self._tracked) for variant in variants) and self.are_blind(
            one.job.arguments, other.arguments, files, other.overlay
        )

    def are_blind(
        self, one: Sequence[str], other: Sequence[str], files: Iterable[str], overlay: Iterable[tuple[str, str]]
    ) -> bool:
        """Whether two commands differ in nothing that some files can see, and these are all that one of them reads.

        Args:
            one: The front end's arguments.
            other: The same of the other command.
            files: The files.
            overlay: In-memory files: (path, text).
        """
        mine, theirs = Flags.of(one), Flags.of(other)
        names = differing(mine, theirs)
        if not names:
            return names is not None
        sight = self._sights.get(names)
        if sight is None:
            sight = self._sights[names] = Sight(self._cache, self._contents, self._identity, names)
        texts = (mine.values(), theirs.values(), INSTANTIATED.encode(), *(text.encode() for _, text in overlay))
        known = set[str]().union(*map(sight.parts.of, texts))
        for found in map(sight.of, files):
            if found is None:
                return False
            known |= found
        return not sight.parts.are_seen(known)

    def save(self) -> None:
        """Keep what files have of names."""
        for sight in self._sights.values():
            sight.save()


_decoder: Final = msgspec.msgpack.Decoder(dict[bytes, frozenset[str]])
