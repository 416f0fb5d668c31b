from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.sources.scanner import NO_ARM, FileScan, LeadingInclude, Outline, TokenFlag, outline, scan

LINES = [
    *("#if A", "#ifdef B", "#ifndef C", "#elif D", "#elifdef E", "#else", "#endif", "# if 0", "#if", "#elif"),
    *(
        "#define F(x) #x x##y G",
        "#define G",
        "#define",
        "#undef G",
        "#include <a.h>",
        '#include "b.h"',
        "#include M(x)",
    ),
    *(
        "#include",
        "#pragma once",
        "#",
        "#if __has_include(<q>)",
        "a->b();",
        "x::y<z>",
        "{",
        "}",
        "(",
        ")",
        "decltype(a",
    ),
    *("sizeof *p", "requires", "requires A<B>", "noexcept(", "/* c", "*/", 'R"(', "\\", "#error don't", "\ufeff", "'"),
]
SOURCES = st.lists(st.sampled_from(LINES), max_size=25).map(lambda lines: "\n".join(lines).encode())


def of(source: str) -> FileScan:
    return scan(source.encode())


def flags(source: str, name: str) -> list[TokenFlag]:
    return [flag for _, flag in of(source).occurrences(name)]


@given(SOURCES)
def test_any_mixture_of_lines_scans_and_survives_the_cache(data: bytes) -> None:
    found = scan(data)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=FileScan) == found
    listed = list(found.tokens())
    assert [token.offset for token in listed] == sorted({token.offset for token in listed})
    for token in listed:
        assert data[token.offset :].startswith(token.name.encode()[:1])
        assert (token.offset, token.flags) in found.occurrences(token.name)
        assert found.arm_of(token.offset) < len(found.conditionals)
    for index, arm in enumerate(found.conditionals):
        assert arm.parent < index
        assert arm.start <= arm.end <= len(data)
        assert found.condition(index) is not None
    assert all(item.start < item.end for item in found.unevaluated)


@given(st.binary(max_size=150))
def test_any_bytes_scan(data: bytes) -> None:
    found = scan(data)
    assert found.size == len(data)
    for offset in range(len(data)):
        line, column = found.location(offset)
        assert found.offset_of(line, column) == offset
        assert 1 <= line <= found.lines


def outline_of(found: FileScan) -> Outline:
    return Outline(*(getattr(found, name) for name in Outline.__struct_fields__))


ENDS = st.sampled_from(
    ["\n", "\n", "\n", "\n\n", "\r\n", "\r", "\\\n", "\\ \n", "\\\r\n", " \n", "\0\n", "\x01\n", "??/\n"]
)
PIECES = st.sampled_from(
    [*LINES, "int a;", "int", "x = 1'000;", "", "\t", "#define \\\nG", "#ifndef \\\nG", "G", "<a.h>", "%:endif"]
)
WHOLE = ["#ifndef G\n#define G", "#pragma once", "#include <a.h>", "int a;\nint b;", "// c", "/* c", "c */", "#endif"]


@given(
    st.one_of(
        st.lists(st.tuples(PIECES, ENDS).map("".join), max_size=25).map("".join),
        st.lists(st.sampled_from(WHOLE), max_size=12).map("\n".join),
    )
)
def test_an_outline_is_what_a_scan_says_of_inclusions_and_conditions(text: str) -> None:
    data, found = text.encode(), of(text)
    assert outline(data) == outline_of(found)


@pytest.mark.parametrize(
    "text",
    [
        "#ifndef G\n#define G\n#include <a>\nint x;\nint y;\n#endif // G\n",
        "#ifndef G\nint a;\n#define G\n#endif\n",
        "#ifndef G\n#define G\n#endif\nint a;\nint b;\n",
        "int a;\nint b;\n\n#include <a>\n",
        "int a;\n \n\0\n#include <a>\n",
        "\n \n\0\n#include <a>\n",
        "// c\n\v\n\f\n#include <a>\n",
        "#ifndef \\\nG\n#define \\ \nG\n#include \\\r\n<a>\nint a;\n#endif\n",
        'R"(\nint a;\n#pragma once\n)";\n#pragma once\n',
        "/*\nint a;\n#include <a>\n*/\n#include <b>\n",
        "int a;\n#if __has_include(<a>)\nint b;\n#endif\n",
        "int a;\nint b;\rint c;\n#include <a>\n",
        "int a;\n%:pragma once\n",
        "//\n\u2003\n#include <a>\n",
        "//\n??/\n#include <a>\n",
    ],
)
def test_an_outline_passes_over_code_alone(text: str) -> None:
    found = of(text)
    assert outline(text.encode()) == outline_of(found)


