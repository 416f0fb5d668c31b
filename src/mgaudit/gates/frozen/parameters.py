"""The parameters of the gate kind ``frozen``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mgaudit.config.fields import Doc, FilePath, Line, Parameters


@dataclass(frozen=True, slots=True)
class FrozenParameters(Parameters):
    """The normalised content of functions and regions equals a reference."""

    reference: Annotated[FilePath, Doc("the file that holds the content that is to stay")]
    regions: Annotated[
        tuple[Line, ...], Doc("functions by qualified name, or regions; default: all of the reference")
    ] = ()
