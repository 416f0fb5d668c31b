"""Whatever is written into a configuration, it loads or every problem has a line of the file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mgaudit.config.loader import load
from mgaudit.config.show import render
from mgaudit.domain.problems import UntrustedError
from mgaudit.gates.registry import PARAMETERS

VALID = """\
schema = 1
extends = []
required-version = ">=0.0.1"

[tree]
name = "minigl"
root = "."
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h"]
exclude = []

[[configuration]]
name = "split"
required = true
standard = "c++20"
include-dirs = ["src"]
defines = ["MG_SPLIT=1"]
force-includes = ["a.h"]
stub-headers = { "cxxabi.h" = "namespace abi {}" }
missing-headers = "error"

[zone.state]
paths = ["src/state/**"]
namespaces = ["mg::state"]
[zone.backend.gles]
paths = ["src/backend/**"]

[verbs]
tables = ["mg::Table"]

[limits]
unit-seconds = 60

[[catalogue]]
name = "reads"
columns = ["accessor", "mutator", "publishers", "verb", "class", "field"]
rows = [
    { accessor = "A", class = 1 },
]
[[catalogue]]
name = "calls"
file = "src/calls.def"
list = "LIST"
columns = ["name"]

[[gate]]
id = "A"
kind = "include-purity"
from = ["backend.gles"]
forbid = ["state"]
headers = true
severity = "error"
configurations = ["split"]
baseline = "baselines/A.txt"
exempt = [
    { edge = "src/a.h -> src/b.h", count = 2, reason = "why" },
    { path = "src/a.h", reason = "why" },
]

[[gate]]
id = "R"
kind = "reads"
from = ["backend.gles"]
of = ["state"]
catalogue = "reads"
calls-catalogue = "calls"
fill = { verbs = "reads", fields = "reads" }

[[gate]]
id = "M"
kind = "dirty-surface"
entry = ["backend.gles"]
of = ["state"]
catalogue = "reads"
[gate.publishers]
NEW_RENDER = { counters = ["m_version"] }

[[gate]]
id = "P"
kind = "closure-probe"
header = "src/a.h"
token-limits = { glslang = 2 }

[[gate]]
id = "B"
kind = "symbol-purity"
sources = { from = ["backend.gles"], forbid = ["state"] }

[effects.memcpy]
writes = [0]
"""
LINES = VALID.splitlines(keepends=True)
PAIRS = [n for n, line in enumerate(LINES) if " = " in line and not line.startswith((" ", "exempt", "rows"))]
VALUES = ["true", "false", "0", "1", "-1", "1.5", "nan", "1979-05-27", '""', '" "', "[]", "{}", "[[]]", "[{}]", "[1]"]
VALUES += [
    '"\\u0000"',
    '"../x"',
    '"/abs"',
    '"*"',
    '"re:("',
    '["["]',
    '[""]',
    '["state"]',
    '"reads"',
    "{ a = {} }",
    "[true]",
]
VALUES += [
    '{ "" = "" }',
    '"split"',
    '"x -> y"',
    '[{ reason = "r" }]',
    "'''\n\n'''",
    "[\n1,\n\n[]]",
    '"mgaudit.toml"',
    '["."]',
]


def read(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mgaudit.toml"
        file.write_text(text, encoding="utf-8", newline="", errors="surrogateescape")
        found = None
        try:
            render(load(file, PARAMETERS))
        except UntrustedError as error:
            found = error.problems
    assert found is None or found
    for problem in found or ():
        assert problem.path in {"mgaudit.toml", "<configuration>/mgaudit.toml"}  # the latter beside another root
        assert 1 <= problem.line <= text.count("\n") + 1
        assert problem.message
        assert "\n" not in problem.message + problem.help


def test_the_seed_is_valid(tmp_path: Path) -> None:
    file = tmp_path / "mgaudit.toml"
    file.write_text(VALID)

    assert len(load(file, PARAMETERS).gates) == 6


@settings(max_examples=250, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PAIRS), st.sampled_from(VALUES)), min_size=1, max_size=4))
def test_other_values(changes: list[tuple[int, str]]) -> None:
    lines = list(LINES)
    for number, value in changes:
        lines[number] = f"{lines[number].split(' = ')[0]} = {value}\n"
    read("".join(lines))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["drop", "double", "swap"]), st.integers(0, len(LINES) - 1)), max_size=5))
def test_other_lines(changes: list[tuple[str, int]]) -> None:
    lines = list(LINES)
    for change, number in changes:
        index = number % len(lines)
        if change == "drop":
            del lines[index]
        elif change == "double":
            lines.insert(index, lines[index])
        else:
            lines[index], lines[index - 1] = lines[index - 1], lines[index]
    read("".join(lines))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(VALID) - 1), st.sampled_from('="[]{}.,#\n\\ \0x1é\ud800')), min_size=1, max_size=6
    )
)
def test_other_characters(changes: list[tuple[int, str]]) -> None:
    text = list(VALID)
    for position, character in changes:
        text[position] = character
    read("".join(text).replace("\ud800", "\udc80"))