# --- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_under_each_line_end(newline: str) -> None:
    found = of(newline.join(["a", "#include <x>", "", "b"]))
    assert found.lines == 4
    assert [(item.line, item.column) for item in found.directives] == [(2, 1)]
    assert found.location(found.occurrences("b")[0][0]) == (4, 1)


def test_mixed_line_ends() -> None:
    found = scan(b"a\r\nb\rc\nd\n\re")
    assert {token.name: found.location(token.offset) for token in found.tokens()} == {
        "a": (1, 1),
        "b": (2, 1),
        "c": (3, 1),
        "d": (4, 1),
        "e": (6, 1),
    }


def test_columns_count_bytes_from_one() -> None:
    found = of("é  b")
    assert found.location(found.occurrences("b")[0][0]) == (1, 5)


def test_an_empty_file() -> None:
    found = of("")
    assert (found.size, found.lines, found.names, found.defects) == (0, 0, (), ())
    assert found.location(0) == (1, 1)
    assert found.leading_include() is None


def test_the_digest_follows_the_content() -> None:
    assert of("a").digest == of("a").digest != of("b").digest


# --- inclusions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('#include "a/b.h"', ("include", "a/b.h", False, False)),
        ("  #  include <a.h> // c", ("include", "a.h", True, False)),
        ("#include_next <a.h>", ("include_next", "a.h", True, False)),
        ('#import "a.h"', ("import", "a.h", False, False)),
        ("#include HEADER", ("include", "HEADER", False, True)),
        ("#include  NAME ( a , b )", ("include", "NAME(a, b)", False, True)),
        ("#include \\\n  <a.h>", ("include", "a.h", True, False)),
        ("#inc\\\nlude <a.\\\nh>", ("include", "a.h", True, False)),
        ("/* x\n*/ #include/**/<a//b.h>", ("include", "a//b.h", True, False)),
        ("%: include <a.h>", ("include", "a.h", True, False)),
        ("\ufeff#include <a.h>", ("include", "a.h", True, False)),
        ("#if __has_include(<a.h>)\n#endif", ("has_include", "a.h", True, False)),
        ('#if X && __has_include_next( "a.h" )\n#endif', ("has_include_next", "a.h", False, False)),
        ("#if 0\n#elif __has_include(HEADER)\n#endif", ("has_include", "HEADER", False, True)),
    ],
)
def test_a_header_is_named(source: str, expected: tuple[str, str, bool, bool]) -> None:
    (found,) = of(source).directives
    assert (found.kind, found.spelling, found.angled, found.computed) == expected
    assert found.enters == (not expected[0].startswith("has_"))


@pytest.mark.parametrize(
    "source",
    [
        "// #include <a>",
        "/*\n#include <a>\n*/",
        'R"(\n#include <a>\n)"',
        '"\\\n#include <a>"',
        "// \\\n#include <a>",
        "#define X \\\n#include <a>",
        "x #include <a>",
        "#ifdef __has_include\n#endif",
        "#if defined(__has_include)\n#endif",
    ],
)
def test_no_header_is_named(source: str) -> None:
    assert of(source).directives == ()


def test_inclusions_know_their_place_and_arm() -> None:
    found = of(
        "#include <a>\n#if X\n  #include <b>\n#elif __has_include(<c>)\n#else\n#include <d>\n#endif\n#include <e>"
    )
    assert [(item.spelling, item.line, item.column, item.arm) for item in found.directives] == [
        ("a", 1, 1, NO_ARM),
        ("b", 3, 3, 0),
        ("c", 4, 7, NO_ARM),
        ("d", 6, 1, 2),
        ("e", 8, 1, NO_ARM),
    ]


