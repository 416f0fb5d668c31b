"""The check of the gate kind ``symbol-purity``: what the binaries need and must not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.domain.problems import Problem
from mgaudit.gates.binaries import select
from mgaudit.gates.context import Verdict
from mgaudit.gates.symbol_purity.check_binaries import check_binaries
from mgaudit.gates.symbol_purity.parameters import SymbolPurityParameters

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext


def check(context: GateContext) -> Verdict:
    """Judge the binaries that the gate names."""
    parameters = context.spec.parameters
    assert isinstance(parameters, SymbolPurityParameters)
    if parameters.sources is not None:
        message = f'gate "{context.spec.id}": symbols cannot be predicted from sources yet'
        return Verdict(problems=(Problem(*context.spec.place("sources"), message, "name binaries instead"),))
    chosen = select(context, "binaries", parameters.binaries, optional=parameters.optional)
    if chosen.problems:
        return Verdict(problems=chosen.problems)
    if not chosen.binaries:
        return Verdict(
            skipped="none of the optional binaries exists", handled=frozenset(range(len(context.spec.exempt)))
        )
    verdict = check_binaries(
        chosen.binaries,
        gate=context.spec.id,
        forbid=parameters.forbid,
        require_exports=parameters.require_exports,
    )
    return Verdict((*verdict.findings, *chosen.absent), verdict.examined, verdict.problems)
