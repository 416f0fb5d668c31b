"""Headers taken alone: parsed only where what units recorded does not prove their closure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.engine import preambles
from mgaudit.engine.judge import judge
from mgaudit.facts import storage
from tests.engine.conftest import HEAD

if TYPE_CHECKING:
    from tests.engine.conftest import Tree

GATE = """
[[gate]]
id = "A"
kind = "include-purity"
from = ["backend"]
forbid = ["state"]
"""


@pytest.fixture
def gated(empty: Tree) -> Tree:
    """A clean tree under an include gate: one source that includes one header of the backend."""
    empty.settings += GATE
    empty.write("src/state/context.h", "#pragma once\nstruct Context {};\n")
    empty.write("src/state/context.cpp", "#include <state/context.h>\n")
    empty.write("src/util.h", "#pragma once\n")
    empty.write("src/backend/draw.h", "#pragma once\n#include <util.h>\nint draw();\n")
    empty.write("src/backend/draw.cpp", "#include <backend/draw.h>\nint draw() { return 1; }\n")
    return empty


def alone(tree: Tree) -> list[str]:
    """The headers that the last run parsed alone."""
    return [unit.name.path for unit in tree.analyses[-1].facts.units if unit.name.kind == "header"]


def violations(tree: Tree, **options: Any) -> list[tuple[str, int]]:
    report = judge(tree.analyse(**options))
    assert report.errors == ()
    return [(finding.path, finding.line) for finding in report.findings if finding.gate == "A"]


@pytest.mark.parametrize(
    "text",
    [
        "#pragma once\n#include <util.h>\n",
        "#ifndef DRAW_H\n#define DRAW_H\n#include <util.h>\n#endif\n",
        "#pragma once\n#if X\nint x();\n#endif\n#include <util.h>\n",
        "#pragma once\n#include <util.h>\n#include <util.h>\n",
    ],
)
def test_a_header_whose_inclusions_hang_on_nothing_is_not_parsed(gated: Tree, text: str) -> None:
    gated.write("src/backend/draw.h", text)
    assert violations(gated) == []
    assert alone(gated) == []


@pytest.mark.parametrize(
    ("start", "header"),
    [
        ("#define HERE\n", "#pragma once\n#ifndef HERE\n#include <state/context.h>\n#endif\n"),
        (
            "#define WHICH <util.h>\n",
            "#pragma once\n#ifndef WHICH\n#define WHICH <state/context.h>\n#endif\n#include WHICH\n",
        ),
        ("#define HERE\n", "#pragma once\n#if defined(HERE)\n#elif 1\n#include <state/context.h>\n#endif\n"),
        ("#define DRAW_H\n", "#ifndef DRAW_H\n#define DRAW_H\n#include <state/context.h>\n#endif\n"),
    ],
)
def test_what_a_unit_defines_before_hides_nothing(gated: Tree, start: str, header: str) -> None:
    gated.write("src/backend/draw.h", header)
    gated.write("src/backend/draw.cpp", f"{start}#include <backend/draw.h>\n")
    assert [path for path, _ in violations(gated)] == ["src/backend/draw.h"]


def test_a_guard_that_two_headers_share_hides_nothing(gated: Tree) -> None:
    gated.write("src/first.h", "#ifndef SAME_H\n#define SAME_H\n#endif\n")
    gated.write("src/backend/draw.h", "#ifndef SAME_H\n#define SAME_H\n#include <state/context.h>\n#endif\n")
    gated.write("src/backend/draw.cpp", "#include <first.h>\n#include <backend/draw.h>\n")
    assert violations(gated) == [("src/backend/draw.h", 3)]


def test_a_conditional_deeper_in_the_closure_counts(gated: Tree) -> None:
    gated.write("src/util.h", "#pragma once\n#ifndef HERE\n#include <state/context.h>\n#endif\n")
    gated.write("src/backend/draw.cpp", "#define HERE\n#include <backend/draw.h>\n")
    assert violations(gated) == [("src/backend/draw.h", 2)]
    assert alone(gated) == ["src/backend/draw.h"]


class TestAUnitThatBeginsWithTheHeader:
    """It tells what the header alone includes, conditionals and all."""

    CONDITIONAL = "#ifndef HERE\n#include <{}.h>\n#endif\n"

    @pytest.fixture
    def begun(self, gated: Tree) -> Tree:
        """The header's own source, and a source before it that hides the inclusion from the header."""
        gated.write("src/backend/draw.h", "#pragma once\n" + self.CONDITIONAL.format("util") + "int draw();\n")
        gated.write("src/backend/all.cpp", "#define HERE\n#include <backend/draw.h>\n")
        return gated

    @pytest.mark.parametrize("text", ["", "// before\n#pragma once\n"])
    def test_is_believed(self, begun: Tree, text: str) -> None:
        begun.write("src/backend/draw.cpp", text + "#include <backend/draw.h>\n")
        assert violations(begun) == []
        assert alone(begun) == []
        begun.write("src/util.h", "#pragma once\n#include <state/context.h>\n")
        assert violations(begun) == [("src/backend/draw.h", 3)]
        assert alone(begun) == []

    @pytest.mark.parametrize(
        "text",
        [
            "#define HERE\n#include <backend/draw.h>\n",
            "#include <second.h>\n#include <backend/draw.h>\n",
            "#ifndef HERE\n#define HERE\n#include <backend/draw.h>\n#endif\n",
            "int before;\n#include <backend/draw.h>\n",
        ],
    )
    def test_may_have_nothing_before(self, begun: Tree, text: str) -> None:
        begun.write("src/util.h", "#pragma once\n#include <state/context.h>\n")
        begun.write("src/second.h", "#pragma once\n#define HERE\n")
        begun.write("src/backend/draw.cpp", text)
        assert violations(begun) == [("src/backend/draw.h", 3)]
        assert alone(begun) == ["src/backend/draw.h"]

    def test_may_not_begin_with_a_comment_that_a_trigraph_makes_longer(self, begun: Tree) -> None:
        begun.settings = begun.settings.replace("c++20", "c++14")
        begun.write("src/util.h", "#pragma once\n#include <state/context.h>\n")
        header = "#include <backend/draw.h>\n"
        begun.write("src/backend/draw.cpp", f"// ??/\n{header}#define HERE\n{header}")
        assert violations(begun) == [("src/backend/draw.h", 3)]
        assert alone(begun) == ["src/backend/draw.h"]

    def test_may_ask_again_only_for_what_is_read_once(self, begun: Tree) -> None:
        """What it reads of a file later is none of the header's."""
        begun.write("src/backend/draw.h", "#pragma once\n#include <rows.h>\nint draw();\n")
        begun.write("src/rows.h", "#ifdef MORE\n#include <state/context.h>\n#endif\n")
        begun.write("src/backend/draw.cpp", "#include <backend/draw.h>\n#include <util.h>\n")
        assert violations(begun) == []
        assert alone(begun) == []
        begun.write("src/util.h", "#pragma once\n#define MORE\n#include <rows.h>\n")
        assert len(violations(begun)) == 1  # of the source; which chain tells it is no matter here
        assert alone(begun) == ["src/backend/draw.h"]

    def test_may_lead_back_to_it(self, begun: Tree) -> None:
        """As a main file, the header would be read a second time."""
        begun.write("src/backend/draw.cpp", "#include <backend/draw.h>\n")
        begun.write("src/util.h", "#pragma once\n#include <backend/draw.h>\n")
        assert violations(begun) == []
        assert alone(begun) == ["src/backend/draw.h"]


