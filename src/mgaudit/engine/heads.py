"""The precompiled headers of a run: the units that hold their facts, and which other units may start from them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mgaudit.engine.preambles import Group, Shown
from mgaudit.engine.worker import Preamble, file_of
from mgaudit.facts.merge import UnitId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mgaudit.domain.configurations import ParseCommand
    from mgaudit.engine.contents import Contents
    from mgaudit.engine.jobs import Jobs
    from mgaudit.engine.manifest import Variant
    from mgaudit.engine.preambles import Chooser, Start
    from mgaudit.engine.worker import Job


class Heads:
    """Knows the precompiled headers that units of a run use.

    Args:
        maker: Makes their jobs.
        chooser: Finds what units meet first.
        contents: The files as they are.
        look: Looks for what is known of a job, and gives it to `variants`.
        take: Takes what is known of one job for what is known of another, and gives it to `variants`.

    Attributes:
        variants: What the records rest on, by unit.
    """

    def __init__(
        self, maker: Jobs, chooser: Chooser, contents: Contents, look: Callable[[Job], bool],
        take: Callable[[Job, Variant], None],
    ) -> None:  # fmt: skip
        self._maker = maker
        self._chooser = chooser
        self._contents = contents
        self._look = look
        self._take = take
        self._units: dict[tuple[Group, tuple[str, ...]], UnitId] = {}
        self.variants: dict[UnitId, Variant] = {}

    def unit(self, group: Group, headers: tuple[str, ...]) -> UnitId:
        """The unit of some precompiled headers; looks for its record when it is first asked for."""
        place = group, headers
        if place not in self._units:
            name = (group.configuration, headers[-1])
            used = sum((unit.configuration, unit.path) == name for unit in self._units.values())
            self._units[place] = UnitId(*name, used, "preamble")
            self._look(self.job(*place))
        return self._units[place]

    def job(self, group: Group, headers: tuple[str, ...]) -> Job:
        """What precompiles headers that some unit was to start from."""
        return self._maker.of(self._units[group, headers], group, headers=headers)

    def missing(self, places: Iterable[tuple[Group, tuple[str, ...]]]) -> list[Job]:
        """The jobs of those headers that nothing is known of."""
        return [self.job(*place) for place in dict.fromkeys(places) if self.unit(*place) not in self.variants]

    def known_start(self, command: ParseCommand) -> Start | None:
        """A precompiled header that units already use and that this command meets first, too."""
        if not self._units:
            return None
        group = Group.of(command)
        return next((s for s in self._chooser.starts(command) if (group, s.headers) in self._units), None)

    def of(self, command: ParseCommand) -> Variant | None:
        """What the precompiled header of `known_start` rests on, where there is one."""
        start = self.known_start(command)
        return self.variants.get(self._units[Group.of(command), start.headers]) if start else None

    def settled(self, command: ParseCommand) -> frozenset[str]:
        """The files whose conditionals the precompiled header of `known_start` settles."""
        variant = self.of(command)
        return frozenset(variant.files) if variant is not None and variant.clean else frozenset()

    def shown(self, starts: Iterable[tuple[ParseCommand, Start]]) -> Mapping[UnitId, Shown]:
        """Of each preamble, what its files do that some unit's start from it forbids; one look for all units."""
        by_unit: dict[UnitId, list[Start]] = defaultdict(list)
        for command, start in starts:
            by_unit[self._units[Group.of(command), start.headers]].append(start)
        return {
            unit: Shown.of(self._contents, self.variants[unit].files, some)
            for unit, some in by_unit.items()
            if unit in self.variants
        }

    def preamble(self, command: ParseCommand, start: Start, shown: Mapping[UnitId, Shown]) -> Preamble | None:
        """The preamble of a unit, where it is sound and nothing before it shows inside it."""
        group = Group.of(command)
        unit = self._units[group, start.headers]
        variant = self.variants.get(unit)
        if variant is None or not variant.clean or not shown[unit].allows(start):
            return None
        return self._preamble(self.job(group, start.headers), variant, start.steps)

    def like(self, preamble: Preamble, group: Group) -> Preamble:
        """The preamble of a unit that is like another one, by that one's."""
        unit = self.unit(group, preamble.headers)
        head = self.job(group, preamble.headers)
        if unit not in self.variants:
            self._take(head, self.variants[preamble.unit])
        return self._preamble(head, self.variants[unit], preamble.steps)

    @staticmethod
    def _preamble(head: Job, variant: Variant, steps: tuple[tuple[str, str], ...]) -> Preamble:
        return Preamble(variant.record, file_of(head, variant), steps, head)
