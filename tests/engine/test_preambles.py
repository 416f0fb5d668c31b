"""Precompiled headers: used where they are worth it and provably change nothing, and nowhere else."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.engine import pool, preambles
from mgaudit.engine.preambles import naming
from mgaudit.engine.worker import INSTANTIATED, Job, Worker
from mgaudit.sources.library_calls import LibraryCalls

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterator
    from pathlib import Path

    from mgaudit.engine.pipeline import Analysis
    from mgaudit.engine.worker import Outcome
    from tests.engine.conftest import Tree

FILLER = "// filler filler filler filler filler filler filler filler filler\n" * 200
UMBRELLA = (
    "#pragma once\n#include <part.h>\n#include <state/context.h>\n"
    "struct Umbrella { Part part; virtual ~Umbrella(); };\n"
    "template <class T> int twice(T t) { return t.n + t.n; }\ninline int of(Part p) { return twice(p); }\n"
    "#define N_OF(x) (x).n\n" + FILLER
)
PART = (
    "#pragma once\nstruct Part { int n; int get() const { return n; } };\n"
    "static inline int hidden(Part p) { return p.n; }\n"
)
USER = (
    "#include <umbrella.h>\n#include <part.h>\nstruct Own : Umbrella { ~Own(); };\n"
    "static int {0}s(Part& p) {{ return N_OF(p) + p.get() + hidden(p) + twice(p) + of(p); }}\n"
    "int {0}(Part& p) {{ p.n += 1; return {0}s(p); }}\n"
).replace("{ ~Own(); }", "{{ ~Own(); }}")

pytestmark = pytest.mark.usefixtures("small_headers_are_worth_it")


@pytest.fixture
def forest(empty: Tree) -> Tree:
    """Three sources that start with one big header."""
    empty.write("src/umbrella.h", UMBRELLA)
    empty.write("src/part.h", PART)
    empty.write("src/state/context.h", "#pragma once\nnamespace state { struct Context { int width; }; }\n")
    for name in "abc":
        empty.write(f"src/{name}.cpp", USER.format(name))
    return empty


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[tuple[str, list[Any], list[Any]]]:
    """What only one of two analyses knows."""
    assert one.keys() == other.keys()
    return [
        (
            name,
            [row for row in one[name] if row not in other[name]],
            [row for row in other[name] if row not in one[name]],
        )
        for name in one
        if one[name] != other[name]
    ]


def used(analysis: Analysis) -> list[str]:
    """The sources that started from a precompiled header."""
    return [unit.name.path for unit in analysis.facts.units if unit.preamble is not None]


def both_ways(tree: Tree) -> tuple[Analysis, Analysis]:
    plain = tree.analyse(preambles=False, cache=tree.cache.parent / f"plain{len(tree.analyses)}")
    expected = tree.known(plain)
    fast = tree.analyse()
    assert differing(tree.known(fast), expected) == []
    return fast, plain


INFERRING = """
[[catalogue]]
name = "writebacks"
columns = ["entity", "verdict", "reason"]
rows = []
[[gate]]
id = "W"
kind = "writebacks"
from = ["backend"]
of = ["state"]
catalogue = "writebacks"
"""


def test_bodies_are_those_of_a_plain_parse(forest: Tree) -> None:
    assert forest.known(forest.analyse())["body"] == []
    forest.settings += INFERRING
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
    names = {row[0][0] for row in forest.known(fast)["body"]}
    assert {"c:@F@of#$@S@Part#", "c:@F@twice<#$@S@Part>#S0_#"} <= names


REMEMBERING = """
[zone.all]
paths = ["src/*"]
[[gate]]
id = "K"
kind = "memo-keys"
zones = ["all"]
frontend = ["state"]
"""
KEPT = (
    "template <class T> struct Last { const T* t = nullptr; bool same(const T& f) { return t == &f; } };\n"
    "struct Kept { Last<Part> part; static inline const Part* seen = nullptr; };\n"
    "inline bool again(Kept& k, const Part& p) { return k.part.same(p) || Kept::seen == &p; }\n"
)


def test_memos_are_those_of_a_plain_parse(forest: Tree) -> None:
    assert forest.known(forest.analyse())["memo"] == []
    forest.settings += REMEMBERING
    forest.write("src/umbrella.h", UMBRELLA + KEPT)
    user = (
        USER.format("c") + "bool late(Kept& k, const Part& p) { Last<Kept> own; return own.same(k) || again(k, p); }\n"
    )
    forest.write("src/c.cpp", user)
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
    names = {row.name for _, row, _ in fast.facts.memos()}
    assert {"Last", "Last::same", "Kept::part", "Kept::seen", "again", "late", "twice"} <= names


LIBRARY = """
#pragma once
#define _LIBCPP_FORMAT
#define __cpp_lib_format 202110L
namespace std {
struct string { int n; };
struct string_view { int n; };
template <class T> struct formatter { int of(const T&) { return sizeof(T); } };
template <class... A> string format(const char*, A&&... a) { return {(0 + ... + formatter<A>{}.of(a))}; }
}
"""


class TestWhatIsInstantiatedOnce:
    def test_changes_no_fact(self, forest: Tree) -> None:
        forest.settings += INFERRING + PREDICTING
        forest.write("src/first/format", LIBRARY)
        forest.write("src/umbrella.h", UMBRELLA + "#include <format>\n")
        printing = 'int print(Part p, int n) { return std::format("{}{}", n, p).n; }\n'
        forest.write("src/c.cpp", USER.format("c") + printing)
        fast, _ = both_ways(forest)
        assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
        assert fast.statistics.with_preamble == 3

    def test_is_left_out_where_the_library_is_another(self, forest: Tree) -> None:
        forest.write("src/first/format", LIBRARY.replace("string format(", "string other("))
        forest.write("src/umbrella.h", UMBRELLA + "#include <format>\n")
        fast, _ = both_ways(forest)
        assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]

    def test_the_real_library_has_what_it_takes(self, forest: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        texts = []
        parse = Worker._parse

        def noted(worker: Worker, job: Job, main: str, extra: Any, overlay: dict[str, str], use: Any) -> Any:
            texts.append(overlay.get(main, ""))
            return parse(worker, job, main, extra, overlay, use)

        monkeypatch.setattr(Worker, "_parse", noted)
        forest.write("src/umbrella.h", "#pragma once\n#include <format>\n")
        for name in "abc":
            forest.write(f"src/{name}.cpp", "#include <umbrella.h>\n")
        assert used(forest.analyse(jobs=0)) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
        assert [text for text in texts if text] == [text for text in texts if INSTANTIATED in text]


PREDICTING = """
[zone.all]
paths = ["src/*.cpp"]
[[gate]]
id = "B"
kind = "symbol-purity"
sources = { from = ["all"], forbid = ["state"] }
"""


def test_demands_are_those_of_a_plain_parse(forest: Tree) -> None:
    assert forest.known(forest.analyse())["demand"] == []
    forest.settings += PREDICTING
    text = UMBRELLA.replace("int of(", "Umbrella kept;\nstruct Late { virtual void f(); };\ninline Late late;\nint of(")
    forest.write("src/umbrella.h", text.replace("inline Umbrella", "static Umbrella"))
    forest.write("src/c.cpp", USER.format("c") + "void Late::f() { twice(Part{}); }\n")
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
    facts = forest.known(fast)
    assert {"_ZN8UmbrellaD1Ev", "_ZTV8Umbrella", "_ZN4Late1fEv"} <= {row[4] for row in facts["demand"]}
    assert {row[2] for row in facts["emission"]} == {0, 1, 2}


def test_demands_behind_system_templates_are_those_of_all_of_them(
    forest: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Instances that name nothing of the tree are not followed: what they lead to is none of the tree's."""
    forest.settings += PREDICTING
    system = "#pragma once\n#pragma GCC system_header\n"
    inner = "template <class T> struct Kept { T t; ~Kept() { end(t); } };\nvoid end(int&);\n"
    outer = "template <class T, class F = void (*)(T&)> void each(T& t, F f = nullptr) { Kept<T> k{t}; if (f) f(t); }\n"
    forest.write("lib/library.h", system + inner + outer)
    text = (
        UMBRELLA
        + '#include "../lib/library.h"\ninline void end(Part& p) { of(p); }\nstruct Call { void operator()(int&); };\n'
    )
    forest.write("src/umbrella.h", text)
    for name in "abc":
        calls = "void Call::operator()(int& n) { each(n); }\n" if name == "c" else ""
        walks = (
            f"void {name}w(Part p, int n) {{ each(p); each(n); each(n, Call()); each(n, [](int& m) {{ --m; }}); }}\n"
        )
        forest.write(f"src/{name}.cpp", USER.format(name) + walks + calls)
    fast = forest.known(forest.analyse())
    monkeypatch.setattr(LibraryCalls, "may_lead_back", lambda *_: True)
    everything = forest.known(forest.analyse(cache=forest.cache.parent / "everything", jobs=0))
    assert differing(fast, everything) == []
    names = {row[4] for row in fast["demand"]}
    assert {"_Z3endR4Part", "_ZN4CallclERi"} <= names


