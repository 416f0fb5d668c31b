"""Who vouches for code: the words of the certificate."""

from __future__ import annotations

import enum


class Standing(enum.StrEnum):
    """Who vouches for a range of bytes."""

    BOTH = "both"
    FRONT_END = "front-end"
    SYNTAX = "syntax"
    NONE = "none"

    @property
    def counter(self) -> str:
        """What the health gate's count of such bytes is called."""
        return f"{self}-bytes"
