"""Numbers with what they count."""

from __future__ import annotations

_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("xes", "x"), ("s", ""))


def counted(number: int, plural: str) -> str:
    """``3 units``, ``1 unit``. The last word of the name is the one that is counted."""
    return f"{number} {plural if number != 1 else _singular(plural)}"


def _singular(plural: str) -> str:
    for ending, singular in _ENDINGS:
        if plural.endswith(ending):
            return plural[: -len(ending)] + singular
    return plural
