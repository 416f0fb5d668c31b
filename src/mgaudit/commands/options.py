"""Options that several commands share, each set as one value."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")

_FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class Place:
    """Which tree: the configuration file (searched upwards where None), and the root in place of the configured one."""

    config: Path | None
    root: Path | None


@dataclass(frozen=True, slots=True)
class Execution:
    """How the facts are brought up to date.

    Attributes:
        configuration: Names of the configurations; empty for all.
        jobs: Worker processes at most; 0 parses in this process.
        no_pch: Whether precompiled headers are off.
        cache_dir: In place of the default.
        no_cache: Whether the cache is a temporary folder.
        quiet: Whether only the result is printed.
        remote_cache: The URL or folder of a cache shared with other machines, or None.
        remote_read_only: Whether nothing is written there.
        dask: The address of a scheduler whose workers parse, or None.
    """

    configuration: tuple[str, ...]
    jobs: int
    no_pch: bool
    cache_dir: Path | None
    no_cache: bool
    quiet: bool
    remote_cache: str | None = None
    remote_read_only: bool = False
    dask: str | None = None


def place(function: F) -> F:
    """Add ``--config`` and ``--root``, passed as `Place`."""
    return bundled(
        function,
        "place",
        Place,
        click.option("--config", type=_FILE, metavar="FILE", help="The configuration; default: mgaudit.toml, upwards."),
        click.option("--root", type=_FILE, metavar="DIR", help="The tree's root, in place of the configured one."),
    )


def execution(function: F) -> F:
    """Add the options of commands that need facts, passed as `Execution`."""
    return bundled(
        function,
        "execution",
        Execution,
        click.option("--configuration", multiple=True, metavar="NAME", help="Only this configuration; repeatable."),
        click.option(
            "-j", "--jobs", type=click.IntRange(0), envvar="MGAUDIT_JOBS", default=processors,
            show_default="all processors",
            help="Processes that parse; 0 for none but this one, without limits.",
        ),
        click.option("--no-pch", is_flag=True, help="Parse without precompiled headers."),
        click.option("--cache-dir", type=_FILE, metavar="DIR", help="Where facts are kept."),
        click.option("--no-cache", is_flag=True, help="Keep no facts, and use none that are kept."),
        click.option(
            "-q", "--quiet", is_flag=True,
            help="Print the result only: of gates, findings and errors, and nothing where there are none.",
        ),
        click.option(
            "--remote-cache", metavar="URL", envvar="MGAUDIT_REMOTE_CACHE",
            help="A cache to share with other machines: a folder, or a URL that fsspec knows, such as s3://.",
        ),
        click.option(
            "--remote-read-only", is_flag=True, envvar="MGAUDIT_REMOTE_READ_ONLY",
            help="Take facts from the shared cache and give it none.",
        ),
        click.option("--dask", metavar="ADDRESS", help="Parse on the workers of this Dask scheduler: tcp://HOST:8786."),
    )  # fmt: skip


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def bundled(function: F, name: str, cls: type[Any], *options: Callable[[F], F]) -> F:
    """Add options whose values the function takes as one argument."""

    @functools.wraps(function)
    def wrapper(*args: Any, **values: Any) -> Any:
        values[name] = cls(**{field.name: values.pop(field.name) for field in fields(cls)})
        return function(*args, **values)

    for option in reversed(options):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]
