"""Draws the ratios of bench/run.py over time, each beside its targets: bench/history.svg.

usage: python bench/plot.py
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

import history

FILE = Path(__file__).parent / "history.svg"
_WIDTH, _HEIGHT, _LEFT, _GAP = 720, 64, 250, 14

_DASHES = 'stroke-dasharray="5 4"'


def draw() -> None:
    """Draw the history anew: one row a ratio, one point a run; a line for what must be, a dashed one for the aim."""
    lines = [json.loads(line) for line in history.FILE.read_text(encoding="utf-8").splitlines()]
    runs = [line for line in lines if "targets" in line]
    names = list(dict.fromkeys(name for run in runs for name in run["targets"]))
    rows = [_row(name, runs, number * (_HEIGHT + _GAP)) for number, name in enumerate(names)]
    height = len(names) * (_HEIGHT + _GAP) + 10
    FILE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" '
        f'font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(rows) + "\n</svg>\n",
        encoding="utf-8",
    )


def _row(name: str, runs: list[dict[str, Any]], top: int) -> str:
    points = [(index, run["ratios"][name], run) for index, run in enumerate(runs) if name in run["ratios"]]
    must, aim = points[-1][2]["targets"][name]
    most = max(must, *(value for _, value, _ in points)) * 1.15

    def x(index: int) -> float:
        return _LEFT + 20 + (_WIDTH - _LEFT - 60) * index / max(1, len(runs) - 1)

    def y(value: float) -> float:
        return top + 8 + _HEIGHT * (1 - value / most)

    line = " ".join(f"{x(index):.1f},{y(value):.1f}" for index, value, _ in points)
    parts = [
        f'<text x="8" y="{top + 30}">{escape(name)}</text>',
        f'<text x="8" y="{top + 48}" fill="#555">{points[-1][1]:.3g}; must {must:g}, aim {aim:g}</text>',
        f'<line x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{y(must):.1f}" y2="{y(must):.1f}" stroke="#b00"/>',
        f'<line x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{y(aim):.1f}" y2="{y(aim):.1f}" stroke="#080" {_DASHES}/>',
        f'<polyline points="{line}" fill="none" stroke="#248"/>',
    ]  # fmt: skip
    parts += [
        f'<circle cx="{x(index):.1f}" cy="{y(value):.1f}" r="3.5" fill="#248"><title>'
        f"{escape(run['date'])}, {escape(run['tree'])}: {value:.3g}. {escape(run.get('note', ''))}</title></circle>"
        for index, value, run in points
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    draw()
