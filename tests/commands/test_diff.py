"""``mgaudit diff`` on real git repositories: what a change does, read from git's objects."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

Run = Callable[..., Any]

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/delta.schema.json").read_text(encoding="utf-8"))
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
severity = "warning"
"""
DRAW = '#include "state/context.h"\nint Draw(state::Context& c) {\n    return c.width;\n}\n'


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always", *words], cwd=folder, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repository(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for key in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(key, os.devnull)
    for key in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(key, "a@a")
    with (tree / "mgaudit.toml").open("a") as file:
        file.write(READS)
    (tree / "src/backend/draw.cpp").write_text(DRAW)
    git(tree, "init", "-q", "-b", "main")
    commit(tree, "first")
    return tree


def commit(tree: Path, message: str) -> None:
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", message)


def delta(mgaudit: Run, *words: object, code: int = 0) -> Any:
    result = mgaudit("diff", *words, "--output-format", "json")
    assert result.code == code, result.err
    value = json.loads(result.out)
    jsonschema.validate(value, SCHEMA)
    return value


def sites(value: Any) -> list[tuple[str, str, int, int | None]]:
    return [
        (s["change"], (s["after"] or s["before"])["accessor"], (s["before"] or {"line": 0})["line"],
         (s["after"] or {"line": 0})["line"])
        for s in value["sites"]
        if (s["after"] or s["before"])["accessor"] == "width"
    ]  # fmt: skip


def edit(tree: Path, old: str, new: str, path: str = "src/backend/draw.cpp") -> None:
    file = tree / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_one_more_read_of_the_same_is_found_on_its_line(repository: Path, mgaudit: Run) -> None:
    edit(repository, "    return c.width;", "    c.width;\n\n    return c.width;")
    commit(repository, "second")
    value = delta(mgaudit, "HEAD~1", "HEAD")
    assert sites(value) == [("appeared", "width", 0, 3)]
    (row,) = [c for c in value["coverage"] if c["zone"] == "backend"]
    assert (row["before"]["owed"], row["after"]["owed"], row["change"]["percent"]) == (1, 2, 100)
    assert sites(delta(mgaudit, "HEAD", "HEAD~1")) == [("vanished", "width", 3, 0)]


def test_the_work_tree_counts_without_a_head(repository: Path, mgaudit: Run) -> None:
    assert sites(delta(mgaudit, "HEAD")) == []
    edit(repository, "    return c.width;", "    return c.width + c.width;")
    assert [change for change, *_ in sites(delta(mgaudit, "HEAD"))] == ["appeared"]


def test_neither_the_work_tree_nor_the_index_is_touched(repository: Path, mgaudit: Run) -> None:
    edit(repository, "return c.width", "return 2 * c.width")
    commit(repository, "second")
    edit(repository, "return 2", "return 3")
    git(repository, "add", ".")
    (repository / "src/backend/new.cpp").write_text("// new\n")

    def state() -> list[Any]:
        files = sorted(path for path in repository.rglob("*") if path.is_file())
        return [(path, path.read_bytes(), path.stat().st_mtime_ns) for path in files]

    before = state()
    delta(mgaudit, "HEAD~1", "HEAD")
    assert state() == before


def test_a_renamed_file_keeps_its_sites(repository: Path, mgaudit: Run) -> None:
    git(repository, "mv", "src/backend/draw.cpp", "src/backend/paint.cpp")
    commit(repository, "second")
    assert sites(delta(mgaudit, "HEAD~1", "HEAD")) == [("moved", "width", 3, 3)]


def test_a_catalogues_change_is_told_from_the_codes(repository: Path, mgaudit: Run) -> None:
    edit(repository, 'call = "LOCAL"', 'call = "NA(\\"gone\\")"', "mgaudit.toml")
    commit(repository, "second")
    value = delta(mgaudit, "HEAD~1", "HEAD")
    assert [(s["change"], s["cause"]) for s in value["sites"]] == [("changed", "configuration")]
    assert value["changed-inputs"] == ["configuration"]


