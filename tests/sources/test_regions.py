from __future__ import annotations

import pytest

from mgaudit.sources.regions import Region, regions
from mgaudit.sources.scanner import scan
from mgaudit.sources.syntax import parse_syntax


def found(text: str, *kinds: str) -> list[Region]:
    data = text.encode()
    return list(regions("a.cpp", data, scan(data), parse_syntax(data), lambda kind, _: not kinds or kind in kinds))


def digests(*texts: str) -> set[str]:
    return {found(text)[0].digest for text in texts}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("int f() { return 1; }", "f()"),
        ("int f(void) { return 1; }", "f()"),
        ("void f(int a, const char* b = nullptr) {}", "f(int, const char*)"),
        ("void f(unsigned int, unsigned x) {}", "f(unsigned int, unsigned)"),
        ("void f(const Foo, ns::Bar) {}", "f(const Foo, ns::Bar)"),
        ("void f(Map<A, B<C>> m, int (*g)(int), int n) {}", "f(Map<A, B<C>>, int(*g)(int), int)"),
        ("namespace a { namespace b { struct S { int g(int x) const { return x; } }; } }", "a::b::S::g(int) const"),
        ("int a::S::g(int x) const noexcept { return x; }", "a::S::g(int) const"),
        ("S::S(int x) : m(x) {}", "S::S(int)"),
        ("bool S::operator()(int x) { return x; }", "S::operator()(int)"),
        ("bool operator==(A a, B b) { return true; }", "operator==(A, B)"),
        ("namespace { int f() { return 1; } }", "f()"),
        ("template <class T> T f(T x) { return x; }", "f(T)"),
    ],
)
def test_names_of_functions(text: str, name: str) -> None:
    assert [region.name for region in found(text, "function")] == [name]


def test_layout_comments_and_splices_are_no_content() -> None:
    same = ["int f() { return g(1); }", "int\tf ( ){\n  return /* x */ g(1); // y\n}", "int f() { re\\\nturn g(1); }"]
    assert len(digests(*same)) == 1
    different = ["int f() { return g(2); }", "int f() { return g(1) + 0; }", 'int f() { return g("1"); }']
    assert len(digests(*same, *different)) == 4


def test_strings_are_content_with_their_blanks() -> None:
    assert len(digests('void f() { g("a b"); }', 'void f() { g("a  b"); }', 'void f() { g("a /* */ b"); }')) == 3


def test_the_line_end_of_a_directive_is_content() -> None:
    texts = ["void f() {\n#define A\n x;\n}", "void f() {\n#define A x;\n}", "void f() {\n# define A // c\n x;\n}"]
    assert len(digests(*texts)) == 2


def test_definitions_in_several_arms() -> None:
    text = "#ifdef A\nint f() { return 1; }\n#elif B\nint f() { return 2; }\n#else\nint f() { return 3; }\n#endif\n"
    first, second, third = (region.condition for region in found(text, "function"))
    assert first == "defined(A)"
    assert len({first, second, third}) == 3


def test_classes_macros_and_their_extent() -> None:
    text = "#define M(a) a + \\\n 1\nclass A { int x; };\nenum E { a };\nstruct B;\nnamespace n {}\n"
    assert [(r.kind, r.name, r.line, r.tokens) for r in found(text)] == [
        ("class", "A", 3, 7), ("class", "E", 4, 5), ("macro", "M", 1, 7),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "markers",
    [
        ("// region wire", "// endregion"), ("//region wire", "//endregion wire"),
        ("/* region: wire */", "/* endregion */"), ("#pragma region wire", "#pragma endregion"),
        ("// #region wire", "// #endregion"),
    ],
)  # fmt: skip
def test_markers(markers: tuple[str, str]) -> None:
    start, end = markers
    text = f"int a;\n{start}\nint b;\n// region inner\nint c;\n// endregion\n{end}\nint d;\n"
    by_name = {region.name: region for region in found(text, "region")}
    assert (by_name["wire"].tokens, by_name["inner"].tokens) == (6, 3)
    assert found("// regional differences\n// this region is fine\nint a;\n", "region") == []


def test_a_doubtful_extent_is_said() -> None:
    certain = {region.name: region.is_certain for region in found("int f() { int = = ; }\nint g() { return 1; }\n")}
    assert certain == {"f()": False, "g()": True}
