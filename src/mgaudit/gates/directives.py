"""Inclusion directives as findings name them: where they stand, and how they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mgaudit.domain.findings import Evidence
from mgaudit.sources.records import COMMAND_LINE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.config.model import Settings
    from mgaudit.facts.query import Edge, Facts
    from mgaudit.sources.scan_facts import Inclusion


class Place(NamedTuple):
    """A place in a file; line and column are 1-based."""

    path: str
    line: int
    column: int


def place(edge: Edge, facts: Facts, settings: Settings, configuration: str) -> Place:
    """Where a directive stands; a forced include stands at the configuration's line."""
    if edge.source == COMMAND_LINE:
        return _forced_place(edge, settings, configuration)
    written = _written(edge, facts)
    return Place(edge.source, edge.line, written.column if written else 1)


def text(edge: Edge, facts: Facts) -> str:
    """A directive as written; a computed one with its macro."""
    if edge.source == COMMAND_LINE:
        return f"-include {edge.target or edge.spelling}"
    written = _written(edge, facts)
    kind = written.kind if written else "include"
    if written and written.computed:
        return f"#{kind} {written.spelling}"
    return f"#{kind} <{edge.spelling}>" if edge.angled else f'#{kind} "{edge.spelling}"'


def evidence(chain: Iterable[Edge], facts: Facts, settings: Settings, configuration: str) -> tuple[Evidence, ...]:
    """One step of a proof for each directive of a chain."""
    steps = []
    for edge in chain:
        at = place(edge, facts, settings, configuration)
        steps.append(Evidence("include", at.path, at.line, text(edge, facts)))
    return tuple(steps)


def _written(edge: Edge, facts: Facts) -> Inclusion | None:
    """The scanner's view of a directive, where the file is one of the tree."""
    scan = facts.scans.get(edge.source)
    return next((d for d in scan.directives if d.enters and d.line == edge.line), None) if scan else None


def _forced_place(edge: Edge, settings: Settings, configuration: str) -> Place:
    spec = next(spec for spec in settings.configurations if spec.name == configuration)
    for forced in spec.force_includes:
        if edge.target == forced.value or edge.spelling.endswith("/" + forced.value.removeprefix("./")):
            return Place(forced.path, forced.line, 1)
    return Place(spec.path, spec.line, 1)