class TestFlags:
    """A header that units with other flags include, too, is judged with each set of flags."""

    def compiled(self, tree: Tree, flags: dict[str, list[str]]) -> None:
        """Have each source compiled by a command of its own; those that are not named have no flags."""
        sources = {"src/a.cpp": [], "src/backend/draw.cpp": [], "src/state/context.cpp": [], **flags}
        commands = [
            {"directory": str(tree.root), "file": file, "arguments": ["c++", "-std=c++20", *own, "-Isrc", file]}
            for file, own in sources.items()
        ]
        tree.write("src/a.cpp", "#include <backend/draw.h>\n")
        tree.write("compile_commands.json", json.dumps(commands))
        tree.settings = HEAD + '[[configuration]]\nname = "only"\ncompile-commands = "compile_commands.json"\n' + GATE

    @pytest.mark.parametrize("flagged", ["src/a.cpp", "src/backend/draw.cpp"])
    @pytest.mark.parametrize("test", ["ifdef", "ifndef"])
    def test_an_inclusion_that_hangs_on_a_macro_is_seen(self, gated: Tree, flagged: str, test: str) -> None:
        gated.write("src/backend/draw.h", f"#pragma once\n#{test} HERE\n#include <state/context.h>\n#endif\n")
        self.compiled(gated, {flagged: ["-DHERE"]})
        assert violations(gated) == [("src/backend/draw.h", 3)]
        assert alone(gated) == ["src/backend/draw.h"]

    @pytest.mark.parametrize("guard", ["#pragma once\n", "#pragma once\n#if A\n#endif\n"])
    def test_another_folder_is_seen(self, gated: Tree, guard: str) -> None:
        gated.write("src/backend/draw.h", guard + "#include <kind.h>\n")
        gated.write("src/kind.h", "#pragma once\n")
        gated.write("other/kind.h", "#pragma once\n#include <state/context.h>\n")
        self.compiled(gated, {"src/a.cpp": ["-Iother"]})
        assert violations(gated) == [("src/backend/draw.h", guard.count("\n") + 1)]
        assert alone(gated) == ["src/backend/draw.h"]

    def test_each_is_taken_alone_where_none_is_proven(self, gated: Tree) -> None:
        gated.write("src/backend/draw.h", "#pragma once\n#ifdef B\n#include <state/context.h>\n#endif\n")
        gated.write("src/backend/draw.cpp", "int before;\n#include <backend/draw.h>\n")
        gated.write("src/b.cpp", "int before;\n#include <backend/draw.h>\n")
        self.compiled(gated, {"src/a.cpp": ["-DA"], "src/b.cpp": ["-DB"]})
        gated.write("src/a.cpp", "int before;\n#include <backend/draw.h>\n")
        assert violations(gated) == [("src/backend/draw.h", 3)]
        assert alone(gated) == ["src/backend/draw.h"] * 3

    def test_macros_that_it_cannot_see_are_none_of_its_own(self, gated: Tree) -> None:
        self.compiled(gated, {"src/a.cpp": ["-DNOT_NAMED"]})
        assert violations(gated) == []
        assert alone(gated) == []

    def test_a_header_that_is_included_by_force_may_see_what_the_header_cannot(self, gated: Tree) -> None:
        gated.write("src/forced.h", "#ifdef FEATURE\n#define HERE\n#endif\n")
        gated.write("src/backend/draw.h", "#pragma once\n#ifdef HERE\n#include <state/context.h>\n#endif\n")
        forced = ["-include", "src/forced.h"]
        gated.write("src/b.cpp", "#include <backend/draw.h>\n")
        self.compiled(gated, {"src/a.cpp": forced, "src/backend/draw.cpp": forced, "src/b.cpp": [*forced, "-DFEATURE"]})
        assert violations(gated) == [("src/backend/draw.h", 3)]

    def test_units_that_do_not_include_it_do_not_matter(self, gated: Tree) -> None:
        gated.write("src/backend/draw.h", "#pragma once\n#ifdef HERE\n#include <state/context.h>\n#endif\n")
        self.compiled(gated, {"src/state/context.cpp": ["-DHERE"]})
        assert violations(gated) == []
        assert alone(gated) == []

    def test_a_probe_sees_it_with_all_flags(self, gated: Tree) -> None:
        gated.write("src/backend/draw.h", "#pragma once\n#ifdef HERE\n#include <state/context.h>\n#endif\n")
        self.compiled(gated, {"src/a.cpp": ["-DHERE"]})
        probe = '[[gate]]\nid = "P"\nkind = "closure-probe"\nheader = "src/backend/draw.h"\nforbid = ["src/state/**"]\n'
        gated.settings = gated.settings.replace(GATE, probe)
        report = judge(gated.analyse())
        assert [(f.path, f.line, f.configurations) for f in report.findings if f.gate == "P"] == [
            ("src/backend/draw.h", 3, ("only",))
        ]


