from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from mgaudit import gates
from mgaudit.commands.demo import copy_example

Run = Callable[..., Any]

GATE = """
[[catalogue]]
name = "reads"
file = "src/coverage.def"
list = "COVERAGE"
columns = ["accessor", "call"]

[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
pseudo-calls = ["kHandle"]
"""
DRAW = """\
#include "state/context.h"
int Draw(const state::Context& c) {
    int sum = c.width;
    return sum + c.Height() + c.Height();
}
"""


@pytest.fixture
def boundary(tree: Path) -> Path:
    """A tree with a mapped read, an unmapped one that occurs twice, and a stale row."""
    (tree / "src/state/context.h").write_text(
        "#pragma once\nnamespace state {\nstruct Context {\n    int width = 0;\n    int Height() const;\n"
        "    int Depth() const;\n};\n}\n"
    )
    (tree / "src/backend/draw.cpp").write_text(DRAW)
    (tree / "src/coverage.def").write_text("#define COVERAGE(X) \\\n    X(width, kHandle) \\\n    X(Depth, kHandle)\n")
    file = tree / "mgaudit.toml"
    file.write_text(file.read_text() + GATE)
    return tree


def test_every_site_is_listed_and_adds_up(boundary: Path, mgaudit: Run) -> None:
    result = mgaudit("surface", "reads")
    assert result.code == 0
    assert result.out.splitlines() == [
        "src/backend/draw.cpp:2:23: signature state::Context (read)",
        "src/backend/draw.cpp:3:17: value width (read via alias) -> kHandle",
        "src/backend/draw.cpp:4:20: value Height (call via alias) -> unmapped",
        "src/backend/draw.cpp:4:33: value Height (call via alias) -> unmapped",
        "",
        "4 sites in 1 file",
        "",
        "5 references lead into the observed zones:",
        "  1  site: signature",
        "  3  site: value",
        "  1  structural: namespace name",
        "  5  in all",
    ]


@pytest.mark.parametrize(
    ("by", "rows"),
    [
        ("accessor", ["Height,2,0,2", "state::Context,1,1,0", "width,1,0,1"]),
        ("file", ["src/backend/draw.cpp,4,1,3"]),
        ("function", ["Draw(const state::Context &),4,1,3"]),
        ("class", ["state::Context,4,1,3"]),
        ("verb", ["(no verb),4,1,3"]),
    ],
)
def test_tables(boundary: Path, mgaudit: Run, by: str, rows: list[str]) -> None:
    out = mgaudit("surface", "reads", "--by", by, "--output-format", "csv").out
    assert out.splitlines() == [f"{by},sites,signature,value", *rows]
    text = mgaudit("surface", "reads", "--by", by).out.splitlines()
    assert text[0].split() == [by, "sites", "signature", "value"]
    assert text[2].startswith(rows[0].split(",")[0])


def test_totals_by_kind(boundary: Path, mgaudit: Run) -> None:
    lines = mgaudit("surface", "reads", "--by", "kind").out.splitlines()
    assert [line.split() for line in lines[2:4]] == [["value", "3"], ["signature", "1"]]


def test_json_has_the_shape_of_the_interface(boundary: Path, mgaudit: Run) -> None:
    value: dict[str, Any] = json.loads(mgaudit("surface", "reads", "--output-format", "json").out)
    assert (value["schema"], value["surface"], value["examined"]["value sites"]) == (1, "reads", 3)
    assert value["sites"][1] == {
        "path": "src/backend/draw.cpp", "line": 3, "column": 17, "symbol": "Draw(const state::Context &)",
        "entity": "state::Context::width", "accessor": "width", "kind": "value", "via": ["alias"], "role": "read",
        "verdict": "kHandle", "verbs": [], "configurations": ["mono", "split"], "gate": "R",
    }  # fmt: skip


def test_signatures_are_a_part_of_it(boundary: Path, mgaudit: Run) -> None:
    value = json.loads(mgaudit("surface", "signatures", "--output-format", "json").out)
    assert [site["kind"] for site in value["sites"]] == ["signature"]


