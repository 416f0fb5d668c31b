from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import pytest

from mgaudit.facts import storage
from mgaudit.facts.symbols import SymbolMerger
from mgaudit.sources import clang_abi as abi
from mgaudit.sources import clang_binding, records
from mgaudit.sources.clang_abi import ENTITY_KINDS
from mgaudit.sources.clang_binding import Library
from mgaudit.sources.files import FileTable
from mgaudit.sources.indexer import ParseError, ParseRequest, TranslationUnit, _Collector, index_unit
from mgaudit.sources.records import NONE, UnitRecord, unpack
from mgaudit.sources.symbols import SymbolTable
from mgaudit.sources.toolchain import discover
from mgaudit.sources.tree import PathResolver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

ROLES = {
    abi.ROLE_READ: "read", abi.ROLE_WRITE: "write", abi.ROLE_CALL: "call", abi.ROLE_DYNAMIC: "dynamic",
    abi.ROLE_ADDRESS_OF: "address", abi.ROLE_IMPLICIT: "implicit", records.ROLE_FROM_MACRO: "macro",
}  # fmt: skip


@dataclass(frozen=True)
class View:
    """A record with names for its numbers."""

    root: Path
    record: UnitRecord

    @property
    def names(self) -> list[str]:
        connection = storage.opened(storage.MEMORY)
        numbers, _ = SymbolMerger(connection).intern(self.record)
        names = dict(connection.execute("SELECT id, qualified FROM symbol"))
        return [names[number] for number in numbers]

    def uses(self, name: str) -> list[tuple[str, int, int, str]]:
        """(file, line, column, roles) of the references to everything of a qualified name."""
        names = self.names
        return [
            (self.record.files[file], line, column, " ".join(text for bit, text in ROLES.items() if role & bit))
            for symbol, file, line, column, _, role, _ in unpack(self.record.references, 7)
            if names[symbol] == name
        ]

    def roles(self, name: str) -> list[str]:
        return [roles for *_, roles in self.uses(name)]

    def parents(self, name: str) -> list[str | None]:
        names = self.names
        return [
            None if parent == NONE else names[parent]
            for symbol, *_, parent in unpack(self.record.references, 7)
            if names[symbol] == name
        ]

    def declared(self, name: str) -> list[tuple[str, int, int]]:
        """(file, line, flags) of the declarations of a qualified name."""
        names = self.names
        return [
            (self.record.files[file], line, flags)
            for symbol, file, line, _, _, flags, _ in unpack(self.record.declarations, 7)
            if names[symbol] == name
        ]

    def symbols(self, name: str) -> list[records.SymbolRecord]:
        return [s for s, full in zip(self.record.symbols, self.names, strict=True) if full == name]

    def kinds(self, name: str) -> list[str]:
        return [ENTITY_KINDS[s.kind] for s in self.symbols(name)]

    def slots(self) -> list[tuple[str, str, int]]:
        names = self.names
        return [(names[s.field], names[s.function], s.line) for s in self.record.slots]

    def includes(self) -> list[tuple[str, int, str, str | None]]:
        files = self.record.files
        return [
            (files[i.file], i.line, i.spelling, None if i.target == NONE else files[i.target])
            for i in self.record.includes
        ]


@pytest.fixture(scope="module", params=["native", "ctypes"])
def library(request: pytest.FixtureRequest) -> Library:
    if request.param == "native" and not clang_binding.is_native():
        pytest.skip("the native binding was not built")
    return bound(request.param)


def bound(binding: str) -> Library:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(clang_binding.SWITCH, binding)
        return Library(discover().library)


