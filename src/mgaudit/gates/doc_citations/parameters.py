"""The parameters of the gate kind ``doc-citations``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mgaudit.config.fields import Doc, Glob, Line, Parameters


@dataclass(frozen=True, slots=True)
class DocCitationsParameters(Parameters):
    """Every citation of a file and line resolves, and the line holds the identifier that the text names."""

    documents: Annotated[tuple[Glob, ...], Doc("the documents")]
    revision: Annotated[Line | None, Doc("the revision that they cite; default: the tree as it is")] = None
    code_blocks: Annotated[bool, Doc("whether citations in fenced code blocks count")] = True
