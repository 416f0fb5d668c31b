"""The page that explains a kind of gate: it lives beside the check."""

from __future__ import annotations

import inspect
from importlib import resources

from mgaudit.gates.registry import KINDS


def page(kind: str) -> str:
    """The page of a kind, as Markdown that starts with a heading."""
    file = resources.files("mgaudit.gates").joinpath(kind.replace("-", "_"), "page.md")
    known = KINDS[kind]
    text = file.read_text(encoding="utf-8") if file.is_file() else f"# {kind}\n\n{known.summary}\n"
    if not known.available:
        text += "\nThis kind is not available yet: a gate of it makes the run untrusted.\n"
    return text.rstrip() + "\n"


def controls(kind: str) -> str:
    """What the planter of a kind says of itself, as a section; empty where there is no planter."""
    planter = KINDS[kind].load_plants()
    if planter is None:
        return ""
    what = f"`mgaudit prove --kind {kind}` plants in memory, and demands that the gate says exactly what it must:"
    return f"## Controls\n\n{what}\n\n{inspect.getdoc(planter)}\n"