def test_new_errors_can_decide_the_exit_code(repository: Path, mgaudit: Run) -> None:
    (repository / "src/backend/more.cpp").write_text('#include "state/context.h"\n')
    commit(repository, "second")
    value = delta(mgaudit, "HEAD~1", "HEAD", "--exit-code", code=1)
    assert [(f["change"], f["after"]["path"]) for f in value["findings"]] == [("appeared", "src/backend/more.cpp")]
    delta(mgaudit, "HEAD", "HEAD~1", "--exit-code")
    text = mgaudit("diff", "HEAD~1", "HEAD").out
    assert text.startswith("<!-- mgaudit-delta -->\n## mgaudit: what this change does to the boundary\n")
    assert "**1 new error**, 0 mended" in text


def test_saved_runs_are_compared(repository: Path, mgaudit: Run) -> None:
    mgaudit("check", "--sites", "--output-format", "json", "-o", "a.json")
    edit(repository, "    return c.width;", "    return c.width + c.width;")
    mgaudit("check", "--sites", "--output-format", "json", "-o", "b.json")
    assert [change for change, *_ in sites(delta(mgaudit, "a.json", "b.json"))] == ["appeared"]
    assert mgaudit("diff", "a.json", "b.json").out == mgaudit("diff", "a.json", "b.json").out


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"schema": 2}', "\x00"])
def test_a_file_that_holds_no_run_is_no_answer(repository: Path, mgaudit: Run, text: str) -> None:
    mgaudit("check", "--output-format", "json", "-o", "a.json")
    (repository / "b.json").write_text(text)
    result = mgaudit("diff", "a.json", "b.json")
    assert (result.code, result.out) == (2, "")
    assert "b.json: it holds no run" in result.err


def test_an_untrusted_revision_is_said_and_exits_with_2(repository: Path, mgaudit: Run) -> None:
    (repository / "src/backend/broken.cpp").write_text('#include "missing.h"\n')
    commit(repository, "second")
    result = mgaudit("diff", "HEAD~1", "HEAD")
    assert result.code == 2
    assert "🟣 Not to be trusted, `HEAD`: 1 reason." in result.out
    assert '"missing.h" was not found' in result.out


@pytest.mark.parametrize("words", [["nothing"], ["HEAD", "--nothing"], ["--output=x", "HEAD"]])
def test_a_revision_that_git_does_not_know(repository: Path, mgaudit: Run, words: list[str]) -> None:
    assert mgaudit("diff", "--", *words).code == 2


def test_a_tree_in_a_folder_of_its_repository_with_a_submodule(
    repository: Path, mgaudit: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a submodule holds comes from the work tree."""
    library, outer = tmp_path / "library", tmp_path / "outer"
    library.mkdir()
    (library / "lib.h").write_text("#pragma once\n")
    git(library, "init", "-q")
    commit(library, "library")
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "add", "-q", str(library), "tree/src/lib")
    for name in ("mgaudit.toml", "src"):
        subprocess.run(["cp", "-r", str(repository / name), str(outer / "tree")], check=True)
    (outer / "tree/src/backend/draw.cpp").write_text('#include "lib/lib.h"\n' + DRAW)
    commit(outer, "first")
    (outer / "tree/src/backend/draw.cpp").write_text('#include "lib/lib.h"\n' + DRAW + DRAW.replace("Draw", "Again"))
    commit(outer, "second")
    monkeypatch.chdir(outer / "tree")
    assert [change for change, *_ in sites(delta(mgaudit, "HEAD~1", "HEAD"))] == ["appeared"]


def test_a_generated_header_can_be_taken_along(repository: Path, mgaudit: Run) -> None:
    (repository / ".gitignore").write_text("src/gen.h\n")
    (repository / "src/gen.h").write_text("#pragma once\n")
    (repository / "src/backend/draw.cpp").write_text('#include "gen.h"\n' + DRAW)
    commit(repository, "second")
    assert mgaudit("diff", "HEAD~1", "HEAD").code == 2
    assert mgaudit("diff", "HEAD~1", "HEAD", "--with", "src/gen.h").code == 0
