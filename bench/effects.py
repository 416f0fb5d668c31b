"""Measures what the gates that infer effects add to a cold audit: write-backs, mutations, the dirty surface.

usage: python bench/effects.py MGAUDIT_TOML [--jobs N] [--note TEXT]

Two cold audits, each with an empty cache: one without those gates, one with all. Bodies are extracted in both, as other
gates want them, too. Processor seconds count; each run appends one line to bench/history.jsonl.
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

INFERRING = frozenset({"writebacks", "mutations", "dirty-surface"})
MUST = 0.30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--note", default="")
    arguments = parser.parse_args()
    settings = load(arguments.config, PARAMETERS)
    others = [word for gate in settings.gates if gate.kind not in INFERRING for word in ("--gate", gate.id)]
    seconds = {}
    for name, words in (("without", others), ("with", [])):
        with tempfile.TemporaryDirectory() as cache:
            options = ["--config", str(arguments.config), "--cache-dir", cache, "-j", str(arguments.jobs)]
            seconds[name] = timed(lambda options=options, words=words: mgaudit("check", *options, *words)).cpu
    without, whole = seconds["without"], seconds["with"]
    added = whole / without - 1
    print(f"cold audit: {without:.1f} s without, {whole:.1f} s with: {added:+.1%}; must be {MUST:.0%} at most")
    line = {
        "tree": settings.tree.name,
        "note": f"gates that infer effects; {arguments.note}",
        "seconds": {name: round(value, 1) for name, value in seconds.items()}, "ratios": {"added": round(added, 3)},
    }  # fmt: skip
    record(line)


if __name__ == "__main__":
    main()
