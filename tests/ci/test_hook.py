"""The hooks for pre-commit, run by the real pre-commit on a real git repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from mgaudit.commands.demo import copy_example

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
PACKAGE = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "src")
VIOLATION = "src/backend/gles/GlesObjects.h"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def git(folder: Path, *words: str) -> str:
    done = run(folder, "git", "-c", "commit.gpgsign=false", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of hooks, and an environment that knows nothing of the user's."""
    for key, value in {
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PRE_COMMIT_HOME": str(tmp_path / "home"),
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@a", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@a",
        "MGAUDIT_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"],
    }.items():  # fmt: skip
        monkeypatch.setenv(key, value)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    shutil.copy(HOOKS, hooks)
    git(hooks, "init", "-q")
    return hooks


@pytest.fixture
def repository(hooks: Path, tmp_path: Path) -> Path:
    """The example tree, sound and committed, with the fast hook installed; the program comes from this environment."""
    return hooked(hooks, tmp_path / "tree", ", language: system")


def hooked(hooks: Path, tree: Path, how: str = "") -> Path:
    git(hooks, "add", ".")
    git(hooks, "commit", "-qm", "hooks")
    copy_example(tree, broken=False)
    (tree / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {hooks}\n  rev: {git(hooks, 'rev-parse', 'HEAD').strip()}\n  hooks:\n"
        f"  - {{id: mgaudit{how}}}\n  - {{id: mgaudit-full{how}}}\n"
    )
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "sound")
    done = run(tree, "pre-commit", "install", "--hook-type", "pre-commit", "--hook-type", "pre-push")
    assert done.returncode == 0, done.stdout
    return tree


def commit(tree: Path) -> subprocess.CompletedProcess[str]:
    return run(tree, "git", "-c", "commit.gpgsign=false", "commit", "-m", "change")


def test_the_manifest_is_valid() -> None:
    done = run(HOOKS.parent, sys.executable, "-m", "pre_commit", "validate-manifest", str(HOOKS))
    assert done.returncode == 0, done.stdout


def test_a_commit_is_refused_until_the_violation_is_gone(repository: Path) -> None:
    file = repository / VIOLATION
    sound = file.read_text(encoding="utf-8")
    file.write_text('#include "state/BufferObject.h"\n' + sound, encoding="utf-8")
    git(repository, "add", ".")
    refused = commit(repository)
    assert refused.returncode == 1
    assert f"{VIOLATION}:1:1: A error: " in refused.stderr + refused.stdout
    file.write_text(sound + "// a remark\n", encoding="utf-8")
    git(repository, "add", ".")
    accepted = commit(repository)
    assert accepted.returncode == 0, accepted.stdout + accepted.stderr
    assert "left to a run over the whole tree: " in accepted.stderr + accepted.stdout


def test_pre_commit_builds_the_program_from_its_repository(
    hooks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PACKAGE:
        take = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        take(ROOT / name, hooks / name)
    monkeypatch.setenv("MGAUDIT_NATIVE", "0")  # what compiles is tested elsewhere, and takes longest
    monkeypatch.setenv("PYTHONPATH", sysconfig.get_path("purelib"))  # so that pip need not fetch what is here already
    tree = hooked(hooks, tmp_path / "tree")
    file = tree / VIOLATION
    sound = file.read_text(encoding="utf-8")
    file.write_text('#include "state/BufferObject.h"\n' + sound, encoding="utf-8")
    git(tree, "add", ".")
    refused = commit(tree)
    assert f"{VIOLATION}:1:1: A error: " in refused.stderr + refused.stdout
    file.write_text(sound + "// a remark\n", encoding="utf-8")
    git(tree, "add", ".")
    accepted = commit(tree)
    assert accepted.returncode == 0, accepted.stdout + accepted.stderr
    assert list((tmp_path / "home").glob("repo*/py_env*/bin/mgaudit"))
    git(tmp_path, "init", "-q", "--bare", "remote")
    pushed = run(tree, "git", "push", str(tmp_path / "remote"), "HEAD")
    assert pushed.returncode == 0, pushed.stdout + pushed.stderr
    assert "mgaudit (whole tree)" in pushed.stdout + pushed.stderr
    assert "mgaudit (changed files)" not in pushed.stdout + pushed.stderr


def test_what_is_not_staged_does_not_count(repository: Path) -> None:
    file = repository / VIOLATION
    sound = file.read_text(encoding="utf-8")
    file.write_text(sound + "// a remark\n", encoding="utf-8")
    git(repository, "add", ".")
    file.write_text('#include "state/BufferObject.h"\n' + sound, encoding="utf-8")
    accepted = commit(repository)
    assert accepted.returncode == 0, accepted.stdout + accepted.stderr


def test_a_commit_that_only_deletes_is_looked_at(repository: Path) -> None:
    git(repository, "rm", "-q", "src/util/Log.h")
    refused = commit(repository)
    assert refused.returncode == 1
    assert "src/impl/GlState.cpp" in refused.stderr + refused.stdout


def test_the_full_hook_runs_every_gate(repository: Path) -> None:
    file = repository / VIOLATION
    file.write_text('#include "state/BufferObject.h"\n' + file.read_text(encoding="utf-8"), encoding="utf-8")
    git(repository, "add", ".")
    done = run(repository, "pre-commit", "run", "--hook-stage", "manual", "mgaudit-full", "--all-files")
    assert done.returncode == 1
    assert "A error" in done.stdout
    assert "left to a run" not in done.stdout
