"""Which headers must be parsed alone, and which are known well enough from the units that include them.

A header's own include closure equals what units recorded, unless an inclusion in it hangs on a conditional that a unit
may have decided otherwise before. An include guard is none, unless the unit found its macro defined from elsewhere.
Conditionals inside the closure of a precompiled header are settled where the header alone starts with that very
inclusion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from mgaudit.gates.closure_probe.parameters import ClosureProbeParameters
from mgaudit.gates.include_purity.parameters import IncludePurityParameters
from mgaudit.graphs.includes import IncludeGraph, is_fragment
from mgaudit.sources.compile_commands import command_for_header

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mgaudit.config.model import Settings
    from mgaudit.domain.configurations import ParseCommand
    from mgaudit.engine.scans import Views
    from mgaudit.facts.merge import UnitId
    from mgaudit.facts.query import Facts
    from mgaudit.sources.compile_commands import Plan
    from mgaudit.sources.scan_facts import Arm, FileScan
    from mgaudit.sources.tree import TreeFiles

    _Skipped = Callable[[], Mapping[str, Mapping[int, Sequence[tuple[int, int]]]]]


@dataclass(frozen=True, slots=True)
class Alone:
    """A header to parse alone.

    ``directives_only`` holds where units cover its code and only its inclusions are in question.
    """

    command: ParseCommand
    directives_only: bool


@dataclass(frozen=True, slots=True)
class HeaderPlanner:
    """Decides what to parse alone.

    Args:
        settings: The configuration.
        files: The selected files.
        plan: What units are parsed with.
        scans: The scanner's view, of files outside the tree too.
        audited: Names of the zones that gates name.
        settled: Files whose conditionals a command's leading inclusion settles.
        basis: A digest of what the facts of a unit rest on and of how a command starts, by unit and command.
        known: Whether a header could differ from what its first unit tells, by that digest, as earlier runs found.
        decided: The same as this run finds; it is added to.
    """

    settings: Settings
    files: TreeFiles
    plan: Plan
    scans: Views[FileScan]
    audited: frozenset[str]
    settled: Callable[[ParseCommand], frozenset[str]]
    basis: Callable[[UnitId, ParseCommand], bytes]
    known: Mapping[bytes, bool]
    decided: dict[bytes, bool]

    def needed(self, facts: Facts) -> list[Alone]:
        """The headers to parse alone in each selected configuration, sorted."""
        sources = set(self.files.sources)
        audited = {path for zone in self.audited for path in self.files.in_zone(zone) if path not in sources}
        judged = self._judged(poison=False) - sources
        poisoned = self._judged(poison=True)
        probed = {g.parameters.header for g in self.settings.gates if isinstance(g.parameters, ClosureProbeParameters)}
        known = set(self.files.files)
        found = []
        skipped = cache(lambda: facts.skipped(known))
        for configuration in facts.configurations:
            graph = IncludeGraph.of(facts, configuration)
            for header in sorted((audited | judged | probed) & known):
                units = graph.including_units(header)
                paths = [unit.name.path for unit in units]
                command = command_for_header(self.plan, header, configuration, paths)
                if header in probed:
                    found.append(Alone(command, directives_only=False))
                elif not units:
                    if header in audited and not is_fragment(header):
                        found.append(Alone(command, directives_only=False))
                elif is_fragment(header) or header not in judged:
                    continue
                elif header in poisoned or self._could_differ(graph, header, command, skipped):
                    found.append(Alone(command, directives_only=True))
        return found

    def _judged(self, *, poison: bool) -> set[str]:
        """Headers that an include gate takes alone, or those that it also wants to poison."""
        return {
            path
            for gate in self.settings.gates
            if isinstance(gate.parameters, IncludePurityParameters) and gate.parameters.headers
            if gate.parameters.poison or not poison
            for zone in gate.parameters.from_zones
            for path in self.files.in_zone(zone)
        }

    def _could_differ(self, graph: IncludeGraph, header: str, command: ParseCommand, skipped: _Skipped) -> bool:
        key = self.basis(graph.including_units(header)[0].name, command)
        known = self.known.get(key)
        self.decided[key] = self._differs(graph, header, command, skipped) if known is None else known
        return self.decided[key]

    def _differs(self, graph: IncludeGraph, header: str, command: ParseCommand, skipped: _Skipped) -> bool:
        settled = self.settled(command)
        reached = {header, *graph.reachable_from_header(header)}
        unit = graph.including_units(header)[0]
        numbers = {unit.id, unit.preamble}
        return any(
            self._has_conditional_include(
                path,
                {
                    first
                    for number, ranges in skipped().get(path, {}).items()
                    if number in numbers
                    for first, _ in ranges
                },
            )
            for path in reached - settled
            if not path.startswith("/")
        )

    def _has_conditional_include(self, path: str, skipped: Collection[int]) -> bool:
        """Whether an inclusion hangs on a condition; on a guard, too, where the unit found its macro defined before.

        Args:
            path: The file.
            skipped: First lines of what the unit skipped in it.
        """
        scan = self.scans.of(path)
        if scan is None:
            return False
        return any(
            directive.enters and (directive.computed or not _only_guarded(scan.conditionals, directive.arm, skipped))
            for directive in scan.directives
        )


def _only_guarded(arms: tuple[Arm, ...], arm: int, skipped: Collection[int]) -> bool:
    while arm != -1:
        if not arms[arm].guard or arms[arm].start_line in skipped:
            return False
        arm = arms[arm].parent
    return True