LAYING_OUT = """
[[catalogue]]
name = "calls"
columns = ["name", "payload"]
rows = []
[[gate]]
id = "P"
kind = "catalogue"
calls = "calls"
payload-namespace = "pipe"
documented-count = "pipe::kCount"
"""
PAYLOADS = """
#pragma once
namespace pipe {
struct Send { struct { int a; } inner; union { Part part; long all; }; const char* text; };
static_assert(sizeof(Send) == 24);
constexpr int kCount = 3;
}
"""


def test_layouts_are_those_of_a_plain_parse(forest: Tree) -> None:
    forest.write("src/umbrella.h", UMBRELLA + '#include "payloads.h"\n')
    forest.write("src/payloads.h", PAYLOADS)
    assert forest.known(forest.analyse())["computed"] == []
    forest.settings += LAYING_OUT
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
    rows = forest.known(fast)["computed"]
    assert sorted(row[4] for row in rows) == ["constant", "layout", "size"]
    assert str(forest.root) not in str(rows)


@pytest.mark.parametrize("jobs", [1, 2])
def test_facts_are_those_of_a_plain_parse(forest: Tree, jobs: int) -> None:
    expected = forest.known(forest.analyse(preambles=False))
    fast = forest.analyse(jobs=jobs, cache=forest.cache.parent / "fast")
    assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
    assert fast.statistics.with_preamble == 3
    assert differing(forest.known(fast), expected) == []
    again = forest.analyse(cache=forest.cache.parent / "fast")
    assert again.statistics.parsed == {}
    assert differing(forest.known(again), expected) == []


