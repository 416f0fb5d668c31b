"""Expressions on the paths of a function: truths of flags and conditions, and what calls run."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.control_flow_model import (
    DEEPEST_CALL,
    MOST_STATES,
    MOST_STEPS,
    Bound,
    Flow,
    Frame,
    State,
    Truth,
    Undecided,
    Valued,
)
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import TypeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mgaudit.analysis.control_flow_model import Callee, Happenings
    from mgaudit.facts.bodies import Node

_STATEMENT_EXPRESSION: Final = 121
_LAMBDA_HEADS: Final = frozenset({ast.PARAMETER, kinds.VARIABLE_REFERENCE})
_STATEMENTS: Final = frozenset(range(kinds.FIRST_STATEMENT, 300)) - {ast.COMPOUND}


class Values:
    """Evaluates expressions; statements are those of the class that completes it.

    Args:
        happenings: What nodes mean.
    """

    def __init__(self, happenings: Happenings) -> None:
        self._happenings = happenings
        self._flags: dict[Node, int] = {}
        self._steps = 0
        self._opaque: set[Node] = set()
        self._seen: list[set[State]] = []  # the states met in each `try` around

    @abstractmethod
    def statement(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        """Where states go from a statement."""

    @abstractmethod
    def function(self, root: Node, frame: Frame, states: set[State]) -> Valued:
        """States after a call, with the truth of what it returns."""

    # ---- flags

    def _find_flags(self, root: Node) -> None:
        """Number the local variables whose truth can be followed: of scalar type, and aliased by nobody."""
        for node in root.walk():
            if node.kind == ast.VARIABLE and _is_scalar(node):
                self._flags.setdefault(node, len(self._flags))
            elif node.kind == ast.UNARY_OPERATOR and node.data == kinds.ADDRESS_OF:
                self._opaque.update(n.local for n in node.walk() if n.local is not None)
            elif node.kind == ast.VARIABLE and _is_reference(node):
                self._opaque.update(n.local for c in node.children for n in c.walk() if n.local is not None)

    def _flag(self, node: Node, frame: Frame) -> int | None:
        """The flag that an expression names, of this function or of one that called it."""
        if node.kind != ast.NAME_EXPRESSION or node.local is None or node.local in self._opaque:
            return None
        bound = frame.bound.get(node.local)
        if bound is not None:
            return bound.flag
        return self._flags.get(node.local)

    def _note(self, states: set[State], node: Node) -> None:
        self._steps += 1
        if len(states) > MOST_STATES or self._steps > MOST_STEPS:
            raise Undecided("too many paths", node)
        for seen in self._seen:
            seen.update(states)

    # ---- conditions

    def _branch(self, node: Node, frame: Frame, states: set[State]) -> tuple[set[State], set[State]]:
        """The states in which a condition holds, and those in which it does not."""
        true, false, unknown = self._split(node, frame, states)
        flag = self._flag(node, frame)
        if flag is not None:
            return true | {s.with_flag(flag, truth=True) for s in unknown}, false | {
                s.with_flag(flag, truth=False) for s in unknown
            }
        return true | unknown, false | unknown

    def _split(self, node: Node, frame: Frame, states: set[State]) -> tuple[set[State], set[State], set[State]]:
        """As `_branch`, with the states in which its truth is not known apart."""
        if node.kind == ast.UNARY_OPERATOR and node.data == kinds.LOGICAL_NOT:
            true, false, unknown = self._split(node.children[0], frame, states)
            flag = self._flag(node.children[0], frame)
            if flag is not None:
                return (
                    false | {s.with_flag(flag, truth=False) for s in unknown},
                    true | {s.with_flag(flag, truth=True) for s in unknown},
                    set(),
                )
            return false, true, unknown
        if node.kind == ast.BINARY_OPERATOR and node.data in {kinds.LOGICAL_AND, kinds.LOGICAL_OR}:
            return self._short_circuit(node, frame, states)
        if node.kind == ast.BINARY_OPERATOR and node.data in {kinds.EQUAL, kinds.UNEQUAL}:
            return self._compared(node, frame, states)
        valued = self._value(node, frame, states)
        return (
            {s for s, v in valued if v is True}, {s for s, v in valued if v is False},
            {s for s, v in valued if v is None},
        )  # fmt: skip

    def _short_circuit(
        self, node: Node, frame: Frame, states: set[State]
    ) -> tuple[set[State], set[State], set[State]]:  # fmt: skip
        left, right = node.children
        true, false = self._branch(left, frame, states)
        self._note(true | false, node)
        if node.data == kinds.LOGICAL_AND:
            second = self._branch(right, frame, true) if true else (set(), set())
            return set(second[0]), false | second[1], set()
        second = self._branch(right, frame, false) if false else (set(), set())
        return true | second[0], set(second[1]), set()

    def _compared(self, node: Node, frame: Frame, states: set[State]) -> tuple[set[State], set[State], set[State]]:
        """``flag == true`` and the like; anything else is not known."""
        for one, other in (node.children, reversed(node.children)):
            if one.kind == kinds.BOOLEAN_LITERAL and self._flag(other, frame) is not None:
                true, false = self._branch(other, frame, states)
                is_same = (one.data == 1) == (node.data == kinds.EQUAL)
                return (true, false, set()) if is_same else (false, true, set())
        for child in node.children:
            states = {state for state, _ in self._value(child, frame, states)}
        return set(), set(), states

    # ---- expressions

    def _assigned(self, flag: int, value: Node, frame: Frame, states: set[State]) -> set[State]:
        true, false, unknown = self._split(value, frame, states)
        return (
            {s.with_flag(flag, truth=True) for s in true} | {s.with_flag(flag, truth=False) for s in false}
            | {s.with_flag(flag, truth=None) for s in unknown}
        )  # fmt: skip

    def _value(self, node: Node, frame: Frame, states: set[State]) -> Valued:  # noqa: PLR0911  one for each form
        """Evaluate an expression: states with its truth, where that is known."""
        if not states:
            return set()
        self._note(states, node)
        if node.kind in {kinds.BOOLEAN_LITERAL, kinds.INTEGER_LITERAL}:
            return {(state, None if node.data is None else bool(node.data)) for state in states}
        flag = self._flag(node, frame)
        if flag is not None:
            return {(state, state.truth(flag)) for state in states}
        if node.kind == ast.NAME_EXPRESSION and node.local in frame.bound:
            return {(state, frame.bound[node.local].constant) for state in states}
        evaluate = self._evaluators.get(node.kind)
        if evaluate is not None:
            return evaluate(self, node, frame, states)
        if node.kind == ast.LAMBDA:
            return {(state, None) for state in states}
        for child in node.children:
            if child.kind in _STATEMENTS:
                states = self.statement(child, frame, states).following
            else:
                states = {state for state, _ in self._value(child, frame, states)}
        return {(state, None) for state in self._happen(node, frame, states)}

    def _happen(self, node: Node, frame: Frame, states: set[State]) -> set[State]:
        written, signals = self._happenings.at(node, frame.context)
        if written or signals:
            states = {s._replace(written=max(s.written, written), signals=s.signals | signals) for s in states}
            self._note(states, node)
        return states

    def _logical(self, node: Node, frame: Frame, states: set[State]) -> Valued:
        if node.data in {kinds.LOGICAL_AND, kinds.LOGICAL_OR, kinds.EQUAL, kinds.UNEQUAL}:
            true, false, unknown = self._split(node, frame, states)
            return {(s, True) for s in true} | {(s, False) for s in false} | {(s, None) for s in unknown}
        if node.data == kinds.ASSIGN and len(node.children) == 2:
            return self._assign(node, frame, states)
        valued: Valued = {(state, None) for state in states}
        for child in node.children:
            valued = self._value(child, frame, {state for state, _ in valued})
        after = self._happen(node, frame, {state for state, _ in valued})
        return valued if node.data == kinds.COMMA and after else {(state, None) for state in after}

    def _assign(self, node: Node, frame: Frame, states: set[State]) -> Valued:
        target, value = node.children
        flag = self._flag(target, frame)
        if flag is None:
            for child in (value, target):
                states = {state for state, _ in self._value(child, frame, states)}
            return {(state, None) for state in self._happen(node, frame, states)}
        states = self._happen(node, frame, self._assigned(flag, value, frame, states))
        return {(state, state.truth(flag)) for state in states}

    def _compound(self, node: Node, frame: Frame, states: set[State]) -> Valued:
        target, value = node.children
        flag = self._flag(target, frame)
        true, false, unknown = self._split(value, frame, states)
        if flag is None:
            after = true | false | unknown
            after = {state for state, _ in self._value(target, frame, after)}
            return {(state, None) for state in self._happen(node, frame, after)}
        changed: set[State] = set()
        for part, truth in ((true, True), (false, False), (unknown, None)):
            changed |= {s.with_flag(flag, truth=_combined(node.data, s.truth(flag), truth)) for s in part}
        changed = self._happen(node, frame, changed)
        return {(state, state.truth(flag)) for state in changed}

    def _unary(self, node: Node, frame: Frame, states: set[State]) -> Valued:
        if node.data == kinds.LOGICAL_NOT:
            true, false, unknown = self._split(node, frame, states)
            return {(s, True) for s in true} | {(s, False) for s in false} | {(s, None) for s in unknown}
        flag = self._flag(node.children[0], frame) if node.children else None
        if flag is not None and node.data in kinds.INCREMENTS:
            return {(s, None) for s in self._happen(node, frame, {s.with_flag(flag, truth=None) for s in states})}
        for child in node.children:
            states = {state for state, _ in self._value(child, frame, states)}
        return {(state, None) for state in self._happen(node, frame, states)}

    def _conditional(self, node: Node, frame: Frame, states: set[State]) -> Valued:
        if len(node.children) != 3:
            raise Undecided("a conditional operator without a middle", node)
        condition, first, second = node.children
        true, false = self._branch(condition, frame, states)
        return self._value(first, frame, true) | self._value(second, frame, false)

    def _block(self, node: Node, frame: Frame, states: set[State]) -> Valued:
        """A statement expression, or a body inside one."""
        flow = Flow(states)
        for child in node.children:
            part = self.statement(child, frame, flow.following)
            if part.returns or part.breaks or part.continues:
                raise Undecided("a jump out of a statement expression", node)
            flow.following = part.following
        return {(state, None) for state in flow.following}

    # ---- calls

    def _run_all(self, node: Node, frame: Frame, states: set[State]) -> Valued:
        """Run every body that a call may reach."""
        found: Valued = set()
        for callee in self._happenings.callees(node, frame.context):
            for root in callee.roots:
                found |= self._run(node, root, callee, frame, states)
        return found

    def _call(self, node: Node, frame: Frame, states: set[State]) -> Valued:
        for child in node.children:
            if child.kind != ast.LAMBDA:
                states = {state for state, _ in self._value(child, frame, states)}
        states = self._happen(node, frame, states)
        if self._happenings.ends(node):
            return set()
        called = self._closures(node, frame)
        if called is not None:
            result: Valued = set()
            for function, owner in called:
                result |= self._run_lambda(node, function, owner, frame, states)
            return result
        if ran := self._run_all(node, frame, states):
            return ran
        lambdas = self._lambdas_among(node.children, frame)
        states = self._forget_flags(node, frame, states)
        for function, owner in lambdas:  # a function without a body may run them any number of times
            reached: set[State] = set()
            fresh = states
            while fresh:
                reached |= fresh
                self._note(reached, node)
                fresh = {s for s, _ in self._run_lambda(node, function, owner, frame, fresh)} - reached
            states = reached
        return {(state, None) for state in states}

    def _forget_flags(self, node: Node, frame: Frame, states: set[State]) -> set[State]:
        """What takes a flag by a non-const reference may change it."""
        types = node.type.arguments if node.type is not None and node.type.kind is TypeKind.FUNCTION else ()
        arguments = node.children[1:] if node.flags & kinds.NODE_RECEIVER else node.children
        for type_, argument in zip(types, arguments, strict=False):
            flag = self._flag(argument, frame)
            inner = type_.inner if type_ is not None and type_.kind is TypeKind.REFERENCE else None
            if flag is not None and inner is not None and not inner.is_const:
                states = {state.with_flag(flag, truth=None) for state in states}
        return states

    def _closures(self, node: Node, frame: Frame) -> list[tuple[Node, Frame]] | None:
        """The lambdas that a call runs itself, or None where it calls something else."""
        if node.flags & kinds.NODE_INDIRECT or node.flags & kinds.NODE_RECEIVER:
            head = node.children[0] if node.children else None
            if head is not None and (node.flags & kinds.NODE_INDIRECT or _is_call_operator(node, head)):
                found = self._lambdas_among([head], frame)
                return found or None
        return None

    def _lambdas_among(self, nodes: Iterable[Node], frame: Frame) -> list[tuple[Node, Frame]]:
        """The lambdas that expressions are: written there, held by a local variable, or handed in."""
        found: list[tuple[Node, Frame]] = []
        waiting = list(nodes)
        seen: set[Node] = set()
        while waiting:
            node = waiting.pop(0)
            if node in seen:
                continue
            seen.add(node)
            if node.kind == ast.LAMBDA:
                found.append((node, frame))
            elif node.kind == ast.NAME_EXPRESSION and node.local is not None:
                bound = frame.bound.get(node.local)
                if bound is not None:
                    found += bound.lambdas
                else:
                    waiting += node.local.children
            else:
                waiting += node.children
        return found

    def _run_lambda(
        self, node: Node, function: Node, owner: Frame, frame: Frame, states: set[State]
    ) -> Valued:  # fmt: skip
        assert function.symbol is not None
        if function.symbol in frame.active or frame.depth >= DEEPEST_CALL:
            raise Undecided("a lambda that calls itself", node)
        context = self._happenings.lambda_context(node, function.symbol, owner.context)
        inner = Frame(context, frame.depth + 1, frame.active | {function.symbol}, dict(owner.bound))
        parameters = [child for child in function.children if child.kind == ast.PARAMETER]
        arguments = node.children[1:] if node.flags & (kinds.NODE_RECEIVER | kinds.NODE_INDIRECT) else []
        self._bind(inner, parameters, arguments, frame)
        returns: Valued = set()
        for child in function.children:
            if child.kind in _LAMBDA_HEADS:
                continue
            flow = self.statement(child, inner, states)
            returns |= flow.returns
            states = flow.following
        return returns | {(state, None) for state in states}

    def _run(self, node: Node, root: Node, callee: Callee, frame: Frame, states: set[State]) -> Valued:
        if callee.symbol in frame.active or frame.depth >= DEEPEST_CALL:
            raise Undecided("recursion", node)
        inner = Frame(callee.context, frame.depth + 1, frame.active | {callee.symbol})
        parameters = [child for child in root.children if child.kind == ast.PARAMETER]
        arguments = node.children[1:] if node.flags & kinds.NODE_RECEIVER else list(node.children)
        if node.flags & kinds.NODE_INDIRECT:
            arguments = node.children[1:]
        self._bind(inner, parameters, arguments, frame)
        before = self._flags
        self._flags = dict(before)
        result = self.function(root, inner, states)
        own = {number for flag, number in self._flags.items() if flag not in before}
        self._flags = before | {flag: number for flag, number in self._flags.items() if flag not in before}
        return {
            (state._replace(flags=tuple(f for f in state.flags if f[0] not in own)), truth) for state, truth in result
        }

    def _bind(self, inner: Frame, parameters: list[Node], arguments: Sequence[Node], frame: Frame) -> None:
        for parameter, argument in zip(parameters, arguments, strict=False):
            bound = Bound(lambdas=tuple(self._lambdas_among([argument], frame)))
            if _is_reference(parameter):
                bound.flag = self._flag(argument, frame)
            elif argument.kind == kinds.BOOLEAN_LITERAL:
                bound.constant = argument.data == 1
            inner.bound[parameter] = bound
        for parameter in parameters[len(arguments) :]:
            inner.bound[parameter] = Bound()

    _evaluators = {  # noqa: RUF012  likewise
        ast.BINARY_OPERATOR: _logical,
        kinds.COMPOUND_ASSIGNMENT: _compound,
        ast.UNARY_OPERATOR: _unary,
        ast.CONDITIONAL_OPERATOR: _conditional,
        ast.CALL_EXPRESSION: _call,
        _STATEMENT_EXPRESSION: _block,
        ast.COMPOUND: _block,
    }


def _combined(operator: int | None, before: Truth, value: Truth) -> Truth:
    """The truth of a flag after ``|=`` or ``&=``."""
    if operator == kinds.OR_ASSIGN:
        if before is True or value is True:
            return True
        return False if before is False and value is False else None
    if operator == kinds.AND_ASSIGN:
        if before is False or value is False:
            return False
        return None
    return None


def _is_call_operator(node: Node, head: Node) -> bool:
    """Whether a member call calls its object: its place is that of the object's call."""
    type_ = head.type
    return type_ is not None and type_.kind is TypeKind.RECORD and node.symbol is not None


def _is_scalar(node: Node) -> bool:
    return node.type is not None and node.type.kind in {TypeKind.BOOLEAN, TypeKind.OTHER}


def _is_reference(node: Node) -> bool:
    return node.type is not None and node.type.kind in {TypeKind.REFERENCE, TypeKind.RVALUE_REFERENCE}
