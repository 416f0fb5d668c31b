from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mgaudit.config.model import CatalogueSpec, InlineRow
from mgaudit.domain.problems import UntrustedError
from mgaudit.sources.catalogues import read_inline, read_list
from mgaudit.sources.catalogues_rows import union

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mgaudit.domain.problems import Problem
    from mgaudit.sources.catalogues import Catalogue, Row


def spec(columns: Sequence[str] = ("accessor", "call"), rows: tuple[InlineRow, ...] = ()) -> CatalogueSpec:
    file = None if rows else "src/Coverage.def"
    return CatalogueSpec("reads", tuple(columns), file, None if rows else "LIST", rows, "mgaudit.toml", 7)


def read(
    text: str, columns: Sequence[str] = ("accessor", "call"), is_active: Callable[[int], bool] | None = None
) -> Catalogue:
    return read_list(spec(columns), "src/Coverage.def", text.encode(), is_active)


def values(text: str, columns: Sequence[str] = ("accessor", "call")) -> list[tuple[str, ...]]:
    return [(*row.values, *row.extra) for row in read(text, columns).rows]


def faults(text: str) -> list[tuple[int, str]]:
    with pytest.raises(UntrustedError) as caught:
        read(text)
    return [(problem.line, problem.message) for problem in caught.value.problems]


ROWS = r"""// X(NotARow, InAComment)
#define OTHER(X) X(NotThis, List)
#define LIST(X)                    \
    X(First, A|B)   /* X(Gone) */  \
  /* a comment                     \
     of two lines */               \
    X(                             \
        Second(Target::Index),     \
        "one, \"two\" " "three)",  \
        kGrown, 2                  \
    )                              \
    X(the draw's index, don't ask) X(Third::Fourth<int>, NA("why, (so)"))
#define AFTER(X) X(NorThis, List)
"""


def test_rows_are_read_as_the_preprocessor_would() -> None:
    assert values(ROWS) == [
        ("First", "A|B"),
        ("Second(Target::Index)", 'one, "two" three)', "kGrown", "2"),
        ("the draw's index", "don't ask"),
        ("Third::Fourth<int>", 'NA("why, (so)")'),
    ]


def test_rows_know_where_they_are() -> None:
    assert [(row.line, row.column) for row in read(ROWS).rows] == [(4, 5), (7, 5), (12, 5), (12, 36)]


def test_columns_have_names_and_may_grow() -> None:
    first, second, *_ = read(ROWS, ("accessor", "call", "wait")).rows
    assert (first.get("wait"), second.get("wait"), second.extra) == (None, "kGrown", ("2",))
    assert (first.key, first.get("accessor"), first.get("unknown")) == ("First", "First", None)
    assert first.union("call") == ("A", "B")


def test_a_column_of_two_names_is_split_at_its_last_scope() -> None:
    text = "#define LIST(X) X(mg::impl::Draw::State::Set, REPLAYED) X(Bare, NONE)\n"
    rows = read(text, ("function::mutator", "verdict")).rows
    assert [(row.get("function"), row.get("mutator"), row.get("verdict")) for row in rows] == [
        ("mg::impl::Draw::State", "Set", "REPLAYED"), ("Bare", "", "NONE"),
    ]  # fmt: skip


def test_line_ends_of_every_kind() -> None:
    text = ROWS.replace("\n", "\r\n")
    assert values(text) == values(ROWS)
    assert [row.line for row in read(text).rows] == [row.line for row in read(ROWS).rows]


def test_raw_strings_and_strings_across_lines() -> None:
    assert values('#define LIST(X) X(A, R"x(a, ")b)x") X(B, "c\\\nd\\n")\n') == [("A", 'a, ")b'), ("B", "cd\n")]


def test_a_list_may_include_others() -> None:
    text = "#define PART(Y) Y(A, 1)\n#define LIST(X) X(B, 2) PART(X)\n"
    assert values(text) == [("B", "2"), ("A", "1")]
    assert faults("#define LIST(X) X(B, 2) LIST(X)\n") == [(1, "column 25: `LIST` opens no row of LIST")]
    assert faults("#define PART(Y) Y(A, 1)\n#define LIST(X) PART(Z)\n") == [
        (2, "column 17: `PART` opens no row of LIST")
    ]


