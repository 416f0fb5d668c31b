from __future__ import annotations

from dataclasses import replace

import pytest

from mgaudit.domain.delta import Cause, Change, Delta
from mgaudit.domain.runs import Run, RunFinding, RunFloor, RunGate, RunInputs, RunSite, RunTool
from mgaudit.engine.comparison import CodeChange, compare
from mgaudit.sources.git import Hunk

SITE = RunSite("R", "src/b/draw.cpp", 10, 5, "Draw()", "mg::State::GetWidth", "GetWidth", "value", "call", "unmapped")
FINDING = RunFinding(
    "R", "reads", "error", "GetWidth is read", "map it", SITE.path, 10, 5, SITE.entity, "Draw()", "f1", baselined=False
)
INPUTS = RunInputs("c", {"reads": "r"}, {"b.txt": "b"})


def run(*items: RunSite | RunFinding, **values: object) -> Run:
    sites = tuple(item for item in items if isinstance(item, RunSite))
    findings = tuple(item for item in items if isinstance(item, RunFinding))
    zones = dict.fromkeys(("src/b/draw.cpp", "src/b/new.cpp"), ("backend",))
    made = Run(
        1, RunTool("1", "22"), "t", True, (RunGate("R", "reads", "red"),), findings, (), None, sites, zones, INPUTS
    )
    return replace(made, **values)  # type: ignore[arg-type]


def delta(before: Run, after: Run, code: CodeChange | None = None) -> Delta:
    return compare(("a", "b"), before, after, code or CodeChange())


def site_changes(found: Delta) -> list[tuple[Change, object, object]]:
    assert found.sites is not None
    return [(d.change, d.before and d.before.line, d.after and d.after.line) for d in found.sites]


def test_equal_runs_differ_in_nothing() -> None:
    found = delta(run(SITE, FINDING), run(SITE, FINDING))
    assert (found.sites, found.findings, found.changed_inputs) == ((), (), ())


def test_every_part_of_the_evidence_that_differs_is_named() -> None:
    before = run(inputs=replace(INPUTS, flags={"split": "f"}, documents={"m": "1"}, sources="s"))
    assert delta(before, before).evidence == ()
    after = run(
        tool=RunTool("2", "22", {"networkx": "3"}), gates=(RunGate("R", "reads", "red", {"units": 3}),),
        inputs=RunInputs("d", {"reads": "x"}, {}, {"m": "2"}, {"split": "g"}, "t"), certificate={"both": 7},
        floors={"units": RunFloor(2, 3)},
    )  # fmt: skip
    found = delta(before, after)
    assert [(p.part, p.name, p.before, p.after) for p in found.evidence] == [
        ("tool", "mgaudit", "1", "2"), ("document", "m", "1", "2"), ("flags", "split", "f", "g"),
        ("catalogue", "reads", "r", "x"), ("baseline", "b.txt", "b", None), ("sources", "", "s", "t"),
        ("tool", "networkx", None, "3"), ("floor", "units", None, 2), ("count", "R: units", None, 3),
        ("certificate", "both", None, 7),
    ]  # fmt: skip
    assert found.changed_inputs == ("tool", "configuration", "flags split", "catalogue reads", "baseline b.txt")


def test_other_flags_are_another_configuration() -> None:
    before, after = (run(SITE, inputs=replace(INPUTS, flags={"split": flags})) for flags in "fg")
    changed = replace(after, sites=(replace(SITE, verdict="LOCAL"),))
    (difference,) = delta(before, changed).sites or ()
    assert difference.cause is Cause.CONFIGURATION


def test_what_an_old_run_does_not_tell_is_no_other_tool() -> None:
    old, new = run(SITE), run(tool=RunTool("1", "22", {"networkx": "3"}), inputs=replace(INPUTS, flags={"split": "f"}))
    assert delta(old, new).changed_inputs == delta(new, old).changed_inputs == ()


def test_moved_lines_are_no_difference() -> None:
    assert site_changes(delta(run(SITE), run(replace(SITE, line=90)))) == []


def test_of_equal_sites_the_new_one_is_the_one_on_the_new_line() -> None:
    """Two lines are put in front of the old site, and the first of them holds an equal one."""
    code = CodeChange({SITE.path: [Hunk(8, 0, 9, 2)]})
    before, after = run(SITE), run(replace(SITE, line=9), replace(SITE, line=12))
    assert site_changes(delta(before, after, code)) == [(Change.APPEARED, None, 9)]
    assert site_changes(delta(after, before, CodeChange({SITE.path: [Hunk(9, 2, 8, 0)]}))) == [
        (Change.VANISHED, 9, None)
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [(1, 1), (3, 3), (4, None), (5, None), (6, 7), (9, 10), (10, 12), (11, 13), (20, 22), (22, 23)],
)
def test_lines_are_followed_through_hunks(line: int, expected: int | None) -> None:
    hunks = [Hunk(4, 2, 4, 3), Hunk(9, 0, 11, 1), Hunk(21, 1, 22, 0)]
    code = CodeChange({"a": hunks})
    assert code.line("a", line) == expected
    assert code.line("b", line) == line


