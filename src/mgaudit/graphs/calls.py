"""The call graph: who may call whom, how that is known, and which calls stay unresolved.

Nodes are symbols (`mgaudit.facts.query.Symbol` ids): functions, and the variables and fields whose initialisers call
something. Virtual calls follow class hierarchy analysis (Dean, Grove and Chambers, 1995): every override of the
statically named method. Calls through fields and variables that hold functions are field-based: every function stored
into the field of any object (as in Heintze and Tardieu, 2001).
"""

from __future__ import annotations

import enum
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from mgaudit.facts.entities import Symbol


class EdgeKind(enum.StrEnum):
    """How a callee is known."""

    DIRECT = "direct"
    CONSTRUCTOR = "constructor"
    DESTRUCTOR = "destructor"
    VIRTUAL = "virtual"
    SLOT = "slot"  # through a field or variable into which the callee was stored
    ADDRESS = "address"  # its address is taken here: whoever gets it may call it
    INSTANTIATES = "instantiates"  # from a template to its instantiations, which hold the resolved bodies
    LIBRARY = "library"  # a library template that is called here calls it back
    INITIALISER = "initialiser"  # from a constructor to the default member initialisers of its class


class Reason(enum.StrEnum):
    """Why a call stays unresolved."""

    EMPTY_SLOT = "no function is stored into it"
    NO_OVERRIDE = "nothing overrides the pure virtual method"
    PARAMETER = "a parameter is called: its callers decide"
    LOCAL = "a local pointer is called, of which no function is seen"
    MEMBER_POINTER = "a pointer to a member is called"
    DEPENDENT = "the name depends on a template parameter, and nothing instantiates it"
    EXPRESSION = "the result of an expression is called"


class CallEdge(msgspec.Struct, frozen=True, gc=False):
    """A possible call.

    Attributes:
        source: Id of the caller.
        target: Id of the callee.
        kind: How it is known.
        path: The file of the call.
        line: 1-based.
        column: 1-based, in bytes.
        through: Id of the field, variable or method that the caller names in place of the callee, or None.
        mask: Bit i is set where configuration i has the call.
    """

    source: int
    target: int
    kind: EdgeKind
    path: str
    line: int
    column: int
    through: int | None
    mask: int


@dataclass(frozen=True, slots=True)
class UnresolvedCall:
    """A call whose callee is not known; ``through`` is what it names, or None."""

    path: str
    line: int
    column: int
    source: int
    reason: Reason
    through: int | None
    mask: int


class CallGraph:
    """The calls of a tree.

    Args:
        edges: In any order.
        unresolved: In any order.
        symbols: Every symbol that they name, by id.
    """

    def __init__(
        self, edges: Iterable[CallEdge], unresolved: Iterable[UnresolvedCall], symbols: Mapping[int, Symbol]
    ) -> None:
        self.symbols = symbols
        self.edges: tuple[CallEdge, ...] = tuple(sorted(edges, key=self._order))
        self.unresolved: tuple[UnresolvedCall, ...] = tuple(
            sorted(unresolved, key=lambda u: (u.path, u.line, u.column, u.reason, self._name(u.source), u.mask))
        )

    @cached_property
    def _outgoing(self) -> Mapping[int, list[CallEdge]]:
        found: dict[int, list[CallEdge]] = defaultdict(list)
        for edge in self.edges:
            found[edge.source].append(edge)
        return found

    @cached_property
    def _incoming(self) -> Mapping[int, list[CallEdge]]:
        found: dict[int, list[CallEdge]] = defaultdict(list)
        for edge in self.edges:
            found[edge.target].append(edge)
        return found

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """Ids of all callers and callees, sorted by name."""
        ends = {edge.source for edge in self.edges} | {edge.target for edge in self.edges}
        return tuple(sorted(ends, key=self._name))

    def callees(self, symbol: int) -> Sequence[CallEdge]:
        """The edges that leave a symbol, in source order."""
        return self._outgoing.get(symbol, ())

    def callers(self, symbol: int) -> Sequence[CallEdge]:
        """The edges that lead to a symbol, in source order."""
        return self._incoming.get(symbol, ())

    def reachable(self, starts: Iterable[int]) -> frozenset[int]:
        """What symbols may call at any depth, themselves included."""
        seen = set(starts)
        waiting = deque(seen)
        while waiting:
            for edge in self.callees(waiting.popleft()):
                if edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)
        return frozenset(seen)

    def chain(self, starts: Collection[int], goals: Collection[int]) -> list[CallEdge] | None:
        """The shortest chain of calls from any start to any goal; of equal ones, the first in source order.

        A start that is a goal itself counts only where calls lead back to it.
        """
        seen: set[int] = set()
        level: list[tuple[int, list[CallEdge]]] = [(start, []) for start in sorted(starts, key=self._name)]
        while level:
            following: dict[int, list[CallEdge]] = {}
            for symbol, chain in level:
                for edge in self.callees(symbol):
                    if edge.target not in seen and edge.target not in following:
                        following[edge.target] = [*chain, edge]
            hits = [chain for target, chain in following.items() if target in goals]
            if hits:
                return min(hits, key=self._chain_order)
            seen |= following.keys()
            level = sorted(following.items(), key=lambda item: self._chain_order(item[1]))
        return None

    def unresolved_counts(self) -> dict[Reason, int]:
        """How many calls stay unresolved, by reason."""
        counts = Counter(call.reason for call in self.unresolved)
        return {reason: counts[reason] for reason in Reason if counts[reason]}

    def _name(self, symbol: int) -> tuple[str, str, str]:
        """What orders symbols the same in every run, unlike their ids."""
        known = self.symbols[symbol]
        return known.qualified, known.usr, known.place

    def _order(self, edge: CallEdge) -> tuple[object, ...]:
        return edge.path, edge.line, edge.column, self._name(edge.source), self._name(edge.target), edge.kind, edge.mask

    def _chain_order(self, chain: list[CallEdge]) -> list[tuple[object, ...]]:
        return [self._order(edge) for edge in chain]
