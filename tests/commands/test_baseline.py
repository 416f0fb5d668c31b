from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mgaudit.baseline import judging
from mgaudit.baseline.files import HEAD

Run = Callable[..., Any]
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/report.schema.json").read_text(encoding="utf-8"))
INCLUDE = '#include "state/context.h"\n'
ENTRY = "src/backend/draw.h | src/state/context.h"
ACCEPT = ("--accept-new", "--reason", "first import")


@pytest.fixture
def ratchet(red: Path) -> Path:
    """The red tree; gate A names a baseline that does not exist yet."""
    with (red / "mgaudit.toml").open("a", encoding="utf-8") as file:
        file.write('baseline = "baselines/A.txt"\n')
    return red


@pytest.fixture
def accepted(ratchet: Path, mgaudit: Run) -> Path:
    """The same tree with what is wrong accepted."""
    assert mgaudit("baseline", "update", *ACCEPT, "--jobs", "0").code == 0
    return ratchet


def baseline(mgaudit: Run, *words: str) -> Any:
    return mgaudit("baseline", words[0], "--jobs", "0", *words[1:])


def check(mgaudit: Run, *words: str) -> Any:
    result = mgaudit("check", "--output-format", "json", *words)
    value = json.loads(result.out)
    jsonschema.validate(value, SCHEMA)
    assert value["exit-code"] == result.code
    return value


