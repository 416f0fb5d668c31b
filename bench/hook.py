"""Measures the fast hook on one changed source file beside a compiler that checks the file's syntax.

usage: python bench/hook.py MGAUDIT_TOML [--sample N] [--clang NAME] [--note TEXT]

Each of a sample of sources gets a comment at its end, which is taken back: use a copy of the tree, in a work tree of
git. The cache is warm, as after any earlier run. Processor seconds count; each run appends one line to
bench/history.jsonl.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from history import record
from measure import Tree, mgaudit, timed

from mgaudit.config.loader import load
from mgaudit.gates.registry import PARAMETERS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--cache-dir", type=Path)
    parser.add_argument("--sample", type=int, default=8)
    parser.add_argument("--clang", default="clang++")
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    settings = load(arguments.config, PARAMETERS)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        cache = arguments.cache_dir or Path(name, "cache")
        options = ["check", "--config", str(arguments.config), "--cache-dir", str(cache)]
        mgaudit(*options)
        tree = Tree(settings, Path(name))
        step = max(1, len(tree.commands) // arguments.sample)
        for command in tree.commands[step // 2 :: step][: arguments.sample]:
            file = settings.root / command.path
            before = file.read_bytes()
            words = [*tree.words(arguments.clang, command), "-fsyntax-only"]
            compiler = timed(lambda words=words: subprocess.run(words, capture_output=True, check=False)).cpu
            try:
                for _ in range(2):  # the first look at a new list of starts is not what a warm cache means
                    file.write_bytes(before + f"\n// {time.time_ns()}\n".encode())  # no cache knows this content
                    hook = timed(lambda: mgaudit(*options, "--changed", "--fast", "-j", "1")).cpu
            finally:
                file.write_bytes(before)
            rows.append((command.path, hook, compiler))
            print(f"{hook:6.2f} s hook  {compiler:6.2f} s {arguments.clang}  {hook / compiler:5.2f}  {command.path}")
    ratios = [hook / compiler for _, hook, compiler in rows]
    total = sum(hook for _, hook, _ in rows) / sum(compiler for *_, compiler in rows)
    print(f"median {statistics.median(ratios):.2f}, of the sums {total:.2f}; must be at most 0.6")
    line = {
        "tree": settings.tree.name,
        "note": f"fast hook, one changed source of {len(rows)}; {arguments.note}".rstrip("; "),
        "ratios": {"hook / syntax only, median": round(statistics.median(ratios), 3), "sums": round(total, 3)},
    }
    record(line)


if __name__ == "__main__":
    sys.exit(main())
