"""What calls run on the paths of a function: bodies, lambdas, and what nobody sees.

A function's body is interpreted once for what is known of the flags that it is handed, and combined with what happened
before each call: what it does depends on nothing else of the path. Flags that it is handed by reference are its own
while it runs, and are handed back. One that calls itself is interpreted until that makes no difference. Only where it
is handed lambdas, which change flags of the caller's, its body is interpreted anew at each call.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.analysis.control_flow_model import (
    DEEPEST_CALL,
    Frame,
    Happened,
    Split,
    States,
    Truth,
    Undecided,
    merge,
    truth_of,
    united,
    with_truth,
    without,
)
from mgaudit.analysis.control_flow_shape import arguments_of, bits_of, is_reference
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import TypeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mgaudit.analysis.control_flow_model import Callee
    from mgaudit.analysis.control_flow_values import Values
    from mgaudit.facts.bodies import Node

Closure = tuple["Node", Frame]
"""A lambda, and the frame whose variables it uses."""


@dataclass(frozen=True, slots=True)
class _Ran:
    """What one interpretation of a body found.

    Attributes:
        exits: The truth of what it returns, what it knows of its flags, and what has happened in it.
        inside: What may have happened anywhere in it.
    """

    exits: tuple[tuple[Truth, int, Happened], ...]
    inside: Happened | None

    def shape(self) -> object:
        """What tells it apart, however it came about."""
        return {(*exit_[:2], *exit_[2].missed, *exit_[2].given) for exit_ in self.exits}, (
            self.inside and (*self.inside.missed, *self.inside.given)
        )


class _Question(NamedTuple):
    """A body, what its caller knows, what is known of its flags at the entry, which of them are handed back."""

    root: Node
    context: object
    entry: int
    references: frozenset[int]


class Calls:
    """Runs what calls reach.

    Args:
        values: Interprets bodies.
    """

    def __init__(self, values: Values) -> None:
        self._paths = values
        self._ran: dict[_Question, _Ran | Undecided] = {}
        self._open: dict[_Question, tuple[int, _Ran]] = {}  # those on the way, with what they are taken for
        self._returning = _NOBODY  # the outermost of them that something called again
        self._captured = 0  # the bits of flags that lambdas of the bodies looked at name

    def call(self, node: Node, frame: Frame, states: States) -> Split:
        """States after a call, by the truth of what it returns."""
        for child in node.children:
            states = self._paths.effect(child, frame, states)
        states = self._paths.happen(node, frame, states)
        if self._paths.happenings.ends(node):
            return Split({}, {}, {})
        if not states:
            return Split({}, {}, {})
        closures = self._closures(node, frame)
        if closures:
            states = self._unseen(node, frame, states, [f.symbol for f, _ in closures])
            if node.children[0].local in frame.shape.reached:  # it may have become another one
                return Split({}, {}, self._any_number(node, closures, frame, states))
            return _united(self._run_lambda(node, *closure, frame, states, is_direct=True) for closure in closures)
        callees = self._paths.happenings.callees(node, frame.context)
        lambdas = self.lambdas_among(node.children, frame)
        ran = {callee.symbol for callee in callees} | {function.symbol for function, _ in lambdas}
        states = self._unseen(node, frame, states, ran)
        if callees:
            return self._run_all(node, callees, frame, states)
        states = self._forget_flags(node, frame, states)
        return Split({}, {}, self._any_number(node, lambdas, frame, states))

    def _unseen(self, node: Node, frame: Frame, states: States, ran: Iterable[int | None]) -> States:
        """Something that is not followed may write."""
        if self._paths.happenings.unseen(node, frame.context, {symbol for symbol in ran if symbol is not None}):
            after = {key: happened.after(1, 0, node) for key, happened in states.items()}
            return self._paths.meet(united(states, after))
        return states

    def _any_number(self, node: Node, lambdas: Sequence[Closure], frame: Frame, states: States) -> States:
        """A function without a body may run the lambdas that it is handed, any number of times, in any order."""
        reached: States = {}
        fresh = states
        while fresh:
            self._paths.step(fresh, node)
            fresh = merge(reached, fresh)
            after = (self._run_lambda(node, function, owner, frame, fresh).all for function, owner in lambdas)
            fresh = merge(dict(reached), united(*after))
        return reached

    def _forget_flags(self, node: Node, frame: Frame, states: States) -> States:
        """What takes a flag by a non-const reference may change it."""
        return without(states, _named([argument for argument, is_reached in arguments_of(node) if is_reached], frame))

    # ---- functions with bodies

    def end(self, node: Node, frame: Frame, states: States) -> States:
        """States after the end of a variable, by a destructor."""
        return self._run_all(node, self._paths.happenings.callees(node, frame.context), frame, states).all

    def _run_all(self, node: Node, callees: Iterable[Callee], frame: Frame, states: States) -> Split:
        """Run every body that a call may reach."""
        return _united(self._run(node, root, callee, frame, states) for callee in callees for root in callee.roots)

    def frame(self, root: Node, context: object, active: frozenset[int]) -> Frame:
        """A new frame for a body, in which parameters that are references stand for nothing yet."""
        shape = self._paths.shape(root)
        self._captured |= shape.captured
        flags = {node: n for node, n in shape.flags.items() if not (is_parameter(node) and is_reference(node.type))}
        return Frame(context, active, self._paths.busy(root, shape, context), shape, flags)

    def _run(self, node: Node, root: Node, callee: Callee, frame: Frame, states: States) -> Split:
        inner = self.frame(root, callee.context, frame.active | {callee.symbol})
        handed = self._hand_over(node, root, inner, frame)
        if inner.lambdas:
            if callee.symbol in frame.active or len(frame.active) >= DEEPEST_CALL:
                raise Undecided("recursion that is handed lambdas", node)
            split = self._paths.body(root, inner, handed.entering(states))
            return handed.leaving(split, inner.shape.own)
        found = Split({}, {}, {})
        for key, happened in states.items():
            ran = self._once(node, root, inner, _Question(root, inner.context, handed.entry(0, key), handed.bound))
            if ran.inside is not None:
                self._paths.meet({key & ~handed.changed: happened.then(node, ran.inside)})
            for truth, left, within in ran.exits:
                merge(found.of(truth), {handed.left(key, left): happened.then(node, within)})
        return found

    def _once(self, node: Node, root: Node, frame: Frame, question: _Question) -> _Ran:
        """Interpret a body by itself, once for what is known of its flags where it begins."""
        known = self._ran.get(question)
        if known is None and question in self._open:  # it calls itself
            level, known = self._open[question]
            self._returning = min(self._returning, level)
            return known
        if known is None:
            known = self._interpreted(node, root, frame, question)
        if isinstance(known, Undecided):
            raise known
        return known

    def _interpreted(self, node: Node, root: Node, frame: Frame, question: _Question) -> _Ran | Undecided:
        """Interpret a body until what its calls of itself are taken for is what it does: the least fixed point."""
        level = len(self._open)
        if level >= DEEPEST_CALL:
            raise Undecided("calls nested too deeply", node)
        seen, returning = self._paths.seen, self._returning
        found, taken = _Ran((), None), None
        try:
            while taken is None or (self._returning <= level and found.shape() != taken.shape()):
                taken, self._open[question] = found, (level, found)
                self._paths.seen, self._returning = [{}], _NOBODY
                split = self._paths.body(root, frame, {question.entry: self._paths.start})
                found = _ran(split, self._paths.seen[0], question.references)
        except Undecided as undecided:
            self._ran[question] = undecided
            return undecided
        finally:
            del self._open[question]
            inner, self._returning = self._returning, min(returning, self._returning)
            self._paths.seen = seen
        if inner >= level:  # else it rests on what is not final
            self._ran[question] = found
            self._returning = returning
        return found

    def _hand_over(self, node: Node, function: Node, inner: Frame, frame: Frame) -> _Handed:
        """What the parameters of a body are: flags of the caller's, copies of them, lambdas."""
        handed = _Handed()
        parameters = [child for child in function.children if is_parameter(child)]
        for parameter, (argument, is_reached) in zip(parameters, arguments_of(node), strict=False):
            if lambdas := self.lambdas_among([argument], frame):
                inner.lambdas[parameter] = tuple(lambdas)
            own, flag = inner.shape.flags.get(parameter), self._paths.flag(argument, frame)
            if own is not None and not is_reference(parameter.type):
                handed.copies.append((own, _told(argument, frame)))
            elif own is not None and flag is not None:
                if flag in handed.references.values():
                    raise Undecided("a flag that goes by two names", node)
                handed.references[own] = flag
                inner.flags[parameter] = own
            elif is_reached:
                handed.lost |= _named([argument], frame)
        if (inner.lambdas or function.kind == ast.LAMBDA) and handed.changed & self._captured:
            raise Undecided("a flag that goes by two names", node)
        return handed

    # ---- lambdas

    def _closures(self, node: Node, frame: Frame) -> list[Closure]:
        """The lambdas that a call runs itself; none where it calls something else."""
        head = node.children[0] if node.children else None
        if head is None or not (node.flags & kinds.NODE_INDIRECT or _may_be_closure(node, head)):
            return []
        return self.lambdas_among([head], frame)

    def lambdas_among(self, nodes: Iterable[Node], frame: Frame) -> list[Closure]:
        """The lambdas that expressions are: written there, held by a local variable, or handed in."""
        found: list[Closure] = []
        for node in values_among(nodes, frame.shape.assigned):
            if node.kind == ast.LAMBDA:
                found.append((node, frame))
            elif node in frame.lambdas:
                found += frame.lambdas[node]
        return found

    def _run_lambda(  # noqa: PLR0913
        self, node: Node, function: Node, owner: Frame, frame: Frame, states: States, *, is_direct: bool = False
    ) -> Split:  # fmt: skip
        assert function.symbol is not None
        if function.symbol in frame.active or len(frame.active) >= DEEPEST_CALL:
            raise Undecided("a lambda that calls itself", node)
        context = self._paths.happenings.lambda_context(node, function.symbol, owner.context)
        busy = owner.busy if context is owner.context else self._paths.busy(function, owner.shape, context)
        inner = Frame(
            context, frame.active | {function.symbol}, busy, owner.shape, dict(owner.flags), dict(owner.lambdas)
        )  # fmt: skip
        handed = self._hand_over(node, function, inner, frame) if is_direct else _Handed()
        split = self._paths.body(function, inner, handed.entering(states))
        own = bits_of(owner.shape.flags[child] for child in function.children if child in owner.shape.flags)
        return handed.leaving(split, own)


