"""The boundary census: every site of some gates, as commands show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class SurfaceSite:
    """One place where observed code crosses a boundary.

    Attributes:
        gate: The id of the gate whose boundary it is.
        path: The file.
        line: 1-based.
        column: 1-based, in bytes.
        symbol: Qualified name and signature of the enclosing function, or None.
        entity: Qualified name of what is used.
        accessor: How a catalogue would name it.
        owner: The class of the entity, or its namespace.
        kind: ``value``, ``handle``, ``bytes``, ``signature``, ``unevaluated``, ``unresolved`` or ``construct``.
        via: Ways by which it comes about, sorted.
        role: ``read``, ``write``, ``call`` or ``address``.
        verdict: The catalogue's answer, ``unmapped``, or None where nothing is owed.
        verbs: The verbs that reach it, sorted.
        configurations: The configurations that see it, sorted; none in an arm that none takes.
    """

    gate: str
    path: str
    line: int
    column: int
    symbol: str | None
    entity: str
    accessor: str
    owner: str
    kind: str
    via: tuple[str, ...]
    role: str
    verdict: str | None
    verbs: tuple[str, ...]
    configurations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Census:
    """The surface of one or several gates.

    Attributes:
        name: ``reads``, ``signatures``, ``mutators`` and so on.
        sites: By path, line, column, entity and gate.
        examined: What was looked at.
        totals: (site or structural, why, how many) lines that add up to the references; of mutators, (decided or
            undecided, why, how many).
        references: How many references lead from the observing files into the zones; how many mutators there are.
        configurations: The configurations that were judged, sorted.
    """

    name: str
    sites: tuple[SurfaceSite, ...]
    examined: Mapping[str, int]
    totals: tuple[tuple[str, str, int], ...]
    references: int
    configurations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoComponent:
    """One component of what a memo keeps.

    Attributes:
        path: The file of the declaration that introduces it.
        line: 1-based.
        column: 1-based, in bytes.
        symbol: The declaration's qualified name.
        type: Its canonical type.
        role: ``key``, ``freshness``, ``value``, ``compare-only``, ``liveness`` or ``reverse``.
        verdict: ``allowed``, ``forbidden`` or ``undecided``.
        why: In one line.
        evidence: How it was come to, and where its value comes from.
        configurations: The configurations that see it, sorted.
    """

    path: str
    line: int
    column: int
    symbol: str
    type: str
    role: str
    verdict: str
    why: str
    evidence: tuple[str, ...]
    configurations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Memo:
    """Something that decides "same as before".

    Attributes:
        gate: The id of the gate whose zones it is in.
        path: The file of its declaration.
        line: 1-based.
        column: 1-based, in bytes.
        symbol: The declaration's qualified name.
        form: What kind of memo it is.
        components: By place, type and role.
    """

    gate: str
    path: str
    line: int
    column: int
    symbol: str
    form: str
    components: tuple[MemoComponent, ...]


@dataclass(frozen=True, slots=True)
class MemoCensus:
    """The memos of one or several gates, by place, and what was looked at."""

    memos: tuple[Memo, ...]
    examined: Mapping[str, int]
