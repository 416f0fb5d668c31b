"""The parameters of the gate kind ``mutations``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mgaudit.config.fields import CatalogueWith, Doc, Key, Parameters, QualifiedName, ZoneName


@dataclass(frozen=True, slots=True)
class MutationsParameters(Parameters):
    """Each pair of a function that reaches the backend and a mutator that it calls owes a verdict."""

    from_zones: Annotated[tuple[ZoneName, ...], Key("from"), Doc("the zones of the frontend's functions")]
    of: Annotated[tuple[ZoneName, ...], Doc("the zones of the state")]
    reach: Annotated[
        tuple[QualifiedName, ...], Doc("function tables and active objects, as variables; a type is all of its own")
    ]
    catalogue: Annotated[str, CatalogueWith("verdict"), Doc("functions, mutators and verdicts")]
    calls_catalogue: Annotated[str | None, CatalogueWith("name"), Doc("the calls that a verdict may name")] = None
    value_classes: Annotated[tuple[QualifiedName, ...], Doc("plain structs changed as copies; no mutators")] = ()
