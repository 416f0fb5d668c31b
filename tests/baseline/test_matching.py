from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.baseline.changes import Acceptance, grown, shrunk
from mgaudit.baseline.entries import Entry, key_of
from mgaudit.baseline.files import Baseline
from mgaudit.baseline.matching import match
from mgaudit.domain.findings import Finding, Severity

Make = Callable[..., Finding]
KEYS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), max_size=12)


def nowhere(path: str) -> bool:
    return False


def of(*identities: tuple[str, ...]) -> Baseline:
    return Baseline("A.txt", tuple(Entry(identity, line=line) for line, identity in enumerate(identities, 2)))


@given(accepted=KEYS, found=KEYS)
def test_a_match_is_the_algebra_of_multisets(
    finding: Make, accepted: list[tuple[str, str]], found: list[tuple[str, str]]
) -> None:
    result = match(of(*accepted), [finding(*key) for key in found], nowhere)
    entries, keys = Counter(accepted), Counter(found)
    assert Counter(key_of(f) for f in result.new) == keys - entries
    assert Counter(entry.identity for entry in result.stale) == entries - keys
    assert Counter(kept.entry.identity for kept in result.kept) == entries & keys
    assert all(kept.entry.identity == key_of(kept.finding) for kept in result.kept)
    assert Counter(key_of(f) for f in result.findings) == keys
    assert sum(f.baselined for f in result.findings) == (entries & keys).total()


@given(accepted=KEYS, found=KEYS)
def test_shrinking_never_grows_and_growing_leaves_nothing_new(
    finding: Make, accepted: list[tuple[str, str]], found: list[tuple[str, str]]
) -> None:
    findings = [finding(*key) for key in found]
    result = match(of(*accepted), findings, nowhere)
    smaller = Counter(entry.identity for entry in shrunk(result).entries)
    assert smaller == Counter(accepted) & Counter(found)
    after = match(grown(result, Acceptance("why")), findings, nowhere)
    assert (after.new, after.stale) == ((), ())
    again = match(shrunk(result), findings, nowhere)
    assert again.stale == ()
    assert Counter(map(key_of, again.new)) == Counter(map(key_of, result.new))


def test_of_equal_findings_the_last_one_is_new(finding: Make) -> None:
    findings = [finding("a", "x", line=line) for line in (30, 10, 20)]
    assert [f.line for f in match(of(("a", "x"), ("a", "x")), findings, nowhere).new] == [30]


def test_errors_are_accepted_before_warnings(finding: Make) -> None:
    findings = [finding("a", "x", line=1, severity=Severity.WARNING), finding("a", "x", line=2)]
    result = match(of(("a", "x")), findings, nowhere)
    assert result.new == ()
    assert [f.severity for f in result.open] == [Severity.WARNING]


def test_an_entry_that_expires_later_is_used_first(finding: Make) -> None:
    entries = (Entry(("a", "x")), Entry(("a", "x"), expires="2020-01-01"), Entry(("a", "x"), expires="2030-01-01"))
    result = match(Baseline("A.txt", entries), [finding("a", "x"), finding("a", "x")], nowhere)
    assert [entry.expires for entry in result.stale] == ["2020-01-01"]


def test_growing_notes_what_was_said_and_keeps_what_others_said(finding: Make) -> None:
    baseline = Baseline("A.txt", (Entry(("a", "x"), "old", notes=("# note",)),))
    result = match(baseline, [finding("a", "x"), finding("b", "x")], nowhere)
    assert grown(result, Acceptance("new", "me", "P3")).entries == (
        Entry(("a", "x"), "old", notes=("# note",)),
        Entry(("b", "x"), "new", "me", "P3"),
    )


def test_warnings_are_never_written(finding: Make) -> None:
    result = match(of(), [finding("a", "x", severity=Severity.WARNING)], nowhere)
    assert grown(result, Acceptance("why")).entries == ()


# ---- renamed files: the first part is the path