def test_a_source_waits_for_its_own_headers_alone(forest: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    forest.write("src/other.h", "#pragma once\nstruct Other {};\n" + FILLER)
    for name in "de":
        forest.write(f"src/{name}.cpp", f"#include <other.h>\nOther {name};\n")
    forest.write("src/f.cpp", "int f;\n")
    run, queues = pool.Pool.run, {}

    def watched(self: pool.Pool, jobs: deque[Job]) -> Iterator[Outcome]:
        for outcome in run(self, jobs):
            yield outcome
            queues[outcome.unit.path] = [job.unit.path for job in jobs]  # what the run added is among them

    monkeypatch.setattr(pool.Pool, "run", watched)
    both_ways(forest)
    assert queues["src/part.h"] == ["src/other.h", "src/f.cpp", "src/a.cpp", "src/b.cpp", "src/c.cpp"]
    assert queues["src/other.h"] == ["src/f.cpp", "src/a.cpp", "src/b.cpp", "src/c.cpp", "src/d.cpp", "src/e.cpp"]


def test_skipped_lines_are_told_once(forest: Tree) -> None:
    forest.write("src/umbrella.h", UMBRELLA + "#if 0\nint never;\n#endif\n")
    forest.write("src/late.h", "#pragma once\n#if 0\nint never;\n#endif\n")
    forest.write("src/a.cpp", USER.format("a") + "#ifdef NEVER\nint never;\n#endif\n#include <late.h>\n")
    fast, _ = both_ways(forest)
    kinds = {unit.id: unit.name.kind for unit in fast.facts.units}
    skipped = fast.facts.skipped(["src/umbrella.h", "src/late.h", "src/a.cpp"])
    assert {path: [kinds[unit] for unit in ranges] for path, ranges in skipped.items()} == {
        "src/umbrella.h": ["preamble"], "src/late.h": ["source"], "src/a.cpp": ["source"],
    }  # fmt: skip


def test_the_size_of_what_a_header_includes_decides(forest: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preambles, "_MIN_CLOSURE", 10_000_000)
    assert used(forest.analyse()) == []


@pytest.mark.parametrize(
    "start",
    [
        "#define N 1\n#include <umbrella.h>\n",
        "#include <part.h>\n#include <umbrella.h>\n",
        "#if 1\n#include <umbrella.h>\n#endif\n",
        "int before;\n#include <umbrella.h>\n",
        "#pragma pack(1)\n#include <umbrella.h>\n",
        "#undef N\n#include <umbrella.h>\n",
        "#include <first.h>\n",
        "#include <configured.h>\n",
    ],
)
def test_a_source_that_meets_the_header_otherwise_is_parsed_in_full(forest: Tree, start: str) -> None:
    forest.write("src/first.h", "#define N 2\n#include <umbrella.h>\n")
    forest.write(
        "src/configured.h", "#ifndef CONFIGURED_H\n#define CONFIGURED_H\n#define N 3\n#include <umbrella.h>\n#endif\n"
    )
    forest.write(
        "src/umbrella.h", UMBRELLA.replace("struct Umbrella", "#ifdef N\nint asked();\n#endif\nstruct Umbrella")
    )
    forest.write("src/a.cpp", USER.format("a").replace("#include <umbrella.h>\n", start))
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/b.cpp", "src/c.cpp"]


@pytest.mark.parametrize(
    "start",
    [
        "#include <umbrella.h>\n/* one */\n#define WITH\n/* and another */\n",
        "#include <umbrella.h>\n/* one *\\\n/\n#define WITH\n/* and another */\n",
        "#include <umbrella.h>\n// one\r#define WITH\n",
        "#include <umb\\\nrella.h>\n#define WITH\n// umbrella.h>\n",
    ],
)
def test_between_the_headers_only_comments_may_stand(forest: Tree, start: str) -> None:
    forest.write("src/late.h", "#pragma once\n#ifdef WITH\n#include <state/context.h>\nint with();\n#endif\n" + FILLER)
    forest.write("src/umbrella.h", "#pragma once\n#include <part.h>\n" + FILLER)
    for name in "abc":
        forest.write(f"src/{name}.cpp", f"#include <umbrella.h>\n#include <late.h>\nint {name}(Part p);\n")
    forest.write("src/a.cpp", start + "#include <late.h>\nint a(Part p);\n")
    fast, _ = both_ways(forest)
    assert {"src/b.cpp", "src/c.cpp"} <= set(used(fast))


@pytest.mark.parametrize(
    "undone",
    [
        "#undef MODE_H", "#  undef /* it */ MODE_H", "#un\\\ndef MODE_H", "#undef \\\rMODE_H", "#undef \\\n\rMODE_H",
        "#undef \0MODE_H",
    ],
)  # fmt: skip
@pytest.mark.parametrize("where", ["src/mode.h", "src/umbrella.h"])
def test_a_guard_that_is_undone_keeps_nothing_from_taking_effect_twice(forest: Tree, where: str, undone: str) -> None:
    texts = {
        "src/mode.h": "#ifdef SEEN\nint again();\n#endif\n#define SEEN\n",
        "src/umbrella.h": "#pragma once\n#include <part.h>\n" + FILLER,
    }
    texts[where] += f"{undone}\n"
    forest.write("src/mode.h", f"#ifndef MODE_H\n#define MODE_H\n{texts['src/mode.h']}#endif\n")
    forest.write("src/umbrella.h", texts["src/umbrella.h"])
    for name in "abc":
        forest.write(f"src/{name}.cpp", f"#include <mode.h>\n#include <umbrella.h>\nint {name}(Part p);\n")
    both_ways(forest)


@pytest.mark.parametrize(
    "start",
    ["// a comment\n/* and\none more */\n#include <umbrella.h>\n", "#pragma once\n#include <umbrella.h>\n",
     "#include <first.h>\n", "\ufeff#include <umbrella.h>\r\n"],
)  # fmt: skip
def test_what_changes_nothing_may_stand_before(forest: Tree, start: str) -> None:
    forest.write("src/first.h", "#ifndef FIRST_H\n#define FIRST_H\n#include <umbrella.h>\n#endif\n")
    forest.write("src/a.cpp", USER.format("a").replace("#include <umbrella.h>\n", start))
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


class TestAWayThatLeadsPastSmallHeaders:
    """Units that meet the same headers by different ways share them."""

    @pytest.fixture
    def woods(self, forest: Tree) -> Tree:
        forest.write("src/leaf.h", "#pragma once\nenum class Leaf { green };\nnamespace state { struct Context; }\n")
        forest.write("src/near.h", "#pragma once\n#include <leaf.h>\n#include <deep.h>\nint near(Leaf, Part);\n")
        forest.write(
            "src/deep.h", "#pragma once\n#include <leaf.h>\n#include <umbrella.h>\nint deep(Leaf, Umbrella&);\n"
        )
        starts = {"a": "#include <leaf.h>\n#include <umbrella.h>", "b": "#include <near.h>", "c": "#include <deep.h>"}
        for name, start in starts.items():
            forest.write(f"src/{name}.cpp", USER.format(name).replace("#include <umbrella.h>", start))
        return forest

    def test_changes_no_fact(self, woods: Tree) -> None:
        fast, _ = both_ways(woods)
        assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
        assert [u.name.path for u in fast.facts.units if u.name.kind == "preamble"] == ["src/umbrella.h"]

    @pytest.mark.parametrize(
        "deep",
        [
            "#pragma once\n#include <leaf.h>\n#define N 1\n#include <umbrella.h>\n",
            "#pragma once\n#include <umbrella.h>\n#include <leaf.h>\n",
            "#pragma once\n#include <leaf.h>\nextern int before;\n#include <umbrella.h>\n",
            "#pragma once\n#include <part.h>\n#include <umbrella.h>\n",
        ],
    )
    def test_ends_where_something_else_comes_first(self, woods: Tree, deep: str) -> None:
        woods.write("src/deep.h", deep)
        woods.write("src/near.h", "#pragma once\n#include <deep.h>\nextern int near;\n#include <leaf.h>\n")
        fast, _ = both_ways(woods)
        assert "src/a.cpp" not in used(fast)

    def test_may_not_run_in_a_circle(self, woods: Tree) -> None:
        """Where the headers include a file on the way, the unit sees that one only half when they begin."""
        woods.write("src/umbrella.h", UMBRELLA + "#include <near.h>\n")
        fast, _ = both_ways(woods)
        assert used(fast) == ["src/a.cpp"]


class TestEnumerationsBeforeTheHeaders:
    ENUMERATIONS = "#pragma once\nnamespace state { enum class Kind { One, Two = 4, Last = Two }; }\n"

    @pytest.fixture
    def meadow(self, forest: Tree) -> Tree:
        """Of three sources, one meets enumerations before the header that all include, and another uses them later."""
        forest.write("src/kind.h", self.ENUMERATIONS)
        using = "state::Kind kind() { return state::Kind::Two; }\n"
        start = "#include <kind.h>\n#include <umbrella.h>\n"
        forest.write("src/a.cpp", USER.format("a").replace("#include <umbrella.h>\n", start) + using)
        forest.write("src/b.cpp", USER.format("b") + "#include <kind.h>\n" + using)
        return forest

    def test_they_may_come_after_these(self, meadow: Tree) -> None:
        fast, _ = both_ways(meadow)
        assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
        assert len([u for u in fast.facts.units if u.name.kind == "preamble"]) == 1

    def test_other_inline_namespaces_are_no_matter(self, meadow: Tree) -> None:
        meadow.write("src/part.h", PART + "namespace other { inline namespace v1 { int n(); } namespace v2 { } }\n")
        fast, _ = both_ways(meadow)
        assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]

    def test_on_the_way_to_these(self, meadow: Tree) -> None:
        meadow.write(
            "src/kind.h", self.ENUMERATIONS.replace("#pragma once", "#ifndef KIND_H\n#define KIND_H") + "#endif"
        )
        meadow.write("src/first.h", "#pragma once\n#include <kind.h>\n#include <umbrella.h>\nint first(state::Kind);\n")
        meadow.write("src/a.cpp", USER.format("a").replace("#include <umbrella.h>", "#include <first.h>"))
        fast, _ = both_ways(meadow)
        assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]

    @pytest.mark.parametrize(
        "text",
        [
            "#include <kind.h>\n",
            "namespace state { enum class Kind; }\n",
            "struct Kind { int n; };\n",
            "#define Two 5\n",
            "#define class struct\n",
            "#define One\n#undef One\n",
            "inline namespace state { int n(); }\n",
            "inline namespace v1 { namespace state { int n(); } }\n",
            "struct Ki\\\nnd { int n; };\nnamespace state { int n(Ki\\\nnd*); }\n",
            "#define Tw\\\no Other\n",
        ],
    )
    def test_the_headers_may_have_nothing_to_do_with_them(self, meadow: Tree, text: str) -> None:
        meadow.write("src/part.h", PART + text)
        fast, plain = both_ways(meadow)
        assert "src/a.cpp" not in used(fast)
        assert len(fast.facts.diagnostics()) == len(plain.facts.diagnostics())

    def test_their_namespace_may_hide_none_from_the_headers(self, meadow: Tree) -> None:
        meadow.write("src/kind.h", "#pragma once\nnamespace app { namespace detail { enum class Kind { One }; } }\n")
        meadow.write(
            "src/part.h",
            PART + "int pick(double);\nnamespace detail { int pick(int); }\n"
            "namespace app { using namespace detail; inline int picked() { return pick(1); } }\n",
        )
        for name in "ab":
            text = (meadow.root / f"src/{name}.cpp").read_text()
            meadow.write(f"src/{name}.cpp", text.replace("state::Kind", "app::detail::Kind").replace("Two", "One"))
        fast, _ = both_ways(meadow)
        assert "src/a.cpp" not in used(fast)

    def test_their_words_may_be_no_macros_of_the_command_line(self, meadow: Tree) -> None:
        meadow.settings += 'defines = ["Two=Second"]\n'
        meadow.write("src/part.h", PART + "#define Second Other\n")
        for name in "ab":
            text = (meadow.root / f"src/{name}.cpp").read_text()
            meadow.write(f"src/{name}.cpp", text.replace("Two", "One"))
        fast, _ = both_ways(meadow)
        assert "src/a.cpp" not in used(fast)

    def test_headers_behind_more_than_enumerations_are_others(self, meadow: Tree) -> None:
        meadow.write("src/kind.h", self.ENUMERATIONS + "constexpr int kinds = 2;\n")
        fast, _ = both_ways(meadow)
        assert used(fast) == ["src/b.cpp", "src/c.cpp"]

    def test_where_they_may_not_they_are_precompiled_before_these(self, meadow: Tree) -> None:
        """All that start alike still share what they start with."""
        meadow.write("src/part.h", PART + "// Kind of what?\n")
        for name in "de":
            start = "#include <kind.h>\n#include <umbrella.h>\n"
            meadow.write(f"src/{name}.cpp", USER.format(name).replace("#include <umbrella.h>\n", start))
        fast, _ = both_ways(meadow)
        assert used(fast) == [f"src/{name}.cpp" for name in "abcde"]
        assert len([u for u in fast.facts.units if u.name.kind == "preamble"]) == 2

    def test_a_choice_that_was_kept_is_proved_again(self, meadow: Tree) -> None:
        """Which headers are precompiled is remembered; what they say may have changed since."""
        meadow.analyse()
        meadow.write("src/part.h", PART + "#define Two 5\n")
        for name in "abc":
            text = (meadow.root / f"src/{name}.cpp").read_text()
            meadow.write(f"src/{name}.cpp", text + "\n")
        fast, _ = both_ways(meadow)
        assert "src/a.cpp" not in used(fast)