def test_a_renamed_file_and_function_are_moves() -> None:
    code = CodeChange(renamed={"src/b/draw.cpp": "src/b/new.cpp"})
    assert site_changes(delta(run(SITE), run(replace(SITE, path="src/b/new.cpp", line=3)), code)) == [
        (Change.MOVED, 10, 3)
    ]
    assert site_changes(delta(run(SITE), run(replace(SITE, path="src/b/new.cpp", line=3)))) == [(Change.MOVED, 10, 3)]
    assert site_changes(delta(run(SITE), run(replace(SITE, symbol="Paint()")))) == [(Change.MOVED, 10, 10)]
    elsewhere = replace(SITE, symbol="Paint()", path="src/b/new.cpp")
    assert {change for change, *_ in site_changes(delta(run(SITE), run(elsewhere)))} == {
        Change.APPEARED, Change.VANISHED,
    }  # fmt: skip


def test_another_function_of_the_file_is_no_move() -> None:
    other = replace(SITE, symbol="Clear()", entity="mg::State::GetHeight")
    found = delta(run(SITE, other), run(replace(SITE, symbol="Clear()"), replace(other, symbol="Draw()")))
    assert Change.MOVED not in {change for change, *_ in site_changes(found)}
    assert {change for change, *_ in site_changes(delta(run(replace(SITE, symbol=None)), run(SITE)))} == {
        Change.APPEARED, Change.VANISHED,
    }  # fmt: skip


def test_one_mended_and_another_made_in_the_same_function() -> None:
    other = replace(SITE, entity="mg::State::GetHeight", accessor="GetHeight")
    assert {change for change, *_ in site_changes(delta(run(SITE), run(other)))} == {Change.APPEARED, Change.VANISHED}


def test_a_verdict_that_changes_is_the_catalogues_doing() -> None:
    after = run(replace(SITE, verdict="SetState"), inputs=replace(INPUTS, catalogues={"reads": "s"}))
    found = delta(run(SITE), after, CodeChange(affected=frozenset({SITE.path})))
    assert found.sites is not None
    assert [(d.change, d.cause) for d in found.sites] == [(Change.CHANGED, Cause.CATALOGUE)]
    (everywhere, zone) = found.coverage
    assert (everywhere.zone, zone.zone) == ("", "backend")
    assert (zone.before.percent, zone.after.percent, zone.own.percent) == (0, 100, 100)


@pytest.mark.parametrize(
    ("values", "affected", "cause"),
    [
        ({}, None, Cause.CODE),
        ({}, frozenset(), Cause.CODE),
        ({"inputs": replace(INPUTS, configuration="d")}, frozenset(), Cause.CONFIGURATION),
        ({"inputs": replace(INPUTS, configuration="d")}, frozenset({SITE.path}), Cause.CODE),
        ({"inputs": replace(INPUTS, configuration="d")}, None, Cause.UNKNOWN),
        ({"inputs": replace(INPUTS, baselines={})}, frozenset(), Cause.CONFIGURATION),
        ({"tool": RunTool("2", "22")}, frozenset(), Cause.TOOL),
    ],
)
def test_causes(values: dict[str, object], affected: frozenset[str] | None, cause: Cause) -> None:
    found = delta(run(), run(SITE, FINDING, **values), CodeChange(affected=affected))
    assert found.sites is not None
    assert [*(d.cause for d in found.sites), *(d.cause for d in found.findings)] == [cause, cause]


@pytest.mark.parametrize("change", [Change.APPEARED, Change.VANISHED])
def test_a_finding_about_a_use_that_is_judged_otherwise_has_the_same_cause(change: Change) -> None:
    mapped = run(replace(SITE, verdict="SetState"), inputs=replace(INPUTS, catalogues={"reads": "s"}))
    pair = (mapped, run(SITE, FINDING)) if change is Change.APPEARED else (run(SITE, FINDING), mapped)
    found = delta(*pair, CodeChange(affected=frozenset({SITE.path})))
    assert [(d.change, d.cause) for d in found.findings] == [(change, Cause.CATALOGUE)]


@pytest.mark.parametrize(("baselines", "cause"), [({}, Cause.CONFIGURATION), (INPUTS.baselines, Cause.CATALOGUE)])
def test_no_catalogue_accepts_a_finding_where_a_baseline_changed(baselines: dict[str, str], cause: Cause) -> None:
    inputs = replace(INPUTS, catalogues={"reads": "s"}, baselines=baselines)
    found = delta(run(FINDING), run(replace(FINDING, baselined=True), inputs=inputs))
    assert [(d.change, d.cause) for d in found.findings] == [(Change.CHANGED, cause)]


def test_a_finding_that_is_accepted_changed() -> None:
    found = delta(run(FINDING), run(replace(FINDING, baselined=True)))
    assert [d.change for d in found.findings] == [Change.CHANGED]


def test_a_finding_keeps_its_identity_when_its_message_counts_otherwise() -> None:
    assert delta(run(FINDING), run(replace(FINDING, message="GetWidth is read twice"))).findings == ()


def test_runs_without_sites_compare_findings_alone() -> None:
    found = delta(run(FINDING, sites=None), run(sites=None))
    assert found.sites is None
    assert [d.change for d in found.findings] == [Change.VANISHED]