def test_several_lists_share_a_file() -> None:
    text = "#define LIST(X) X(A, 1)\n#define LIST_MORE(X) X(B, 2)\n"
    assert values(text) == [("A", "1")]


ARMS = "#if SPLIT\n#define LIST(X) X(A, 1)\n#else\n#define LIST(X) X(A, 2)\n#endif\n"


def test_only_definitions_that_a_configuration_takes_count() -> None:
    in_else = ARMS.index("#else")
    assert [row.values for row in read(ARMS, is_active=lambda offset: offset > in_else).rows] == [("A", "2")]
    both = read(ARMS).rows
    assert [(row.values, row.definition) for row in both] == [(("A", "1"), 0), (("A", "2"), 1)]
    with pytest.raises(UntrustedError, match="no configuration takes"):
        read(ARMS, is_active=lambda _: False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define LIST(X) \\\n  X(A, B) \\\n  Y(C, D)\n", [(3, "column 3: `Y` opens no row of LIST")]),
        ("#define LIST(X) \\\n  X(A, B), X(C, D)\n", [(2, "column 10: `,` opens no row")]),
        ("#define LIST(X) X(A, B) stray\n", [(1, "column 25: `stray` opens no row")]),
        (
            "#define LIST(X) \\\n  X(A, (B)\n#define M(X) X(C, D)\n",
            [(2, "column 3: the row of `X` has no closing parenthesis")],
        ),
        ('#define LIST(X) X(A, "B)\n', [(1, "column 22: a string literal has no end")]),
        ("#define LIST(X) X(, B)\n", [(1, "column 17: the row's first column is empty")]),
        ("#define LIST(X) X()\n", [(1, "column 17: the row's first column is empty")]),
        (
            "#define LIST(X) \\\n  X(A, B) // why \\\n  X(C, D)\n",
            [(2, "column 11: a `//` comment swallows the rows behind it")],
        ),
        ("#define LIST(X) X(A, B) /* open\n", [(1, "column 25: a comment has no end")]),
        ("#define LIST(X)\n", [(1, "the list LIST has no row")]),
        ("#define LIST(X) // to do\n", [(1, "the list LIST has no row")]),
        ("#define LIST(X)\n/* empty */\n", [(1, "the list LIST has no row")]),
        ("#define LIST(X) /* empty */ Y(A)\n", [(1, "column 29: `Y` opens no row of LIST")]),
        ("#define LIST(X) /* not empty */\n", [(1, "the list LIST has no row")]),
    ],
)  # fmt: skip
def test_malformed_rows_are_never_skipped(text: str, expected: list[tuple[int, str]]) -> None:
    assert faults(text) == expected


@pytest.mark.parametrize("body", [" /* empty */\n", " \\\n  /* empty */ \\\n\n", " // empty\n", "/*empty*/"])
def test_a_list_may_say_that_it_has_no_rows(body: str) -> None:
    assert read(f"#define LIST(X){body}").rows == ()


def test_every_malformed_row_of_a_sound_shape_is_reported() -> None:
    assert [line for line, _ in faults("#define LIST(X) \\\n X(, A) \\\n X(B, C) \\\n X(, D)\n")] == [2, 4]


def test_a_trailing_line_comment_hides_nothing() -> None:
    assert values("#define LIST(X) X(A, B) // the last one\n") == [("A", "B")]


def test_a_list_that_is_none() -> None:
    assert faults("#define LIST X(A, B)\n") == [(1, "LIST is no list: it has no parameter that opens its rows")]
    with pytest.raises(UntrustedError, match=r"mgaudit.toml:7: .* defines no macro LIST .*it defines OTHER"):
        read("#define OTHER(X) X(A, B)\n")


# ---- rows in the configuration


def inline(*rows: Mapping[str, str | int]) -> Catalogue:
    return read_inline(spec(rows=tuple(InlineRow(row, "mgaudit.toml", 10 + at) for at, row in enumerate(rows))))


