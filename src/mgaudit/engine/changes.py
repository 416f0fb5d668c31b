"""What a change of some files can have an effect on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mgaudit.engine.audited import named_files
from mgaudit.engine.baselines import ledgers
from mgaudit.graphs.includes import dependents
from mgaudit.sources.tree import CPP_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.config.model import Settings
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.sources.git import Changes


def affected(analysis: Analysis, changes: Changes) -> tuple[frozenset[str] | None, str]:
    """The files in which a change can make or mend a finding, and why that is all of them.

    Those are the changed files and what includes them. A change of what the gates judge by has an effect everywhere;
    so has a file that is gone, since nobody can tell any more who would have included it.

    Returns:
        The files, or None for all; the reason is empty unless it is None.
    """
    rules = sorted((changes.present | changes.gone) & frozenset(_rules(analysis.settings)))
    if rules:
        return None, f"{rules[0]} changed, by which the whole tree is judged"
    lost = sorted(path for path in changes.gone if os.path.splitext(path)[1].lower() in CPP_SUFFIXES)  # noqa: PTH122
    if lost:
        return None, f"{lost[0]} is gone, and any file may have included it"
    return dependents(analysis.facts, changes.present), ""


def _rules(settings: Settings) -> Iterator[str]:
    """The files that say what is a finding, relative to the root."""
    yield settings.path
    yield from (path for path, _ in settings.origins.values())
    yield from (spec.file for spec in settings.catalogues.values() if spec.file)
    yield from (spec.compile_commands for spec in settings.configurations if spec.compile_commands)
    for gate in settings.gates:
        yield from named_files(gate.parameters)
        yield from (ledger.file for ledger in ledgers(gate))
