"""A surface as an X-macro fragment that the tree compiles: sorted, and the same for the same sites."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.domain.census import SurfaceSite

# The kind of gate whose boundaries a surface shows.
KIND_OF: Final = {"reads": "reads", "signatures": "reads", "upcalls": "upcalls", "writebacks": "writebacks",
                  "mutations": "mutations", "mutators": "dirty-surface"}  # fmt: skip

_TOKENS: Final = re.compile(r'[A-Za-z_]\w*(?:\("(?:[^"\\\n]|\\.)*"\))?')


def as_fragment(surface: str, sites: Iterable[SurfaceSite]) -> str:
    """The fragment: a row for each entity, kind and verdict, and an ``#error`` for each that nothing maps.

    A row is ``MGAUDIT_<SURFACE>(entity, kind, verdict, sites)``: a string, an identifier, the verdict's own tokens
    (a string where it has none, ``LISTED`` where nothing is owed), and a number.
    """
    macro = f"MGAUDIT_{surface.upper()}"
    counts: Counter[tuple[str, str, str]] = Counter()
    for site in sites:
        if surface != "signatures" or site.kind == "signature":
            counts[site.entity, site.kind, site.verdict or ""] += 1
    lines = [
        f"// The surface `{surface}`, generated: do not edit. The next line writes it anew.",
        f"// mgaudit surface {surface} --output-format inc --output FILE",
        f"#ifndef {macro}",
        f"#error define {macro}(entity, kind, verdict, sites) before this file is included",
        "#endif",
    ]
    for (entity, kind, verdict), count in sorted(counts.items()):
        if verdict == "unmapped":
            lines.append(f"#error {entity} ({kind}) has no answer; sites: {count}")
        else:
            lines.append(f"{macro}({_quoted(entity)}, {kind}, {_verdict(verdict)}, {count})")
    return "\n".join([*lines, f"#undef {macro}", ""])


def _verdict(text: str) -> str:
    if not text:
        return "LISTED"
    return text if _TOKENS.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
