"""All that the picture book of a run shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mgaudit.domain.census import MemoCensus
    from mgaudit.domain.findings import Finding
    from mgaudit.domain.matrix import Matrix
    from mgaudit.domain.report import Report


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The include graph around a violation.

    Attributes:
        finding: The violation.
        includers: Files that include the first file of its chain, some of them.
        chain: The files of its chain, in order.
        includes: Files that the last one includes, some of them.
        more_includers: How many includers are not listed.
        more_includes: Likewise.
    """

    finding: Finding
    includers: tuple[str, ...]
    chain: tuple[str, ...]
    includes: tuple[str, ...]
    more_includers: int
    more_includes: int


@dataclass(frozen=True, slots=True)
class VerbView:
    """What a verb reads, and the shortest chain of calls to one of these reads.

    Attributes:
        gate: The gate whose sites count.
        verb: The verb's name.
        sites: How many sites it reaches.
        unmapped: How many of them no row maps.
        goal: The site that the chain leads to: an unmapped one, if there is any.
        chain: (path, line, what) of each step.
    """

    gate: str
    verb: str
    sites: int
    unmapped: int
    goal: str
    chain: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A saved run in the trend: its name and counts."""

    name: str
    trusted: bool
    errors: int
    accepted: int
    sites: int | None
    unmapped: int | None


@dataclass(frozen=True, slots=True)
class Dossier:
    """One run with its pictures.

    Attributes:
        report: The run, sites included.
        zones: References from zone to zone.
        accessors: Reads of each accessor by each zone that reads, or None where no gate has them.
        neighbourhoods: Around violations of include gates.
        verbs: By gate and name.
        memos: The memo census, or None where no gate has one.
        trend: Earlier runs, oldest first, and this one.
    """

    report: Report
    zones: Matrix
    accessors: Matrix | None
    neighbourhoods: tuple[Neighbourhood, ...] = ()
    verbs: tuple[VerbView, ...] = ()
    memos: MemoCensus | None = None
    trend: tuple[Point, ...] = ()
