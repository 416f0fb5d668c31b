"""The write-backs of a gate, as a census."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mgaudit.domain.census import SurfaceSite
from mgaudit.gates.coverage import census
from mgaudit.gates.uses import enclosing_function
from mgaudit.gates.writebacks.check import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.domain.census import Census
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.writebacks.check import Judged


def census_of(context: GateContext) -> Census:
    """Every write-back of a gate of the kind ``writebacks``, undecided ones too.

    Raises:
        UntrustedError: As `judge`.
    """
    judged = context.once(judge)
    listed = census("writebacks", judged, judged.sites, judged.found)
    return replace(listed, sites=(*listed.sites, *_unknown(judged)))


def _unknown(judged: Judged) -> Iterator[SurfaceSite]:
    """The deeds whose object is not known at all: what is observed may be among what they change."""
    facts = judged.context.facts
    for (path, line, column, text), row in sorted(judged.changed.unknown.items()):
        enclosing = enclosing_function(facts, [row.symbol])
        yield SurfaceSite(
            gate=judged.context.spec.id, path=path, line=line, column=column,
            symbol=enclosing.signature if enclosing is not None else None, entity=f"{UNKNOWN} ({text})",
            accessor=f"{UNKNOWN} ({text})", owner=UNKNOWN, kind="unresolved", via=(), role="write",
            verdict="undecided", verbs=(), configurations=facts.names_of(row.mask),
        )  # fmt: skip


UNKNOWN: Final = "some object"
