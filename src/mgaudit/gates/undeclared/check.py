"""The check of the gate kind ``undeclared``: what names an entity, by two witnesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.domain.findings import Finding
from mgaudit.domain.problems import Problem
from mgaudit.gates.context import Verdict
from mgaudit.gates.name_uses import Naming
from mgaudit.gates.names import entity_of
from mgaudit.gates.scopes import empty_zones
from mgaudit.gates.undeclared.parameters import UndeclaredParameters

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.name_uses import NameUse
    from mgaudit.gates.names import Entity

_HELP = "take the value as a parameter or through the boundary's interface; name an allowed place in `exempt`"


def check(context: GateContext) -> Verdict:
    """Find every place in the zones that names an entity, however spelled."""
    parameters = context.spec.parameters
    assert isinstance(parameters, UndeclaredParameters)
    naming = Naming(context, context.paths_in(parameters.zones))
    problems = list(empty_zones(context, "zones", parameters.zones))
    findings: list[Finding] = []
    for index, pattern in enumerate(parameters.entities):
        entity = entity_of(context, f"entities[{index}]", pattern, expect_declared=parameters.expect_declared)
        if isinstance(entity, Problem):
            problems.append(entity)
        else:
            findings += [_finding(context, entity, use) for use in naming.uses_of(entity)]
    examined = {"entities": len(parameters.entities), "files": len(naming.scanned), **naming.examined}
    return Verdict(tuple(findings), examined, tuple(problems))


def _finding(context: GateContext, entity: Entity, use: NameUse) -> Finding:
    how = f" {use.how}" if use.how else ""
    role = "" if use.role == "token" else f"{use.role}, "
    return Finding(
        gate=context.spec.id, kind=context.spec.kind, severity=use.severity,
        message=f"{entity.qualified} is named{how}: {role}{use.witnesses}", help=_HELP,
        path=use.path, line=use.line, column=use.column, entity=entity.qualified,
        symbol=use.enclosing.signature if use.enclosing else None, identity=use.identity(entity.qualified),
        configurations=use.configurations, evidence=use.evidence,
    )  # fmt: skip
