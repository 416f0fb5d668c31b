"""The parameters of the gate kind ``closure-probe``."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - annotations are evaluated at run time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from mgaudit.config import texts
from mgaudit.config.fields import Doc, Fault, Glob, Integer, LiteralPath, Parameters, Text

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class AllowedFile:
    """A file that a forbid list would catch, and why it may stay."""

    path: Annotated[LiteralPath, Doc("the file")]
    reason: Annotated[str, Text(texts.filled), Doc("why")]


@dataclass(frozen=True, slots=True)
class ClosureProbeParameters(Parameters):
    """A named header, taken alone, includes nothing forbidden, stands by itself and keeps a vocabulary out."""

    header: Annotated[LiteralPath, Doc("the header, from the root")]
    forbid: Annotated[tuple[Glob, ...], Doc("files that its closure must not hold")] = ()
    allow: Annotated[tuple[AllowedFile, ...], Doc("exceptions of forbid, each with its reason")] = ()
    self_contained: Annotated[bool, Doc("whether it must parse alone")] = True
    token_limits: Annotated[
        Mapping[str, Annotated[int, Integer(0)]], Doc("tokens of a namespace that the header may hold")
    ] = field(default_factory=dict)

    def faults(self) -> Iterable[Fault]:
        """See `Parameters.faults`."""
        if not self.forbid and not self.token_limits and not self.self_contained:
            yield Fault("nothing is asked of the header", 'set "forbid", "token-limits" or "self-contained"')
