"""What `mgaudit prove` shows: whether each gate can go red for the reason it exists, and only for that."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mgaudit.domain.problems import Problem
    from mgaudit.domain.report import Report


class Verdict(enum.StrEnum):
    """What came of one control."""

    PROVED = "proved"
    MISSED = "missed"  # the gate says nothing of the violation
    UNEXPECTED = "unexpected"  # it says more than it should, or takes something back
    UNTRUSTED = "untrusted"  # it could not judge
    UNPLANTED = "unplanted"  # no candidate parses


@dataclass(frozen=True, slots=True)
class Control:
    """One control of a gate.

    Attributes:
        kind: What kind of control it is: ``direct``, ``through a macro``.
        stays_green: Whether it must change nothing.
        path: Where the finding must lie; of a change that must stay green, where that was.
        line: 1-based; 0 where there is none.
        entity: What the finding must be about; empty where it must stay green.
        why: Why it must turn the gate red, or must not.
        verdict: What came of it.
        answer: What the gate said of it; else why it is not proved.
    """

    kind: str
    stays_green: bool
    path: str
    line: int
    entity: str
    why: str
    verdict: Verdict
    answer: str

    @property
    def has_failed(self) -> bool:
        """Whether the gate answered, and wrongly."""
        return self.verdict not in {Verdict.PROVED, Verdict.UNPLANTED}


class Standing(enum.StrEnum):
    """What is known of a gate."""

    PROVED = "proved"
    FAILED = "failed"
    UNTRUSTED = "untrusted"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class GateProof:
    """The controls of one gate.

    Attributes:
        gate: Its id.
        kind: Its kind.
        standing: Proved where every control that could be planted is, and one of them was to turn it red.
        reason: Why it is not proved; empty where it is.
        controls: In the order in which its kind lists them.
        assumptions: What the gate takes on trust, one line each: no control can tell whether it is so.
    """

    gate: str
    kind: str
    standing: Standing
    reason: str = ""
    controls: tuple[Control, ...] = ()
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """A run of `prove`.

    Attributes:
        report: What the gates say of the tree as it is, and what that rests on.
        gates: In the order of the configuration file.
        errors: Why the answer cannot be trusted; empty for a trusted run.
        runs: How many times the tree was judged, the first and the last time as it is.
    """

    report: Report
    gates: tuple[GateProof, ...] = ()
    errors: tuple[Problem, ...] = ()
    runs: int = 0

    @property
    def exit_code(self) -> int:
        """0 where every gate is proved, 1 where one is not, 2 where the answer cannot be trusted."""
        if self.errors:
            return 2
        return 0 if all(gate.standing in {Standing.PROVED, Standing.SKIPPED} for gate in self.gates) else 1