@pytest.mark.parametrize("start", ["// ??/\n", "#include <none.inc> // ??/\n"])
def test_a_comment_may_go_on_by_a_trigraph(forest: Tree, start: str) -> None:
    forest.settings = forest.settings.replace("c++20", "c++14")
    forest.write("src/none.inc", "#pragma once\n")
    forest.write("src/part.h", PART + "#ifdef N\nint asked();\n#endif\n")
    forest.write("src/a.cpp", start + "#include <umbrella.h>\n#define N\n" + USER.format("a"))
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/b.cpp", "src/c.cpp"]


@pytest.mark.parametrize("guard", ["FIRST_H", "\u00c9T\u00c9_H", "H_\u00c9", "FIRST$H"])
def test_a_guard_that_the_closure_names_forbids_it(forest: Tree, guard: str) -> None:
    forest.write("src/first.h", f"#ifndef {guard}\n#define {guard}\n#include <umbrella.h>\n#endif\n")
    forest.write("src/part.h", PART + f"#ifdef {guard}\nint told();\n#endif\n")
    forest.write("src/a.cpp", USER.format("a").replace("#include <umbrella.h>\n", "#include <first.h>\n"))
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/b.cpp", "src/c.cpp"]


@pytest.mark.parametrize(
    ("guard", "named"), [("\u00c9_H", "\\u00c9_H"), ("$FIRST_H", "$\\\nFIRST_H"), ("FIRST_H", "FIRST\\\n\r_H")]
)
def test_the_closure_may_spell_a_guard_otherwise(forest: Tree, guard: str, named: str) -> None:
    forest.write("src/first.h", f"#ifndef {guard}\n#define {guard}\n#include <umbrella.h>\n#endif\n")
    forest.write("src/part.h", PART + f"#ifdef {named}\nint told();\n#endif\n")
    forest.write("src/a.cpp", USER.format("a").replace("#include <umbrella.h>\n", "#include <first.h>\n"))
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/b.cpp", "src/c.cpp"]


