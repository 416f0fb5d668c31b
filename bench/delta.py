"""Measures `mgaudit diff` of two revisions beside a cold audit of the tree.

usage: python bench/delta.py MGAUDIT_TOML BASE HEAD [--cache-dir DIR] [--note TEXT]

The facts of BASE are in the cache, as after the comparison before; those of HEAD are not. Processor seconds count; each
run appends one line to bench/history.jsonl.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from history import record
from measure import mgaudit, timed

from mgaudit.config.loader import load
from mgaudit.gates.registry import PARAMETERS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("base")
    parser.add_argument("head")
    parser.add_argument("--cache-dir", type=Path)
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    settings = load(arguments.config, PARAMETERS)
    os.chdir(settings.root)
    place = ["--config", str(arguments.config)]
    with tempfile.TemporaryDirectory() as name:
        cold = timed(lambda: mgaudit("check", *place, "--cache-dir", str(Path(name, "cold"))))
        options = [*place, "--cache-dir", str(arguments.cache_dir or Path(name, "warm"))]
        mgaudit("diff", arguments.base, arguments.base, *options)
        diff = timed(lambda: mgaudit("diff", arguments.base, arguments.head, *options))
    ratio = diff.cpu / cold.cpu
    print(f"{diff.cpu:.1f} s diff, {cold.cpu:.1f} s cold audit: {ratio:.2f}; must be at most 0.2")
    line = {
        "tree": settings.tree.name,
        "note": f"diff of two revisions; {arguments.note}".rstrip("; "),
        "seconds": {"cold audit": round(cold.cpu, 1), "diff": round(diff.cpu, 1)},
        "ratios": {"diff / cold audit (processor time)": round(ratio, 3)},
    }
    record(line)


if __name__ == "__main__":
    main()
