"""Whether a change of state is published: which signals come with a write on every path of a mutator.

A signal is a counter that is written, a function that is called, a macro that is expanded, or a call of the backend.
The paths are those of `mgaudit.analysis.control_flow`; what is a write is what the effects say of each node.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from mgaudit.analysis.control_flow import Interpreter
from mgaudit.analysis.control_flow_model import Undecided
from mgaudit.analysis.publication_nodes import Meanings
from mgaudit.sources.body_kinds import RETURN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mgaudit.analysis.control_flow_model import Happened
    from mgaudit.analysis.mutators import Reach, State
    from mgaudit.analysis.publication_nodes import Signal
    from mgaudit.facts.bodies import Node


class Answer(enum.Enum):
    """Whether a signal comes with a write on every path."""

    HOLDS = enum.auto()
    FAILS = enum.auto()
    UNDECIDED = enum.auto()


@dataclass(frozen=True, slots=True)
class Published:
    """What is known of one mutator.

    Attributes:
        functions: Ids of the functions whose paths were looked at.
        only: The mutator, where these are not the mutator itself but what changes state by it; else None.
        answers: By signal.
        reason: Why some are undecided, or empty.
        place: Path and line of that reason.
    """

    functions: tuple[int, ...]
    only: int | None
    answers: Mapping[str, Answer]
    reason: str = ""
    place: tuple[str, int] = ("", 0)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: what is done at a place."""

    path: str
    line: int
    text: str


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
        self._bits = {name: 1 << index for index, name in enumerate([*signals, immediate])}
        by_bit = {self._bits[name]: signal for name, signal in signals.items()}
        self._meanings = Meanings(state, by_bit, reach, self._bits[immediate])
        self._interpreters: dict[int, Interpreter] = {}
        self._known: dict[tuple[tuple[int, ...], int | None], Published] = {}

    @property
    def names(self) -> Sequence[str]:
        """The signals."""
        return tuple(self._bits)

    def of(self, mutator: int) -> Published:
        """What comes with every write of a function of the state, whichever overrider runs."""
        functions = [f for f in self._state.targets(mutator) if self._state.effects.has_own_body(f)]
        return self._remembered(tuple(functions), None)

    def beside(self, functions: Sequence[int], mutator: int) -> Published:
        """What comes with every write that some functions make themselves, through a field or a getter."""
        return self._remembered(tuple(functions), mutator)

    def _remembered(self, functions: tuple[int, ...], only: int | None) -> Published:
        known = self._known.get((functions, only))
        if known is None:
            known = self._known[functions, only] = self._judged(functions, only)
        return known

    def _judged(self, functions: tuple[int, ...], only: int | None) -> Published:
        undecided = dict.fromkeys(self._bits, Answer.UNDECIDED)
        try:
            ways = [happened for _, _, happened in self._exits(functions, only, sum(self._bits.values()))]
        except Undecided as cause:
            path, line, _ = self._state.effects.place(cause.node)
            return Published(functions, only, undecided, cause.reason, (path, line))
        except RecursionError:
            return Published(functions, only, undecided, "statements nested too deeply")
        if not any(happened.missed_2 | happened.given_2 for happened in ways):
            return Published(functions, only, undecided, "no path is seen that surely writes")
        missed = reduce(int.__or__, (happened.missed_2 for happened in ways))
        doubted = reduce(int.__or__, (happened.missed_1 for happened in ways))
        answers = {
            name: Answer.FAILS if missed & bit else Answer.UNDECIDED if doubted & bit else Answer.HOLDS
            for name, bit in self._bits.items()
        }
        reason = "something unknown may write on some path" if Answer.UNDECIDED in answers.values() else ""
        return Published(functions, only, answers, reason)

    def _exits(
        self, functions: Sequence[int], only: int | None, signals: int
    ) -> Iterator[tuple[int, Node, Happened]]:  # fmt: skip
        """The ways out of some functions."""
        interpreter = self._interpreters.get(signals)
        if interpreter is None:
            interpreter = self._interpreters[signals] = Interpreter(self._meanings, signals)
        for function in functions:
            for deeds in self._state.deeds(function):
                context = self._meanings.context(function, only)
                for node, happened in interpreter.exits(deeds.root, function, context):
                    yield function, node, happened

    def missed_path(self, known: Published, signal: str) -> list[Step]:
        """A path that writes and does not give a signal: the calls down to the write, the write, and the way out.

        Args:
            known: What is known of the mutator; the signal fails there.
            signal: The signal's name.
        """
        ways = self._exits(known.functions, known.only, self._bits[signal])
        function, leaving, happened = next(way for way in ways if way[2].missed_2)
        *calls, write = happened.witness
        name = self._state.facts.symbol(function).qualified
        end = "returns" if leaving.kind == RETURN else "runs to its end"
        return [
            *(self._step(node, self._called(node)) for node in calls),
            self._step(write, self._meanings.deed(write) or "writes"),
            self._step(leaving, f"{name} {end}, and has not published {signal}"),
        ]  # fmt: skip

    def _called(self, node: Node) -> str:
        symbol = self._state.facts.symbol(node.symbol) if node.symbol is not None else None
        return f"calls {symbol.qualified}, which writes" if symbol is not None else "calls what writes"

    def _step(self, node: Node, text: str) -> Step:
        path, line, _ = self._state.effects.place(node)
        return Step(path, line, text)
