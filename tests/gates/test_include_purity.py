from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.engine.judge import context_of
from mgaudit.facts.query import Edge
from mgaudit.gates.include_purity.check import check
from mgaudit.gates.include_purity.crossings import crossings, leads_across

if TYPE_CHECKING:
    from pathlib import Path

    from mgaudit.graphs.includes import Adjacency
    from tests.gates.conftest import Analyse, Audit

GATE = """
[[gate]]
id = "A"
kind = "include-purity"
from = ["backend"]
forbid = ["state"]
"""
CHAIN = [("src/backend/draw.cpp", "src/util/a.h"), ("src/util/a.h", "src/state/context.h")]
STATE = {"src/state/context.h": "#pragma once\n", "src/state/context.cpp": '#include "state/context.h"\n'}


def graph(*edges: tuple[str, int, str]) -> Adjacency:
    found: Adjacency = {}
    for number, (source, line, target) in enumerate(sorted(edges)):
        found.setdefault(source, []).append(Edge(source, line, target, target, angled=False, id=number))
    return found


def steps(adjacency: Adjacency, forbidden: set[str]) -> list[list[tuple[str, int]]]:
    return [[(e.source, e.line) for e in chain] for chain in crossings(adjacency, "m", forbidden).chains]


def test_the_shortest_chain_wins_over_the_first() -> None:
    adjacency = graph(("m", 1, "a"), ("a", 1, "b"), ("b", 1, "x"), ("m", 9, "c"), ("c", 1, "x"))
    assert steps(adjacency, {"x"}) == [[("m", 9), ("c", 1)]]


def test_of_equal_chains_the_first_by_line_wins() -> None:
    adjacency = graph(("m", 2, "z"), ("z", 7, "x"), ("m", 5, "a"), ("a", 1, "x"))
    assert steps(adjacency, {"x"}) == [[("m", 2), ("z", 7)]]


def test_nothing_is_crossed_behind_a_forbidden_file() -> None:
    adjacency = graph(("m", 1, "x"), ("x", 1, "y"), ("m", 2, "a"), ("a", 1, "b"), ("b", 1, "y2"), ("x", 2, "y2"))
    assert [chain[-1][0] for chain in steps(adjacency, {"x", "y", "y2"})] == ["m", "b"]


def test_a_cycle_ends() -> None:
    adjacency = graph(("m", 1, "a"), ("a", 1, "m"), ("a", 2, "a"), ("a", 3, "x"))
    assert steps(adjacency, {"x"}) == [[("m", 1), ("a", 3)]]


def test_a_removed_edge_is_not_followed() -> None:
    adjacency = graph(("m", 1, "x"), ("m", 2, "a"), ("a", 1, "x"))
    found = crossings(adjacency, "m", {"x"}, {("m", "x")})
    assert [[e.target for e in chain] for chain in found.chains] == [["a", "x"]]


@given(
    st.lists(st.tuples(st.sampled_from("mabcxy"), st.integers(1, 9), st.sampled_from("mabcxy")), max_size=20),
    st.sets(st.sampled_from("xyc")),
)
def test_a_crossing_exists_exactly_where_the_closure_holds_a_forbidden_file(
    edges: list[tuple[str, int, str]], forbidden: set[str]
) -> None:
    adjacency = graph(*edges)
    found = crossings(adjacency, "m", forbidden)
    assert bool(found.chains) == leads_across(adjacency, "m", forbidden)
    for chain in found.chains:
        assert chain[0].source == "m"
        assert all(first.target == second.source for first, second in itertools.pairwise(chain))
        assert [edge.target in forbidden for edge in chain] == [False] * (len(chain) - 1) + [True]


def test_the_evidence_is_the_chain_with_its_directives(audit: Audit) -> None:
    report = audit(
        {
            **STATE,
            "src/util/a.h": "#pragma once\n  #  include   <state/context.h>\n",
            "src/backend/draw.cpp": '\n#include "util/a.h"\n',
            "src/backend/blit.h": '#pragma once\n#include "util/a.h"\n',
        },
        GATE,
    )
    draw = next(f for f in report.findings if f.path.endswith("draw.cpp"))
    assert [(e.path, e.line, e.text) for e in draw.evidence] == [
        ("src/backend/draw.cpp", 2, '#include "util/a.h"'),
        ("src/util/a.h", 2, "#include <state/context.h>"),
    ]
    assert draw.identity == ("src/backend/draw.cpp", "src/state/context.h")
    assert report.gates[0].examined == {"units": 1, "headers": 1, "edges": 3}


def test_the_finding_says_how_many_entries_a_directive_affects(audit: Audit) -> None:
    tree = {f"src/backend/u{n}.cpp": '#include "backend/all.h"\n' for n in range(3)}
    report = audit({**STATE, **tree, "src/backend/all.h": '#include "state/context.h"\n'}, GATE)
    (finding,) = report.findings
    assert (finding.path, finding.line) == ("src/backend/all.h", 1)
    assert "4 entry files" in finding.message


def test_headers_alone_can_be_left_out(audit: Audit) -> None:
    tree = {**STATE, "src/backend/a.h": '#include "state/context.h"\n', "src/backend/b.cpp": "int b;\n"}
    assert audit(tree, GATE).exit_code == 1
    report = audit(tree, GATE + "headers = false\n")
    assert (report.exit_code, report.gates[0].examined["headers"]) == (0, 0)


