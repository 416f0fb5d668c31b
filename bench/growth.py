"""Measures how the time and memory of a run grow with the tree, over copies of the example tree (`bench/scale.py`).

usage: python bench/growth.py [--copies 10,20,…] [--note TEXT]

Parsing is the same for each unit, whatever else there is, so it is measured for the first copy only: the facts of the
others are those of the first with other names, which is checked for the second. All else happens as in a run of one
process: scanning, storing, merging, judging. Each number of copies runs in a process of its own. Appends a line to
bench/history.jsonl.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from history import record
from rich.console import Console
from rich.table import Table
from scale import write

from mgaudit.config.loader import load
from mgaudit.engine import judge, pipeline
from mgaudit.engine.worker import Worker
from mgaudit.gates.registry import PARAMETERS
from mgaudit.sources.records import UnitRecord

if TYPE_CHECKING:
    from mgaudit.engine.worker import Job

_NAME = re.compile(rb"(mg|es|vk|Vk|c)0001")
_SECONDS: dict[str, float] = {}


class Renaming:
    """Parses the units of the first copy, and makes those of the others out of them."""

    def __init__(self) -> None:
        self._parse = Worker._plain
        self._first: dict[str, bytes] = {}
        self.seconds = 0.0
        self.parsed = 0

    def __call__(self, worker: Worker, job: Job) -> UnitRecord:
        _, copy, name = job.unit.path.split("/", 2)
        started = time.process_time()
        if copy == "c0001":
            record = self._parse(worker, job)
            self._first[name] = msgspec.msgpack.encode(record)
        else:
            number = copy[1:].encode()
            record = renamed(self._first[name], number)
            if copy == "c0002" and record != self._parse(worker, job):
                sys.exit(f"{job.unit.path}: its facts are not those of the first copy with other names")
        if copy in {"c0001", "c0002"}:
            self.seconds += time.process_time() - started
            self.parsed += copy == "c0001"
        return record


def renamed(data: bytes, number: bytes) -> UnitRecord:
    """The facts of another copy's unit: all names in a record have the same length in every copy."""

    def other(text: bytes) -> bytes:
        return _NAME.sub(lambda match: match[1] + number, text)

    record = msgspec.msgpack.decode(other(data), type=UnitRecord)
    memos = sorted((file, zlib.compress(other(zlib.decompress(memo)), 1)) for file, memo in record.memos)
    return msgspec.structs.replace(record, memos=memos)


def clocked(owner: Any, name: str, label: str) -> None:
    """Add the time of a function to what its label took so far."""
    function = getattr(owner, name)

    def timed(*args: Any, **options: Any) -> Any:
        started = time.process_time()
        try:
            return function(*args, **options)
        finally:
            key = label or f"gate {args[1].id}"
            _SECONDS[key] = _SECONDS.get(key, 0.0) + time.process_time() - started

    setattr(owner, name, timed)


def run(folder: Path) -> None:
    """One cold and one warm run over a tree, in this process; prints what they took as JSON."""
    renaming = Renaming()
    Worker._plain = lambda worker, job: renaming(worker, job)  # type: ignore[method-assign]  # noqa: PLW0108  it binds
    for name, label in (("_look", "scan"), ("_obtain", "obtain"), ("_merge", "merge")):
        clocked(pipeline._Run, name, label)
    clocked(judge._Bench, "judge", "")
    found = {}
    for title in ("cold", "warm"):
        _SECONDS.clear()
        started = time.process_time()
        settings = load(folder / "mgaudit.toml", PARAMETERS)
        analysis = pipeline.analyse(settings, pipeline.Options(folder / "cache", jobs=0))
        report = judge.judge(analysis)
        if report.exit_code:
            sys.exit(f"exit code {report.exit_code}: {report.errors[:3]} {report.findings[:3]}")
        seconds = time.process_time() - started
        _SECONDS["all"] = seconds
        found[title] = {key: round(value, 3) for key, value in _SECONDS.items()}
        found[title]["units"] = sum(c.units for c in report.configurations)
        analysis.facts.connection.close()
    found["parse"] = {"seconds": round(renaming.seconds, 3), "units": renaming.parsed}
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    found["cache"] = sum(path.stat().st_size for path in (folder / "cache").rglob("*") if path.is_file()) >> 20
    print(json.dumps(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", default="10,20,40")
    parser.add_argument("--note", default="")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.folder:
        run(arguments.folder)
        return
    results: dict[int, Any] = {}
    for copies in map(int, arguments.copies.split(",")):
        with tempfile.TemporaryDirectory() as name:
            write(copies, Path(name, "tree"))
            words = [sys.executable, __file__, "--folder", str(Path(name, "tree"))]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(done.stderr[-2000:])
            results[copies] = json.loads(done.stdout)
    show(results)
    record({"tree": "minigl, scaled", "note": arguments.note, "growth": results})


def show(results: dict[int, Any]) -> None:
    """The milliseconds a unit of each step, by number of copies."""
    table = Table("step", *(f"{copies} copies" for copies in results), title="milliseconds of one processor a unit")
    for title in ("cold", "warm"):
        for step in dict.fromkeys(step for found in results.values() for step in found[title]):
            if step != "units":
                cells = [1000 * found[title].get(step, 0) / found[title]["units"] for found in results.values()]
                table.add_row(f"{title}: {step}", *(f"{cell:.2f}" for cell in cells))
    table.add_row("peak, MiB", *(str(found["peak"]) for found in results.values()))
    table.add_row("cache, MiB", *(str(found["cache"]) for found in results.values()))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
