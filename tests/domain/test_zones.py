"""What globs select."""

from __future__ import annotations

import string
import warnings

import pytest

from mgaudit.domain.zones import glob_pattern


def taken(glob: str) -> str:
    """Which characters a glob of one character takes; that it is a strange one is no reason to warn of anything."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pattern = glob_pattern.__wrapped__(glob)
    return "".join(filter(pattern.match, sorted(string.printable)))


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("[abc]", "abc"),
        ("[a-c]", "abc"),
        ("[-a]", "-a"),
        ("[a-]", "-a"),
        ("[+--]", "+,-"),  # from + to -
        ("[---]", "-"),
        ("[a-c--/]", "-./abc"),
        ("[a&&b]", "&ab"),
        ("[a||b]", "ab|"),
        ("[a~~b]", "ab~"),
        ("[a[[]", "[a"),
        ("[]]", "]"),
        ("[\\d]", "\\d"),
        ("[Z-\\]", "Z[\\"),
        ("[a^]", "^a"),
    ],
)
def test_a_class_takes_single_characters_and_ranges(glob: str, expected: str) -> None:
    assert taken(glob) == expected


@pytest.mark.parametrize("negation", "!^")
def test_a_class_may_say_what_it_does_not_take(negation: str) -> None:
    assert not set("+,-ab") & set(taken(f"[{negation}+--ab]"))
    assert "c" in taken(f"[{negation}+--ab]")
    assert not set("]a") & set(taken(f"[{negation}]a]"))
