"""The census of conditional arms, as text or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.analysis.arms import ArmCensus


def as_text(census: ArmCensus) -> str:
    """Two tables: macros with what they gate, and the arms that no configuration takes."""
    rows = [("macro", "zone", "files", "arms", "lines", "idle")]
    order = sorted(census.gated, key=lambda row: (-row.lines, row.macro, row.zone))
    rows += [(visible(r.macro), r.zone, str(r.files), str(r.arms), str(r.lines), str(r.idle)) for r in order]
    text = _table(rows) if order else ""
    text += f"\n{counted(len(census.idle), 'arms')} that no configuration takes\n"
    for arm in census.idle:
        zones = f" [{', '.join(arm.zones)}]" if arm.zones else ""
        unseen = "" if arm.is_seen else "; no unit enters the file"
        text += f"  {visible(arm.path)}:{arm.first}-{arm.last}: {visible(arm.condition) or 'always'}{zones}{unseen}\n"
    return text + f"\nlooked at {counted(census.arms, 'arms')} in {counted(census.files, 'files')}, guards aside\n"


def as_json(census: ArmCensus) -> str:
    """The census for programs."""
    document = {
        "schema": 1,
        "census": "arms",
        "examined": {"files": census.files, "arms": census.arms},
        "macros": [
            {
                "macro": row.macro, "zone": row.zone, "files": row.files, "arms": row.arms, "lines": row.lines,
                "idle-lines": row.idle,
            }
            for row in census.gated
        ],
        "idle-arms": [
            {
                "path": arm.path, "first": arm.first, "last": arm.last, "condition": arm.condition,
                "zones": list(arm.zones), "seen": arm.is_seen,
            }
            for arm in census.idle
        ],
    }  # fmt: skip
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows in columns; numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(w) if n < 2 else cell.rjust(w) for n, (cell, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"
