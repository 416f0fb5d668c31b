"""The check of the gate kind ``symbol-purity``: what binaries and sources need and must not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.binaries import select
from mgaudit.gates.context import Verdict
from mgaudit.gates.symbol_purity.check_binaries import check_binaries
from mgaudit.gates.symbol_purity.check_sources import SourceCheck
from mgaudit.gates.symbol_purity.comparison import Comparison
from mgaudit.gates.symbol_purity.parameters import SymbolPurityParameters

if TYPE_CHECKING:
    from mgaudit.gates.binaries import Selection
    from mgaudit.gates.context import GateContext


def check(context: GateContext) -> Verdict:
    """Judge the binaries that the gate names, what its sources predict, or both, and compare them."""
    parameters = context.spec.parameters
    assert isinstance(parameters, SymbolPurityParameters)
    chosen = select(context, "binaries", parameters.binaries, optional=parameters.optional)
    sources = SourceCheck(context, parameters.sources) if parameters.sources is not None else None
    if sources is None and not chosen.binaries and not chosen.problems:
        return Verdict(
            skipped="none of the optional binaries exists", handled=frozenset(range(len(context.spec.exempt)))
        )
    predicted = sources.verdict() if sources is not None else Verdict()
    built = _built(context, parameters, chosen)
    if sources is not None and chosen.binaries and not predicted.problems and not built.problems:
        comparison = Comparison(chosen.binaries, sources)
        findings = (
            *comparison.explained(built.findings),
            *comparison.linker_only(context.spec.id, built.findings),
            *comparison.predicted_only(),
        )
    else:
        findings = built.findings
    return Verdict(
        (*predicted.findings, *findings),
        {**predicted.examined, **built.examined},
        (*predicted.problems, *built.problems),
    )


def _built(context: GateContext, parameters: SymbolPurityParameters, chosen: Selection) -> Verdict:
    """What the binaries alone say."""
    if not parameters.binaries:
        return Verdict()
    if not chosen.binaries:
        return Verdict(examined=chosen.examined, problems=chosen.problems)
    verdict = check_binaries(
        chosen.binaries, gate=context.spec.id, forbid=parameters.forbid, require_exports=parameters.require_exports
    )
    return Verdict(verdict.findings, {**chosen.examined, **verdict.examined}, verdict.problems)
