"""The lane for users: its script on a real repository, its workflows before the linters of their services."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mgaudit.commands.demo import copy_example

LANE = Path(__file__).parents[2] / "ci/lane"
VIOLATION = "src/backend/gles/GlesObjects.h"
REPORTS = {"run.json", "run.sarif", "junit.xml", "summary.md"}


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example tree, sound in its first commit and red in its second one."""
    for key, value in {
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@a", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@a",
        "MGAUDIT_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"],
    }.items():  # fmt: skip
        monkeypatch.setenv(key, value)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    tree = tmp_path / "tree"
    copy_example(tree, broken=False)
    for message in ("sound", "red"):
        if message == "red":
            file = tree / VIOLATION
            file.write_text('#include "state/BufferObject.h"\n' + file.read_text(encoding="utf-8"), encoding="utf-8")
        run(tree, "git", "init", "-q")
        run(tree, "git", "add", ".")
        assert run(tree, "git", "-c", "commit.gpgsign=false", "commit", "-qm", message).returncode == 0
    return tree


def lane(tree: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(tree, "sh", str(LANE / "lane.sh"), *words, **environment)


def test_the_first_red_and_the_first_green(repository: Path) -> None:
    red = lane(repository, "--base", "HEAD~1")
    assert red.returncode == 1, red.stderr
    reports = repository / "mgaudit-reports"
    assert {path.name for path in reports.iterdir()} == {*REPORTS, "delta.md"}
    assert re.search(r"🔴 \*\*\d+ new errors?\*\*", (reports / "delta.md").read_text(encoding="utf-8"))
    assert f"{VIOLATION}:1:1: A error: " in red.stdout
    run(repository, "git", "checkout", "-q", "HEAD~1")
    green = lane(repository, "--out", "elsewhere")
    assert green.returncode == 0, green.stdout + green.stderr
    assert {path.name for path in (repository / "elsewhere").iterdir()} == REPORTS


def test_on_github_it_annotates_and_summarises(repository: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    done = lane(
        repository, "--base", "HEAD~1", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary),
        GITHUB_WORKSPACE=str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 1
    assert f"::error file=tree/{VIOLATION},line=1,col=1,title=mgaudit A::" in done.stdout
    text = summary.read_text(encoding="utf-8")
    assert text.index("what this change does") < text.index("## mgaudit: 🔴 red")


def test_what_goes_wrong_is_never_green(repository: Path, tmp_path: Path) -> None:
    assert lane(repository, "--base", "no-such-revision").returncode == 2
    (repository / "src/backend/gles/GlesObjects.h").write_text('#include "missing.h"\n')
    assert lane(repository).returncode == 2
    assert lane(repository, "--no-such-option").returncode == 2
    assert lane(repository, "--base").returncode == 2
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("sh", "mkdir", "rm", "grep", "cat"):
        (bare / name).symlink_to(str(shutil.which(name)))
    assert lane(repository, PATH=str(bare)).returncode == 2
    (bare / "mgaudit").write_text("#!/bin/sh\nexit 0\n")
    (bare / "mgaudit").chmod(0o755)
    done = lane(repository, PATH=str(bare))
    assert (done.returncode, "was not written" in done.stderr) == (2, True)


def test_the_reports_agree_with_the_exit_code(repository: Path) -> None:
    for expected in (1, 0):
        assert lane(repository).returncode == expected
        value = json.loads((repository / "mgaudit-reports/run.json").read_text(encoding="utf-8"))
        assert value["exit-code"] == expected
        run(repository, "git", "checkout", "-q", "HEAD~1")


@pytest.mark.parametrize(
    "words",
    [
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", "github.yml"],
        ["check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", "gitlab.yml"],
        ["zizmor", "--offline", "--quiet", "--config", "zizmor.yml", "github.yml"],
    ],
)
def test_workflows_pass_their_linters(words: list[str], tmp_path: Path) -> None:
    workflows = tmp_path / ".github/workflows"
    shutil.copytree(LANE, workflows)
    done = run(workflows, str(Path(sys.executable).with_name(words[0])), *words[1:])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="Debian's shellcheck is not installed")
def test_help_runs_nothing(tmp_path: Path) -> None:
    done = lane(tmp_path, "--help", PATH=os.defpath)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: lane.sh [--base REV]")
    assert not list(tmp_path.iterdir())


def test_the_script_passes_shellcheck() -> None:
    done = run(LANE, "shellcheck", "lane.sh")
    assert done.returncode == 0, done.stdout


def test_jobs_that_may_write_never_run_for_a_fork() -> None:

    jobs = yaml.safe_load((LANE / "github.yml").read_text(encoding="utf-8"))["jobs"]
    own = "github.event.pull_request.head.repo.full_name == github.repository"
    writing = {name for name, job in jobs.items() if "write" in job["permissions"].values()}
    assert writing == {"scanning", "comment"}
    assert all(own in jobs[name]["if"] for name in writing)
    assert all("checkout" not in step.get("uses", "") for name in writing for step in jobs[name]["steps"])
    assert "secrets." not in (LANE / "github.yml").read_text(encoding="utf-8")
