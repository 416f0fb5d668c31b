"""The base of every gate kind's parameters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a gate kind can be told. Subclasses are frozen dataclasses whose fields the loader reads by type."""
