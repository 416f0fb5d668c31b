"""The one place where errors become messages and exit codes."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from mgaudit.commands.group import LazyGroup
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.reports import problems as problem_lines
from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

UNTRUSTED: Final = 2
_LOG: Final = "crash.log"


def show_on_stderr(problems: Sequence[Problem]) -> None:
    """Tell the user why the answer cannot be trusted."""
    sys.stderr.write(problem_lines.render(problems))


@dataclass(slots=True)
class Session:
    """What a running command shares with the boundary.

    Attributes:
        fail: Reports problems in the form that the command promised.
        log_folder: Where a traceback goes; the cache's default place where None.
    """

    fail: Callable[[Sequence[Problem]], None] = show_on_stderr
    log_folder: Path | None = None


def run(commands: Mapping[str, tuple[str, str]], overview: str, arguments: Sequence[str]) -> int:
    """Run a command and return the exit code.

    Only `KeyboardInterrupt` and `BrokenPipeError` leave.

    Args:
        commands: The table of commands.
        overview: The help text.
        arguments: What the user typed.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a file name need not fit the terminal's encoding
    group = LazyGroup(commands, overview)
    if "_MGAUDIT_COMPLETE" in os.environ:
        group.main(list(arguments), "mgaudit", complete_var="_MGAUDIT_COMPLETE", standalone_mode=False)
        return 0
    return _guarded(group, Session(), list(arguments))


def _guarded(group: LazyGroup, session: Session, arguments: list[str]) -> int:
    try:
        return _invoke(group, session, arguments)
    except UntrustedError as error:
        problems: Sequence[Problem] = error.problems
    except BrokenPipeError:
        raise
    except Exception as error:  # nothing may end in a traceback on the terminal
        problems = [_crash(error, session.log_folder)]
    try:
        session.fail(problems)
    except UntrustedError as error:  # not even the failure could be reported as promised
        show_on_stderr([*problems, *error.problems])
    except BrokenPipeError:
        raise
    except Exception as error:  # the report's form is at fault: its own traceback is no answer, either
        show_on_stderr([*problems, _crash(error, session.log_folder)])
    return UNTRUSTED


def _invoke(group: LazyGroup, session: Session, arguments: list[str]) -> int:
    try:
        with group.make_context("mgaudit", arguments, obj=session) as context:
            code = group.invoke(context)
            return code if isinstance(code, int) else 0
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None


def _crash(error: Exception, folder: Path | None) -> Problem:
    """What the user learns of an error that mgaudit did not foresee."""
    last = visible(str(error).split("\n", 1)[0])
    if isinstance(error, OSError):
        what = f"the system refused: {last}"
    else:
        what = f"internal error: {type(error).__name__}{': ' + last if last else ''}; please report it"
    return Problem(None, 0, what, _log(error, folder))


def _log(error: Exception, folder: Path | None) -> str:
    """Write the traceback and say where it is."""
    import traceback  # noqa: PLC0415  slow, and seldom needed

    try:
        if folder is None:
            from mgaudit.facts.cache import default_directory  # noqa: PLC0415  slow, and seldom needed

            folder = default_directory()
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / _LOG
        file.write_text("".join(traceback.format_exception(error)), encoding="utf-8", errors="backslashreplace")
    except OSError as failure:
        return f"the traceback could not be written: {failure.strerror}"
    return f"the traceback is in {file}"
