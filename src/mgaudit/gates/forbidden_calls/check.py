"""The check of the gate kind ``forbidden-calls``: uses of functions by two witnesses, wrappers, and retired names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.domain.findings import Finding
from mgaudit.domain.problems import Problem
from mgaudit.gates.context import Verdict
from mgaudit.gates.forbidden_calls.parameters import ForbiddenCallsParameters
from mgaudit.gates.forbidden_calls.retired import retired_uses
from mgaudit.gates.forbidden_calls.wrappers import wrapped_calls
from mgaudit.gates.name_uses import Naming
from mgaudit.gates.names import entity_of
from mgaudit.gates.scopes import empty_zones
from mgaudit.graphs.call_builder import call_graph

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.gates.context import GateContext
    from mgaudit.gates.name_uses import NameUse
    from mgaudit.gates.names import Entity

_CALL_HELP: Final = "take it out, or do it outside of the zones; name an allowed place in `exempt`"
_NAME_HELP: Final = "use what replaces it; name an allowed place in `exempt`"
_ABSENCE: Final = (
    "write it as its declaration does; list a function that is gone under `retired`, or set `expect-declared = false`"
)
_ROLES: Final = {
    "call": "is called", "address": "has its address taken", "read": "is used", "write": "is used",
    "reference": "is named", "token": "is named", "definition": "is defined", "declaration": "is declared",
    "wrapper": "is reached",
}  # fmt: skip


def check(context: GateContext) -> Verdict:
    """Find every use of a forbidden function, and every occurrence of a retired name."""
    return _Check(context).verdict()


class _Check:
    def __init__(self, context: GateContext) -> None:
        assert isinstance(context.spec.parameters, ForbiddenCallsParameters)
        self.context = context
        self.parameters = context.spec.parameters
        self.naming = Naming(context, context.paths_in(self.parameters.zones))
        self.problems: list[Problem] = list(empty_zones(context, "zones", self.parameters.zones))
        self.findings: list[Finding] = []

    def verdict(self) -> Verdict:
        functions = self._entities(
            "functions", self.parameters.functions, expect_declared=self.parameters.expect_declared
        )
        for _, entity in functions:
            self._report(entity, (u for u in self.naming.uses_of(entity) if not u.is_declaration), _CALL_HELP)
        if self.parameters.wrappers and functions:
            graph = call_graph(self.context.facts)
            for _, entity in functions:
                self._report(entity, wrapped_calls(self.context.facts, graph, self.naming.paths, entity), _CALL_HELP)
        for pattern, entity in self._entities("retired", self.parameters.retired, expect_declared=False):
            self._report(entity, retired_uses(self.naming, entity, pattern), _NAME_HELP)
        examined = {
            "functions": len(self.parameters.functions), "retired names": len(self.parameters.retired),
            "files": len(self.naming.scanned), **self.naming.examined,
        }  # fmt: skip
        return Verdict(tuple(self.findings), examined, tuple(self.problems))

    def _entities(self, key: str, patterns: Iterable[str], *, expect_declared: bool) -> list[tuple[str, Entity]]:
        """What names of a parameter mean, each once; what means nothing is a problem."""
        found: dict[Entity, str] = {}
        for index, pattern in enumerate(patterns):
            place = f"{key}[{index}]"
            entity = entity_of(
                self.context, place, pattern, expect_declared=expect_declared, absence=_ABSENCE, c_first=True
            )
            if isinstance(entity, Problem):
                self.problems.append(entity)
            else:
                found.setdefault(entity, pattern)
        return [(pattern, entity) for entity, pattern in found.items()]

    def _report(self, entity: Entity, uses: Iterable[NameUse], advice: str) -> None:
        for use in uses:
            how = f" {use.how}" if use.how else ""
            self.findings.append(
                Finding(
                    gate=self.context.spec.id, kind=self.context.spec.kind, severity=use.severity,
                    message=f"{entity.qualified} {_ROLES[use.role]}{how}: {use.witnesses}", help=advice,
                    path=use.path, line=use.line, column=use.column, entity=entity.qualified,
                    symbol=use.enclosing.signature if use.enclosing else None,
                    identity=use.identity(entity.qualified), configurations=use.configurations, evidence=use.evidence,
                )
            )  # fmt: skip
