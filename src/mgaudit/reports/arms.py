"""The census of conditional arms, as text or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.analysis.arms import ArmCensus, PartialArm


def as_text(census: ArmCensus) -> str:
    """Two tables: macros with what they gate, and the arms that no configuration takes."""
    rows = [("macro", "zone", "files", "arms", "lines", "idle")]
    order = sorted(census.gated, key=lambda row: (-row.lines, row.macro, row.zone))
    rows += [(visible(r.macro), r.zone, str(r.files), str(r.arms), str(r.lines), str(r.idle)) for r in order]
    text = _table(rows) if order else ""
    text += f"\n{counted(len(census.idle), 'arms')} that no configuration takes: seen by the scanner, not proven\n"
    text += "".join(_line(arm, "" if arm.is_seen else "; no unit enters the file") for arm in census.idle)
    some = [arm for arm in census.partial if arm.configurations]
    if some:
        text += f"\n{counted(len(some), 'arms')} that only some configurations take\n"
        text += "".join(_line(arm, f"; only in: {', '.join(map(visible, arm.configurations))}") for arm in some)
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
        "idle-arms": [_arm(arm) for arm in census.idle],
        "partial-arms": [
            {**_arm(arm), "configurations": list(arm.configurations)} for arm in census.partial if arm.configurations
        ],
    }  # fmt: skip
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _arm(arm: PartialArm) -> dict[str, Any]:
    return {
        "path": arm.path, "first": arm.first, "last": arm.last, "condition": arm.condition, "zones": list(arm.zones),
        "seen": arm.is_seen,
    }  # fmt: skip


def _line(arm: PartialArm, more: str) -> str:
    zones = f" [{', '.join(arm.zones)}]" if arm.zones else ""
    return f"  {visible(arm.path)}:{arm.first}-{arm.last}: {visible(arm.condition) or 'always'}{zones}{more}\n"


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows in columns; numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(w) if n < 2 else cell.rjust(w) for n, (cell, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"
