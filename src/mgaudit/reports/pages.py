"""Pages of explanation: Markdown, rendered on a terminal and as it is elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mgaudit.reports.text import Style

_WIDEST = 100  # columns that are comfortable to read


def render(markdown: str, style: Style) -> str:
    """A page as text."""
    if not style.color:
        return markdown.rstrip("\n") + "\n"
    from dataclasses import replace  # noqa: PLC0415

    from rich.markdown import Markdown  # noqa: PLC0415  slow to import

    console = replace(style, width=min(style.width, _WIDEST)).console()
    with console.capture() as capture:
        console.print(Markdown(markdown))
    return capture.get()
