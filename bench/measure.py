"""Measures mgaudit side by side with a compiler and a dependency scanner on one tree, in one run, with the same jobs.

usage: python bench/measure.py MGAUDIT_TOML [--jobs N] [--sample N] [--clang NAME] [--scan-deps NAME] [--note TEXT]

The compiler parses a sample of the translation units, spread evenly over them, and its time is scaled to all of them;
a sample of 0 means all. Times are wall-clock seconds; processor seconds stand beside them, for they suffer less from
what else the machine does. Each run appends one line to bench/history.jsonl.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from history import record
from rich.console import Console
from rich.table import Table

from mgaudit.config.loader import load
from mgaudit.gates.registry import PARAMETERS
from mgaudit.sources.compile_commands import plan
from mgaudit.sources.toolchain import discover
from mgaudit.sources.tree import list_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.config.model import Settings
    from mgaudit.domain.configurations import ParseCommand


@dataclass(frozen=True)
class Timing:
    """Wall-clock and processor seconds, and the largest process's peak memory in MiB."""

    wall: float
    cpu: float
    peak: float = 0.0

    def times(self, factor: float) -> Timing:
        return Timing(self.wall * factor, self.cpu * factor, self.peak)


def timed(work: Callable[[], object]) -> Timing:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    work()
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timing(wall, cpu, after.ru_maxrss / 1024)


def mgaudit(*arguments: str) -> None:
    # An installed program has its bytecode.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    words = [sys.executable, "-m", "mgaudit", *arguments]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    if done.returncode not in {0, 1, 2} or "Traceback" in done.stderr:
        sys.exit(f"mgaudit {' '.join(arguments)} failed:\n{done.stderr}")


def command_line(compiler: str, command: ParseCommand, root: Path) -> list[str]:
    """The unit's own flags for another clang: without libclang's built-in headers, which belong to its version."""
    words = list(command.arguments)
    if "-resource-dir" in words:
        index = words.index("-resource-dir")
        del words[index : index + 2]
    return [compiler, *words, str(root / command.path)]


class Tree:
    """The tree under measurement and its in-memory headers, written out for the other tools."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.settings = settings
        toolchain = discover()
        name = settings.configurations[0].name
        self.commands = plan(settings, list_files(settings), toolchain).of(name).commands
        self.stubs: dict[str, str] = {}
        for path, text in toolchain.unsaved(settings.configurations[0]):
            target = folder / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            self.stubs[str(Path(path).parent)] = str(target.parent)

    def words(self, compiler: str, command: ParseCommand) -> list[str]:
        return [self.stubs.get(word, word) for word in command_line(compiler, command, self.settings.root)]


def syntax_only(tree: Tree, compiler: str, jobs: int, sample: int) -> tuple[Timing, int]:
    step = max(1, len(tree.commands) // sample) if sample else 1
    chosen = tree.commands[::step]

    def compile_one(command: ParseCommand) -> None:
        subprocess.run([*tree.words(compiler, command), "-fsyntax-only"], capture_output=True, check=False)

    def work() -> None:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(compile_one, chosen))

    return timed(work).times(len(tree.commands) / len(chosen)), len(chosen)


def scan_deps(tree: Tree, scanner: str, compiler: str, jobs: int, folder: Path) -> Timing:
    entries = [
        {"directory": c.directory, "file": str(tree.settings.root / c.path), "arguments": tree.words(compiler, c)}
        for c in tree.commands
    ]
    database = folder / "compile_commands.json"
    database.write_text(json.dumps(entries))
    done: list[subprocess.CompletedProcess[str]] = []
    words = [scanner, f"-compilation-database={database}", "-j", str(jobs), "-mode=preprocess"]
    started = timed(lambda: done.append(subprocess.run(words, capture_output=True, text=True, check=False)))
    if not done[0].stdout:
        sys.exit(f"{scanner} found nothing: {done[0].stderr[:300]}")
    return started


def measure(arguments: argparse.Namespace) -> dict[str, Timing]:
    settings = load(arguments.config, PARAMETERS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tree = Tree(settings, folder)
        options = ["--config", str(arguments.config), "--cache-dir", str(folder / "cache"), "-j", str(arguments.jobs)]
        check = lambda: mgaudit("check", *options, "--output-format", "json")  # noqa: E731
        rows = {"cold audit": timed(check), "warm audit": timed(check)}
        shutil.rmtree(folder / "cache" / "verdict")
        rows["judged afresh"] = timed(check)
        clang, scanner = shutil.which(arguments.clang), shutil.which(arguments.scan_deps)
        if clang:
            label = f"{arguments.clang} -fsyntax-only"
            rows[label], count = syntax_only(tree, clang, arguments.jobs, arguments.sample)
            print(f"{label}: {count} of {len(tree.commands)} units, scaled", file=sys.stderr)
        if clang and scanner:
            rows[arguments.scan_deps] = scan_deps(tree, scanner, clang, arguments.jobs, folder)
        rows["python -c pass"] = timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
        rows["mgaudit --help"] = timed(lambda: mgaudit("--help"))
        return rows


def ratios(rows: dict[str, Timing], arguments: argparse.Namespace) -> list[tuple[str, float, float, float]]:
    """(what, measured, must, aim), in processor seconds for the long ones and wall-clock seconds for the short ones."""
    found = []
    syntax = rows.get(f"{arguments.clang} -fsyntax-only")
    if syntax:
        found.append(("cold audit / syntax only (processor time)", rows["cold audit"].cpu / syntax.cpu, 0.20, 0.10))
    if scan := rows.get(arguments.scan_deps):
        found.append(("warm audit / scan-deps (wall time)", rows["warm audit"].wall / scan.wall, 1.0, 0.3))
    found.append(
        ("--help / python -c pass (wall time)", rows["mgaudit --help"].wall / rows["python -c pass"].wall, 2.5, 2.5)
    )
    found.append(("peak memory of one process, MiB", rows["cold audit"].peak, 700, 450))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sample", type=int, default=12)
    parser.add_argument("--clang", default="clang++")
    parser.add_argument("--scan-deps", default="clang-scan-deps")
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    rows = measure(arguments)
    table = Table("measure", "wall s", "processor s", "peak MiB", title=f"{arguments.jobs} jobs")
    for name, timing in rows.items():
        table.add_row(name, f"{timing.wall:.2f}", f"{timing.cpu:.2f}", f"{timing.peak:.0f}")
    verdicts = Table("ratio", "measured", "must", "aim")
    found = ratios(rows, arguments)
    for what, measured, must, aim in found:
        verdicts.add_row(what, f"{measured:.3g}", f"{must:g}", f"{aim:g}", style="red" if measured > must else None)
    console = Console()
    console.print(table, verdicts)
    line = {
        "tree": load(arguments.config, PARAMETERS).tree.name,
        "jobs": arguments.jobs,
        "sample": arguments.sample,
        "note": arguments.note,
        "seconds": {name: [round(t.wall, 2), round(t.cpu, 2), round(t.peak)] for name, t in rows.items()},
        "ratios": {what: round(measured, 3) for what, measured, _, _ in found},
    }
    record(line)


if __name__ == "__main__":
    main()
