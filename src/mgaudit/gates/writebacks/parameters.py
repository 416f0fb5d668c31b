"""The parameters of the gate kind ``writebacks``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from mgaudit.config.fields import CatalogueWith, Doc, Key, Parameters, QualifiedName, ZoneName


@dataclass(frozen=True, slots=True)
class WritebacksParameters(Parameters):
    """Every change of a frontend object from the zones under guard is mapped."""

    from_zones: Annotated[tuple[ZoneName, ...], Key("from"), Doc("the zones that write")]
    of: Annotated[tuple[ZoneName, ...], Doc("the zones whose objects are written")]
    catalogue: Annotated[str, CatalogueWith("entity", "verdict"), Doc("entities and what becomes of their changes")]
    per_site: Annotated[tuple[QualifiedName, ...], Doc("methods that owe one row for each site")] = ()
    classes: Annotated[tuple[QualifiedName, ...], Doc("the classes watched; default: every class of the zones")] = ()
    value_classes: Annotated[
        tuple[QualifiedName, ...], Doc("plain structs changed as copies; they yield no sites")
    ] = ()
    unresolved: Annotated[
        Literal["warning", "error"], Doc("how an unresolved use spelled like a mutator is judged")
    ] = "warning"
