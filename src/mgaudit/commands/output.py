"""Where a report goes and in which form."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

import mgaudit
from mgaudit.commands.boundary import UNTRUSTED, show_on_stderr
from mgaudit.commands.options import bundled
from mgaudit.commands.terminal import is_interactive
from mgaudit.config.places import Places
from mgaudit.domain.problems import UntrustedError
from mgaudit.domain.report import Report, ToolVersions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mgaudit.domain.problems import Problem
    from mgaudit.reports.text import Style

F = TypeVar("F", bound="Callable[..., Any]")

_FORMATS: Final = ("text", "json", "sarif", "github", "junit", "markdown")
_CHECKOUTS: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")  # where GitHub's and GitLab's lanes check out a repository
_PLAIN_WIDTH: Final = 120  # of lines that a file or a pipe takes: the same everywhere


@dataclass(frozen=True, slots=True)
class Output:
    """How a report is written.

    Attributes:
        output_format: One of the formats.
        output: A file in place of standard output.
        also: Further forms of the same report, each with its file.
        color: ``auto``, ``always`` or ``never``.
    """

    output_format: str
    output: Path | None
    also: tuple[tuple[str, Path], ...]
    color: str

    def write(self, report: Report, places: Places, *, quiet: bool) -> None:
        """Write a report.

        Raises:
            UntrustedError: The file cannot be written.
        """
        self._write_also(report, places, quiet=quiet)
        self._emit(_rendered(self.output_format, report, places, self._style(), quiet=quiet))

    def fail(self, problems: Sequence[Problem]) -> None:
        """Report why there is no answer; a file that is asked for tells it, too.

        Raises:
            UntrustedError: The file cannot be written.
        """
        if self.output is not None or self.output_format == "text":
            show_on_stderr(problems)
        report = Report(versions(), "", trusted=False, exit_code=UNTRUSTED, errors=tuple(problems))
        if self.output is not None or self.output_format != "text":
            self.write(report, here(), quiet=True)
        else:
            self._write_also(report, here(), quiet=True)

    def _write_also(self, report: Report, places: Places, *, quiet: bool) -> None:
        for form, file in self.also:
            write_atomically(file, _rendered(form, report, places, _plain(), quiet=quiet))

    def _style(self) -> Style:
        if self.output is not None:
            return _plain(color=self.color == "always")
        return style(self.color)

    def _emit(self, text: str) -> None:
        if self.output is None:
            sys.stdout.write(text)
        else:
            write_atomically(self.output, text)


def _rendered(form: str, report: Report, places: Places, style: Style, *, quiet: bool) -> str:
    """A report in one of the forms; each form's module is imported when it is asked for."""
    # ruff: noqa: PLC0415
    from mgaudit.reports.excerpt import Sources

    match form:
        case "json":
            from mgaudit.reports import json

            return json.render(report)
        case "sarif":
            from mgaudit.reports import sarif

            return sarif.render(report, Sources(places.file), _prefix(places.root))
        case "github":
            from mgaudit.reports import github

            return github.render(report, Sources(places.file), _prefix(places.root))
        case "junit":
            from mgaudit.reports import junit

            return junit.render(report)
        case "markdown":
            from mgaudit.reports import markdown

            return markdown.render(report)
    from mgaudit.reports import text

    return text.render(report, Sources(places.file), style, quiet=quiet)


def here() -> Places:
    """The names of files where no configuration says what they start from."""
    return Places(Path.cwd(), Path.cwd())


def _prefix(root: Path) -> str:
    """What leads from a lane's checkout to the tree's root, ``folder/`` or empty: its service knows only the former."""
    for name in _CHECKOUTS:
        checkout = os.path.realpath(os.environ.get(name) or os.devnull)
        if checkout in map(os.fspath, Path(os.path.realpath(root)).parents):
            return Path(os.path.realpath(root)).relative_to(checkout).as_posix() + "/"
    return ""


def _plain(*, color: bool = False) -> Style:
    from mgaudit.reports.text import Style

    return Style(color=color, width=_PLAIN_WIDTH)


def _pairs(
    _context: click.Context, _parameter: click.Parameter, words: tuple[str, ...]
) -> tuple[tuple[str, Path], ...]:
    """``FORM=FILE`` words, taken apart."""
    found = []
    for word in words:
        form, equals, file = word.partition("=")
        if form not in _FORMATS or not equals or not file:
            raise click.BadParameter(f"{word}: write FORM=FILE, with a form out of {', '.join(_FORMATS)}")
        found.append((form, Path(file)))
    return tuple(found)


def color_option(function: F) -> F:
    """Add ``--color``."""
    return click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
        help="Colours; auto: on a terminal.",
    )(function)  # fmt: skip


def options(function: F) -> F:
    """Add the options of a report, passed as `Output`."""
    return bundled(
        function,
        "output",
        Output,
        click.option(
            "--output-format", type=click.Choice(_FORMATS), default="text", show_default=True, help="The report's form."
        ),
        click.option(
            "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
            help="Write the report to a file, whole or not at all.",
        ),
        click.option(
            "--also", multiple=True, metavar="FORM=FILE", callback=_pairs,
            help="Write the same report to a file in another form; repeatable.",
        ),
        color_option,
    )  # fmt: skip


def style(color: str) -> Style:
    """How text on standard output looks: a terminal's colours and width, or plain lines of a fixed width."""
    from mgaudit.reports.text import Style

    interactive = is_interactive(sys.stdout)
    colored = color == "always" or (
        color == "auto"
        and not os.environ.get("NO_COLOR")
        and (interactive or os.environ.get("FORCE_COLOR", "") not in {"", "0"})
    )
    return Style(color=colored, width=shutil.get_terminal_size().columns if interactive else _PLAIN_WIDTH)


def versions() -> ToolVersions:
    """What would have produced a report."""
    import importlib.metadata

    from mgaudit.sources.toolchain import discover

    try:
        found = discover().versions
    except UntrustedError:
        return ToolVersions(mgaudit.__version__, "", importlib.metadata.version("tree-sitter-cpp"))
    return ToolVersions(mgaudit.__version__, found.libclang, found.tree_sitter_cpp)


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that a reader sees all of it or what was there before.

    Raises:
        UntrustedError: It cannot be written.
    """
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        temporary.chmod(_mode_of(path))
        temporary.replace(path)
    except OSError as error:
        raise UntrustedError.single(
            f"{path}: it cannot be written: {error.strerror}", help="name a file in a folder that exists"
        ) from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _mode_of(path: Path) -> int:
    """The permissions of a file, or those that a new one gets."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