class _Flag(NamedTuple):
    """The value of a flag, or its opposite."""

    number: int
    is_turned: bool

    def truth(self, key: int) -> Truth:
        """What a key knows of the value."""
        known = truth_of(key, self.number)
        return None if known is None else known != self.is_turned


class _Handed:
    """How flags go into a call and come back.

    Attributes:
        copies: Flags of the body, each with what it starts as: a truth, or that of a flag of the caller's.
        references: Flags of the body, each with the flag of the caller's that it stands for.
        lost: The bits of the caller's flags that the body may change unseen.
    """

    def __init__(self) -> None:
        self.copies: list[tuple[int, Truth | _Flag]] = []
        self.references: dict[int, int] = {}
        self.lost = 0

    @property
    def bound(self) -> frozenset[int]:
        """The flags of the body that stand for flags of the caller's."""
        return frozenset(self.references)

    @property
    def changed(self) -> int:
        """The bits of the caller's flags that the body may change."""
        return bits_of(self.references.values()) | self.lost

    def entry(self, base: int, key: int) -> int:
        """A key where the body begins: what it starts with, and what the caller knows of the flags handed over."""
        for own, told in self.copies:
            base = with_truth(base, own, told.truth(key) if isinstance(told, _Flag) else told)
        for own, flag in self.references.items():
            base = with_truth(base, own, truth_of(key, flag))
        return base

    def left(self, key: int, inner: int) -> int:
        """A key of the caller's after the call, by the key in which the body is left."""
        for own, flag in self.references.items():
            key = with_truth(key, flag, truth_of(inner, own))
        return key & ~self.lost

    def entering(self, states: States) -> States:
        """States where a body begins that goes on with the caller's flags."""
        found: States = {}
        for key, happened in states.items():
            merge(found, {self.entry(key, key): happened})
        return found

    def leaving(self, split: Split, own: int) -> Split:
        """States of the caller's where such a body is left; its own flags are gone."""
        found = Split({}, {}, {})
        for part, states in zip(found, split, strict=True):
            for key, happened in states.items():
                merge(part, {self.left(key, key) & ~own: happened})
        return found


