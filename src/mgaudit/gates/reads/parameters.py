"""The parameters of the gate kind ``reads``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from mgaudit.config.fields import CatalogueWith, Doc, Key, Line, Parameters, QualifiedName, ZoneName


@dataclass(frozen=True, slots=True)
class Fill:
    """The fill table: which class a verb has, and which accessors a class may read."""

    verbs: Annotated[str, CatalogueWith("verb", "class"), Doc("the catalogue of verbs and their class")]
    fields: Annotated[str, CatalogueWith("class", "field"), Doc("the catalogue of classes and what they may read")]


@dataclass(frozen=True, slots=True)
class ReadsParameters(Parameters):
    """Every read of an entity of the observed zones is mapped to exactly one catalogue entry."""

    from_zones: Annotated[tuple[ZoneName, ...], Key("from"), Doc("the zones that read")]
    of: Annotated[tuple[ZoneName, ...], Doc("the zones whose entities are read")]
    catalogue: Annotated[str, CatalogueWith("accessor"), Doc("accessors and what answers each")]
    classes: Annotated[tuple[QualifiedName, ...], Doc("the classes watched; default: every class of the zones")] = ()
    pseudo_calls: Annotated[tuple[Line, ...], Doc("answers that are no call of the calls catalogue")] = ()
    calls_catalogue: Annotated[str | None, CatalogueWith("name"), Doc("the calls that an answer may name")] = None
    fill: Annotated[Fill | None, Doc("what each verb may read")] = None
    value_classes: Annotated[tuple[QualifiedName, ...], Doc("plain structs read from copies; they yield no sites")] = ()
    byte_accessors: Annotated[tuple[QualifiedName, ...], Doc("accessors that return raw bytes")] = ()
    map_signatures: Annotated[bool, Doc("whether signatures and unevaluated uses need a mapping")] = False
    constructions: Annotated[bool, Doc("whether making a frontend object needs a mapping")] = False
    unresolved: Annotated[
        Literal["warning", "error"], Doc("how an unresolved use spelled like an accessor is judged")
    ] = "warning"
