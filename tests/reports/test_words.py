from __future__ import annotations

import pytest

from mgaudit.reports.words import counted


@pytest.mark.parametrize(
    ("number", "plural", "text"),
    [
        (0, "units", "0 units"),
        (1, "units", "1 unit"),
        (2, "units", "2 units"),
        (1, "entries", "1 entry"),
        (1, "classes", "1 class"),
        (1, "branches", "1 branch"),
        (1, "entry files", "1 entry file"),
        (1, "data", "1 data"),
    ],
)
def test_a_number_says_what_it_counts(number: int, plural: str, text: str) -> None:
    assert counted(number, plural) == text
