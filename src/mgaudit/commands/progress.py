"""Progress of long runs: on a terminal only, on standard error."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

from mgaudit.commands.terminal import is_interactive
from mgaudit.engine.progress import Progress, Quiet
from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress as Bar
    from rich.progress import TaskID


@contextlib.contextmanager
def watching(*, quiet: bool) -> Iterator[Progress]:
    """What a run may report to; it is gone from the screen at the end of the block."""
    if quiet or not is_interactive(sys.stderr):
        yield Quiet()
        return
    from rich.console import Console  # noqa: PLC0415  slow, and of no use in CI
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (
        TextColumn("{task.description:>10}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[name]}", markup=False),
    )
    # Without a thread of its own, which would keep worker processes from being forked.
    with Bar(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        yield _Shown(bar)


class _Shown:
    """Progress as a bar."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task: TaskID | None = None

    def begin(self, label: str, total: int) -> None:
        """See `Progress`."""
        self._task = self._bar.add_task(label, total=total, name="")

    def advance(self, name: str) -> None:
        """See `Progress`."""
        if self._task is not None:
            self._bar.update(self._task, advance=1, name=visible(name), refresh=True)

    def end(self) -> None:
        """See `Progress`."""
        if self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None
