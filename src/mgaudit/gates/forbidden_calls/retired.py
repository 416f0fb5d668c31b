"""Retired names that no translation unit declares: macros, and what is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.domain.findings import Evidence
from mgaudit.gates.name_uses import NameUse
from mgaudit.sources.scan_facts import TokenFlag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.name_uses import Naming
    from mgaudit.gates.names import Entity


def retired_uses(naming: Naming, entity: Entity, pattern: str) -> Iterator[NameUse]:
    """Every occurrence of a retired name.

    A name that units declare, or that is qualified, is judged by both witnesses. A bare name that nothing declares may
    be a macro's, of which the front end knows no use: each of its tokens counts, in conditions and other directives,
    too; comments, strings and stringised text do not.

    Args:
        naming: Both witnesses' view of the zones.
        entity: What the name means.
        pattern: The name as configured.
    """
    if entity.symbols or "::" in pattern:
        yield from naming.uses_of(entity)
        return
    every = tuple(sorted(naming.facts.configurations))
    for path in naming.scanned:
        scan = naming.facts.scans[path]
        found = scan.occurrences(entity.name)
        naming.examined["tokens"] += len(found)
        for offset, flags in found:
            if not flags & TokenFlag.STRINGIFIED:
                line, column = scan.location(offset)
                evidence = (Evidence("token", path, line, entity.name),)
                yield NameUse(path, line, column, "token", "", "seen as a token", None, every, evidence)
