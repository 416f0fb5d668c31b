from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.baseline.entries import Entry
from mgaudit.baseline.files import HEAD, Baseline, parse, render

ENTRIES = st.lists(
    st.builds(Entry, st.tuples(st.sampled_from("ab|"), st.text(max_size=3)), st.sampled_from(["", "why"])), max_size=8
)


@given(entries=ENTRIES, seed=st.integers())
def test_the_content_depends_on_the_multiset_alone(entries: list[Entry], seed: int) -> None:
    text = render(Baseline("A.txt", tuple(entries)))
    shuffled = entries[:]
    random.Random(seed).shuffle(shuffled)
    assert render(Baseline("A.txt", tuple(shuffled))) == text
    read, problems = parse("A.txt", text.encode())
    assert problems == []
    assert sorted(read.entries) == sorted(entries)
    assert render(read) == text
    lines = text.splitlines()[1:]
    assert lines == sorted(lines)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_an_empty_baseline(content: bytes) -> None:
    baseline, problems = parse("A.txt", content)
    assert (baseline.entries, problems) == ((), [])


def test_a_new_file_says_what_it_is() -> None:
    assert render(Baseline("A.txt")) == HEAD[0] + "\n"


def test_lines_have_numbers_whatever_ends_them() -> None:
    baseline, problems = parse("A.txt", b"\xef\xbb\xbf# head\r\n\r\na | b\r\nc | d")
    assert problems == []
    assert [(entry.identity, entry.line) for entry in baseline.entries] == [(("a", "b"), 3), (("c", "d"), 4)]


def test_comments_stay_at_the_head_and_above_their_entry() -> None:
    text = "# head\n# more\nb | b\n# about c\nc | c\na | a\n# last\n"
    baseline, _ = parse("A.txt", text.encode())
    assert render(baseline) == "# head\n# more\n# last\na | a\nb | b\n# about c\nc | c\n"


def test_every_unreadable_line_is_a_problem_with_its_place() -> None:
    text = b"a | b\n<<<<<<< HEAD\nc | d\n=======\nnonsense\n\xff | x\n>>>>>>> other\n"
    _, problems = parse("baselines/A.txt", text)
    assert [(p.path, p.line) for p in problems] == [("baselines/A.txt", n) for n in (2, 4, 5, 6, 7)]
    assert "merge conflict" in problems[0].message
    assert "mgaudit baseline merge" in problems[0].help
    assert "UTF-8" in problems[3].message
