"""The census of memos as text for people, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.domain.census import Memo, MemoCensus, MemoComponent

SCHEMA: Final = 1


def as_json(census: MemoCensus) -> str:
    """For scripts: one object a memo, with its components."""
    value = {
        "schema": SCHEMA,
        "examined": dict(census.examined),
        "memos": [
            {
                "path": memo.path, "line": memo.line, "column": memo.column, "symbol": memo.symbol, "form": memo.form,
                "gate": memo.gate, "components": [_component(component) for component in memo.components],
            }
            for memo in census.memos
        ],
    }  # fmt: skip
    return json.dumps(value, indent=2) + "\n"


def _component(component: MemoComponent) -> dict[str, Any]:
    return {
        "path": component.path, "line": component.line, "column": component.column, "symbol": component.symbol,
        "type": component.type, "role": component.role, "verdict": component.verdict, "why": component.why,
        "evidence": list(component.evidence), "configurations": list(component.configurations),
    }  # fmt: skip


def as_csv(census: MemoCensus) -> str:
    """For spreadsheets: one line a component."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["memo", "form", "path", "line", "column", "symbol", "type", "role", "verdict", "why", "gate"])
    for memo in census.memos:
        for c in memo.components:
            writer.writerow(
                [
                    memo.symbol,
                    memo.form,
                    c.path,
                    c.line,
                    c.column,
                    c.symbol,
                    c.type,
                    c.role,
                    c.verdict,
                    c.why,
                    memo.gate,
                ]
            )
    return buffer.getvalue()


def as_text(census: MemoCensus) -> str:
    """For people: each memo on a line, its components below."""
    lines: list[str] = []
    for memo in census.memos:
        lines.append(f"{visible(memo.path)}:{memo.line}:{memo.column}: {visible(memo.symbol)}: {memo.form}")
        lines += _listed(memo)
    if lines:
        lines.append("")
    verdicts = Counter(component.verdict for memo in census.memos for component in memo.components)
    said = ", ".join(f"{verdicts[name]:,} {name}" for name in ("forbidden", "undecided", "allowed"))
    files = len({memo.path for memo in census.memos})
    lines.append(f"{counted(len(census.memos), 'memos')} in {counted(files, 'files')}; components: {said}")
    return "\n".join(lines) + "\n"


def _listed(memo: Memo) -> Iterable[str]:
    for c in memo.components:
        elsewhere = f" at {visible(c.path)}:{c.line}" if (c.path, c.line) != (memo.path, memo.line) else ""
        yield f"  {c.verdict:<9}  {c.role:<12}  {visible(c.symbol)} ({visible(c.type)}){elsewhere}: {visible(c.why)}"
