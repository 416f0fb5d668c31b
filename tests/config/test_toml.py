from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgaudit.config.toml import Node, TomlError, parse, places

FILE = Path("/tree/mgaudit.toml")

DOCUMENT = b"""\
schema = 1
# a comment with [brackets]
[tree]
name = "x"          # trailing
sources = [
    "a",            # the first

    # between
    "b", "c",
]
[zone."a.b"]
paths = []
[zone.backend.gles]
paths = ["g"]
[[gate]]
id = "A"
a.b = { x = 1, y = [ { z = 1 },
  { z = 2 } ] }
[gate.publishers]
NEW = { counters = ["m"] }
[[gate]]
id = "B"
text = '''
[not.a.table]
'''
[gate.publishers]
OLD = {}
[[gate.deep]]
q = 1
[[gate.deep]]
q = 2
"""


def test_every_key_item_and_table_has_its_line() -> None:
    where = {path: line for path, (line, _) in places(DOCUMENT).items()}

    assert where[("schema",)] == 1
    assert where[("tree",)] == 3
    assert where[("tree", "sources")] == 5
    assert where[("tree", "sources", 0)] == 6
    assert where[("tree", "sources", 1)] == where[("tree", "sources", 2)] == 9
    assert where[("zone", "a.b", "paths")] == 12
    assert where[("zone", "backend", "gles")] == 13
    assert where[("gate", 0)] == 15
    assert where[("gate", 0, "a", "b", "y", 1)] == 18
    assert where[("gate", 0, "publishers", "NEW", "counters", 0)] == 20
    assert where[("gate", 1)] == 21
    assert where[("gate", 1, "publishers", "OLD")] == 27
    assert where[("gate", 1, "deep", 0, "q")] == 29
    assert where[("gate", 1, "deep", 1, "q")] == 31
    assert ("not", "a", "table") not in where


def test_columns_are_one_based_bytes() -> None:
    where = places('a = { ü = 1, "b c" = 2 }\n'.encode())

    assert where[("a",)] == (1, 1)
    assert where[("a", "b c")] == (1, 15)


def test_values_are_those_of_the_standard_reader() -> None:
    node = parse(DOCUMENT, FILE)

    assert node.table["gate"].items[1].table["text"].value == "[not.a.table]\n"
    assert node.table["gate"].items[0].table["a"].plain() == {"b": {"x": 1, "y": [{"z": 1}, {"z": 2}]}}
    assert node.table["tree"].table["name"].file == FILE


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_byte_order_marks_and_line_endings_move_no_line(ending: str, mark: bytes) -> None:
    node = parse(mark + ending.join(["a = 1", "", "[t]", "b = 2", ""]).encode(), FILE)

    assert (node.table["a"].line, node.table["t"].line, node.table["t"].table["b"].line) == (1, 3, 4)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a = 1\nb = \n", 2),
        (b"a = 1\na = 2\n", 2),
        (b"a = 1\n[t\n", 2),
        (b"[t]\nx = 1\n[t]\n", 3),
        (b"a = [1,\n2", 2),
        (b'a = """x\n\n', 2),
        (b"a = 1\nb = '\xff'\n", 2),
        (b"a = 1\n\nb = 2020-13-01\n", 3),
        (b'a = 1\nb = "\\ud800"\n', 2),
        (b"a = 1\nb = '\x00'\n", 2),
        (b"a = " + b"[" * 100_000, 1),
        (b"a = " + b"9" * 5000, 1),
    ],
)
def test_what_is_no_toml_has_a_line(content: bytes, line: int) -> None:
    with pytest.raises(TomlError) as caught:
        parse(content, FILE)

    assert caught.value.line == line
    assert "\n" not in caught.value.message


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_line_of_theirs(content: bytes) -> None:
    line = 1
    try:
        parse(content, FILE)
    except TomlError as error:
        line = error.line
    assert 1 <= line <= content.count(b"\n") + 1


scalars = st.one_of(
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), inner, max_size=3),
    ),
    max_leaves=12,
)


def spelled(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(c):08x}" for c in value) + '"'
    if isinstance(value, list):
        return "[\n" + "".join(f"  {spelled(item)},  # item\n" for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{spelled(k)} = {spelled(v)}" for k, v in value.items()) + " }"
    return str(value)


def lines(node: Node) -> list[int]:
    inner = [*node.items, *node.table.values()]
    return [node.line, *(line for member in inner for line in lines(member))]


@given(st.lists(values, max_size=4))
def test_every_value_lies_within_its_own_lines(items: list[object]) -> None:
    text, spans = "", []
    for index, item in enumerate(items):
        start = text.count("\n") + 1
        text += f"k{index} = {spelled(item)}\n"
        spans.append((start, text.count("\n")))

    document = parse(text.encode(), FILE)

    for index, (first, last) in enumerate(spans):
        found = lines(document.table[f"k{index}"])
        assert found[0] == first
        assert all(first <= line <= last for line in found)
        assert found == sorted(found)
