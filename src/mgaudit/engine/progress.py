"""What a long run reports to, and what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mgaudit.facts.merge import UnitId


class Progress(Protocol):
    """What a long run reports to, and what it did."""

    def begin(self, label: str, total: int) -> None:
        """A phase starts."""

    def advance(self, name: str) -> None:
        """One step of the phase is done."""

    def end(self) -> None:
        """The phase is over."""


class Quiet:
    """Reports nothing."""

    def begin(self, label: str, total: int) -> None:
        """See `Progress`."""

    def advance(self, name: str) -> None:
        """See `Progress`."""

    def end(self) -> None:
        """See `Progress`."""


@dataclass(slots=True)
class Statistics:
    """What a run did; never part of a report, which must be repeatable.

    Attributes:
        parsed: Units parsed in this run, with their seconds.
        reused: Units whose record came from the cache.
        shared: How many of those came from the cache that machines share.
        with_preamble: How many of the parsed units started from a precompiled header.
    """

    parsed: dict[UnitId, float] = field(default_factory=dict)
    reused: int = 0
    shared: int = 0
    with_preamble: int = 0
