"""Sites of small trees: what each line of observed code uses, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.analysis.sites import SiteKind, Structural, surface, totals
from mgaudit.analysis.sites_entities import Scope
from mgaudit.config.loader import load
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from mgaudit.analysis.sites import Site, Surface
    from mgaudit.engine.pipeline import Analysis

CONFIGURATION = """
schema = 1
[tree]
name = "small"
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h", "src/**/*.inc"]
[[configuration]]
name = "split"
standard = "c++20"
include-dirs = ["src"]
[zone.state]
paths = ["src/state/**"]
namespaces = ["mg::state"]
[zone.backend]
paths = ["src/backend/**"]
[[catalogue]]
name = "reads"
columns = ["accessor", "call"]
rows = [{ accessor = "GetWidth", call = "kNone" }]
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
"""

STATE = """
#pragma once
#include "util/lib.h"
namespace mg::state {
enum class Target { Vertex, Index };
struct Params { int a; int b; };
class Buffer : public util::Named {
public:
    int GetSize() const;
    unsigned char* Map();
    const void* Data() const;
    util::Vector<unsigned char>& Shadow();
    const char* Label() const;
    int refs = 0;
};
struct Slots {
    Buffer* begin();
    Buffer* end();
    Buffer& operator[](int);
    explicit operator bool() const;
    operator int() const;
};
class ObjectBase { public: int GetName() const; virtual int GetKind() const; };
class Context : public ObjectBase {
public:
    explicit Context(int);
    Context(const Context&) = default;
    int GetWidth() const noexcept;
    int GetWidth(int) const;
    Buffer& GetBuffer(Target target = Target::Vertex);
    Buffer* FindBuffer(int);
    util::Ptr<Buffer> ShareBuffer() const;
    util::Vector<Buffer*> AllBuffers() const;
    const Params& GetParams() const;
    Slots& GetSlots();
    int GetKind() const override;
    static int Count();
    static constexpr int kLimit = 3;
    static int alive;
    int field = 0;
    Buffer embedded;
    Params pod;
    union { int asInt; float asFloat; };
};
extern util::Ptr<Context> pContext;
extern int gFrame;
extern const int kVersion;
extern Params gParams;
int FrameOf(int);
Context& Current();
}
"""

LIB = """
#pragma once
namespace mg::util {
struct Named { int GetLabelId() const; int id; };
template <class T> struct Vector { T* begin(); T* end(); T& operator[](int) const; };
template <class T> struct Ptr {
    T* operator->() const; T& operator*() const; T* get() const; explicit operator bool() const;
};
}
"""

OPEN = '#include "state/context.h"\nnamespace mg::backend { using state::pContext; using state::Target;\n'

Observe = "Callable[..., Surface]"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def observe(tmp_path: Path, cache: Path) -> Iterator[Callable[..., Surface]]:
    opened: list[Analysis] = []

    def run(code: str, *, more: Mapping[str, str] | None = None, **chosen: tuple[str, ...]) -> Surface:
        tree = {
            "mgaudit.toml": CONFIGURATION, "src/state/context.h": STATE, "src/util/lib.h": LIB,
            "src/backend/draw.cpp": OPEN + code + "\n}\n", **(more or {}),
        }  # fmt: skip
        for name, text in tree.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        analysis = analyse(load(tmp_path / "mgaudit.toml", PARAMETERS), Options(cache=cache))
        opened.append(analysis)
        facts = analysis.facts
        assert facts.diagnostics() == []
        ids: dict[str, Any] = {
            name: frozenset(s.id for pattern in patterns for s in facts.symbols_named(pattern))
            for name, patterns in chosen.items()
        }
        scope = Scope(
            frozenset(analysis.files.in_zone("state")), (analysis.settings.zones["state"],),
            ids.get("classes"), ids.get("values", frozenset()), ids.get("bytes_", frozenset()),
        )  # fmt: skip
        found = surface(facts, analysis.files.in_zone("backend"), scope)
        assert sum(count for *_, count in totals(found)) == found.references
        return found

    yield run
    for analysis in opened:
        analysis.facts.connection.close()


def shown(site: Site) -> str:
    """``line accessor kind role (ways)``, lines counted from the first of the code."""
    ways = f" ({' '.join(site.via)})" if site.via else ""
    return f"{site.line - 2} {site.accessor} {site.kind} {site.role}{ways}"


def lines(found: Surface) -> list[str]:
    return [shown(site) for site in found.sites if site.path == "src/backend/draw.cpp"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("int f() { return pContext->GetWidth(); }", ["1 GetWidth value call (arrow)"]),
        ("int f() { return (*pContext).GetWidth(1); }", ["1 GetWidth value call"]),
        ("int f() { return pContext.get()->field; }", ["1 field value read"]),
        ("void f() { pContext->field = 1; }", ["1 field value write (arrow)"]),
        ("void f() { pContext->field += 1; }", ["1 field value write (arrow)"]),
        ("int* f() { return &pContext->field; }", ["1 field value address (arrow)"]),
        ("int f() { auto& c = *pContext; return c.GetWidth(); }", ["1 GetWidth value call (alias)"]),
        ("int f() { auto* c = pContext.get(); return c->GetWidth(); }", ["1 GetWidth value call (alias)"]),
        ("int f() { return state::Current().GetWidth(); }",
         ["1 mg::state::Current handle call", "1 GetWidth value call"]),
        ("int f() { return pContext->GetName() + pContext->GetKind(); }",
         ["1 GetName value call (arrow)", "1 GetKind value call (arrow)"]),
        ("int f() { return pContext->embedded.GetLabelId(); }",
         ["1 embedded handle read (arrow)", "1 GetLabelId value call"]),
        ("int f() { return pContext->asInt; }", ["1 asInt value read (arrow)"]),
        ("int f() { return state::Context::Count() + state::Context::alive; }",
         ["1 Count value call", "1 alive value read"]),
        ("int f() { return state::gFrame + state::FrameOf(1); }",
         ["1 mg::state::gFrame value read", "1 mg::state::FrameOf value call"]),
        ("int f() { return state::kVersion + state::Context::kLimit + int(Target::Index); }", []),
        ("bool f() { return pContext ? true : false; }", []),
        ("using state::FrameOf; int f() { return FrameOf(1); }",
         ["1 mg::state::FrameOf unevaluated read", "1 mg::state::FrameOf value call"]),
        ("struct H { util::Ptr<state::Context> held; }; int f(H& h) { return h.held->GetWidth(); }",
         ["1 mg::state::Context signature read", "1 GetWidth value call (alias arrow)"]),
        ("int f() { return [](auto& c) { return c.GetWidth(); }(*pContext); }",
         ["1 GetWidth value call (alias lambda template)"]),
    ],
)  # fmt: skip
def test_reads_by_receiver_type(observe: Callable[..., Surface], code: str, expected: list[str]) -> None:
    assert lines(observe(code)) == expected


@pytest.mark.parametrize(
    ("use", "kind"),
    [
        ("GetBuffer()", "handle"), ("FindBuffer(1)", "handle"), ("ShareBuffer()", "handle"),
        ("AllBuffers()", "handle"), ("embedded", "handle"), ("GetWidth()", "value"), ("pod", "handle"),
        ("GetParams()", "handle"),
    ],
)  # fmt: skip
def test_what_a_member_yields(observe: Callable[..., Surface], use: str, kind: str) -> None:
    found = observe(f"void f() {{ (void)pContext->{use}; }}")
    assert [str(site.kind) for site in found.sites] == [kind]


def test_values_and_bytes(observe: Callable[..., Surface]) -> None:
    code = "void f(state::Buffer& b) { b.Map(); b.Data(); b.Shadow(); b.Label(); b.GetSize(); }"
    found = observe(code, bytes_=("Buffer::GetSize",))
    assert [(site.accessor, str(site.kind)) for site in found.sites] == [
        ("mg::state::Buffer", "signature"), ("Map", "bytes"), ("Data", "bytes"), ("Shadow", "bytes"),
        ("Label", "value"), ("GetSize", "bytes"),
    ]  # fmt: skip


def test_operators_conversions_and_loops_are_calls(observe: Callable[..., Surface]) -> None:
    code = """int f() { auto& s = pContext->GetSlots();
        if (s) return s;
        for (auto& b : s) b.refs = 1;
        return s[1].refs; }"""
    assert lines(observe(code)) == [
        "1 GetSlots handle call (arrow)",
        "2 operator bool value call (alias)",
        "2 operator int value call (alias)",
        "3 begin handle call (alias)",
        "3 end handle call (alias)",
        "3 refs value write (alias)",
        "4 operator[] handle call (alias)",
        "4 refs value read (alias)",
    ]


def test_uses_that_no_token_names(observe: Callable[..., Surface]) -> None:
    code = """void f() { auto& [a, b] = pContext->pod;
        state::Params copy = pContext->pod;
        copy = pContext->pod;
        state::Context other = *pContext; }"""
    assert lines(observe(code)) == [
        "1 a value read",
        "1 b value read",
        "1 pod handle read (arrow)",
        "2 Params::Params construct call",
        "2 pod handle read (arrow)",
        "3 Params::operator= handle call (alias)",
        "3 pod handle read (arrow)",
        "4 Context::Context construct call",
    ]


MAKERS = """
namespace made {
template <class T> struct Unique { T* p; };
template <class T, class... A> Unique<T> make_unique(A... a) { return {new T(a...)}; }
template <class T> struct List { template <class... A> void emplace(A... a) { last = new T(a...); } T* last; };
}
"""


def test_objects_however_they_are_made(observe: Callable[..., Surface]) -> None:
    code = """
