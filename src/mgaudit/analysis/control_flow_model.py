"""What the interpretation of control flow speaks of: what has happened on paths, flows, frames, and what nodes mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mgaudit.analysis.control_flow_shape import Shape
    from mgaudit.facts.bodies import Node

MOST_STATES: Final = 1000
"""Of valuations of flags that one place may be reached with."""

DEEPEST_CALL: Final = 40
MOST_STEPS: Final = 100_000
"""Of statements and expressions that one question may interpret."""

Truth: TypeAlias = "bool | None"
"""Of a flag or a condition; None where it is not known."""


class Happened(NamedTuple):
    """What may have happened on the paths to one place, each signal seen for itself.

    Bit k of `missed_w` is set where some path has written so much (0: nothing, 1: what may be state, 2: state) without
    giving signal k; bit k of `given_w` where some path gave it. Signals steer no branch, so nothing is lost by keeping
    them apart, and states do not multiply with their number.

    Attributes:
        witness: The nodes that lead to a write of some path in `missed_2`, from the outermost call inwards.
    """

    missed_0: int
    missed_1: int
    missed_2: int
    given_0: int
    given_1: int
    given_2: int
    witness: tuple[Node, ...] = ()

    @property
    def missed(self) -> tuple[int, int, int]:
        """By how much was written, the signals that some path has not given."""
        return self[:3]

    @property
    def given(self) -> tuple[int, int, int]:
        """By how much was written, the signals that some path has given."""
        return self[3:6]

    def after(self, written: int, signals: int, node: Node) -> Happened:
        """What has happened after a node that writes and gives signals."""
        m0, m1, m2, g0, g1, g2, witness = self
        if written == 2:
            witness = witness if m2 else (node,)
            m0, m1, m2, g0, g1, g2 = 0, 0, m0 | m1 | m2, 0, 0, g0 | g1 | g2
        elif written:
            m0, m1, g0, g1 = 0, m0 | m1, 0, g0 | g1
        if signals:
            g0, g1, g2 = g0 | m0 & signals, g1 | m1 & signals, g2 | m2 & signals
            m0, m1, m2 = m0 & ~signals, m1 & ~signals, m2 & ~signals
        return Happened(m0, m1, m2, g0, g1, g2, witness if m2 else ())

    def joined(self, other: Happened) -> Happened:
        """What may have happened where paths meet."""
        a0, a1, a2, b0, b1, b2, witness = self
        m0, m1, m2, g0, g1, g2, others = other
        return Happened(a0 | m0, a1 | m1, a2 | m2, b0 | g0, b1 | g1, b2 | g2, witness or others)

    def then(self, call: Node, inner: Happened) -> Happened:
        """What has happened after a call in which, by itself, `inner` may happen."""
        missed, given = [0, 0, 0], [0, 0, 0]
        for before, (m, g) in enumerate(zip(self.missed, self.given, strict=True)):
            if not m and not g:
                continue
            for added, (inner_m, inner_g) in enumerate(zip(inner.missed, inner.given, strict=True)):
                written = max(before, added)
                missed[written] |= m & inner_m
                given[written] |= g & (inner_m | inner_g) | m & inner_g
        own = self.missed_2 & (inner.missed_0 | inner.missed_1 | inner.missed_2)
        witness = self.witness if own else (call, *inner.witness)
        m0, m1, m2 = missed
        g0, g1, g2 = given
        return Happened(m0, m1, m2, g0, g1, g2, witness if m2 else ())

    def is_more_than(self, other: Happened) -> bool:
        """Whether some path here does what none of the others does."""
        mine, known = (*self.missed, *self.given), (*other.missed, *other.given)
        return any(own & ~others for own, others in zip(mine, known, strict=True))


States = dict[int, Happened]
"""What has happened by what is known of flags: bit 2k of a key is set where flag k is true, bit 2k + 1 where false."""


def truth_of(key: int, flag: int) -> Truth:
    """What a key knows of a flag."""
    known = key >> 2 * flag & 3
    return None if not known else known == 1


def with_truth(key: int, flag: int, truth: Truth) -> int:
    """A key after an assignment to a flag."""
    return key & ~(3 << 2 * flag) | (0 if truth is None else (1 if truth else 2) << 2 * flag)


def merge(known: States, more: States) -> States:
    """Add states to others; what is new, with all that is known there."""
    fresh: States = {}
    for key, happened in more.items():
        before = known.get(key)
        if before is None:
            fresh[key] = known[key] = happened
        elif happened.is_more_than(before):
            fresh[key] = known[key] = before.joined(happened)
    return fresh


def united(*parts: States) -> States:
    """States where paths meet."""
    filled = [part for part in parts if part]
    if len(filled) < 2:
        return filled[0] if filled else {}
    found = dict(filled[0])
    for part in filled[1:]:
        merge(found, part)
    return found


def without(states: States, flags: int) -> States:
    """States that know nothing of some flags."""
    if not any(key & flags for key in states):
        return states
    found: States = {}
    for key, happened in states.items():
        merge(found, {key & ~flags: happened})
    return found


class Split(NamedTuple):
    """States by the truth of a value."""

    true: States
    false: States
    unknown: States

    @property
    def all(self) -> States:
        """Whatever the value is."""
        return united(*self)

    def joined(self, other: Split) -> Split:
        """Where paths meet."""
        return Split(*map(united, self, other))

    def of(self, truth: Truth) -> States:
        """The states of a truth."""
        return self.unknown if truth is None else self.true if truth else self.false


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
    """What nodes mean to the question that is asked. Contexts are told apart by identity."""

    def at(self, node: Node, context: object) -> tuple[int, int]:
        """(written, signals) of what a node does itself, its callees aside."""

    def callees(self, node: Node, context: object) -> Sequence[Callee]:
        """The functions with bodies that a call reaches and in which something that matters may happen."""

    def unseen(self, node: Node, context: object, ran: Iterable[int]) -> bool:
        """Whether a call writes by a function that is not among those whose bodies were interpreted."""

    def lambda_context(self, node: Node, operator: int, context: object) -> object:
        """The context of a lambda's body where a call runs it."""

    def is_construction(self, node: Node) -> bool:
        """Whether a call makes an object."""

    def is_assignment(self, node: Node) -> bool:
        """Whether a call gives its object another value."""

    def skips(self, node: Node) -> bool:
        """Whether a call evaluates none of its arguments."""

    def ends(self, node: Node) -> bool:
        """Whether a call never returns."""