@pytest.mark.parametrize("word", ["__INCLUDE_LEVEL__ > 2", "__INCLUDE_\\\nLEVEL__ > 2"])
def test_headers_that_ask_how_deep_they_are_met_have_no_one_answer(forest: Tree, word: str) -> None:
    forest.write("src/first.h", "#pragma once\n#include <umbrella.h>\n")
    forest.write("src/part.h", PART + f"#if {word}\nint told();\n#endif\n")
    forest.write("src/a.cpp", USER.format("a").replace("#include <umbrella.h>\n", "#include <first.h>\n"))
    both_ways(forest)


def test_what_is_left_pushed_is_no_part_of_a_precompiled_file(forest: Tree) -> None:
    pushed = '#define N 1\n#pragma push_macro("N")\n#undef N\n#define N 2\n'
    forest.write("src/part.h", PART + pushed)
    popped = '#pragma pop_macro("N")\n#if N == 1\nint told();\n#endif\n'
    forest.write("src/a.cpp", USER.format("a") + popped)
    both_ways(forest)
    forest.write("src/part.h", PART + pushed + '#pragma pop_macro("N")\n')
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


def test_which_macro_a_macro_takes_back_is_not_to_be_seen(forest: Tree) -> None:
    forest.write(
        "src/mode.h",
        "#ifndef MODE_H\n#define MODE_H\n#ifdef SEEN\nint again();\n#endif\n#define SEEN\nPOP(MODE_H)\n#endif\n",
    )
    forest.write(
        "src/part.h",
        "#pragma once\n#define TEXT(x) #x\n#define RUN(x) _Pragma(TEXT(x))\n#define PUSH(n) RUN(push_macro(#n))\n"
        "#define POP(n) RUN(pop_macro(#n))\nstruct Part { int n; };\nPUSH(MODE_H)\n",
    )
    forest.write("src/umbrella.h", "#pragma once\n" + FILLER)
    for name in "abc":
        forest.write(
            f"src/{name}.cpp", f"#include <part.h>\n#include <mode.h>\n#include <umbrella.h>\nint {name}(Part p);\n"
        )
    both_ways(forest)


