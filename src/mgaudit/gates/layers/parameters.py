"""The parameters of the gate kind ``layers``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from mgaudit.config.fields import Doc, Fault, Parameters, ZoneName

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class LayersParameters(Parameters):
    """Zones from top to bottom, each using only those below; zones independent of each other; no cycles."""

    layers: Annotated[tuple[ZoneName, ...], Doc("zones from top to bottom")] = ()
    independent: Annotated[tuple[tuple[ZoneName, ...], ...], Doc("groups of zones that use none of each other")] = ()
    acyclic: Annotated[bool, Doc("whether a circle of zones through one of those named here is a violation")] = True
    exhaustive: Annotated[bool, Doc("whether every file must be in some zone")] = False
    by: Annotated[Literal["include", "symbol"], Doc("what counts as use")] = "include"

    def faults(self) -> Iterable[Fault]:
        """See `Parameters.faults`."""
        if not self.layers and not self.independent:
            yield Fault('one of "layers" and "independent" is required')
        for index, group in enumerate(self.independent):
            if len(set(group)) < 2:
                yield Fault(f"independent[{index}] needs two zones at least", key="independent")
        for index, zone in enumerate(self.layers):
            if zone in self.layers[:index]:
                yield Fault(f'zone "{zone}" is in two layers', key="layers")
