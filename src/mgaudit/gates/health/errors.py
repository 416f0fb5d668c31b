"""The front end's errors: which of them make the answer untrustworthy.

After an error the front end drops code without further notice: "nothing found" would then mean nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.domain.problems import Problem
from mgaudit.sources.records import COMMAND_LINE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mgaudit.facts.query import Diagnostic, Edge, Facts, Unit
    from mgaudit.gates.context import GateContext

_FATAL: Final = 4
_NOT_FOUND: Final = "file not found"
_TOO_DEEP: Final = "#include nested too deeply"
_SHOWN: Final = 10
_FIX: Final = "correct the configuration's flags or the code; what follows an error may be missing from the facts"


@dataclass(frozen=True, slots=True)
class Trouble:
    """One error, over all the units that have it.

    Attributes:
        path: The file at fault.
        line: 1-based; 0 where there is none.
        message: What is wrong.
        help: What to do.
        configurations: The configurations that have it, sorted.
        is_grave: Whether the answer cannot be trusted for it.
    """

    path: str
    line: int
    message: str
    help: str
    configurations: tuple[str, ...]
    is_grave: bool


def troubles(context: GateContext, audited: Collection[str]) -> list[Trouble]:
    """Every error of every unit, sorted by place; long lists of one file are cut short.

    Grave, in a required configuration, are an error in an audited file, a fatal error in a unit of an audited file, an
    error there in an inclusion or a condition, which hides what it would have included, and a header that such a unit,
    or an audited header alone, does not find. Other errors of headers taken alone are none. Where no configuration is
    required, all are.
    """
    return _shortened(_Troubles(context, audited).all())


class _Troubles:
    def __init__(self, context: GateContext, audited: Collection[str]) -> None:
        self.facts: Facts = context.facts
        self.audited = audited
        names = {spec.name for spec in context.settings.configurations}
        self.required = {spec.name for spec in context.settings.configurations if spec.required} or names
        self.stubs = {s.name: s.missing_headers == "stub" for s in context.settings.configurations}
        self.found: dict[tuple[str, int, str, str], dict[str, bool]] = defaultdict(dict)

    def all(self) -> list[Trouble]:
        diagnostics: dict[int, list[Diagnostic]] = defaultdict(list)
        for diagnostic in self.facts.diagnostics():
            diagnostics[diagnostic.unit].append(diagnostic)
        edges = self.facts.edges
        leading_nowhere = frozenset(number for number, edge in edges.items() if edge.target is None)
        for unit in self.facts.units:
            if unit.name.kind != "preamble":
                missing = [edges[number] for number in sorted(leading_nowhere & self.facts.edges_of(unit))]
                self._missing(unit, missing)
                if unit.name.kind == "source":
                    self._errors(unit, diagnostics[unit.id], {(edge.source, edge.line) for edge in missing})
        return [
            Trouble(*key, tuple(sorted(by_name)), any(by_name.values())) for key, by_name in sorted(self.found.items())
        ]

    def _missing(self, unit: Unit, edges: Iterable[Edge]) -> None:
        for edge in edges:
            name = f"<{edge.spelling}>" if edge.angled else f'"{edge.spelling}"'
            path, line = (unit.name.path, 0) if edge.source == COMMAND_LINE else (edge.source, edge.line)
            self._add(
                unit,
                (path, line, f"the header {name} was not found", self._advice(unit)),
                is_grave=self._audits(unit, path),
            )

    def _advice(self, unit: Unit) -> str:
        advice = "add its folder to `include-dirs`, generate it first, or write a stand-in into `stub-headers`"
        return (
            advice if self.stubs[unit.name.configuration] else f'{advice}; `missing-headers = "stub"` makes empty ones'
        )

    def _errors(
        self, unit: Unit, diagnostics: Iterable[Diagnostic], missing: Collection[tuple[str | None, int]]
    ) -> None:
        for d in diagnostics:
            if d.message.endswith(_NOT_FOUND) and (d.path, d.line) in missing:
                continue
            inside = d.path is None or d.path in self.audited
            reaches = d.severity >= _FATAL or self._hides_inclusions(d)
            is_grave = self._audits(unit, d.path) if reaches else inside and self._audits(unit, d.path)
            self._add(unit, (d.path or unit.name.path, d.line, d.message, _FIX), is_grave=is_grave)

    def _hides_inclusions(self, d: Diagnostic) -> bool:
        """Whether the front end goes on as if the inclusion, or the arm of a conditional, at fault were not there."""
        scan = self.facts.scans.get(d.path) if d.path is not None else None
        if scan is None:
            return d.message == _TOO_DEEP
        inclusions = any(directive.enters and directive.line == d.line for directive in scan.directives)
        return inclusions or any(arm.start_line == d.line for arm in scan.conditionals)

    def _audits(self, unit: Unit, path: str | None) -> bool:
        """Whether a unit, or the file at fault in it, is audited."""
        return unit.name.path in self.audited or path in self.audited

    def _add(self, unit: Unit, key: tuple[str, int, str, str], *, is_grave: bool) -> None:
        name = unit.name.configuration
        known = self.found[key].get(name, False)
        self.found[key][name] = known or (is_grave and name in self.required)


def problem_of(trouble: Trouble) -> Problem:
    """A grave error as a reason not to trust the run."""
    names = ", ".join(trouble.configurations)
    return Problem(trouble.path, trouble.line, f"{trouble.message} (configuration {names})", trouble.help)


def _shortened(found: list[Trouble]) -> list[Trouble]:
    """At most some errors of each file, and how many more there are."""
    return list(_first_of_each(found))


def _first_of_each(found: list[Trouble]) -> Iterator[Trouble]:
    by_file: dict[tuple[str, bool], list[Trouble]] = defaultdict(list)
    for trouble in found:
        by_file[trouble.path, trouble.is_grave].append(trouble)
    for (path, is_grave), here in by_file.items():
        yield from here[:_SHOWN]
        if rest := here[_SHOWN:]:
            names = tuple(sorted({name for trouble in rest for name in trouble.configurations}))
            yield Trouble(path, 0, f"{len(rest)} more errors in this file", _FIX, names, is_grave)
