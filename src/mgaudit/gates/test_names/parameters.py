"""The parameters of the gate kind ``test-names``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from mgaudit.config.fields import Content, Doc, FilePath, Line, Parameters, PathText


@dataclass(frozen=True, slots=True)
class TestNamesParameters(Parameters):
    """No test of the list before is missing in the list after."""

    before: Annotated[FilePath, Doc("a list of tests, as ctest -N prints it")]
    after: Annotated[PathText, Content(), Doc("the list to compare, from the root")]
    format: Annotated[
        Literal["auto", "ctest", "gtest", "pytest", "plain"], Doc("what printed the lists; auto: told by their lines")
    ] = "auto"
    renames: Annotated[dict[str, Line], Doc("the new name of each test that has one")] = field(default_factory=dict)