def test_an_inclusion_of_nothing_is_a_defect() -> None:
    assert [(item.line, item.message) for item in of("\n#include // x\n").defects] == [(2, "#include names no header")]


# --- conditionals ----------------------------------------------------------------------------------------------------


def test_the_tree_of_arms() -> None:
    found = of("#if A\n#ifdef B\nx\n#endif\n#elifndef C\ny\n#else\nz\n#endif\nw\n#ifndef D\n#endif\n")
    assert [
        (arm.kind, arm.condition, arm.start_line, arm.end_line, arm.parent, arm.group) for arm in found.conditionals
    ] == [
        ("if", "A", 1, 5, NO_ARM, 0),
        ("ifdef", "B", 2, 4, 0, 1),
        ("elifndef", "C", 5, 7, NO_ARM, 0),
        ("else", "", 7, 9, NO_ARM, 0),
        ("ifndef", "D", 11, 12, NO_ARM, 2),
    ]
    assert {name: found.arm_of(found.occurrences(name)[0][0]) for name in "xyzwABC"} == {
        "x": 1,
        "y": 2,
        "z": 3,
        "w": NO_ARM,
        "A": NO_ARM,
        "B": 0,
        "C": NO_ARM,
    }
    assert found.defects == ()


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("defined( A )&&B>2", "defined(A) && B > 2"),
        ("defined /* c */ A \\\n || ! B // c", "defined A || !B"),
        ("A( x,y )", "A(x, y)"),
    ],
)
def test_conditions_have_a_normal_form(written: str, normal: str) -> None:
    assert of(f"#if {written}\n#endif").conditionals[0].condition == normal


def test_what_must_hold_for_an_arm() -> None:
    found = of("#ifdef A\n#elif B || C\n#else\n#if !D\n#else\n#endif\n#endif")
    assert [found.condition(index) for index in range(5)] == [
        "defined(A)",
        "!defined(A) && (B || C)",
        "!defined(A) && !(B || C)",
        "!defined(A) && !(B || C) && !D",
        "!defined(A) && !(B || C) && D",
    ]


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("#endif", 1, "#endif without #if"),
        ("\n#else", 2, "#else without #if"),
        ("#elif X", 1, "#elif without #if"),
        ("#if A\n#else\n#elif B\n#endif", 3, "#elif after #else"),
        ("#if A\n#else\n#else\n#endif", 3, "#else after #else"),
        ("\n#if A\n#else\n", 2, "the conditional group has no #endif"),
        ("#if\n#endif", 1, "#if without a condition"),
        ("#ifdef // X\n#endif", 1, "#ifdef without a condition"),
        ("#define\n", 1, "#define names no macro"),
        ("x\n/* y", 2, "a comment or raw string runs into the end of the file"),
        ('x\nR"(y', 2, "a comment or raw string runs into the end of the file"),
    ],
)
def test_defects(source: str, line: int, message: str) -> None:
    assert [(item.line, item.message) for item in of(source).defects] == [(line, message)]


def test_an_open_group_reaches_to_the_end() -> None:
    found = of("#if A\nx\n")
    assert (found.conditionals[0].end, found.conditionals[0].end_line) == (8, 3)
    assert found.arm_of(6) == 0


# --- guards and prologues --------------------------------------------------------------------------------------------

GUARDED = "#ifndef G\n#define G\n#include <a>\nint x;\n#endif // G\n"


@pytest.mark.parametrize(
    "source",
    [
        GUARDED,
        "// c\n" + GUARDED,
        "#pragma once\n" + GUARDED,
        GUARDED.replace("#ifndef G", "#if !defined(G)"),
        GUARDED.replace("#ifndef G", "#if !defined G"),
        GUARDED.replace("#define G", "#define G 1"),
        GUARDED.replace("#define G", "#pragma once\n#define G"),
        "#ifndef G\n#define G\n#endif",
    ],
)
def test_an_include_guard(source: str) -> None:
    found = of(source)
    assert found.guard_macro == "G"
    assert [arm.guard for arm in found.conditionals] == [True]
    assert found.condition(0) == ""