def test_a_header_behind_a_link_includes_what_lies_beside_the_link(forest: Tree) -> None:
    forest.write("src/real/umbrella.h", UMBRELLA + '#include "near.h"\n')
    forest.write("src/real/near.h", "int told();\n")
    forest.write("src/near.h", "")
    forest.delete("src/umbrella.h")
    (forest.root / "src/umbrella.h").symlink_to("real/umbrella.h")
    both_ways(forest)


@pytest.mark.parametrize(
    "asked", ["#include_next <near.h>\n", "#if __has_include_next(<far.h>)\nint told();\n#endif\n"]
)
def test_a_header_that_asks_for_the_next_is_searched_for(forest: Tree, asked: str) -> None:
    forest.write("src/first/umbrella.h", UMBRELLA + asked)
    forest.write("src/first/near.h", "int told();\n")
    forest.write("src/first/far.h", "")
    forest.write("src/near.h", "")
    both_ways(forest)


def test_for_microsoft_a_header_may_lie_beside_any_file_on_the_way(forest: Tree) -> None:
    forest.settings += 'extra-args = ["-fms-compatibility"]\n'
    forest.write("src/umbrella.h", UMBRELLA + '#include "near.h"\n')
    forest.write("src/first/near.h", "#pragma once\n")
    forest.write("src/way/near.h", "#pragma once\nint told();\n")
    forest.write("src/way/first.h", '#pragma once\n#include "../umbrella.h"\n')
    forest.write("src/a.cpp", USER.format("a").replace("<umbrella.h>", '"way/first.h"'))
    both_ways(forest)