def test_inline_rows() -> None:
    catalogue = inline({"accessor": "GetViewport", "call": "SetDynamicState"}, {"accessor": "GetScissor"})
    assert [(row.key, row.get("call"), row.path, row.line) for row in catalogue.rows] == [
        ("GetViewport", "SetDynamicState", "mgaudit.toml", 10), ("GetScissor", None, "mgaudit.toml", 11),
    ]  # fmt: skip
    assert catalogue.suggest(accessor="GetDepth") == '{ accessor = "GetDepth", call = "…" }'


def test_inline_rows_without_their_key_or_with_unknown_columns() -> None:
    with pytest.raises(UntrustedError) as caught:
        inline({"call": "A"}, {"accessor": "B", "cal": "C"})
    assert [(problem.line, problem.message) for problem in caught.value.problems] == [
        (10, 'catalogue "reads": a row has no accessor'),
        (11, 'catalogue "reads": a row has the unknown column cal'),
    ]


# ---- random rows come back as they were written

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the machine may be busy
NAMES = st.from_regex(
    r"[A-Za-z_][A-Za-z0-9_]{0,8}(::[A-Za-z_][A-Za-z0-9_]{0,8})?(\([A-Z][A-Za-z0-9_]{0,4}(, [a-z]{1,3})?\))?",
    fullmatch=True,
)
UNIONS = st.lists(st.from_regex(r"k[A-Z][A-Za-z0-9_]{0,6}", fullmatch=True), min_size=1, max_size=4).map("|".join)
PROSE = st.from_regex(r"[a-z]+(('[a-z]{2,4})? [a-z]+){1,4}", fullmatch=True)
TEXTS = st.text(st.sampled_from("ab, ()\"\\|/*'#n"), max_size=12)
CELLS = st.one_of(
    NAMES.map(lambda text: (text, text)),
    UNIONS.map(lambda text: (text, text)),
    PROSE.map(lambda text: (text, text)),
    TEXTS.map(lambda text: ('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"', text)),
)
BLANKS = st.sampled_from(["", " ", "\t", " /* a, b) */ ", "  \\\n   ", " \\ \n", "/* two\\\nlines */"])


@st.composite
def lists(draw: st.DrawFn) -> tuple[str, list[tuple[tuple[str, ...], int, int]]]:
    """The text of a list, and its rows with their lines and columns."""
    text = "#pragma once\n#define LIST(Row) "
    expected = []
    for _ in range(draw(st.integers(1, 6))):
        name = draw(NAMES)
        cells = [(name, name), *draw(st.lists(CELLS, max_size=4))]
        text += draw(BLANKS)
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        written = ",".join(draw(BLANKS) + cell + draw(BLANKS) for cell, _ in cells)
        text += f"Row{draw(st.sampled_from(['', ' ']))}({written}) "
        expected.append((tuple(value for _, value in cells), line, column))
    return text + "\n#define NEXT(Row) Row(No)\n", expected


@PATIENT
@given(lists())
def test_rendered_rows_are_read_back(case: tuple[str, list[tuple[tuple[str, ...], int, int]]]) -> None:
    text, expected = case
    rows = read(text).rows
    assert [((*row.values, *row.extra), row.line, row.column) for row in rows] == expected


@PATIENT
@given(st.lists(st.from_regex(r'[A-Za-z0-9_]+(\("[a|b]*"\))?', fullmatch=True), max_size=5))
def test_unions_come_apart_where_they_were_joined(terms: list[str]) -> None:
    assert union(" | ".join(terms)) == tuple(terms)


@PATIENT
@given(st.binary(max_size=60))
def test_any_bytes_are_rows_or_problems(body: bytes) -> None:
    problems: tuple[Problem, ...] = ()
    rows: tuple[Row, ...] = ()
    try:
        rows = read_list(spec(), "a.def", b"#define LIST(X) " + body, None).rows
    except UntrustedError as error:
        problems = error.problems
    assert bool(rows) != bool(problems)
