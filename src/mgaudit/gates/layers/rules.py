"""The rules over zones, and the search for what breaks them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mgaudit.gates.layers.edges import Edge

Chain = tuple["Edge", ...]


class Rule(Protocol):
    """Which zones may use which."""

    def governs(self, zones: frozenset[str]) -> bool:
        """Whether the rule says anything about what is in some zones; a chain ends where it does."""

    def breach(self, source: frozenset[str], target: frozenset[str]) -> str:
        """Why what is in some zones must not use what is in others; empty where it may."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """Zones from top to bottom, each using only those below; what is in several belongs to the topmost."""

    layers: tuple[str, ...]

    def governs(self, zones: frozenset[str]) -> bool:
        """See `Rule`."""
        return not zones.isdisjoint(self.layers)

    def breach(self, source: frozenset[str], target: frozenset[str]) -> str:
        """See `Rule`."""
        below, above = self._top(source), self._top(target)
        if below <= above:
            return ""
        return f"the layer {self.layers[below]} is below the layer {self.layers[above]}"

    def _top(self, zones: frozenset[str]) -> int:
        return next(index for index, name in enumerate(self.layers) if name in zones)


@dataclass(frozen=True, slots=True)
class Independent:
    """Zones that use none of each other."""

    group: tuple[str, ...]

    def governs(self, zones: frozenset[str]) -> bool:
        """See `Rule`."""
        return not zones.isdisjoint(self.group)

    def breach(self, source: frozenset[str], target: frozenset[str]) -> str:
        """See `Rule`."""
        own, other = source.intersection(self.group), target.intersection(self.group)
        if own & other:
            return ""
        return f"the zones {min(own)} and {min(other)} are independent"


@dataclass(frozen=True, slots=True)
class Breach:
    """A chain that breaks a rule, and why."""

    chain: Chain
    reason: str


def breaches(
    rule: Rule, adjacency: Mapping[str, Sequence[Edge]], zones: Mapping[str, frozenset[str]]
) -> Iterator[Breach]:
    """For each file that a rule governs, and each entity that it must not use, the shortest chain to it.

    Chains pass through files that the rule says nothing about; what a governed file uses is found there.

    Args:
        rule: The rule.
        adjacency: The edges by using file, each list sorted.
        zones: The zones of every file.
    """
    for start in sorted(adjacency):
        own = zones.get(start, frozenset())
        if not rule.governs(own):
            continue
        seen = {start}
        found: set[str] = set()
        waiting: deque[tuple[str, Chain]] = deque([(start, ())])
        while waiting:
            path, chain = waiting.popleft()
            for edge in adjacency.get(path, ()):
                longer = (*chain, edge)
                if not rule.governs(edge.zones):
                    if edge.target not in seen:
                        seen.add(edge.target)
                        waiting.append((edge.target, longer))
                elif edge.entity not in found and (reason := rule.breach(own, edge.zones)):
                    found.add(edge.entity)
                    yield Breach(longer, reason)