@pytest.fixture
def index(tmp_path: Path, library: Library) -> Callable[..., View]:
    def run(
        source: str | Mapping[str, str], *arguments: str, main: str = "a.cpp", tracked: frozenset[str] | None = None,
        observed: frozenset[str] = frozenset(), errors: bool = False, directives_only: bool = False,
    ) -> View:  # fmt: skip
        files = {main: source} if isinstance(source, str) else source
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        resolver = PathResolver(tmp_path)
        request = ParseRequest(
            str(tmp_path / main), ("-x", "c++", "-std=c++20", "-nostdinc", f"-I{tmp_path}", *arguments), {}
        )
        with TranslationUnit(library, request) as unit:
            table = FileTable(library, resolver, frozenset(files) if tracked is None else tracked, {}, observed)
            table.of_path(resolver.key(tmp_path / main))
            record = index_unit(unit, table, directives_only=directives_only)
        assert errors or not record.diagnostics
        return View(tmp_path, record)

    return run


STRUCT = "struct S { int v; int get(); static int sm(); int (*fp)(int); virtual void vf(); };\n"


class TestRoles:
    @pytest.mark.parametrize(
        ("statement", "roles"),
        [
            ("int x = s.v;", "read"), ("s.v = 1;", "write"), ("s.v += 1;", "read write"), ("s.v <<= 1;", "read write"),
            ("s.v++;", "read write"), ("--s.v;", "read write"), ("int* p = &s.v;", "address"),
            ("int S::* p = &S::v;", "address"), ("int& r = s.v;", ""), ("(void)sizeof(s.v);", ""),
            ("if (s.v) {}", "read"), ("int x = 0; x = s.v;", "read"), ("(s.v) = 1;", "write"),
        ],
    )  # fmt: skip
    def test_of_a_field(self, index: Callable[..., View], statement: str, roles: str) -> None:
        view = index(f"{STRUCT}void f(S& s) {{ {statement} }}")
        assert view.roles("S::v") == [roles]

    def test_of_functions(self, index: Callable[..., View]) -> None:
        view = index(
            STRUCT + "int f(S* s) { s->vf(); S::sm(); int (*p)() = &S::sm; return s->get() + s->fp(1) + p(); }"
        )
        assert view.roles("S::get") == ["call"]
        assert view.roles("S::vf") == ["call dynamic"]
        assert view.roles("S::sm") == ["call", "address"]
        assert view.roles("S::fp") == ["read call"]
        assert set(view.parents("S::get")) == {"f"}

    def test_operators_conversions_and_arrows_are_calls(self, index: Callable[..., View]) -> None:
        view = index(
            "struct X { operator int() const; X* operator->(); X operator+(X) const; int k; };\n"
            "int f(X x) { int i = x; return i + x->k + (x + x); }"
        )
        assert view.roles("X::operator int") == ["call", "call"]
        assert view.roles("X::operator->") == ["call"]
        assert view.roles("X::operator+") == ["call"]
        assert view.uses("X::k") == [("a.cpp", 2, 39, "read")]

    def test_default_arguments_and_initialisers_of_members(self, index: Callable[..., View]) -> None:
        view = index("int g();\nstruct I { int q = g(); int z; I(int x = g()) : z(1) {} };\n")
        assert view.roles("g") == ["call", "call"]
        assert view.parents("g") == ["I::q", "I::I"]
        assert view.uses("I::z") == [("a.cpp", 2, 49, "write")]

    def test_of_variables(self, index: Callable[..., View]) -> None:
        view = index("extern int g;\nint* p = &g;\nint r() { return g; }\nvoid w() { g = 1; }\n")
        assert view.uses("g") == [("a.cpp", 2, 11, "address"), ("a.cpp", 3, 18, "read"), ("a.cpp", 4, 12, "write")]

    def test_a_lambda_uses_in_the_name_of_its_function(self, index: Callable[..., View]) -> None:
        view = index(STRUCT + "int f(S s) { auto g = [&] { return s.v; }; return g(); }")
        assert view.parents("S::v") == ["f"]


