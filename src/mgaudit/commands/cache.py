"""``mgaudit cache``: what is kept between runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.facts.cache import Cache, default_directory
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable

_WHAT = {
    "scan": "scanned files",
    "syntax": "parsed syntax of files",
    "unit": "facts of units",
    "manifest": "what each parse rested on",
    "preamble": "precompiled headers",
    "facts": "merged databases",
}


def _folder(function: Callable[..., None]) -> Callable[..., None]:
    return click.option(
        "--cache-dir", type=click.Path(path_type=Path), metavar="DIR", help="In place of the default place."
    )(function)


@click.group()
def cache() -> None:
    """Show or clear the cache. It may be deleted at any time: everything in it is made anew when it is needed."""


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


def _place(chosen: Path | None) -> Path:
    return (chosen or default_directory()).absolute()


def _size(size: int) -> str:
    return f"{size / 1e6:9.1f} MB"
