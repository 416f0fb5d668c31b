"""What the interpretation of control flow speaks of: states, flows, frames, and what nodes mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.facts.bodies import Node

MOST_STATES: Final = 4000
DEEPEST_CALL: Final = 24
MOST_STEPS: Final = 100_000
"""Of statements and expressions that one question may interpret."""

Truth: TypeAlias = "bool | None"
"""Of a flag or a condition; None where it is not known."""


class State(NamedTuple):
    """What has happened on a path.

    Attributes:
        written: 0 for nothing, 1 for something that may have been, 2 for a write.
        signals: One bit for each signal that was given.
        flags: Local flags with a known truth: (number, truth), sorted.
    """

    written: int = 0
    signals: int = 0
    flags: tuple[tuple[int, bool], ...] = ()

    def truth(self, flag: int) -> Truth:
        """What is known of a flag."""
        return next((truth for number, truth in self.flags if number == flag), None)

    def with_flag(self, flag: int, *, truth: Truth) -> State:
        """The state after an assignment to a flag."""
        kept = tuple(pair for pair in self.flags if pair[0] != flag)
        return self._replace(flags=kept if truth is None else tuple(sorted((*kept, (flag, truth)))))


class Undecided(Exception):  # noqa: N818  a verdict, not an error
    """The question has no answer; the message is the reason."""

    def __init__(self, reason: str, node: Node) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node


@dataclass(frozen=True, slots=True)
class Callee:
    """A function as it is called at one place.

    Attributes:
        symbol: Its id.
        roots: Its bodies, of which any may run.
        context: What its caller knows of it, handed back to `Happenings`.
    """

    symbol: int
    roots: tuple[Node, ...]
    context: object


class Happenings(Protocol):
    """What nodes mean to the question that is asked."""

    def at(self, node: Node, context: object) -> tuple[int, int]:
        """(written, signals) of what a node does itself, its callees aside."""

    def callees(self, node: Node, context: object) -> Sequence[Callee]:
        """The functions with bodies that a call reaches and in which something that matters may happen."""

    def lambda_context(self, node: Node, operator: int, context: object) -> object:
        """The context of a lambda's body where a call runs it."""

    def ends(self, node: Node) -> bool:
        """Whether a call never returns."""


@dataclass(slots=True)
class Bound:
    """What a parameter stands for: the flag of a caller, and the lambdas that it may be."""

    flag: int | None = None
    lambdas: tuple[tuple[Node, Frame], ...] = ()
    constant: Truth = None


@dataclass(slots=True)
class Frame:
    """One call: the function's context, and what its parameters are."""

    context: object
    depth: int
    active: frozenset[int]
    bound: dict[Node, Bound] = field(default_factory=dict)


@dataclass(slots=True)
class Flow:
    """Where states go from a statement."""

    following: set[State]
    breaks: set[State] = field(default_factory=set)
    continues: set[State] = field(default_factory=set)
    returns: set[tuple[State, Truth]] = field(default_factory=set)

    def absorb(self, other: Flow) -> None:
        """Take over the jumps of a part."""
        self.breaks |= other.breaks
        self.continues |= other.continues
        self.returns |= other.returns


Valued = set[tuple[State, Truth]]
"""States with the truth of a value, where that is known."""