class TestMacros:
    def test_the_front_end_marks_locations_in_macros_in_the_top_bit(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`MACRO_LOCATION_BIT` is clang's private encoding: this must fail when a libclang changes it."""
        library = bound("ctypes")
        raws: dict[int, int] = {}
        reference = _Collector.reference

        def spy(self: _Collector, address: int) -> None:
            info = abi.CXIdxEntityRefInfo.from_address(address)
            line = self.files.indexed_place(info.loc)[1]
            raws[line] = self.cdll.clang_getCursorLocation(info.cursor).raw
            reference(self, address)

        monkeypatch.setattr(_Collector, "reference", spy)
        file = tmp_path / "a.cpp"
        file.write_text(
            "int g();\n#define BODY g()\n#define ARGUMENT(x) x\nint p = g();\nint q = BODY;\nint r = ARGUMENT(g());\n"
        )
        with TranslationUnit(library, ParseRequest(str(file), ("-x", "c++"), {})) as unit:
            index_unit(unit, FileTable(library, PathResolver(tmp_path), frozenset({"a.cpp"}), {}))
        assert {line: bool(raw & abi.MACRO_LOCATION_BIT) for line, raw in raws.items()} == {4: False, 5: True, 6: True}

    @pytest.mark.parametrize(
        ("statement", "place"),
        [
            ("BODY(s);", (8, "read macro")), ("DEEP(s);", (8, "read macro")), ("s.NAME;", (10, "read macro")),
            ("ARG(s.v);", (14, "read")), ("ARG(ARG(s.v));", (18, "read")), ("TWICE(s.v);", (16, "read")),
            ("ARG(BODY(s));", (12, "read macro")), ("PASTE(s);", (8, "read macro")), ("s.v;", (10, "read")),
        ],
    )  # fmt: skip
    def test_a_body_lies_at_its_expansion_an_argument_where_it_is_written(
        self, index: Callable[..., View], statement: str, place: tuple[int, str]
    ) -> None:
        macros = (
            "#define BODY(s) (s).v\n#define DEEP(s) BODY(s)\n#define NAME v\n#define ARG(x) x\n"
            "#define TWICE(x) ((x) + (x))\n#define GLUE(s, a) s.a\n#define PASTE(s) GLUE(s, v)\n"
        )
        view = index(f"{STRUCT}{macros}int f(S& s) {{\nint x= {statement}\nreturn x; }}")
        column, roles = place
        line = 2 + macros.count("\n") + 1
        assert view.uses("S::v") == [("a.cpp", line, column, roles)]

    def test_one_body_on_two_lines_lies_where_it_would_on_one(self, index: Callable[..., View]) -> None:
        one = index(STRUCT + "#define B(s) (s).v + (s).get()\nint f(S& s) { return B(s); }")
        two = index(STRUCT + "#define B(s) (s).v + \\\n (s).get()\nint f(S& s) { return B(s); }")
        assert [u[2:] for u in one.uses("S::get")] == [u[2:] for u in two.uses("S::get")] == [(22, "call macro")]


class TestUsesWithoutName:
    """Uses that the C-side indexer drops are found in the files that gates observe."""

    @pytest.mark.parametrize(
        ("statement", "name", "roles"),
        [
            ("S n = s;", "S::S", "call implicit"), ("s = S{};", "S::operator=", "call implicit"),
            ("auto& [a, b] = s; a = 1;", "S::a", "read address implicit"),
            ("auto [a, b] = s;", "S::b", "read implicit"),
            ("R r; for (int i : r) {}", "R::begin", "call implicit"),
        ],
    )  # fmt: skip
    def test_in_observed_files(self, index: Callable[..., View], statement: str, name: str, roles: str) -> None:
        source = (
            f"struct S {{ int a; int b; }}; struct R {{ int* begin(); int* end(); }};\nvoid f(S& s) {{ {statement} }}"
        )
        assert index(source).uses(name) == []
        assert roles in index(source, observed=frozenset({"a.cpp"})).roles(name)

    def test_what_the_indexer_reports_is_not_reported_twice(self, index: Callable[..., View]) -> None:
        source = STRUCT + "int f(S& s) { s.v += s.get(); return s.v; }"
        plain, observed = index(source), index(source, observed=frozenset({"a.cpp"}))
        assert plain.record.references == observed.record.references


class TestTemplates:
    def test_each_instantiation_resolves_what_the_pattern_cannot(self, index: Callable[..., View]) -> None:
        view = index(
            "struct S { int v; }; struct Q { long v; };\n"
            "int g(S&); int g(Q&);\n"
            "template <class T> int t(T& x) { return x.v + g(x); }\n"
            "int u(S s, Q q) { return t(s) + t(q); }\n"
        )
        assert view.uses("S::v") == [("a.cpp", 3, 43, "read")]
        assert view.uses("Q::v") == [("a.cpp", 3, 43, "read")]
        assert {use[:3] for use in view.uses("g")} == {("a.cpp", 3, 47)}
        assert len({s.usr for s in view.symbols("g")}) == 2
        assert {ENTITY_KINDS[s.kind] for s in view.symbols("t")} == {"function"}
        patterns = {s.pattern for s in view.symbols("t")}
        assert NONE in patterns
        assert len(patterns) == 2  # the pattern itself, and what its instantiations come from

    def test_members_of_class_templates(self, index: Callable[..., View]) -> None:
        view = index(
            "struct S { int v; };\ntemplate <class T> struct G { T t; int get() { return t.v; } };\n"
            "int u(G<S> g) { return g.get(); }\n"
        )
        assert view.uses("S::v") == [("a.cpp", 2, 57, "read")]
        assert view.uses("G::get") == [("a.cpp", 3, 26, "call")]

    def test_what_nothing_instantiates_stays_unresolved(self, index: Callable[..., View]) -> None:
        view = index("struct S { int v; };\ntemplate <class T> int t(T& x) { return x.v; }\n")
        assert view.uses("S::v") == []


class TestIdentity:
    def test_internal_names_of_equal_base_names_are_apart(self, index: Callable[..., View]) -> None:
        files = {
            "one/impl.h": "static int s() { return 1; }\nnamespace a { namespace { int n() { return 1; } } }\n",
            "two/impl.h": "namespace b { static int s() { return 2; } namespace { int n() { return 2; } } }\n",
            "a.cpp": '#include "one/impl.h"\n#include "two/impl.h"\n'
            "int f() { return s() + a::n() + b::s() + b::n(); }\n",
        }
        view = index(files)
        for name, line in (("s", 1), ("a::n", 2), ("b::s", 1), ("b::n", 1)):
            (symbol,) = view.symbols(name)
            assert symbol.flags & records.SYMBOL_INTERNAL
            assert symbol.line == line
            assert len(view.uses(name)) == 1

    def test_equal_usrs_of_one_base_name_are_apart_by_their_place(self, index: Callable[..., View]) -> None:
        files = {
            "one/impl.h": "static int s(char) { return 1; }\n",
            "two/impl.h": "\nstatic int s(char) { return 2; }\n",
            "a.cpp": '#ifdef TWO\n#include "two/impl.h"\n#else\n#include "one/impl.h"\n#endif\nint f() { return s(1);}',
        }
        (one,), (two,) = index(files).symbols("s"), index(files, "-DTWO").symbols("s")
        assert one.usr == two.usr
        assert (one.line, two.line) == (1, 2)

    def test_internal_names_in_system_headers_are_apart(self, index: Callable[..., View]) -> None:
        files = {
            "sys/one.h": "#pragma GCC system_header\nstatic int s() { return 1; }\nint one() { return s(); }\n",
            "a.cpp": "#include <one.h>\nint f() { return s(); }\n",
        }
        view = index(files, "-isystem", str(index("").root / "sys"))
        assert [(s.line, bool(s.flags & records.SYMBOL_INTERNAL)) for s in view.symbols("s")] == [(2, True)]
        assert [bool(s.flags & records.SYMBOL_INTERNAL) for s in view.symbols("one")] == [False]

    def test_a_static_function_declared_ahead_is_one_symbol(self, index: Callable[..., View]) -> None:
        view = index(
            "static int s();\nint f() { return s(); }\nstatic int s() { return 1; }\nstatic int o(int);\nint o(char);\n"
        )
        (symbol,) = view.symbols("s")
        assert symbol.line == 1
        assert [(line, flags) for _, line, flags in view.declared("s")] == [
            (1, 0), (3, records.DECL_DEFINITION | records.DECL_REDECLARATION),
        ]  # fmt: skip

    def test_inline_and_anonymous_namespaces_are_left_out_of_names(self, index: Callable[..., View]) -> None:
        view = index(
            "namespace a { inline namespace v1 { namespace { namespace b { struct T { int m; }; } } } }\n"
            "int f(a::b::T t) { return t.m; }\n"
        )
        assert view.roles("a::b::T::m") == ["read"]
        (symbol,) = view.symbols("a::b::T")
        assert symbol.flags & records.SYMBOL_INTERNAL

    def test_language_linkage_is_no_scope(self, index: Callable[..., View]) -> None:
        code = 'namespace a { extern "C" { void f(); extern "C++" { struct S { void g(); }; } } }\n'
        view = index(code + 'extern "C" int h();\nvoid u(a::S s) { a::f(); s.g(); h(); }\n')
        assert [view.kinds(name) for name in ("a::f", "a::S::g", "h")] == [["function"], ["method"], ["function"]]
        assert not [name for name in view.names if "anonymous" in name]

    def test_no_name_or_type_holds_a_path_of_the_machine(self, index: Callable[..., View]) -> None:
        view = index(
            "auto l = [](int x) { return x; };\nstruct { int a; } u;\nenum { E };\nint f() { return l(1) + u.a + E; }\n"
            "template <class T> struct W { T t; };\nW<decltype(l)> w{l};\n"
        )
        for symbol in view.record.symbols:
            assert str(view.root) not in symbol.name + symbol.type
        (variable,) = view.symbols("l")
        assert variable.type == "(lambda)"

    def test_unicode_names_and_paths(self, index: Callable[..., View]) -> None:
        view = index(
            {"größe/ähre.h": "namespace größe { struct Ähre { int π; }; }\n",
             "a.cpp": '#include "größe/ähre.h"\nint f(größe::Ähre s) { /* ü */ return s.π; }\n'}
        )  # fmt: skip
        assert view.uses("größe::Ähre::π") == [("a.cpp", 2, 45, "read")]
        assert view.declared("größe::Ähre::π") == [("größe/ähre.h", 1, records.DECL_DEFINITION)]
        assert view.includes() == [("a.cpp", 1, "größe/ähre.h", "größe/ähre.h")]
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(view.record), type=UnitRecord) == view.record

    def test_an_include_that_is_not_utf_8_can_be_stored(self, tmp_path: Path, index: Callable[..., View]) -> None:
        (tmp_path / "latin.h").write_bytes(b'#include "caf\xe9.h"\n')
        view = index('#include "latin.h"\n', errors=True)
        assert [target for *_, target in view.includes()] == ["latin.h", None]
        msgspec.msgpack.encode(view.record)

    def test_a_byte_order_mark_counts_as_bytes(self, index: Callable[..., View]) -> None:
        view = index("\ufeffstruct S { int v; };\n#define B(s) (s).v\nint f(S s) { return s.v + B(s); }\n")
        assert view.uses("S::v") == [("a.cpp", 3, 23, "read"), ("a.cpp", 3, 27, "read macro")]


