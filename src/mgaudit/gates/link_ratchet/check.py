"""The check of the gate kind ``link-ratchet``: what the server's objects still need from the frontend's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.links import Debt, Side, classify, link_debts, undefined_in
from mgaudit.domain.problems import UntrustedError
from mgaudit.gates.binaries import mention, placed, select, symbol_finding
from mgaudit.gates.context import Verdict
from mgaudit.gates.link_ratchet.parameters import LinkRatchetParameters
from mgaudit.sources.binaries_names import demangle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mgaudit.domain.findings import Finding
    from mgaudit.gates.context import GateContext
    from mgaudit.sources.binaries_model import Binary


KIND: Final = "link-ratchet"


def check(context: GateContext) -> Verdict:
    """Find every symbol that a server object leaves undefined and only frontend objects define."""
    parameters = context.spec.parameters
    assert isinstance(parameters, LinkRatchetParameters)
    chosen = select(context, "objects", parameters.objects, optional=parameters.optional)
    if chosen.problems:
        return Verdict(problems=chosen.problems)
    if not chosen.binaries:
        return Verdict(
            skipped="none of the optional objects exists", handled=frozenset(range(len(context.spec.exempt)))
        )
    verdict = judged(chosen.binaries, parameters.partition.prefixes, context.spec.id)
    return replace(
        verdict,
        examined={**chosen.examined, **verdict.examined},
        problems=placed(context, "partition", verdict.problems),
    )


def judged(binaries: Iterable[Binary], partition: Mapping[Side, Sequence[str]], gate: str) -> Verdict:
    """What the server's objects owe, by path prefixes of each side; has problems where some object has no side."""
    try:
        sides = classify((item for binary in binaries for item in binary.objects), partition)
    except UntrustedError as error:
        return Verdict(problems=error.problems)
    findings = tuple(finding for debt in link_debts(sides) for finding in findings_of(debt, gate))
    examined = {f"{side}-objects": len(sides[side]) for side in Side}
    return Verdict(findings, {**examined, "undefined-symbols": len(undefined_in(sides[Side.SERVER]))})


def findings_of(debt: Debt, gate: str) -> Iterator[Finding]:
    """One finding for each binary that owes the symbol."""
    definitions = tuple(mention("definition", item, f"defines {debt.name}") for item in debt.definers)
    for path in sorted({item.path for item in debt.users}):
        uses = (mention("symbol", item, f"undefined {debt.name}") for item in debt.users if item.path == path)
        yield symbol_finding(
            gate, KIND, path, debt.name,
            message=f"server object needs {demangle(debt.name)} ({debt.name}) of {debt.definers[0].label}",
            advice="move the definition to the server or the shared part, or reach it through an interface",
            evidence=(*uses, *definitions),
        )  # fmt: skip
