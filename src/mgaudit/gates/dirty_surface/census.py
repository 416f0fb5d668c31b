"""The mutators of a gate, as a census, and how far the analysis decides them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mgaudit.analysis.publication import Answer
from mgaudit.analysis.sites_entities import FUNCTIONS
from mgaudit.domain.census import Census, SurfaceSite
from mgaudit.gates.dirty_surface.check import judge

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.dirty_surface.check import Judged


def census_of(context: GateContext) -> Census:
    """Every mutator of a gate of the kind ``dirty-surface``, undecided ones too, and a profile of the analysis.

    Raises:
        UntrustedError: As `judge`.
    """
    judged = context.once(judge)
    profile = Counter(_profiled(judged, number) for number in judged.owed)
    ranked = sorted(profile.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    totals = tuple((what, why, count) for (what, why), count in ranked)
    sites = tuple(_site(judged, number) for number in judged.owed)
    return Census("mutators", sites, judged.examined(), totals, len(sites))


def _profiled(judged: Judged, number: int) -> tuple[str, str]:
    """Whether a mutator is decided, and what stands in the way."""
    known = judged.published[number]
    if Answer.UNDECIDED in known.answers.values():
        return "undecided", known.reason
    taint = judged.tainted(number)
    if taint:
        return "decided", f"by what is known; something unknown may write beside it: {taint}"
    return "decided", "what publishes each write is known"


def _site(judged: Judged, number: int) -> SurfaceSite:
    facts = judged.context.facts
    symbol = facts.symbol(number)
    path, line, column = judged.place(number)
    is_decided = Answer.UNDECIDED not in judged.published[number].answers.values()
    return SurfaceSite(
        gate=judged.context.spec.id, path=path, line=line, column=column, symbol=facts.signature(symbol),
        entity=symbol.qualified, accessor=judged.state.entities.accessor(number),
        owner=symbol.qualified.rpartition("::")[0], kind="value" if is_decided else "unresolved", via=(),
        role="call" if symbol.kind in FUNCTIONS else "write", verdict=judged.verdict(number), verbs=(),
        configurations=tuple(sorted(facts.configurations)),
    )  # fmt: skip
