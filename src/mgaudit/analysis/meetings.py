"""Where the reach of the backend and a change of state meet: the innermost functions in which both happen.

Each function outside of the state is looked at after its callees. What a callee leaves open (a mutation beside which
nothing reaches the backend) is a mutation of the caller's, at the call; once the two have met, the pair is settled.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mgaudit.facts.bodies import bodies_of
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mgaudit.analysis.effects_model import Deeds, Evidence
    from mgaudit.analysis.mutators import Reach, State
    from mgaudit.facts.bodies import Node


@dataclass(frozen=True, slots=True)
class Pair:
    """A function in which the reach of the backend and a mutation meet.

    Attributes:
        function: Id of the function.
        mutator: Id of what is named.
        node: The mutating call or write, or the call of the helper that makes it; the first of several.
        evidence: The deed, or the helper's.
        reached: Where the backend is reached.
        is_certain: False where only something unknown may write.
        mask: Bit i is set where configuration i has the body.
    """

    function: int
    mutator: int
    node: Node
    evidence: Evidence
    reached: Node
    is_certain: bool
    mask: int


@dataclass(slots=True)
class _Open:
    """What a function leaves to its callers."""

    reached: bool = False
    mutations: dict[int, tuple[Evidence, bool]] = field(default_factory=dict)


class Meetings:
    """The pairs of a tree.

    Args:
        state: The state and who changes it.
        reach: What leads to the backend.
        is_owed: Whether a function owes verdicts; another one passes everything on to its callers.
    """

    def __init__(self, state: State, reach: Reach, is_owed: Callable[[int], bool]) -> None:
        self._state = state
        self._reach = reach
        self._is_owed = is_owed
        self._bodies = bodies_of(state.facts)
        self._open: dict[int, _Open] = {}
        self._reaching: dict[int, bool] = {}
        self._calls: dict[int, list[tuple[Node, Deeds]]] = {}
        self._callees_at: dict[int, dict[Node, list[int]]] = {}
        self.pairs: list[Pair] = []

    def find(self) -> list[Pair]:
        """Every pair, by function and place."""
        for function in self._state.outside:
            self._visit(function)
        return self.pairs

    def _visit(self, start: int) -> None:
        """Callees first; a function that calls itself, at any depth, is looked at without what it leaves open."""
        stack = [(start, iter(self._callees(start)))]
        entered = {start}
        while stack:
            function, callees = stack[-1]
            following = next((c for c in callees if c not in self._open and c not in entered), None)
            if following is not None:
                entered.add(following)
                stack.append((following, iter(self._callees(following))))
                continue
            stack.pop()
            if function not in self._open:
                self._open[function] = self._judge(function)

    def _callees(self, function: int) -> list[int]:
        found = {c for callees in self._sites(function).values() for c in callees}
        return sorted(found, key=lambda s: (self._state.facts.symbol(s).qualified, self._state.facts.symbol(s).usr, s))

    # ---- one function

    def _judge(self, function: int) -> _Open:
        mutations: dict[int, tuple[Node, Evidence, bool]] = {}
        for mutation in self._state.mutations(function):
            known = mutations.get(mutation.mutator)
            if known is None or (mutation.is_certain and not known[2]):
                mutations[mutation.mutator] = (mutation.node, mutation.evidence, mutation.is_certain)
        reached: Node | None = None
        mask = 0
        for deeds in self._state.deeds(function):
            mask |= deeds.row.mask
        for node, deeds in self._calling(function):
            if reached is None and self._reaches(node, deeds):
                reached = node
        for node, callees in self._sites(function).items():
            for callee in callees:
                left = self._open.get(callee, _Open())
                for mutator, (evidence, is_certain) in left.mutations.items():
                    mutations.setdefault(mutator, (node, evidence, is_certain))
                if reached is None and left.reached:
                    reached = node
        if reached is not None and self._is_owed(function):
            for mutator, (node, evidence, is_certain) in mutations.items():
                self.pairs.append(Pair(function, mutator, node, evidence, reached, is_certain, mask))
            return _Open(reached=True)
        return _Open(reached is not None, {m: (evidence, sure) for m, (_, evidence, sure) in mutations.items()})

    def _reaches(self, node: Node, deeds: Deeds) -> bool:
        """Whether a call goes to the backend, itself or through a function of the state."""
        if self._state.reaches(node, deeds, self._reach):
            return True
        if node.kind != ast.CALL_EXPRESSION or node.symbol is None or not self._state.entities.is_inside(node.symbol):
            return False
        return any(map(self._state_reaches, self._targets(node, deeds)))

    def _state_reaches(self, start: int) -> bool:
        """Whether a function of the state reaches the backend, at any depth."""
        known = self._reaching.get(start)
        if known is not None:
            return known
        seen, waiting = {start}, [start]
        found = False
        while waiting and not found:
            function = waiting.pop()
            for node, deeds in self._calling(function):
                if self._state.reaches(node, deeds, self._reach):
                    found = True
                elif node.kind == ast.CALL_EXPRESSION:
                    fresh = [t for t in self._targets(node, deeds) if t not in seen]
                    seen.update(fresh)
                    waiting += fresh
        self._reaching[start] = found
        return found

    # ---- calls

    def _calling(self, function: int) -> list[tuple[Node, Deeds]]:
        """The nodes of a function that may call others, or hand them over, in source order."""
        known = self._calls.get(function)
        if known is None:
            known = self._calls[function] = [
                (node, deeds) for deeds in self._state.deeds(function) for node in self._bodies.nodes(deeds.row)
                if node.kind in _CALLING
            ]  # fmt: skip
        return known

    def _sites(self, function: int) -> dict[Node, list[int]]:
        """The calls of a function that lead to functions outside of the state, in source order."""
        known = self._callees_at.get(function)
        if known is None:
            known = self._callees_at[function] = defaultdict(list)
            for node, deeds in self._calling(function):
                if node.kind == ast.CALL_EXPRESSION and not self._state.reaches(node, deeds, self._reach):
                    known[node] += self._outside(node, deeds, function)
                elif node.kind == kinds.DESTRUCTION:
                    known[node] += [t for t in self._targets(node, deeds) if self._is_outside(t)]
                elif node.kind == ast.VARIABLE:
                    known[node] += [f for f in _handed(node, self._state) if self._is_outside(f)]
        return known

    def _outside(self, node: Node, deeds: Deeds, function: int) -> Iterator[int]:
        for target in (*self._targets(node, deeds), *_handed(node, self._state)):
            if target != function and self._is_outside(target):
                yield target

    def _is_outside(self, function: int) -> bool:
        return self._state.effects.has_own_body(function) and not self._state.entities.is_inside(function)

    def _targets(self, node: Node, deeds: Deeds) -> list[int]:
        """The functions that a call may reach."""
        effects = self._state.effects
        if node.symbol is not None and not node.flags & kinds.NODE_INDIRECT:
            is_dynamic = node.flags & kinds.NODE_DYNAMIC or node.kind == kinds.DESTRUCTION
            dynamic = effects.overriders(node.symbol) if is_dynamic else ()
            return [t for t in (node.symbol, *dynamic) if effects.has_own_body(t)]
        return [t for t in effects.functions_at(deeds.callees.get(node, {})) if effects.has_own_body(t)]


def _handed(node: Node, state: State) -> list[int]:
    """The functions whose addresses a call hands over, or a local variable starts with."""
    if node.kind == ast.CALL_EXPRESSION and node.symbol is not None:
        symbol = state.facts.symbol(node.symbol)
        if symbol.name == "operator=":  # which keeps it for later
            return []
    found = []
    waiting = list(node.children)
    while waiting:
        child = waiting.pop()
        if child.kind == ast.NAME_EXPRESSION and child.symbol is not None:
            if state.facts.symbol(child.symbol).kind in FUNCTION_KINDS:
                found.append(child.symbol)
        elif child.kind not in {ast.CALL_EXPRESSION, ast.LAMBDA}:
            waiting += child.children
    return found


_CALLING: Final = frozenset({ast.CALL_EXPRESSION, kinds.DESTRUCTION, ast.VARIABLE})