def is_parameter(node: Node) -> bool:
    """Whether a node declares a parameter."""
    return node.kind == ast.PARAMETER


def values_among(nodes: Iterable[Node], assigned: Mapping[Node, Sequence[Node]]) -> Iterator[Node]:
    """The lambdas and parameters that expressions are or are made from, through local variables.

    Args:
        nodes: The expressions.
        assigned: See `Shape`.
    """
    waiting = list(nodes)
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop(0)
        if node in seen:
            continue
        seen.add(node)
        if node.kind == ast.LAMBDA or is_parameter(node):
            yield node
        elif node.kind == ast.NAME_EXPRESSION and node.local is not None:
            waiting += [node.local] if is_parameter(node.local) else node.local.children
            waiting += assigned.get(node.local, ())
        else:
            waiting += node.children


def _named(nodes: Iterable[Node], frame: Frame) -> int:
    """The bits of the flags that expressions name."""
    inner = (frame.flags.get(part.local) for node in nodes for part in node.walk() if part.local is not None)
    return bits_of({flag for flag in inner if flag is not None})


def _told(argument: Node, frame: Frame) -> Truth | _Flag:
    """What a flag starts as that gets the value of an argument."""
    if argument.kind in {kinds.BOOLEAN_LITERAL, kinds.INTEGER_LITERAL}:
        return None if argument.data is None else bool(argument.data)
    is_turned = argument.kind == ast.UNARY_OPERATOR and argument.data == kinds.LOGICAL_NOT
    named = argument.children[0] if is_turned else argument
    flag = frame.flags.get(named.local) if named.local is not None else None
    return None if flag is None else _Flag(flag, is_turned)


def _ran(split: Split, seen: States, references: frozenset[int]) -> _Ran:
    kept = bits_of(references)
    exits = []
    for truth, part in zip((True, False, None), split, strict=True):
        left: States = {}
        for key, happened in part.items():
            merge(left, {key & kept: happened})
        exits += [(truth, key, happened) for key, happened in left.items()]
    return _Ran(tuple(exits), reduce(Happened.joined, seen.values()) if seen else None)


def _united(splits: Iterable[Split]) -> Split:
    return reduce(Split.joined, splits, Split({}, {}, {}))


def _may_be_closure(node: Node, head: Node) -> bool:
    """Whether a member call may call its object."""
    is_member = node.flags & kinds.NODE_RECEIVER and node.symbol is not None
    return bool(is_member) and head.type is not None and head.type.kind is TypeKind.RECORD


_NOBODY: Final = DEEPEST_CALL + 1