def renamed(
    finding: Make, accepted: Sequence[tuple[str, ...]], found: Sequence[tuple[str, ...]], files: set[str]
) -> tuple[list[tuple[str, str]], list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Which renames are seen, what is new, what is stale."""
    result = match(of(*accepted), [finding(*key) for key in found], files.__contains__)
    shrunk_identities = Counter(entry.identity for entry in shrunk(result).entries)
    assert shrunk_identities <= Counter(found)
    assert len(shrunk(result).entries) + len(result.stale) == len(accepted)
    return (
        [(rename.old, rename.new) for rename in result.renames],
        [key_of(f) for f in result.new],
        [entry.identity for entry in result.stale],
    )


def test_a_renamed_file_keeps_its_entries(finding: Make) -> None:
    accepted = [("a.cpp", "x"), ("a.cpp", "y"), ("b.cpp", "x")]
    found = [("c.cpp", "x"), ("c.cpp", "y"), ("b.cpp", "x")]
    assert renamed(finding, accepted, found, {"b.cpp", "c.cpp"}) == ([("a.cpp", "c.cpp")], [], [])


def test_a_path_may_stand_anywhere_in_an_identity(finding: Make) -> None:
    accepted = [("a.cpp", "old.h"), ("b.cpp", "old.h"), ("b.cpp", "f()", "x")]
    found = [("a.cpp", "new.h"), ("b.cpp", "new.h"), ("b.cpp", "f()", "x")]
    assert renamed(finding, accepted, found, {"a.cpp", "b.cpp", "new.h"}) == ([("old.h", "new.h")], [], [])


def test_what_is_new_in_a_renamed_file_is_new_and_what_is_gone_is_stale(finding: Make) -> None:
    accepted = [("a.cpp", "x"), ("a.cpp", "y")]
    found = [("c.cpp", "x"), ("c.cpp", "x"), ("c.cpp", "z")]
    seen = renamed(finding, accepted, found, {"c.cpp"})
    assert seen == ([("a.cpp", "c.cpp")], [("c.cpp", "x"), ("c.cpp", "z")], [("a.cpp", "y")])


@pytest.mark.parametrize(
    ("accepted", "found", "files", "why"),
    [
        ([("a.cpp", "x")], [("c.cpp", "x")], {"a.cpp", "c.cpp"}, "the old file is still there"),
        ([("a.cpp", "x")], [("c.cpp", "x"), ("d.cpp", "x")], {"c.cpp", "d.cpp"}, "two new files"),
        ([("a.cpp", "x")], [("c.cpp", "x"), ("d/a.cpp", "x")], {"c.cpp", "d/a.cpp"}, "two, one of the same name"),
        ([("a.cpp", "x")], [("c.cpp", "y")], {"c.cpp"}, "nothing equal"),
        ([("a.cpp", "x"), ("b.cpp", "y")], [("b.cpp", "x"), ("b.cpp", "y")], {"b.cpp"}, "no new file"),
        ([("f()", "x")], [("g()", "x")], set(), "no files at all"),
        ([("f()", "x", "read")], [("f()", "x", "write")], set(), "another role"),
        ([("a.cpp", "x"), ("b.cpp", "x")], [("c.cpp", "x"), ("d.cpp", "x")], {"c.cpp", "d.cpp"}, "two and two"),
    ],
)
def test_in_doubt_nothing_is_renamed(
    finding: Make, accepted: Sequence[tuple[str, ...]], found: Sequence[tuple[str, ...]], files: set[str], why: str
) -> None:
    assert renamed(finding, accepted, found, files)[0] == [], why


def test_files_of_a_renamed_folder_are_told_apart_by_name(finding: Make) -> None:
    accepted = [("old/a.cpp", "x"), ("old/b.cpp", "x")]
    found = [("new/a.cpp", "x"), ("new/b.cpp", "x")]
    seen = renamed(finding, accepted, found, {"new/a.cpp", "new/b.cpp"})
    assert seen == ([("old/a.cpp", "new/a.cpp"), ("old/b.cpp", "new/b.cpp")], [], [])


def test_files_of_a_renamed_folder_may_share_some_findings(finding: Make) -> None:
    accepted = [("old/a.cpp", "x"), ("old/b.cpp", "x"), ("old/b.cpp", "y"), ("old/c.cpp", "y")]
    found = [(path.replace("old", "new"), entity) for path, entity in accepted]
    renames, new, stale = renamed(finding, accepted, found, {f"new/{name}.cpp" for name in "abc"})
    assert renames == [(f"old/{name}.cpp", f"new/{name}.cpp") for name in "abc"]
    assert (new, stale) == ([], [])


def test_one_new_finding_cannot_stand_for_two_entries(finding: Make) -> None:
    accepted = [("a.cpp", "x"), ("b.cpp", "x")]
    seen = renamed(finding, accepted, [("c.cpp", "x")], {"c.cpp"})
    assert seen == ([("a.cpp", "c.cpp")], [], [("b.cpp", "x")])
