"""Findings: what gates yield, with the evidence that proves them."""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Severity(enum.StrEnum):
    """How much a finding weighs; only ``ERROR`` makes a run red."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Status(enum.StrEnum):
    """What a gate says about the tree."""

    GREEN = "green"
    RED = "red"
    UNTRUSTED = "untrusted"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One step of a proof: an inclusion directive, a call, a macro expansion, a step of a type walk."""

    kind: str
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation.

    Attributes:
        gate: The gate's id.
        kind: The gate's kind.
        severity: Set by the gate's configuration unless the check lowers it.
        message: One line that a person understands.
        help: What to do, in one line.
        path: Relative to the tree's root with ``/``.
        line: 1-based; 0 where a finding has a file but no line.
        column: 1-based, in bytes; 0 where there is no line.
        entity: What the finding is about (a file, a qualified name, a row's key).
        symbol: Qualified name and signature of the enclosing function, or None.
        identity: What stays the same under line moves, beside gate and ordinal. Never holds a line number.
        configurations: The configurations in which the finding holds, sorted.
        evidence: The chain that proves it.
        fingerprint: Set by `with_fingerprints`.
        baselined: Whether a baseline entry accepts it.
        justification: Why it does, as the entry says; of an exempted finding, the exemption's reason.
    """

    gate: str
    kind: str
    severity: Severity
    message: str
    help: str
    path: str
    line: int
    column: int
    entity: str
    symbol: str | None = None
    identity: tuple[str, ...] = ()
    configurations: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    fingerprint: str = ""
    baselined: bool = False
    justification: str = ""

    @property
    def sort_key(self) -> tuple[str, int, int, str, str, str]:
        """The order in which reports list findings."""
        return (self.path, self.line, self.column, self.gate, self.entity, self.message)


class Weighed(Protocol):
    """A finding of this run, or one that was read back."""

    @property
    def severity(self) -> str:
        """As of `Severity`."""

    @property
    def baselined(self) -> bool:
        """Whether a baseline entry accepts it."""


def is_red(finding: Weighed) -> bool:
    """Whether a finding makes its gate red: an error that nobody accepted."""
    return finding.severity == Severity.ERROR and not finding.baselined


def weight_of(finding: Weighed) -> str:
    """A finding's weight in a word: its severity, or that it is accepted."""
    return "accepted" if finding.baselined else str(finding.severity)


@dataclass(frozen=True, slots=True)
class BaselineCount:
    """How the reported findings of a gate compare with a baseline of it.

    Attributes:
        path: The file.
        new: Errors that no entry accepts.
        same: Findings that an entry accepts.
        removed: Entries with nothing behind them; None where only a part of the tree was looked at.
        renamed: Old and new path of each file that was taken for renamed.
    """

    path: str
    new: int
    same: int
    removed: int | None
    renamed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class GateResult:
    """What one gate found, and how much it looked at.

    Attributes:
        gate: The gate's id.
        kind: The gate's kind.
        status: Its verdict.
        findings: Sorted by `Finding.sort_key`.
        examined: What was looked at, by name ("units", "headers", "references"): a green gate with nothing
            examined does not exist.
        reason: Why it was skipped or is untrusted, or what it left to a run over the whole tree; empty otherwise.
        baselines: What its baselines say; empty where it names none, or nothing could be compared.
        exempted: What exemptions cover, their reasons as justification; no part of ``findings``.
        left: What it left to a run over the whole tree, by name; also in ``reason``.
    """

    gate: str
    kind: str
    status: Status
    findings: tuple[Finding, ...] = ()
    examined: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    baselines: tuple[BaselineCount, ...] = ()
    exempted: tuple[Finding, ...] = ()
    left: tuple[str, ...] = ()


def with_fingerprints(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings and give each its fingerprint: gate, identity, and an ordinal among equals in source order."""
    seen: dict[tuple[str, ...], int] = {}
    result = []
    for finding in sorted(findings, key=lambda f: f.sort_key):
        key = (finding.gate, *finding.identity)
        ordinal = seen[key] = seen.get(key, 0) + 1
        digest = hashlib.blake2b("\0".join((*key, str(ordinal))).encode(errors="backslashreplace"), digest_size=12)
        result.append(replace(finding, fingerprint=digest.hexdigest()))
    return tuple(result)
