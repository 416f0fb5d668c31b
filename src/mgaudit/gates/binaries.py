"""What the gates over binaries share: the files that globs select, and how a symbol is reported."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.problems import Problem, UntrustedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mgaudit.gates.context import GateContext
    from mgaudit.sources.binaries_model import Binary, ObjectFile


@dataclass(frozen=True, slots=True)
class Selection:
    """The binaries that a parameter's globs select.

    Attributes:
        binaries: In the order of their paths.
        unmatched: How many globs match nothing, and may.
        problems: Why not all could be read.
    """

    binaries: tuple[Binary, ...] = ()
    unmatched: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def examined(self) -> dict[str, int]:
        """What there was to look at."""
        counts = {"binaries": len(self.binaries), "objects": sum(len(binary.objects) for binary in self.binaries)}
        return {**counts, "unmatched-globs": self.unmatched} if self.unmatched else counts


def select(context: GateContext, key: str, globs: Sequence[str], *, optional: bool) -> Selection:
    """Read the files that globs select.

    Args:
        context: The gate's context.
        key: The parameter that holds the globs.
        globs: From the root.
        optional: Whether a glob may match nothing.
    """
    empty = [index for index, glob in enumerate(globs) if not context.matching([glob])]
    if empty and not optional:
        return Selection(problems=tuple(_unmatched(context, key, globs, empty)))
    try:
        return Selection(context.binaries(context.matching(globs)), len(empty))
    except UntrustedError as error:
        return Selection(problems=error.problems)


def _unmatched(context: GateContext, key: str, globs: Sequence[str], empty: Iterable[int]) -> Iterable[Problem]:
    for index in empty:
        message = f'gate "{context.spec.id}": no file matches {globs[index]}'
        help_text = "build first, correct the glob, or set `optional = true`"
        yield Problem(*context.spec.place(f"{key}[{index}]"), message, help_text)


def placed(context: GateContext, key: str, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems of a parameter's values: those that name no file get the parameter's place."""
    path, line = context.spec.place(key)
    prefix = f'gate "{context.spec.id}": '
    return tuple(p if p.path else replace(p, path=path, line=line, message=prefix + p.message) for p in problems)


def symbol_finding(  # noqa: PLR0913
    gate: str, kind: str, path: str, name: str, *, message: str, advice: str, evidence: Iterable[Evidence] = ()
) -> Finding:
    """One symbol of one binary; the mangled name is its identity."""
    return Finding(
        gate=gate,
        kind=kind,
        severity=Severity.ERROR,
        message=message,
        help=advice,
        path=path,
        line=0,
        column=0,
        entity=name,
        identity=(path, name),
        evidence=tuple(evidence),
    )


def mention(kind: str, item: ObjectFile, text: str) -> Evidence:
    """What one object has to do with a symbol; of an archive, the member is named."""
    return Evidence(kind, item.path, 0, text if item.member is None else f"{item.label}: {text}")
