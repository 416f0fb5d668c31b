"""Which things happen together on every path through a function: an interpretation of its structured statements.

A *state* says what has happened on a path so far: whether something was written, which signals were given, and the
truth of local flags as far as it is known. Statements map sets of states to sets of states (abstract interpretation,
Cousot and Cousot, 1977, over the finite powerset; a structured program needs no graph). Branches on a flag split by its
value, so a flag that is set where a write happens and tested before the signal keeps the two together. Loops run to a
fixed point. Callees and lambdas are interpreted where they are called, so flags and callables go with them.

``goto``, coroutines, inline assembly, statements whose parts cannot be told apart, recursion that matters, and too many
states make the answer undecided, with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.analysis.control_flow_model import Flow, Frame, State, Undecided, Valued
from mgaudit.analysis.control_flow_values import Values
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import Role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.analysis.control_flow_model import Happenings
    from mgaudit.facts.bodies import Node

_UNSTRUCTURED: Final = {
    kinds.GOTO: "goto", kinds.INDIRECT_GOTO: "goto", kinds.LABEL: "goto",
    **dict.fromkeys(kinds.ASSEMBLY, "inline assembly"),
}  # fmt: skip


def outcomes(root: Node, context: object, happenings: Happenings) -> set[State]:
    """The states in which a function may return normally.

    Args:
        root: The function's tree.
        context: Handed to `happenings`.
        happenings: What nodes mean.

    Raises:
        Undecided: The control flow is not structured, or too wide.
    """
    return {state for state, _ in _Interpreter(happenings).function(root, Frame(context, 0, frozenset()), {State()})}


class _Interpreter(Values):
    # ---- functions

    def function(self, root: Node, frame: Frame, states: set[State]) -> Valued:
        """States after a call, with the truth of what it returns."""
        if root.flags & kinds.NODE_COROUTINE:
            raise Undecided("a coroutine", root)
        self._find_flags(root)
        returns: Valued = set()
        for child in root.children:
            if child.kind == ast.PARAMETER:
                continue
            flow = self.statement(child, frame, states)
            returns |= flow.returns
            states = flow.following
        return returns | {(state, None) for state in states}

    # ---- statements

    def statement(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        if not states:
            return Flow(set())
        self._note(states, node)
        if node.flags & kinds.NODE_OPAQUE:
            raise Undecided("a statement whose parts the front end does not tell apart", node)
        handler = self._handlers.get(node.kind)
        if handler is not None:
            return handler(self, node, frame, states)
        if node.kind in _UNSTRUCTURED:
            raise Undecided(_UNSTRUCTURED[node.kind], node)
        return Flow({state for state, _ in self._value(node, frame, states)})

    def _sequence(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        flow = Flow(states)
        for child in node.children:
            part = self.statement(child, frame, flow.following)
            flow.absorb(part)
            flow.following = part.following
        return flow

    def _if(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        states, condition = self._head(node, frame, states)
        if condition is None:
            raise Undecided("a condition that is not seen", node)
        true, false = self._branch(condition, frame, states)
        flow = Flow(set())
        for role, entering in ((Role.THEN, true), (Role.ELSE, false)):
            part = node.part(role)
            if part is None:
                flow.following |= entering
                continue
            taken = self.statement(part, frame, entering)
            flow.absorb(taken)
            flow.following |= taken.following
        return flow

    def _head(self, node: Node, frame: Frame, states: set[State]) -> tuple[set[State], Node | None]:
        for role in (Role.INITIALISER, Role.VARIABLE):
            part = node.part(role)
            if part is not None:
                states = self.statement(part, frame, states).following
        return states, node.part(Role.CONDITION)

    def _loop(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        """``while``, ``for`` and range-based ``for``: the body any number of times."""
        initialiser = node.part(Role.INITIALISER)
        if initialiser is not None:
            states = self.statement(initialiser, frame, states).following
        if node.kind == ast.RANGE_FOR:
            range_ = node.part(Role.RANGE)
            if range_ is not None:
                states = {state for state, _ in self._value(range_, frame, states)}
        body, increment, condition = node.part(Role.BODY), node.part(Role.INCREMENT), node.part(Role.CONDITION)
        variable = node.part(Role.VARIABLE) if node.kind != ast.RANGE_FOR else None
        flow = Flow(set())
        reached: set[State] = set()
        fresh = states
        while fresh:
            reached |= fresh
            self._note(reached, node)
            if variable is not None:
                fresh = self.statement(variable, frame, fresh).following
            if condition is not None:
                true, false = self._branch(condition, frame, fresh)
            else:
                true, false = fresh, (fresh if node.kind == ast.RANGE_FOR else set())
            flow.following |= false
            again = true
            if body is not None:
                part = self.statement(body, frame, true)
                flow.returns |= part.returns
                flow.following |= part.breaks
                again = part.following | part.continues
            if increment is not None:
                again = {state for state, _ in self._value(increment, frame, again)}
            fresh = again - reached
        return flow

    def _do(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        body, condition = node.part(Role.BODY), node.part(Role.CONDITION)
        assert body is not None
        assert condition is not None
        flow = Flow(set())
        reached: set[State] = set()
        fresh = states
        while fresh:
            reached |= fresh
            self._note(reached, node)
            part = self.statement(body, frame, fresh)
            flow.returns |= part.returns
            flow.following |= part.breaks
            true, false = self._branch(condition, frame, part.following | part.continues)
            flow.following |= false
            fresh = true - reached
        return flow

    def _switch(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        """Any label may be jumped to; what lies before falls through."""
        states, condition = self._head(node, frame, states)
        body = node.part(Role.BODY)
        if condition is None or body is None:
            raise Undecided("a switch that is not seen whole", node)
        states = {state for state, _ in self._value(condition, frame, states)}
        flow = Flow(set())
        falling: set[State] = set()
        has_default = False
        for child in body.children if body.kind == ast.COMPOUND else [body]:
            inner = child
            while inner.kind in {kinds.CASE, kinds.DEFAULT}:
                has_default |= inner.kind == kinds.DEFAULT
                falling = falling | states
                inner = inner.children[-1]
            if any(n.kind in {kinds.CASE, kinds.DEFAULT} for n in _own_labels(inner)):
                raise Undecided("a case label inside another statement", inner)
            part = self.statement(inner, frame, falling)
            flow.continues |= part.continues
            flow.returns |= part.returns
            flow.following |= part.breaks
            falling = part.following
        flow.following |= falling
        if not has_default:
            flow.following |= states
        return flow

    def _return(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        if not node.children:
            return Flow(set(), returns={(state, None) for state in states})
        true, false, unknown = self._split(node.children[0], frame, states)
        returns: Valued = {(s, True) for s in true} | {(s, False) for s in false} | {(s, None) for s in unknown}
        return Flow(set(), returns=returns)

    def _try(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        """A handler may be entered from any state inside."""
        body, *handlers = node.children
        self._seen.append(set(states))
        flow = self.statement(body, frame, states)
        seen = self._seen.pop()
        seen |= {state for state, _ in flow.returns}
        seen |= flow.following | flow.breaks | flow.continues
        for handler in handlers:
            entering = seen
            for child in handler.children:
                part = self.statement(child, frame, entering)
                flow.absorb(part)
                entering = part.following
            flow.following |= entering
        return flow

    def _declarations(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        for child in node.children:
            states = self._declaration(child, frame, states)
        return Flow(states)

    def _declare(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        return Flow(self._declaration(node, frame, states))

    def _declaration(self, node: Node, frame: Frame, states: set[State]) -> set[State]:
        flag = self._flags.get(node) if node not in self._opaque else None
        value = next((c for c in node.children if c.kind != kinds.DESTRUCTION), None)
        if (value is not None and node.role != Role.VARIABLE) or (value is not None and node.kind != ast.VARIABLE):
            if flag is not None:
                states = self._assigned(flag, value, frame, states)
            else:
                states = {state for state, _ in self._value(value, frame, states)}
        elif value is not None:
            states = self._assigned(flag, value, frame, states) if flag is not None else states
        elif flag is not None:
            states = {state.with_flag(flag, truth=None) for state in states}
        states = self._happen(node, frame, states)
        for end in node.children:  # whenever it comes, it comes on every path from here
            if end.kind == kinds.DESTRUCTION:
                states = {state for state, _ in self._run_all(end, frame, states)} or states
        return states

    def _jump(self, node: Node, _frame: Frame, states: set[State]) -> Flow:
        if node.kind == kinds.BREAK:
            return Flow(set(), breaks=set(states))
        return Flow(set(), continues=set(states))

    def _throw(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        for child in node.children:
            states = {state for state, _ in self._value(child, frame, states)}
        self._note(states, node)
        return Flow(set())

    def _labelled(self, node: Node, frame: Frame, states: set[State]) -> Flow:
        return self.statement(node.children[-1], frame, states) if node.children else Flow(states)

    _handlers = {  # noqa: RUF012  a dispatch table, never written to
        ast.COMPOUND: _sequence,
        kinds.IF: _if,
        kinds.WHILE: _loop,
        kinds.FOR: _loop,
        ast.RANGE_FOR: _loop,
        kinds.DO: _do,
        kinds.SWITCH: _switch,
        kinds.RETURN: _return,
        kinds.TRY: _try,
        kinds.DECLARATIONS: _declarations,
        ast.VARIABLE: _declare,
        kinds.BREAK: _jump,
        kinds.CONTINUE: _jump,
        kinds.THROW: _throw,
        kinds.CASE: _labelled,
        kinds.DEFAULT: _labelled,
        kinds.UNEXPOSED_STATEMENT: _sequence,
    }


def _own_labels(node: Node) -> Iterable[Node]:
    """The nodes below a statement, those of inner switches and lambdas aside."""
    for child in node.children:
        if child.kind not in {kinds.SWITCH, ast.LAMBDA}:
            yield child
            yield from _own_labels(child)
