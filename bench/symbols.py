"""Measures the binary reader beside llvm-nm on one file, or predicted symbols beside those of real objects.

usage: python bench/symbols.py read BINARY [--nm NAME] [--rounds N] [--note TEXT]
       python bench/symbols.py predict MGAUDIT_TOML [--compiler NAME] [--flag FLAG] [--prefix NAME] [--note TEXT]

`read` takes the best of some rounds of each, interleaved; both are processes of their own. `predict` builds the sources
of a configuration with its standard, defines and include directories, and prints every difference between what each
object leaves undefined and what was predicted; the configuration needs a gate `symbol-purity` over `sources`. Only
names that were predicted or whose own qualified name starts with --prefix count. Each run appends one line to
bench/history.jsonl.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from history import record

from mgaudit.analysis.predictions import predict
from mgaudit.config.loader import load
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import PARAMETERS
from mgaudit.gates.symbol_purity.comparison import entity_of
from mgaudit.sources.binaries import read_binary
from mgaudit.sources.binaries_names import demangle, own_name

if TYPE_CHECKING:
    from mgaudit.config.model import ConfigurationSpec
    from mgaudit.facts.query import Unit

READ = (
    "import sys; from pathlib import Path; from mgaudit.sources.binaries import read_binary; "
    "b = read_binary(Path(sys.argv[1]), 'b'); print(sum(len(o.symbols) for o in b.objects))"
)


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def read(arguments: argparse.Namespace) -> dict[str, object]:
    file = arguments.binary
    ours = [sys.executable, "-c", READ, str(file)]
    theirs = [arguments.nm, *(["-D"] if ".so" in file.name else []), str(file)]
    rounds = [(seconds(ours), seconds(theirs)) for _ in range(arguments.rounds)]
    mine, other = (min(column) for column in zip(*rounds, strict=True))
    count = int(subprocess.run(ours, check=True, capture_output=True, text=True).stdout)
    print(f"{file.name}: {file.stat().st_size >> 20} MiB, {count} symbols")
    print(f"mgaudit {mine:.2f} s, {arguments.nm} {other:.2f} s: {mine / other:.2f}")
    return {
        "binary": f"{file.name}, {file.stat().st_size >> 20} MiB, {count} symbols",
        "seconds": {"read": round(mine, 3), arguments.nm: round(other, 3)},
        "ratios": {f"read / {arguments.nm}": round(mine / other, 3)},
    }


def undefined_in(
    arguments: argparse.Namespace, spec: ConfigurationSpec, unit: Unit, root: Path, output: Path
) -> set[str]:
    flags = [f"-std={spec.standard}", *(f"-D{define}" for define in spec.defines)]
    flags += [f"-I{folder}" for folder in spec.include_dirs]
    flags += [word for folder in spec.system_include_dirs for word in ("-isystem", folder)]
    command = [arguments.compiler, "-w", *flags, *arguments.flag, "-c", unit.name.path, "-o", str(output)]
    subprocess.run(command, cwd=root, check=True)
    return {symbol.name for symbol in read_binary(output, output.name).objects[0].symbols if symbol.is_undefined}


def prediction(arguments: argparse.Namespace) -> dict[str, object]:
    settings = load(arguments.config, PARAMETERS)
    specs = {spec.name: spec for spec in settings.configurations}
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        analysis = analyse(settings, Options(cache=Path(folder) / "cache", jobs=os.cpu_count() or 1))
        for unit in analysis.facts.units:
            if unit.name.kind != "source":
                continue
            names = {r.name for r in predict(analysis.facts, [unit], analysis.files.files).needed}
            found = undefined_in(
                arguments, specs[unit.name.configuration], unit, settings.root, Path(folder) / "unit.o"
            )
            found = {n for n in found if n in names or own_name(n).startswith(arguments.prefix)}
            known, wanted = {entity_of(n) for n in found}, {entity_of(n) for n in names}
            differences = [("linker only", n) for n in sorted(found) if entity_of(n) not in wanted]
            differences += [("predicted only", n) for n in sorted(names) if entity_of(n) not in known]
            for what, name in differences:
                print(f"{unit.name.configuration} {unit.name.path}: {what}: {demangle(name)} ({name})")
            counts.update(["units", *(what for what, _ in differences)])
            counts["symbols"] += len(found)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return {"tree": settings.tree.name, "compiler": " ".join([arguments.compiler, *arguments.flag]), "counts": counts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    reading = commands.add_parser("read")
    reading.add_argument("binary", type=Path)
    reading.add_argument("--nm", default="llvm-nm")
    reading.add_argument("--rounds", type=int, default=5)
    reading.set_defaults(work=read)
    predicting = commands.add_parser("predict")
    predicting.add_argument("config", type=Path)
    predicting.add_argument("--compiler", default="g++")
    predicting.add_argument("--flag", action="append", default=[])
    predicting.add_argument("--prefix", default="\0")
    predicting.set_defaults(work=prediction)
    for command in (reading, predicting):
        command.add_argument("--note", default="")
    arguments = parser.parse_args()
    found = arguments.work(arguments)
    record({"note": arguments.note, **found})


if __name__ == "__main__":
    main()
