"""``mgaudit cache``: what is kept between runs."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.commands import workspace
from mgaudit.facts import eviction
from mgaudit.facts.cache import Cache, default_directory
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable

_WHAT = {
    "scan": "scanned files",
    "outline": "what other files include",
    "syntax": "parsed syntax of files",
    "unit": "facts of units",
    "manifest": "what each parse rested on",
    "preamble": "precompiled headers",
    "facts": "merged databases",
    "choice": "choices of precompiled headers",
    "sight": "which files see macros of the command line",
    "library": "digests of front ends",
}


def _folder(function: Callable[..., None]) -> Callable[..., None]:
    return click.option(
        "--cache-dir", type=click.Path(path_type=Path), metavar="DIR", help="In place of the default place."
    )(function)


@click.group()
def cache() -> None:
    """Show, prune or clear the cache. It may be deleted at any time: what is needed is made anew."""


@cache.command()
@_folder
def info(cache_dir: Path | None) -> None:
    """Say where the cache is and how much it holds."""
    kept = Cache(_place(cache_dir))
    usage = kept.usage()
    lines = [visible(str(kept.directory))]
    lines += [f"  {_size(u.size)}  {counted(u.files, 'files')}: {_WHAT.get(u.kind, u.kind)}" for u in usage]
    total = sum(item.size for item in usage)
    lines.append(f"  {_size(total)}  {counted(sum(item.files for item in usage), 'files')} in all")
    sys.stdout.write("\n".join(lines) + "\n")


@cache.command()
@_folder
def clear(cache_dir: Path | None) -> None:
    """Delete what the cache holds."""
    kept = Cache(_place(cache_dir))
    sys.stdout.write(f"{visible(str(kept.directory))}: {counted(kept.clear(), 'files')} deleted\n")


@cache.command()
@_folder
@click.option("--max-size", metavar="SIZE", help="Keep no more than this, such as 500 MB or 10 GB.")
@click.option("--max-age", metavar="DAYS", help="Keep nothing that was not used for so many days.")
def prune(cache_dir: Path | None, max_size: str | None, max_age: str | None) -> None:
    """Delete what was not used for long, and what was used longest ago where there is too much of it.

    The default bounds are those of every run: 10 GB and 30 days, or what MGAUDIT_CACHE_SIZE and MGAUDIT_CACHE_DAYS say;
    `none` stands for no bound. What a running mgaudit uses stays.
    """
    bounds = workspace.cache_bounds()
    try:
        if max_size is not None:
            bounds = replace(bounds, size=eviction.parse_size(max_size))
        if max_age is not None:
            bounds = replace(bounds, days=eviction.parse_days(max_age))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    kept = Cache(_place(cache_dir))
    done = eviction.evict(kept, bounds)
    sys.stdout.write(
        f"{visible(str(kept.directory))}: {counted(done.files, 'files')} deleted, {_size(done.size).strip()}; "
        f"{_size(done.left).strip()} left\n"
    )


def _place(chosen: Path | None) -> Path:
    return (chosen or default_directory()).absolute()


def _size(size: int) -> str:
    return f"{size / 1e6:9.1f} MB"
