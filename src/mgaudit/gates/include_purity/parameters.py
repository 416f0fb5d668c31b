"""The parameters of the gate kind ``include-purity``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mgaudit.config.fields import Doc, Key, Parameters, ZoneName


@dataclass(frozen=True, slots=True)
class IncludePurityParameters(Parameters):
    """No file of a forbidden zone is in the include closure of a file of the zones under guard."""

    from_zones: Annotated[tuple[ZoneName, ...], Key("from"), Doc("the zones under guard")]
    forbid: Annotated[tuple[ZoneName, ...], Doc("the zones that they must not include")]
    headers: Annotated[bool, Doc("judge each header of the zones alone, too")] = True
    poison: Annotated[bool, Doc("confirm by parsing with the forbidden headers replaced by an error directive")] = False