def test_a_surface_needs_a_gate(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("surface", "reads")
    assert (result.code, "no gate of the kind `reads` is configured" in result.err) == (2, True)
    assert "help: write a `[[gate]]`" in result.err
    result = mgaudit("surface", "reads", "--output-format", "json")
    assert (result.code, json.loads(result.out)["trusted"]) == (2, False)


def test_a_surface_of_a_malformed_catalogue_is_untrusted(boundary: Path, mgaudit: Run) -> None:
    (boundary / "src/coverage.def").write_text("#define COVERAGE(X) X(width, kHandle) Y(Height)\n")
    result = mgaudit("surface", "reads")
    assert result.code == 2
    assert "src/coverage.def:1: error: column 39: `Y` opens no row of COVERAGE" in result.err


def test_a_surface_in_a_file(boundary: Path, mgaudit: Run) -> None:
    assert mgaudit("surface", "reads", "-o", "census.txt").out == ""
    assert "4 sites in 1 file\n" in (boundary / "census.txt").read_text()


# ---- catalogues


def test_catalogues_are_listed(boundary: Path, mgaudit: Run) -> None:
    assert mgaudit("catalogue").out.splitlines() == [
        "reads: 2 rows in src/coverage.def, the list COVERAGE",
        "      2  width  kHandle",
        "      3  Depth  kHandle",
    ]
    value = json.loads(mgaudit("catalogue", "reads", "--output-format", "json").out)
    assert [row["values"] for row in value["catalogues"][0]["rows"]] == [["width", "kHandle"], ["Depth", "kHandle"]]
    assert (
        mgaudit("catalogue", "--output-format", "csv").out.splitlines()[1] == "reads,src/coverage.def,2,5,width,kHandle"
    )


def test_catalogues_are_cross_checked(boundary: Path, mgaudit: Run) -> None:
    result = mgaudit("catalogue", "--check")
    assert result.code == 1
    assert result.out.splitlines() == [
        "src/coverage.def:3:5: stale: nothing reads Depth",
        "  help: remove the row",
        "2 rows, 1 defect",
    ]


def test_every_row_is_needed(boundary: Path, mgaudit: Run) -> None:
    assert mgaudit("catalogue", "--each").out == "R is red with all rows of reads: mend it first\n"
    (boundary / "src/coverage.def").write_text("#define COVERAGE(X) X(width, kHandle) X(Height, kHandle)\n")
    result = mgaudit("catalogue", "--each")
    assert (result.code, result.out) == (0, "R is green with reads, and red without any one of 2 rows\n")


def test_a_row_that_nothing_misses_is_told(boundary: Path, mgaudit: Run) -> None:
    state = boundary / "src/state/context.h"
    state.write_text(state.read_text().replace("int Height() const;", "int Height(int = 1) const;"))
    (boundary / "src/coverage.def").write_text(
        "#define COVERAGE(X) X(width, kHandle) X(Height, kHandle) X(Height(7), kHandle)\n"
    )
    draw = boundary / "src/backend/draw.cpp"
    draw.write_text(draw.read_text().replace("+ c.Height();", "+ c.Height(7);"))
    result = mgaudit("catalogue", "--each")
    assert (result.code, result.out.splitlines()) == (
        1,
        [
            "R is green with reads, and red without any one of 2 rows",
            "  src/coverage.def:1:58: Height(7): the gate stays green without it",
        ],
    )


def test_a_row_for_one_argument_is_needed_where_its_answer_is_its_own(boundary: Path, mgaudit: Run) -> None:
    state = boundary / "src/state/context.h"
    state.write_text(state.read_text().replace("int Height() const;", "int Height(int = 1) const;"))
    (boundary / "src/coverage.def").write_text(
        "#define COVERAGE(X) X(width, kHandle) X(Height, kHandle) X(Height(7), kOther)\n"
    )
    draw = boundary / "src/backend/draw.cpp"
    draw.write_text(draw.read_text().replace("+ c.Height();", "+ c.Height(7);"))
    result = mgaudit("catalogue", "--each")
    said = "the gate stays green without it: another row answers without it: kHandle"
    assert (result.code, result.out.splitlines()[1:]) == (0, [f"  src/coverage.def:1:58: Height(7): {said}"])


def test_missing_rows_are_suggested(boundary: Path, mgaudit: Run) -> None:
    assert mgaudit("catalogue", "--suggest").out.splitlines() == ["# reads, src/coverage.def:1", "X(Height, …)"]


def test_a_catalogue_that_does_not_exist(boundary: Path, mgaudit: Run) -> None:
    result = mgaudit("catalogue", "red")
    assert (result.code, 'there is no catalogue "red"' in result.err) == (2, True)


def test_the_surface_of_mutations_lists_each_pair_with_its_verdict(tmp_path: Path, mgaudit: Run) -> None:
    copy_example(tmp_path / "minigl", broken=False)
    config = str(tmp_path / "minigl" / "mgaudit.toml")
    result = mgaudit("surface", "mutations", "--output-format", "json", "--config", config)
    assert result.code == 0
    sites = json.loads(result.out)["sites"]
    assert len(sites) == 8
    assert {
        "path": "src/impl/GlObjects.cpp", "accessor": "DeleteBuffer", "role": "call", "kind": "value",
        "verdict": "SHARED_HELPER(ReleaseResource)",
    }.items() <= next(site for site in sites if site["accessor"] == "DeleteBuffer").items()  # fmt: skip


def test_the_surface_of_mutators_says_how_far_the_analysis_decides_them(tmp_path: Path, mgaudit: Run) -> None:
    folder = copytree(Path(gates.__path__[0]) / "dirty_surface" / "cases" / "red-missed-paths", tmp_path / "case")
    lines = mgaudit("surface", "mutators", "--config", str(folder / "mgaudit.toml")).out.splitlines()
    assert lines[0] == "src/state/render.h:26:10: value SetCapability (call) -> NEW_RENDER"
    assert lines[4] == "src/state/render.h:55:10: unresolved SetLimit (call) -> NEW_RENDER"
    assert lines[-4:] == [
        "5 mutators owe a row:",
        "  4  decided: what publishes each write is known",
        "  1  undecided: goto",
        "  5  in all",
    ]


def test_a_change_of_some_unknown_object_is_listed_among_the_write_backs(boundary: Path, mgaudit: Run) -> None:
    draw = boundary / "src/backend/draw.cpp"
    draw.write_text(draw.read_text() + "extern void (*hook)();\nvoid Poke() {\n    hook();\n}\n")
    file = boundary / "mgaudit.toml"
    file.write_text(
        file.read_text() + '[[catalogue]]\nname = "w"\ncolumns = ["entity", "verdict", "reason"]\nrows = []\n'
        '[[gate]]\nid = "W"\nkind = "writebacks"\nfrom = ["backend"]\nof = ["state"]\ncatalogue = "w"\n'
    )
    value = json.loads(mgaudit("surface", "writebacks", "--output-format", "json").out)
    assert [(site["line"], site["symbol"], site["kind"], site["verdict"]) for site in value["sites"]] == [
        (8, "Poke()", "unresolved", "undecided")
    ]
    assert value["sites"][0]["entity"].startswith("some object (")
    assert value["examined"]["undecided"] == 1


def test_sites_that_only_some_configurations_see(boundary: Path, mgaudit: Run) -> None:
    more = "#if SPLIT\nint Split(const state::Context& c) { return c.Depth(); }\n#endif\n"
    more += "#if NEVER\nint Never(const state::Context& c) { return c.Depth(); }\n#endif\n"
    (boundary / "src/backend/draw.cpp").write_text(DRAW + more)
    idle = "src/backend/draw.cpp:10:47: unresolved Depth (read)"
    result = mgaudit("surface", "reads", "--partial")
    assert result.out.splitlines()[:6] == [
        "src/backend/draw.cpp:7:24: signature state::Context (read) [only in: split]",
        "src/backend/draw.cpp:7:47: value Depth (call via alias) -> kHandle [only in: split]",
        f"{idle} [in no configuration: syntactic, not proven]",
        "", "3 sites in 1 file", "  1 of them in no configuration: syntactic, not proven",
    ]  # fmt: skip
    whole = json.loads(mgaudit("surface", "reads", "--output-format", "json").out)
    assert whole["configurations"] == ["mono", "split"]
    assert [s["configurations"] for s in whole["sites"] if s["line"] > 6] == [["split"], ["split"], []]
    counts = mgaudit("surface", "reads", "--by", "configuration", "--output-format", "csv").out.splitlines()
    assert counts[0].startswith("configuration,sites,")
    assert [line.rsplit(",", counts[0].count(",") - 1)[0] for line in counts[1:]] == [
        "split,6", "mono,4", '"in no configuration: syntactic, not proven",1',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "case", "out"),
    [
        ("dirty_surface", "green-flags", "D is green with dirty, and red without any one of 3 rows\n"),
        ("mutations", "green-answered", "M is green with mutations, and red without any one of 1 row\n"),
    ],
)
def test_rows_of_changes_are_each_needed(tmp_path: Path, mgaudit: Run, kind: str, case: str, out: str) -> None:
    folder = copytree(Path(gates.__path__[0]) / kind / "cases" / case, tmp_path / "case")
    result = mgaudit("catalogue", "--each", "--config", str(folder / "mgaudit.toml"))
    assert (result.code, result.out) == (0, out)
