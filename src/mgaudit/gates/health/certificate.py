"""The certificate: where the syntax witness cannot be believed, the front end alone vouches for the code.

A watched name that stands there, and at whose place the front end reports nothing either, has no witness at all,
unless it answers when asked for that very place, or the name is text: the argument of a macro that only stringises it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mgaudit.domain.names import strip_signature
from mgaudit.gates.forbidden_calls.parameters import ForbiddenCallsParameters
from mgaudit.gates.name_tokens import Macros
from mgaudit.gates.undeclared.parameters import UndeclaredParameters
from mgaudit.sources.scan_facts import TokenFlag

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mgaudit.gates.context import GateContext
    from mgaudit.sources.syntax import FileSyntax


class Unwitnessed(NamedTuple):
    """A watched name that neither witness places; line and column are 1-based."""

    path: str
    line: int
    column: int
    name: str


def watched(context: GateContext) -> Mapping[str, frozenset[str]]:
    """The names that gates look for, by file of their zones: the last components of what is configured."""
    found: dict[str, set[str]] = {}
    for gate in context.settings.gates:
        parameters = gate.parameters
        if isinstance(parameters, UndeclaredParameters):
            names = parameters.entities
        elif isinstance(parameters, ForbiddenCallsParameters):
            names = parameters.functions
        else:
            continue
        spelled = {strip_signature(name).rsplit("::", 1)[-1] for name in names}
        for path in context.paths_in(parameters.zones):
            found.setdefault(path, set()).update(spelled)
    return {path: frozenset(names) for path, names in found.items()}


def unwitnessed(context: GateContext) -> Iterator[Unwitnessed]:
    """Every watched name in an uncertified range of a wanted file without a fact at its place, sorted by place."""
    macros = Macros(context.facts.scans)
    for path, names in sorted(watched(context).items()):
        if not context.wants(path):
            continue
        scan, syntax = context.facts.scans.get(path), context.syntax.get(path)
        if scan is None or syntax is None or syntax.clean:
            continue
        ranges = _doubtful(syntax)
        found = {offset: name for name in names for offset in _code_tokens(context, path, name)}
        found = {o: name for o, name in found.items() if any(start <= o < end for start, end in ranges)}
        if found:
            known = _fact_offsets(context, path)
            found = {offset: name for offset, name in found.items() if offset not in known}
        answers = context.resolve(path, sorted(found)) if found else {}
        for offset, name in sorted(found.items()):
            answer = answers.get(offset)
            if answer is None or (answer.is_macro and not macros.only_stringises(answer.name)):
                yield Unwitnessed(path, *scan.location(offset), name)


def uncertified_bytes(syntax: FileSyntax) -> int:
    """How many bytes of a file the syntax witness does not vouch for."""
    total, reached = 0, 0
    for start, end in sorted(_doubtful(syntax)):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def _doubtful(syntax: FileSyntax) -> list[tuple[int, int]]:
    return [(span.start, span.end) for group in (syntax.errors, syntax.missing, syntax.suspicious) for span in group]


def _code_tokens(context: GateContext, path: str, name: str) -> Iterator[int]:
    for offset, flags in context.facts.scans[path].occurrences(name):
        if not flags & TokenFlag.IN_DIRECTIVE:
            yield offset


def _fact_offsets(context: GateContext, path: str) -> set[int]:
    offsets = {row.offset for row in context.facts.references_in([path])}
    return offsets | {row.offset for row in context.facts.declarations_in([path])}
