"""What differs between two runs: sites and findings that appeared, vanished, moved or are judged otherwise."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from mgaudit.domain.runs import RunFinding, RunSite

if TYPE_CHECKING:
    from mgaudit.domain.runs import Run

T = TypeVar("T", RunFinding, RunSite)


class Change(enum.StrEnum):
    """What became of a site or finding."""

    APPEARED = "appeared"
    VANISHED = "vanished"
    MOVED = "moved"
    CHANGED = "changed"


class Cause(enum.StrEnum):
    """Where a difference comes from; ``UNKNOWN`` where saved runs do not tell."""

    CODE = "code"
    CATALOGUE = "catalogue"
    CONFIGURATION = "configuration"
    TOOL = "tool"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Difference(Generic[T]):
    """One difference.

    Attributes:
        change: What became of it.
        cause: Why.
        zone: The narrowest zone that it lies in, or empty.
        before: As it was; None where it appeared.
        after: As it is; None where it vanished.
    """

    change: Change
    cause: Cause
    zone: str
    before: T | None
    after: T | None

    @property
    def subject(self) -> T:
        """The site or finding, as it is, or was."""
        found = self.after if self.after is not None else self.before
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Proof:
    """A part of the evidence that differs; None where a run has none of it.

    Attributes:
        part: ``tool``, ``document``, ``flags``, ``catalogue``, ``baseline``, ``sources``, ``floor``, ``count`` or
            ``certificate``.
        name: Which one of them.
        before: A version, a digest or a number.
        after: Likewise.
    """

    part: str
    name: str
    before: str | int | None
    after: str | int | None


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the sites that owe a row have one."""

    mapped: int
    owed: int

    @property
    def percent(self) -> float | None:
        """In per cent, or None where nothing is owed."""
        return 100 * self.mapped / self.owed if self.owed else None


@dataclass(frozen=True, slots=True)
class Coverage:
    """The mapped share of a gate's sites in a zone: before, after, and of what appeared or is judged otherwise."""

    gate: str
    zone: str
    before: Share
    after: Share
    own: Share


@dataclass(frozen=True, slots=True)
class Delta:
    """All differences of two runs.

    Attributes:
        names: What the two are called.
        before: The one run.
        after: The other.
        sites: Differences of sites; None where a run holds none.
        findings: Differences of findings.
        coverage: By gate and zone.
        changed_inputs: What the gates judge by and differs: "configuration", "catalogue reads", "tool" and the like.
        evidence: Every part of the evidence that differs.
    """

    names: tuple[str, str]
    before: Run
    after: Run
    sites: tuple[Difference[RunSite], ...] | None
    findings: tuple[Difference[RunFinding], ...]
    coverage: tuple[Coverage, ...]
    changed_inputs: tuple[str, ...]
    evidence: tuple[Proof, ...] = ()

    @property
    def trusted(self) -> bool:
        """Whether both runs are."""
        return self.before.trusted and self.after.trusted
