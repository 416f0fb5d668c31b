from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click
import pytest

from mgaudit.commands.boundary import Session, run
from mgaudit.domain.problems import Problem, UntrustedError

if TYPE_CHECKING:
    from pathlib import Path

Body = Callable[[Session], int | None]
Outcome = tuple[int, str, str]


@pytest.fixture
def perform(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[Body], Outcome]:
    """Runs a function as if it were a command."""

    def perform(body: Body) -> Outcome:
        module = types.ModuleType("mgaudit_test_command")
        module.__dict__["act"] = click.command("act")(click.pass_obj(body))
        monkeypatch.setitem(sys.modules, module.__name__, module)
        code = run({"act": (f"{module.__name__}:act", "Acts.")}, "overview\n", ["act"])
        return code, *capsys.readouterr()

    return perform


Perform = Callable[[Body], Outcome]


def raising(error: BaseException) -> Body:
    def body(_session: Session) -> int:
        raise error

    return body


@pytest.mark.parametrize("code", [0, 1, 2])
def test_what_a_command_returns_is_the_exit_code(perform: Perform, code: int) -> None:
    assert perform(lambda _: code) == (code, "", "")


def test_a_command_that_returns_nothing_exits_with_0(perform: Perform) -> None:
    assert perform(lambda _: None)[0] == 0


def test_every_problem_is_shown(perform: Perform) -> None:
    error = UntrustedError([Problem("b.toml", 3, "is wrong", "mend it"), Problem(None, 0, "and more")])
    assert perform(raising(error)) == (
        2,
        "",
        "error: and more\nb.toml:3: error: is wrong\n  help: mend it\n",
    )


def test_an_unforeseen_error_is_one_line_and_its_traceback_is_kept(perform: Perform, tmp_path: Path) -> None:
    def body(session: Session) -> int:
        session.log_folder = tmp_path / "logs"
        raise KeyError("\x1b[31mred\nsecond line")

    code, out, err = perform(body)
    assert (code, out) == (2, "")
    assert err.startswith("error: internal error: KeyError: ")
    assert "\x1b" not in err
    assert err.count("\n") == 2
    log = tmp_path / "logs/crash.log"
    assert f"the traceback is in {log}" in err
    assert "Traceback (most recent call last)" in log.read_text(encoding="utf-8")
    assert "Traceback" not in err


def test_a_log_that_cannot_be_written_is_no_second_crash(perform: Perform, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    def body(session: Session) -> int:
        session.log_folder = tmp_path / "file"
        raise ValueError("odd")

    code, _, err = perform(body)
    assert code == 2
    assert "the traceback could not be written" in err


def test_the_log_of_a_command_without_a_cache_is_in_the_default_place(perform: Perform, tmp_path: Path) -> None:
    assert perform(raising(ValueError("odd")))[0] == 2
    assert (tmp_path / "cache/crash.log").is_file()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupted_command_is_left_to_the_caller(perform: Perform, error: BaseException) -> None:
    with pytest.raises(KeyboardInterrupt):
        perform(raising(error))


def test_what_the_system_refuses_is_no_fault_of_ours(perform: Perform) -> None:
    code, _, err = perform(raising(OSError(28, "No space left on device")))
    assert code == 2
    assert err.startswith("error: the system refused: [Errno 28] No space left on device\n  help: the traceback is in ")


def test_a_usage_error_exits_with_2(perform: Perform) -> None:
    code, out, err = perform(raising(click.UsageError("not like this")))
    assert (code, out) == (2, "")
    assert "not like this" in err


def test_a_command_chooses_how_its_failure_is_reported(perform: Perform) -> None:
    def body(session: Session) -> int:
        def fail(problems: Sequence[Problem]) -> None:
            sys.stdout.write(f"<{problems[0].message}>")

        session.fail = fail
        raise UntrustedError.single("broken")

    assert perform(body) == (2, "<broken>", "")


def test_a_failure_that_cannot_be_reported_as_promised_is_shown_all_the_same(perform: Perform) -> None:
    def body(session: Session) -> int:
        def fail(_problems: Sequence[Problem]) -> None:
            raise UntrustedError.single("the disk is full")

        session.fail = fail
        raise UntrustedError.single("broken")

    assert perform(body) == (2, "", "error: broken\nerror: the disk is full\n")
