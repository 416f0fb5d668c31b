"""The parameters of the gate kind ``link-ratchet``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mgaudit.analysis.links import Side
from mgaudit.config.fields import BinaryGlob, Doc, Parameters, PathText


@dataclass(frozen=True, slots=True)
class Partition:
    """Which object belongs to whom, by the longest matching path prefix."""

    server: Annotated[tuple[PathText, ...], Doc("prefixes of the server's objects")]
    frontend: Annotated[tuple[PathText, ...], Doc("prefixes of the frontend's objects")]
    shared: Annotated[tuple[PathText, ...], Doc("prefixes of objects that both link")] = ()

    @property
    def prefixes(self) -> dict[Side, tuple[str, ...]]:
        """The prefixes of each side."""
        return {Side.SERVER: self.server, Side.FRONTEND: self.frontend, Side.SHARED: self.shared}


@dataclass(frozen=True, slots=True)
class LinkRatchetParameters(Parameters):
    """What server objects need and only frontend objects define."""

    objects: Annotated[tuple[BinaryGlob, ...], Doc("the objects of one build; each must be in the partition")]
    partition: Annotated[Partition, Doc("which object belongs to whom")]
    optional: Annotated[bool, Doc("whether the objects may be absent")] = False
