from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.sources.syntax import NO_BODY, FileSyntax, parse_syntax


def of(source: str) -> FileSyntax:
    return parse_syntax(source.encode())


def function_names(source: str) -> list[str]:
    return [function.name for function in of(source).functions]


FRAGMENTS = [
    *(
        "class A {",
        "struct EXPORT B {",
        "}",
        "};",
        "void f() {",
        "void A::g() const {",
        "#if X",
        "#else",
        "#endif",
        ";",
    ),
    *(
        "#define M(x) \\",
        "x.y<0>(z);",
        "auto l = [&] { return 1; };",
        "namespace n {",
        "M(a) { b(); }",
        "(",
        ")",
        "\ufeff",
    ),
    *(
        '"',
        "/*",
        "#include <a> b",
        "enum class E { e };",
        "return 1",
        "template <class T>",
        "~A() {}",
        "operator int() {}",
    ),
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=20).map(lambda parts: "\n".join(parts).encode()))
def test_any_mixture_parses_and_survives_the_cache(data: bytes) -> None:
    found = parse_syntax(data)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=FileSyntax) == found
    assert found.error_bytes <= len(data)
    for function in found.functions:
        assert 0 <= function.start < function.end <= len(data)
        inner = found.enclosing_function(function.start)
        assert inner is not None
        assert inner.start <= function.start < inner.end
    for offset in range(len(data)):
        around = [function for function in found.functions if function.start <= offset < function.end]
        innermost = min(around, key=lambda item: item.end - item.start, default=None)
        assert found.enclosing_function(offset) == innermost
        doubtful = any(offset in span for span in (*found.errors, *found.missing))
        doubtful |= any(item.start <= offset < item.end for item in found.suspicious)
        assert found.is_certified(offset) is not doubtful


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("void f() {}", ["f"]),
        ("int *A::B<T>::f(int (*g)(int)) const { return 0; }", ["A::B<T>::f"]),
        ("int (*f(int))(float) { return 0; }", ["f"]),
        ("auto f() -> int { return 0; }", ["f"]),
        ("template <class T> T &f() { throw 1; }", ["f"]),
        ("A::A() : x(1) {} A::~A() {}", ["A::A", "A::~A"]),
        ("A::operator bool() const {} int A::operator()(int) {}", ["A::operator bool", "A::operator()"]),
        (
            "struct S { S() = default; int f() { return 1; } bool operator==(S) const { return 1; } };",
            ["S", "f", "operator=="],
        ),
        ("void f() try { g(); } catch (...) {}", ["f"]),
        ("void A ::\n f() {}", ["A::f"]),
        ('extern "C" { void f() {} }', ["f"]),
        ("void f();", []),
    ],
)
def test_function_names(source: str, names: list[str]) -> None:
    found = of(source)
    assert [function.name for function in found.functions] == names
    assert found.clean


def test_function_ranges() -> None:
    source = "int a;\r\nint f()\r\n{\r\n}\r\nstruct S { S() = delete; };"
    defined, deleted = of(source).functions
    assert source[defined.start : defined.end] == "int f()\r\n{\r\n}"
    assert (defined.start_line, defined.end_line) == (2, 4)
    assert source[defined.body_start : defined.body_end] == "{\r\n}"
    assert (deleted.body_start, deleted.body_end) == (NO_BODY, NO_BODY)


def test_lines_end_at_a_lone_carriage_return() -> None:
    assert [function.start_line for function in of("int a;\rint f() {}\rint g() {}").functions] == [2, 3]


def test_scopes_and_lambdas() -> None:
    source = "namespace a::b { class C { struct D; union { int i; } u; }; } enum class E { e };\n"
    source += "namespace { auto l = [] {}; }"
    found = of(source)
    assert [(scope.kind, scope.name, scope.start_line) for scope in found.scopes] == [
        ("namespace", "a::b", 1),
        ("class", "C", 1),
        ("union", "", 1),
        ("enum", "E", 1),
        ("namespace", "", 2),
    ]
    assert [source[span.start : span.end] for span in found.lambdas] == ["[] {}"]
    assert found.clean


def test_the_enclosing_function_is_the_innermost_one() -> None:
    source = "int a; void f() { struct S { void g() { x; } }; y; } int z; void h() { w; }"
    found = of(source)
    owners = {name: found.enclosing_function(source.index(name + ";")) for name in "axyzw"}
    assert {name: owner.name if owner else None for name, owner in owners.items()} == {
        "a": None,
        "x": "g",
        "y": "f",
        "z": None,
        "w": "h",
    }


