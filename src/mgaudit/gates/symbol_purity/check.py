"""The check of the gate kind ``symbol-purity``: what binaries and sources need and must not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.binaries import select
from mgaudit.gates.context import Verdict
from mgaudit.gates.symbol_purity.check_binaries import check_binaries
from mgaudit.gates.symbol_purity.check_sources import SourceCheck
from mgaudit.gates.symbol_purity.parameters import SymbolPurityParameters

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext


def check(context: GateContext) -> Verdict:
    """Judge the binaries that the gate names, what its sources predict, or both."""
    parameters = context.spec.parameters
    assert isinstance(parameters, SymbolPurityParameters)
    chosen = select(context, "binaries", parameters.binaries, optional=parameters.optional)
    verdicts = [Verdict(examined=chosen.examined if parameters.binaries else {}, problems=chosen.problems)]
    if parameters.sources is not None:
        verdicts.append(SourceCheck(context, parameters.sources).verdict())
    elif not chosen.binaries and not chosen.problems:
        return Verdict(
            skipped="none of the optional binaries exists", handled=frozenset(range(len(context.spec.exempt)))
        )
    if chosen.binaries:
        verdicts.append(
            check_binaries(
                chosen.binaries,
                gate=context.spec.id,
                forbid=parameters.forbid,
                require_exports=parameters.require_exports,
            )
        )
    return _joined(verdicts)


def _joined(verdicts: list[Verdict]) -> Verdict:
    return Verdict(
        tuple(finding for verdict in verdicts for finding in verdict.findings),
        {name: count for verdict in verdicts for name, count in verdict.examined.items()},
        tuple(problem for verdict in verdicts for problem in verdict.problems),
    )
