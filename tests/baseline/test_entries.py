from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mgaudit.baseline.entries import Entry, MalformedEntryError, check_expiry, key_of, parse_entry
from mgaudit.domain.findings import Finding, Severity

TEXT = st.text(st.characters(), max_size=12)
VALUE = st.text(st.characters(), max_size=12)
PARTS = st.lists(TEXT, min_size=2, max_size=4).map(tuple)
EXPIRY = st.one_of(st.just(""), st.dates().map(dt.date.isoformat), st.just("P3"))


@given(identity=PARTS, reason=VALUE, owner=VALUE, expires=EXPIRY)
@example(("<<<<<<< HEAD", "x"), "", "", "")
@example(("=======", ""), " a ", "|", "")
@example(("# no comment", "a | b # c"), "# c | d: e\\", "", "")
@example(("\ufeff", "\udc80\n\u2028"), "\x1b", "", "2026-12-31")
def test_an_entry_comes_back_from_its_line(identity: tuple[str, ...], reason: str, owner: str, expires: str) -> None:
    entry = Entry(identity, reason, owner, expires)
    assert entry.text.isprintable()
    assert entry.text == entry.text.strip()
    assert not entry.text.startswith("#")
    assert parse_entry(entry.text) == entry


@given(one=PARTS, other=PARTS)
def test_lines_differ_where_identities_do(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert (Entry(one).text == Entry(other).text) is (one == other)


def test_a_line_is_easy_to_read() -> None:
    entry = Entry(("mg::operator|(A, B)", "mg::state::pGLContext", "read"), "see #12", "gles", "2026-12-31")
    assert entry.text == (
        r"mg::operator\|(A, B) | mg::state::pGLContext | read"
        "  # reason: see #12 | owner: gles | expires: 2026-12-31"
    )


def test_people_may_write_values_in_any_order_and_with_any_blanks() -> None:
    written = parse_entry("a.cpp |  b.h # expires:P3 |  owner:  me | reason: x: y")
    assert written == Entry(("a.cpp", "b.h"), "x: y", "me", "P3")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("<<<<<<< HEAD", "a merge conflict"),
        ("=======", "a merge conflict"),
        (">>>>>>> theirs", "a merge conflict"),
        ("||||||| 1234567", "a merge conflict"),
        ("a.cpp", "one part only"),
        ("a.cpp | ", "an empty part"),
        (" | a.cpp", "an empty part"),
        ("operator|(A) | b", "without a backslash"),
        ("a | b #c", "without a backslash"),
        (r"a | b\q", "means nothing"),
        (r"a | \U00110000", "means nothing"),
        ("a | b\\", "without a backslash"),
        ("a | b # c", "is none of"),
        ("a | b # reason:", "is none of"),
        ("a | b # until: 2026-01-01", "is none of"),
        ("a | b # owner: me | owner: you", "two values of `owner`"),
        ("a | b # expires: 2026-13-01", "is neither a date"),
        ("a | b # expires: 31.12.2026", "is neither a date"),
        ("a | b # expires: 20261231", "is neither a date"),
    ],
)
def test_what_is_no_entry_is_refused_with_the_reason(line: str, why: str) -> None:
    with pytest.raises(MalformedEntryError, match=why):
        parse_entry(line)


def test_only_dates_expire() -> None:
    assert Entry(("a", "b"), expires="2026-12-31").last_day == dt.date(2026, 12, 31)
    assert Entry(("a", "b"), expires="P3").last_day == dt.date.max
    assert Entry(("a", "b")).last_day == dt.date.max
    check_expiry("phase 3")
    with pytest.raises(MalformedEntryError):
        check_expiry("3")


def test_findings_with_a_bare_identity_are_told_apart_by_path_and_entity() -> None:
    bare = Finding("A", "k", Severity.ERROR, "m", "", "a.cpp", 1, 1, "e")
    assert key_of(bare) == ("a.cpp", "e")
