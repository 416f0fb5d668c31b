"""Whether a change of state is published: which signals come with a write on every path of a mutator.

A signal is a counter that is written, a function that is called, a macro that is expanded, or a call of the backend.
The paths are those of `mgaudit.analysis.control_flow`; what is a write is what the effects say of each node.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.control_flow import outcomes
from mgaudit.analysis.control_flow_model import Callee, Undecided
from mgaudit.analysis.control_flow_model import State as PathState
from mgaudit.analysis.effects_model import CONTENT, Root
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mgaudit.analysis.effects_model import Deeds, Event, Place
    from mgaudit.analysis.mutators import Reach, State
    from mgaudit.facts.bodies import Node


@dataclass(frozen=True, slots=True)
class Signal:
    """What publishes: any of these."""

    counters: frozenset[int] = frozenset()
    functions: frozenset[int] = frozenset()
    macros: frozenset[str] = frozenset()


class Answer(enum.Enum):
    """Whether a signal comes with a write on every path."""

    HOLDS = enum.auto()
    FAILS = enum.auto()
    UNDECIDED = enum.auto()


@dataclass(frozen=True, slots=True)
class Published:
    """What is known of one mutator.

    Attributes:
        answers: By signal.
        reason: Why some are undecided, or empty.
        place: Path and line of that reason.
    """

    answers: Mapping[str, Answer]
    reason: str = ""
    place: tuple[str, int] = ("", 0)


@dataclass(frozen=True)
class _Context:
    """A function as it is interpreted.

    Attributes:
        function: Its id.
        is_top: Whether it is the mutator itself; else `inner` says what is a write of its callers'.
        inner: The places, as this function names them, that are state of the callers'.
        counters: The places that are counters of the callers', with the bits of their signals.
    """

    function: int
    is_top: bool = True
    inner: frozenset[Place] = frozenset()
    counters: frozenset[tuple[Place, int]] = frozenset()


class Publication:
    """Answers for the mutators of one state.

    Args:
        state: The state and who changes it.
        signals: What publishes, by name.
        reach: What leads to the backend.
        immediate: The name of the signal that the reach of the backend is.
    """

    def __init__(self, state: State, signals: Mapping[str, Signal], reach: Reach, immediate: str) -> None:
        self._state = state
        self._signals = dict(signals)
        self._reach = reach
        names = [*signals, immediate]
        self._bits = {name: 1 << index for index, name in enumerate(names)}
        self._immediate = self._bits[immediate]
        self._events: dict[int, dict[Node, list[Event]]] = {}
        self._deeds: dict[Node, Deeds] = {}
        self._signalling: dict[int, bool] = {}
        self._only: int | None = None

    @property
    def names(self) -> Sequence[str]:
        """The signals."""
        return tuple(self._bits)

    def of(self, mutator: int) -> Published:
        """What comes with every write of a function of the state, whichever overrider runs."""
        functions = [f for f in self._state.targets(mutator) if self._state.effects.has_own_body(f)]
        return self._judged(functions, None)

    def beside(self, functions: Sequence[int], mutator: int) -> Published:
        """What comes with every write that some functions make themselves, through a field or a getter."""
        return self._judged(functions, mutator)

    def _judged(self, functions: Sequence[int], only: int | None) -> Published:
        self._only = only
        exits: set[PathState] = set()
        try:
            for function in functions:
                for deeds in self._state.deeds(function):
                    exits |= outcomes(deeds.root, _Context(function), self)
        except Undecided as undecided:
            path, line, _ = self._state.effects.place(undecided.node)
            return Published(dict.fromkeys(self._bits, Answer.UNDECIDED), undecided.reason, (path, line))
        except RecursionError:
            return Published(dict.fromkeys(self._bits, Answer.UNDECIDED), "statements nested too deeply")
        if not any(state.written == 2 for state in exits):
            reason = "no path is seen that surely writes"
            return Published(dict.fromkeys(self._bits, Answer.UNDECIDED), reason)
        answers = {}
        for name, bit in self._bits.items():
            missed = {state.written for state in exits if not state.signals & bit}
            answers[name] = Answer.FAILS if 2 in missed else Answer.UNDECIDED if 1 in missed else Answer.HOLDS
        doubtful = Answer.UNDECIDED in answers.values()
        return Published(answers, "something unknown may write on some path" if doubtful else "")

    # ---- what nodes do: `control_flow.Happenings`

    def at(self, node: Node, context: object) -> tuple[int, int]:
        """See `Happenings`."""
        assert isinstance(context, _Context)
        written = signals = 0
        for event in self._of(context.function, node):
            if event.evidence.callee is None and not _is_literal(event.node):
                signals |= self._counted(event.place, context)
            is_own = event.evidence.callee is None or not self._state.effects.has_body(event.evidence.callee)
            if is_own and self._is_write(event.place, context):
                written = max(written, 2 if event.is_certain else 1)
        if node.kind == ast.CALL_EXPRESSION:
            signals |= self._called(node, context)
        if self._macros:
            signals |= self._expanded(node)
        return written, signals

    def _of(self, function: int, node: Node) -> Sequence[Event]:
        known = self._events.get(function)
        if known is None:
            known = self._events[function] = defaultdict(list)
            for deeds in self._state.deeds(function):
                for event in deeds.events:
                    known[event.node].append(event)
                for inner in deeds.root.walk():
                    if inner.kind == ast.CALL_EXPRESSION:
                        self._deeds[inner] = deeds
        return known.get(node, ())

    def _counted(self, place: Place, context: _Context) -> int:
        """The signals of a counter that is written; a literal, which is no new value, aside."""
        fields = [step for step in place.path if step != CONTENT]
        last = fields[-1] if fields else place.number if place.root is Root.GLOBAL else None
        bits = sum(self._bits[name] for name, signal in self._signals.items() if last in signal.counters)
        return bits | sum(given for counter, given in context.counters if counter == place)

    def _called(self, node: Node, context: _Context) -> int:
        found = 0
        deeds = self._deeds.get(node)
        if deeds is not None and self._state.reaches(node, deeds, self._reach):
            found |= self._immediate
        targets = set(self._targets(node, context))
        if node.symbol is not None:
            targets |= {node.symbol, self._state.entities.pattern(node.symbol)}
        for name, signal in self._signals.items():
            if targets & signal.functions:
                found |= self._bits[name]
        return found

    def _is_write(self, place: Place, context: _Context) -> bool:
        if self._only is not None:
            return self._state.named(place) == self._only or place in context.inner
        if context.is_top and place not in context.inner:
            return self._state.is_changed(place, context.function)
        if place.root in {Root.GLOBAL, Root.OBJECT}:
            return self._state.named(place) is not None
        return place in context.inner and not any(step in self._state.counters for step in place.path)

    def callees(self, node: Node, context: object) -> Sequence[Callee]:
        """See `Happenings`."""
        assert isinstance(context, _Context)
        deeds = self._deeds.get(node)
        if deeds is not None and self._state.reaches(node, deeds, self._reach):
            return ()  # what the backend does is its own
        found = []
        matters = False
        for target in self._targets(node, context):
            inner = frozenset(
                event.evidence.place
                for event in self._of(context.function, node)
                if event.evidence.callee == target and event.evidence.place is not None
                and target not in self._state.publishers and self._is_write(event.place, context)
            )  # fmt: skip
            counters = self._counters_of(node, target, context)
            matters |= bool(inner) or bool(counters) or self._may_signal(target)
            roots = tuple(deeds.root for deeds in self._state.deeds(target))
            found.append(Callee(target, roots, _Context(target, is_top=False, inner=inner, counters=counters)))
        return found if matters else ()

    def _counters_of(self, node: Node, callee: int, context: _Context) -> frozenset[tuple[Place, int]]:
        """The counters that a callee is handed, as it names them."""
        return frozenset(
            (event.evidence.place, bits)
            for event in self._of(context.function, node)
            if event.evidence.callee == callee and event.evidence.place is not None
            and (bits := self._counted(event.place, context))
        )  # fmt: skip

    def _targets(self, node: Node, context: _Context) -> list[int]:
        """The functions with bodies that a call may reach."""
        effects = self._state.effects
        if node.symbol is not None and not node.flags & kinds.NODE_INDIRECT:
            is_dynamic = node.flags & kinds.NODE_DYNAMIC or node.kind == kinds.DESTRUCTION
            others = effects.overriders(node.symbol) if is_dynamic else ()
            return [t for t in (node.symbol, *others) if effects.has_own_body(t)]
        self._of(context.function, node)
        deeds = self._deeds.get(node)
        places = deeds.callees.get(node, {}) if deeds is not None else {}
        return [t for t in effects.functions_at(places) if effects.has_own_body(t)]

    def lambda_context(self, node: Node, operator: int, context: object) -> object:
        """See `Happenings`."""
        assert isinstance(context, _Context)
        inner = frozenset(
            event.evidence.place
            for event in self._of(context.function, node)
            if event.evidence.callee == operator and event.evidence.place is not None
            and event.evidence.place.root is Root.LAMBDA_PARAMETER and self._is_write(event.place, context)
        )  # fmt: skip
        counters = self._counters_of(node, operator, context)
        if not inner and not counters:
            return context
        return _Context(context.function, context.is_top, context.inner | inner, context.counters | counters)

    def ends(self, node: Node) -> bool:
        """See `Happenings`."""
        return node.symbol is not None and self._state.facts.symbol(node.symbol).qualified in _ENDS

    # ---- what may publish

    def _may_signal(self, start: int) -> bool:
        """Whether any signal is given within a function, at any depth."""
        known = self._signalling.get(start)
        if known is not None:
            return known
        seen, waiting = {start}, [start]
        while waiting:
            function = waiting.pop()
            fresh = self._signal_or_callees(function)
            if fresh is None or any(self._signalling.get(target) for target in fresh):
                self._signalling[start] = True
                return True
            waiting += [t for t in fresh if t not in seen and t not in self._signalling]
            seen.update(fresh)
        self._signalling.update(dict.fromkeys(seen, False))  # none of them does
        return False

    def _signal_or_callees(self, function: int) -> list[int] | None:
        """None where a function gives a signal itself, else what it calls; the backend's own doings aside."""
        context = _Context(function)
        found = []
        for deeds in self._state.deeds(function):
            for node in deeds.root.walk():
                if self.at(node, context)[1]:
                    return None
                if node.kind in {ast.CALL_EXPRESSION, kinds.DESTRUCTION}:
                    found += self._targets(node, context)
        return found

    # ---- macros

    @cached_property
    def _macros(self) -> dict[str, int]:
        """The macros that publish, and those whose bodies name one, with the bits of their signals."""
        found: dict[str, int] = defaultdict(int)
        for name, signal in self._signals.items():
            for macro in signal.macros:
                found[macro] |= self._bits[name]
        waiting = list(found)
        while waiting:
            macro = waiting.pop()
            for scan in self._state.facts.scans.values():
                offsets = [offset for offset, _ in scan.occurrences(macro)]
                for definition in scan.macro_definitions if offsets else ():
                    is_inside = any(definition.body_start <= offset < definition.body_end for offset in offsets)
                    if is_inside and found[macro] & ~found[definition.name]:
                        found[definition.name] |= found[macro]
                        waiting.append(definition.name)
        return dict(found)

    def _expanded(self, node: Node) -> int:
        """The signals of the macro that is expanded where a node stands; of one without an expansion, on its line."""
        if not node.line or (not node.flags & kinds.NODE_MACRO and node.kind != _NULL_STATEMENT):
            return 0
        path = self._state.effects.place(node)[0]
        by_place, by_line = self._uses(path)
        if node.flags & kinds.NODE_MACRO:
            return by_place.get((node.line, node.column), 0)
        return sum(bits for column, bits in by_line.get(node.line, ()) if column < node.column)

    def _uses(self, path: str) -> tuple[Mapping[tuple[int, int], int], Mapping[int, list[tuple[int, int]]]]:
        known = self._places.get(path)
        if known is None:
            places: dict[tuple[int, int], int] = {}
            lines: dict[int, list[tuple[int, int]]] = defaultdict(list)
            scan = self._state.facts.scans.get(path)
            if scan is not None:
                for macro, bits in self._macros.items():
                    for offset, _ in scan.occurrences(macro):
                        line, column = scan.location(offset)
                        places[line, column] = bits
                        lines[line].append((column, bits))
            known = self._places[path] = (places, lines)
        return known

    @cached_property
    def _places(self) -> dict[str, tuple[Mapping[tuple[int, int], int], Mapping[int, list[tuple[int, int]]]]]:
        return {}


def _is_literal(node: Node) -> bool:
    """Whether a node assigns a constant: that sets a counter back and tells nothing."""
    if node.kind != ast.BINARY_OPERATOR or node.data != kinds.ASSIGN:
        return False
    return node.children[-1].kind in {kinds.INTEGER_LITERAL, kinds.BOOLEAN_LITERAL}


_NULL_STATEMENT: Final = 230
_ENDS: Final = frozenset(
    {"abort", "exit", "_Exit", "quick_exit", "std::abort", "std::exit", "std::terminate", "std::unreachable",
     "std::quick_exit", "__builtin_unreachable", "__builtin_trap", "__assert_fail"}
)  # fmt: skip
