"""A matrix of counts: who uses whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Matrix:
    """Counts by row and column.

    Attributes:
        what: What is counted.
        rows: What the rows are.
        columns: What the columns are.
        names: The names of the columns, in order.
        counts: By row, in order, and column; a pair that is absent is zero.
    """

    what: str
    rows: str
    columns: str
    names: tuple[str, ...]
    counts: Mapping[str, Mapping[str, int]]
