"""The check of the gate kind ``catalogue``: the list of calls agrees with itself, its history and the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.domain.problems import Problem
from mgaudit.gates.catalogue.calls import Calls
from mgaudit.gates.catalogue.parameters import CatalogueParameters
from mgaudit.gates.catalogue.payloads import Payloads
from mgaudit.gates.context import Verdict
from mgaudit.gates.coverage import Reporter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext
    from mgaudit.sources.catalogues import Catalogue


def check(context: GateContext) -> Verdict:
    """Judge the catalogues of an interface."""
    parameters = context.spec.parameters
    assert isinstance(parameters, CatalogueParameters)
    catalogue = context.catalogue(parameters.calls)
    fields = context.catalogue(parameters.fields) if parameters.fields else None
    report = Reporter(context)
    payloads = Payloads(context, parameters, catalogue, fields, report)
    calls = Calls(context, parameters, catalogue, payloads, report)
    findings = tuple(dict.fromkeys([*calls.findings(), *payloads.findings()]))
    examined = {
        "calls": len(catalogue.rows), "payloads": len(payloads.carried),
        "fields": len(fields.rows) if fields is not None else 0,
    }  # fmt: skip
    problems = [*calls.problems, *_columns(context, parameters, catalogue)]
    if payloads.is_empty:
        what = f"no translation unit defines a class in the namespace `{parameters.payload_namespace}`"
        place = context.spec.place("payload-namespace")
        problems.append(
            Problem(*place, f'gate "{context.spec.id}": {what}', "correct the name, or parse what includes them")
        )
    return Verdict(findings, {name: count for name, count in examined.items() if count}, tuple(problems))


def _columns(context: GateContext, parameters: CatalogueParameters, catalogue: Catalogue) -> Iterator[Problem]:
    """A problem for each column that a rule needs and the list of calls does not have: the rule would prove nothing."""
    wanted = {name for rule in parameters.implies for part in (rule.when, rule.then) for name in part}
    wanted |= {name for name, legal in (("class", parameters.classes), ("flags", parameters.flags)) if legal}
    for name in sorted(wanted - {"payload-has"} - set(catalogue.columns)):
        yield Problem(
            *context.spec.place("calls"), f'gate "{context.spec.id}": the calls have no column `{name}`',
            f"they have {', '.join(catalogue.columns)}",
        )  # fmt: skip
