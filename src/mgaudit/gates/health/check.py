"""The check of the gate kind ``health``."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.certificate import certificates
from mgaudit.analysis.unresolved import unresolved
from mgaudit.config.log import nearest
from mgaudit.domain.certificate import Standing
from mgaudit.domain.findings import Finding, Severity
from mgaudit.domain.problems import Problem
from mgaudit.gates.context import Verdict
from mgaudit.gates.health.certificate import unwitnessed
from mgaudit.gates.health.errors import problem_of, troubles
from mgaudit.gates.health.parameters import HealthParameters
from mgaudit.graphs.includes import IncludeGraph, is_fragment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mgaudit.analysis.certificate import FileCertificate
    from mgaudit.analysis.unresolved import UnresolvedAccess
    from mgaudit.gates.context import GateContext

_SOURCE_SUFFIXES: Final = frozenset({"c", "cc", "cpp", "cxx", "c++", "cp", "m", "mm", "cppm", "ccm", "ixx"})
_COUNTED_ELSEWHERE: Final = ("sites", "verbs", "rows")


def check(context: GateContext) -> Verdict:
    """Judge whether the answers of the other gates can be trusted."""
    return _Check(context).verdict()


class _Check:
    def __init__(self, context: GateContext) -> None:
        assert isinstance(context.spec.parameters, HealthParameters)
        self.context = context
        self.facts = context.facts
        self.parameters = context.spec.parameters
        self.audited = context.paths_in(tuple(sorted(context.audited)))
        self.problems: list[Problem] = []
        self.findings: list[Finding] = []
        self._finding = partial(Finding, gate=context.spec.id, kind=context.spec.kind)

    def verdict(self) -> Verdict:
        self._judge_errors()
        self._judge_orphans()
        self._judge_unresolved()
        if self.parameters.certificate:
            self._judge_certificate()
        if self.context.is_whole:
            self._judge_floors()
        left = () if self.context.is_whole or not self.parameters.floors else ("floors",)
        return Verdict(tuple(self.findings), self._examined(), tuple(self.problems), left=left)

    def _examined(self) -> dict[str, int]:
        counts = {name: count() for name, count in self._counts.items() if name != "references"}
        counts["unresolved"] = len(self.accesses)
        for zone in sorted(self.context.audited):
            inside = frozenset(self.context.files.in_zone(zone))
            counts[f"unresolved-{zone}"] = sum(access.path in inside for access in self.accesses)
        if self.parameters.certificate:
            counts |= {standing.counter: number for standing, number in self._bytes().items()}
        return counts

    def _bytes(self) -> dict[Standing, int]:
        """How many bytes of the audited files who vouches for, in any configuration."""
        found = dict.fromkeys(Standing, 0)
        for item in self.certificates:
            for standing, number in item.bytes_by((1 << len(self.facts.configurations)) - 1).items():
                found[standing] += number
        return found

    # ---- errors of the front end

    def _judge_errors(self) -> None:
        for trouble in troubles(self.context, self.audited):
            if trouble.is_grave:
                self.problems.append(problem_of(trouble))
            else:
                self.findings.append(
                    self._finding(
                        severity=Severity.WARNING, message=trouble.message, help=trouble.help, path=trouble.path,
                        line=trouble.line, column=1 if trouble.line else 0, entity=trouble.path,
                        identity=("error", trouble.path, trouble.message), configurations=trouble.configurations,
                    )
                )  # fmt: skip

    # ---- files that nothing parses

    @cached_property
    def _main_files(self) -> frozenset[str]:
        return frozenset(unit.name.path for unit in self.facts.units if unit.name.kind == "source")

    @cached_property
    def _alone(self) -> frozenset[str]:
        return frozenset(unit.name.path for unit in self.facts.units if unit.name.kind == "header")

    @cached_property
    def _included(self) -> frozenset[str]:
        found: set[str] = set()
        for configuration in self.facts.configurations:
            graph = IncludeGraph.of(self.facts, configuration)
            for unit in graph.units:
                found |= graph.closure(unit)
        return frozenset(found)

    def _judge_orphans(self) -> None:
        catalogues = {spec.file for spec in self.context.settings.catalogues.values()}
        for path in sorted(self.audited - self._main_files - self._included - catalogues):
            if _is_source(path) or path in self.context.files.sources:
                self._add_orphan(path, "is in no translation unit, and nothing includes it", "build it, or delete it")
            elif is_fragment(path):
                self._add_orphan(
                    path, "is a fragment that nothing includes", "include it where it belongs, or delete it"
                )
            elif path not in self._alone:
                problem = Problem(path, 0, "the header is in no include closure and was not parsed alone either")
                self.problems.append(problem)

    def _add_orphan(self, path: str, message: str, advice: str) -> None:
        self.findings.append(
            self._finding(
                severity=Severity.ERROR, message=f"{path} {message}: no gate sees its code", help=advice, path=path,
                line=0, column=0, entity=path, identity=("orphan", path),
                configurations=tuple(sorted(self.facts.configurations)),
            )
        )  # fmt: skip

    # ---- floors

    @cached_property
    def _counts(self) -> Mapping[str, Callable[[], int]]:
        """What can be counted here; units are those of the required configuration that has the fewest."""
        seen = self._main_files | self._included | self._alone
        return {
            "units": self._fewest_units,
            "headers": lambda: len(seen.intersection(self.context.files.headers)),
            "files": lambda: len(seen.intersection(self.context.files.files)),
            "configurations": lambda: len(self.facts.configurations),
            "references": self._count_references,
        }

    def _fewest_units(self) -> int:
        required = {spec.name for spec in self.context.settings.configurations if spec.required}
        names = [name for name in self.facts.configurations if name in required] or list(self.facts.configurations)
        return min(len(IncludeGraph.of(self.facts, name).sources()) for name in names)

    def _count_references(self) -> int:
        (count,) = self.facts.connection.execute("SELECT COUNT(*) FROM reference").fetchone()
        return int(count)

    def _judge_floors(self) -> None:
        elsewhere = self.context.examined
        for name, floor in self.parameters.floors.items():
            place = self.context.spec.place(f"floors.{name}")
            if name in self._counts:
                count = self._counts[name]()
            elif name in elsewhere or name in _COUNTED_ELSEWHERE:
                count = elsewhere.get(name, 0)
            else:
                known = sorted({*self._counts, *elsewhere, *_COUNTED_ELSEWHERE})
                self.problems.append(Problem(*place, f'nothing counts "{name}"', nearest(name, known, "counted")))
                continue
            if count < floor:
                self.problems.append(
                    Problem(
                        *place, f"{count} {name}, and the floor is {floor}",
                        "find out what was lost; lower the floor if it is right",
                    )
                )  # fmt: skip

    # ---- what the front end does not resolve

    @cached_property
    def accesses(self) -> list[UnresolvedAccess]:
        return unresolved(self.facts, filter(self.context.wants, self.audited))

    def _judge_unresolved(self) -> None:
        """One finding for each access, where a baseline holds those that are known."""
        for access in self.accesses if self.parameters.unresolved is not None else ():
            self.findings.append(
                self._finding(
                    severity=Severity.ERROR,
                    message=f"the front end does not resolve {access.name}: no gate sees what it is",
                    help=f"instantiate the template, or accept the access in {self.parameters.unresolved}",
                    path=access.path, line=access.line, column=access.column, entity=access.name,
                    identity=("unresolved", access.path, access.name),
                    configurations=tuple(sorted(self.facts.configurations)),
                )
            )  # fmt: skip

    # ---- the certificate

    @cached_property
    def certificates(self) -> tuple[FileCertificate, ...]:
        """Those of the wanted files."""
        return certificates(self.facts, sorted(filter(self.context.wants, self.audited)), self.context.syntax)

    def _judge_certificate(self) -> None:
        for path, line, column, name, reason in unwitnessed(self.context, self.certificates):
            self.findings.append(
                self._finding(
                    severity=Severity.ERROR,
                    message=f"{name} stands where no parser vouches for the code: {reason}",
                    help="simplify the macro or directive around it, so that one of the two parsers sees the code",
                    path=path, line=line, column=column, entity=name, identity=("certificate", path, name),
                    configurations=tuple(sorted(self.facts.configurations)),
                )
            )  # fmt: skip


def _is_source(path: str) -> bool:
    return path.rsplit(".", 1)[-1].lower() in _SOURCE_SUFFIXES
