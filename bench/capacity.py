"""Computes what a tree of many translation units would take, from the measurements in bench/history.jsonl.

usage: python bench/capacity.py [--units N]

Prints the tables of docs/capacity.md. The costs of a small unit are those of the last `bench/growth.py`, at its largest
number of copies; those of a large one are of the last `bench/measure.py` or `bench/run.py` over the tree: one process
judges afresh what is parsed already, all else is parsed by any number.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from typing import Any

import history

CORES = (1, 16, 256)


@dataclass(frozen=True)
class Cost:
    """Processor seconds a unit: what any number of cores divide, and what one of them does."""

    name: str
    divided: float
    alone: float

    def seconds(self, units: int, cores: int) -> float:
        return units * (self.divided / cores + self.alone)


def small(found: dict[str, Any]) -> Cost:
    """The costs of a unit of the example tree, from a measurement of growth."""
    copies = max(found, key=int)
    cold, units = found[copies]["cold"], found[copies]["cold"]["units"]
    # Two copies were parsed: the first, and the second for comparison.
    parses = found[copies]["parse"]
    parse = parses["seconds"] / (2 * parses["units"])
    stored = (cold["obtain"] - parses["seconds"]) / units
    gates = sum(value for key, value in cold.items() if key.startswith("gate "))
    return Cost("small", parse + (cold["scan"] / units) + stored, (cold["merge"] + gates) / units)


def large(run: dict[str, Any], units: int) -> Cost:
    """The costs of a unit of a tree with large headers."""
    cold, judged = run["seconds"].get("cold") or run["seconds"]["cold audit"], run["seconds"]["judged afresh"]
    return Cost("large", (cold[1] - judged[1]) / units, judged[1] / units)


def spoken(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=30_000)
    parser.add_argument("--large-units", type=int, default=121, help="units of the tree with large headers")
    arguments = parser.parse_args()
    lines = [json.loads(line) for line in history.FILE.read_text(encoding="utf-8").splitlines()]
    growth = [line["growth"] for line in lines if "growth" in line][-1]
    runs = [
        line for line in lines
        if line.get("tree", "").lower() == "mobilegl" and "judged afresh" in line.get("seconds", {})
    ]  # fmt: skip
    costs = [small(growth), large(runs[-1], arguments.large_units)]
    print("| a unit | divided among cores | by one process |\n|---|---|---|")
    for cost in costs:
        print(f"| {cost.name} | {1000 * cost.divided:.0f} ms | {1000 * cost.alone:.0f} ms |")
    print(f"\n| {arguments.units:,} units | {' | '.join(f'{cores} cores' for cores in CORES)} |\n|---|---|---|---|")
    for cost in costs:
        print(f"| {cost.name} | {' | '.join(spoken(cost.seconds(arguments.units, cores)) for cores in CORES)} |")
    for copies, found in growth.items():
        units, warm = found["cold"]["units"], found["warm"]["all"]
        print(
            f"{copies} copies: {units} units, {1000 * warm / units:.2f} ms warm, {found['peak']} MiB peak, "
            f"{1024 * found['cache'] / units:.0f} KiB of cache a unit"
        )


if __name__ == "__main__":
    main()
