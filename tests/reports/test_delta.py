from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from markdown_it import MarkdownIt

from mgaudit.domain.runs import Run, RunFinding, RunGate, RunInputs, RunProblem, RunSite, RunTool
from mgaudit.engine.comparison import CodeChange, compare
from mgaudit.reports import delta as report

if TYPE_CHECKING:
    from mgaudit.domain.delta import Delta

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/delta.schema.json").read_text(encoding="utf-8"))
HOSTILE = "</td><script>alert(1)</script> `a` |b| @everyone [x](http://e.vil) \x1b\u202e"


def made(text: str, number: int = 1) -> Delta:
    """A delta in which everything that comes from a tree is one text."""
    sites = tuple(
        RunSite(text, text, n + 1, 1, f"{text}{n}", text, text, "value", "read", "unmapped") for n in range(number)
    )
    findings = tuple(
        RunFinding(text, "reads", "error", text, text, text, n + 1, 1, text, f"{text}{n}", f"f{n}", baselined=False)
        for n in range(number)
    )
    inputs = RunInputs("a", {text: "b"}, {})
    run = Run(1, RunTool("1", None), text, False, (RunGate(text, "reads", "red"),), findings,
              (RunProblem(text, 1, text),), None, sites, {text: (text,)}, inputs)  # fmt: skip
    before = replace(run, sites=(), findings=(), inputs=replace(inputs, catalogues={}), errors=())
    return compare((text, "head"), before, run, CodeChange(affected=frozenset({text})))


def test_text_of_the_tree_is_never_markup() -> None:
    delta = made(HOSTILE)
    page = report.as_html(delta)
    assert page.count("<script>") == 1
    assert "\x1b" not in page
    assert "\u202e" not in page
    for token in MarkdownIt("commonmark").enable("table").parse(report.as_markdown(delta)):
        depth = 0
        for child in token.children or ():
            assert child.type not in {"link_open", "image"}
            if child.type == "html_inline":
                assert child.content in {"<code>", "</code>"}
                depth += {"<code>": 1, "</code>": -1}[child.content]
            assert depth or child.type != "text" or "@" not in child.content
    jsonschema.validate(json.loads(report.as_json(delta)), SCHEMA)


@pytest.mark.parametrize("number", [0, 1, 400, 5000])
def test_the_comment_fits_whatever_the_change(number: int) -> None:
    text = report.as_markdown(made("src/b/" + "x" * 200, number))
    assert len(text) < 65_536
    assert text.startswith(report.MARK)
    assert f"**{number} new error{'s' if number != 1 else ''}**" in text
    if number > 100:
        assert "more of" in text


def test_both_runs_reasons_are_told_once() -> None:
    delta = made("a.cpp")
    both = replace(delta, before=replace(delta.before, trusted=False, errors=delta.after.errors))
    text = report.as_markdown(both)
    assert text.count("Not to be trusted") == 1
    assert "`both runs`: 1 reason." in text
    assert not both.trusted
