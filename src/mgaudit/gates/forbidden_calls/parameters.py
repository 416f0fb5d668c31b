"""The parameters of the gate kind ``forbidden-calls``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from mgaudit.config.fields import Doc, Fault, FunctionName, Parameters, QualifiedName, ZoneName

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class ForbiddenCallsParameters(Parameters):
    """No call of a forbidden function, and no retired name."""

    zones: Annotated[tuple[ZoneName, ...], Doc("the zones under guard")]
    functions: Annotated[
        tuple[FunctionName, ...], Doc("what they must not call; required unless names are retired")
    ] = ()
    retired: Annotated[tuple[QualifiedName, ...], Doc("names that must not occur any more")] = ()
    wrappers: Annotated[
        bool, Doc("whether a call that reaches one of the functions through code outside of the zones counts, too")
    ] = False
    expect_declared: Annotated[bool, Doc("whether some translation unit must declare each of the functions")] = True

    def faults(self) -> Iterable[Fault]:
        """See `Parameters.faults`."""
        if not self.functions and not self.retired:
            yield Fault('lacks the required key "functions"')
