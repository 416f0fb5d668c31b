"""The parameters of the gate kind ``memo-keys``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mgaudit.config.fields import Accepts, Doc, FilePath, FunctionName, Parameters, QualifiedName, ZoneName


@dataclass(frozen=True, slots=True)
class MemoKeysParameters(Parameters):
    """No key of a cache holds a frontend pointer, a GL name, a lifetime id or a narrow counter alone."""

    zones: Annotated[tuple[ZoneName, ...], Doc("the zones whose caches are judged")]
    frontend: Annotated[tuple[ZoneName, ...], Doc("the zones whose types must not be keys")]
    handle_types: Annotated[tuple[QualifiedName, ...], Doc("types that are handles")] = ()
    gl_name_types: Annotated[tuple[QualifiedName, ...], Doc("types that are GL names")] = ()
    gl_name_functions: Annotated[tuple[FunctionName, ...], Doc("functions that return a GL name of a common type")] = ()
    lifetime_functions: Annotated[tuple[FunctionName, ...], Doc("functions that return a lifetime id")] = ()
    value_classes: Annotated[tuple[QualifiedName, ...], Doc("plain structs that are compared by their bytes")] = ()
    undecided: Annotated[
        FilePath | None, Accepts("undecided"), Doc("the baseline of undecided components; without it they are warnings")
    ] = None
    narrow_counters: Annotated[bool, Doc("whether a counter of at most 16 bits proves no freshness")] = True
