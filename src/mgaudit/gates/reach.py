"""From the names of function tables and active objects in a gate's parameters to what leads to the backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.analysis.mutators import Reach
from mgaudit.analysis.sites_entities import CLASSES
from mgaudit.domain.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.gates.context import GateContext

_VARIABLES: Final = frozenset({"variable", "static-variable", "field"})


def reach_of(context: GateContext, names: Sequence[str]) -> tuple[Reach, list[Problem]]:
    """What the names of the parameter ``reach`` mean, and a problem for each that means nothing."""
    variables: set[int] = set()
    types: set[int] = set()
    problems = []
    for index, name in enumerate(names):
        found = context.facts.symbols_named(name)
        own = {s.id for s in found if s.kind in _VARIABLES}
        classes = {s.id for s in found if s.kind in CLASSES}
        variables |= own
        types |= classes
        if not own and not classes:
            problems.append(
                Problem(
                    *context.spec.place(f"reach[{index}]"),
                    f'gate "{context.spec.id}": no translation unit declares the variable or type `{name}`',
                    "correct the name: a function table or an active object, or the type of one",
                )
            )
    return Reach(frozenset(variables), frozenset(types)), problems