#include "lib/make.hpp"
        state::Params one{1, 2};
        state::Params two = {.a = 1};
        state::Params Make() { return {}; }
        void take(const state::Params&); void give() { take({3}); }
        auto* three = new state::Params{4, 5}; auto four = state::Params(6, 7);
        struct Own { int n; state::Params part; }; Own own = {1, {2, 3}};
        auto five = made::make_unique<state::Context>(1); void F(int) { state::Context c(2); }
        void G(made::List<state::Context>& list) { list.emplace(1); state::Context c(3); list.emplace(2); }
        template <class T> auto Build() { return T{1, 2}; } auto six = Build<state::Params>();"""
    found = observe(code, more={"src/lib/make.hpp": MAKERS})
    made = [line for line in lines(found) if " construct " in line]
    assert made == [
        "3 Params::Params construct call",
        "4 Params::Params construct call",
        "5 Params::Params construct call",
        "6 Params::Params construct call",
        "7 Params::Params construct call",
        "7 Params::Params construct call",
        "8 Params::Params construct call",
        "9 Context::Context construct call",
        "9 Context::Context construct call",
        "10 Context::Context construct call",
        "10 Context::Context construct call",
        "10 Context::Context construct call",
        "11 Params::Params construct call (template)",
    ]
    assert [line for line in lines(found) if "value" in line] == ["4 a value write"]


def test_member_pointers_and_defaults(observe: Callable[..., Surface]) -> None:
    code = """int f(int x = pContext->GetWidth());
        struct Cache { int width = pContext->GetWidth(); Cache() : height(pContext->field) {} int height; };
        auto g() { return &state::Context::field; }
        int h() { int (*c)() = &state::Context::Count; return state::Current().*(c ? nullptr : g()); }"""
    assert lines(observe(code)) == [
        "1 GetWidth value call (arrow)",
        "2 GetWidth value call (arrow)",
        "2 field value read (arrow)",
        "3 field value address",
        "4 Count value address",
        "4 mg::state::Current handle call",
    ]


def test_ways(observe: Callable[..., Surface]) -> None:
    code = """state::Context& Helper() { return *pContext; }
        #define CTX (::mg::state::pContext)
        #define READ(name) (CTX->Get##name())
        int a() { return CTX->GetWidth(); }
        int b() { return READ(Width); }
        int c() { return [] { return pContext->GetWidth(); }(); }
        int d() { return Helper().GetWidth(); }
        template <class T> int e(T& t) { return t.GetWidth(); }
        int e() { return e(*pContext); }
        #define PASS(x) (x)
        int g() { return PASS(pContext->GetWidth()); }
        #include "backend/part.inc"
        """
    found = observe(code, more={"src/backend/part.inc": "int i() { return pContext->GetWidth(); }\n"})
    reads = [s for s in found.sites if s.accessor == "GetWidth"]
    assert [(s.path.rsplit("/", 1)[-1], s.line - 2, s.via) for s in reads] == [
        ("draw.cpp", 4, ("arrow", "macro")), ("draw.cpp", 5, ("arrow", "macro")),
        ("draw.cpp", 6, ("arrow", "lambda")), ("draw.cpp", 7, ("helper",)),
        ("draw.cpp", 8, ("alias", "template")), ("draw.cpp", 11, ("arrow",)),
        ("part.inc", -1, ("arrow", "inc")),
    ]  # fmt: skip


def test_constant_arguments(observe: Callable[..., Surface]) -> None:
    code = """void f(Target t) { pContext->GetBuffer(Target::Index); pContext->GetBuffer(t);
        constexpr auto kTarget = Target::Vertex;
        pContext->GetBuffer(kTarget); pContext->FindBuffer(1 + 2); }
        template <Target T> void g() { pContext->GetBuffer(T); }
        void h() { g<Target::Index>(); g<Target::Vertex>(); }"""
    found = observe(code)
    assert [(s.line - 2, sorted(s.arguments)) for s in found.sites if "Buffer" in s.accessor] == [
        (1, [("mg::state::Target::Index",)]),
        (1, []),
        (3, [("mg::state::Target::Vertex",)]),
        (3, [("3",)]),
        (4, [("mg::state::Target::Index",), ("mg::state::Target::Vertex",)]),
    ]


def test_signatures(observe: Callable[..., Surface]) -> None:
    code = """using Shared = util::Ptr<state::Buffer>;
        Shared Take(state::Context& context, int, const Shared& shared);
        class Memo { state::Buffer* last; util::Vector<Shared> all; int Read(state::Target); };
        auto Find() { return &pContext->embedded; }
        void Local() { state::Buffer* buffer = nullptr; (void)buffer; }"""
    found = observe(code)
    assert [shown(s) for s in found.sites if s.kind is SiteKind.SIGNATURE] == [
        "2 mg::state::Buffer signature read",
        "2 mg::state::Context signature read",
        "2 mg::state::Buffer signature read",
        "3 mg::state::Buffer signature read",
        "3 mg::state::Buffer signature read",
        "4 mg::state::Buffer signature read",
    ]
    assert found.unreferenced[SiteKind.SIGNATURE] == 4  # the aliases and what is deduced


def test_unevaluated_operands(observe: Callable[..., Surface]) -> None:
    code = """using W = decltype(pContext->GetWidth());
        constexpr auto kSize = sizeof(pContext->field);
        static_assert(!noexcept(pContext->GetWidth()));
        int f() { return pContext->GetWidth(); }"""
    assert [(s.line - 2, str(s.kind)) for s in observe(code).sites] == [
        (1, "unevaluated"), (2, "unevaluated"), (3, "unevaluated"), (4, "value"),
    ]  # fmt: skip


def test_what_nothing_instantiates_is_unresolved(observe: Callable[..., Surface]) -> None:
    code = """template <class T> int f(const T& t) { return t.GetWidth() + t.Unknown() + pContext->GetWidth(); }
        struct Mirror { int GetWidth() const { return 1; } };
        template <class T> int g(const T& t) { return t.GetWidth(); }
        int h() { return g(Mirror()); }"""
    assert lines(observe(code)) == ["1 GetWidth unresolved read (template)", "1 GetWidth value call (arrow template)"]


def test_value_classes_yield_no_sites(observe: Callable[..., Surface]) -> None:
    code = """int f() { state::Params copy = pContext->GetParams();
        return copy.a + pContext->pod.b + state::gParams.a; }"""
    found = observe(code, values=("mg::state::Params",))
    assert lines(found) == [
        "1 GetParams value call (arrow)", "2 pod value read (arrow)", "2 mg::state::gParams value read",
    ]  # fmt: skip
    assert found.structural[Structural.VALUE_CLASS] == 4


def test_watched_classes_and_what_they_inherit(observe: Callable[..., Surface]) -> None:
    code = """int f() { return pContext->GetName() + pContext->GetBuffer().GetSize() + pContext->GetSlots(); }"""
    found = observe(code, classes=("mg::state::Context",))
    assert lines(found) == [
        "1 GetName value call (arrow)", "1 GetBuffer handle call (arrow)", "1 GetSlots handle call (arrow)",
    ]  # fmt: skip
    assert found.structural[Structural.UNWATCHED] == 2


def test_look_alikes_are_no_sites(observe: Callable[..., Surface]) -> None:
    code = """namespace state2 { struct Context { int GetWidth() const { return 0; } }; }
        int f() { state2::Context pContext; return pContext.GetWidth(); }
        // pContext->GetWidth()
        const char* g() { return "pContext->GetWidth()"; }"""
    assert lines(observe(code)) == []


def test_a_class_that_the_zone_only_announces_is_not_its_own(observe: Callable[..., Surface]) -> None:
    more = {
        "src/state/hook.h": "#pragma once\nnamespace mg { class Hook; void Call(Hook&); }\n",
        "src/backend/hook.h": '#pragma once\n#include "state/hook.h"\nnamespace mg { struct Hook { int Run(); }; }\n',
    }
    found = observe('}\n#include "backend/hook.h"\nnamespace mg { int f(Hook& h) { return h.Run(); }', more=more)
    assert found.sites == ()


def test_totals_name_every_reference(observe: Callable[..., Surface]) -> None:
    found = observe("int f() { return mg::state::pContext->GetWidth() + int(mg::state::Target::Index); }")
    assert totals(found) == [
        ("site", "value", 1),
        ("structural", "namespace name", 6),
        ("structural", "type name", 2),
        ("structural", "enumerator", 1),
        ("structural", "variable that is or leads to an object", 2),
    ]
