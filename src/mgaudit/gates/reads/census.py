"""The read surface of a gate, as a census."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.sites import totals
from mgaudit.domain.census import Census, SurfaceSite
from mgaudit.gates.reads.check import judge

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext


def census_of(context: GateContext) -> Census:
    """Every site of a gate of the kind ``reads``.

    Raises:
        UntrustedError: As `judge`.
    """
    judged = judge(context)
    sites = []
    for site in judged.surface.sites:
        enclosing = judged.enclosing(site)
        owner = site.entity if site.kind == "signature" else site.entity.rpartition("::")[0]
        sites.append(
            SurfaceSite(
                gate=context.spec.id,
                path=site.path,
                line=site.line,
                column=site.column,
                symbol=enclosing.signature if enclosing else None,
                entity=site.entity,
                accessor=site.accessor,
                owner=owner,
                kind=str(site.kind),
                via=site.via,
                role=site.role,
                verdict=judged.verdict(site),
                verbs=judged.verbs(site),
                configurations=context.facts.names_of(site.mask),
            )
        )
    return Census("reads", tuple(sites), judged.examined(), tuple(totals(judged.surface)), judged.surface.references)
