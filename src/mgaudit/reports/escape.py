"""Foreign text made harmless: names and messages come from files that nobody vouches for."""

from __future__ import annotations


def visible(text: str) -> str:
    """The text on one line, with everything that is not printable escaped.

    Control characters could drive the terminal, bidirectional ones reorder what a reader sees.
    """
    return text if text.isprintable() else "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")