def test_a_guard_that_is_a_part_of_names_forbids_nothing(forest: Tree) -> None:
    forest.write("src/first.h", "#ifndef FIRST_H\n#define FIRST_H\n#include <umbrella.h>\n#endif\n")
    forest.write(
        "src/part.h", PART + "#ifdef A_FIRST_H\n#elif defined FIRST_H2 || defined FIRST\nint told();\n#endif\n"
    )
    forest.write("src/a.cpp", USER.format("a").replace("#include <umbrella.h>\n", "#include <first.h>\n"))
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


WORDS = st.lists(st.sampled_from(["N", "NO", "N$O", "O$N", "\u00c9N", "N\u00c9", "\u00c9"]), min_size=1, unique=True)


@given(WORDS, WORDS)
def test_each_word_of_a_text_is_found_whatever_else_is_looked_for(names: list[str], words: list[str]) -> None:
    found = {name.decode() for name in naming(names)(" ".join(words).encode())}
    assert set(names) & set(words) <= found <= {name for name in names if any(name in word for word in words)}


def test_other_flags_mean_another_header(forest: Tree) -> None:
    forest.write(
        "src/umbrella.h", UMBRELLA.replace("struct Umbrella", "#ifdef N\nint asked();\n#endif\nstruct Umbrella")
    )
    forest.settings += '[[configuration]]\nname = "more"\nstandard = "c++20"\ninclude-dirs = ["src"]\ndefines = ["N"]\n'
    fast, _ = both_ways(forest)
    assert len(used(fast)) == 6
    assert len([unit for unit in fast.facts.units if unit.name.kind == "preamble"]) == 2
    (symbol,) = fast.facts.symbols_named("asked")
    assert {row.mask for row in fast.facts.declarations_of([symbol.id])} == {2}


def test_forced_includes_come_first(forest: Tree) -> None:
    forest.settings += 'force-includes = ["src/part.h"]\n'
    fast, _ = both_ways(forest)
    assert used(fast) == []


@pytest.mark.parametrize("fault", ["int wrong(Nothing);\n", "#error wrong\n", "#include <none.h>\n"])
def test_a_header_with_errors_is_not_precompiled(forest: Tree, fault: str) -> None:
    forest.write("src/umbrella.h", UMBRELLA + fault)
    fast, plain = both_ways(forest)
    assert used(fast) == []
    assert len(fast.facts.diagnostics()) == len(plain.facts.diagnostics()) == 3


