"""Matrices of an analysis: who uses whom, counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.matrix import zone_matrix
from mgaudit.domain.matrix import Matrix
from mgaudit.engine.censuses import census_of
from mgaudit.graphs.zones import Membership

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.config.model import GateSpec
    from mgaudit.engine.pipeline import Analysis

_READ: Final = frozenset({"value", "handle", "bytes"})


def by_zone(analysis: Analysis) -> Matrix:
    """References from the files of each zone to entities of each."""
    return zone_matrix(analysis.facts, Membership(analysis.files, analysis.facts))


def by_accessor(analysis: Analysis, gates: Iterable[GateSpec]) -> Matrix:
    """Reads of each accessor by each zone that some gates of the kind ``reads`` guard; the most read first.

    Raises:
        UntrustedError: See `census_of`.
    """
    gates = tuple(gates)
    zones = sorted({name for gate in gates for name in gate.parameters.from_zones})  # type: ignore[attr-defined]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for site in census_of(analysis, gates, "reads").sites:
        if site.kind in _READ and site.role != "write":
            counts[site.accessor].update(name for name in analysis.files.zones_of(site.path) if name in zones)
    ordered = sorted(counts, key=lambda name: (-counts[name].total(), name))
    return Matrix("reads", "of", "in", tuple(zones), {name: counts[name] for name in ordered})