class TestRelations:
    def test_bases(self, index: Callable[..., View]) -> None:
        view = index(
            "struct A {}; struct B {}; struct C : A, private B {}; using D = C; struct E : D {};\n"
            "template <class T> struct G {}; struct H : G<A> {}; using I = G<B>; struct J : I {};\n"
        )
        names = view.names
        assert {(names[a], names[b]) for a, b in view.record.bases} == {
            ("C", "A"),
            ("C", "B"),
            ("E", "C"),
            ("H", "G"),
            ("J", "G"),
        }

    def test_overrides_lead_on_over_classes_that_leave_them_out(self, index: Callable[..., View]) -> None:
        view = index(
            "struct A { virtual void f(); virtual ~A(); }; struct B : A {};\nstruct C : B { void f() override; };\n"
            "struct D : C { void f(); ~D(); void g(); };\nvoid u(D& d) { d.f(); }\n"
        )
        names = view.names
        assert {(names[a], names[b]) for a, b in view.record.overrides} == {
            ("C::f", "A::f"), ("D::f", "C::f"), ("B::~B", "A::~A"), ("C::~C", "B::~B"), ("D::~D", "C::~C"),
        }  # fmt: skip

    def test_overrides_of_classes_that_no_file_of_the_tree_declares(self, index: Callable[..., View]) -> None:
        files = {
            "lib.h": "struct A { virtual void f(); }; struct B : A { void f() override; };\n",
            "a.cpp": '#include "lib.h"\nstruct C : B { void f() override; };\n',
        }
        view = index(files, tracked=frozenset({"a.cpp"}))
        names = view.names
        assert [(names[a], names[b]) for a, b in view.record.overrides] == [("C::f", "B::f"), ("B::f", "A::f")]
        assert view.declared("B::f") == []

    def test_slots(self, index: Callable[..., View]) -> None:
        view = index(
            "struct T { void (*a)(); void (*b)(int); int n; };\nvoid fa(); void fb(int); void fc();\n"
            "T t = { .a = fa, .b = &fb, .n = 1 };\nT p = { fa, fb, 2 };\n"
            "void set(T& x) { x.a = fc, x.b = fb; x.n = 3; x.a = x.n ? fa : fc; }\n"
        )
        assert view.slots() == [
            ("T::a", "fa", 3), ("T::b", "fb", 3), ("T::a", "fa", 4), ("T::b", "fb", 4), ("T::a", "fc", 5),
            ("T::b", "fb", 5), ("T::a", "fa", 5), ("T::a", "fc", 5),
        ]  # fmt: skip


