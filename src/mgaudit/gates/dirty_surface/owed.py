"""The mutators that owe a row: those that code outside of the state calls, where an entry point reaches that code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mgaudit.facts.bodies import bodies_of
from mgaudit.graphs.call_builder import call_graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.analysis.effects_model import Evidence
    from mgaudit.analysis.mutators import State
    from mgaudit.gates.context import GateContext


@dataclass(slots=True)
class Owed:
    """Why a mutator owes a row.

    Attributes:
        place: The first call or write: path, line, column.
        evidence: What it does.
        functions: Ids of the functions that make the change, where no function of the state does.
    """

    place: tuple[str, int, int]
    evidence: Evidence
    functions: list[int]


def owed_mutators(context: GateContext, state: State, entry: Sequence[str]) -> dict[int, Owed]:
    """Every mutator that owes a row, by name.

    What backends change is no matter of entry points: the gates that observe them list it.
    """
    facts = context.facts
    paths = context.paths_in(tuple(entry))
    rows = bodies_of(facts).rows
    starts = [symbol for symbol, bodies in rows.items() if any(body.path in paths for body in bodies)]
    reached = call_graph(facts).reachable(starts)
    observing = context.paths_in(tuple(sorted(_observing(context) - set(entry))))
    found: dict[int, Owed] = {}
    for function in state.outside:
        if function not in reached or all(body.path in observing for body in rows[function]):
            continue
        for mutation in state.mutations(function):
            place = state.effects.place(mutation.node)
            owed = found.setdefault(mutation.mutator, Owed(place, mutation.evidence, []))
            if place < owed.place:
                owed.place, owed.evidence = place, mutation.evidence
            if function not in owed.functions:
                owed.functions.append(function)
    names = {number: (facts.symbol(number).qualified, facts.symbol(number).usr) for number in found}
    return {number: found[number] for number in sorted(found, key=names.__getitem__)}


def _observing(context: GateContext) -> set[str]:
    """The zones that gates observe as backends."""
    return {
        zone for gate in context.settings.gates if gate.kind in {"reads", "writebacks", "upcalls"}
        for zone in gate.parameters.from_zones  # type: ignore[attr-defined]
    }  # fmt: skip
