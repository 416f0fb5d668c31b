"""``mgaudit check --changed`` and ``--fast``: what a part of the tree can tell, and what it leaves."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.engine.pipeline import analyse

if TYPE_CHECKING:
    from pathlib import Path

    from mgaudit.config.model import Settings
    from mgaudit.engine.pipeline import Analysis, Options

Run = Callable[..., Any]

OTHER = '#include "state/context.h"\nint Other() { return 1; }\n'
READS = """
[[catalogue]]
name = "reads"
columns = ["accessor", "call"]
rows = [{ accessor = "width", call = "LOCAL" }]

[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
exempt = [{ path = "src/backend/none.cpp", reason = "stale" }]

[[gate]]
id = "T"
kind = "test-names"
before = "before.txt"
after = "after.txt"
"""
WRITE_BACKS = """
[[catalogue]]
name = "writebacks"
columns = ["entity", "verdict", "reason"]
rows = [{ entity = "state::Context::height", verdict = "server-local", reason = "r" }]

[[gate]]
id = "W"
kind = "writebacks"
from = ["backend"]
of = ["state"]
catalogue = "writebacks"
"""


def git(folder: Path, *words: str) -> None:
    done = subprocess.run(["git", "-c", "commit.gpgsign=false", *words], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def repository(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The clean tree and one old violation in src/backend/other.cpp, committed."""
    for key in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(key, os.devnull)
    for key in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(key, "a@a")
    (tree / "src/backend/other.cpp").write_text(OTHER)
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "first")
    return tree


def found(mgaudit: Run, *words: object) -> tuple[int, list[str]]:
    result = mgaudit("check", "--output-format", "json", *words)
    return result.code, [f"{f['path']}:{f['line']}" for f in json.loads(result.out)["findings"]]


def change(tree: Path, path: str, front: str = "// a remark\n") -> None:
    file = tree / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(front + (file.read_text() if file.exists() else ""))


def test_nothing_changed_reports_nothing(repository: Path, mgaudit: Run) -> None:
    assert found(mgaudit, "--changed") == (0, [])
    assert found(mgaudit) == (1, ["src/backend/other.cpp:1"])


@pytest.mark.parametrize("staged", [False, True])
def test_a_changed_file_is_judged_staged_or_not(repository: Path, mgaudit: Run, *, staged: bool) -> None:
    change(repository, "src/backend/draw.cpp", '#include "state/context.h"\n')
    if staged:
        git(repository, "add", ".")
    assert found(mgaudit, "--changed") == (1, ["src/backend/draw.cpp:1"])


def test_a_new_file_is_judged_though_git_does_not_know_it(repository: Path, mgaudit: Run) -> None:
    change(repository, "src/backend/new.cpp", OTHER)
    assert found(mgaudit, "--changed", "--fast") == (1, ["src/backend/new.cpp:1"])


