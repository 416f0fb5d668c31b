"""Controls of the gate kind ``dirty-surface``: changes of state that nobody publishes, and rows that claim too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.publication import Answer
from mgaudit.gates.dirty_surface.check import judge
from mgaudit.gates.dirty_surface.parameters import DirtySurfaceParameters
from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_rows import Rows
from mgaudit.gates.plant_uses import Cause, accessors
from mgaudit.gates.plants import Ground, Plant
from mgaudit.sources.records import DECL_DEFINITION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext
    from mgaudit.gates.dirty_surface.check import Judged


def plants(context: GateContext) -> Iterator[Plant]:
    """Calls of mutators that owe no row yet, rows that claim what does not hold, and rows that are wrong."""
    parameters = context.spec.parameters
    assert isinstance(parameters, DirtySurfaceParameters)
    ground, judged = Ground(context), judge(context)
    paths = context.paths_in(parameters.entry)
    named = {number for row in judged.catalogue.rows for number in judged.meant(row)}
    every = accessors(ground, judged.state.entities, is_const=False)
    changing = [(number, use) for number, use in every if judged.state.mutates(number)]
    for number, use in changing:
        if number in judged.owed or number in named:
            continue
        place = _definition(ground, number)
        if place is not None:
            planter = Planter(ground, paths, [use], ", and no row says what publishes it")
            yield from (plant.found_at(*place) for plant in planter.red())
    every = accessors(ground, judged.state.entities, is_const=True)
    reading = [use for number, use in every if not judged.state.mutates(number) and not judged.state.may_mutate(number)]
    yield from Planter(ground, paths, reading, "").accepted("a read")
    answered_already = [use for number, use in changing if number in judged.owed and judged.rows_of(number)]
    yield from Planter(ground, paths, answered_already, "").accepted("a change that a row answers")
    catalogue = Rows(ground, judged.catalogue, lambda row: row.get("mutator") or "")
    yield from catalogue.named()
    yield from catalogue.doubled()
    yield from _claims(judged, catalogue)
    yield from catalogue.taken(
        (row, (*place, judged.context.facts.symbol(number).qualified))
        for number in judged.owed
        if (place := _definition(ground, number)) is not None
        for row in judged.rows_of(number)
    )
    yield from catalogue.commented()


def _definition(ground: Ground, number: int) -> tuple[str, int] | None:
    """Where a mutator is defined."""
    rows = ground.facts.declarations_of([number])
    return next(((row.path, row.line) for row in rows if row.flags & DECL_DEFINITION), None)


def _claims(judged: Judged, catalogue: Rows) -> Iterator[Plant]:
    """Rows that claim a publisher which some path misses."""
    column = judged.catalogue.columns.index("publishers")
    for row in judged.catalogue.rows:
        owed = [number for number in judged.owed if row in judged.rows_of(number)]
        claimed = row.union("publishers")
        for name in judged.parameters.publishers:
            if name in claimed or not owed:
                continue
            if len(owed) == 1 and judged.published[owed[0]].answers.get(name) is Answer.FAILS:
                cause = Cause("a row claims too much", f"some path misses {name}")
                yield from catalogue.rewritten(row, column, " | ".join([*claimed, name]), cause)
                break