@dataclass(slots=True)
class Frame:
    """One call that is interpreted.

    Attributes:
        context: What `Happenings` knows of the function.
        active: The functions on the way here.
        busy: The nodes in or below which something happens; others are passed over.
        shape: Of the body.
        flags: The flags that its variables are here.
        lambdas: What the parameters may be called as.
        left: Collects the statements that leave the function, with what may have happened before; None where nobody
            asks.
    """

    context: object
    active: frozenset[int]
    busy: frozenset[Node]
    shape: Shape
    flags: dict[Node, int]
    lambdas: dict[Node, tuple[tuple[Node, Frame], ...]] = field(default_factory=dict)
    left: list[tuple[Node, Happened]] | None = None


@dataclass(slots=True)
class Flow:
    """Where states go from a statement."""

    following: States
    breaks: States = field(default_factory=dict)
    continues: States = field(default_factory=dict)
    returns: Split = field(default_factory=lambda: Split({}, {}, {}))

    def absorb(self, other: Flow) -> None:
        """Take over the jumps of a part."""
        self.breaks = united(self.breaks, other.breaks)
        self.continues = united(self.continues, other.continues)
        self.returns = self.returns.joined(other.returns)

    def without(self, flags: int) -> Flow:
        """The same where some flags have gone out of scope."""
        returns = Split(*(without(states, flags) for states in self.returns))
        return Flow(
            without(self.following, flags), without(self.breaks, flags), without(self.continues, flags), returns
        )  # fmt: skip
