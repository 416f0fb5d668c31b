"""The matrix of the zones: how often each refers to entities of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from mgaudit.domain.matrix import Matrix
from mgaudit.facts.rows import tracked_uses
from mgaudit.graphs.zones import OUTSIDE

if TYPE_CHECKING:
    from mgaudit.facts.query import Facts
    from mgaudit.graphs.zones import Membership


def zone_matrix(facts: Facts, membership: Membership) -> Matrix:
    """References once a place and entity: the zones of the referring file against those of the entity.

    Entities that no file of the tree declares, and names of namespaces, are left out. A file or an entity in several
    zones counts for each of them, one in none for `OUTSIDE`.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for path, symbol, _, _ in tracked_uses(facts):
        if membership.is_declared(symbol):
            for source in membership.of_path(path) or (OUTSIDE,):
                counts[source].update(membership.of_symbol(symbol) or (OUTSIDE,))
    names = sorted({*counts, *(target for row in counts.values() for target in row)})
    return Matrix("references", "from", "to", tuple(names), {name: counts[name] for name in names})