def entries(tree: Path) -> list[str]:
    lines = (tree / "baselines/A.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == HEAD[0]
    return lines[1:]


def put(file: Path, head: str) -> None:
    file.write_text(head + file.read_text(encoding="utf-8"), encoding="utf-8")


# ---- check


def test_what_a_baseline_accepts_makes_nothing_red(accepted: Path, mgaudit: Run) -> None:
    assert entries(accepted) == [f"{ENTRY}  # reason: first import"]
    value = check(mgaudit)
    (finding,) = value["findings"]
    assert (value["exit-code"], finding["baselined"], finding["justification"]) == (0, True, "first import")
    gate = value["gates"][0]
    assert gate["baselines"] == [{"path": "baselines/A.txt", "new": 0, "same": 1, "removed": 0, "renamed": []}]
    text = mgaudit("check").out
    assert "1 in the baseline" in text
    assert "baseline baselines/A.txt: 0 new, 1 same, 0 removed\n" in text
    assert "error:" not in text


def test_a_fingerprint_is_the_same_before_and_after(ratchet: Path, mgaudit: Run) -> None:
    (ratchet / "baselines").mkdir()
    (ratchet / "baselines/A.txt").touch()
    (before,) = check(mgaudit)["findings"]
    assert baseline(mgaudit, "update", *ACCEPT).code == 0
    (after,) = check(mgaudit)["findings"]
    assert before["fingerprint"] == after["fingerprint"]
    assert (before["baselined"], after["baselined"]) == (False, True)


def test_check_writes_nothing(accepted: Path, mgaudit: Run) -> None:
    put(accepted / "src/backend/draw.cpp", INCLUDE)
    file = accepted / "baselines/A.txt"
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    value = check(mgaudit, "--strict-baseline")
    assert value["gates"][0]["baselines"][0]["new"] == 1
    assert value["exit-code"] == 1
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_an_absent_baseline_is_untrusted_although_nothing_is_found(ratchet: Path, mgaudit: Run) -> None:
    value = check(mgaudit)
    assert value["exit-code"] == 2
    (error,) = value["errors"]
    assert (error["path"], error["line"]) == ("mgaudit.toml", 30)
    assert error["message"] == "the baseline baselines/A.txt does not exist"
    assert value["gates"][0]["status"] == "untrusted"
    assert value["gates"][0]["baselines"] == []
    assert value["findings"] == []
    assert check(mgaudit, "--gate", "health")["exit-code"] == 0


def test_a_merge_conflict_is_untrusted_at_its_line(accepted: Path, mgaudit: Run) -> None:
    (accepted / "baselines/A.txt").write_text(f"<<<<<<< HEAD\n{ENTRY}\n=======\n>>>>>>> x\n", encoding="utf-8")
    value = check(mgaudit)
    assert [(error["path"], error["line"]) for error in value["errors"]] == [
        ("baselines/A.txt", 1), ("baselines/A.txt", 3), ("baselines/A.txt", 4),
    ]  # fmt: skip
    assert baseline(mgaudit, "update").code == 2
    assert "<<<<<<<" in (accepted / "baselines/A.txt").read_text(encoding="utf-8")


def test_two_gates_cannot_share_a_baseline(accepted: Path, mgaudit: Run) -> None:
    config = accepted / "mgaudit.toml"
    gate = config.read_text(encoding="utf-8").partition("[[gate]]")[2].replace('id = "A"', 'id = "B"')
    config.write_text(config.read_text(encoding="utf-8") + "[[gate]]" + gate, encoding="utf-8")
    assert check(mgaudit)["errors"][0]["message"] == 'gates "A" and "B": baselines/A.txt cannot be two baselines'


def stale(tree: Path) -> None:
    file = tree / "src/backend/draw.h"
    file.write_text(file.read_text(encoding="utf-8").removeprefix(INCLUDE), encoding="utf-8")


def test_an_improvement_is_a_note_and_an_error_where_asked(accepted: Path, mgaudit: Run) -> None:
    stale(accepted)
    value = check(mgaudit)
    (note,) = value["findings"]
    assert (value["exit-code"], note["severity"], note["path"], note["line"]) == (0, "note", "baselines/A.txt", 2)
    assert note["entity"] == ENTRY
    assert value["gates"][0]["baselines"][0]["removed"] == 1
    text = mgaudit("check").out
    assert "baseline baselines/A.txt: 0 new, 0 same, 1 removed; `mgaudit baseline prune` brings it up to date\n" in text
    assert f"baselines/A.txt:2: A note: stale entry: nothing is behind {ENTRY} any more\n" in text
    value = check(mgaudit, "--strict-baseline")
    (error,) = value["findings"]
    assert (value["exit-code"], error["severity"], error["path"], error["line"]) == (1, "error", "baselines/A.txt", 2)
    assert error["baselined"] is False


@pytest.mark.parametrize("part", [["src/backend"], ["--configuration", "split"]])
def test_nothing_is_stale_where_only_a_part_was_looked_at(accepted: Path, mgaudit: Run, part: list[str]) -> None:
    stale(accepted)
    value = check(mgaudit, "--strict-baseline", *part)
    assert (value["exit-code"], value["findings"]) == (0, [])
    assert value["gates"][0]["baselines"][0]["removed"] is None


def test_a_gate_alone_is_judged_whole(accepted: Path, mgaudit: Run) -> None:
    stale(accepted)
    assert check(mgaudit, "--strict-baseline", "--gate", "A")["exit-code"] == 1
    assert check(mgaudit, "--strict-baseline", "--gate", "health")["exit-code"] == 0


def test_what_has_expired_is_red_until_it_is_mended(
    ratchet: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert baseline(mgaudit, "update", *ACCEPT, "--expires", "2030-06-30", "--owner", "gles").code == 0

    class Clock(dt.date):
        now = dt.date(2030, 6, 30)

        @classmethod
        def today(cls) -> Any:
            return cls.now

    terms = judging.Terms
    monkeypatch.setattr(judging, "Terms", lambda **rest: terms(today=Clock.today(), **rest))
    assert check(mgaudit)["exit-code"] == 0
    Clock.now = dt.date(2030, 7, 1)
    value = check(mgaudit)
    assert value["exit-code"] == 1
    at_entry, at_site = value["findings"]
    assert (at_entry["path"], at_entry["line"], at_entry["severity"]) == ("baselines/A.txt", 2, "error")
    assert "expired on 2030-06-30" in at_entry["message"]
    assert "owner gles; reason first import" in at_entry["message"]
    assert at_entry["evidence"][0]["path"] == "src/backend/draw.h"
    assert at_site["baselined"] is True
    stale(ratchet)
    assert check(mgaudit)["exit-code"] == 0


def test_a_renamed_file_keeps_its_entries_and_the_run_says_so(accepted: Path, mgaudit: Run) -> None:
    (accepted / "src/backend/draw.h").rename(accepted / "src/backend/paint.h")
    source = accepted / "src/backend/draw.cpp"
    source.write_text(source.read_text(encoding="utf-8").replace("draw.h", "paint.h"), encoding="utf-8")
    value = check(mgaudit, "--strict-baseline")
    assert value["exit-code"] == 0
    assert value["gates"][0]["baselines"][0]["renamed"] == [{"from": "src/backend/draw.h", "to": "src/backend/paint.h"}]
    note = next(finding for finding in value["findings"] if finding["severity"] == "note")
    assert "taken for renamed" in note["message"]
    result = baseline(mgaudit, "update")
    assert (result.code, "  renamed: src/backend/draw.h -> src/backend/paint.h\n" in result.out) == (0, True)
    assert entries(accepted) == ["src/backend/paint.h | src/state/context.h  # reason: first import"]
    assert check(mgaudit, "--strict-baseline")["gates"][0]["baselines"][0]["renamed"] == []


# ---- update and prune


def test_growing_needs_to_be_asked_for(ratchet: Path, mgaudit: Run) -> None:
    result = baseline(mgaudit, "update")
    assert result.code == 1
    assert "src/backend/draw.h:1:1: A error: " in result.out
    assert "baselines/A.txt (gate A): 1 new, 0 same, 0 removed: left as it is\n" in result.out
    assert "--accept-new --reason TEXT" in result.out
    assert not (ratchet / "baselines").exists()
    value = json.loads(baseline(mgaudit, "update", "--output-format", "json").out)
    assert (value["exit-code"], value["baselines"][0]["new"], value["baselines"][0]["written"]) == (1, 1, False)
    assert [(f["path"], f["baselined"]) for f in value["findings"]] == [("src/backend/draw.h", False)]


def test_an_update_that_would_grow_does_not_even_shrink(accepted: Path, mgaudit: Run) -> None:
    stale(accepted)
    put(accepted / "src/backend/draw.cpp", INCLUDE)
    before = entries(accepted)
    assert baseline(mgaudit, "update").code == 1
    assert entries(accepted) == before
    result = baseline(mgaudit, "prune")
    assert (result.code, entries(accepted)) == (0, [])
    assert "1 new, 0 same, 1 removed: written" in result.out
    assert check(mgaudit)["exit-code"] == 1


def test_an_update_makes_an_absent_file_and_leaves_an_empty_one(ratchet: Path, mgaudit: Run) -> None:
    stale(ratchet)
    assert baseline(mgaudit, "update").code == 0
    assert entries(ratchet) == []
    (ratchet / "baselines/A.txt").write_bytes(b"")
    assert "left as it is" in baseline(mgaudit, "update").out
    assert (ratchet / "baselines/A.txt").read_bytes() == b""
    assert check(mgaudit)["exit-code"] == 0


def test_pruning_makes_no_file(ratchet: Path, mgaudit: Run) -> None:
    assert baseline(mgaudit, "prune").code == 2
    assert not (ratchet / "baselines").exists()


def test_accepting_more_keeps_what_was_said_before(accepted: Path, mgaudit: Run) -> None:
    put(accepted / "src/backend/draw.cpp", INCLUDE)
    result = baseline(mgaudit, "update", "--accept-new", "--reason", "later", "--owner", "gles", "--expires", "P3")
    assert result.out == "baselines/A.txt (gate A): 1 new, 1 same, 0 removed: written\n"
    assert entries(accepted) == [
        "src/backend/draw.cpp | src/state/context.h  # reason: later | owner: gles | expires: P3",
        f"{ENTRY}  # reason: first import",
    ]
    value = json.loads(baseline(mgaudit, "update", "--output-format", "json").out)
    assert value["baselines"] == [
        {"gate": "A", "path": "baselines/A.txt", "new": 0, "same": 2, "removed": 0, "renamed": [], "written": False}
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--accept-new"], "--accept-new needs --reason"),
        (["--accept-new", "--reason", " "], "--accept-new needs --reason"),
        (["--reason", "why"], "--reason goes with --accept-new"),
        (["--owner", "me"], "--owner goes with --accept-new"),
        (["--accept-new", "--reason", "why", "--expires", "31.12.2030"], "neither a date"),
        (["--configuration", "split"], "leave --configuration out"),
        (["--gate", "B"], 'there is no gate "B"'),
        (["--gate", "health"], 'gate "health" names no baseline'),
    ],
)
def test_what_makes_no_sense_is_refused(ratchet: Path, mgaudit: Run, words: list[str], message: str) -> None:
    result = baseline(mgaudit, "update", *words)
    assert result.code == 2
    assert message in result.err
    assert not (ratchet / "baselines").exists()


def test_a_broken_tree_changes_no_baseline(accepted: Path, mgaudit: Run) -> None:
    stale(accepted)
    (accepted / "src/backend/broken.cpp").write_text('#include "missing.h"\n', encoding="utf-8")
    before = entries(accepted)
    for words in (["update"], ["update", *ACCEPT], ["prune"]):
        assert baseline(mgaudit, *words).code == 2
    value = json.loads(baseline(mgaudit, "prune", "--output-format", "json").out)
    assert (value["trusted"], bool(value["errors"])) == (False, True)
    assert entries(accepted) == before


def test_without_any_baseline_there_is_nothing_to_update(red: Path, mgaudit: Run) -> None:
    result = baseline(mgaudit, "update")
    assert (result.code, "no gate names a baseline" in result.err) == (2, True)


# ---- show and merge


def test_show_lists_entries_without_looking_at_the_sources(accepted: Path, mgaudit: Run) -> None:
    (accepted / "src/backend/draw.cpp").write_text("#error\n", encoding="utf-8")
    with (accepted / "baselines/A.txt").open("a", encoding="utf-8") as file:
        file.write("z.h | y.h # owner: me | expires: 2001-01-01\n")
    result = mgaudit("baseline", "show")
    assert result.out == (
        "baselines/A.txt (gate A): 2 entries, 1 expired\n"
        f"  2: {ENTRY}  # reason: first import\n"
        "  3: z.h | y.h  # owner: me | expires: 2001-01-01  (expired)\n"
    )
    value = json.loads(mgaudit("baseline", "show", "--output-format", "json", "--expired").out)
    assert value["baselines"][0]["entries"] == [
        {
            "line": 3, "identity": ["z.h", "y.h"], "reason": None, "owner": "me", "expires": "2001-01-01",
            "expired": True,
        }
    ]  # fmt: skip
    assert "1 entry" in mgaudit("baseline", "show", "--owner", "me").out
    (accepted / "baselines/A.txt").unlink()
    assert mgaudit("baseline", "show").code == 2


def test_merge_writes_over_ours_or_elsewhere(tmp_path: Path, mgaudit: Run) -> None:
    versions = {"base": "a | x\nb | x\n", "ours": "a | x\n", "theirs": "a | x\nb | x\nc | x\n"}
    files = []
    for name, text in versions.items():
        files.append(tmp_path / name)
        files[-1].write_text(text, encoding="utf-8")
    assert mgaudit("baseline", "merge", *files, "-o", tmp_path / "merged").code == 0
    assert (tmp_path / "merged").read_text(encoding="utf-8") == f"{HEAD[0]}\na | x\nc | x\n"
    assert files[1].read_text(encoding="utf-8") == versions["ours"]
    assert mgaudit("baseline", "merge", *files).code == 0
    assert files[1].read_text(encoding="utf-8") == (tmp_path / "merged").read_text(encoding="utf-8")


def test_merge_refuses_what_it_cannot_read(tmp_path: Path, mgaudit: Run) -> None:
    (tmp_path / "ours").write_text("<<<<<<< x\n", encoding="utf-8")
    result = mgaudit("baseline", "merge", tmp_path / "none", tmp_path / "ours", tmp_path / "ours")
    assert result.code == 2
    assert "a merge conflict" in result.err
    assert "it cannot be read" in result.err
    assert (tmp_path / "ours").read_text(encoding="utf-8") == "<<<<<<< x\n"