@pytest.mark.parametrize(
    "source",
    [
        "class EXPORT Foo : public Bar { int x; };",
        "EXPORT_API\nvoid foo() { x(); }",
        "EXPORT_API\nclass Foo { int x; };",
        "struct EXPORT(8) S { int x; };",
        "void f() { if (a) { x(); }\n#ifdef Q\n else { y(); }\n#endif\n}",
        "int a[] = {1,\n#ifdef Q\n2,\n#endif\n3};",
        "F::F() : a(1)\n#ifdef Q\n, b(2)\n#endif\n{}",
        "void f() { g(a,\n#ifdef Q\nb\n#else\nc\n#endif\n); }",
        "void f() {\n#ifdef A\nif (x) {\n#else\nif (y) {\n#endif\nz();\n}\n}",
        "L(X)\nX(a, b)\nX(c, d)\n",
        "void f() { M(int y = 2; g(y);); }",
        "struct S { void f(this S &self) { g(); } };",
        "void f() { if consteval { g(); } }",
        "void f() { int x = 3 }",
        "#define L(X) \\\n X(a, b) /*c*/ \\\n X(c, d)\n",
        "#include <a.h> int x;",
        "int x; @",
        "void f() { s->*p; }",
    ],
)
def test_what_the_grammar_cannot_read_is_listed(source: str) -> None:
    found = of(source)
    assert found.errors or found.missing
    assert not found.clean


def test_errors_are_collapsed_and_counted() -> None:
    found = of("void f() {\n#ifdef A\nif (x) {\n#else\nif (y) {\n#endif\nz();\n}\n}")
    assert len(found.errors) == 1
    assert found.error_bytes == found.errors[0].end - found.errors[0].start > 40


def test_a_missing_token_makes_its_construct_doubtful() -> None:
    source = "int a; void f() { int x = 3 } int b;"
    found = of(source)
    assert [source[span.start : span.end] for span in found.missing] == ["int x = 3"]
    assert [found.is_certified(source.index(text)) for text in ("a;", "x =", "b;")] == [True, False, True]


def test_a_last_line_without_a_line_end_is_no_error() -> None:
    assert of("int x;\n#define A \\\n  b").clean
    assert of("#include <a.h>").clean


TYPE = "a function without parameters that may be a type behind a macro"
VARIABLE = "an initialised variable that may be a type behind a macro"
COMPARISON = "two comparisons that may be a call with template arguments"
NAME = "a definition whose name a macro makes"
UNTYPED = "a definition without a type that a macro may make"
STATEMENT = "a function inside a function that may be a statement made by a macro"


@pytest.mark.parametrize(
    ("source", "reason", "doubtful"),
    [
        ("class EXPORT Foo { int x; };", TYPE, "class EXPORT Foo { int x; }"),
        ("struct EXPORT Foo { int x; };", TYPE, "struct EXPORT Foo { int x; }"),
        ("enum class EXPORT E { a };", VARIABLE, "enum class EXPORT E { a };"),
        ("void f() { doc.parse<0>(x); }", COMPARISON, "doc.parse<0>(x)"),
        ("ENTRY(name)(int a) { foo(); }", NAME, "ENTRY(name)(int a) "),
        ("void ENTRY(name)(int a) { foo(); }", NAME, "void ENTRY(name)(int a) "),
        ("TEST(A, B) { foo(); }", UNTYPED, "TEST(A, B) "),
        ("struct S { M(x) { y(); } };", UNTYPED, "M(x) "),
        ("void f() { FOO_IF(x) { y(); } }", STATEMENT, "FOO_IF(x) "),
    ],
)
def test_what_parses_without_an_error_and_is_doubtful(source: str, reason: str, doubtful: str) -> None:
    found = of(source)
    assert not found.errors
    assert [(item.reason, source[item.start : item.end]) for item in found.suspicious] == [(reason, doubtful)]
    assert not found.is_certified(found.suspicious[0].start)
    assert found.is_certified(0) is (found.suspicious[0].start > 0)


@pytest.mark.parametrize(
    "source",
    [
        "struct Foo f() { return {}; }",
        "struct tm t{};",
        "A<B<C<D<int>>>> x;",
        "void f() { doc.parse<0>(); a.b<T>(x); t.template g<0>(x); }",
        "void f() { int S::*p = &S::x; (s.*p) = 1; }",
        "struct alignas(8) S { int x; }; struct [[nodiscard]] U {};",
        "template <class T> struct A<T *> { A() {} ~A() {} operator T() { return 1; } };",
        "struct A::B { B() {} };",
        "void f() { struct L { L() {} void g() {} }; }",
        "bool f() { return a < b && c > (d); }",
    ],
)
def test_ordinary_code_is_clean(source: str) -> None:
    assert of(source).clean


def test_an_empty_file() -> None:
    found = of("")
    assert (found.size, found.functions, found.clean) == (0, (), True)
    assert found.enclosing_function(0) is None
    assert found.is_certified(0)
