"""The parameters of the gate kind ``upcalls``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from mgaudit.config.fields import CatalogueWith, Doc, Key, Parameters, ZoneName


@dataclass(frozen=True, slots=True)
class UpcallsParameters(Parameters):
    """Every call, address or extern declaration that leads into the called zones is mapped."""

    from_zones: Annotated[tuple[ZoneName, ...], Key("from"), Doc("the zones that call")]
    into: Annotated[tuple[ZoneName, ...], Doc("the zones that are called")]
    catalogue: Annotated[str, CatalogueWith("entity", "verdict"), Doc("entities and what becomes of their calls")]
    unresolved: Annotated[
        Literal["warning", "error"], Doc("how an unresolved use spelled like an upcall is judged")
    ] = "warning"
