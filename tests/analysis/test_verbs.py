"""Which verbs reach a read, in the ways by which tables are filled and code is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.config.loader import load
from mgaudit.domain.problems import UntrustedError
from mgaudit.engine.judge import context_of
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.reads.census import census_of
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONFIGURATION = """
schema = 1
[tree]
name = "small"
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h"]
[[configuration]]
name = "only"
standard = "c++20"
include-dirs = ["src"]
[zone.state]
paths = ["src/state/**"]
[zone.backend]
paths = ["src/backend/**"]
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
[verbs]
"""
STATE = """
#pragma once
namespace state {
struct Context {
    int A() const; int B() const; int C() const; int D() const;
    int field;
};
extern Context* ctx;
}
"""
TABLE = """
#include "state/context.h"
using state::ctx;
void* memcpy(void*, const void*, unsigned long);
struct Table { void (*draw)(); int (*clear)(int); int version; };
extern Table gTable;
void Draw();
int Clear(int);
static void DrawIt() { ctx->A(); }
static int ClearIt(int) { return ctx->B(); }
"""

SLOTS = "#define SLOTS(X) X(draw, DrawIt) X(clear, ClearIt)\n"
SET_AT = "template <class F> void Set(F* at, F f) { *at = f; }\n"
PICK = "auto Pick() { return DrawIt; } int (*Other(bool b))(int) { if (b) return &ClearIt; return nullptr; }\n"
VIRTUAL = "struct I { virtual void go() = 0; }; struct J : I { void go() { ctx->C(); } };"
Verbs = dict[str, tuple[str, ...]]


@pytest.fixture
def verbs(tmp_path: Path) -> Callable[..., Verbs]:
    """The verbs that reach each accessor of a backend file."""

    def run(source: str, configured: str = 'tables = ["Table"]') -> Verbs:
        files = {"mgaudit.toml": CONFIGURATION + configured, "src/state/context.h": STATE, "src/backend/a.cpp": source}
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        analysis = analyse(load(tmp_path / "mgaudit.toml", PARAMETERS), Options(tmp_path / "cache"))
        assert not analysis.facts.diagnostics(), analysis.facts.diagnostics()
        try:
            (gate,) = (gate for gate in analysis.settings.gates if gate.kind == "reads")
            census = census_of(context_of(analysis, gate))
        finally:
            analysis.facts.connection.close()
        found: dict[str, set[str]] = {}
        for site in census.sites:
            if site.kind == "value":
                found.setdefault(site.accessor, set()).update(site.verbs)
        return {name: tuple(sorted(names)) for name, names in found.items()}

    return run


@pytest.mark.parametrize(
    "store",
    [
        "Table gTable = {.draw = DrawIt, .clear = &ClearIt};",
        "Table gTable = {DrawIt, ClearIt, 3};",
        "Table gTables[2] = {{}, {.draw = DrawIt, .clear = ClearIt}};",
        "Table gTables[] = {DrawIt, ClearIt, 1, nullptr, nullptr, 2};",
        "void Install() { gTable.draw = DrawIt; gTable.clear = ClearIt; }",
        "void Install(Table* t) { t->draw = &DrawIt; (*t).clear = ClearIt; }",
        "Table Make() { return {.draw = DrawIt, .clear = ClearIt}; }",
        "constexpr Table Make() { Table t{}; t.draw = DrawIt; t.clear = ClearIt; return t; } Table gTable = Make();",
        "static const Table kOwn = {DrawIt, ClearIt}; void Install() { memcpy(&gTable, &kOwn, sizeof(Table)); }",
        "static const Table kOwn = {DrawIt, ClearIt}; void Install() { gTable = kOwn; }",
        SLOTS + "#define ROW(slot, f) .slot = f,\nTable gTable = {SLOTS(ROW)};\n",
        SLOTS + "#define SET(slot, f) t.slot = f;\nvoid Install(Table& t) { SLOTS(SET) }\n",
        "void (*gPick)() = DrawIt; void Go(Table& t) { t.draw = gPick; t.clear = static_cast<int (*)(int)>(ClearIt); }",
        "struct Outer { Table t; int n; }; Outer o = {.t = {.draw = DrawIt, .clear = ClearIt}, .n = 1};",
        "struct Derived : Table { Derived() { draw = DrawIt; clear = ClearIt; } };",
        "template <class T> void Fill(T* t) { t->draw = DrawIt; t->clear = ClearIt; } void Go() { Fill(&gTable); }",
        "void Go(Table& t) { auto f = DrawIt; int (*g)(int); g = ClearIt; auto h = g; t.draw = f; t.clear = h; }",
        "void Go(Table& t) { auto& draw = t.draw; auto* clear = &t.clear; draw = DrawIt; *clear = ClearIt; }",
        "void Go(Table& t) { auto draw = &Table::draw; t.*draw = DrawIt; t.*(&Table::clear) = ClearIt; }",
        "void Set(void (*f)(), int (*g)(int)) { gTable = {f, g, 1}; } void Go() { Set(DrawIt, ClearIt); }",
        SET_AT + "void Go(Table& t) { Set(&t.draw, DrawIt); Set(&t.clear, &ClearIt); }",
        PICK + "void Go(Table& t, int n) { t.draw = (++n, Pick()); t.clear = n ? nullptr : Other(true); }",
        "void Go(Table& t) { auto f = [] { DrawIt(); }; auto g = [](int n) { return ClearIt(n); }; t = {f, g}; }",
    ],
)
def test_a_table_however_it_is_filled(verbs: Callable[..., Verbs], store: str) -> None:
    assert verbs(TABLE + store) == {"A": ("draw",), "B": ("clear",)}


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("static void H() { ctx->C(); } static void F() { H(); } Table t = {F};", {"C": ("draw",)}),
        ("template <class T> int Get(T* c) { return c->C(); } static void F() { Get(ctx); } Table t = {F};",
         {"C": ("draw",)}),
        ("template <class F> void Run(F f) { f(); } static void F() { Run([] { ctx->C(); }); } Table t = {F};",
         {"C": ("draw",)}),
        ("static void F() { auto g = [](auto* c) { return c->C(); }; g(ctx); } Table t = {F};", {"C": ("draw",)}),
        ("struct R { int v; R() : v(ctx->C()) {} ~R() { ctx->D(); } }; static void F() { R r; } Table t = {F};",
         {"C": ("draw",), "D": ("draw",)}),
        ("struct R { int v = ctx->field; int w = ctx->C(); }; static void F() { R r; } Table t = {F};",
         {"field": ("draw",), "C": ("draw",)}),
        ("struct R { int v = ctx->field; }; static void F() { R r{}; } Table t = {F};", {"field": ("draw",)}),
        ("static const auto get = [] { return ctx->field; }; static void F() { get(); } Table t = {F};",
         {"field": ("draw",)}),
        ("static void F() { gTable.clear(1); } static int G(int) { return ctx->C(); } Table t = {F, G};",
         {"C": ("clear", "draw")}),
        (VIRTUAL + "static void F(I& i) { i.go(); } Table t = {[] { J j; F(j); }};", {"C": ("draw",)}),
        ("static void H() { ctx->C(); } static void Do(void (*f)()) { f(); } static void F() { Do(H); } Table t = {F};",
         {"C": ("draw",)}),
        ("static int D(int x = ctx->C()) { return x; } static void F() { D(); } Table t = {F};", {"C": ("draw",)}),
        ("#define READ ctx->C()\nstatic void F() { READ; } Table t = {F};\n", {"C": ("draw",)}),
        ("struct S { void Do() { ctx->C(); } static void F() { S().Do(); } }; Table t = {S::F};", {"C": ("draw",)}),
        ("struct R { int v = ctx->field; }; struct O { int n; R r; }; static void F() { O{1}; } Table t = {F};",
         {"field": ("draw",)}),
        ("struct R { R() { ctx->C(); } }; struct O { int n; R r; }; static void F() { O o{}; } Table t = {F};",
         {"C": ("draw",)}),
        ("static void F() { ctx->C(); } static void F(int) { ctx->D(); } Table t = {.draw = F};",
         {"C": ("draw",), "D": ()}),
        ("template <int N> void F() { ctx->C(); if (N == 1) ctx->D(); } Table t = {F<0>};",
         {"C": ("draw",), "D": ("draw",)}),
    ],
)  # fmt: skip
def test_reads_are_reached_through_whatever_is_called(verbs: Callable[..., Verbs], code: str, wanted: Verbs) -> None:
    found = verbs(TABLE + code)
    assert {name: found[name] for name in wanted} == wanted
    assert (found["A"], found["B"]) == ((), ())


def test_who_fills_a_table_does_not_call_it(verbs: Callable[..., Verbs]) -> None:
    found = verbs(
        TABLE
        + "void Init() { gTable.draw = DrawIt; gTable.clear = [](int) { return ctx->C() + ctx->field; }; ctx->D(); }\n"
        "struct Other { void (*init)(); }; Other o = {Init};",
        'tables = ["Table", "Other"]',
    )
    assert found == {"A": ("draw",), "B": (), "C": ("clear",), "field": ("clear",), "D": ("init",)}


def test_a_store_that_yields_itself_ends(verbs: Callable[..., Verbs]) -> None:
    source = (
        "auto Pick(int n, void (*f)()) -> void (*)() { return n ? Pick(n - 1, f) : f; }\n"
        "void Go(Table& t) { auto f = t.draw; f = Pick(2, f); auto g = f; f = g; f = DrawIt; t.draw = f; }"
    )
    assert verbs(TABLE + source) == {"A": ("draw",), "B": ()}


def test_a_helper_stores_into_a_slot_what_the_same_call_hands_over(verbs: Callable[..., Verbs]) -> None:
    source = "struct Twins { void (*one)(); void (*two)(); };\nstatic void Other() { ctx->C(); }\n" + SET_AT
    source += "void Go(Twins& t) { Set(&t.one, DrawIt); Set(&t.two, Other); }"
    assert verbs(TABLE + source, 'tables = ["Twins"]') == {"A": ("one",), "B": (), "C": ("two",)}


def test_each_lambda_belongs_to_its_own_slot(verbs: Callable[..., Verbs]) -> None:
    found = verbs(
        TABLE
        + "Table gTable = {.draw = [] { ctx->C(); [] { ctx->field; }(); }, .clear = [](int) { return ctx->D(); }};"
    )
    assert {"C": ("draw",), "field": ("draw",), "D": ("clear",)}.items() <= found.items()


def test_tables_that_share_a_slot_name(verbs: Callable[..., Verbs]) -> None:
    found = verbs(
        TABLE + "struct Second { void (*draw)(); void (*flush)(); }; static void G() { ctx->C(); }\n"
        "Table t = {DrawIt, ClearIt}; Second s = {G, G};",
        'tables = ["Table", "Second"]',
    )
    assert found == {"A": ("Table::draw",), "B": ("clear",), "C": ("Second::draw", "flush")}


def test_virtual_verbs_of_two_backends(verbs: Callable[..., Verbs]) -> None:
    found = verbs(
        TABLE + "struct Root { virtual void flush() {} };\n"
        "struct Backend : Root { virtual ~Backend(); virtual void draw() = 0; virtual int clear(int) { return 0; } };\n"
        "struct One : Backend { void draw() override { ctx->A(); } void flush() override { ctx->C(); } };\n"
        "struct Two : Backend { void draw() override { ctx->D(); } int clear(int) override { return ctx->B(); } };\n",
        'virtuals = ["Backend"]',
    )
    assert found == {"A": ("draw",), "B": ("clear",), "C": ("flush",), "D": ("draw",)}


def test_listed_functions(verbs: Callable[..., Verbs]) -> None:
    found = verbs(
        TABLE
        + "namespace b { void DrawOne() { ctx->C(); } void DrawOne(int) { DrawIt(); } void Other() { ctx->D(); } }",
        'functions = ["b::Draw*"]',
    )
    assert found == {"A": ("DrawOne",), "B": (), "C": ("DrawOne",), "D": ()}


def test_a_listed_function_in_a_slot_of_its_name_is_one_verb(verbs: Callable[..., Verbs]) -> None:
    found = verbs(
        TABLE + "namespace b { void draw() { ctx->C(); } } Table t = {b::draw};",
        'tables = ["Table"]\nfunctions = ["b::draw"]',
    )
    assert found["C"] == ("draw",)


def test_inherited_and_nested_tables(verbs: Callable[..., Verbs]) -> None:
    found = verbs(
        TABLE + "struct Big : Table { struct { void (*sub)(); } part; Table inner; };\n"
        "static void S() { ctx->C(); } Big b = {{DrawIt, ClearIt}, {S}};",
        'tables = ["Big"]',
    )
    assert found == {"A": ("draw",), "B": ("clear",), "C": ("sub",)}


@pytest.mark.parametrize(
    ("configured", "message"),
    [
        ('tables = ["Tabel"]', "no translation unit declares the table `Tabel`"),
        ('tables = ["Empty"]', "the table `Empty` has no slot"),
        ('tables = ["Table"]', "no function is stored into any slot of the table `Table`"),
        ('virtuals = ["Empty"]', "the class `Empty` has no virtual method"),
        ('functions = ["Paint*"]', "no function is named `Paint*`"),
    ],
)
def test_verbs_that_are_none(verbs: Callable[..., Verbs], configured: str, message: str) -> None:
    with pytest.raises(UntrustedError) as caught:
        verbs(TABLE + "struct Empty { int n; }; Empty e;", configured)
    assert [p.message for p in caught.value.problems] == [f"[verbs]: {message}"]
    assert caught.value.problems[0].line > 1