def test_a_changed_header_is_judged_where_it_is_included(repository: Path, mgaudit: Run) -> None:
    """The violation that it makes lies in a file that did not change."""
    change(repository, "src/backend/draw.cpp", '#include "util/a.h"\n')
    change(repository, "src/util/a.h", "#pragma once\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    change(repository, "src/util/a.h", '#include "state/context.h"\n')
    assert found(mgaudit, "--changed") == (1, ["src/backend/draw.cpp:1"])


def test_a_revision_can_be_named(repository: Path, mgaudit: Run) -> None:
    change(repository, "src/backend/draw.cpp", '#include "state/context.h"\n')
    git(repository, "commit", "-qam", "second")
    assert found(mgaudit, "--changed") == (0, [])
    assert found(mgaudit, "--changed=HEAD~1") == (1, ["src/backend/draw.cpp:1"])
    assert found(mgaudit, "--changed", "HEAD~1", "src/state") == (0, [])


@pytest.mark.parametrize("what", ["rules", "deletion"])
def test_everything_is_reported_where_nobody_can_tell_what_is_affected(
    repository: Path, mgaudit: Run, what: str
) -> None:
    if what == "rules":
        change(repository, "mgaudit.toml", "# a remark\n")
    else:
        (repository / "src/state/context.cpp").unlink()
    result = mgaudit("check", "--output-format", "json", "--changed")
    value = json.loads(result.out)
    assert [f["path"] for f in value["findings"]] == ["src/backend/other.cpp"]
    assert value["scope"] is None
    assert "all findings are reported: " in value["warnings"][-1]["message"]


def test_an_unborn_branch_has_everything_changed(tree: Path, mgaudit: Run) -> None:
    git(tree, "init", "-q")
    change(tree, "src/backend/other.cpp", OTHER)
    assert found(mgaudit, "src", "--changed") == (1, ["src/backend/other.cpp:1"])


@pytest.mark.parametrize(
    ("words", "message"),
    [(["--changed=nothing"], 'git knows no revision "nothing"'), (["--changed"], "not a git repository")],
)
def test_without_an_answer_from_git_there_is_none(tree: Path, mgaudit: Run, words: list[str], message: str) -> None:
    if "=" in words[0]:
        git(tree, "init", "-q")
    result = mgaudit("check", *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_a_choice_makes_no_run_trusted(repository: Path, mgaudit: Run) -> None:
    change(repository, "src/backend/broken.cpp", '#include "missing.h"\n')
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    for words in (["--changed"], ["--changed", "--fast"], ["src/state"]):
        assert mgaudit("check", *words).code == 2


@pytest.fixture
def gated(repository: Path) -> Path:
    with (repository / "mgaudit.toml").open("a") as file:
        file.write(READS)
    for name in ("before.txt", "after.txt"):
        (repository / name).write_text("Suite.\n  Test\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "gates")
    return repository


def gates(mgaudit: Run, *words: object) -> dict[str, tuple[str, str]]:
    value = json.loads(mgaudit("check", "--output-format", "json", *words).out)
    return {gate["id"]: (gate["status"], gate["reason"]) for gate in value["gates"]}


def test_what_only_the_whole_tree_can_tell_is_left_and_named(gated: Path, mgaudit: Run) -> None:
    assert "mgaudit.toml" in " ".join(found(mgaudit)[1])
    assert found(mgaudit, "src", "mgaudit.toml") == (1, ["src/backend/other.cpp:1"])
    status, reason = gates(mgaudit, "src")["R"]
    assert status == "green"
    assert reason == "left to a run over the whole tree: stale rows, fill pairs, stale exemptions"
    assert gates(mgaudit)["R"][0] == "red"


def test_a_fast_run_leaves_gates_and_says_so(gated: Path, mgaudit: Run) -> None:
    change(gated, "src/state/context.h")
    found_gates = gates(mgaudit, "--changed", "--fast")
    assert found_gates["T"] == ("skipped", "it needs a look at the whole tree: left to a run without --fast")
    change(gated, "src/state/context.cpp")
    git(gated, "checkout", "-q", "src/state/context.h")
    assert gates(mgaudit, "--changed", "--fast")["A"] == (
        "skipped", "none of the chosen files lies in its zones (backend)",
    )  # fmt: skip
    text = mgaudit("check", "--changed", "--fast", "--quiet").out
    assert text == "left to a run over the whole tree: gates A, R, T\n"


def test_uses_that_only_the_write_backs_map_are_left_by_name(gated: Path, mgaudit: Run) -> None:
    with (gated / "mgaudit.toml").open("a") as file:
        file.write(WRITE_BACKS)
    context = gated / "src/state/context.h"
    context.write_text(context.read_text().replace("width = 0;", "width = 0, height = 0;"))
    git(gated, "commit", "-qam", "write-backs")
    use = '#include "state/context.h"\nint H(state::Context& c) { return c.height; }\n'
    change(gated, "src/backend/draw.cpp", use)
    uses = "uses that the write-backs map (1 of state::Context::height)"
    assert uses in gates(mgaudit, "--changed", "--fast", "--gate", "R")["R"][1]
    text = mgaudit("check", "--changed", "--fast", "--quiet", "--gate", "R").out
    assert text == f"left to a run over the whole tree: of R: stale rows, fill pairs, {uses}, stale exemptions\n"
    assert "src/backend/draw.cpp:2" in found(mgaudit, "--changed")[1]


def test_a_part_finds_what_the_whole_run_finds_there(gated: Path, mgaudit: Run) -> None:
    change(gated, "src/backend/draw.cpp", '#include "state/context.h"\nint W(state::Context& c) { return c.width; }\n')
    whole = [place for place in found(mgaudit)[1] if place.startswith("src/backend/draw.cpp")]
    assert whole
    assert found(mgaudit, "--changed", "--fast")[1] == whole
    assert found(mgaudit, "src/backend/draw.cpp")[1] == whole


def test_only_a_fast_look_at_changes_extracts_less(
    repository: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def noted(settings: Settings, options: Options) -> Analysis:
        asked.append(options.brief)
        return analyse(settings, options)

    monkeypatch.setattr("mgaudit.engine.pipeline.analyse", noted)
    for words in ([], ["--fast"], ["--changed"], ["--changed", "--fast"], ["--changed", "--fast", "--sites"]):
        mgaudit("check", *words)
    assert asked == [False, False, False, True, False]
