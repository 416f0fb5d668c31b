"""Headers of nothing but scoped enumerations, and what could give their words another meaning."""

from __future__ import annotations

import pytest

from mgaudit.sources.enumerations import meddling, read_enumerations, readings
from mgaudit.sources.scanner import scan

COLOURS = "namespace n { enum class Colour { Red, Green = 4, Last = Green, None = -1 }; }\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#pragma once\n" + COLOURS, {"Colour"}),
        ("// what\n#pragma once\n/* and\nwhy */ enum class A : unsigned char { B /* , */, C, };\n", {"A"}),
        ("#ifndef N_H\n#define N_H\n" + COLOURS + "#endif\n", {"Colour", "N_H"}),
        ("#if !defined(N_H)\n#define N_H\nenum struct A { B };\nenum class C {};\n#endif\n", {"A", "C", "N_H"}),
        (
            "#pragma once\nnamespace a { namespace b { enum class A { B = 0x1Fu }; } enum class C { D }; }\n",
            {"A", "b", "C"},
        ),
    ],
)
def test_is_read(text: str, names: set[str]) -> None:
    found = read_enumerations(text.encode(), scan(text.encode()))
    assert found is not None
    assert found.names == names


def test_has_all_its_words() -> None:
    text = b"#pragma once\n" + COLOURS.encode()
    found = read_enumerations(text, scan(text))
    assert found is not None
    assert found.words == {"namespace", "n", "enum", "class", "Colour", "Red", "Green", "Last", "None"}


@pytest.mark.parametrize(
    "text",
    [
        COLOURS,  # not once
        "#pragma once\n",
        "#pragma once\nnamespace n {}\n",
        "#pragma once\nenum Colour { Red };\n",
        "#pragma once\nenum class Colour;\n",
        "#pragma once\nenum class Colour : Small { Red };\n",
        "#pragma once\nenum class Colour { Red = Other };\n",
        "#pragma once\nenum class Colour { Red = Green, Green };\n",
        "#pragma once\nenum class Colour { Red = of(1) };\n",
        "#pragma once\nenum class Colour { Red = 1_small };\n",
        "#pragma once\nenum class Colour { Red Green };\n",
        "#pragma once\nenum class [[mine]] Colour { Red };\n",
        "#pragma once\nenum class Colour { Red } favourite;\n",
        "#pragma once\ninline namespace n { enum class Colour { Red }; }\n",
        "#pragma once\nnamespace { enum class Colour { Red }; }\n",
        "#pragma once\nnamespace n { enum class Colour { Red };\n",
        "#pragma once\nenum class Colour { Red }; }\n",
        "#pragma once\nenum class Colour { Red };\nint n;\n",
        "#pragma once\n#define N 1\nenum class Colour { Red };\n",
        "#pragma once\n#undef N\nenum class Colour { Red };\n",
        "#pragma once\n#pragma pack(1)\nenum class Colour { Red };\n",
        "#pragma once\n#if N\nenum class Colour { Red };\n#endif\n",
        "#pragma once\n#include <other.h>\nenum class Colour { Red };\n",
        "#ifndef N_H\n#define N_H\n#define N 1\nenum class Colour { Red };\n#endif\n",
        "#pragma once\nenum class Colour { Re\\\nd };\n",
    ],
)
def test_is_something_else(text: str) -> None:
    assert read_enumerations(text.encode(), scan(text.encode())) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#define Red 1\n", ["Red"]),
        (" # \tundef Red\n%:define Green(x) x\n", ["Red", "Green"]),
        ("#/* a\n*/define\\\n/**/ Red\n", ["Red"]),
        ("inline  namespace Red { }", ["Red"]),
        ("inline/**/namespace __attribute__((weak)) Red { }", ["Red"]),
        ("inline namespace v1 { namespace Green { } }", ["Green"]),
        ("inline namespace v1 { int Red; namespace other { Green g; } }", []),
        ("#define Redder Red\n#ifdef Red\nint Red;\n", []),
        ("namespace Red { }", []),
        ("inline namespace v1 { } namespace // namespace, too\nother { }", []),
    ],
)
def test_meddling(text: str, found: list[str]) -> None:
    assert meddling({"Red", "Green", "namespace"})(text.encode()) == [word.encode() for word in found]


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("struct Re\\\n\\ \r\nd;\n", "struct Red;\n"),
        ("#def\\\nine /\\\n* */ Red\n", "#define /* */ Red\n"),
        ("??=define Re??/\nd\n", "#define Red\n"),
        ("#define Green \\\n  Red\n", None),
    ],
)
def test_tokens_may_go_on_in_the_next_line(text: str, joined: str | None) -> None:
    assert list(readings(text.encode())) == [text.encode(), *([joined.encode()] if joined else [])]
