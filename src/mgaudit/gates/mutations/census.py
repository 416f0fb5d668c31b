"""The mutations of a gate, as a census: each pair of a function that reaches the backend and what it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.sites_entities import FUNCTIONS
from mgaudit.domain.census import Census, SurfaceSite
from mgaudit.facts.bodies import bodies_of
from mgaudit.gates.mutations.check import judge
from mgaudit.sources.body_kinds import NODE_MACRO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.analysis.meetings import Pair
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.mutations.check import Judged


def census_of(context: GateContext) -> Census:
    """Every pair of a gate of the kind ``mutations``, undecided ones too.

    Raises:
        UntrustedError: As `judge`.
    """
    judged = context.once(judge)
    sites = tuple(_site(judged, pair) for pair in judged.pairs)
    return Census("mutations", sites, judged.examined(), (), 0)


def _site(judged: Judged, pair: Pair) -> SurfaceSite:
    context = judged.context
    name = judged.mutator(pair)
    is_function = context.facts.symbol(pair.mutator).kind in FUNCTIONS
    return SurfaceSite(
        gate=context.spec.id, path=bodies_of(context.facts).path(pair.node.file), line=pair.node.line,
        column=pair.node.column, symbol=judged.enclosing(pair).signature, entity=name,
        accessor=judged.state.entities.accessor(pair.mutator), owner=name.rpartition("::")[0],
        kind="value" if pair.is_certain else "unresolved", via=tuple(_ways(pair)),
        role="call" if is_function else "write", verdict=judged.verdict(pair), verbs=(),
        configurations=context.facts.names_of(pair.mask),
    )  # fmt: skip


def _ways(pair: Pair) -> Iterator[str]:
    """A helper makes the change, or a macro writes it."""
    if pair.node.symbol != pair.mutator and pair.evidence.callee is not None:
        yield "helper"
    if pair.node.flags & NODE_MACRO:
        yield "macro"
