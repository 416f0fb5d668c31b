"""The memos of a gate, for commands."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from mgaudit.domain.census import Memo, MemoCensus, MemoComponent
from mgaudit.gates.memo_keys.check import judge

if TYPE_CHECKING:
    from mgaudit.analysis.memos import Component
    from mgaudit.gates.context import GateContext


def census_of(context: GateContext) -> MemoCensus:
    """Every memo of a gate of the kind ``memo-keys``.

    Raises:
        UntrustedError: As `judge`.
    """
    judged = context.once(judge)
    memos = []
    for container, group in groupby(judged.components, key=lambda component: component.container):
        components = list(group)
        memos.append(
            Memo(
                context.spec.id, container.path, container.line, container.column, container.name,
                " and ".join(sorted({component.form for component in components})),
                tuple(_component(context, component) for component in components),
            )
        )  # fmt: skip
    return MemoCensus(tuple(memos), judged.examined())


def _component(context: GateContext, component: Component) -> MemoComponent:
    place = component.place
    return MemoComponent(
        place.path, place.line, place.column, place.name, component.type.text, str(component.role),
        str(component.answer), component.why, component.evidence, context.facts.names_of(component.mask),
    )  # fmt: skip
