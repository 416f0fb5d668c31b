"""Gate B on sources, and its comparison with binaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.gates.symbol_purity.comparison import entity_of
from mgaudit.sources import binaries
from mgaudit.sources.binaries_model import (
    Binary,
    Bind,
    ObjectFile,
    ObjectKind,
    Placement,
    Symbol,
    SymbolKind,
    Table,
    Visibility,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.domain.findings import Finding
    from mgaudit.domain.report import Report
    from tests.gates.conftest import Audit

STATE = """#pragma once
namespace state {
int fn(int);
extern int value;
struct Plain { Plain(); Plain(const Plain&); ~Plain(); int get() const; int n; };
struct Table { virtual ~Table(); virtual void run(); int id() const { return fn(1); } };
inline int inlined() { return fn(2); }
inline int unused() { return value; }
template <class T> struct Holder { T held; int read() { return held.get(); } };
}
extern "C" int state_entry(int);
"""
GATE = """
[[gate]]
id = "B"
kind = "symbol-purity"
sources = { from = ["backend"], forbid = ["state"] }
"""


def report_on(audit: Audit, body: str, gate: str = GATE, *, head: str = "", more: str = "", state: str = "") -> Report:
    tree = {
        "src/state/state.h": STATE + state,
        "src/backend/use.cpp": f'#include "state/state.h"\n{head}\nnamespace backend {{\n{body}\n}}\n',
        "src/backend/other.cpp": f'#include "state/state.h"\n{more}\n',
    }
    report = audit(tree, gate)
    assert report.errors == ()
    return report


def errors(report: Report) -> set[str]:
    return {finding.entity for finding in report.findings if finding.severity == "error"}


def notes(report: Report, containing: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.severity == "note" and containing in finding.message]


CONSTRUCTED, DESTROYED, COPIED = "_ZN5state5PlainC1Ev", "_ZN5state5PlainD1Ev", "_ZN5state5PlainC1ERKS0_"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int f() { return state::fn(3); }", {"_ZN5state2fnEi"}),
        ("auto* f() { return &state::fn; }", {"_ZN5state2fnEi"}),
        ("int f() { return state_entry(1); }", {"state_entry"}),
        ("int f() { return state::inlined(); }", {"_ZN5state2fnEi"}),
        ("int f() { return state::value; }", {"_ZN5state5valueE"}),
        ("void f() { state::Plain p; }", {CONSTRUCTED, DESTROYED}),
        ("void f(state::Plain& p) { state::Plain q = p; }", {COPIED, DESTROYED}),
        ("static state::Plain atStart;", {CONSTRUCTED, DESTROYED}),
        ("struct Own { state::Plain p; }; void f() { Own o; }", {CONSTRUCTED, DESTROYED}),
        ("void f() { state::Holder<state::Plain> h; }", {CONSTRUCTED, DESTROYED}),
        ("int f(state::Holder<state::Plain>& h) { return h.read(); }", {"_ZNK5state5Plain3getEv"}),
        ("void f(state::Table& t) { t.Table::run(); }", {"_ZN5state5Table3runEv"}),
        ("void f() { state::Table t; t.run(); }",
         {"_ZN5state5Table3runEv", "_ZN5state5TableD1Ev", "_ZTVN5state5TableE"}),
        ("bool f(state::Table* t) { struct T : state::Table { T(); }; return dynamic_cast<T*>(t); }",
         {"_ZTIN5state5TableE"}),
        ("auto f = [] { return state::fn(1); };", {"_ZN5state2fnEi"}),
        ("int g(int n = state::fn(4)); int f() { return g(); } int g(int n) { return n; }", {"_ZN5state2fnEi"}),
        ("struct S { int n = state::fn(5); }; S f() { return {}; }", {"_ZN5state2fnEi"}),
        ("void f() { throw state::Plain(); }", {CONSTRUCTED, DESTROYED}),
        ("void f(state::Plain* p) { delete p; }", {DESTROYED}),
        # No symbol.
        ("void f(state::Table& t) { t.run(); }", set()),
        ("void f(state::Table* t) { delete t; }", set()),
        ("int f(state::Plain& p) { return p.n + sizeof(state::fn(1)); }", set()),
        ("using T = decltype(state::fn(1)); T f();", set()),
        ("template <class T> int f(T t) { return state::fn(t); }", set()),
        ("inline int f() { return state::fn(1); }", set()),
        ("static int f() { return state::fn(1); }", set()),
        ("int f() { if constexpr (false) { return state::fn(1); } return 0; }", set()),
        ("state::Plain f(); void g(state::Plain);", set()),
    ],
)  # fmt: skip
def test_what_code_needs(body: str, expected: set[str], audit: Audit) -> None:
    assert errors(report_on(audit, body)) == expected


def test_each_reference_is_a_finding_at_its_place(audit: Audit) -> None:
    report = report_on(audit, "int f() { return state::fn(1) +\n    state::fn(2); }")
    found = [(f.path, f.line, f.column, f.symbol) for f in report.findings if f.severity == "error"]
    assert found == [("src/backend/use.cpp", 4, 25, "backend::f()"), ("src/backend/use.cpp", 5, 12, "backend::f()")]


def test_an_implicit_conversion_lies_where_it_converts(audit: Audit) -> None:
    state = "namespace state { struct Flag { operator bool() const; }; }\n"
    report = report_on(audit, "int f(state::Flag& flag) {\n    return flag ? 1 : 2;\n}", state=state)
    assert [(f.entity, f.line, f.column) for f in report.findings] == [("_ZNK5state4FlagcvbEv", 5, 12)]


def test_inline_code_is_traced_back_into_the_guarded_zone(audit: Audit) -> None:
    (finding,) = [f for f in report_on(audit, "int f() { return state::inlined(); }").findings if f.severity == "error"]
    assert (finding.path, finding.line) == ("src/backend/use.cpp", 4)
    assert "through state::inlined()" in finding.message
    assert [(step.path, step.line) for step in finding.evidence] == [("src/state/state.h", 7)]


def test_a_use_from_a_macro_shows_its_definition(audit: Audit) -> None:
    head = "#define SUM(x) (state::fn(x) +\\\n    state::unused())\n#define SAME(x) x"
    report = report_on(audit, "int f() { return SUM(3); }\nint g() { return SAME(state::fn(4)); }", head=head)
    found = {
        (finding.line, *(step.path.removeprefix("src/") + f":{step.line} {step.text}" for step in finding.evidence))
        for finding in report.findings
        if finding.severity == "error"
    }
    assert found == {
        (6, "backend/use.cpp:2 #define SUM"),
        (6, "backend/use.cpp:2 #define SUM", "state/state.h:8 state::value"),
        (7,),
    }


def test_a_table_says_whose_it_is(audit: Audit) -> None:
    report = report_on(audit, "struct Own : state::Table { int n; }; void f() { Own o; }")
    (finding,) = [f for f in report.findings if f.entity == "_ZN5state5Table3runEv"]
    assert finding.message.endswith(" for the tables of backend::Own")


def test_what_no_linker_sees_is_a_note(audit: Audit) -> None:
    report = report_on(audit, "int f(state::Table& t) { return t.id(); }")
    assert [note.entity for note in notes(report, "no linker sees it")] == ["_ZNK5state5Table2idEv"]


COROUTINE = """#include <coroutine>
namespace state {
struct Argument { Argument(Argument&&); ~Argument(); };
struct Task {
    struct promise_type {
        promise_type();
        ~promise_type();
        Task get_return_object();
        std::suspend_never initial_suspend() noexcept;
        std::suspend_never final_suspend() noexcept;
        void return_void();
        void unhandled_exception();
        std::suspend_never await_transform(int);
        static void operator delete(void*);
    };
};
}
"""


def test_a_coroutine_needs_what_nobody_writes(audit: Audit) -> None:
    report = report_on(audit, "state::Task run(state::Argument) { co_await 3; }", state=COROUTINE)
    promise = "_ZN5state4Task12promise_type"
    members = ["C1Ev", "D1Ev", "17get_return_objectEv", "15initial_suspendEv", "13final_suspendEv", "11return_voidEv"]
    members += ["19unhandled_exceptionEv", "15await_transformEi", "dlEPv"]
    parameter = {"_ZN5state8ArgumentC1EOS0_", "_ZN5state8ArgumentD1Ev"}
    assert errors(report) == {promise + member for member in members} | parameter


TUPLE = """#include <tuple>
namespace state {
struct Pair { int a; int b; };
template <std::size_t I> int get(const Pair& pair);
}
template <> struct std::tuple_size<state::Pair> { static constexpr std::size_t value = 2; };
template <std::size_t I> struct std::tuple_element<I, state::Pair> { using type = int; };
"""
LOOP = """namespace state {
struct Step { int* at; int& operator*() const { return *at; } };
Step& operator++(Step&);
bool operator!=(const Step&, const Step&);
struct Free { int n; };
Step begin(const Free&);
Step end(const Free&);
struct Half { Step begin() const; Step end() const; };
}
"""
SINGLE = """namespace state {
template <class T> struct Box { T held; T open() const { return held; } T other() const { return held; } };
extern template int Box<int>::open() const;
}
"""


@pytest.mark.parametrize(
    ("state", "body", "expected"),
    [
        (TUPLE, "int f(const state::Pair& p) { auto [a, b] = p; return a + b; }", ["get<>() of state::Pair"]),
        ("", "int f(const state::Plain& p) { auto& [n] = p; return n; }", []),
        (LOOP, "int f(state::Free& r) { for (int v : r) return v; return 0; }", ["functions of state::Free"]),
        (LOOP, "int f(state::Half& r) { for (int v : r) return v; return 0; }", ["functions of state::Step"]),
        (SINGLE, "int f(state::Box<int>& b) { return b.open(); }", ["leave state::Box::open to"]),
        (SINGLE, "int f(state::Box<int>& b) { return b.other(); }", []),
    ],
)
def test_what_the_front_end_does_not_show_is_a_warning(
    state: str, body: str, expected: list[str], audit: Audit
) -> None:
    report = report_on(audit, body, state=state)
    warnings = [finding for finding in report.findings if finding.severity == "warning"]
    assert len(warnings) == len(expected)
    for finding, part in zip(warnings, expected, strict=True):
        assert part in finding.message
        assert finding.path == "src/backend/use.cpp"


def test_what_another_unit_of_the_zones_defines_is_not_needed(audit: Audit) -> None:
    report = report_on(audit, "int f() { return state::fn(3); }", more="int state::fn(int n) { return n; }")
    assert errors(report) == set()


def test_a_header_of_the_state_that_needs_a_symbol_in_every_unit(audit: Audit) -> None:
    report = report_on(audit, "", head="namespace state { static Plain everywhere; }")
    assert errors(report) == {CONSTRUCTED, DESTROYED}


# ---- beside binaries

BOTH = GATE + 'binaries = ["build/*.o"]\n'


def undefined(*names: str) -> Binary:
    symbols = tuple(
        Symbol(
            name, "", False, Bind.GLOBAL, SymbolKind.NONE, Visibility.DEFAULT, Placement.UNDEFINED, "", 0, Table.STATIC
        )
        for name in names
    )
    path = "build/use.o"
    return Binary(path, False, (ObjectFile(path, None, 1, ObjectKind.RELOCATABLE, "EM_X86_64", symbols),))


@pytest.fixture
def beside(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> Audit:
    """An audit with one object, whose undefined symbols the first lines of ``build/use.o`` name."""

    def read(files: Iterable[tuple[object, str]], _: object) -> tuple[Binary, ...]:
        names = [path.read_text().split() for path, _ in files]  # type: ignore[attr-defined]
        return tuple(undefined(*found) for found in names)

    monkeypatch.setattr(binaries, "read_binaries", read)
    return audit


def compared(beside: Audit, body: str, names: str, gate: str = BOTH) -> Report:
    tree = {
        "src/state/state.h": STATE,
        "src/backend/use.cpp": f'#include "state/state.h"\nnamespace backend {{\n{body}\n}}\n',
        "build/use.o": names,
    }
    report = beside(tree, gate)
    assert report.errors == ()
    return report


def test_what_the_linker_alone_sees_is_a_finding(beside: Audit) -> None:
    report = compared(beside, "int f() { return state::fn(1); }", "_ZN5state2fnEi _ZN5state5valueE state_entry puts")
    own = [(f.path, f.entity) for f in report.findings if f.path == "build/use.o"]
    assert own == [("build/use.o", "_ZN5state5valueE"), ("build/use.o", "state_entry")]
    assert "no source is predicted to need it" in next(f.message for f in report.findings if f.path == "build/use.o")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("_ZN5state5PlainC1Ev", "_ZN5state5PlainC2Ev"),
        ("_ZThn16_N5state5Table3runEv", "_ZN5state5Table3runEv"),
        ("_ZN5state4nameERKNSt3__112basic_stringIcNS0_11char_traitsIcEENS0_9allocatorIcEEEE",
         "_ZN5state4nameERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
        ("_ZN5state4nameEv", "_ZN5state4nameB5cxx11Ev"),
    ],
)  # fmt: skip
def test_variants_and_libraries_are_one_entity(one: str, other: str) -> None:
    assert entity_of(one) == entity_of(other)
    assert entity_of(one) != entity_of("_ZTIN5state5PlainE")


def test_a_forbidden_symbol_says_which_source_needs_it(beside: Audit) -> None:
    gate = BOTH + 'forbid = ["state::"]\n'
    report = compared(beside, "int f() { return state::fn(1); }", "_ZN5state2fnEi _ZN5state5valueE", gate)
    evidence = {f.entity: f.evidence[-1] for f in report.findings if f.path == "build/use.o"}
    assert (evidence["_ZN5state2fnEi"].path, evidence["_ZN5state2fnEi"].line) == ("src/backend/use.cpp", 3)
    assert evidence["_ZN5state5valueE"].text == "no source is predicted to need it"


@pytest.mark.parametrize(
    ("body", "names", "reason"),
    [
        ("void f(state::Plain* p) { delete p; }", "_ZN5state5PlainD2Ev", "another variant"),
        ("int f() { return state::inlined(); }", "", "an optimiser may have inlined"),
        ("int f() { return state::fn(1); }", "", "the code may be dead"),
    ],
)
def test_what_is_predicted_alone_is_explained(body: str, names: str, reason: str, beside: Audit) -> None:
    report = compared(beside, body, names)
    (note,) = notes(report, "no binary needs it")
    assert reason in note.message
    assert note.path == "src/backend/use.cpp"