class TestDirectives:
    def test_a_guarded_second_inclusion_is_one_too(self, index: Callable[..., View]) -> None:
        files = {
            "g.h": "#ifndef G\n#define G\nint g();\n#endif\n", "h.h": '#pragma once\n#include "g.h"\n',
            "a.cpp": '#include "g.h"\n#include "h.h"\n#include <h.h>\n#include "none.h"\n',
        }  # fmt: skip
        view = index(files, errors=True)
        assert view.includes() == [
            ("a.cpp", 1, "g.h", "g.h"), ("a.cpp", 2, "h.h", "h.h"), ("h.h", 2, "g.h", "g.h"),
            ("a.cpp", 3, "h.h", "h.h"), ("a.cpp", 4, "none.h", None),
        ]  # fmt: skip
        assert [i.angled for i in view.record.includes] == [False, False, False, True, False]

    def test_a_computed_name_is_spelled_as_what_it_expands_to(self, index: Callable[..., View]) -> None:
        view = index({"g.h": "", "a.cpp": '#define H "g.h"\n#include H\n'})
        assert [(file, line, target) for file, line, _, target in view.includes()] == [("a.cpp", 2, "g.h")]

    def test_forced_includes_come_from_the_command_line(self, index: Callable[..., View]) -> None:
        root = index("").root
        files = {"f.h": "#pragma once\nint f();\n", "a.cpp": '#include "f.h"\nint m() { return f(); }\n'}
        view = index(files, "-include", str(root / "f.h"))
        assert view.includes() == [(records.COMMAND_LINE, 0, str(root / "f.h"), "f.h"), ("a.cpp", 1, "f.h", "f.h")]
        assert view.roles("f") == ["call"]

    def test_a_file_that_is_included_twice_under_different_macros(self, index: Callable[..., View]) -> None:
        files = {
            "body.inc": "t.F = 1;\n#ifdef NEVER\nt.G = 1;\n#endif\n",
            "a.cpp": 'struct T { int x, y; };\n#define F x\nvoid one(T& t) {\n#include "body.inc"\n}\n'
            '#undef F\n#define F y\nvoid two(T& t) {\n#include "body.inc"\n}\n',
        }
        view = index(files)
        assert view.uses("T::x") == view.uses("T::y") == [("body.inc", 1, 3, "write macro")]
        assert (view.parents("T::x"), view.parents("T::y")) == (["one"], ["two"])
        assert [(view.record.files[f], a, b) for f, a, b in view.record.skipped] == [("body.inc", 2, 4)]

    def test_directives_alone(self, index: Callable[..., View]) -> None:
        files = {"g.h": "#if 0\n#endif\nint g();\n", "a.cpp": '#include "g.h"\nint f() { return g(); }\n'}
        full, alone = index(files), index(files, directives_only=True)
        assert alone.includes() == full.includes()
        assert [(alone.record.files[f], a, b) for f, a, b in alone.record.skipped] == [("g.h", 1, 2)]
        assert (alone.record.references, alone.record.declarations, alone.record.diagnostics) == (b"", b"", [])


