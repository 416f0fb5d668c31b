"""Which things happen together on every path through a function: an interpretation of its structured statements.

A *state* says what may have happened on the paths that reach a place with what is known of local flags: whether
something was written, and with or without each signal. Statements map sets of states to sets of states (abstract
interpretation, Cousot and Cousot, 1977, over the finite powerset; a structured program needs no graph). Branches on a
flag split by its value, so a flag that is set where a write happens and tested before the signal keeps the two
together. Loops run to a fixed point. Callees are interpreted once for each valuation of the flags that they are handed
(Sharir and Pnueli, 1981, the functional approach), lambdas where they are called.

``goto``, coroutines, inline assembly, statements whose parts cannot be told apart, recursion that is handed lambdas,
and too many states make the answer undecided, with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.analysis.control_flow_calls import values_among
from mgaudit.analysis.control_flow_model import Flow, Frame, Split, Undecided, merge, united, without
from mgaudit.analysis.control_flow_values import Values
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.analysis.control_flow_model import Happened, Happenings, States
    from mgaudit.analysis.control_flow_shape import Shape
    from mgaudit.facts.bodies import Node


class Interpreter(Values):
    """Interprets functions; what it finds of a callee, it keeps for the questions that follow.

    Args:
        happenings: What nodes mean.
        signals: The bits of the signals that are asked for.
    """

    def __init__(self, happenings: Happenings, signals: int) -> None:
        super().__init__(happenings, signals)
        self._busy: dict[tuple[Node, object], frozenset[Node]] = {}

    def exits(self, root: Node, function: int, context: object) -> list[tuple[Node, Happened]]:
        """The ways in which a function may return normally.

        Args:
            root: The function's tree.
            function: Its id.
            context: Handed to the happenings.

        Returns:
            Each statement that leaves it, or the tree where its end does, with what may have happened before.

        Raises:
            Undecided: The control flow is not structured, or too wide.
        """
        self.steps, self.seen = 0, []
        frame = self.calls.frame(root, context, frozenset([function]))
        frame.left = []
        end = self._until_end(root, frame, {0: self.start})
        return [*frame.left, *((root, happened) for happened in end.following.values())]

    def body(self, root: Node, frame: Frame, states: States) -> Split:
        """See `Values.body`."""
        flow = self._until_end(root, frame, states)
        return Split(flow.returns.true, flow.returns.false, united(flow.returns.unknown, flow.following))

    def _until_end(self, root: Node, frame: Frame, states: States) -> Flow:
        if root.flags & kinds.NODE_COROUTINE:
            raise Undecided("a coroutine", root)
        flow = Flow(states)
        for child in root.children:
            if child.kind != ast.PARAMETER and not (root.kind == ast.LAMBDA and child.kind in _CAPTURES):
                part = self.statement(child, frame, flow.following)
                flow.absorb(part)
                flow.following = part.following
        return flow

    def busy(self, root: Node, shape: Shape, context: object) -> frozenset[Node]:
        """See `Values.busy`."""
        known = self._busy.get((root, context))
        if known is None:
            known = self._busy[root, context] = frozenset(self._busy_nodes(root, shape, context))
        return known

    def _busy_nodes(self, root: Node, shape: Shape, context: object) -> Iterator[Node]:
        acting: set[Node] = set()
        leaving: set[Node] = set()
        for node in reversed(list(root.walk())):  # children first
            below = [child for child in node.children if child.kind != ast.LAMBDA]
            if any(child in acting for child in node.children) or self._acts(node, shape, context):
                acting.add(node)
            if node.kind in _LEAVING or node.flags & kinds.NODE_OPAQUE or any(child in leaving for child in below):
                leaving.add(node)
            if node in acting or node in leaving:
                yield node

    def _acts(self, node: Node, shape: Shape, context: object) -> bool:
        if node in shape.flags or node.local in shape.flags or self.happenings.at(node, context) != (0, 0):
            return True
        if node.kind == kinds.DESTRUCTION:
            return bool(self.happenings.callees(node, context))
        if node.kind != ast.CALL_EXPRESSION:
            return False
        may_run = any(True for _ in values_among(node.children, shape.assigned))
        is_seen = not self.happenings.unseen(node, context, ())
        return may_run or not is_seen or self.happenings.ends(node) or bool(self.happenings.callees(node, context))

    # ---- statements

    def statement(self, node: Node, frame: Frame, states: States) -> Flow:
        """See `Values.statement`."""
        if not states or node not in frame.busy:
            return Flow(states)
        self.step(states, node)
        if node.flags & kinds.NODE_OPAQUE:
            raise Undecided("a statement whose parts the front end does not tell apart", node)
        if node.kind in _UNSTRUCTURED:
            raise Undecided(_UNSTRUCTURED[node.kind], node)
        handler = self._handlers.get(node.kind)
        if handler is None:
            return Flow(self.effect(node, frame, states))
        flow = handler(self, node, frame, states)
        gone = frame.shape.scopes.get(node)
        return flow.without(gone) if gone is not None else flow

    def _sequence(self, node: Node, frame: Frame, states: States) -> Flow:
        flow = Flow(states)
        for child in node.children:
            part = self.statement(child, frame, flow.following)
            flow.absorb(part)
            flow.following = part.following
        return flow

    def _if(self, node: Node, frame: Frame, states: States) -> Flow:
        states = self._begin(node, frame, states)
        condition = node.part(Role.CONDITION)
        if condition is None:
            raise Undecided("a condition that is not seen", node)
        true, false = self.branch(condition, frame, states)
        flow = Flow({})
        for role, entering in ((Role.THEN, true), (Role.ELSE, false)):
            part = node.part(role)
            taken = self.statement(part, frame, entering) if part is not None else Flow(entering)
            flow.absorb(taken)
            flow.following = united(flow.following, taken.following)
        return flow

    def _begin(self, node: Node, frame: Frame, states: States) -> States:
        """The initialiser and the declaration in the head of a statement."""
        for role in (Role.INITIALISER, Role.VARIABLE):
            part = node.part(role)
            if part is not None:
                states = self.statement(part, frame, states).following
        return states

    def _loop(self, node: Node, frame: Frame, states: States) -> Flow:
        """``while``, ``for`` and range-based ``for``: the body any number of times."""
        is_range = node.kind == ast.RANGE_FOR
        for role in (Role.INITIALISER, Role.RANGE) if is_range else (Role.INITIALISER,):
            part = node.part(role)
            if part is not None:
                states = self.statement(part, frame, states).following
        variable, condition = node.part(Role.VARIABLE), node.part(Role.CONDITION)
        body, increment = node.part(Role.BODY), node.part(Role.INCREMENT)
        flow = Flow({})
        reached: States = {}
        fresh = merge(reached, states)
        while fresh:
            self.step(reached, node)
            if variable is not None and not is_range:
                fresh = self.statement(variable, frame, fresh).following
            true, false = (
                (fresh, fresh if is_range else {}) if condition is None else self.branch(condition, frame, fresh)
            )
            flow.following = united(flow.following, false)
            if variable is not None and is_range:
                true = self.statement(variable, frame, true).following
            again = self._round(body, frame, true, flow)
            if increment is not None:
                again = self.effect(increment, frame, again)
            fresh = merge(reached, again)
        return flow

    def _round(self, body: Node | None, frame: Frame, states: States, flow: Flow) -> States:
        """Run the body of a loop once; the states that go on, while the others leave the loop."""
        if body is None:
            return states
        part = self.statement(body, frame, states)
        flow.returns = part.returns.joined(flow.returns)
        flow.following = united(flow.following, part.breaks)
        return united(part.following, part.continues)

    def _do(self, node: Node, frame: Frame, states: States) -> Flow:
        body, condition = node.part(Role.BODY), node.part(Role.CONDITION)
        assert condition is not None
        flow = Flow({})
        reached: States = {}
        fresh = merge(reached, states)
        while fresh:
            self.step(reached, node)
            true, false = self.branch(condition, frame, self._round(body, frame, fresh, flow))
            flow.following = united(flow.following, false)
            fresh = merge(reached, true)
        return flow

    def _switch(self, node: Node, frame: Frame, states: States) -> Flow:
        """Any label may be jumped to; what lies before falls through."""
        states = self._begin(node, frame, states)
        condition, body = node.part(Role.CONDITION), node.part(Role.BODY)
        if condition is None or body is None:
            raise Undecided("a switch that is not seen whole", node)
        states = self.effect(condition, frame, states)
        flow = Flow({})
        falling: States = {}
        has_default = False
        for child in body.children if body.kind == ast.COMPOUND else [body]:
            inner = child
            while inner.kind in _LABELS:
                has_default |= inner.kind == kinds.DEFAULT
                falling = united(falling, states)
                inner = inner.children[-1]
            if any(n.kind in _LABELS for n in _own_labels(inner)):
                raise Undecided("a case label inside another statement", inner)
            part = self.statement(inner, frame, falling)
            flow.continues = united(flow.continues, part.continues)
            flow.returns = part.returns.joined(flow.returns)
            flow.following = united(flow.following, part.breaks)
            falling = part.following
        flow.following = united(flow.following, falling, {} if has_default else states)
        return flow

    def _return(self, node: Node, frame: Frame, states: States) -> Flow:
        split = self.split(node.children[0], frame, states) if node.children else Split({}, {}, states)
        if frame.left is not None:
            frame.left += [(node, happened) for happened in split.all.values()]
        return Flow({}, returns=split)

    def _try(self, node: Node, frame: Frame, states: States) -> Flow:
        """A handler may be entered from any state inside."""
        body, *handlers = node.children
        inside: States = {}
        merge(inside, states)
        self.seen.append(inside)
        flow = self.statement(body, frame, states)
        self.seen.pop()
        for handler in handlers:
            part = self._sequence(handler, frame, dict(inside))
            flow.absorb(part)
            flow.following = united(flow.following, part.following)
        return flow

    def _declaration(self, node: Node, frame: Frame, states: States) -> Flow:
        flag = frame.flags.get(node)
        value = next((c for c in node.children if c.kind not in _NO_VALUES), None)
        if value is not None and _is_made_up(node, value):
            value = None
        if flag is not None and value is not None:
            states = self.assign(flag, value, frame, states)
        elif flag is not None:
            states = without(states, 3 << 2 * flag)
        elif value is not None and node.flags & kinds.NODE_STATIC:  # it runs once
            states = united(states, self.effect(value, frame, states))
        elif value is not None:
            states = self.effect(value, frame, states)
        states = self.happen(node, frame, states)
        for end in node.children:  # whenever it comes, it comes on every path from here
            if end.kind == kinds.DESTRUCTION and end in frame.busy:
                states = self.calls.end(end, frame, states)
        return Flow(states)

    def _jump(self, node: Node, _frame: Frame, states: States) -> Flow:
        return Flow({}, breaks=states) if node.kind == kinds.BREAK else Flow({}, continues=states)

    def _throw(self, node: Node, frame: Frame, states: States) -> Flow:
        for child in node.children:
            states = self.effect(child, frame, states)
        return Flow({})

    def _labelled(self, node: Node, frame: Frame, states: States) -> Flow:
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
        kinds.DECLARATIONS: _sequence,
        ast.VARIABLE: _declaration,
        ast.UNEXPOSED_DECLARATION: _declaration,
        kinds.BREAK: _jump,
        kinds.CONTINUE: _jump,
        kinds.THROW: _throw,
        kinds.CASE: _labelled,
        kinds.DEFAULT: _labelled,
        kinds.UNEXPOSED_STATEMENT: _sequence,
    }


def _own_labels(node: Node) -> Iterator[Node]:
    """The nodes below a statement, those of inner switches and lambdas aside."""
    for child in node.children:
        if child.kind not in {kinds.SWITCH, ast.LAMBDA}:
            yield child
            yield from _own_labels(child)


def _is_made_up(node: Node, value: Node) -> bool:
    """Whether the value of a variable is the iterator of a range-based ``for``, which nobody wrote."""
    return node.role == Role.VARIABLE and any(inner.flags & kinds.NODE_FOREIGN for inner in value.walk())


_UNSTRUCTURED: Final = {
    kinds.GOTO: "goto", kinds.INDIRECT_GOTO: "goto", kinds.LABEL: "goto",
    **dict.fromkeys(kinds.ASSEMBLY, "inline assembly"),
}  # fmt: skip
_LEAVING: Final = frozenset({kinds.RETURN, kinds.BREAK, kinds.CONTINUE, kinds.THROW, *_UNSTRUCTURED})
_LABELS: Final = frozenset({kinds.CASE, kinds.DEFAULT})
_CAPTURES: Final = frozenset({kinds.VARIABLE_REFERENCE, ast.VARIABLE})
_NO_VALUES: Final = frozenset({kinds.DESTRUCTION, ast.UNEXPOSED_DECLARATION})
