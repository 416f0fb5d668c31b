"""What a row of the write-back and upcall catalogues may answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mgaudit.config.log import nearest

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext
    from mgaudit.sources.catalogues import Row

_PLAIN: Final = ("kReverseChannel", "server-local")
_REASONED: Final = ("deleted", "NA")
_WITH_TEXT: Final = re.compile(r'(?P<word>[\w-]+)\(\s*"(?P<text>.*)"\s*\)', re.DOTALL)
_CALLBACK: Final = re.compile(r"(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")


def says_why(reason: str) -> bool:
    """Whether a reason has a word in it; the `…` of a suggested row has none."""
    return re.search(r"\w", reason) is not None


def entity_of(row: Row) -> str:
    """What a row of the write-back and upcall catalogues is about."""
    return row.get("entity") or row.key


class Verdicts:
    """Judges verdicts: ``kReverseChannel``, ``server-local``, ``deleted``, ``NA``, or the name of a callback.

    Args:
        context: The gate's context; a callback is an entity of the tree or a row of some catalogue.
    """

    def __init__(self, context: GateContext) -> None:
        self._context = context

    def fault(self, row: Row) -> tuple[str, str] | None:
        """What is wrong with a row's verdict, and what to do; None where it is legal."""
        verdict, reason = row.get("verdict") or "", row.get("reason") or ""
        match = _WITH_TEXT.fullmatch(verdict)
        if match:
            verdict, reason = match["word"], match["text"]
        if not verdict:
            return f"{row.get('entity')} has no verdict", f"write {', '.join(_PLAIN + _REASONED)} or a callback's name"
        if verdict in _PLAIN:
            return None
        if verdict in _REASONED:
            if says_why(reason):
                return None
            return (
                f"{row.get('entity')} is `{verdict}` without a reason",
                "say in the column `reason` why, or until when",
            )
        if _CALLBACK.fullmatch(verdict) and not match and self._is_known(verdict):
            return None
        advice = nearest(verdict, [*_PLAIN, *_REASONED], "verdicts")
        return f"{row.get('entity')} has the verdict `{verdict}`, which is none, nor the name of a callback", advice

    def _is_known(self, name: str) -> bool:
        found = self._context.facts.symbols_named(name)
        if any(symbol.kind in _CALLABLE for symbol in found):
            return True
        others = (spec for spec in self._context.settings.catalogues.values() if not _answers(spec.columns))
        return any(name in self._context.catalogue(spec.name).by_key() for spec in others)


def _answers(columns: tuple[str, ...]) -> bool:
    """Whether a catalogue is one of verdicts itself, which proves no name."""
    return "verdict" in columns or "call" in columns


_CALLABLE: Final = frozenset(
    {"function", "method", "static-method", "field", "variable", "static-variable", "enumerator"}
)
