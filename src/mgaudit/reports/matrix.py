"""Matrices as tables for people, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.domain.matrix import Matrix


def as_text(matrix: Matrix) -> str:
    """A table with totals; zeros are left blank."""
    rows = [[visible(cell) for cell in row] for row in _cells(matrix)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    rows.insert(1, ["-" * width for width in widths])
    lines = []
    for row in rows:
        cells = [f"{row[0]:{widths[0]}}", *(f"{cell:>{w}}" for cell, w in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    total = sum(sum(counts.values()) for counts in matrix.counts.values())
    return "\n".join([*lines, "", f"{total:,} {matrix.what}, {matrix.rows} the rows {matrix.columns} the columns", ""])


def as_csv(matrix: Matrix) -> str:
    """The same table for spreadsheets."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(_cells(matrix))
    return buffer.getvalue()


def as_json(matrix: Matrix) -> str:
    """The matrix for programs: one object a row; zeros are left out."""
    document = {
        "schema": 1,
        "matrix": matrix.what,
        "columns": list(matrix.names),
        "rows": [
            {"name": name, "counts": {column: counts[column] for column in matrix.names if counts.get(column)}}
            for name, counts in matrix.counts.items()
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _cells(matrix: Matrix) -> Iterator[list[str]]:
    yield [f"{matrix.rows} \\ {matrix.columns}", *matrix.names, "total"]
    for name, counts in matrix.counts.items():
        row = [counts.get(column, 0) for column in matrix.names]
        yield [name, *(str(count or "") for count in row), str(sum(row))]
    sums = [sum(counts.get(column, 0) for counts in matrix.counts.values()) for column in matrix.names]
    yield ["total", *map(str, sums), str(sum(sums))]
