"""From what the user typed to a configuration, facts, and paths of the tree."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.config.loader import load
from mgaudit.config.log import nearest
from mgaudit.config.merge import FILE_NAME
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.facts import eviction
from mgaudit.facts.cache import Cache, default_directory
from mgaudit.facts.eviction import Bounds
from mgaudit.gates.registry import PARAMETERS
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from mgaudit.commands.options import Execution, Place
    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.engine.pipeline import Analysis, Options
    from mgaudit.engine.pool import Pool
    from mgaudit.engine.progress import Progress
    from mgaudit.engine.worker import Setup
    from mgaudit.facts.remote import Remote
    from mgaudit.sources.tree import TreeFiles


def find_configuration(folder: Path) -> Path:
    """The configuration of a folder: its own, or the nearest one above it.

    Raises:
        UntrustedError: There is none.
    """
    for candidate in (folder, *folder.parents):
        file = candidate / FILE_NAME
        if file.is_file():
            return file
    raise UntrustedError.single(
        f"there is no {FILE_NAME} in this folder or above it",
        help="`mgaudit init` writes a first one; --config names one that lies elsewhere",
    )


def load_settings(place: Place) -> Settings:
    """The configuration that the user means.

    Raises:
        UntrustedError: There is none, or it has errors; all of them.
    """
    file = place.config.absolute() if place.config else find_configuration(Path.cwd())
    return load(file, PARAMETERS, root=place.root.absolute() if place.root else None)


def unknown_zones(settings: Settings, names: Iterable[str]) -> Iterator[Problem]:
    """A problem for each name that is no zone's."""
    for name in names:
        if name not in settings.zones:
            yield Problem(None, 0, f'there is no zone "{name}"', nearest(name, settings.zones))


def check_configurations(settings: Settings, names: Iterable[str]) -> list[Problem]:
    """A problem for each name that no configuration has."""
    known = [spec.name for spec in settings.configurations]
    return [
        Problem(None, 0, f'--configuration: there is no configuration "{name}"', nearest(name, known))
        for name in dict.fromkeys(names)
        if name not in known
    ]


def check_gates(settings: Settings, ids: Iterable[str]) -> list[Problem]:
    """A problem for each id that no gate has."""
    known = [gate.id for gate in settings.gates]
    return [
        Problem(None, 0, f'there is no gate "{name}"', nearest(name, known))
        for name in dict.fromkeys(ids)
        if name not in known
    ]


def gates_of_kind(settings: Settings, kind: str, ids: Collection[str]) -> list[GateSpec]:
    """The gates of a kind, or those of them that are named.

    Raises:
        UntrustedError: There is none, or an id names none.
    """
    if problems := check_gates(settings, ids):
        raise UntrustedError(problems)
    chosen = [gate for gate in settings.gates if gate.kind == kind and (not ids or gate.id in ids)]
    if not chosen:
        raise UntrustedError.single(
            f"no gate of the kind `{kind}` is configured", path=settings.path,
            help=f'write a `[[gate]]` with `kind = "{kind}"`; `mgaudit explain {kind}` says what it needs',
        )  # fmt: skip
    return chosen


def tree_path(settings: Settings, typed: str) -> str:
    """A path as typed, relative to the current folder, as one relative to the root (``.`` for the root itself).

    Raises:
        UntrustedError: It lies outside of the tree.
    """
    root = os.path.realpath(settings.root)
    real = os.path.realpath(typed)
    relative = os.path.relpath(real, root).replace(os.sep, "/") if real[:1] == root[:1] else ".."
    if relative == ".." or relative.startswith("../"):
        raise UntrustedError.single(f"{typed}: it lies outside of the tree", help=f"the tree's root is {root}")
    return relative


def selected_paths(settings: Settings, files: TreeFiles, typed: Iterable[str]) -> tuple[tuple[str, ...], list[Problem]]:
    """Paths as typed, relative to the root, and a problem for each that selects nothing."""
    paths: list[str] = []
    problems: list[Problem] = []
    known = {*files.files, settings.path}
    for item in typed:
        try:
            path = tree_path(settings, item)
        except UntrustedError as error:
            problems += error.problems
            continue
        if path == "." or path in known or any(file.startswith(path + "/") for file in known):
            paths.append(path)
        else:
            problems.append(Problem(None, 0, f"{item}: no audited file is there", "see `sources`, `headers` and zones"))
    return tuple(dict.fromkeys(paths)), problems


