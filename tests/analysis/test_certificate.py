from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mgaudit.analysis.certificate import FileCertificate, certificates
from mgaudit.config.loader import load
from mgaudit.domain.certificate import Standing
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from pathlib import Path

TOML = """\
schema = 1
[tree]
sources = ["src/*.cpp"]
headers = ["src/*.h"]
[[configuration]]
name = "a"
defines = ["A=1"]
[[configuration]]
name = "b"
defines = ["B=1"]
"""
A, B, ANY = 1, 2, 3


def certified(tmp_path: Path, files: dict[str, str]) -> dict[str, FileCertificate]:
    for name, text in {"mgaudit.toml": TOML, **{f"src/{name}": text for name, text in files.items()}}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, newline="")
    analysis = analyse(load(tmp_path / "mgaudit.toml", PARAMETERS), Options(cache=tmp_path / "cache"))
    paths = analysis.files.files
    syntax = {path: view for path in paths if (view := analysis.syntax.of(path)) is not None}
    return {item.path.removeprefix("src/"): item for item in certificates(analysis.facts, paths, syntax)}


def said(text: str, certificate: FileCertificate, configurations: int = ANY) -> dict[str, tuple[Standing, str]]:
    """Of each line's first byte, who vouches for it and why not both."""
    found, offset = {}, 0
    for line in text.splitlines(keepends=True):
        stretch = certificate.at(offset)
        found[line.strip()] = (stretch.standing(configurations), stretch.reason(configurations))
        offset += len(line)
    return found


def test_a_line_is_vouched_for_in_each_configuration_by_who_sees_it(tmp_path: Path) -> None:
    code = "int always;\n#if A\nint one;\n#elif B\nint two;\n#else\nint none;\n#endif\n"
    found = certified(tmp_path, {"a.cpp": code})["a.cpp"]
    both, syntax = (Standing.BOTH, ""), Standing.SYNTAX
    of_a, of_b, union = (said(code, found, mask) for mask in (A, B, ANY))
    assert of_a["int always;"] == of_b["int always;"] == of_a["int one;"] == of_b["int two;"] == both
    assert of_b["int one;"] == (syntax, "the configuration does not take the arm A")
    assert of_a["int two;"] == (syntax, "the configuration does not take the arm !A && B")
    assert union["int one;"] == union["int two;"] == both
    assert union["int none;"] == (syntax, "no configuration takes the arm !A && !B")


def test_what_the_scanner_cannot_parse_is_the_front_ends_alone_or_nobodys(tmp_path: Path) -> None:
    broken = "int f() { return x ) ( ; }\n"
    code = f"#define OPEN {{\nint early;\nint g() OPEN return 1; }}\n#if NEVER\n{broken}#endif\nint late;\n"
    found = certified(tmp_path, {"a.cpp": code})["a.cpp"]
    standings = {stretch.standing(ANY) for stretch in found.stretches}
    assert {Standing.FRONT_END, Standing.NONE} <= standings
    doubtful = [stretch for stretch in found.stretches if stretch.standing(ANY) is Standing.NONE]
    assert {"no configuration takes the arm NEVER" in stretch.reason(ANY) for stretch in doubtful} == {True}
    assert found.at(code.index("early")).standing(ANY) is Standing.BOTH


def test_code_that_a_macro_makes_is_the_front_ends_alone(tmp_path: Path) -> None:
    code = (
        "#define MAKE(n) int n() { return 1; }\nMAKE(made);\n#define TYPE(n) struct n {}\nTYPE(Made);\n"
        "int plain() { return 2; }\n"
    )
    found = said(code, certified(tmp_path, {"a.cpp": code})["a.cpp"])
    for line, kind in (("MAKE(made);", "function"), ("TYPE(Made);", "struct")):
        standing, reason = found[line]
        assert standing is Standing.FRONT_END
        assert f"defines a {kind} here that the syntax scanner does not show" in reason
    assert found["int plain() { return 2; }"] == (Standing.BOTH, "")


