# ruff: noqa: E501  one shape of control flow a line
"""What is published on every path that writes: shapes of control flow, and the changed-flag idiom in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.analysis.effects import Effects
from mgaudit.analysis.mutators import Reach, State
from mgaudit.analysis.publication import Answer, Publication, Published
from mgaudit.analysis.publication_nodes import Signal
from mgaudit.analysis.sites_entities import Entities, Scope
from mgaudit.config.library import library_effects
from mgaudit.config.loader import load
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIGURATION = """
schema = 1
[tree]
name = "small"
sources = ["src/*.cpp"]
[[configuration]]
name = "only"
standard = "c++20"
[zone.state]
paths = ["src/**"]
[[catalogue]]
name = "writebacks"
columns = ["entity", "verdict", "reason"]
rows = []
[[gate]]
id = "W"
kind = "writebacks"
from = ["state"]
of = ["state"]
catalogue = "writebacks"
"""

HEAD = """
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <typeinfo>
#include <utility>
#include <vector>
struct Table { void (*Draw)(int); void (*Other)(int); };
extern Table gTable;
extern Table gSpare;
int gNoted;
#define NOTE() (gNoted |= 1)
#define NOTHING()
#define BOTH(x) do { m_x = (x); NOTE(); } while (0)
template <class T> bool Update(T& slot, T value) {
  if (slot == value) return false;
  slot = value;
  return true;
}
template <class T> void Store(T& slot, T value, bool& changed) {
  if (slot != value) {
    slot = value;
    changed = true;
  }
}
template <class F> void Twice(F f) { f(); f(); }
inline void ClearBy(bool& c, int& s) { s = 1; bool* p = &c; *p = false; }
inline void ClearAnd(bool& c, int& s) { s = 1; c = false; }
inline void ClearOnly(bool& c) { c = false; }
inline void Count(unsigned& counter) { ++counter; }
inline void Call(void (*f)(int)) { f(1); }
struct Bump { unsigned& v; Bump(unsigned& x) : v(x) {} ~Bump() { ++v; } };
struct Reset { bool& v; Reset(bool& x) : v(x) {} ~Reset() { v = false; } };
struct Inner { int a = 0; int b = 0; void Set(int v) { a = v; } };
struct Leaf { int x = 0; unsigned changes = 0; void Set(int v) { x = v; ++changes; } };
struct Twig { Leaf leaf; };
struct Branch { Twig twigs[2]; };
struct Trunk { Branch branch; };
enum class Cap { A, B, C };
struct S {
  int m_x = 0, m_y = 0, m_z = 0; Inner m_in; int m_arr[4] = {}; unsigned m_version = 0; unsigned m_second = 0;
  void BumpAll() { ++m_version; ++m_second; }
  void Helper(int v) { m_x = v; ++m_version; }
  void Silent(int v) { m_x = v; }
  bool IsSame(int v) const { return m_x == v; }
  bool m_flag = false; Trunk m_trunk; static constexpr unsigned kBase = 7; enum { First };
  void Unknown(int& r);
  void StoreTwice(int a, bool& changed) { Store(m_x, a, changed); Store(m_y, a, changed); }
  void PublishIf(bool now) { if (now) ++m_version; }
  void PublishIfAlso(bool now) { now = now && m_y > 0; if (now) ++m_version; }
  void PublishBoth(bool now, bool also = false) { if (now || also) ++m_version; }
  void Mark(bool& flag) { flag = true; Clear(); if (flag) ++m_version; }
  void Clear() { m_flag = false; }
  void WriteOrThrow(int v) { m_x = v; if (v) throw 1; ++m_version; }
  void Recursive(int v) { m_x = v; if (v) Recursive(v - 1); }
  void Descend(int v, bool bump) { if (v > 0) { m_y = v; Descend(v - 1, bump); return; } if (bump) ++m_version; }
  void Ping(int v) { if (v) { m_x = v; Pong(v - 1); } ++m_version; }
  void Pong(int v) { if (v > 9) { m_y = v; return; } Ping(v); }
  void Mark(int v, bool& changed) { if (m_arr[v] != v) { m_arr[v] = v; changed = true; } if (v) Mark(v - 1, changed); }
  static void Assign(S& s, int v) { s.m_x = v; }
  static void AssignAndBump(S& s, int v) { s.m_x = v; ++s.m_version; }
  static void Apply(void (*f)(S&, int), S& s, int v) { f(s, v); }
  static void Set(S& s, int v) { s.m_x = v; ++s.m_version; }
  void CopyTo(S& other) { other.m_x = m_x; ++other.m_version; }
  void MoveTo(S& other) { other.m_x = m_x; m_x = 0; ++other.m_version; }
  template <class F> void Without(F) {}
  template <class F> void With(F f) { m_y = 1; f(); ++m_version; }
  virtual void V(int v) { m_x = v; ++m_version; }
  virtual ~S() = default;
"""
TAIL = "};\nstruct D : S { void V(int v) override { m_y = v; } };\n"

HOLDS = {
    "bump after": "m_x = v; ++m_version;",
    "bump before": "++m_version; m_x = v;",
    "bump by sum": "m_x = v; m_version += 1;",
    "bump in a callee": "m_x = v; BumpAll();",
    "write in a callee": "Silent(v); ++m_version;",
    "both in a callee": "Helper(v);",
    "early return": "if (m_x == v) return; m_x = v; ++m_version;",
    "both arms": "if (v) { m_x = v; ++m_version; } else { m_y = v; BumpAll(); }",
    "bump in both arms": "m_x = v; if (v) ++m_version; else BumpAll();",
    "changed flag": "bool c = false; if (m_x != v) { m_x = v; c = true; } if (!c) return; ++m_version;",
    "flag of two writes": "bool c = false; if (m_x != v) { m_x = v; c = true; } if (m_y != v) { m_y = v; c = true; } if (c) ++m_version;",
    "flag in a loop": "bool c = false; for (int i = 0; i < 4; ++i) { if (m_arr[i] == v) continue; m_arr[i] = v; c = true; } if (c) ++m_version;",
    "flag in a switch": "bool c = false; switch (v) { case 0: if (m_x) break; m_x = 1; c = true; break; case 1: m_y = 1; c = true; [[fallthrough]]; default: break; } if (c) ++m_version;",
    "flag and a condition": "bool c = m_x != v; if (c) { m_x = v; } if (c) ++m_version;",
    "negated flag": "bool same = true; if (m_x != v) { m_x = v; same = false; } if (same) return; ++m_version;",
    "flag as an integer": "int dirty = 0; if (m_x != v) { m_x = v; dirty |= 1; } if (dirty) ++m_version;",
    "flag from a helper": "if (Update(m_x, v)) ++m_version;",
    "flag joined from helpers": "bool c = false; c |= Update(m_x, v); c |= Update(m_y, v); if (c) ++m_version;",
    "flag by reference": "bool c = false; Store(m_x, v, c); Store(m_y, v, c); if (c) ++m_version;",
    "flag in a lambda": "bool c = false; auto set = [&](int& s) { if (s != v) { s = v; c = true; } }; set(m_x); set(m_y); if (c) ++m_version;",
    "flag compared": "bool c = false; if (m_x != v) { m_x = v; c = true; } if (c == false) return; ++m_version;",
    "flag and another test": "bool c = false; if (v > 0 && m_x != v) { m_x = v; c = true; } if (c || v > 9) ++m_version;",
    "ternary": "bool c = m_x != v ? (m_x = v, true) : false; if (c) ++m_version;",
    "loop that may not run": "for (int i = 0; i < v; ++i) { m_arr[i & 3] = v; ++m_version; }",
    "while with break": "while (true) { m_x = v; ++m_version; if (v) break; }",
    "do once": "do { m_x = v; } while (--v > 0); ++m_version;",
    "counter by reference": "m_x = v; Count(m_version);",
    "guard": "Bump bump(m_version); if (m_x == v) return; m_x = v;",
    "nested object": "m_in.Set(v); ++m_version;",
    "function object called": "std::function<void()> f = [&] { ++m_version; }; m_x = v; f();",
    "lambda called": "auto f = [&] { m_x = v; }; f(); ++m_version;",
    "bump in a lambda": "auto f = [&] { ++m_version; }; m_x = v; f();",
    "lambda handed over": "Twice([&] { m_x = v; ++m_version; });",
    "lambda in an algorithm": "std::for_each(m_arr, m_arr + 4, [&](int& e) { e = v; }); ++m_version;",
    "never returns": "m_x = v; if (v < 0) std::abort(); ++m_version;",
    "throws": "m_x = v; if (v < 0) throw v; ++m_version;",
    "catch": "try { m_x = v; if (v) throw 1; } catch (int) { ++m_version; return; } ++m_version;",
    "alias": "auto& r = m_x; r = v; ++m_version;",
    "only a counter else": "if (v) { m_x = 1; ++m_version; } else { m_second = 3; }",
    "switch with every arm": "switch (static_cast<Cap>(v)) { case Cap::A: m_x = 1; break; case Cap::B: m_y = 1; break; default: return; } ++m_version;",
    "returns in arms": "switch (v) { case 0: m_x = 1; ++m_version; return; case 1: BumpAll(); m_y = 1; return; } ",
    "infinite loop left by return": "for (;;) { if (v--) continue; m_x = 1; ++m_version; return; }",
    "version from outside": "m_x = v; m_version = m_second + 1;",
    "version by a named value": "m_x = v; const unsigned next = m_version + 1; m_version = next;",
    "version exchanged": "m_x = v; std::exchange(m_version, m_version + 1);",
    "version by a constant step": "const unsigned step = 2; m_x = v; m_version += step;",
    "flag in braces": "bool c{false}; if (m_x != v) { m_x = v; c = true; } if (c) ++m_version;",
    "flag through two calls": "bool c = false; StoreTwice(v, c); if (c) ++m_version;",
    "flag handed over": "bool c = false; if (m_x != v) { m_x = v; c = true; } PublishIf(c);",
    "flag turned round by value": "bool same = true; if (m_x != v) { m_x = v; same = false; } PublishIf(!same);",
    "literal by value": "m_x = v; PublishIf(true);",
    "many flags one after the other": " ".join(f"{{ bool c = false; if (m_arr[{i % 4}] != v) {{ m_arr[{i % 4}] = v; c = true; }} if (c) ++m_version; }}" for i in range(40)),
    "handler after a callee that throws": "try { WriteOrThrow(v); } catch (int) { ++m_version; }",
    "lambda with the write handed on": "With([&] { m_x = v; });",
    "recursion": "Recursive(v); ++m_version;",
    "recursion that publishes at its end": "Descend(v, 1);",
    "recursion through another function": "Ping(v);",
    "recursion with a flag": "bool c = false; Mark(v, c); if (c) ++m_version;",
    "static function": "AssignAndBump(*this, v);",
    "value of a variable in a head": "if (int w = (m_x = v)) ++m_version; else ++m_version;",
}  # fmt: skip

FAILS = {
    "no bump": "m_x = v;",
    "bump in one arm": "m_x = v; if (v) ++m_version;",
    "write in the other arm": "if (v) ++m_version; else m_x = v;",
    "return before the bump": "m_x = v; if (v < 0) return; ++m_version;",
    "flag misses a write": "bool c = false; if (m_x != v) { m_x = v; c = true; } if (m_y != v) m_y = v; if (c) ++m_version;",
    "flag is set back": "bool c = false; if (m_x != v) { m_x = v; c = true; } c = v > 3; if (c) ++m_version;",
    "flag set elsewhere": "bool c = false; m_x = v; if (m_y != v) c = true; if (c) ++m_version;",
    "continue before the flag": "bool c = false; for (int i = 0; i < 4; ++i) { m_arr[i] = v; if (v) continue; c = true; } if (c) ++m_version;",
    "break before the bump": "while (v--) { m_x = v; if (v == 2) break; ++m_version; }",
    "bump in a loop that may not run": "m_x = v; for (int i = 0; i < v; ++i) ++m_version;",
    "bump behind a short circuit": "m_x = v; v && ++m_version;",
    "bump in one case": "m_x = v; switch (v) { case 0: ++m_version; break; case 1: break; }",
    "no default": "m_x = v; switch (v) { case 0: ++m_version; break; case 1: ++m_version; break; }",
    "old value compared late": "const bool c = v != m_x; m_x = v; if (c) ++m_version;",
    "silent callee": "Silent(v);",
    "handler that does not bump": "try { m_x = v; if (v) throw 1; ++m_version; } catch (int) { }",
    "lambda never called": "auto f = [&] { ++m_version; }; m_x = v;",
    "another object's counter is set back": "m_x = v; m_version = 0;",
    "helper's answer ignored": "Update(m_x, v); if (v) ++m_version;",
    "flag by value": "bool c = false; auto set = [&](int& s, bool d) { if (s != v) { s = v; d = true; } }; set(m_x, c); if (c) ++m_version;",
    "wrong flag": "bool c = false, d = false; if (m_x != v) { m_x = v; c = true; } if (d) ++m_version;",
    "flag overwritten in a loop": "bool c = false; for (int i = 0; i < 4; ++i) { c = m_arr[i] != v; m_arr[i] = v; } if (c) ++m_version;",
    "conditional expression": "v ? (m_x = v) : (++m_version, 0);",
    "recursion without": "Recursive(v);",
    "recursion that publishes half way": "Descend(v, 0);",
    "recursion through another that does not": "Pong(v);",
    "recursion with the wrong flag": "bool c = false; Mark(v, c); if (!c) ++m_version;",
    "the other counter": "m_x = v; ++m_second;",
    "copy of a flag in a lambda": "bool c = false; auto publish = [c, this] { if (c) ++m_version; }; m_x = v; c = true; publish();",
    "copies of all in a lambda": "bool c = false; auto set = [=, this]() mutable { m_x = v; c = true; }; set(); if (c) ++m_version;",
    "flag that outlives the call": "static bool done = false; if (!done) { done = true; ++m_version; } m_x = v;",
    "flag that a guard sets back": "bool c = false; { Reset reset(c); m_x = v; c = true; } if (c) ++m_version;",
    "flag that a reference sets back": "bool c = false; auto& r = c; m_x = v; c = true; r = false; if (c) ++m_version;",
    "flag that a pointer sets back": "bool c = false; auto* p = &c; m_x = v; c = true; *p = false; if (c) ++m_version;",
    "flag that a library function changes": "bool c = true, d = false; m_x = v; std::swap(c, d); if (c) ++m_version;",
    "flag that a callee changes by its address": "bool c = true; m_y = v; ClearBy(c, m_x); if (c) ++m_version;",
    "flag that a callee changes": "bool c = true; m_y = v; ClearAnd(c, m_x); if (c) ++m_version;",
    "flag behind a cast": "bool c = true; m_y = v; ClearAnd(static_cast<bool&>(c), m_x); if (c) ++m_version;",
    "flag that a callee changes and nothing else": "bool c = true; m_y = v; ClearOnly(static_cast<bool&>(c)); if (c) ++m_version;",
    "flag by value that is decided later": "PublishIf(v > 0); m_x = v;",
    "literal that the callee changes": "m_x = v; PublishIfAlso(true);",
    "argument that is left out": "m_x = v; PublishBoth(false);",
    "member as a flag": "m_x = v; Mark(m_flag);",
    "wrong flag by reference": "bool c = false, d = false; StoreTwice(v, c); if (d) ++m_version;",
    "flag turned round once too often": "bool c = false; if (m_x != v) { m_x = v; c = true; } PublishIf(!c);",
    "handler that swallows a callee's": "try { WriteOrThrow(v); } catch (int) { }",
    "write in the head of an if": "if (int w = (m_x = v)) ++m_version;",
    "write in a capture": "auto f = [n = (m_x = v)] { return n; }; if (f()) ++m_version;",
    "counter that may be another": "unsigned& c = v ? m_version : m_second; m_x = v; ++c;",
    "counter handed over that may be another": "m_x = v; Count(v ? m_version : m_second);",
    "counter of a copy": "S copy; m_x = v; ++copy.m_version;",
    "one of many flags": " ".join(f"{{ bool c = false; if (m_arr[{i % 4}] != v) {{ m_arr[{i % 4}] = v; c = {'false' if i == 30 else 'true'}; }} if (c) ++m_version; }}" for i in range(40)),
    "lambdas in a container": "std::vector<std::function<void()>> all{[&] { m_x = v; }}; for (auto& f : all) f(); if (v) { m_y = v; ++m_version; }",
    "function object that becomes another one": "std::function<void()> f = [&] { ++m_version; }; f = [] {}; m_x = v; f();",
    "function object that may become another one": "auto bump = [&] { ++m_version; }; auto none = [] {}; std::function<void()> f = bump; if (v) f = none; m_x = v; f();",
    "function object that is swapped": "std::function<void()> f = [&] { ++m_version; }, g; std::swap(f, g); m_x = v; f();",
    "counter set to a named constant": "const unsigned k = 3; m_x = v; m_version = k;",
    "counter set to a constant member": "m_x = v; m_version = kBase;",
    "counter set to an enumerator": "m_x = v; m_version = First;",
    "counter set to one of two constants": "m_x = v; m_version = v ? 1 : 2;",
    "counter set to a fresh value": "m_x = v; m_version = unsigned{};",
    "counter set to empty braces": "m_x = v; m_version = {};",
    "counter set to a cast constant": "m_x = v; m_version = static_cast<unsigned>(0);",
    "counter set to a negative constant": "m_x = v; m_version = -1;",
    "counter set to a size": "m_x = v; m_version = sizeof(int);",
    "counter exchanged for a constant": "m_x = v; std::exchange(m_version, 0u);",
    "counter set to itself": "m_x = v; m_version = m_version;",
    "counter moved by nothing": "m_x = v; m_version += 0;",
    "counter swapped with itself": "m_x = v; std::swap(m_version, m_version);",
    "bump that runs once": "m_x = v; static bool once = (++m_version, true); (void)once;",
    "bump in a typeid": "m_x = v; (void)typeid(++m_version);",
    "bump in a generic selection": "m_x = v; (void)_Generic(++m_version, unsigned: 1, default: 2);",
    "bump in a test for constants": "m_x = v; (void)__builtin_constant_p(++m_version);",
    "bump in a size of objects": "m_x = v; (void)__builtin_object_size((++m_version, &m_x), 0);",
    "bump in an assumption": "m_x = v; __builtin_assume(++m_version > 0);",
    "lambda that is handed over and not called": "Without([&] { ++m_version; }); m_x = v;",
}  # fmt: skip

UNDECIDED = {
    "goto": "m_x = v; if (v) goto end; ++m_version; end: return;",
    "switch with an initialiser": "switch (int w = v; w) { case 0: m_x = 1; break; } ++m_version;",
    "assembly": 'm_x = v; asm(""); ++m_version;',
    "unknown write": "Unknown(m_y); if (v) { m_x = v; ++m_version; }",
    "flag by two names": "bool c = false; auto set = [&](bool& d) { m_x = v; c = true; d = false; }; set(c); if (c) ++m_version;",
    "recursive lambda": "std::function<void(int)> f = [&](int w) { m_x = w; if (w) f(w - 1); }; f(v); ++m_version;",
    "function handed over": "Apply(&S::Assign, *this, v); if (v) { m_y = v; ++m_version; }",
    "case inside a block": "switch (v) { case 0: if (m_x) { case 1: m_y = 1; } } ++m_version;",
}


class Question:
    """Asks about the methods of the class."""

    def __init__(self, source: str, publication: Publication, ids: Callable[[str], frozenset[int]]) -> None:
        self.source = source
        self.publication = publication
        self.ids = ids
        self.known: dict[str, Published] = {}

    def about(self, name: str) -> Published:
        if name not in self.known:
            (symbol,) = self.ids(f"S::{name}")
            self.known[name] = self.publication.of(symbol)
        return self.known[name]

    def __call__(self, name: str, signal: str) -> Answer:
        return self.about(name).answers[signal]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Question:
    folder = tmp_path_factory.mktemp("publication")
    shapes = {**HOLDS, **FAILS, **UNDECIDED, **OTHERS}
    methods = [f"  void {_method(name)}(int v) {{ {body} }}" for name, body in shapes.items()]
    (folder / "src").mkdir()
    (folder / "src" / "a.cpp").write_text(HEAD + "\n".join(methods) + "\n" + TAIL)
    (folder / "mgaudit.toml").write_text(CONFIGURATION)
    settings = load(folder / "mgaudit.toml", PARAMETERS)
    analysis = analyse(settings, Options(folder / "cache"))
    facts = analysis.facts
    assert facts.diagnostics() == []

    def ids(name: str) -> frozenset[int]:
        return frozenset(symbol.id for symbol in facts.symbols_named(name))

    effects = Effects(facts, library_effects(settings))
    signals = {
        "VERSION": Signal(counters=ids("S::m_version")),
        "FUNCTION": Signal(functions=ids("S::BumpAll")),
        "LEAF": Signal(counters=ids("Leaf::changes")),
        "MACRO": Signal(macros=frozenset({"NOTE", "NOTHING"})),
    }
    counters = ids("S::m_version") | ids("S::m_second") | ids("Leaf::changes")
    entities = Entities(facts, Scope(frozenset({"src/a.cpp"}), ()))
    state = State(facts, effects, entities, counters, ids("S::BumpAll"))
    publication = Publication(state, signals, Reach(ids("gTable")), "IMMEDIATE")
    return Question((folder / "src" / "a.cpp").read_text(), publication, ids)


def test_shapes_have_names_of_their_own() -> None:
    assert len({**HOLDS, **FAILS, **UNDECIDED, **OTHERS}) == sum(map(len, (HOLDS, FAILS, UNDECIDED, OTHERS)))


OTHERS = {
    "macro": "m_x = v; NOTE();",
    "macro without an expansion": "m_x = v; NOTHING();",
    "macro in another": "if (v) BOTH(v);",
    "macro in one arm": "m_x = v; if (v) NOTE();",
    "table": "m_x = v; gTable.Draw(v);",
    "table by a copy": "m_x = v; auto draw = gTable.Draw; draw(v);",
    "table by a reference": "auto& t = gTable; m_x = v; t.Other(v);",
    "table in one arm": "m_x = v; if (v) gTable.Draw(v);",
    "function": "m_x = v; BumpAll();",
    "function that may be another": "auto f = v ? &S::BumpAll : &S::Clear; m_x = v; (this->*f)();",
    "table that may be another": "Table* t = v ? &gTable : &gSpare; m_x = v; t->Draw(v);",
    "counter far inside": "m_trunk.branch.twigs[v].leaf.Set(v);",
    "way out by a return": "m_x = v;\n if (v < 0)\n return;\n ++m_version;",
    "way out at the end": "if (v)\n Silent(v);\n else {\n m_y = v;\n ++m_version; }",
    "way out of a callee": "if (v) { m_y = v; ++m_version; return; }\n if (Update(m_x, v))\n return;",
}


def _method(name: str) -> str:
    return "case_" + "".join(letter if letter.isalnum() else "_" for letter in name)


@pytest.mark.parametrize("name", HOLDS)
def test_a_publisher_on_every_mutating_path_holds(published: Question, name: str) -> None:
    assert published(_method(name), "VERSION") is Answer.HOLDS


@pytest.mark.parametrize("name", FAILS)
def test_a_mutating_path_without_it_does_not(published: Question, name: str) -> None:
    assert published(_method(name), "VERSION") is Answer.FAILS


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_cannot_be_followed_is_undecided(published: Question, name: str) -> None:
    assert published(_method(name), "VERSION") is Answer.UNDECIDED


@pytest.mark.parametrize(
    ("name", "signal", "answer"),
    [
        ("macro", "MACRO", Answer.HOLDS),
        ("macro without an expansion", "MACRO", Answer.HOLDS),
        ("macro in another", "MACRO", Answer.HOLDS),
        ("macro in one arm", "MACRO", Answer.FAILS),
        ("table", "IMMEDIATE", Answer.HOLDS),
        ("table by a copy", "IMMEDIATE", Answer.HOLDS),
        ("table by a reference", "IMMEDIATE", Answer.HOLDS),
        ("table in one arm", "IMMEDIATE", Answer.FAILS),
        ("function", "FUNCTION", Answer.HOLDS),
        ("function that may be another", "FUNCTION", Answer.FAILS),
        ("table that may be another", "IMMEDIATE", Answer.FAILS),
        ("counter far inside", "LEAF", Answer.HOLDS),
        ("counter far inside", "VERSION", Answer.FAILS),
        ("function", "VERSION", Answer.HOLDS),
        ("macro", "IMMEDIATE", Answer.FAILS),
    ],
)
def test_signals(published: Question, name: str, signal: str, answer: Answer) -> None:
    assert published(_method(name), signal) is answer


def test_every_override_must_publish(published: Question) -> None:
    assert published("V", "VERSION") is Answer.FAILS  # the override does not


def _lines(published: Question, name: str) -> list[tuple[int, str]]:
    """The steps of the path that misses the version, by lines from the first one of the method."""
    steps = published.publication.missed_path(published.about(_method(name)), "VERSION")
    assert {step.path for step in steps} == {"src/a.cpp"}
    first = next(i for i, line in enumerate(published.source.splitlines(), 1) if _method(name) in line)
    return [(step.line - first, step.text) for step in steps]


def test_the_path_that_misses_a_publisher_leads_from_the_write_to_the_way_out(published: Question) -> None:
    out = _lines(published, "way out by a return")
    assert out == [(0, "assigns"), (2, f"S::{_method('way out by a return')} returns, and has not published VERSION")]


def test_the_path_leads_through_the_calls_down_to_the_write(published: Question) -> None:
    call, write, end = _lines(published, "way out at the end")
    assert call == (1, "calls S::Silent, which writes")
    assert write[1] == "assigns"
    assert end[0] == 0
    assert "runs to its end" in end[1]


def test_the_path_takes_the_way_out_that_misses_the_publisher(published: Question) -> None:
    call, _, end = _lines(published, "way out of a callee")
    assert (call[0], end[0]) == (1, 2)


@pytest.mark.parametrize(
    ("name", "answer"), [("Set", Answer.HOLDS), ("CopyTo", Answer.HOLDS), ("MoveTo", Answer.FAILS)]
)
def test_a_counter_is_that_of_the_object_that_is_changed(published: Question, name: str, answer: Answer) -> None:
    assert published(name, "VERSION") is answer
