"""Expressions on the paths of a function: truths of flags and conditions, and what calls run."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.control_flow_calls import Calls
from mgaudit.analysis.control_flow_model import (
    MOST_STATES,
    MOST_STEPS,
    Flow,
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
)
from mgaudit.analysis.control_flow_shape import Shape, shape_of
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast

if TYPE_CHECKING:
    from mgaudit.analysis.control_flow_model import Happenings
    from mgaudit.facts.bodies import Node


class Values:
    """Evaluates expressions; statements are those of the class that completes it.

    Args:
        happenings: What nodes mean.
        signals: The bits of the signals that are asked for.
    """

    def __init__(self, happenings: Happenings, signals: int) -> None:
        self.happenings = happenings
        self.start = Happened(signals, 0, 0, 0, 0, 0)
        self.seen: list[States] = []  # the states met in each `try` around, and in the function
        self.calls = Calls(self)
        self.steps = 0
        self._shapes: dict[Node, Shape] = {}
        self._most_flags = 0

    @abstractmethod
    def statement(self, node: Node, frame: Frame, states: States) -> Flow:
        """Where states go from a statement."""

    @abstractmethod
    def body(self, root: Node, frame: Frame, states: States) -> Split:
        """States after a function or a lambda, by the truth of what it returns."""

    @abstractmethod
    def busy(self, root: Node, shape: Shape, context: object) -> frozenset[Node]:
        """The nodes of a body in or below which something happens, is decided, or leaves."""

    def shape(self, root: Node) -> Shape:
        """The shape of a body; flags of different bodies have different numbers."""
        known = self._shapes.get(root)
        if known is None:
            known = self._shapes[root] = shape_of(
                root, self._most_flags, self.happenings.is_construction, self.happenings.is_assignment
            )
            self._most_flags += len(known.flags)
        return known

    def step(self, states: States, node: Node) -> None:
        """One more node is interpreted.

        Raises:
            Undecided: There were too many, or they are reached in too many ways.
        """
        self.steps += 1
        if len(states) > MOST_STATES or self.steps > MOST_STEPS:
            raise Undecided("too many paths", node)

    def meet(self, states: States) -> States:
        """Remember states that an exception may be thrown in."""
        for seen in self.seen:
            merge(seen, states)
        return states

    # ---- conditions

    def flag(self, node: Node, frame: Frame) -> int | None:
        """The flag that an expression names."""
        if node.kind != ast.NAME_EXPRESSION or node.local is None:
            return None
        return frame.flags.get(node.local)

    def branch(self, node: Node, frame: Frame, states: States) -> tuple[States, States]:
        """The states in which a condition holds, and those in which it does not."""
        true, false, unknown = self.split(node, frame, states)
        flag = self.flag(node, frame)
        if flag is not None:
            return united(true, _assigned(unknown, flag, truth=True)), united(
                false, _assigned(unknown, flag, truth=False)
            )
        return united(true, unknown), united(false, unknown)

    def split(self, node: Node, frame: Frame, states: States) -> Split:
        """Evaluate an expression: states by its truth."""
        if not states:
            return _NOWHERE
        if node.kind in {kinds.BOOLEAN_LITERAL, kinds.INTEGER_LITERAL}:
            return _by_truth(states, None if node.data is None else bool(node.data))
        flag = self.flag(node, frame)
        if flag is not None:
            found = Split({}, {}, {})
            for key, happened in states.items():
                truth = truth_of(key, flag)
                (found.unknown if truth is None else found.true if truth else found.false)[key] = happened
            return found
        if node.kind in ast.INITIALISER_LISTS and len(node.children) == 1:
            return self.split(node.children[0], frame, states)
        splitter = self._splitters.get(node.kind)
        if splitter is None or node not in frame.busy:
            return Split({}, {}, self.effect(node, frame, states))
        self.step(states, node)
        return splitter(self, node, frame, states)

    def _not(self, node: Node, frame: Frame, states: States) -> Split:
        if node.data != kinds.LOGICAL_NOT:
            return Split({}, {}, self.effect(node, frame, states))
        operand = node.children[0]
        if self.flag(operand, frame) is not None:
            true, false = self.branch(operand, frame, states)
            return Split(false, true, {})
        true, false, unknown = self.split(operand, frame, states)
        return Split(false, true, unknown)

    def _binary(self, node: Node, frame: Frame, states: States) -> Split:
        if node.data in {kinds.LOGICAL_AND, kinds.LOGICAL_OR} and len(node.children) == 2:
            left, right = node.children
            true, false = self.branch(left, frame, states)
            second = self.branch(right, frame, true if node.data == kinds.LOGICAL_AND else false)
            if node.data == kinds.LOGICAL_AND:
                return Split(second[0], united(false, second[1]), {})
            return Split(united(true, second[0]), second[1], {})
        if node.data in {kinds.EQUAL, kinds.UNEQUAL}:
            return self._compared(node, frame, states)
        if node.data == kinds.COMMA and len(node.children) == 2:
            return self.split(node.children[1], frame, self.effect(node.children[0], frame, states))
        if node.data == kinds.ASSIGN and len(node.children) == 2 and self.flag(node.children[0], frame) is not None:
            states = self.effect(node, frame, states)
            return self.split(node.children[0], frame, states)
        return Split({}, {}, self.effect(node, frame, states))

    def _compared(self, node: Node, frame: Frame, states: States) -> Split:
        """``flag == true`` and the like; anything else is not known."""
        for one, other in (node.children, reversed(node.children)):
            if one.kind == kinds.BOOLEAN_LITERAL and self.flag(other, frame) is not None:
                true, false = self.branch(other, frame, states)
                is_same = (one.data == 1) == (node.data == kinds.EQUAL)
                return Split(true, false, {}) if is_same else Split(false, true, {})
        return Split({}, {}, self.effect(node, frame, states))

    def _conditional(self, node: Node, frame: Frame, states: States) -> Split:
        if len(node.children) != 3:
            raise Undecided("a conditional operator without a middle", node)
        condition, first, second = node.children
        true, false = self.branch(condition, frame, states)
        return self.split(first, frame, true).joined(self.split(second, frame, false))

    def _call(self, node: Node, frame: Frame, states: States) -> Split:
        if self.happenings.skips(node):
            return Split({}, {}, states)
        return self.calls.call(node, frame, states)

    # ---- expressions

    def effect(self, node: Node, frame: Frame, states: States) -> States:
        """Evaluate an expression, whatever its value."""
        if not states or node not in frame.busy:
            return states
        self.step(states, node)
        evaluate = self._evaluators.get(node.kind)
        if evaluate is not None:
            return evaluate(self, node, frame, states)
        for child in node.children:
            if child.kind in _STATEMENTS:
                states = self.statement(child, frame, states).following
            else:
                states = self.effect(child, frame, states)
        return self.happen(node, frame, states)

    def happen(self, node: Node, frame: Frame, states: States) -> States:
        """What a node does itself."""
        written, signals = self.happenings.at(node, frame.context)
        if written or signals:
            return self.meet({key: happened.after(written, signals, node) for key, happened in states.items()})
        return states

    def assign(self, flag: int, value: Node, frame: Frame, states: States) -> States:
        """A flag gets the truth of an expression."""
        true, false, unknown = self.split(value, frame, states)
        return self.meet(
            united(
                _assigned(true, flag, truth=True), _assigned(false, flag, truth=False),
                _assigned(unknown, flag, truth=None),
            )
        )  # fmt: skip

    def _binary_effect(self, node: Node, frame: Frame, states: States) -> States:
        if node.data in {kinds.LOGICAL_AND, kinds.LOGICAL_OR}:
            return self._binary(node, frame, states).all
        if node.data == kinds.ASSIGN and len(node.children) == 2:
            target, value = node.children
            flag = self.flag(target, frame)
            if flag is not None:
                return self.happen(node, frame, self.assign(flag, value, frame, states))
            states = self.effect(target, frame, self.effect(value, frame, states))
        else:
            for child in node.children:
                states = self.effect(child, frame, states)
        return self.happen(node, frame, states)

    def _compound(self, node: Node, frame: Frame, states: States) -> States:
        target, value = node.children
        flag = self.flag(target, frame)
        if flag is None:
            return self.happen(node, frame, self.effect(target, frame, self.effect(value, frame, states)))
        changed: States = {}
        for part, truth in zip(self.split(value, frame, states), (True, False, None), strict=True):
            for key, happened in part.items():
                combined = _combined(node.data, truth_of(key, flag), truth)
                merge(changed, {with_truth(key, flag, combined): happened})
        return self.happen(node, frame, self.meet(changed))

    def _unary(self, node: Node, frame: Frame, states: States) -> States:
        for child in node.children:
            states = self.effect(child, frame, states)
        flag = self.flag(node.children[0], frame) if node.children and node.data in kinds.INCREMENTS else None
        if flag is not None:
            states = self.meet(_assigned(states, flag, truth=None))
        return self.happen(node, frame, states)

    def _lambda(self, node: Node, frame: Frame, states: States) -> States:
        """Only what it captures by a value of its own is evaluated where it stands."""
        for child in node.children:
            if child.kind == ast.VARIABLE:
                states = self.statement(child, frame, states).following
        return states

    def _type_of(self, node: Node, frame: Frame, states: States) -> States:
        """``typeid``: only an object of a class may be evaluated."""
        for child in node.children:
            if child.type is not None and child.type.kind == kinds.TypeKind.RECORD:
                states = united(states, self.effect(child, frame, states))
        return states

    def _selection(self, node: Node, frame: Frame, states: States) -> States:
        """``_Generic``: what it selects by does not run, and of the others one."""
        return united(states, *(self.effect(child, frame, states) for child in node.children[1:]))

    def _conditional_effect(self, node: Node, frame: Frame, states: States) -> States:
        return self._conditional(node, frame, states).all

    def _call_effect(self, node: Node, frame: Frame, states: States) -> States:
        return self._call(node, frame, states).all

    def _block(self, node: Node, frame: Frame, states: States) -> States:
        """A statement expression, or a body inside one."""
        for child in node.children:
            part = self.statement(child, frame, states)
            if part.breaks or part.continues or any(part.returns):
                raise Undecided("a jump out of a statement expression", node)
            states = part.following
        return states

    _splitters = {  # noqa: RUF012  a dispatch table, never written to
        ast.BINARY_OPERATOR: _binary,
        ast.UNARY_OPERATOR: _not,
        ast.CONDITIONAL_OPERATOR: _conditional,
        ast.CALL_EXPRESSION: _call,
    }
    _evaluators = {  # noqa: RUF012  likewise
        ast.BINARY_OPERATOR: _binary_effect,
        kinds.COMPOUND_ASSIGNMENT: _compound,
        ast.UNARY_OPERATOR: _unary,
        ast.CONDITIONAL_OPERATOR: _conditional_effect,
        ast.CALL_EXPRESSION: _call_effect,
        ast.LAMBDA: _lambda,
        ast.TYPEID: _type_of,
        kinds.GENERIC_SELECTION: _selection,
        kinds.STATEMENT_EXPRESSION: _block,
        ast.COMPOUND: _block,
    }


def _by_truth(states: States, truth: Truth) -> Split:
    if truth is None:
        return Split({}, {}, states)
    return Split(states, {}, {}) if truth else Split({}, states, {})


def _assigned(states: States, flag: int, *, truth: Truth) -> States:
    found: States = {}
    for key, happened in states.items():
        merge(found, {with_truth(key, flag, truth): happened})
    return found


def _combined(operator: int | None, before: Truth, value: Truth) -> Truth:
    """The truth of a flag after ``|=`` or ``&=``."""
    if operator == kinds.OR_ASSIGN:
        if before is True or value is True:
            return True
        return False if before is False and value is False else None
    if operator == kinds.AND_ASSIGN:
        return False if before is False or value is False else None
    return None


_NOWHERE: Final = Split({}, {}, {})
_STATEMENTS: Final = frozenset(range(kinds.FIRST_STATEMENT, 300)) - {ast.COMPOUND}