class TestErrors:
    def test_one_missing_header_hides_no_other(self, index: Callable[..., View]) -> None:
        view = index(
            '#include "one.h"\n#include "two.h"\nint f() { return nothing; }\nint g(int x) { return x; }\n', errors=True
        )
        assert [d.line for d in view.record.diagnostics] == [1, 2, 3]
        assert view.declared("g")

    def test_nothing_is_indexed_of_a_file_that_does_not_exist(self, tmp_path: Path, library: Library) -> None:
        with pytest.raises(ParseError), TranslationUnit(library, ParseRequest(str(tmp_path / "no.cpp"), (), {})):
            pass

    @pytest.mark.usefixtures("interpreted")
    def test_callbacks_come_on_one_thread_that_python_knows(
        self, index: Callable[..., View], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen = set[threading.Thread]()
        of_entity = SymbolTable.of_entity

        def noted(symbols: SymbolTable, address: int) -> int:
            seen.add(threading.current_thread())
            return of_entity(symbols, address)

        monkeypatch.setattr(SymbolTable, "of_entity", noted)
        before = dict(os.environ), threading.stack_size()
        index("int n; int f() { return n; }")
        (thread,) = seen
        assert "Dummy" not in type(thread).__name__
        assert (dict(os.environ), threading.stack_size()) == before

    @pytest.mark.usefixtures("interpreted")
    @pytest.mark.parametrize(
        ("asked", "question"),
        [(SymbolTable, "is_tracked"), (_Collector, "declared"), (_Collector, "inclusion")],
        ids=["reference", "declaration", "inclusion"],
    )
    def test_an_exception_in_a_callback_is_raised_and_not_printed(
        self, index: Callable[..., View], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
        asked: type, question: str,
    ) -> None:  # fmt: skip
        calls = []

        def fail(*_: object) -> None:
            calls.append(1)
            raise KeyError("lost")

        files = {
            "g.h": "inline int g() { return 1; }\ninline int h() { return g() + g(); }\n",
            "a.cpp": '#include "g.h"\n#include <g.h>\nint f();\nint f() { return h(); }\n',
        }
        monkeypatch.setattr(asked, question, fail)
        with pytest.raises(KeyError, match="lost"):
            index(files, tracked=frozenset({"a.cpp"}))
        assert calls == [1]
        assert capfd.readouterr() == ("", "")
