"""The parameters of the gate kind ``dirty-surface``."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - annotations are evaluated at run time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from mgaudit.config.fields import (
    CatalogueWith,
    Doc,
    Fault,
    FunctionName,
    Identifier,
    Parameters,
    QualifiedName,
    ZoneName,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Publisher:
    """What makes a dirty bit fire: any of these."""

    counters: Annotated[tuple[QualifiedName, ...], Doc("members whose increment publishes")] = ()
    functions: Annotated[tuple[FunctionName, ...], Doc("functions whose call publishes")] = ()
    macros: Annotated[tuple[Identifier, ...], Doc("macros whose expansion publishes")] = ()


@dataclass(frozen=True, slots=True)
class DirtySurfaceParameters(Parameters):
    """Every mutator reachable from an entry point claims what fires on every mutating path."""

    entry: Annotated[tuple[ZoneName, ...], Doc("the zones of the entry points")]
    of: Annotated[tuple[ZoneName, ...], Doc("the zones of the state")]
    catalogue: Annotated[str, CatalogueWith("mutator", "publishers"), Doc("mutators and what publishes each")]
    publishers: Annotated[Mapping[str, Publisher], Doc("dirty bits and what makes each fire")]
    reach: Annotated[tuple[QualifiedName, ...], Doc("function tables and active objects, for kImmediate")] = ()
    exact: Annotated[bool, Doc("whether a row that leaves a publisher out is an error, not a warning")] = False
    undecided_catalogue: Annotated[
        str | None, CatalogueWith("mutator", "bit"), Doc("pairs that the analysis may leave undecided")
    ] = None

    def faults(self) -> Iterable[Fault]:
        """See `Parameters.faults`."""
        for bit, publisher in self.publishers.items():
            if not (publisher.counters or publisher.functions or publisher.macros):
                yield Fault(f"nothing publishes {bit}", "set counters, functions or macros", "publishers")