def test_a_header_in_no_unit_is_parsed(gated: Tree) -> None:
    gated.write("src/backend/lone.h", "#pragma once\n#include <state/context.h>\n")
    assert violations(gated) == [("src/backend/lone.h", 2)]
    assert alone(gated) == ["src/backend/lone.h"]
    assert gated.analyse().statistics.parsed == {}


def test_fragments_and_headers_that_no_gate_names_are_not_parsed(gated: Tree) -> None:
    gated.write("src/backend/rows.inc", "#if X\n#include <util.h>\n#endif\n")
    gated.write("src/other.h", "#if X\n#include <state/context.h>\n#endif\n")
    violations(gated)
    assert alone(gated) == []


def test_a_precompiled_header_settles_its_own_conditionals(gated: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preambles, "_MIN_CLOSURE", 1)
    gated.write("src/util.h", "#pragma once\n#ifndef HERE\n#include <other.h>\n#endif\n")
    gated.write("src/other.h", "#pragma once\nint other();\n")
    gated.write("src/backend/draw.h", "#pragma once\n#include <util.h>\nint draw();\n")
    gated.write("src/backend/more.cpp", "#include <backend/draw.h>\nint more() { return draw() + other(); }\n")
    assert violations(gated) == violations(gated, preambles=False) == []
    gated.write("src/other.h", "#pragma once\n#include <state/context.h>\nint other();\n")
    expected = violations(gated, preambles=False)
    assert violations(gated) == expected != []


