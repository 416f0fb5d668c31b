"""The parameters of the gate kind ``symbol-purity``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from mgaudit.config.fields import BinaryGlob, Doc, Fault, Key, Parameters, SymbolPattern, ZoneName

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class SymbolZones:
    """The zones of the predicted form."""

    from_zones: Annotated[tuple[ZoneName, ...], Key("from"), Doc("the zones whose references are looked at")]
    forbid: Annotated[tuple[ZoneName, ...], Doc("the zones whose symbols they must not need")]


@dataclass(frozen=True, slots=True)
class SymbolPurityParameters(Parameters):
    """No undefined symbol of a binary, or of what the sources predict, is a forbidden one."""

    binaries: Annotated[tuple[BinaryGlob, ...], Doc("shared libraries, objects, archives")] = ()
    optional: Annotated[bool, Doc("whether the binaries may be absent")] = False
    forbid: Annotated[tuple[SymbolPattern, ...], Doc("forbidden symbols, by their own qualified name")] = ()
    require_exports: Annotated[tuple[SymbolPattern, ...], Doc("symbols that the dynamic table must show")] = ()
    sources: Annotated[SymbolZones | None, Doc("the answer predicted from sources")] = None

    def faults(self) -> Iterable[Fault]:
        """See `Parameters.faults`."""
        if not self.binaries and self.sources is None:
            yield Fault('one of "binaries" and "sources" is required')
        if self.binaries and not self.forbid and not self.require_exports and self.sources is None:
            yield Fault("nothing is asked of the binaries", 'set "forbid" or "require-exports"', "binaries")
        for key, given in (("forbid", self.forbid), ("require-exports", self.require_exports)):
            if given and not self.binaries:
                yield Fault(f'"{key}" is asked of binaries, and there are none', 'set "binaries"', key)
