from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mgaudit.sources.lexer import identifier_name, is_unterminated, tokenize, tokenize_exactly

FRAGMENTS = [
    *("a", "x1", "pCtx", "R", "u8", "L", "_x", "$", "é", "\u00a0", "\u0301", "\\u00e9", "\\U000000e9", "\\u{e9}"),
    *("0", "1e+5", "10'000", "0x1p-3", ".5", "5_km", "'", '"', "''", "'a'", '"s"', '"s"sv', '"%"PRIu64', '""_x'),
    *('R"(', ')"', 'R"d(', ')d"', 'u8R"(x)"', 'R"(a)b)"', 'LR"(\\\n)"', 'R"x y(', "L'c'", 'u"\\""', '"\\\\"'),
    *("//", "/*", "*/", "/", "*", "/**/", "// c\\\n", "\\\n", "\\ \n", "\\\r\n", "\\\r", "\\", "\n", "\r\n", "\r"),
    *(" ", "\t", "\v", "\f", "\0", "\ufeff", "#", "##", "%:", "%:%:", "<:", ":>", "<::", "<::>", "<%", "%>", "??/"),
    *("include", "#include", "#include <a/b.h>", '#include "a"', "#include <a//b>", "# include_next<x>", "#import <y>"),
    *("#include /**/ <z'>", "__has_include(", "__has_include", "(", ")", "<", ">", "#if 0", "#define", "embed", "\n#"),
    *(
        "::",
        "->",
        "->*",
        ".",
        "...",
        ".*",
        "<=>",
        "<<=",
        ">>",
        "+",
        "&&",
        "@",
        "`",
        "\x01",
        "\x7f",
        "template",
        "sizeof",
    ),
]
SOURCES = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map(lambda parts: "".join(parts).encode())


def kinds(source: str | bytes) -> list[tuple[str, str]]:
    """Significant tokens without line ends."""
    data = source.encode() if isinstance(source, str) else source
    tokens = tokenize(data)
    assert tokens == tokenize_exactly(data)
    assert b"".join(tokens.texts) == data
    return [
        (chr(kind), text.decode("utf-8", "replace"))
        for kind, text in zip(tokens.shape, tokens.texts, strict=True)
        if chr(kind) not in " /\n"
    ]


def texts(source: str | bytes) -> list[str]:
    return [text for _, text in kinds(source)]


@given(SOURCES)
def test_tokens_tile_the_input_and_both_lexers_agree(data: bytes) -> None:
    tokens = tokenize(data)
    assert b"".join(tokens.texts) == data
    assert list(tokens.starts) == [sum(map(len, tokens.texts[:i])) for i in range(len(tokens.texts))]
    assert tokenize_exactly(data) == tokens


@given(st.binary(max_size=200))
def test_any_bytes_are_tiled_and_both_lexers_agree(data: bytes) -> None:
    tokens = tokenize(data)
    assert b"".join(tokens.texts) == data
    assert tokenize_exactly(data) == tokens


