"""What a run did: for people who want to know where the time went. Not repeatable, so no part of any report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from mgaudit.engine.progress import Statistics
    from mgaudit.facts.merge import UnitId

_SHOWN: Final = 10
_KINDS: Final = {"source": "translation unit", "header": "header alone", "preamble": "precompiled header"}


def render(statistics: Statistics) -> str:
    """The counts, and the units that took longest."""
    parsed = statistics.parsed
    seconds = sum(parsed.values())
    lines = [
        f"parsed: {len(parsed)} units in {seconds:.1f} s of processes",
        f"on a precompiled header: {statistics.with_preamble} of them",
        f"reused from the cache: {statistics.reused} units",
        *([f"taken from the shared cache: {statistics.shared} of them"] if statistics.shared else []),
    ]
    slowest = sorted(parsed, key=lambda unit: (-parsed[unit], unit))[:_SHOWN]
    if slowest:
        lines.append("longest:")
        lines += [f"  {parsed[unit]:6.1f} s  {_name(unit)}" for unit in slowest]
    return "\n".join(lines) + "\n"


def _name(unit: UnitId) -> str:
    return f"{visible(unit.path)} ({unit.configuration}, {_KINDS.get(unit.kind, unit.kind)})"
