"""What two builds may differ by, as a file says: thresholds, renames and admitted growth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from mgaudit.analysis.symbol_report import Admission, Thresholds
from mgaudit.config.fields import Count, Doc, Line, check_keys, keys_of, read_record
from mgaudit.config.log import Log
from mgaudit.config.merge import read_document

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ThresholdTable:
    """``[thresholds]``: what is not set is no limit."""

    added: Annotated[int | None, Doc("symbols that may be new")] = None
    removed: Annotated[int | None, Doc("symbols that may be gone")] = None
    resized: Annotated[int | None, Doc("symbols that may have another size")] = None
    growth: Annotated[int | None, Doc("bytes by which one symbol may grow")] = None
    total_growth: Annotated[int | None, Doc("bytes by which all together may grow")] = None


@dataclass(frozen=True, slots=True)
class AdmissionTable:
    """``[[admit]]``: one symbol that may grow."""

    symbol: Annotated[Line, Doc("its mangled name in the newer build")]
    growth: Annotated[Count, Doc("by how many bytes at most")]
    reason: Annotated[Line, Doc("why")]


@dataclass(frozen=True, slots=True)
class Terms:
    """The whole file."""

    thresholds: ThresholdTable = field(default_factory=ThresholdTable)
    renames: dict[str, Line] = field(default_factory=dict)
    admit: tuple[AdmissionTable, ...] = ()

    @property
    def limits(self) -> Thresholds:
        """The thresholds."""
        t = self.thresholds
        return Thresholds(t.added, t.removed, t.resized, t.growth, t.total_growth)

    @property
    def admissions(self) -> tuple[Admission, ...]:
        """The admitted growth."""
        return tuple(Admission(entry.symbol, entry.growth, entry.reason) for entry in self.admit)


def read_terms(file: Path) -> Terms:
    """Read a file of terms.

    Raises:
        UntrustedError: It cannot be read or is malformed; every problem with its line.
    """
    folder = file.absolute().parent
    log = Log(folder, folder)
    document = read_document(file.absolute(), log)
    if document is not None:
        check_keys(document[0], keys_of(Terms), "the terms", log)
        terms = read_record(Terms, document[0], "the terms", log)
        if isinstance(terms, Terms) and not log.failed:
            return terms
    raise log.error()
