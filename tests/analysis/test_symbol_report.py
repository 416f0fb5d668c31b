"""The symbol report of two builds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.analysis.symbol_report import (
    Admission,
    Breach,
    ChangeKind,
    SymbolReport,
    Thresholds,
    compare_builds,
)
from mgaudit.domain.problems import UntrustedError
from mgaudit.sources.binaries_model import (
    Binary,
    Bind,
    ObjectFile,
    ObjectKind,
    Placement,
    Symbol,
    SymbolKind,
    Table,
    Visibility,
)

Row = tuple[str, str, int]


def build(*rows: Row) -> tuple[Binary, ...]:
    """A build with the given names, sections and sizes; an empty section is an undefined symbol."""
    symbols = tuple(
        Symbol(
            name,
            "",
            False,
            Bind.GLOBAL,
            SymbolKind.FUNCTION,
            Visibility.DEFAULT,
            Placement.DEFINED if section else Placement.UNDEFINED,
            section,
            size,
            Table.STATIC,
        )
        for name, section, size in rows
    )
    item = ObjectFile("lib.so", None, 1, ObjectKind.SHARED, "EM_X86_64", symbols)
    return (Binary("lib.so", is_archive=False, objects=(item,)),)


BEFORE = build(
    ("_ZN2mg3RunEv", ".text", 100),
    ("_ZN2mg4GoneEv", ".text", 10),
    ("_ZN2mg5state3OldEv", ".text", 30),
    ("same", ".data", 4),
    ("needed", "", 0),
)
AFTER = build(
    ("_ZN2mg3RunEv", ".text", 140),
    ("_ZN2mg5state3NewEv", ".text", 35),
    ("same", ".data", 4),
    ("fresh", ".rodata", 7),
    ("other_need", "", 0),
)
RENAMES = {"_ZN2mg5state3OldEv": "_ZN2mg5state3NewEv"}


def kinds(report: SymbolReport) -> dict[str, ChangeKind]:
    return {change.name: change.kind for change in report.changes}


def test_every_defined_symbol_is_classified() -> None:
    report = compare_builds(BEFORE, AFTER, renames=RENAMES)
    assert kinds(report) == {
        "_ZN2mg3RunEv": ChangeKind.RESIZED,
        "_ZN2mg4GoneEv": ChangeKind.REMOVED,
        "_ZN2mg5state3NewEv": ChangeKind.RENAMED,
        "fresh": ChangeKind.ADDED,
        "same": ChangeKind.UNCHANGED,
    }
    renamed = report.of(ChangeKind.RENAMED)[0]
    assert (renamed.old_name, renamed.demangled, renamed.growth) == ("_ZN2mg5state3OldEv", "mg::state::New()", 5)
    assert report.breaches == ()


def test_totals_by_section_and_scope() -> None:
    report = compare_builds(BEFORE, AFTER, renames=RENAMES)
    assert [(total.name, total.before, total.after) for total in report.sections] == [
        (".data", 4, 4),
        (".rodata", 0, 7),
        (".text", 140, 175),
    ]
    scopes = {total.name: total for total in report.scopes}
    assert list(scopes) == ["", "mg", "mg::state"]
    assert scopes["mg"].counts == {ChangeKind.REMOVED: 1, ChangeKind.RESIZED: 1}
    assert (scopes["mg::state"].before, scopes["mg::state"].after) == (30, 35)


def test_thresholds_are_limits_not_bounds_to_stay_below() -> None:
    at_limit = Thresholds(added=1, removed=1, resized=1, growth=40, total_growth=42)
    assert compare_builds(BEFORE, AFTER, renames=RENAMES, thresholds=at_limit).breaches == ()
    below = Thresholds(added=0, removed=0, resized=0, growth=39, total_growth=41)
    assert compare_builds(BEFORE, AFTER, renames=RENAMES, thresholds=below).breaches == (
        Breach("added", "", 1, 0),
        Breach("growth", "_ZN2mg3RunEv", 40, 39),
        Breach("removed", "", 1, 0),
        Breach("resized", "", 1, 0),
        Breach("total-growth", "", 42, 41),
    )


def test_admitted_resizes_are_left_out_of_the_limits() -> None:
    strict = Thresholds(resized=0, growth=10, total_growth=2)
    admitted = [Admission("_ZN2mg3RunEv", 40, "the new fast path")]
    report = compare_builds(BEFORE, AFTER, renames=RENAMES, admitted=admitted, thresholds=strict)
    assert report.breaches == ()
    assert [change.name for change in report.changes if change.admitted] == ["_ZN2mg3RunEv"]


def test_an_admission_has_a_limit_and_goes_stale() -> None:
    admitted = [Admission("_ZN2mg3RunEv", 39, "too little"), Admission("same", 8, "does not grow")]
    report = compare_builds(BEFORE, AFTER, renames=RENAMES, admitted=admitted, thresholds=Thresholds(resized=0))
    assert report.breaches == (
        Breach("growth", "_ZN2mg3RunEv", 40, 39),
        Breach("resized", "", 1, 0),
        Breach("stale-admission", "same", 0, 8),
    )


def test_a_rename_without_effect_is_stale_and_not_applied() -> None:
    report = compare_builds(BEFORE, AFTER, renames={"same": "elsewhere", "absent": "fresh"})
    assert [breach.name for breach in report.breaches] == ["absent", "same"]
    assert {breach.what for breach in report.breaches} == {"stale-rename"}
    assert kinds(report)["same"] is ChangeKind.UNCHANGED


def test_equal_names_are_paired_by_place() -> None:
    before = build(("init", ".text", 8), ("init", ".text", 16), ("init", ".text", 24))
    after = build(("init", ".text", 24), ("init", ".text", 9))
    report = compare_builds(before, after)
    assert [(change.kind, change.growth) for change in report.changes] == [
        (ChangeKind.REMOVED, -16),
        (ChangeKind.RESIZED, 1),
        (ChangeKind.UNCHANGED, 0),
    ]


def test_builds_without_symbols_and_colliding_renames_are_untrusted() -> None:
    with pytest.raises(UntrustedError) as caught:
        compare_builds(build(("needed", "", 0)), build(), renames={"a": "c", "b": "c"})
    assert len(caught.value.problems) == 3


rows = st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from([".text", ".data"]), st.integers(0, 3)), min_size=1)


@given(before=rows, after=rows)
def test_nothing_is_lost_or_counted_twice(before: list[Row], after: list[Row]) -> None:
    report = compare_builds(build(*before), build(*after))
    seen_before = sorted((c.name, *c.before) for c in report.changes if c.before)
    seen_after = sorted((c.name, *c.after) for c in report.changes if c.after)
    assert seen_before == sorted(before)
    assert seen_after == sorted(after)
    assert sum(total.after for total in report.scopes) == sum(size for _, _, size in after)


@given(build_rows=rows)
def test_a_build_equals_itself(build_rows: list[Row]) -> None:
    report = compare_builds(build(*build_rows), build(*reversed(build_rows)), thresholds=Thresholds(0, 0, 0, 0, 0))
    assert {change.kind for change in report.changes} == {ChangeKind.UNCHANGED}
    assert report.breaches == ()
