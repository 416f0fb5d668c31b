"""What a run asks of its workers: the job of each unit, with the key of all that its record rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.engine.audited import globs
from mgaudit.engine.contents import key_of
from mgaudit.engine.worker import INSTANTIATED, Job, Preamble
from mgaudit.sources.macros import Flags

if TYPE_CHECKING:
    from mgaudit.config.model import Settings
    from mgaudit.engine.audited import Wishes
    from mgaudit.engine.preambles import Group
    from mgaudit.facts.merge import UnitId
    from mgaudit.sources.toolchain import Toolchain


class Jobs:
    """Makes the jobs of one run.

    Args:
        settings: The configuration.
        toolchain: What parses.
        identity: The digest of it, and of this program.
        wishes: What the gates want of every parse.
        audited: Names of the zones that gates name.
    """

    def __init__(
        self, settings: Settings, toolchain: Toolchain, identity: str, wishes: Wishes, audited: frozenset[str]
    ) -> None:  # fmt: skip
        self._identity = identity
        self._wishes = wishes
        self._audited = globs(settings, audited)
        self._overlays = {
            spec.name: toolchain.unsaved(settings.first_with_stubs_of(spec)) for spec in settings.configurations
        }
        self._known: dict[tuple[str, ...], Flags] = {}
        stubs = toolchain.virtual_folder("missing")
        self._stub_folders = {
            spec.name: stubs if spec.missing_headers == "stub" else "" for spec in settings.configurations
        }
        self.planted = tuple(
            (str(settings.places.file(name)), data.decode())
            for name, data in sorted(settings.overlay.items())
            if b"\0" not in data  # what is no text is no source
        )

    def overlay(self, configuration: str) -> tuple[tuple[str, str], ...]:
        """The in-memory files of a configuration: (absolute path, text)."""
        return self._overlays[configuration]

    def of(
        self, unit: UnitId, group: Group, preamble: Preamble | None = None, *, directives_only: bool = False,
        headers: tuple[str, ...] = (),
    ) -> Job:  # fmt: skip
        """The job of a unit.

        Args:
            unit: What it yields.
            group: How it is parsed.
            preamble: What it may start from.
            directives_only: Whether only the inclusion directives count.
            headers: Keys of the headers that a preamble precompiles, in order.
        """
        stub_folder = self._stub_folders[unit.configuration]
        overlay = self._overlays[unit.configuration]
        with_demands = self._with_demands(unit)
        parts = [
            self._identity, unit.path, unit.kind, group.directory, str(directives_only), stub_folder,
            preamble.record if preamble else "", *headers, *((INSTANTIATED,) if headers else ()),
            *(text for file in overlay for text in file), *(self._audited if stub_folder else ()),
            "demands", str(with_demands), *self._wishes.words,
        ]  # fmt: skip
        key, family = (key_of((*words, "", *parts)) for words in (group.arguments, self._flags(group).others))
        return Job(
            unit, key, group.directory, group.arguments, overlay, preamble, directives_only, stub_folder,
            self._audited, headers, with_demands, self.planted, family=family,
        )  # fmt: skip

    def _flags(self, group: Group) -> Flags:
        if group.arguments not in self._known:
            self._known[group.arguments] = Flags.of(group.arguments)
        return self._known[group.arguments]

    def _with_demands(self, unit: UnitId) -> bool:
        """Whether some gate asks what a unit will refer to; a preamble holds what any that starts from it may emit."""
        if unit.kind == "preamble":
            return bool(self._wishes.linked)
        return unit.kind == "source" and unit.path in self._wishes.linked
