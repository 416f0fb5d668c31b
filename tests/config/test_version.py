from __future__ import annotations

import pytest

from mgaudit.config.texts import Fault
from mgaudit.config.version import check_version


@pytest.mark.parametrize(
    "specifier",
    [
        "0.4",
        "0.4.2",
        ">=0.4",
        ">=0.4, <1",
        "==0.4.2",
        "==0.4.*",
        "~=0.4",
        "~=0.4.1",
        "!=0.4.3",
        "<=0.4.2.0",
        "v0.1",
        "!=1.*",
    ],
)
def test_a_version_that_is_wanted(specifier: str) -> None:
    check_version(specifier, "0.4.2")


@pytest.mark.parametrize(
    "specifier", ["0.5", ">0.4.2", "<0.4", "==0.4", "~=0.5", "~=0.4.3", "!=0.4.2", "!=0.*", "==0.5.*"]
)
def test_a_version_that_is_not_wanted(specifier: str) -> None:
    with pytest.raises(Fault, match="requires"):
        check_version(specifier, "0.4.2")


@pytest.mark.parametrize("specifier", ["", ",", "abc", ">= ", "=0.4", ">=0.4,", "~=1", ">=0.*", "0.4; os", "^1"])
def test_what_is_no_specifier(specifier: str) -> None:
    with pytest.raises(Fault, match="no version specifier"):
        check_version(specifier, "0.4.2")


def test_a_pre_release_counts_as_its_release() -> None:
    check_version(">=0.5", "0.5.0.dev3+g123")
