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
    from collections.abc import Iterable, Iterator, Mapping

    from mgaudit.analysis.certificate import FileCertificate
    from mgaudit.gates.context import GateContext


class Unwitnessed(NamedTuple):
    """A watched name that neither witness places, and why; line and column are 1-based."""

    path: str
    line: int
    column: int
    name: str
    reason: str


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


def unwitnessed(context: GateContext, certificates: Iterable[FileCertificate]) -> Iterator[Unwitnessed]:
    """Every watched name of doubtful syntax of which the front end knows nothing either, sorted by place."""
    macros = Macros(context.facts.scans)
    names = watched(context)
    everything = (1 << len(context.facts.configurations)) - 1
    for certificate in certificates:
        path = certificate.path
        if path not in names or all(not stretch.doubt for stretch in certificate.stretches):
            continue
        found = {offset: name for name in names[path] for offset in _code_tokens(context, path, name)}
        doubtful = {offset: stretch for offset in sorted(found) if (stretch := certificate.at(offset)).doubt}
        known = _fact_offsets(context, path) if doubtful else set()
        asked = [offset for offset, stretch in doubtful.items() if offset not in known and stretch.mask]
        answers = context.resolve(path, asked) if asked else {}
        for offset, stretch in doubtful.items():
            answer = answers.get(offset)
            if offset in known or (answer and not (answer.is_macro and not macros.only_stringises(answer.name))):
                continue
            reason = stretch.reason(everything)
            yield Unwitnessed(
                path, *context.facts.scans[path].location(offset), found[offset],
                f"{reason}; the front end reports nothing there" if stretch.mask else reason,
            )  # fmt: skip


def _code_tokens(context: GateContext, path: str, name: str) -> Iterator[int]:
    for offset, flags in context.facts.scans[path].occurrences(name):
        if not flags & TokenFlag.IN_DIRECTIVE:
            yield offset


def _fact_offsets(context: GateContext, path: str) -> set[int]:
    offsets = {row.offset for row in context.facts.references_in([path])}
    return offsets | {row.offset for row in context.facts.declarations_in([path])}