class TestDatabase:
    """A header that was taken alone stays in the database until it is known whether it still is."""

    @pytest.fixture
    def lone(self, gated: Tree) -> Tree:
        gated.write("src/backend/lone.h", "#pragma once\n#include <util.h>\nint lone();\n")
        assert violations(gated) == []
        assert alone(gated) == ["src/backend/lone.h"]
        return gated

    def test_an_unchanged_one_costs_no_commit(self, lone: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(storage, "commit", lambda *_: pytest.fail("something was written"))
        lone.analyse()
        assert alone(lone) == ["src/backend/lone.h"]

    def test_one_that_is_included_now_leaves_it(self, lone: Tree) -> None:
        lone.write("src/backend/draw.cpp", "#include <backend/draw.h>\n#include <backend/lone.h>\n")
        assert lone.dump() == lone.cold()
        assert alone(lone) == []

    @pytest.mark.parametrize("changed", ["src/big.h", "src/backend/lone.h", "src/backend/draw.cpp"])
    @pytest.mark.usefixtures("small_headers_are_worth_it")
    def test_it_stays_with_its_precompiled_header(self, gated: Tree, changed: str) -> None:
        gated.write("src/big.h", "#pragma once\nstruct Big { int n; };\n" + "// filler\n" * 2000)
        for name in ("src/backend/lone.h", "src/backend/draw.cpp", "src/state/context.cpp"):
            gated.write(name, "#include <big.h>\nint f(Big&);\n")
        gated.analyse()
        assert any(u.preamble is not None for u in gated.analyses[-1].facts.units if u.name.kind == "header")
        gated.write(changed, "#pragma once\n#include <util.h>\n" + (gated.root / changed).read_text())
        expected = gated.known(gated.analyse(cache=gated.cache.parent / "cold"))
        assert gated.known(gated.analyse()) == expected
