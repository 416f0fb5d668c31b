from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Any]

TABLES = """
[[catalogue]]
name = "reads"
columns = ["accessor", "call"]
rows = []
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
[[legacy]]
name = "arrows"
gates = ["R"]
pattern = '->(?P<name>[A-Za-z_]\\w*)\\('
files = ["src/backend/**/*.cpp", "src/backend/**/*.h"]
"""
STATE = """\
#pragma once
namespace state {
struct Context { int Width() const; int Height() const; int depth = 0; operator int() const; };
extern Context* ctx;
}
#define READ_WIDTH state::ctx->Width()
"""
DRAW = """\
#include "state/frame.h"
namespace other { struct Widget { int Width() const; }; }
using state::ctx;
int Draw(other::Widget* w, state::Context& c) {
    int sum = ctx->Width();  // ctx->Width() in a comment
    const char* s = "ctx->Width()"; sum += s[0];
    sum += w->Width();
#if NEVER
    sum += ctx->Height();
#endif
#define LOCAL_READ ctx->Height()
    sum += LOCAL_READ + READ_WIDTH;
    sum += c.Width() + ctx->  Height() + ctx->depth;
    sum += c;
#include "backend/part.inc"
    return sum;
}
"""
PART = "sum += ctx->Width();\n"


@pytest.fixture
def boundary(tree: Path) -> Path:
    (tree / "src/state/frame.h").write_text(STATE)
    (tree / "src/backend/draw.cpp").write_text(DRAW)
    (tree / "src/backend/part.inc").write_text(PART)
    file = tree / "mgaudit.toml"
    file.write_text(file.read_text() + TABLES)
    return tree


def test_every_difference_has_its_reason(boundary: Path, mgaudit: Run) -> None:
    result = mgaudit("reconcile", "--output-format", "json")
    assert result.code == 0, result.out
    (value,) = json.loads(result.out)["reconciled"]
    assert (value["expression"], value["front-end"], value["both"], value["unexplained"]) == (6, 9, 1, 0)
    assert [(d["path"].rsplit("/", 1)[-1], d["line"], d["name"], d["reason"]) for d in value["differences"]] == [
        ("draw.cpp", 4, "Context", "a type in a declaration, no access"),
        ("draw.cpp", 5, "Width", "in a comment"),
        ("draw.cpp", 6, "Width", "in a string literal"),
        ("draw.cpp", 7, "Width", "it means other::Widget::Width, which is not counted here"),
        ("draw.cpp", 9, "Height", "in an arm that no configuration takes"),
        ("draw.cpp", 11, "Height", "in the body of a macro: it counts where that is expanded"),
        ("draw.cpp", 12, "Height", "a macro's body writes it"),
        ("draw.cpp", 12, "Width", "a macro's body writes it"),
        ("draw.cpp", 13, "Width", "`.` stands in the place of `->`"),
        ("draw.cpp", 13, "Height", "white space stands around the name"),
        ("draw.cpp", 13, "depth", "it is not called"),
        ("draw.cpp", 14, "operator int", "no token names it: an operator, a conversion, a copy, a loop"),
        ("part.inc", 1, "Width", "in a file that the expression is not held against"),
    ]


def test_changes_of_objects_that_nobody_knows_are_no_uses(boundary: Path, mgaudit: Run) -> None:
    file = boundary / "mgaudit.toml"
    gate = TABLES.split("[[legacy]]", maxsplit=1)[0].replace('"R"', '"W"').replace('"reads"', '"writebacks"')
    gate = gate.replace('"accessor", "call"', '"entity", "verdict", "reason"')
    file.write_text(file.read_text().replace('gates = ["R"]', 'gates = ["R", "W"]') + gate)
    before = mgaudit("reconcile").out
    draw = boundary / "src/backend/draw.cpp"
    draw.write_text(draw.read_text() + "void Driver(void (*call)(int)) { call(1); }\nvoid (*driver)(int);\n")
    draw.write_text(draw.read_text() + "void Paint() { driver(1); }\n")
    assert "some object" in mgaudit("surface", "writebacks").out
    assert mgaudit("reconcile").out == before


def test_the_counts_add_up_in_text(boundary: Path, mgaudit: Run) -> None:
    lines = mgaudit("reconcile").out.splitlines()
    assert lines[0].startswith("arrows, in ")
    numbers = [line.split(maxsplit=2) for line in lines[1:]]
    signed = sum(int(n) if sign == "+" else -int(n) if sign == "-" else 0 for n, sign, _ in numbers[1:-1])
    assert int(numbers[0][0]) + signed == int(numbers[-1][0])
    assert "src/backend/draw.cpp:5:38: - Width: in a comment" in mgaudit("reconcile", "--list").out


def test_what_nothing_explains_is_listed_and_red(boundary: Path, mgaudit: Run) -> None:
    file = boundary / "mgaudit.toml"
    file.write_text(file.read_text().replace("->(?P<name>", "[*]>(?P<name>"))
    result = mgaudit("reconcile")
    assert result.code == 1
    assert "src/backend/draw.cpp:5:20: + Width: unexplained" in result.out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('files = ["src/backend/**/*.cpp", "src/backend/**/*.h"]', 'files = ["src/nothing/**"]', "selects no file"),
        ('gates = ["R"]', 'gates = ["Q"]', 'there is no gate "Q"'),
        ("(?P<name>", "(?P<word>", "has no group `name`"),
        ("[[legacy]]", "[[legacies]]", 'unknown key "legacies"'),
    ],
)
def test_wrong_tables_are_untrusted(boundary: Path, mgaudit: Run, old: str, new: str, message: str) -> None:
    file = boundary / "mgaudit.toml"
    file.write_text(file.read_text().replace(old, new))
    result = mgaudit("reconcile")
    assert (result.code, message in result.err) == (2, True), result.err


def test_an_unknown_name_and_no_table_at_all(boundary: Path, mgaudit: Run) -> None:
    assert 'there is no legacy count "arrow"' in mgaudit("reconcile", "arrow").err
    file = boundary / "mgaudit.toml"
    file.write_text(file.read_text().split("[[legacy]]")[0])
    result = mgaudit("reconcile")
    assert (result.code, "no legacy count is configured" in result.err) == (2, True)