@given(SOURCES, SOURCES)
def test_a_line_end_never_joins_identifiers(left: bytes, right: bytes) -> None:
    assume(not left.rstrip().endswith(b"\\"))  # which would continue the line
    found = tokenize(left + b"\nwatched\n" + right)
    assert all(
        text == b"watched" or kind != ord("i")
        for text, kind in zip(found.texts, found.shape, strict=True)
        if text.endswith(b"watched") and kind == ord("i")
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a // b \\\n c\nd", ["a", "d"]),
        ("a // b \\\r\n c\r\nd", ["a", "d"]),
        ("a // b \\ \t\n c\nd", ["a", "d"]),
        ("a // b \\x c\nd", ["a", "d"]),
        ("a /\\\n/ b\nc", ["a", "c"]),
        ("a /* b \n * / */ c", ["a", "c"]),
        ("a /\\\n* b *\\\n/ c", ["a", "c"]),
        ("a/**/b/***/c/****/d", ["a", "b", "c", "d"]),
        ("a /*/ b */ c", ["a", "c"]),
        ("a // what ??/\nb", ["a", "b"]),
    ],
)
def test_comments(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r'"a\"b" c', [("s", r'"a\"b"'), ("i", "c")]),
        (r'"a\\" c', [("s", r'"a\\"'), ("i", "c")]),
        ('"a\\\nb" c', [("s", '"a\\\nb"'), ("i", "c")]),
        ('"a\\\\\n" c" d', [("s", '"a\\\\\n" c"'), ("i", "d")]),
        ('u8"x" u"x" U"x" L"x"', [("s", 'u8"x"'), ("s", 'u"x"'), ("s", 'U"x"'), ("s", 'L"x"')]),
        ("u8'x' L'\\'' 'ab'", [("c", "u8'x'"), ("c", "L'\\''"), ("c", "'ab'")]),
        ('fooL"x"', [("i", "fooL"), ("s", '"x"')]),
        ('"x"_y', [("s", '"x"_y')]),
        ('"x"sv;', [("s", '"x"sv'), (";", ";")]),
        ('"%"PRIu64', [("s", '"%"'), ("i", "PRIu64")]),
        ('operator""_x(a)', [("i", "operator"), ("s", '""_x'), ("(", "("), ("i", "a"), (")", ")")]),
        ('operator"" _x', [("i", "operator"), ("s", '""'), ("i", "_x")]),
    ],
)
def test_literals(source: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(source) == expected


@pytest.mark.parametrize(
    "literal",
    [
        'R"(a " b \\)"',
        'R"x(a)" )y" )x"',
        'u8R"(\n// c\n)"',
        'LR"()"',
        'R"(\\\n)"',
        'R"-(a)-"_suffix',
        'R\\\n"(a\\\n"b)"',
        'R"(#include <x>)"',
    ],
)
def test_raw_strings(literal: str) -> None:
    assert kinds(f"a {literal} b") == [("i", "a"), ("s", literal), ("i", "b")]


@pytest.mark.parametrize("quote", ["'", '"', 'L"', "u8'", 'R"bad delimiter'])
def test_an_unterminated_literal_ends_at_the_line_end(quote: str) -> None:
    assert kinds(f"a {quote}rest\nb") == [("i", "a"), ("o", f"{quote}rest"), ("i", "b")]


@pytest.mark.parametrize("opening", ["/* x", 'R"(x', 'R"d(x)"', "/*/", 'R"(a"', "/\\\n* x"])
def test_an_unterminated_comment_or_raw_string_runs_to_the_end(opening: str) -> None:
    tokens = tokenize(f"a {opening}\nb".encode())
    assert tokens.texts[-1] == f"{opening}\nb".encode()
    assert is_unterminated(tokens.texts[-1])


@pytest.mark.parametrize("closed", ["/* x */", "/**/", 'R"(x)"', 'R"d(x)d"', "// x", "/\\\n* x *\\\n/"])
def test_a_closed_comment_or_raw_string_is_terminated(closed: str) -> None:
    assert not is_unterminated(closed.encode())


@pytest.mark.parametrize(
    "number", ["10'000", "0x1p-3", "1e+5", ".5", "1.f", "0b1'0", "5_km", "0xE+1", "1'000'000ull", "1\\\n0", "1é"]
)
def test_numbers_are_one_token(number: str) -> None:
    assert kinds(f"a {number};") == [("i", "a"), ("n", number), (";", ";")]


def test_a_digit_separator_is_no_character_literal() -> None:
    assert texts("f(1'000, pCtx, 2'000)") == ["f", "(", "1'000", ",", "pCtx", ",", "2'000", ")"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a<::b>", ["a", "<", "::", "b", ">"]),
        ("a<::>b", ["a", "<:", ":>", "b"]),
        ("a<:::b", ["a", "<:", "::", "b"]),
        ("a->*b", ["a", "->*", "b"]),
        ("a->b", ["a", "->", "b"]),
        ("a-\\\n>b", ["a", "-\\\n>", "b"]),
        ("a<=>b", ["a", "<=>", "b"]),
        ("a>>=b", ["a", ">>=", "b"]),
        ("a...b", ["a", "...", "b"]),
        ("a..b", ["a", ".", ".", "b"]),
        ("x%:%:y", ["x", "%:%:", "y"]),
    ],
)
def test_punctuators(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


def test_digraphs_have_the_kind_of_what_they_spell() -> None:
    assert kinds("%: %:%: <% %> <: :>") == [
        ("#", "%:"),
        ("@", "%:%:"),
        ("{", "<%"),
        ("}", "%>"),
        ("[", "<:"),
        ("]", ":>"),
    ]


@pytest.mark.parametrize(
    ("written", "name"),
    [("ab\\\ncd", "abcd"), ("a\\u00e9b", "aéb"), ("a\\U000000e9", "aé"), ("\\u{e9}", "é"), ("é", "é"), ("a$b", "a$b")],
)
def test_identifier_names(written: str, name: str) -> None:
    assert kinds(f"({written})") == [("(", "("), ("i", written), (")", ")")]
    assert identifier_name(written.encode()) == name


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\0", "\v"])
def test_what_compilers_take_for_white_space_separates_identifiers(space: str) -> None:
    assert texts(f"pCtx{space}x") == ["pCtx", "x"]


def test_bytes_that_are_no_text_do_not_hide_an_identifier() -> None:
    assert ("i", "pCtx") in kinds(b"pCtx\xff\xfe pCtx\x80")
    assert [text for kind, text in kinds(b"a\xffpCtx\xc3(") if kind == "i"] == ["a", "pCtx"]


@pytest.mark.parametrize(
    ("source", "header"),
    [
        ("#include <a/b.h>", "<a/b.h>"),
        ('#include "a\\b.h"', '"a\\b.h"'),
        ("#include <a//b.h>\n", "<a//b.h>"),
        ("#include <it's>", "<it's>"),
        ("#include/* */<x>", "<x>"),
        ("#/* */include <x>", "<x>"),
        ("/* */ # include_next <x>", "<x>"),
        ("#import <x>", "<x>"),
        ("%:include <x>", "<x>"),
        ("#include \\\n <x>", "<x>"),
        ("#inc\\\nlude <x>", "<x>"),
        ("#include <x \\\n y>", "<x \\\n y>"),
        ("#if __has_include(<x//y>)", "<x//y>"),
        ('#elif __has_include_next ("x")', '"x"'),
    ],
)
def test_header_names(source: str, header: str) -> None:
    assert ("h", header) in kinds(source)


@pytest.mark.parametrize("source", ["a # include <x>", "x; #include <y>", "#define F # include <x>", "include <x>"])
def test_no_header_name_outside_an_inclusion(source: str) -> None:
    assert "h" not in [kind for kind, _ in kinds(source)]


def test_a_byte_order_mark_is_white_space_at_the_start() -> None:
    assert kinds(b"\xef\xbb\xbf#include <x>") == [("#", "#"), ("i", "include"), ("h", "<x>")]


@pytest.mark.parametrize(
    "unit", ['R"(', 'R"d(', "/*", "//\\\n", "\\\n", "\\ ", "'", '"', "*/", "a\\\n", "\u00a0a", "<"]
)
@pytest.mark.parametrize("opening", ["", "a\\\nb "])
def test_repetition_does_not_blow_up(unit: str, opening: str) -> None:
    data = (opening + unit * 20_000).encode()
    assert b"".join(tokenize(data).texts) == data
