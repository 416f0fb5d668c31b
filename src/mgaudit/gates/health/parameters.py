"""The parameters of the gate kind ``health``."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - annotations are evaluated at run time
from dataclasses import dataclass, field
from typing import Annotated

from mgaudit.config.fields import Accepts, Count, Doc, FilePath, Parameters


@dataclass(frozen=True, slots=True)
class HealthParameters(Parameters):
    """Everything selected was parsed and seen, and not less of it than expected."""

    floors: Annotated[Mapping[str, Count], Doc("the least number of units, headers, sites and the like")] = field(
        default_factory=dict
    )
    unresolved: Annotated[FilePath | None, Accepts("unresolved"), Doc("the baseline of unresolved references")] = None
    certificate: Annotated[bool, Doc("whether the two parsers must agree on watched names")] = True
