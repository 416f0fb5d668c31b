"""Calls that the indexer does not report, and calls that stay unresolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

F = "struct F { F(); F(int); F(const F&); ~F(); void m(); };\n"


@pytest.mark.parametrize(
    "use",
    [
        "void Use() { F f; }",
        "void Use() { F f[2]; }",
        "void Use(F f) {}",
        "void Use() { F(1).m(); }",
        "F Make(); void Use() { Make(); }",
        "void Take(const F&); void Use() { Take(1); }",
        "void Use(F* f) { delete f; }",
        "struct G { F f; int n; }; void Use() { G g; }",
        "struct G { F f; ~G(); }; G::~G() {} void Use() { G g; }",
        "struct G : F {}; void Use() { G g; }",
        "struct G { F f; ~G() = default; }; void Use() { G g; }",
        "template <class T> struct Own { T* t; ~Own() { delete t; } }; void Use() { Own<F> o; }",
        "template <class T> struct Own { T t; }; void Use() { Own<F> o; }",
        "void Use() { auto l = [] { F f; }; l(); }",
        "void Use(F (*make)()) { make(); }",
        "F&& Pass(F&&); void Use() { Pass(F()); }",
    ],
)
def test_destructors_run_where_lifetimes_end(calls: Callable[[str], Any], use: str) -> None:
    assert calls(F + use).reaches("Use", "F::~F")


@pytest.mark.parametrize(
    "use",
    [
        "void Use(F& f, F* p) { f.m(); F& g = *p; F* q = p; }",
        "F gF; void Use(F*&& p) {}",
        "F& Get(); void Use() { Get().m(); }",
        "const F& Get(); void Use() { auto& f = Get(); }",
        "void Use(F& (*get)()) { get().m(); }",
        "struct G { F& f(); }; void Use(G& g) { g.f().m(); }",
    ],
)
def test_references_and_pointers_end_no_lifetime(calls: Callable[[str], Any], use: str) -> None:
    assert not calls(F + use).reaches("Use", "F::~F")


def test_a_virtual_destructor_is_one_of_all_overriders(calls: Callable[[str], Any]) -> None:
    graph = calls("struct B { virtual ~B(); }; struct D : B { ~D() override; }; void Use(B* b) { delete b; }")
    assert {("Use", "virtual", "B::~B"), ("Use", "virtual", "D::~D")} <= graph.edges()


@pytest.mark.parametrize(
    ("use", "constructor"),
    [
        ("struct G { F f; G(); }; G::G() {} void Use() { G g; }", "F::F"),
        ("struct G { F f; }; void Use() { G g; }", "F::F"),
        ("struct G { F f; }; void Use() { G g{}; }", "F::F"),
        ("struct G : F { G() {} }; void Use() { G g; }", "F::F"),
        ("struct G { F f; }; void Use(G* p) { G g = *p; }", "F::F"),
        ("struct G : F { using F::F; }; void Use() { G g(1); }", "F::F"),
        ("struct H { H(); }; struct G { H h; F f; }; struct K { G g; }; void Use() { new K; }", "H::H"),
    ],
)
def test_constructors_of_bases_and_fields(calls: Callable[[str], Any], use: str, constructor: str) -> None:
    assert calls(F + use).reaches("Use", constructor)


def test_an_implicit_constructor_runs_default_member_initialisers(calls: Callable[[str], Any]) -> None:
    assert calls("int D(); struct S { int x = D(); }; void Use() { S s; }").reaches("Use", "D")


def test_what_a_range_based_for_calls(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "struct I { int& operator*(); I& operator++(); bool operator!=(const I&) const; };\n"
        "struct R { I begin(); I end(); };\nvoid Use(R& r) { for (int x : r) {} }"
    )
    names = ("R::begin", "R::end", "I::operator*", "I::operator++", "I::operator!=")
    assert {("Use", "direct", name) for name in names} <= graph.edges()


APPLY = "template <class F> void Apply(F f) { f(); }\nvoid A(); void B();\n"


def test_each_caller_reaches_its_own_instantiation_alone(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "struct X { X(); }; struct Y { Y(); }; template <class T> T* Make() { return new T(); }\n"
        "void One() { Make<X>(); }\nvoid Two() { Make<Y>(); }"
    )
    assert graph.reaches("One", "X::X")
    assert graph.reaches("Two", "Y::Y")
    assert not graph.reaches("One", "Y::Y")


def test_a_lambda_in_a_slot_is_reached_through_the_slot(calls: Callable[[str], Any]) -> None:
    graph = calls("void A(); struct T { void (*f)(); }; T t{[] { A(); }};\nvoid Use() { t.f(); }")
    assert graph.chain("Use", "A") == [
        "Use -slot-> (lambda)::operator() a.cpp:2", "(lambda)::operator() -direct-> A a.cpp:1",
    ]  # fmt: skip


def test_virtual_calls_and_slots_within_lambdas(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "void A(); struct T { void (*f)(); }; T t{A}; struct I { virtual void go() = 0; };\n"
        "struct J : I { void go() override; };\nauto l = [](I& i) { i.go(); t.f(); };\nvoid Use(I& i) { l(i); }"
    )
    assert graph.reaches("Use", "J::go")
    assert graph.reaches("Use", "A")


def test_members_of_local_classes(calls: Callable[[str], Any]) -> None:
    graph = calls("void A(); void Use() { struct L { void m() { A(); } }; L().m(); }")
    assert graph.reaches("Use::L::m", "A")


LIBRARY = {
    "lib/algorithm": (
        "inline void* operator new(decltype(sizeof 0), void* place) { return place; }\nnamespace lib {\n"
        "template <class F> void each_step(F& f) { f(1); }\n"
        "template <class F> void each(F f) { each_step(f); }\n"
        "template <class T> struct own { T* t; own() : t(new T) {} ~own() { drop(); } void drop() { delete t; } };\n"
        "template <class T> bool less(const T& a, const T& b) { return a < b; }\n"
        "template <class K> union slot { K key; slot() { new (&key) K(); } ~slot() {} };\n"
        "struct any { template <class F> void take(F f) { each(f); } template <class T> void make() { T t; } };\n"
        "template <class... T> void make_all() { (T(), ...); }\n"
        "template <class... T> struct all { all() { make_all<T...>(); } };\n"
        "template <void (*f)()> void run() { f(); }\n"
        "template <class T> struct outer { struct inner { void go() { T t; } }; };\n"
        "template <class T> void wrap() { each([](int) { T t; }); }\n"
        "template <class T, int n> struct row { T items[n]; row() {} };\n"
        "void plain();\n}\n"
    )
}


@pytest.mark.parametrize(
    ("use", "goal"),
    [
        ("void Use() { lib::each([](int) { A(); }); }", "A"),
        ("struct Functor { void operator()(int) { A(); } }; void Use() { lib::each(Functor()); }", "A"),
        ("struct X { X(); }; void Use() { lib::own<X> o; }", "X::X"),
        ("struct X { ~X(); }; void Use() { lib::own<X> o; }", "X::~X"),
        ("struct X { bool operator<(const X&) const; }; void Use(X& x) { lib::less(x, x); }", "X::operator<"),
        ("struct X { X(); }; struct Y { lib::own<X> o; }; void Use() { Y y; }", "X::X"),
        ("struct X { X(); }; void Use() { lib::own<lib::own<X>> o; }", "X::X"),
        ("struct X { X(); }; void Use() { lib::slot<X> s; }", "X::X"),
        ("void Use() { lib::any().take([](int) { A(); }); }", "A"),
        ("struct X { X(); }; void Use() { lib::any().make<X>(); }", "X::X"),
        ("struct X { X(); }; void Use() { lib::make_all<int, X>(); }", "X::X"),
        ("struct X { X(); }; void Use() { lib::all<int, X> a; }", "X::X"),
        ("void Use() { lib::run<&A>(); }", "A"),
        ("struct X { X(); }; void Use() { lib::outer<X>::inner().go(); }", "X::X"),
        ("struct X { X(); }; void Use() { lib::wrap<X>(); }", "X::X"),
        ("struct X { X(); }; void Use() { lib::row<X*[2], 3> a; lib::row<X, 2> b; }", "X::X"),
    ],
)
@pytest.mark.parametrize("first", ["", "#pragma GCC system_header\n"])
def test_what_library_templates_call_back(calls: Any, use: str, goal: str, first: str) -> None:
    library = {name: first + text for name, text in LIBRARY.items()}
    graph = calls("#include <lib/algorithm>\nvoid A();\n" + use, library)
    assert graph.reaches("Use", goal)


def test_callers_of_one_library_template_do_not_share_callbacks(calls: Any) -> None:
    graph = calls(
        "#include <lib/algorithm>\nvoid A(); void B(); struct Fa { void operator()(int) { A(); } };\n"
        "struct Fb { void operator()(int) { B(); } };\n"
        "void One() { lib::each(Fa()); }\nvoid Two() { lib::each(Fb()); }",
        LIBRARY,
    )
    assert graph.reaches("One", "A")
    assert not graph.reaches("One", "B")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("void Use(void (*f)()) {\nf(); }", "PARAMETER"),
        ("void Use(void (*f)()) {\n(*f)(); }", "PARAMETER"),
        ("void (*Get())(); void Use() { void (*f)() = Get();\nf(); }", "LOCAL"),
        ("struct S {}; void Use(S& s, void (S::*m)()) {\n(s.*m)(); }", "MEMBER_POINTER"),
        ("struct S {}; void Use(S* s, void (S::*m)()) {\n(s->*m)(); }", "MEMBER_POINTER"),
        ("template <class T> void Use(T t) {\nt.go(); }", "DEPENDENT"),
        ("template <class T> void Use(T t) {\nT::go(); }", "DEPENDENT"),
        ("template <class T> void Use(T t) {\ngo(t); }", "DEPENDENT"),
        ("void Use(void* p) {\nreinterpret_cast<void (*)()>(1)(); }", "EXPRESSION"),
    ],
)
def test_calls_that_stay_unresolved(calls: Callable[[str], Any], source: str, reason: str) -> None:
    graph = calls(source)
    assert [(name, line, why) for name, line, why, _ in graph.unresolved()] == [("Use", 2, reason)]
    assert {why.name: n for why, n in graph.graph.unresolved_counts().items()} == {reason: 1}


@pytest.mark.parametrize(
    "source",
    [
        "void A(); void Use() { auto f = A; f(); (*f)(); }",
        "void A(); void Use(bool b) { (b ? A : A)(); }",
        "void A(); auto Get() { return A; } void Use() { Get()(); }",
        "void A(); struct T { void (*f)(); }; T t{A}; void Use() { auto f = t.f; f(); }",
        "struct X { void go(); }; template <class T> void Use(T t) { t.go(); } template void Use(X);",
        "struct X { void go(); }; template <class T> void Use(T t) { t.go(); } void Other() { Use(X()); }",
        "void Use() { auto l = [] {}; l(); }",
    ],
)
def test_calls_that_are_resolved(calls: Callable[[str], Any], source: str) -> None:
    assert calls(source).unresolved() == []


def test_a_local_pointer_reaches_what_it_is_given(calls: Callable[[str], Any]) -> None:
    graph = calls("void A(); struct T { void (*f)(); }; T t{A};\nvoid Use() { auto f = t.f; f(); }")
    assert graph.reaches("Use", "A")


def test_unevaluated_operands_are_no_calls(calls: Callable[[str], Any]) -> None:
    graph = calls(F + "void Use(void (*f)()) { sizeof(F(1)); decltype(f())* p; (void)noexcept(f()); }")
    assert not graph.reaches("Use", "F::F")
    assert graph.unresolved() == []


WRAPPERS = """
namespace lib {
template <class T> struct function;
template <class R, class... A> struct function<R(A...)> {
    function() = default; template <class F> function(F) {}
    R operator()(A...) const;
};
template <class T, unsigned long N> struct array { T elements[N]; T& operator[](unsigned long); };
}
"""


def test_tables_of_wrappers_and_containers_of_the_library(calls: Callable[..., Any]) -> None:
    graph = calls(
        '#include "lib.hpp"\nvoid A(); void B(); void C(); void D();\n'
        "struct T { lib::function<void()> one; lib::function<void()> two; };\nT t = {A, [] { B(); }};\n"
        "struct L { lib::array<void (*)(), 2> slots; int n; };\nL l = {{C, &D}, 3};\n"
        "void One() { t.one(); }\nvoid Two() { t.two(); }\nvoid Three(int i) { l.slots[i](); }",
        {"lib.hpp": WRAPPERS},
    )
    assert graph.reaches("One", "A")
    assert not graph.reaches("One", "B")
    assert graph.reaches("Two", "B")
    assert {("Three", "address", "C"), ("Three", "address", "D")} <= graph.edges()


def test_a_braced_list_runs_the_initialisers_that_it_leaves_out(calls: Callable[[str], Any]) -> None:
    graph = calls(
        "int A(); struct P { P() { A(); } }; struct In { int v = A(); }; struct Out { int n; In in; P p; };\n"
        "void One() { In in{}; }\nvoid Two() { Out out = {1}; }\nstruct Bare { int n; }; void Three() { Bare b{}; }"
    )
    assert ("One", "initialiser", "In::v") in graph.edges()
    assert {("Two", "initialiser", "In::v"), ("Two", "constructor", "P::P")} <= graph.edges()
    assert not graph.reaches("Three", "A")


@pytest.mark.parametrize("base", ["", "struct Own : Range {};"])
def test_a_range_is_asked_by_the_overloads_of_its_constness(calls: Any, base: str) -> None:
    name = "Own" if base else "Range"
    graph = calls(
        "void A(); void B(); struct Range { int* begin() { A(); return nullptr; } int* end() { return nullptr; }\n"
        "const int* begin() const { B(); return nullptr; } const int* end() const { return nullptr; } };\n"
        f"{base}\nvoid Open({name}& r) {{ for (int i : r) {{}} }}\n"
        f"void Closed(const {name}& r) {{ for (int i : r) {{}} }}\n"
    )
    assert [graph.reaches(start, goal) for start in ("Open", "Closed") for goal in "AB"] == [True, False, False, True]


def test_a_range_without_an_overload_for_what_is_not_constant(calls: Any) -> None:
    graph = calls(
        "void B(); struct Range { const int* begin() const { B(); return nullptr; } const int* end() const; };\n"
        "void Open(Range& r) { for (int i : r) {} }"
    )
    assert graph.reaches("Open", "B")
