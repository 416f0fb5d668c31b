"""What would shorten the list of a link ratchet, as text and for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.analysis.links import Debt, Move, Scope

SHOWN: Final = 20  # scopes


def as_lines(debts: Sequence[Debt], moves: Sequence[Move], scopes: Sequence[Scope]) -> list[str]:
    """Moves in their order, then classes and namespaces by weight."""
    length = sum(len(debt.users) for debt in debts)
    if not debts:
        return ["the server needs nothing that only the frontend defines: there is nothing to cut"]
    lines = [f"{counted(length, 'entries')} on the list, of {counted(len(debts), 'symbols')}"]
    if moves:
        lines += ["", "objects to give to the server, one after the other:"]
        width = max(len(visible(move.item.label)) for move in moves)
        lines += [
            f"  {visible(move.item.label):{width}}  takes {move.settled} off, brings {move.incurred} on, "
            f"leaves {move.left}"
            for move in moves
        ]
    else:
        lines += ["", "no single object that moves to the server makes the list shorter"]
    lines += ["", "classes and namespaces that the server might reach otherwise:"]
    width = max(len(visible(scope.name) or "(global)") for scope in scopes[:SHOWN])
    lines += [
        f"  {visible(scope.name) or '(global)':{width}}  {counted(scope.entries, 'entries')}, "
        f"{counted(scope.symbols, 'symbols')}"
        for scope in scopes[:SHOWN]
    ]
    left = len(scopes) - SHOWN
    return [*lines, f"  and {left} more"] if left > 0 else lines


def as_value(debts: Sequence[Debt], moves: Sequence[Move], scopes: Sequence[Scope]) -> dict[str, object]:
    """The same with plain values."""
    return {
        "entries": sum(len(debt.users) for debt in debts),
        "symbols": len(debts),
        "moves": [
            {"object": m.item.label, "settled": m.settled, "incurred": m.incurred, "left": m.left} for m in moves
        ],
        "scopes": [{"name": s.name, "symbols": s.symbols, "entries": s.entries} for s in scopes],
    }
