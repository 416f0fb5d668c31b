"""Which headers must be parsed alone, and which are known well enough from the units that include them.

A header's own include closure equals what units recorded, unless an inclusion in it hangs on a conditional that a unit
may have decided otherwise before. An include guard is none, unless the unit found its macro defined from elsewhere.
Conditionals inside the closure of a precompiled header are settled where the header alone starts with that very
inclusion. A unit that begins with the header has decided nothing before: it decides as the header alone does, unless
something asks for the same files again later, to another effect.

All of that holds for the flags of one unit. Where others include the header with other flags, it is parsed alone with
these, too, unless they differ in macros alone that none of its files can see.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from mgaudit.gates.closure_probe.parameters import ClosureProbeParameters
from mgaudit.gates.include_purity.parameters import IncludePurityParameters
from mgaudit.graphs.includes import IncludeGraph, is_fragment, reachable
from mgaudit.sources.compile_commands import commands_for_header

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from mgaudit.config.model import Settings
    from mgaudit.domain.configurations import ParseCommand
    from mgaudit.facts.merge import UnitId
    from mgaudit.facts.query import Facts, Unit
    from mgaudit.graphs.includes import Adjacency
    from mgaudit.sources.compile_commands import Plan
    from mgaudit.sources.scan_facts import Arm, Outline
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
        outline: What any file includes, or None where it cannot be read.
        audited: Names of the zones that gates name.
        settled: Files whose conditionals a command's leading inclusion settles.
        is_alike: Whether two commands yield the same of some files, since they differ in nothing that these can see.
        basis: A digest of what the facts of a unit rest on and of how a command starts, by unit and command.
        known: Whether a header could differ from what its first unit tells, by that digest, as earlier runs found.
        decided: The same as this run finds; it is added to.
    """

    settings: Settings
    files: TreeFiles
    plan: Plan
    outline: Callable[[str], Outline | None]
    audited: frozenset[str]
    settled: Callable[[ParseCommand], frozenset[str]]
    is_alike: Callable[[ParseCommand, ParseCommand, Collection[str]], bool]
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
                telling = graph.telling_unit(header)
                units = [unit.name for unit in (telling, *graph.including_units(header)) if unit is not None]
                places = [(unit.path, unit.variant) for unit in units]
                command, *others = commands_for_header(self.plan, header, configuration, places)
                if header in probed:
                    found += [Alone(each, directives_only=False) for each in (command, *others)]
                elif telling is None:
                    if header in audited and not is_fragment(header):
                        found.append(Alone(command, directives_only=False))
                elif is_fragment(header) or header not in judged:
                    continue
                elif header in poisoned or self._could_differ(graph, telling, header, command, skipped):
                    found += [Alone(each, directives_only=True) for each in (command, *others)]
                elif others:
                    reached = {header, *reachable(graph.adjacency(telling), header)}
                    found += [Alone(o, directives_only=True) for o in others if not self.is_alike(command, o, reached)]
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

    def _could_differ(
        self, graph: IncludeGraph, unit: Unit, header: str, command: ParseCommand, skipped: _Skipped
    ) -> bool:
        key = self.basis(unit.name, command)
        known = self.known.get(key)
        self.decided[key] = self._differs(graph, unit, header, command, skipped) if known is None else known
        return self.decided[key]

    def _differs(self, graph: IncludeGraph, unit: Unit, header: str, command: ParseCommand, skipped: _Skipped) -> bool:
        settled = self.settled(command)
        reached = {header, *reachable(graph.adjacency(unit), header)}
        numbers = {unit.id, unit.preamble}
        open_ends = [
            path
            for path in reached - settled
            if not path.startswith("/")
            and self._has_conditional_include(
                path,
                {
                    first
                    for number, ranges in skipped().get(path, {}).items()
                    if number in numbers
                    for first, _ in ranges
                },
            )
        ]
        return bool(open_ends) and not (
            graph.begins_with(unit, header)
            and _are_read_for(header, reached, open_ends, graph.adjacency(unit), self.outline)
        )

    def _has_conditional_include(self, path: str, skipped: Collection[int]) -> bool:
        """Whether an inclusion hangs on a condition; on a guard, too, where the unit found its macro defined before.

        Args:
            path: The file.
            skipped: First lines of what the unit skipped in it.
        """
        outline = self.outline(path)
        if outline is None:
            return False
        return any(
            directive.enters and (directive.computed or not _only_guarded(outline.conditionals, directive.arm, skipped))
            for directive in outline.directives
        )


def _are_read_for(
    header: str,
    reached: Collection[str],
    paths: Iterable[str],
    adjacency: Adjacency,
    outline: Callable[[str], Outline | None],
) -> bool:
    """Whether a unit that begins with a header read some files for its sake alone, and so as the header alone does.

    Each file is either read once, and then behind the header, or asked for by such files only.
    """
    including: dict[str, set[str]] = defaultdict(set)
    for edge in chain.from_iterable(adjacency.values()):
        including[edge.target or ""].add(edge.source)
    known: dict[str, bool] = {}

    def is_read(path: str) -> bool:
        if path not in known:
            known[path] = False  # until another way than a circle is found
            known[path] = path in reached and (_counts_once(outline(path)) or all(map(is_read, including[path])))
        return known[path]

    leads_back = header in reachable(adjacency, header)
    return not leads_back and all(map(is_read, paths))


def _counts_once(outline: Outline | None) -> bool:
    return outline is not None and outline.counts_once


def _only_guarded(arms: tuple[Arm, ...], arm: int, skipped: Collection[int]) -> bool:
    while arm != -1:
        if not arms[arm].guard or arms[arm].start_line in skipped:
            return False
        arm = arms[arm].parent
    return True
