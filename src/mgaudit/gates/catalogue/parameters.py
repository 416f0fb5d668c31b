"""The parameters of the gate kind ``catalogue``."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - annotations are evaluated at run time
from dataclasses import dataclass
from typing import Annotated

from mgaudit.config.fields import CatalogueWith, Doc, FilePath, Line, Parameters, QualifiedName


@dataclass(frozen=True, slots=True)
class Implication:
    """A rule between columns and payloads: where `when` holds, `then` must; with `both`, also the reverse."""

    when: Annotated[Mapping[str, Line], Doc("column (or payload-has) and value")]
    then: Annotated[Mapping[str, Line], Doc("column (or payload-has) and value")]
    both: Annotated[bool, Doc("whether the reverse must hold, too")] = False


@dataclass(frozen=True, slots=True)
class CatalogueParameters(Parameters):
    """Calls, payloads and field lists agree with each other and with the code."""

    calls: Annotated[str, CatalogueWith("name"), Doc("the catalogue of calls, in opcode order")]
    payload_namespace: Annotated[QualifiedName, Doc("where the payload structs are declared")]
    documented_count: Annotated[QualifiedName | None, Doc("the constant that says how many calls there are")] = None
    fields: Annotated[str | None, CatalogueWith("payload", "field"), Doc("the catalogue of payload fields")] = None
    classes: Annotated[tuple[Line, ...], Doc("the legal classes of a call")] = ()
    flags: Annotated[tuple[Line, ...], Doc("the legal flags of a call")] = ()
    append_only: Annotated[FilePath | None, Doc("the call names that the catalogue must start with, one a line")] = None
    implies: Annotated[tuple[Implication, ...], Doc("rules between columns and payloads")] = ()