def test_a_source_with_errors_is_told_so(forest: Tree) -> None:
    forest.write("src/a.cpp", USER.format("a") + "int wrong(Nothing);\n")
    fast, plain = both_ways(forest)
    assert [d.message for d in fast.facts.diagnostics()] == [d.message for d in plain.facts.diagnostics()] != []
    assert used(fast) == ["src/b.cpp", "src/c.cpp"]


def test_a_header_without_guard_means_something_each_time(forest: Tree) -> None:
    forest.write("src/umbrella.h", "#include <part.h>\nvoid again();\nextern int counted;\n" + FILLER)
    for name in "abc":
        text = (
            f"#include <umbrella.h>\n#include <umbrella.h>\nint {name}(Part p) {{ again(); return p.n + counted; }}\n"
        )
        forest.write(f"src/{name}.cpp", text)
    both_ways(forest)


def test_an_x_macro_file_means_something_each_time(forest: Tree) -> None:
    forest.write("src/umbrella.h", "#ifndef X\n#define X(n) int n();\n#endif\nX(one)\nX(two)\n#undef X\n" + FILLER)
    for name in "abc":
        text = f"#include <umbrella.h>\n#define X(n) int {name}##n = n();\n#include <umbrella.h>\n"
        forest.write(f"src/{name}.cpp", text)
    fast, _ = both_ways(forest)
    names = {declaration[0][0] for declaration in forest.dump_of(fast)["declaration"]}
    assert {"c:@aone", "c:@btwo"} <= names


class TestDamage:
    @pytest.mark.parametrize("suffix", [".pch", ".sum"])
    @pytest.mark.parametrize("damage", ["delete", "cut", "flip", "empty"])
    def test_a_damaged_file_is_not_used(self, forest: Tree, suffix: str, damage: str) -> None:
        expected = forest.known(forest.analyse())
        (path,) = (forest.cache / "preamble").rglob(f"*{suffix}")
        data = bytearray(path.read_bytes())
        if damage == "delete":
            path.unlink()
        elif damage == "flip":
            data[len(data) // 2] ^= 255
            path.write_bytes(data)
        else:
            path.write_bytes(data[: len(data) // 2] if damage == "cut" else b"")
        for name in "abc":
            forest.write(f"src/{name}.cpp", USER.format(name) + "\n")
        assert differing(forest.known(forest.analyse()), expected) == []
        for name in "abc":  # and it has been made anew by now
            forest.write(f"src/{name}.cpp", USER.format(name) + "\n\n")
        again = forest.analyse()
        assert differing(forest.known(again), expected) == []
        assert used(again) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]

    def test_a_header_that_changes_at_equal_size_and_time(self, forest: Tree) -> None:
        path: Path = forest.root / "src/part.h"
        before = path.stat()
        forest.analyse()
        path.write_text(PART.replace("int n;", "int m;").replace("return n;", "return m;").replace("p.n", "p.m"))
        for name in ("src/umbrella.h", "src/a.cpp", "src/b.cpp", "src/c.cpp"):
            file = forest.root / name
            file.write_text(file.read_text().replace("t.n", "t.m").replace("(x).n", "(x).m").replace("p.n", "p.m"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_size == before.st_size
        fast, _ = both_ways(forest)
        assert used(fast) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


def test_sources_join_and_leave(forest: Tree) -> None:
    forest.analyse()
    forest.write("src/d.cpp", USER.format("d"))
    forest.delete("src/a.cpp")
    fast, _ = both_ways(forest)
    assert used(fast) == ["src/b.cpp", "src/c.cpp", "src/d.cpp"]
    for name in "bcd":
        forest.write(f"src/{name}.cpp", f"int {name}();\n")
    fast, _ = both_ways(forest)
    assert used(fast) == []
    assert [unit.name.path for unit in fast.facts.units] == ["src/b.cpp", "src/c.cpp", "src/d.cpp"]


def test_missing_headers_are_stubbed_with_a_precompiled_header_too(forest: Tree) -> None:
    forest.settings += 'missing-headers = "stub"\n'
    forest.write("src/a.cpp", USER.format("a") + "#include <library/none.h>\n")
    fast, _ = both_ways(forest)
    assert fast.facts.diagnostics() == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a patched worker must be forked")
def test_headers_that_cost_worker_processes_make_the_run_untrusted(
    forest: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their units are parsed in full, so that nothing is missing."""
    attempt = Worker._attempt

    def die(self: Worker, job: Job) -> Any:
        if job.unit.kind == "preamble":
            os._exit(9)
        return attempt(self, job)

    monkeypatch.setattr(pool, "start_method", lambda: "fork")
    monkeypatch.setattr(Worker, "_attempt", die)
    after = forest.analyse(jobs=2)
    assert ["cannot be precompiled: its worker process died with exit code 9" in p.message for p in after.problems] == [
        True
    ]
    assert forest.analyse(jobs=2, preambles=False).problems == ()
