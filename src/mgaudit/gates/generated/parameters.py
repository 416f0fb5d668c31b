"""The parameters of the gate kind ``generated``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from mgaudit.config.fields import Doc, LiteralPath, Parameters


@dataclass(frozen=True, slots=True)
class GeneratedParameters(Parameters):
    """A generated surface file is fresh."""

    file: Annotated[LiteralPath, Doc("the generated file, from the root")]
    surface: Annotated[
        Literal["reads", "mutations", "writebacks", "upcalls", "signatures"], Doc("the surface that it holds")
    ]