def test_a_function_that_the_front_end_does_not_declare_has_one_witness_at_most(tmp_path: Path) -> None:
    code = "#define ghost(x) ; struct Made\nint ghost(int a) { int b; };\nint real(int a) { return a; }\n"
    found = said(code, certified(tmp_path, {"a.cpp": code})["a.cpp"])
    standing, reason = found["int ghost(int a) { int b; };"]
    assert standing in {Standing.SYNTAX, Standing.NONE}
    assert "the front end declares no such function" in reason
    assert found["int real(int a) { return a; }"] == (Standing.BOTH, "")


def test_after_an_error_the_front_end_vouches_for_nothing(tmp_path: Path) -> None:
    files = {
        "shared.h": "#pragma once\nint shared();\n",
        "bad.cpp": '#include "shared.h"\nint f() { return nothing; }\n',
        "good.cpp": '#include "shared.h"\nint g() { return shared(); }\n',
        "lost.cpp": '#include "gone.h"\nint h();\n#include "only.h"\n',
        "only.h": "#pragma once\nint only();\n",
    }
    found = certified(tmp_path, files)
    reasons = {name: {stretch.reason(ANY) for stretch in item.stretches} for name, item in found.items()}
    failing = {"every unit that takes it has errors"}
    assert reasons == {
        "bad.cpp": failing, "lost.cpp": failing, "only.h": failing, "good.cpp": {""}, "shared.h": {""},
    }  # fmt: skip


def test_a_file_that_no_unit_enters_is_the_scanners_alone(tmp_path: Path) -> None:
    found = certified(tmp_path, {"a.cpp": "int a;\n", "lone.h": "#pragma once\nint lone();\n"})
    assert {stretch.standing(ANY) for stretch in found["a.cpp"].stretches} == {Standing.BOTH}
    (stretch,) = found["lone.h"].stretches
    assert (stretch.standing(ANY), stretch.reason(ANY)) == (Standing.SYNTAX, "no translation unit enters the file")


def test_a_taken_arm_that_begins_with_one_that_is_not(tmp_path: Path) -> None:
    code = "#if A\n#if NEVER\nint never;\n#endif\n#define TAKEN\n#endif\n"
    found = said(code, certified(tmp_path, {"a.cpp": code})["a.cpp"])
    assert found["#define TAKEN"] == (Standing.BOTH, "")
    assert found["int never;"] == (Standing.SYNTAX, "no configuration takes the arm A && NEVER")


PIECES = st.sampled_from(
    ["#if A\n", "#ifdef NEVER\n", "#elif B\n", "#else\n", "#endif\n", "int f() { return 1; }\n", "M(x) {\n", "}\n",
     "int v;", "\n", "\r\n", "/* ", "*/", 'R"(', ')"', "class X Y {};\n", "a.b<0>(c);\n", "\\\n", "\u00e4", "#"]
)  # fmt: skip


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(PIECES, max_size=14))
def test_every_byte_is_in_exactly_one_range(tmp_path: Path, pieces: list[str]) -> None:
    text = "".join(pieces)
    item = certified(tmp_path, {"a.cpp": text})["a.cpp"]
    size = len(text.encode())
    ends = [0, *(stretch.end for stretch in item.stretches)]
    assert (item.size, ends[-1]) == (size, size)
    assert [stretch.start for stretch in item.stretches] == ends[:-1]
    for configurations in (A, B, ANY):
        assert sum(item.bytes_by(configurations).values()) == size
        for stretch in item.stretches:
            assert bool(stretch.reason(configurations)) is (stretch.standing(configurations) is not Standing.BOTH)


@pytest.mark.parametrize("text", ["", "\n", "int a;"])
def test_small_files(tmp_path: Path, text: str) -> None:
    item = certified(tmp_path, {"a.cpp": text, "b.cpp": "int b;\n"})["a.cpp"]
    assert sum(stretch.size for stretch in item.stretches) == len(text)
