"""``mgaudit diff``: what a change does to the boundary, for its reviewer."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, workspace
from mgaudit.commands.boundary import UNTRUSTED
from mgaudit.commands.output import write_atomically
from mgaudit.commands.saved import decoded_run, saved_run
from mgaudit.config.loader import load
from mgaudit.domain.problems import UntrustedError
from mgaudit.domain.runs import Run
from mgaudit.gates.registry import PARAMETERS, unavailable
from mgaudit.reports import json as json_report

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.config.model import Settings
    from mgaudit.domain.runs import Run
    from mgaudit.engine.comparison import CodeChange
    from mgaudit.sources.git import Patch
    from mgaudit.sources.revisions import Revisions

_WORK_TREE = "the work tree"


@click.command()
@click.argument("base")
@click.argument("head", required=False)
@click.option(
    "--output-format", type=click.Choice(["markdown", "html", "json"]), default="markdown", show_default=True,
    help="The delta's form.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Write the delta to a file, whole or not at all.",
)  # fmt: skip
@click.option("--exit-code", is_flag=True, help="Exit with 1 where an error is new.")
@click.option(
    "--with", "extra", multiple=True, type=click.Path(path_type=Path), metavar="PATH",
    help="Also take this from the work tree, for both revisions: a generated file or folder that git does not hold.",
)  # fmt: skip
@options.execution
@options.place
@click.pass_obj
def diff(  # noqa: PLR0913  one argument a set of options
    session: Session,
    *,
    base: str,
    head: str | None,
    output_format: str,
    output: Path | None,
    exit_code: bool,
    extra: tuple[Path, ...],
    execution: Execution,
    place: Place,
) -> int:
    """Compare the boundary at BASE and HEAD: sites and findings that appeared, vanished or are judged otherwise.

    BASE and HEAD are revisions of git, or files that `mgaudit check --sites --output-format json` wrote; without HEAD,
    the work tree counts as it is. Revisions are read from git's objects: the work tree is not touched.
    """
    from mgaudit.engine.comparison import CodeChange, compare  # noqa: PLC0415
    from mgaudit.reports import delta as report  # noqa: PLC0415

    session.log_folder = execution.cache_dir
    if output_format == "json":
        session.fail = json_report.fail
    names = (base, head or _WORK_TREE)
    if _is_saved(base) and head is not None and _is_saved(head):
        before, after, code = saved_run(Path(base)), saved_run(Path(head)), CodeChange()
    else:
        before, after, code = _analysed(names, head, execution, place, extra)
    delta = compare(names, before, after, code)
    text = {"markdown": report.as_markdown, "html": report.as_html, "json": report.as_json}[output_format](delta)
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomically(output, text)
    if not delta.trusted:
        return UNTRUSTED
    return int(exit_code and report.new_errors(delta) > 0)


# ---- saved runs


def _is_saved(name: str) -> bool:
    return name.endswith(".json") and Path(name).is_file()


# ---- revisions


def _analysed(
    names: tuple[str, str], head: str | None, execution: Execution, place: Place, extra: tuple[Path, ...]
) -> tuple[Run, Run, CodeChange]:
    """Both runs, made now, and what git says of the change of the sources.

    Raises:
        UntrustedError: A revision is unknown, or nothing can be said of one.
    """
    from mgaudit.sources.revisions import Revisions  # noqa: PLC0415

    settings = workspace.load_settings(place)
    with workspace.cache_folder(execution) as cache:
        revisions = Revisions(settings.root, cache)
        git = revisions.git
        base, other = git.commit(names[0]), git.commit(head) if head is not None else None
        patch = git.patch(base, other)
        touched = patch.touched if other else patch.touched | git.changes(base).present
        taken = tuple(Path(workspace.tree_path(settings, str(path))) for path in extra)
        lens = _Lens(settings, place, execution, revisions, touched, taken)
        with revisions.held():
            before, near = lens.at(base)
            after, nearby = lens.at(other) if other else lens.here()
    return before, after, _code_change(patch, near | nearby)


def _code_change(patch: Patch, affected: frozenset[str]) -> CodeChange:
    from mgaudit.engine.comparison import CodeChange  # noqa: PLC0415

    return CodeChange(patch.hunks, patch.renamed, affected)


@dataclass(frozen=True, slots=True)
class _Lens:
    """Looks at a tree in one state after the other."""

    settings: Settings
    place: Place
    execution: Execution
    revisions: Revisions
    touched: frozenset[str]
    extra: tuple[Path, ...]

    def here(self) -> tuple[Run, frozenset[str]]:
        """The work tree as it is: a run, and the files that the change affects."""
        return self._run(self.settings)

    def at(self, commit: str) -> tuple[Run, frozenset[str]]:
        """A revision, likewise."""
        within = self.settings.root.relative_to(self.revisions.top)
        extra = [str(within / path) for path in self.extra]
        databases = [
            str(within / spec.compile_commands) for spec in self.settings.configurations if spec.compile_commands
        ]
        warnings = self.revisions.hold(commit, extra, databases)
        for warning in dict.fromkeys(warnings):
            sys.stderr.write(f"warning: {warning}\n")
        root = self.revisions.folder / within
        file = self._configuration(commit)
        own = file.is_relative_to(self.revisions.folder) and self.place.root is None
        return self._run(load(file, PARAMETERS, root=None if own else root))

    def _configuration(self, commit: str) -> Path:
        """The revision's own configuration; today's where it has none, or where it lies outside of the repository."""
        file = self.settings.file
        if file.is_relative_to(self.revisions.top):
            name = file.relative_to(self.revisions.top).as_posix()
            if self.revisions.tracks(commit, name):
                return self.revisions.folder / name
        return file

    def _run(self, settings: Settings) -> tuple[Run, frozenset[str]]:
        from mgaudit.engine.censuses import with_sites  # noqa: PLC0415  slow to import
        from mgaudit.engine.judge import judge  # noqa: PLC0415
        from mgaudit.graphs.includes import dependents  # noqa: PLC0415

        if problems := unavailable(settings):
            raise UntrustedError(problems)
        with workspace.analysed(settings, self.execution) as analysis:
            report = with_sites(judge(analysis), analysis)
            return decoded_run(json_report.render(report).encode()), dependents(analysis.facts, self.touched)
