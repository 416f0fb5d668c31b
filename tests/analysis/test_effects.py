"""Effects of small functions: what each shape of a write counts as, and what is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from mgaudit.analysis.effects import Effects
from mgaudit.analysis.effects_body import Evaluation
from mgaudit.analysis.effects_model import CONTENT, Place, Root
from mgaudit.config.library import library_effects
from mgaudit.config.loader import load
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.facts.bodies import bodies_of
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mgaudit.facts.bodies import Node
    from mgaudit.facts.query import Facts

CONFIGURATION = """
schema = 1
[tree]
name = "small"
sources = ["src/*.cpp"]
[[configuration]]
name = "only"
standard = "c++20"
[zone.all]
paths = ["src/**"]
[[catalogue]]
name = "writebacks"
columns = ["entity", "verdict", "reason"]
rows = []
[[gate]]
id = "W"
kind = "writebacks"
from = ["all"]
of = ["all"]
catalogue = "writebacks"
[effects]
"Settles" = { writes = [1] }
"""

HEAD = """
#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>
void Settles(int&, int&);
struct Inner { int a; int b; Inner& Set(int v) { a = v; return *this; } };
union Both { int i; float f; };
struct Base { int m_base = 0; void SetBase() { m_base = 1; } virtual void V() {} virtual ~Base() = default; };
struct Guard { int& r; Guard(int& x) : r(x) {} ~Guard() { r = 1; } };
struct Arguments { int* p; };
template <class F> void each(int& x, F f) { f(x); }
void repeat(int& x, void (*f)(int&)) { f(x); }
void run(std::function<void()> f) { f(); }
inline void one(int& x) { x = 1; }
#define SETTER(n) void Set_##n(int v) { m_##n = v; }
struct Other { int m_x; void Bind(int v) { m_x = v; } };
constexpr void (Other::*g_methods[])(int) = {&Other::Bind};
template <class T> struct Holding { T held; };
struct Pointing : Holding<Inner*> {};
struct S : Base {
  int m_x = 0; int m_y = 0; Inner m_in; std::vector<int> m_v; std::map<int, int> m_map; std::shared_ptr<Inner> m_sp;
  std::unique_ptr<Inner> m_up; int m_arr[4]; Both m_u; mutable int m_cache = 0; std::mutex m_mutex;
  std::atomic<int> m_at;
  std::bitset<8> m_bits; std::vector<bool> m_flags; std::vector<Inner> m_vi; std::optional<int> m_opt;
  std::function<void()> m_fn; Inner* m_ptr = nullptr; std::string m_s; std::vector<Inner*> m_vp;
  std::variant<int, float> m_var; Other m_other;
  void Bind(int v) const { (void)v; }
  int& ref() { return m_x; }
  int* ptr() { return &m_x; }
  static void Free(int& r) { r = 1; }
  void unseen();
"""

WRITES: Mapping[str, tuple[str, set[str]]] = {
    "assignment": ("m_x = 1;", {"m_x"}),
    "compound": ("m_x |= 1; m_y--;", {"m_x", "m_y"}),
    "reference": ("auto& r = m_x; r = 1;", {"m_x"}),
    "pointer to a pointer": ("int* p = &m_x; int** q = &p; **q = 1;", {"m_x"}),
    "rebound in a switch": (
        "int* c = nullptr; switch (k) { case 0: c = &m_x; break; default: c = &m_arr[2]; } if (c) *c = 1;",
        {"m_x", "m_arr.*"},
    ),
    "conditional": ("(k ? m_x : m_y) = 1;", {"m_x", "m_y"}),
    "conditional pointer": ("int* p = k ? &m_x : &m_y; *p = 1;", {"m_x", "m_y"}),
    "comma": ("(m_y, m_x) = 1;", {"m_x"}),
    "swap": ("std::swap(m_x, m_y);", {"m_x", "m_y"}),
    "tie": ("std::tie(m_x, m_y) = std::make_tuple(1, 2);", {"m_x", "m_y"}),
    "exchange": ("std::exchange(m_x, 3);", {"m_x"}),
    "placement": ("new (&m_in) Inner{1, 2};", {"m_in"}),
    "pointer to member": ("int S::*p = &S::m_x; this->*p = 1;", {"m_x"}),
    "base class": ("m_base = 1;", {"m_base"}),
    "base class method": ("SetBase();", {"m_base"}),
    "object assigned": ("Inner o{}; m_in = o;", {"m_in"}),
    "union": ("m_u.f = 1;", {"m_u.f"}),
    "nested": ("m_in.a = 1;", {"m_in.a"}),
    "chain": ("m_in.Set(1).b = 2;", {"m_in.a", "m_in.b"}),
    "array": ("m_arr[k] = 1;", {"m_arr.*"}),
    "array by pointer": ("int* p = m_arr; *(p + 1) = 2;", {"m_arr.*"}),
    "container": ("m_v.push_back(1);", {"m_v"}),
    "element": ("m_v[0] = 1;", {"m_v.*"}),
    "map inserts": ("m_map[1];", {"m_map"}),
    "through an iterator": ("auto it = m_map.find(1); it->second = 3;", {"m_map.*.second"}),
    "range-for": ("for (auto& e : m_v) e = 1;", {"m_v.*"}),
    "range-for bindings": ("for (auto& [key, value] : m_map) value = 2;", {"m_map.*.second"}),
    "binding": ("auto& [a, b] = m_in; b = 1;", {"m_in.b"}),
    "shared pointer": ("m_sp->a = 1;", {"m_sp.*.a"}),
    "unique pointer": ("m_up->Set(3);", {"m_up.*.a"}),
    "reset": ("m_sp.reset();", {"m_sp"}),
    "moved from": ("auto v = std::move(m_v);", {"m_v"}),
    "memcpy": ("std::memcpy(&m_in, &m_arr, 8);", {"m_in"}),
    "fill": ("std::fill(m_v.begin(), m_v.end(), 3);", {"m_v.*"}),
    "sort": ("std::sort(m_v.begin(), m_v.end());", {"m_v.*"}),
    "captured": ("std::for_each(m_v.begin(), m_v.end(), [this](int i) { m_x += i; });", {"m_x"}),
    "lambda called": ("auto l = [&r = m_x] { r = 1; }; l();", {"m_x"}),
    "lambda in a lambda": ("auto l = [&] { auto k2 = [&] { m_x = 2; }; k2(); }; l();", {"m_x"}),
    "lambda returns": ("auto l = [&]() -> int& { return m_x; }; l() = 3;", {"m_x"}),
    "lambda to a template": ("each(m_x, [](int& x) { x = 2; });", {"m_x"}),
    "lambda to a pointer": ("repeat(m_x, [](int& x) { x = 2; });", {"m_x"}),
    "function to a pointer": ("repeat(m_x, &one);", {"m_x"}),
    "lambda in a wrapper": ("run([this] { m_y = 1; });", {"m_y"}),
    "local pointer to a function": ("void (*f)(int&) = &S::Free; f(m_x);", {"m_x"}),
    "lambda stored": ("m_fn = [this] { m_x = 1; };", {"m_fn"}),
    "guard": ("Guard g(m_x);", {"m_x"}),
    "arguments in a struct": ("Arguments a; a.p = &m_x; Arguments b = a; *b.p = 1;", {"m_x"}),
    "local class": ("struct L { S* s; void go() { s->m_x = 1; } }; L l{this}; l.go();", {"m_x"}),
    "atomic": ("m_at.store(3);", {"m_at"}),
    "bit set": ("m_bits[1] = true;", {"m_bits.*"}),
    "vector of bool": ("m_flags[1] = true;", {"m_flags.*"}),
    "optional": ("*m_opt = 3;", {"m_opt.*"}),
    "string": ("m_s += 'x';", {"m_s"}),
    "escape by reference": ("ref() = 1;", {"m_x"}),
    "escape by pointer": ("*ptr() = 1;", {"m_x"}),
    "destroyed": ("delete m_ptr;", {"m_ptr.*"}),
    "vector of pointers": ("for (auto* p : m_vp) p->a = 1;", {"m_vp.*.*.a"}),
    "recursion": ("if (k) go(k - 1); else m_x = 1;", {"m_x"}),
    "table of effects": ("Settles(m_x, m_y);", {"m_y"}),
    "constant cast": ("const int& c = m_x; const_cast<int&>(c) = 1;", {"m_x"}),
    "map's value": ("m_map[1] = 2; m_map.at(2) = 3;", {"m_map", "m_map.*.second"}),
    "pointer in a container": ("std::vector<Inner*> v; v.push_back(&m_in); v[0]->a = 1;", {"m_in.a"}),
    "pointer in a map": ("std::map<int, Inner*> m; m[1] = &m_in; Inner* p = m[1]; *p = Inner{};", {"m_in"}),
    "key of a map": ("std::map<Inner*, int> m; m[&m_in] = 1; for (auto& [key, v] : m) key->a = 1;", {"m_in.a"}),
    "copy of pointers": ("auto v = m_vp; v[0]->a = 1;", {"m_vp.*.*.a"}),
    "array of pointers": ("int* p[2] = {&m_x, &m_y}; *p[1] = 1;", {"m_x", "m_y"}),
    "array as a pointer": ("int* p = k ? m_arr : nullptr; *p = 1; *(int*)m_arr = 2;", {"m_arr.*"}),
    "reference in braces": ("int& r{m_x}; r = 1;", {"m_x"}),
    "made object that refers": ("auto p = std::make_unique<int*>(&m_x); **p = 1;", {"m_x"}),
    "template's argument": ("Pointing s; s.held = &m_in; Pointing t = s; t.held->a = 1;", {"m_in.a"}),
    "another class's method": ("m_other.Bind(1);", {"m_other.m_x"}),
    "atomic builtin stores": ("__atomic_store_n(&m_x, 1, 5);", {"m_x"}),
    "atomic builtin adds": ("__atomic_fetch_add(&m_in.a, 1, 0);", {"m_in.a"}),
    "atomic reference assigned": ("std::atomic_ref<int> r(m_x); r = 1;", {"m_x"}),
    "atomic reference adds": ("std::atomic_ref<int> r(m_x); r.fetch_add(1);", {"m_x"}),
    "reference in a pair": ("std::pair<Inner&, int> p(m_in, 1); p.first.a = 1;", {"m_in.a"}),
    "reference in a bound pair": ("auto [x, y] = std::pair<Inner&, int>(m_in, 1); x.a = 1;", {"m_in.a"}),
    "reference in a template": ("Holding<Inner&> h{m_in}; h.held.a = 1;", {"m_in.a"}),
    "wrapped references": (
        "std::vector<std::reference_wrapper<Inner>> v{m_in}; for (Inner& e : v) e.a = 1;",
        {"m_in.a"},
    ),
    "pointer to a member function": ("auto f = &Other::Bind; (m_other.*f)(1);", {"m_other.m_x"}),
    "table of member functions": ("(m_other.*g_methods[0])(1);", {"m_other.m_x"}),
    "caught pointer": ("try { throw &m_in; } catch (Inner* e) { e->a = 1; }", {"?.a"}),
}

NOTHING = {
    "reads": "int s = m_x; s += m_y; int* p = &s; *p = 3;",
    "local container": "std::vector<int> t; t.push_back(m_x); t[0] = 2;",
    "copy of a container": "auto c = m_v; c.push_back(1); c[0] = 2;",
    "copy of an object": "Inner c = m_in; c.a = 1;",
    "copied bindings": "auto [a, b] = m_in; b = 1;",
    "copies in a loop": "for (auto e : m_v) e = 1;",
    "references in a loop": "int s = 0; for (auto& e : m_v) s += e;",
    "predicate": "bool b = std::any_of(m_v.begin(), m_v.end(), [](int x) { return x > 1; });",
    "lock": "std::lock_guard<std::mutex> lock(m_mutex);",
    "lookup": "auto it = m_map.find(1); int s = it == m_map.end() ? 0 : it->second;",
    "smaller": "int s = std::min(m_x, m_y);",
    "same name": "Bind(1);",
    "pointer in a container replaced": "std::vector<Inner*> v; v.push_back(&m_in); v[0] = nullptr; v.clear();",
    "pointer in a map replaced": "std::map<int, Inner*> m; m[1] = &m_in; m[1] = nullptr; m.at(1) = nullptr;",
    "smart pointer kept": "std::map<Inner*, std::weak_ptr<Inner>> m; m[m_sp.get()] = m_sp; m[m_ptr].reset();",
    "array of pointers replaced": "int* p[2] = {&m_x, &m_y}; p[0] = nullptr;",
    "copied into an array": "int own[2] = {m_x, m_y}; own[0] = 1; std::copy_n(m_arr, 2, own); own[1] = 2;",
    "list of copies": "std::vector<int> v{m_x, m_y}; v[0] = 1; for (auto& e : v) e = 2;",
    "lambda unused": "auto l = [this] { m_x = 1; };",
    "another lambda of one helper": "each(m_x, [](int& x) { (void)x; }); int z = 1; each(z, [](int& x) { x = 2; });",
    "unevaluated": "int s = sizeof(m_x = 1);",
    "getter only read": "int s = ref() + *ptr();",
    "atomic builtin loads": "int s = __atomic_load_n(&m_x, 5);",
    "atomic reference loads": "std::atomic_ref<int> r(m_x); int s = r.load() + r;",
    "copy in a pair": "std::pair<Inner, int> p(m_in, 1); p.first.a = 1; auto [x, y] = p; x.a = 2;",
    "caught and read": "try { throw m_in; } catch (const Inner& e) { int s = e.a; }",
}


@pytest.fixture(scope="module")
def effects(tmp_path_factory: pytest.TempPathFactory) -> Effects:
    """The effects of one class that has a method for each shape."""
    shapes = [(body, name) for name, (body, _) in WRITES.items()]
    shapes += [(body, name) for name, body in NOTHING.items()]
    methods = [
        f"  void {_method(name)}(int k) {{ {body.replace('go(', _method(name) + '(')} }}" for body, name in shapes
    ]
    text = HEAD + "  SETTER(x)\n" + "\n".join(methods) + REST
    return effects_of(tmp_path_factory.mktemp("effects"), text)


REST = """
  void mutable_() const { m_cache = 1; }
  void tainted() { unseen(); Settles2(m_x); }
  static void Settles2(int&);
};
struct D : S { void V() override { m_x = 1; } };
void virtual_call(Base& b) { b.V(); }
void handed(S* s, int S::*p) { s->*p = 1; }
std::vector<S> g_all;
void globals() { for (auto& s : g_all) s.m_x = 1; }
void by_value(Inner i) { i.a = 1; }
void variadic(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); __builtin_va_arg(l, Inner*)->a = 1; }
void through(Other& o, void (Other::*f)(int)) { (o.*f)(1); }
void through_unseen(Other& o) { through(o, &Other::Bind); }
template <void (Other::*F)(int)> void named(Other& o) { (o.*F)(1); }
void named_unseen(Other& o) { named<&Other::Bind>(o); }
void assembly(Inner& i) { asm volatile("" : "+m"(i.a)); }
Inner* found(int); std::shared_ptr<Inner> shared(int); Inner& other(Inner& i); void out(Inner** p);
void unknown_pointer() { found(1)->a = 1; }
void unknown_holder() { auto p = shared(1); p->Set(1); }
void unknown_reference() { Inner own{}; other(own).b = 1; }
void unknown_output() { Inner* p = nullptr; out(&p); p->b = 1; }
void unknown_callee(Inner* (*f)()) { Inner* p = f(); p->a = 1; }
"""


def effects_of(folder: Path, text: str) -> Effects:
    """The effects of a file's functions, with what the library's do."""
    (folder / "src").mkdir()
    (folder / "src" / "a.cpp").write_text(text)
    (folder / "mgaudit.toml").write_text(CONFIGURATION)
    settings = load(folder / "mgaudit.toml", PARAMETERS)
    analysis = analyse(settings, Options(folder / "cache"))
    assert analysis.problems == ()
    assert analysis.facts.diagnostics() == []
    return Effects(analysis.facts, library_effects(settings))


def _method(name: str) -> str:
    return "case_" + "".join(letter if letter.isalnum() else "_" for letter in name)


def _shown(facts: Facts, place: Place) -> str:
    steps = [facts.symbol(step).name if step > CONTENT else "*" for step in place.path]
    root = {Root.PARAMETER: f"arg{place.number}", Root.OBJECT: "?"}.get(place.root, "")
    if place.root is Root.GLOBAL:
        root = facts.symbol(place.number).qualified
    return ".".join(part for part in (root, *steps) if part) or "this"


def written(effects: Effects, name: str) -> set[str]:
    """What a function writes."""
    (symbol,) = effects.facts.symbols_named(name)
    summary = effects.of(symbol.id)
    assert summary is not None
    return {_shown(effects.facts, place) for place in summary.writes}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_is_seen_however_it_is_made(effects: Effects, name: str) -> None:
    assert written(effects, f"S::{_method(name)}") == WRITES[name][1]


@pytest.mark.parametrize("name", NOTHING)
def test_what_changes_nothing_is_no_write(effects: Effects, name: str) -> None:
    assert written(effects, f"S::{_method(name)}") == set()


def test_macros_overrides_and_parameters(effects: Effects) -> None:
    assert written(effects, "S::Set_x") == {"m_x"}
    assert written(effects, "S::mutable_") == {"m_cache"}
    assert written(effects, "virtual_call") == {"arg0.m_x"}
    assert written(effects, "handed") == {"arg0.*.*"}
    assert written(effects, "globals") == {"g_all.*.m_x"}
    assert written(effects, "by_value") == set()


def test_what_comes_from_functions_without_a_body_may_be_anything(effects: Effects) -> None:
    for name in ("pointer", "holder", "callee"):
        assert "?.a" in written(effects, f"unknown_{name}"), name
    for name in ("reference", "output"):
        assert "?.b" in written(effects, f"unknown_{name}"), name


def test_what_is_not_known_is_a_taint_with_its_reason(effects: Effects) -> None:
    (symbol,) = effects.facts.symbols_named("S::tainted")
    summary = effects.of(symbol.id)
    assert summary is not None
    assert summary.writes == {}
    found = {_shown(effects.facts, place): evidence.text for place, evidence in summary.taints.items()}
    assert found == {
        "this": "calls S::unseen", "m_x": "calls S::Settles2, of which no body is seen",
    }  # fmt: skip


def test_variadic_arguments_lead_to_any_object(effects: Effects) -> None:
    assert written(effects, "variadic") == {"?.a"}


@pytest.mark.parametrize(
    ("name", "place"), [("through_unseen", "arg0"), ("named_unseen", "arg0"), ("assembly", "arg0.a")]
)
def test_what_an_unknown_member_function_or_assembly_is_given_is_tainted(
    effects: Effects, name: str, place: str
) -> None:
    (symbol,) = effects.facts.symbols_named(name)
    summary = effects.of(symbol.id)
    assert summary is not None
    assert place in {_shown(effects.facts, tainted) for tainted in summary.taints}


def test_an_expression_that_is_nested_too_deeply_is_a_taint(tmp_path: Path) -> None:
    text = "struct S { int m; void deep() { m = " + "(1 + " * 600 + "m" + ")" * 600 + "; } };\n"
    effects = effects_of(tmp_path, text + "void use(S& s) { s.deep(); }\n")
    (symbol,) = effects.facts.symbols_named("S::deep")
    summary = effects.of(symbol.id)
    assert summary is not None
    assert summary.writes or any("nested too deeply" in evidence.text for evidence in summary.taints.values())


def test_the_chain_leads_to_the_write(effects: Effects) -> None:
    (symbol,) = effects.facts.symbols_named(f"S::{_method('base class method')}")
    summary = effects.of(symbol.id)
    assert summary is not None
    (evidence,) = summary.writes.values()
    steps = effects.chain(evidence)
    assert [step.text for step in steps] == ["calls Base::SetBase, which writes", "assigns"]
    assert steps[-1].line == next(n for n, line in enumerate(HEAD.split("\n"), 1) if "void SetBase" in line)


def test_deeds_are_the_same_whether_kept_from_the_last_look_or_looked_at_anew(effects: Effects) -> None:
    facts = effects.facts

    def names(node: Node) -> bool:
        return node.symbol is not None and facts.symbol(node.symbol).kind == "field"

    kept, anew = Effects(facts, {}, names_source=names), Effects(facts, {})
    count = 0
    for symbol in bodies_of(facts).rows:
        pairs = zip(kept.deeds(symbol, names), anew.deeds(symbol, names), strict=True)
        for one, other in pairs:
            assert (one.row, one.root, one.callees) == (other.row, other.root, other.callees)
            assert list(map(structs.astuple, one.events)) == list(map(structs.astuple, other.events))
            count += len(one.events)
    assert count > len(WRITES)


OVERTAKEN = """
struct Cell { int value; Cell* next; };
struct Holder { Cell* cell; Cell& either(Cell& other) const { return value ? other : *cell; } int value; };
void variable(Cell& a, Cell& b, int n) { Cell* p = &a; while (n--) { p->value = n; p = &b; } }
void list(Cell& a, int n) { Cell* p = &a; while (n--) { p->value = n; p = p->next; } }
void whole(Holder a, Holder b, int n) { Holder h = a; while (n--) { h.cell->value = n; h = b; } }
void part(Holder a, Cell& b, Cell& c, int n) { while (n--) { Holder d = a; d.either(c).value = n; a.cell = &b; } }
void handed(Cell& a, Cell& b, int n) {
    auto set = [&](Cell& c) { c.value = n; }; Cell* p = &a; while (n--) { set(*p); p = &b; }
}
void many(Cell** c, int n) {
    Cell* p = c[0]; Cell own[20]; Cell* q = &own[0];
    while (n--) {
        p->value = n; q->value = n; p = q;
        MANY
    }
}
""".replace(
    "MANY", " ".join(f"if (n == {n}) {{ p = c[{n}]->{'next->' * (n % 4)}next; q = &own[{n}]; }}" for n in range(20))
)


def test_a_pass_that_read_nothing_before_it_changed_needs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def names(node: Node) -> bool:
        return node.symbol is not None

    evaluate, passes = Evaluation._pass, 0

    def every_deed(effects: Effects) -> list[object]:
        found: list[object] = []
        for symbol in bodies_of(effects.facts).rows:
            summary = effects.of(symbol)
            assert summary is not None
            deeds = [(d.callees, list(map(structs.astuple, d.events))) for d in effects.deeds(symbol, names)]
            found.append((summary, list(summary.writes), list(summary.taints), deeds))
        return found

    def counted(self: Evaluation) -> None:
        nonlocal passes
        passes += 1
        evaluate(self)

    facts = effects_of(tmp_path, OVERTAKEN).facts
    monkeypatch.setattr(Evaluation, "_pass", counted)
    stopping = every_deed(Effects(facts, {}, names_source=names))
    fewest, passes = passes, 0
    monkeypatch.setattr(Evaluation, "_is_overtaken", lambda _: True)
    assert every_deed(Effects(facts, {}, names_source=names)) == stopping
    assert passes > fewest
    monkeypatch.setattr(Evaluation, "_is_overtaken", lambda _: False)
    assert every_deed(Effects(facts, {}, names_source=names)) != stopping


def test_what_a_function_makes_is_told_apart_by_numbers_that_no_address_decides(tmp_path: Path) -> None:
    def own_places(facts: Facts) -> list[list[Place]]:
        effects = Effects(facts, {}, names_source=lambda node: node.symbol is not None)
        deeds = [deed for symbol in sorted(bodies_of(facts).rows) for deed in effects.deeds(symbol, lambda _: True)]
        return [[event.place for event in deed.events if event.place.is_own] for deed in deeds]

    facts = effects_of(tmp_path, OVERTAKEN).facts
    others = facts.restricted_to(facts.configurations)  # whose trees are decoded anew
    found = own_places(facts)
    assert sum(map(len, found)) > 1
    assert own_places(others) == found


def test_deeds_are_shared_by_those_who_take_the_same_nodes_for_sources(effects: Effects) -> None:
    effects = Effects(effects.facts, {}, names_source=lambda node: node.symbol is not None)
    (symbol,) = (s.id for s in effects.facts.symbols_named(f"S::{_method(next(iter(WRITES)))}"))
    (first,) = effects.deeds(symbol, lambda node: node.symbol is not None)
    (second,) = effects.deeds(symbol, lambda node: isinstance(node.symbol, int))
    (third,) = effects.deeds(symbol, lambda _: False)
    assert first is second
    assert all(event.sources for event in first.events)
    assert third.events
    assert not any(event.sources for event in third.events)


MANY_ROOTS = """
struct Cell { int value; };
struct Holder { Cell* cell; };
Cell GLOBALS;
void pointer(Cell* c, int n) { int* p = &c->value; PICK *p = 1; }
void part(Holder h, int n) { int* p = &h.cell->value; PICK *p = 1; }
void last(Cell* c, int n) { int* p = nullptr; PICK if (n == 20) p = &c->value; *p = 1; }
""".replace("GLOBALS", ", ".join(f"g{n}" for n in range(18))).replace(
    "PICK", " ".join(f"if (n == {n}) p = &g{n}.value;" for n in range(18))
)


@pytest.mark.parametrize("function", ["pointer", "part", "last"])
def test_what_stands_for_many_places_is_no_copy_of_the_pointer_to_one(tmp_path: Path, function: str) -> None:
    effects = effects_of(tmp_path, MANY_ROOTS)
    (symbol,) = effects.facts.symbols_named(function)
    summary = effects.of(symbol.id)
    assert summary is not None
    assert any(place.root is Root.PARAMETER and CONTENT in place.path for place in summary.writes)
