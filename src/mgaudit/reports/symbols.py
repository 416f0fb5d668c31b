"""The symbol report of two builds, as text, Markdown and JSON."""

from __future__ import annotations

import json as encoder
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.symbol_report import ChangeKind
from mgaudit.reports import json
from mgaudit.reports.escape import visible
from mgaudit.reports.markdown import code
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.analysis.symbol_report import Breach, Place, SymbolChange, SymbolReport, Total

SHOWN: Final = 50
"""Changes that text and Markdown list unless all are asked for."""

_NUMERALS: Final = frozenset("+-0123456789")
_WORDS: Final = {
    "added": "symbols were added",
    "removed": "symbols were removed",
    "resized": "symbols have another size",
    "growth": "bytes more than before",
    "total-growth": "bytes more than before, all together",
    "stale-admission": "admitted growth without any growth",
    "stale-rename": "a rename of a symbol that is not in both builds",
}


def as_text(report: SymbolReport, *, limit: int | None = SHOWN) -> str:
    """Lines for a terminal: what was not agreed to, totals, and the changes by weight."""
    lines = [_sentence(report), *(f"  {_breach(breach)}" for breach in report.breaches)]
    for title, totals in (("section", report.sections), ("scope", report.scopes)):
        rows = [(visible(total.name) or "(global)", *_numbers(total)) for total in _moved(totals)]
        lines += ["", *_columns([(title, "growth", "added", "removed", "resized", "renamed"), *rows])] if rows else []
    changes = _changes(report)
    if changes:
        rows = [(f"{c.growth:+d}", str(c.kind), visible(_name(c)), visible(_where(c))) for c in changes[:limit]]
        lines += ["", *_columns([("bytes", "change", "symbol", "where"), *rows])]
        lines += _rest(changes, limit)
    return "\n".join(lines) + "\n"


def as_markdown(report: SymbolReport, *, limit: int | None = SHOWN) -> str:
    """The same for a summary or comment."""
    lines = [f"## Symbols: {'🔴' if report.breaches else '🟢'} {_sentence(report)}", ""]
    lines += [f"- {_breach(breach, quoted=True)}" for breach in report.breaches]
    lines += [""] if report.breaches else []
    for title, totals in (("section", report.sections), ("scope", report.scopes)):
        rows = _moved(totals)
        if rows:
            lines += [f"| {title} | growth | added | removed | resized | renamed |", "|---|---:|---:|---:|---:|---:|"]
            lines += [f"| {code(t.name or '(global)')} | {' | '.join(_numbers(t))} |" for t in rows]
            lines.append("")
    changes = _changes(report)
    if changes:
        lines += ["| bytes | change | symbol | where |", "|---:|---|---|---|"]
        lines += [f"| {c.growth:+d} | {c.kind} | {code(_name(c))} | {code(_where(c))} |" for c in changes[:limit]]
        lines += _rest(changes, limit)
    return "\n".join(lines).rstrip() + "\n"


def as_json(report: SymbolReport) -> str:
    """Every change but the unchanged symbols, which are only counted."""
    value: dict[str, object] = {
        "schema": json.SCHEMA,
        "trusted": True,
        "exit-code": int(bool(report.breaches)),
        "counts": {kind: len(report.of(kind)) for kind in ChangeKind},
        "growth": sum(change.growth for change in report.changes),
        "breaches": [
            {"what": b.what, "symbol": b.name or None, "measured": b.measured, "allowed": b.allowed}
            for b in report.breaches
        ],
        "sections": [_total(total) for total in report.sections],
        "scopes": [_total(total) for total in report.scopes],
        "changes": [_change(change) for change in report.changes if change.kind is not ChangeKind.UNCHANGED],
    }
    return encoder.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _total(total: Total) -> dict[str, object]:
    return {"name": total.name, "before": total.before, "after": total.after, "counts": dict(total.counts)}


def _change(change: SymbolChange) -> dict[str, object]:
    return {
        "change": change.kind,
        "symbol": change.name,
        "old-symbol": change.old_name or None,
        "demangled": change.demangled,
        "scope": change.scope,
        "before": _place(change.before),
        "after": _place(change.after),
        "growth": change.growth,
        "admitted": change.admitted,
    }


def _place(place: Place | None) -> dict[str, object] | None:
    return None if place is None else {"section": place.section, "size": place.size}


def _sentence(report: SymbolReport) -> str:
    kinds = [kind for kind in ChangeKind if report.of(kind)]
    growth = sum(change.growth for change in report.changes)
    counts = ", ".join(f"{len(report.of(kind))} {kind}" for kind in kinds)
    return f"{counted(len(report.changes), 'symbols')}: {counts}; {growth:+d} bytes"


def _breach(breach: Breach, *, quoted: bool = False) -> str:
    name = (code(breach.name) if quoted else visible(breach.name)) + ": " if breach.name else ""
    if breach.what.startswith("stale"):
        return f"{name}{_WORDS[breach.what]}"
    return f"{name}{breach.measured} {_WORDS[breach.what]}, {breach.allowed} allowed"


def _moved(totals: Sequence[Total]) -> list[Total]:
    """The totals with any change, the largest growth first."""
    changed = [t for t in totals if any(kind is not ChangeKind.UNCHANGED for kind in t.counts)]
    return sorted(changed, key=lambda t: (t.before - t.after, t.name))


def _numbers(total: Total) -> tuple[str, ...]:
    kinds = (ChangeKind.ADDED, ChangeKind.REMOVED, ChangeKind.RESIZED, ChangeKind.RENAMED)
    return f"{total.after - total.before:+d}", *(str(total.counts.get(kind, 0)) for kind in kinds)


def _changes(report: SymbolReport) -> list[SymbolChange]:
    """What changed, the heaviest first."""
    found = [change for change in report.changes if change.kind is not ChangeKind.UNCHANGED]
    return sorted(found, key=lambda c: (-abs(c.growth), c.name, c.kind))


def _name(change: SymbolChange) -> str:
    names = [change.demangled] if change.demangled == change.name else [change.demangled, f"({change.name})"]
    return " ".join(names + ([f"was {change.old_name}"] if change.old_name else []))


def _where(change: SymbolChange) -> str:
    sections = [place.section for place in (change.before, change.after) if place is not None]
    return " -> ".join(dict.fromkeys(sections)) + (" (admitted)" if change.admitted else "")


def _rest(changes: Sequence[SymbolChange], limit: int | None) -> list[str]:
    left = 0 if limit is None else len(changes) - limit
    return ["", f"{counted(left, 'further changes')}: `--all` lists them"] if left > 0 else []


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(text.rjust(w) if text[:1] in _NUMERALS else text.ljust(w) for text, w in cells).rstrip()
