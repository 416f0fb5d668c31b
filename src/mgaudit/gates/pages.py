"""The page that explains a kind of gate: it lives beside the check."""

from __future__ import annotations

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
