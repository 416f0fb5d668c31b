"""What of a macro's name a text holds, and whether preprocessing could make the name of it."""

from __future__ import annotations

import pytest

from mgaudit.sources.macros import Flags, Parts, differing

NAME = "FEATURE_A"
FLAGS = ("-x", "c++", "-std=c++20", "-I", "/tree")


def is_seen(text: str, name: str = NAME) -> bool:
    parts = Parts([name])
    return parts.are_seen(parts.of(text.encode()))


@pytest.mark.parametrize(
    "text",
    [
        "FEATURE_A", "// FEATURE_A", '"FEATURE_A"', "FEAT\\\nURE_A", "FEAT\\ \r\nURE_A", "FEAT??/\nURE_A",
        "FEATURE_ A", "FEATURE _A", "FEATU RE A _", "FEAT TURE_A URE_ A", "F E A T U R _", "A FEATURE",
        "FEA\\\nTURE _A", 'FEATURE_ R"(A)"', 'FEATURE_ "f(A)"', 'FEATURE_ "A', "FEATURE_ ' A\n", 'FEATURE_ ""A',
        "FEATURE_ // ??/\n A", "FEATURE_ ??' A ??'", "FEATURE_$A", "FEATURE_ 1.A",
        'FEATURE_ "f/**/(A)"', 'FEATURE_ L"f (A)"', 'FEATURE_ "f\\\n(A)"', "FEATURE_ 1p+'a')A('b'", "FEATURE_ 'ab A'",
        '#if 0\n#include <a/*b>\n"*/ "/*"\n#endif\nFEATURE_ A\n// */', "FEATURE_ /* *\\\n\r/ A /* */",
        "FEATURE_\n#define H __has_include(<it's.h>) A '", "FEATURE_\n#inclu\\\nde <a'b> A '",
    ],
)  # fmt: skip
def test_a_name_is_seen_where_it_stands_or_can_be_made(text: str) -> None:
    assert is_seen(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "FEATURE_AB", "XFEATURE_A", "FEATURE_", "FEATURE_ // A", "FEATURE_ /* A */", 'FEATURE_ "A"', "FEATURE_ 'A'",
        "FEATUR A _", "A FEATURE_B", 'FEATURE_ u8"A"',
    ],
)  # fmt: skip
def test_a_name_is_not_seen_where_a_part_of_it_is_no_token(text: str) -> None:
    assert not is_seen(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [("FEATURE_2", "FEATURE_"), ("FEATURE_UL", "FEATURE_"), ("A__B", "A"), ("long", "__SIZE_TYPE__"), ("L", "")],
)
def test_the_front_end_has_tokens_of_its_own(name: str, text: str) -> None:
    assert is_seen(text, name)


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ([], ["-DA"], {"A"}),
        (["-DA"], ["-UA"], {"A"}),
        (["-DA", "-UA"], ["-UA", "-DA"], {"A"}),
        (["-DA=1", "-DB"], ["-DB"], {"A"}),
        (["-DA"], ["-DA"], set()),
        (["-DA", "-DB"], ["-DB", "-DA"], None),
        ([], ["-DA=a b"], None),
        ([], ["-DA=//"], None),
        ([], ["-DA(x)"], None),
        ([], ["-D_A"], None),
        ([], ["-Dé"], None),
        ([], ["-Ddefined"], None),
        (["-std=c++11"], ["-std=c++14"], None),
        (["-std=c++98"], ["-std=c++98", "-DA"], None),
        (["-std=gnu++14"], ["-std=gnu++14", "-DA"], None),
        (["-ansi"], ["-ansi", "-DA"], None),
        (["-DX A+"], ["-DX A+", "-DA"], None),
        (["-DX(a)=a"], ["-DX(a)=a", "-DA"], None),
        (["-DX=/*", "-DY=*/ 5"], ["-DX=/*", '-DA="*/ 7 + /*"', "-DY=*/ 5"], None),
        (["-fno-raw-string-literals"], ["-fno-raw-string-literals", "-DA"], None),
        (["-imacros", "a"], ["-imacros", "a", "-DA"], None),
        (["-iwithsysroot", "-DA"], ["-iwithsysroot", "-DB"], None),
        (["-Xclang", "-include", "-Xclang", "-DA"], ["-Xclang", "-include", "-Xclang", "-DB"], None),
    ],
)
def test_flags_differ_in_macros_alone_or_nobody_can_tell(
    one: list[str], other: list[str], names: set[str] | None
) -> None:
    assert differing(Flags.of((*FLAGS, *one)), Flags.of((*FLAGS, *other))) == names


def test_another_language_is_not_understood() -> None:
    assert differing(Flags.of(("-x", "c")), Flags.of(("-x", "c", "-DA"))) is None
