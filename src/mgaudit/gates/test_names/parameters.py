"""The parameters of the gate kind ``test-names``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mgaudit.config.fields import Doc, FilePath, Parameters, PathText


@dataclass(frozen=True, slots=True)
class TestNamesParameters(Parameters):
    """No test of the list before is missing in the list after."""

    before: Annotated[FilePath, Doc("a list of tests, as ctest -N prints it")]
    after: Annotated[PathText, Doc("the list to compare, from the root")]
