"""What the front end reports in each situation, and what the call graph makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

TABLE = """
void A(); void B(int); void C();
struct Table { void (*clear)(); void (*draw)(int); };
struct Outer { Table t; void (*back)(); int n; };
void Use(Table* t) { t->clear(); }
"""


@pytest.mark.parametrize(
    "store",
    [
        "Table t = {.clear = &A, .draw = B};",
        "Table t = {&A, &B};",
        "Table t{A};",
        "Table t[2] = {{}, {A, B}};",
        "void A(int); Table t = {.clear = A, .draw = B};",
        "template <int N> void T() { A(); } Table t = {.clear = A}; Table u = {.clear = T<1>};",
        "Table t[] = {A, B, A, B};",
        "Outer o = {{A, B}, C, 3};",
        "Outer o = {A, B, C, 3};",
        "Outer o = {.t = {.clear = A}};",
        "Outer o = {.t.clear = A};",
        "struct D : Table { int z; }; D d{{A, B}, 3};",
        "Table Make() { return Table{A, B}; }",
        "Table Make() { return {A, B}; }",
        "Table Make() { Table t(A, B); return t; }",
        "void Take(Table); void Give() { Take({A, B}); }",
        "void Fill(Table* t) { t->clear = A; }",
        "void Fill(Table* t) { (*t).clear = &A; }",
        "void Fill(Table& t, bool b) { t.clear = b ? C : A; }",
        "void Fill(Table& t) { t.clear = static_cast<void (*)()>(A); }",
        "void Fill(Table* t) { *t = {A, B}; }",
        "void Fill(Table* t) { *t = Table{.clear = A}; }",
        "Table* Make() { return new Table{A, B}; }",
        "struct Holder { Table t{A, B}; };",
        "struct Holder { Table t; Holder() : t{A, B} {} };",
        "struct Derived : Table { Derived() { clear = A; } };",
        "void (*gHook)() = A; void Fill(Table* t) { t->clear = gHook; }",
        "struct Hooks { void (*hook)(); }; Hooks h{A}; void Fill(Table* t, Hooks* o) { t->clear = o->hook; }",
        "#define SET(f) t->clear = f\nvoid Fill(Table* t) { SET(A); }",
        "template <class T> void Fill(T* t) { t->clear = A; } void Use2(Table* t) { Fill(t); }",
    ],
)
def test_a_call_through_a_slot_reaches_what_is_stored_there(calls: Callable[[str], Any], store: str) -> None:
    graph = calls(TABLE + store)
    assert ("Use", "slot", "A") in graph.edges()
    assert not any(u[0] == "Use" for u in graph.unresolved())


@pytest.mark.parametrize(
    "other",
    [
        "Table t = {.draw = B};",
        "Table t = {nullptr, B};",
        "Outer o = {.back = A};",
        "Outer o = {{nullptr, B}, A};",
        "bool Same(Table* t) { return t->clear == A; }",
        "void Take(void (*)()); void Give() { Take(A); }",
        "struct Other { void (*clear)(); }; Other o{A};",
    ],
)
def test_a_slot_without_the_function_stays_unresolved(calls: Callable[[str], Any], other: str) -> None:
    graph = calls(TABLE + other)
    assert ("Use", "slot", "A") not in graph.edges()
    assert ("Use", 5, "EMPTY_SLOT", "Table::clear") in graph.unresolved()


def test_a_static_function_is_one_whichever_declaration_is_stored(calls: Callable[[str], Any]) -> None:
    graph = calls(
        TABLE
        + "static void S();\nTable Early() { return {S}; }\nstatic void S() { C(); }\nTable Late() { return {S}; }"
    )
    assert len({edge.target for edge in graph.graph.edges if graph.name(edge.target) == "S"}) == 1
    assert graph.chain("Use", "C") == ["Use -slot-> S a.cpp:5", "S -direct-> C a.cpp:8"]


def test_a_lambda_in_a_slot(calls: Callable[[str], Any]) -> None:
    graph = calls(TABLE + "void Fill(Table* t) { t->clear = [] { A(); }; }")
    assert ("Use", "slot", "Fill::(lambda)::operator()") in graph.edges()


def test_a_function_in_a_wrapper_with_a_call_operator(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "void A(); struct Function { template <class F> Function(F); template <class F> Function& operator=(F);"
        " void operator()() const; };\n"
        "struct S { Function f; Function g = A; };\nvoid Fill(S& s) { s.f = &A; }\n"
        "void Use(S& s) { s.f(); }\nvoid Use2(S& s) { s.g(); }"
    )
    assert {("Use", "address", "A"), ("Use2", "address", "A")} <= graph.edges()


def test_a_slot_of_a_class_template_is_that_of_its_instantiations(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "struct G {}; void A(G*); template <class T> struct H { void (*fn)(T*); };\n"
        "H<G> h = {.fn = A}; H<G> i{A};\nvoid Use() { h.fn(nullptr); }"
    )
    assert ("Use", "slot", "A") in graph.edges()


def test_a_slot_that_is_read_hands_its_functions_on(calls: Callable[[str], Any]) -> None:
    graph = calls(TABLE + "Table t{A}; void Copy(Table* t) { auto f = t->clear; f(); (*t->clear)(); }")
    assert ("Copy", "address", "A") in graph.edges()


def test_pointer_variables_hold_functions(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "void A(); void B(); void C(); void (*gHook)() = A; void (*gHooks[2])() = {A, B}; void Set() { gHook = C; }\n"
        "void Use() { gHook(); }\nvoid Use2(int i) { gHooks[i](); }"
    )
    assert {("Use", "slot", "A"), ("Use", "slot", "C"), ("Use2", "address", "B")} <= graph.edges()


SHAPES = """
struct Shape { virtual ~Shape(); virtual void draw(); virtual void pure() = 0; void plain(); };
struct Round : Shape { void draw() override; };
struct Ball final : Round { void draw() final; void pure() override; };
struct Other { virtual void draw(); };
"""


def test_a_virtual_call_reaches_every_override_at_any_depth(calls: Callable[[str], Any]) -> None:
    graph = calls(SHAPES + "void Use(Shape& s) { s.draw(); s.pure(); }")
    assert {e for e in graph.edges() if e[0] == "Use"} == {
        ("Use", "virtual", name) for name in ("Shape::draw", "Round::draw", "Ball::draw", "Shape::pure", "Ball::pure")
    }


def test_a_qualified_call_is_direct(calls: Callable[[str], Any]) -> None:
    graph = calls(SHAPES + "void Use(Round& s) { s.Shape::draw(); s.plain(); }")
    assert {e for e in graph.edges() if e[0] == "Use"} == {
        ("Use", "direct", "Shape::draw"), ("Use", "direct", "Shape::plain"),
    }  # fmt: skip


def test_a_pure_virtual_without_override_is_unresolved(calls: Callable[[str], Any]) -> None:
    graph = calls("struct I { virtual void go() = 0; };\nvoid Use(I& i) { i.go(); }")
    assert graph.unresolved() == [("Use", 2, "NO_OVERRIDE", "I::go")]


def test_overrides_of_a_template_base(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "template <class T> struct Base { virtual void go(T); void run(T t) { go(t); } };\n"
        "struct D : Base<int> { void go(int) override; };\nvoid Use(Base<int>& b) { b.go(1); b.run(1); }"
    )
    assert ("Use", "virtual", "D::go") in graph.edges()
    assert graph.reaches("Use", "D::go")


def test_operators_conversions_and_arrows_are_calls(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "struct X { void m(); }; struct P { X* operator->(); X& operator*(); };\n"
        "struct F { F(int); void operator()(int) const; F operator+(const F&) const; operator bool() const; };\n"
        "F operator-(const F&, int); void Take(F);\n"
        "void Use(F a, P p) { a(1); a + a; if (a) {} a - 1; p->m(); Take(3); }"
    )
    names = ("F::operator()", "F::operator+", "F::operator bool", "operator-", "P::operator->", "X::m", "Take")
    assert {("Use", "direct", name) for name in names} | {("Use", "constructor", "F::F")} <= graph.edges()


def test_using_declarations_call_nothing(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "struct B { B(int); void u(); }; struct D : B { using B::B; using B::u; };\n"
        "namespace n { void f(); }\nusing n::f;"
    )
    assert not graph.edges()


def test_using_declared_base_methods_are_the_base_s(calls: Callable[[str], Any]) -> None:
    graph = calls("struct B { void u(); }; struct D : private B { using B::u; };\nvoid Use(D& d) { d.u(); }")
    assert graph.edges() == {("Use", "direct", "B::u")}


def test_default_arguments_belong_to_the_callee(calls: Callable[[str], Any]) -> None:
    graph = calls("int D(); void F(int a = D());\nvoid Use() { F(); }")
    assert graph.edges() == {("F", "direct", "D"), ("Use", "direct", "F")}


def test_member_initialisers_belong_to_the_constructors(calls: Callable[[str], Any]) -> None:
    graph = calls("int D(); struct S { int x = D(); S(); S(int); };\nvoid Use() { S s; }")
    assert {("S::x", "direct", "D"), ("S::S", "initialiser", "S::x"), ("Use", "constructor", "S::S")} == graph.edges()


def test_unevaluated_operands_are_no_calls(calls: Callable[[str], Any]) -> None:
    graph = calls("int D(); auto a = sizeof(D()); decltype(D()) b; void F() noexcept(noexcept(D())); int E = D();")
    assert graph.edges() == {("E", "direct", "D")}


def test_a_lambda_belongs_to_who_writes_it(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "void A(); template <class F> void Apply(F f) { f(); }\n"
        "void One() { Apply([] { A(); }); }\nvoid Two() { Apply([] {}); }"
    )
    assert graph.reaches("One", "A")
    assert not graph.reaches("Two", "A")


def test_a_function_handed_over_belongs_to_who_hands_it(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "void A(); void Apply(void (*f)()) { f(); }\nvoid One() { Apply(&A); }\nvoid Two(void (*g)()) { Apply(g); }"
    )
    assert ("One", "address", "A") in graph.edges()
    assert not graph.reaches("Two", "A")


def test_the_bodies_of_instantiations_are_found_through_the_template(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "struct X { void m(); X(int); }; template <class T> T* Make(int a) { return new T(a); }\n"
        "template <class T> struct Box { T* t; void run() { t->m(); } };\n"
        "void One() { Make<X>(1); }\nvoid Two(Box<X> b) { b.run(); }"
    )
    assert graph.reaches("One", "X::X")
    assert graph.reaches("Two", "X::m")


def test_chains_name_each_step(calls: Callable[[str], Any]) -> None:
    graph = calls(
        TABLE
        + "Table t{Middle};\nvoid Last();\n".replace("Table t", "void Middle();\nTable t")
        + "void Middle() { Last(); }"
    )
    assert graph.chain("Use", "Last") == ["Use -slot-> Middle a.cpp:5", "Middle -direct-> Last a.cpp:9"]
    assert graph.chain("Last", "Use") == []
