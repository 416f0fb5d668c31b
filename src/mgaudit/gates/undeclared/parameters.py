"""The parameters of the gate kind ``undeclared``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mgaudit.config.fields import Doc, Parameters, QualifiedName, ZoneName


@dataclass(frozen=True, slots=True)
class UndeclaredParameters(Parameters):
    """No reference to, and no token of, the entities in the zones."""

    zones: Annotated[tuple[ZoneName, ...], Doc("the zones under guard")]
    entities: Annotated[tuple[QualifiedName, ...], Doc("what they must not name")]
    expect_declared: Annotated[bool, Doc("whether some translation unit must declare each entity")] = True