@pytest.mark.parametrize(
    "source",
    [
        "int y;\n" + GUARDED,
        GUARDED + "int y;\n",
        GUARDED + "#include <b>\n",
        "#include <b>\n" + GUARDED,
        GUARDED.replace("#endif", "#else\n#endif"),
        GUARDED.replace("#define G", "#define H"),
        GUARDED.replace("#define G", "#define G(x)"),
        GUARDED.replace("#define G", "int y;\n#define G"),
        GUARDED.replace("#define G\n", "#include <b>\n#define G\n"),
        GUARDED.replace("#ifndef", "#ifdef"),
        GUARDED + "#ifdef X\n#endif\n",
        GUARDED.replace("#endif", ""),
    ],
)
def test_no_include_guard(source: str) -> None:
    found = of(source)
    assert found.guard_macro is None
    assert not any(arm.guard for arm in found.conditionals)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#pragma once\n", True),
        ("#ifndef G\n#define G\n#  pragma  once // c\n#endif", True),
        ("#if X\n#pragma once\n#endif", False),
        ("// #pragma once", False),
        ("#pragma once_more", False),
        ("#pragma omp once", False),
    ],
)
def test_pragma_once(source: str, expected: bool) -> None:
    assert of(source).pragma_once is expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("// c\n#include <a>\n", LeadingInclude(0, ())),
        ("\ufeff#pragma once\n\n#include <a>\n#include <b>", LeadingInclude(0, ())),
        (GUARDED, LeadingInclude(0, ("G",))),
        ("int x;\n#include <a>", None),
        ("#define X\n#include <a>", None),
        ("#undef X\n#include <a>", None),
        ("#if X\n#include <a>\n#endif", None),
        ("#if X\n#endif\n#include <a>", None),
        ("#pragma pack(1)\n#include <a>", None),
        ("#import <a>", None),
        ("#include_next <a>", None),
        ("#ifndef G\n#define G\n#include <a>\n#endif\nint x;", None),
        (";\n#include <a>", None),
        ("int x;", None),
    ],
)
def test_the_leading_include(source: str, expected: LeadingInclude | None) -> None:
    assert of(source).leading_include() == expected


def test_the_prologue_ends_with_the_first_inclusion_or_code() -> None:
    found = of("#pragma once\n#ifndef G\n#define G 1\n#if X > 1\n#define Y\n#endif\nint x;\n#include <a>\n#endif")
    assert [(item.kind, item.text, item.line) for item in found.prologue] == [
        ("pragma once", "", 1),
        ("guard", "G", 2),
        ("guard", "G 1", 3),
        ("if", "X > 1", 4),
        ("define", "Y", 5),
        ("endif", "", 6),
        ("code", "int", 7),
    ]


# --- macros ----------------------------------------------------------------------------------------------------------


def test_macro_definitions() -> None:
    source = (
        "#define A\n#define B  x + /* c */ y // z\n#define C(p, q, ...) p \\\n  q\n#define D (x)\n#define E\\\n(p)\n"
    )
    found = of(source)
    assert [
        (item.name, item.parameters if item.function_like else None, item.line, source[item.body_start : item.body_end])
        for item in found.macro_definitions
    ] == [
        ("A", None, 1, ""),
        ("B", None, 2, "x + /* c */ y"),
        ("C", ("p", "q", "..."), 3, "p \\\n  q"),
        ("D", None, 5, "(x)"),
        ("E", ("p",), 6, ""),
    ]
    assert source[found.macro_definitions[2].offset] == "C"


def test_macro_removals() -> None:
    (found,) = of("#if X\n  #undef A\n#endif").undefs
    assert (found.name, found.line, found.arm) == ("A", 2, 0)


# --- identifiers -----------------------------------------------------------------------------------------------------