@contextlib.contextmanager
def cache_folder(execution: Execution) -> Iterator[Path]:
    """Where facts are kept during a command."""
    if execution.no_cache:
        if execution.cache_dir is not None:
            raise click.UsageError("--cache-dir and --no-cache exclude each other")
        with tempfile.TemporaryDirectory(prefix="mgaudit-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)
        return
    bounds = cache_bounds()
    cache = Cache(execution.cache_dir.absolute() if execution.cache_dir else default_directory())
    with eviction.in_use(cache):
        yield cache.directory
    eviction.evict_lately(cache, bounds)


def cache_bounds() -> Bounds:
    """How much the cache may hold, and for how long.

    Raises:
        UntrustedError: The environment says something else than a size and a number of days.
    """
    try:
        return Bounds.of_environment()
    except ValueError as error:
        raise UntrustedError.single(
            f"MGAUDIT_CACHE_SIZE or MGAUDIT_CACHE_DAYS: {error}", help="change it or leave it out"
        ) from None


def engine_options(  # noqa: PLR0913
    settings: Settings, execution: Execution, folder: Path, progress: Progress, bundles: tuple[Path, ...] = (), *,
    brief: bool = False,
) -> Options:  # fmt: skip
    """What the engine is told of the user's options.

    Raises:
        UntrustedError: An unknown configuration, or a shared cache that needs a package that is not installed.
    """
    from mgaudit.engine.pipeline import Options  # noqa: PLC0415  slow to import

    if problems := check_configurations(settings, execution.configuration):
        raise UntrustedError(problems)
    return Options(
        folder, execution.jobs, not execution.no_pch, execution.configuration, progress, bundles, _remote(execution),
        pool=_pool(execution), brief=brief,
    )  # fmt: skip


def _pool(execution: Execution) -> Callable[[Setup, int], Pool]:
    from mgaudit.engine.pool import Pool  # noqa: PLC0415  slow to import

    if execution.dask is None:
        return Pool
    from mgaudit.engine.dask_pool import DaskPool  # noqa: PLC0415  an extra

    return partial(DaskPool, address=execution.dask)


def _remote(execution: Execution) -> Remote | None:
    if not execution.remote_cache:
        return None
    from mgaudit.facts.remote import Remote  # noqa: PLC0415  slow to import

    return Remote(execution.remote_cache, read_only=execution.remote_read_only)


@contextlib.contextmanager
def analysed(
    settings: Settings, execution: Execution, bundles: tuple[Path, ...] = (), *, brief: bool = False
) -> Iterator[Analysis]:
    """The facts of a tree, brought up to date; with bundles, out of what the shards of a run extracted.

    Args:
        settings: The configuration.
        execution: How the run goes.
        bundles: See above.
        brief: Whether only gates that answer at once will ask (`mgaudit.engine.pipeline.Options`).

    Raises:
        UntrustedError: See `mgaudit.engine.pipeline.analyse` and `engine_options`.
    """
    from mgaudit.commands.progress import watching  # noqa: PLC0415  with the engine, slow to import
    from mgaudit.engine.pipeline import analyse  # noqa: PLC0415

    with cache_folder(execution) as folder:
        with watching(quiet=execution.quiet) as progress:
            analysis = analyse(settings, engine_options(settings, execution, folder, progress, bundles, brief=brief))
        try:
            yield analysis
        finally:
            analysis.facts.connection.close()


def report_doubts(analysis: Analysis) -> int:
    """Say on standard error what the facts lack; the exit code of a command that only shows them."""
    from mgaudit.reports import problems  # noqa: PLC0415

    sys.stderr.write(problems.render(analysis.problems))
    failing = {item.unit for item in analysis.facts.diagnostics()}
    if failing:
        sys.stderr.write(
            f"warning: {counted(len(failing), 'units')} did not parse without errors, so facts may be missing\n"
            "  help: `mgaudit doctor` lists them\n"
        )
    return 2 if analysis.problems else 0
