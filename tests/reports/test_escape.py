from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.reports.escape import visible


@given(st.text())
def test_what_is_shown_can_always_be_printed(text: str) -> None:
    assert visible(text).isprintable()


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_printable_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb", "a\\nb"),
        ("a\u202eb", "a\\u202eb"),  # reverses what follows
        ("a\udcffb", "a\\udcffb"),  # a byte of a file name that is no UTF-8
        ("\x9b31m", "\\x9b31m"),  # a control sequence introducer of one character
        ("grün", "grün"),
    ],
)
def test_what_could_drive_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown
