from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

from mgaudit.baseline.entries import Entry
from mgaudit.baseline.files import HEAD, parse, render

PAGE = (Path(__file__).parents[2] / "docs" / "baselines.md").read_text(encoding="utf-8")
TOPIC = resources.files("mgaudit.commands").joinpath("topics", "baselines.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", [PAGE, TOPIC], ids=["page", "topic"])
def test_the_example_is_a_baseline_as_it_is_written(text: str) -> None:
    (block,) = re.findall(r"^```\n((?:#.*\n)?src/.*?)^```", text, re.MULTILINE | re.DOTALL)
    baseline, problems = parse("A.txt", block.encode())
    assert problems == []
    assert len(baseline.entries) == 2
    assert render(baseline) in {block, f"{HEAD[0]}\n{block}"}


def test_the_example_of_a_backslash_is_right() -> None:
    assert f"`{Entry(('mg::operator|(A, B)', 'x')).named.removesuffix(' | x')}`" in PAGE
