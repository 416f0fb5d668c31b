from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from mgaudit import __version__
from mgaudit.cli import COMMANDS

Run = Callable[..., Any]
SLOW = ("click", "rich", "networkx", "clang", "msgspec", "typing", "dataclasses")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_where_the_table_says(name: str, mgaudit: Run) -> None:
    target, summary = COMMANDS[name]
    module, _, attribute = target.partition(":")
    command = getattr(importlib.import_module(module), attribute)
    assert isinstance(command, click.Command)
    assert command.name == name
    assert re.fullmatch(r"[A-Z].*\.", summary)
    assert mgaudit(name, "--help").code == 0


@pytest.mark.parametrize(("words", "code"), [(["--help"], 0), (["-h"], 0), ([], 2), (["--help", "--help"], 0)])
def test_the_overview_lists_every_command(words: list[str], code: int, mgaudit: Run) -> None:
    result = mgaudit(*words)
    assert result.code == code
    for name, (_, summary) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", result.out, re.MULTILINE)


@pytest.mark.parametrize("words", [["--version"], ["-V"], ["-V", "check"]])
def test_the_version(words: list[str], mgaudit: Run) -> None:
    result = mgaudit(*words)
    assert (result.code, result.out) == (0, f"mgaudit {__version__}\n")


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_help_and_version_import_nothing_slow(word: str) -> None:
    # A site's start-up files may import modules of their own, so those are no fault of ours.
    program = (
        "import sys; before = set(sys.modules); from mgaudit.cli import main; main(sys.argv[1:]); "
        f"print('imported', *sorted((set(sys.modules) - before) & set({SLOW!r})))"
    )
    done = subprocess.run([sys.executable, "-c", program, word], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "imported"


def test_a_command_imports_neither_the_front_end_nor_the_graphs_for_its_help() -> None:
    program = (
        "import sys; from mgaudit.cli import main; main(['check', '--help']); "
        "print('imported', *sorted({'clang.cindex', 'rich', 'networkx', 'mgaudit.engine'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "imported"


def test_an_unknown_command_is_told_the_nearest(mgaudit: Run) -> None:
    result = mgaudit("chekc")
    assert result.code == 2
    assert 'no such command "chekc"; did you mean "check"?' in result.err


def test_an_unknown_option_exits_with_2(mgaudit: Run) -> None:
    assert mgaudit("check", "--surprise").code == 2
    assert mgaudit("--surprise").code == 2


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mgaudit", "check"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: there is no mgaudit.toml in this folder or above it\n  help: ")


def test_an_interrupted_command_says_so(mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("mgaudit.commands.boundary.run", interrupt)
    result = mgaudit("explain")
    assert (result.code, result.out, result.err) == (130, "", "interrupted\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("word", ["explain", "--help"])
def test_output_that_cannot_be_written_is_untrusted(word: str, tmp_path: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "mgaudit", word], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX closes the streams")
@pytest.mark.parametrize(("word", "code"), [("explain", 0), ("--help", 0), ("check", 2)])
def test_closed_streams_change_no_exit_code(word: str, code: int, tmp_path: Path) -> None:
    command = f'"$0" -m mgaudit {word} >&- 2>&-'
    assert subprocess.run(["sh", "-c", command, sys.executable], cwd=tmp_path, check=False).returncode == code


def test_a_reader_that_has_gone_is_no_internal_error(tmp_path: Path) -> None:
    program = "import sys; from mgaudit.cli import main; sys.stdin.readline(); sys.exit(main(['explain']))"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write("\n")
    process.stdin.close()
    assert process.stderr.read() == ""
    assert process.wait() == 141
    process.stderr.close()
