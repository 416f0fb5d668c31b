"""Reconciled counts, as text or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mgaudit.analysis.reconcile import COUNTED, EXPRESSION, FRONT_END, totals
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.analysis.reconcile import Reconciliation


def as_text(found: Sequence[Reconciliation], *, listed: bool) -> str:
    """For each expression both counts and why they differ; every difference on a line where that is asked for."""
    return "\n".join(line for item in found for line in (*_one(item, listed=listed), "")).rstrip("\n") + "\n"


def _one(item: Reconciliation, *, listed: bool) -> Iterator[str]:
    expression, front_end = item.count(COUNTED, EXPRESSION), item.count(COUNTED, FRONT_END)
    width = len(f"{max(expression, front_end):,}")
    yield f"{visible(item.name)}, in {counted(item.files, 'files')}"
    yield f"  {expression:{width},}  counted by the regular expression"
    for side, reason, count in totals(item):
        sign = "-" if side == EXPRESSION else "+"
        yield f"  {count:{width},}  {sign} {visible(reason) or 'unexplained'}"
    yield f"  {front_end:{width},}  counted by the front end"
    for occurrence in item.occurrences if listed else item.unexplained:
        if occurrence.side != COUNTED:
            place = f"{visible(occurrence.path)}:{occurrence.line}:{occurrence.column}"
            sign = "-" if occurrence.side == EXPRESSION else "+"
            yield f"    {place}: {sign} {occurrence.name}: {visible(occurrence.reason) or 'unexplained'}"


def as_json(found: Sequence[Reconciliation]) -> str:
    """For programs: every difference."""
    document = {
        "schema": 1,
        "reconciled": [
            {
                "name": item.name,
                "files": item.files,
                "expression": item.count(COUNTED, EXPRESSION),
                "front-end": item.count(COUNTED, FRONT_END),
                "both": item.count(COUNTED),
                "unexplained": len(item.unexplained),
                "differences": [
                    {
                        "path": o.path, "line": o.line, "column": o.column, "name": o.name, "counted-by": o.side,
                        "reason": o.reason or None,
                    }
                    for o in item.occurrences
                    if o.side != COUNTED
                ],
            }
            for item in found
        ],
    }  # fmt: skip
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
