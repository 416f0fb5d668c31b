"""What the nodes of functions mean to the question whether changes of state are published.

A node writes state, or what may be state; it gives signals; a call leads on to functions in which something of both may
happen. What a callee changes counts there, by the places that the caller's effects say are state: the callee names them
in its own terms.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.analysis.control_flow_model import Callee
from mgaudit.analysis.effects_model import CONTENT, Root, shortenings
from mgaudit.analysis.publication_counters import Moves
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mgaudit.analysis.effects_model import Deeds, Event, Place
    from mgaudit.analysis.mutators import Reach, State
    from mgaudit.facts.bodies import Node


@dataclass(frozen=True, slots=True)
class Signal:
    """What publishes: any of these."""

    counters: frozenset[int] = frozenset()
    functions: frozenset[int] = frozenset()
    macros: frozenset[str] = frozenset()


_Uses = tuple["Mapping[tuple[int, int], int]", "Mapping[int, list[tuple[int, int]]]"]
"""The bits of the macros that a file expands: by line and column, and by line, with their columns."""


class _Meaning(NamedTuple):
    """What a node does: what it writes and which signals it gives itself, and the functions that write at its call."""

    written: int = 0
    signals: int = 0
    writers: frozenset[int] = frozenset()


_NOTHING: Final = _Meaning()


@dataclass(frozen=True, eq=False)
class Context:
    """A function as it is interpreted: one object for each that is asked about.

    Attributes:
        function: Its id.
        only: The one mutator whose changes count, or None for all changes of state.
        is_top: Whether it is the mutator itself, or makes the change itself; else `inner` says what is a write.
        inner: The places, as this function names them, that are state of the callers'.
        doubtful: Likewise, that may be.
        counters: The places that are counters of the callers', with the bits of their signals.
        meanings: What nodes do, as far as anybody asked.
        calls: What calls reach, likewise.
    """

    function: int
    only: int | None
    is_top: bool
    inner: frozenset[Place] = frozenset()
    doubtful: frozenset[Place] = frozenset()
    counters: frozenset[tuple[Place, int]] = frozenset()
    meanings: dict[Node, _Meaning] = field(default_factory=dict)
    calls: dict[Node, Sequence[Callee]] = field(default_factory=dict)


class Meanings:
    """What nodes mean: `control_flow_model.Happenings`.

    Args:
        state: The state and who changes it.
        signals: What publishes, with a bit for each.
        reach: What leads to the backend.
        immediate: The bit of the signal that the reach of the backend is.
    """

    def __init__(self, state: State, signals: Mapping[int, Signal], reach: Reach, immediate: int) -> None:
        self._state = state
        self._signals = signals
        self._reach = reach
        self._moves = Moves(state.facts)
        self._immediate = immediate
        self._contexts: dict[tuple[object, ...], Context] = {}
        self._events: dict[int, dict[Node, list[Event]]] = {}
        self._deeds: dict[Node, Deeds] = {}
        self._widths: dict[Node, int] = {}
        self._changes: dict[int, tuple[list[int], bool]] = {}
        self._signalling: dict[int, bool] = {}
        self._places: dict[str, _Uses] = {}

    def context(self, function: int, only: int | None) -> Context:
        """The context of a function that changes state itself.

        Args:
            function: Its id.
            only: The one mutator whose changes count, or None for all changes of state.
        """
        return self._context(function, only, is_top=True)

    def _context(  # noqa: PLR0913  what a context holds
        self, function: int, only: int | None, *, is_top: bool, inner: frozenset[Place] = frozenset(),
        doubtful: frozenset[Place] = frozenset(), counters: frozenset[tuple[Place, int]] = frozenset(),
    ) -> Context:  # fmt: skip
        key = (function, only, is_top, inner, doubtful, counters)
        return self._contexts.setdefault(key, Context(function, only, is_top, inner, doubtful, counters))

    def deed(self, node: Node) -> str:
        """What a node does to state, in words."""
        for events in self._events.values():
            if node in events:
                return next((e.evidence.text for e in events[node] if not e.place.is_own), "")
        return ""

    # ---- what nodes do

    def at(self, node: Node, context: object) -> tuple[int, int]:
        """See `Happenings`."""
        assert isinstance(context, Context)
        return self._meaning(node, context)[:2]

    def unseen(self, node: Node, context: object, ran: Iterable[int]) -> bool:
        """See `Happenings`."""
        assert isinstance(context, Context)
        writers = self._meaning(node, context).writers
        if not writers:
            return False
        known = {*ran, *self._state.publishers}
        names = ({writer, self._state.entities.pattern(writer)} for writer in writers)
        return any(known.isdisjoint(name) for name in names) and not self._reaches(node, context)

    def _meaning(self, node: Node, context: Context) -> _Meaning:
        known = context.meanings.get(node)
        if known is None:
            events = self._of(context.function, node)
            if not events and node.kind != ast.CALL_EXPRESSION and not self._macros:
                return _NOTHING
            known = context.meanings[node] = self._read(node, events, context)
        return known

    def _read(self, node: Node, events: Sequence[Event], context: Context) -> _Meaning:
        written = 0
        writers: set[int] = set()
        for event in events:
            weight = self._weight(event, context)
            if weight and self._is_elsewhere(event):
                assert event.evidence.callee is not None
                if node.kind in _CALLS:
                    writers.add(event.evidence.callee)
                    continue
                weight = 1  # nothing shows that it runs here
            written = max(written, weight)
        return _Meaning(written, self._given(node, context), frozenset(writers))

    def _is_elsewhere(self, event: Event) -> bool:
        """Whether a function with a body makes the change."""
        return event.evidence.callee is not None and self._state.effects.has_body(event.evidence.callee)

    def _given(self, node: Node, context: Context) -> int:
        events = [event for event in self._of(context.function, node) if event.evidence.callee is None]
        signals = 0
        if events and self._moves.moves(node):
            signals = self._surely(events, context)
        if node.kind == ast.CALL_EXPRESSION:
            signals |= self._called(node, context)
        return signals | self._expanded(node) if self._macros else signals

    def _surely(self, events: Sequence[Event], context: Context) -> int:
        """The signals that a write gives, whichever of some places it changes.

        What a local pointer or reference leads to stands beside what it was given, and is no other place. A counter
        that a callee names by its object is that of the object that the callee changes, whichever that is.
        """
        inner = events[0].evidence.place
        bits = [self._counted(event, context) for event in events if not _leads_on(event.place)]
        if inner is not None and inner.fields:
            return reduce(int.__or__, bits, 0)
        return reduce(int.__and__, bits) if bits else 0

    def _of(self, function: int, node: Node) -> Sequence[Event]:
        known = self._events.get(function)
        if known is None:
            known = self._events[function] = defaultdict(list)
            for deeds in self._state.deeds(function):
                self._widths.update(deeds.widths())
                for event in deeds.events:
                    known[event.node].append(event)
                for inner in deeds.root.walk():
                    if inner.kind == ast.CALL_EXPRESSION:
                        self._deeds[inner] = deeds
        return known.get(node, ())

    def _weight(self, event: Event, context: Context) -> int:
        """Whether a deed changes state: 0 for no, 1 for perhaps, 2 for surely."""
        place = event.place
        is_inside = place in context.inner or place in context.doubtful
        if not is_inside and context.is_top and context.only is not None:
            mutators, is_certain = self._changed(event)
            return 0 if context.only not in mutators else 2 if is_certain else 1
        if not is_inside and context.is_top:
            weight = 2 if self._state.is_changed(place, context.function) else 0
        elif not is_inside and context.only is None and place.root in {Root.GLOBAL, Root.OBJECT}:
            weight = 2 if self._state.named(place) is not None else 0
        else:
            weight = self._callers(place, context)
        return min(weight, 2 if event.is_certain else 1)

    def _changed(self, event: Event) -> tuple[list[int], bool]:
        known = self._changes.get(id(event))  # which lives as long as this
        if known is None:
            known = self._changes[id(event)] = self._state.changed(event, self._widths.get(event.node, 0))
        return known

    def _callers(self, place: Place, context: Context) -> int:
        """Whether a place is state of the callers', as `_weight` says it."""
        if place.is_own or self._is_counter(place):
            return 0
        names = {place, *shortenings(place, self._state.effects.is_interesting)}
        return 2 if names & context.inner else 1 if names & context.doubtful else 0

    def _is_counter(self, place: Place) -> bool:
        return any(step in self._state.counters for step in place.path)

    def _counted(self, event: Event, context: Context) -> int:
        """The signals of a counter that is written; one of another object than the changed one tells nothing.

        Its field stands last in the place, or, where that is a path too long, in what a callee calls it.
        """
        place, inner = event.place, event.evidence.place
        handed = 0
        if context.counters:
            names = {place, *shortenings(place, self._state.effects.is_interesting)}
            handed = reduce(int.__or__, (bits for counter, bits in context.counters if counter in names), 0)
        if handed or place.is_own or (not context.is_top and place.root in {Root.THIS, Root.PARAMETER}):
            return handed
        last = {path[-1] for path in (place.fields, inner.fields if inner is not None else ()) if path}
        if not place.fields and place.root is Root.GLOBAL:
            last.add(place.number)
        if place.root is Root.PARAMETER and any(self._is_of_its_class(field_, context.function) for field_ in last):
            return 0
        return sum(bit for bit, signal in self._signals.items() if last & signal.counters)

    def _is_of_its_class(self, counter: int, function: int) -> bool:
        """Whether the object that a method changes has a counter too."""
        owner = self._state.facts.symbol(function).parent
        if owner is None or self._state.facts.symbol(counter).parent != owner:
            return False
        return any(event.place.root is Root.THIS for events in self._events[function].values() for event in events)

    def _called(self, node: Node, context: Context) -> int:
        """The signals of the functions that a call surely reaches."""
        found = self._immediate if self._surely_reaches(node, context) else 0
        targets = set(self._targets(node, context))
        named = {node.symbol, self._state.entities.pattern(node.symbol)} if node.symbol is not None else set()
        for bit, signal in self._signals.items():
            if named & signal.functions or (targets and targets <= signal.functions):
                found |= bit
        return found

    def _surely_reaches(self, node: Node, context: Context) -> bool:
        """Whether a call goes to the backend, whatever it is called through."""
        if not self._reaches(node, context):
            return False
        lasting = [place for place in self._deeds[node].callees.get(node, {}) if not place.is_own]
        through = [place.root is Root.GLOBAL and place.number in self._reach.variables for place in lasting]
        return all(through) or not any(through)  # else it is the type that leads there

    def _reaches(self, node: Node, context: Context) -> bool:
        self._of(context.function, node)
        deeds = self._deeds.get(node)
        return deeds is not None and self._state.reaches(node, deeds, self._reach)

    def is_construction(self, node: Node) -> bool:
        """See `Happenings`."""
        return node.symbol is not None and self._state.facts.symbol(node.symbol).kind == "constructor"

    def is_assignment(self, node: Node) -> bool:
        """See `Happenings`."""
        return node.symbol is not None and self._state.facts.symbol(node.symbol).name in _ASSIGNING

    def ends(self, node: Node) -> bool:
        """See `Happenings`."""
        return node.symbol is not None and self._state.facts.symbol(node.symbol).qualified in _ENDS

    def skips(self, node: Node) -> bool:
        """See `Happenings`."""
        return node.symbol is not None and self._state.facts.symbol(node.symbol).qualified in _SKIPPING

    # ---- what calls run

    def callees(self, node: Node, context: object) -> Sequence[Callee]:
        """See `Happenings`."""
        assert isinstance(context, Context)
        known = context.calls.get(node)
        if known is None:
            known = context.calls[node] = self._callees(node, context)
        return known

    def _callees(self, node: Node, context: Context) -> Sequence[Callee]:
        if self._reaches(node, context):
            return ()  # what the backend does is its own
        found = []
        matters = False
        for target in self._targets(node, context):
            inner = self._inner(node, target, context)
            matters = matters or bool(inner.inner or inner.doubtful or inner.counters) or self._may_signal(target)
            found.append(Callee(target, tuple(deeds.root for deeds in self._state.deeds(target)), inner))
        return found if matters else ()

    def _inner(self, node: Node, callee: int, context: Context) -> Context:
        """What a callee writes is, in its own words."""
        named: dict[int, set[Place]] = {1: set(), 2: set()}
        written: dict[Place, list[Event]] = defaultdict(list)
        for event in self._of(context.function, node):
            place = event.evidence.place
            if event.evidence.callee != callee or place is None:
                continue
            written[place].append(event)
            weight = self._weight(event, context) if callee not in self._state.publishers else 0
            if weight:
                named[weight].add(place)
        counters = {(place, bits) for place, events in written.items() if (bits := self._surely(events, context))}
        return self._context(
            callee, context.only, is_top=False, inner=frozenset(named[2]), doubtful=frozenset(named[1] - named[2]),
            counters=frozenset(counters),
        )  # fmt: skip

    def _targets(self, node: Node, context: Context) -> list[int]:
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
        assert isinstance(context, Context)
        known = self._inner(node, operator, context)
        inner, doubtful = (
            frozenset(place for place in places if place.root is Root.LAMBDA_PARAMETER)
            for places in (known.inner, known.doubtful)
        )
        counters = known.counters
        if not inner and not doubtful and not counters:
            return context
        return self._context(
            context.function, context.only, is_top=context.is_top, inner=context.inner | inner,
            doubtful=context.doubtful | doubtful, counters=context.counters | counters,
        )  # fmt: skip

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
        context = self._context(function, None, is_top=False)
        found = []
        for deeds in self._state.deeds(function):
            for node in deeds.root.walk():
                if self._given(node, context):
                    return None
                if node.kind in {ast.CALL_EXPRESSION, kinds.DESTRUCTION}:
                    found += self._targets(node, context)
        return found

    # ---- macros

    @cached_property
    def _macros(self) -> dict[str, int]:
        """The macros that publish, and those whose bodies name one, with the bits of their signals."""
        found: dict[str, int] = defaultdict(int)
        for bit, signal in self._signals.items():
            for macro in signal.macros:
                found[macro] |= bit
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

    def _uses(self, path: str) -> _Uses:
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


def _leads_on(place: Place) -> bool:
    """Whether a place only stands for what a local pointer or reference leads to."""
    return place.is_own and CONTENT in place.path


_NULL_STATEMENT: Final = 230
_CALLS: Final = frozenset({ast.CALL_EXPRESSION, kinds.DESTRUCTION})
_ENDS: Final = frozenset(
    {"abort", "exit", "_Exit", "quick_exit", "std::abort", "std::exit", "std::terminate", "std::unreachable",
     "std::quick_exit", "__builtin_unreachable", "__builtin_trap", "__assert_fail"}
)  # fmt: skip
_SKIPPING: Final = frozenset(
    {"__builtin_constant_p", "__builtin_object_size", "__builtin_dynamic_object_size", "__builtin_assume",
     "__builtin_classify_type"}
)  # fmt: skip
_ASSIGNING: Final = frozenset({"operator=", "assign", "emplace", "swap", "reset"})