def test_identifiers_are_those_outside_comments_literals_and_header_names() -> None:
    source = (
        '// w\n/* w */ "w" \'w\' R"(w)" L"w"\n#include <w>\n#include "w"\nw; #w\n#error w\n#if w\n#define x w\n#endif'
    )
    assert [of(source).location(offset)[0] for offset, _ in of(source).occurrences("w")] == [5, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("w;", TokenFlag(0)),
        ("a.w;", TokenFlag.AFTER_MEMBER),
        ("a->w(1)", TokenFlag.AFTER_MEMBER | TokenFlag.BEFORE_CALL),
        ("a /*c*/ -> // d\n w /* e */ ()", TokenFlag.AFTER_MEMBER | TokenFlag.BEFORE_CALL),
        ("a->template w<1>()", TokenFlag.AFTER_MEMBER),
        ("a.template w<1>()", TokenFlag.AFTER_MEMBER),
        ("A::w", TokenFlag.AFTER_SCOPE),
        ("A::template w<1>", TokenFlag.AFTER_SCOPE),
        ("a->*w", TokenFlag(0)),
        ("a-\\\n>w", TokenFlag.AFTER_MEMBER),
        ("#define M w", TokenFlag.IN_DIRECTIVE | TokenFlag.IN_MACRO_BODY),
        ("#define w(x)", TokenFlag.IN_DIRECTIVE),
        ("#define M(w)", TokenFlag.IN_DIRECTIVE),
        ("#undef w", TokenFlag.IN_DIRECTIVE),
        ("#pragma w", TokenFlag.IN_DIRECTIVE),
        ("#if w > 1\n#endif", TokenFlag.IN_DIRECTIVE | TokenFlag.IN_CONDITION),
        ("#ifdef w\n#endif", TokenFlag.IN_DIRECTIVE | TokenFlag.IN_CONDITION),
        ("#define M(x) #x #w", TokenFlag.IN_DIRECTIVE | TokenFlag.IN_MACRO_BODY | TokenFlag.STRINGIFIED),
        ("#define M #w", TokenFlag.IN_DIRECTIVE | TokenFlag.IN_MACRO_BODY),
        ("#define M(x) w##x", TokenFlag.IN_DIRECTIVE | TokenFlag.IN_MACRO_BODY | TokenFlag.PASTED),
        ("#define M(x) x %:%: w", TokenFlag.IN_DIRECTIVE | TokenFlag.IN_MACRO_BODY | TokenFlag.PASTED),
        (
            "#define M(x) \\\n  x->w()",
            TokenFlag.IN_DIRECTIVE | TokenFlag.IN_MACRO_BODY | TokenFlag.AFTER_MEMBER | TokenFlag.BEFORE_CALL,
        ),
    ],
)
def test_flags(source: str, expected: TokenFlag) -> None:
    assert flags(source, "w") == [expected]


def test_neighbours_reach_across_directives() -> None:
    assert flags("a->\n#define X\n#include <y>\nw\n#undef X\n(1)", "w") == [
        TokenFlag.AFTER_MEMBER | TokenFlag.BEFORE_CALL
    ]


def test_neighbours_of_arms_are_those_of_the_taken_arm() -> None:
    source = "a->\n#if A\nu\n#elif B\nv\n#else\n#ifdef C\nw\n#else\nx\n#endif\n#endif\n(1)"
    both = TokenFlag.AFTER_MEMBER | TokenFlag.BEFORE_CALL
    assert [flags(source, name) for name in "uvwx"] == [[both]] * 4


def test_an_empty_arm_leaves_the_neighbours_alone() -> None:
    assert flags("a->\n#if A\nu()\n#else\n#endif\n; w", "w") == [TokenFlag(0)]
    assert flags("a->\n#if A\nu()\n#else\n#endif\n; w", "u") == [TokenFlag.AFTER_MEMBER | TokenFlag.BEFORE_CALL]


def test_one_name_in_several_spellings() -> None:
    assert len(of("é \\u00e9 w\\\n1").occurrences("é")) == 2
    assert len(of("é \\u00e9 w\\\n1").occurrences("w1")) == 1