@pytest.mark.parametrize(
    ("exempt", "expected"),
    [
        ('{ edge = "src/util/a.h -> src/state/context.h", reason = "r" }', []),
        ('{ edge = "src/backend/draw.cpp -> src/util/a.h", reason = "r" }', []),
        ('{ edge = "src/backend/draw.cpp -> src/util/b.h", reason = "r" }', ["mgaudit.toml", "src/backend/draw.cpp"]),
        ('{ edge = "src/util/c.h -> src/util/b.h", reason = "r" }', ["mgaudit.toml", "src/backend/draw.cpp"]),
        ('{ edge = "src/util/a.h -> src/state/context.h", path = "src/backend/draw.cpp", reason = "r" }', []),
        (
            '{ edge = "src/util/a.h -> src/state/context.h", path = "src/backend/blit.cpp", reason = "r" }',
            ["mgaudit.toml", "src/backend/draw.cpp"],
        ),
        ('{ path = "src/backend/draw.cpp", entity = "src/state/context.h", reason = "r" }', []),
        (
            # both lie on the only chain
            ", ".join(f'{{ edge = "{e} -> {i}", reason = "r" }}' for e, i in CHAIN),
            [],
        ),
    ],
)
def test_exemptions(audit: Audit, exempt: str, expected: list[str]) -> None:
    tree = {
        **STATE,
        "src/util/a.h": '#include "state/context.h"\n',
        "src/util/b.h": "#pragma once\n",
        "src/backend/draw.cpp": '#include "util/a.h"\n#include "util/b.h"\n',
    }
    report = audit(tree, GATE + f"exempt = [{exempt}]\n")
    assert [finding.path for finding in report.findings] == expected


def test_a_forced_include_of_the_command_line_lies_on_the_configuration(audit: Audit) -> None:
    tree = {**STATE, "src/backend/draw.cpp": "int draw;\n"}
    report = audit(tree, GATE, 'extra-args = ["-include", "src/state/context.h"]\n')
    (finding,) = report.findings
    assert (finding.path, finding.line) == ("mgaudit.toml", 7)
    assert finding.evidence[0].text == "-include src/state/context.h"


def test_a_file_counts_under_its_real_path(audit: Audit, tmp_path: Path) -> None:
    for name, text in STATE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "src/util").mkdir()
    (tmp_path / "src/util/link.h").symlink_to("../state/context.h")
    report = audit({**STATE, "src/backend/draw.cpp": '#include "util/link.h"\n'}, GATE)
    assert [(f.path, f.entity) for f in report.findings] == [("src/backend/draw.cpp", "src/state/context.h")]


def test_a_forbidden_zone_of_namespaces_alone_proves_nothing(audit: Audit) -> None:
    gates = '[zone.names]\nnamespaces = ["mg"]\n' + GATE.replace('["state"]', '["names"]')
    report = audit({**STATE, "src/backend/draw.cpp": "int draw;\n"}, gates)
    assert report.exit_code == 2
    assert "names" in report.errors[0].message


POISONED = {
    **STATE,
    "src/util/a.h": '#pragma once\n#include "state/context.h"\n',
    "src/backend/draw.cpp": '#include "util/a.h"\nint draw;\n',
    "src/backend/clear.cpp": "int clear;\n",
    "src/backend/pass.h": '#pragma once\n#ifndef LIGHT\n#include "state/context.h"\n#endif\n',
}


def test_poisoned_entries_agree_with_the_closure(audit: Audit) -> None:
    report = audit(POISONED, GATE + "poison = true\n")
    assert (report.exit_code, report.errors) == (1, ())
    assert [f.path for f in report.findings] == ["src/backend/draw.cpp", "src/backend/pass.h"]


def test_a_poisoned_entry_that_disagrees_with_the_closure_is_no_proof(analysed: Analyse) -> None:
    analysis = analysed(POISONED, GATE + "poison = true\n")
    given = context_of(analysis, analysis.settings.gates[0])
    paths = {"src/backend/draw.cpp", "src/backend/clear.cpp", "src/backend/pass.h"}
    entries = given.poisoned(paths, {"src/state/context.h"})
    assert {path: files for (_, path), files in entries.items()} == {
        "src/backend/draw.cpp": {"src/state/context.h"},
        "src/backend/clear.cpp": frozenset(),
        "src/backend/pass.h": {"src/state/context.h"},
    }
    blind: dict[tuple[str, str], frozenset[str]] = {place: frozenset() for place in entries}
    problems = check(replace(given, poisoned=lambda _, __: blind)).problems
    assert [p.path for p in problems] == ["src/backend/draw.cpp", "src/backend/pass.h"]
    assert "src/state/context.h" in problems[0].message


def test_what_hangs_on_macros_of_a_poisoned_file_is_no_disagreement(audit: Audit) -> None:
    tree = {
        "src/state/flag.h": "#define FLAG\n",
        "src/state/context.h": "",
        "src/backend/draw.cpp": '#include "state/flag.h"\n#ifdef FLAG\n#include "state/context.h"\n#endif\n',
    }
    report = audit(tree, GATE + "poison = true\n")
    assert report.exit_code == 1
    assert [(f.line, f.entity) for f in report.findings] == [(1, "src/state/flag.h"), (3, "src/state/context.h")]