def test_occurrences_of_an_unknown_name() -> None:
    assert of("a b").occurrences("c") == []


def test_occurrences_among_many_names() -> None:
    names = [f"n{index}" for index in range(700)]
    found = of(" ".join(names + names))
    assert all([offset for offset, _ in found.occurrences(name)] for name in names)
    assert [len(found.occurrences(name)) for name in names] == [2] * 700


# --- unevaluated operands --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "operands"),
    [
        ("decltype(a->b()) c;", [("decltype", "a->b()")]),
        ("sizeof(a[1]) + b", [("sizeof", "a[1]")]),
        ("sizeof(a)->b[1] + c", [("sizeof", "(a)->b[1]")]),
        ("sizeof *p + q", [("sizeof", "*p")]),
        ("sizeof a.b::c(d) < e", [("sizeof", "a.b::c(d)")]),
        ("sizeof ::a + b", [("sizeof", "::a")]),
        ("sizeof...(Pack)", [("sizeof", "Pack")]),
        ("alignof(T) _Alignof(U) __alignof__(V)", [("alignof", "T"), ("alignof", "U"), ("alignof", "V")]),
        ("void f() noexcept(g(x));", [("noexcept", "g(x)")]),
        ("void f() noexcept;", []),
        ("noexcept(noexcept(f()))", [("noexcept", "noexcept(f())"), ("noexcept", "f()")]),
        ("typeid(*p).name()", [("typeid", "*p")]),
        ("#define M(x) decltype(x)", [("decltype", "x")]),
        ("decltype(auto) f()", [("decltype", "auto")]),
        ("x = requires { p->q(); };", [("requires", "{ p->q(); }")]),
        ("x = requires(T t) { t.q(); };", [("requires", "(T t) { t.q(); }")]),
        ("template<class T> requires C<T> && D<T, A<1>>::value void f();", [("requires", "C<T> && D<T, A<1>>::value")]),
        ("void f() requires (C<T>) { p->q(); }", [("requires", "(C<T>)")]),
        ("void f() && requires (C<T>) { p->q(); }", [("requires", "(C<T>)")]),
        ("void f() requires C<T> { p->q(); }", [("requires", "C<T>")]),
        (
            "template<class T> requires requires(T t) { t.q(); } void f();",
            [("requires", "requires(T t) { t.q(); }"), ("requires", "(T t) { t.q(); }")],
        ),
        ("x = C<T> && requires(T t) { t.q(); };", [("requires", "(T t) { t.q(); }")]),
        ("decltype(", []),
        ("decltype(a } )", []),
        ("decltype(\n#if A\na)\n#else\nb)\n#endif\nc", []),
        ("sizeof", []),
        ("// decltype(a)", []),
        ("sizeof sizeof a", [("sizeof", "a")]),
        ("offsetof(T, a.b) + c", [("offsetof", "T, a.b")]),
        ("offsetof(T, a[p->b()])", []),
        ("using a::b, typename C::d; e", [("using", "a::b, typename C::d")]),
        ("using ::a; using Bases::f...;", [("using", "::a"), ("using", "Bases::f...")]),
        ("using a = b; using namespace c; using enum D;", []),
        ("using A<f()>::b;", []),
    ],
)
def test_unevaluated_operands(source: str, operands: list[tuple[str, str]]) -> None:
    assert [(item.operator, source[item.start : item.end]) for item in of(source).unevaluated] == operands


def test_typeid_yields_to_what_is_certainly_unevaluated() -> None:
    source = "typeid(decltype(a){} + b); decltype(typeid(c))"
    found = of(source)
    assert [found.unevaluated_at(source.index(name)) for name in ("a)", "b)", "c)", ";")] == [
        "decltype",
        "typeid",
        "decltype",
        None,
    ]


@pytest.mark.parametrize(
    "unit", ["#if A\n", "#endif\n", "decltype(", "requires A<", "sizeof ", "(", "#define A(\n", "#else\n"]
)
def test_deep_nesting_does_not_blow_up(unit: str) -> None:
    assert of(unit * 5_000).size == len(unit) * 5_000
