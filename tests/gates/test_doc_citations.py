# ruff: noqa: RUF001
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.gates.doc_citations.citations import citations
from mgaudit.gates.doc_citations.resolution import Cited

if TYPE_CHECKING:
    from tests.gates.conftest import Audit

Found = list[tuple[str, list[tuple[int, int]], str]]


def found(text: str, *, code_blocks: bool = True) -> Found:
    cited = citations(text, code_blocks=code_blocks)
    return [(c.path, [(x.first, x.last) for x in c.lines], c.identifier) for c in cited]


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("see src/a.cpp:12.", "src/a.cpp", [(12, 12)]),
        ("`src/a.cpp:12-20`", "src/a.cpp", [(12, 20)]),
        ("(a.cpp:12–20)", "a.cpp", [(12, 20)]),
        ("**src/a-b_c.h:1,5-7,9**", "src/a-b_c.h", [(1, 1), (5, 7), (9, 9)]),
        ("`a.h:1, 5, 7`", "a.h", [(1, 1), (5, 5), (7, 7)]),
        ("a.h:12, 3 times", "a.h", [(12, 12)]),
        ("[x](src/a.cpp#L12-L20)", "src/a.cpp", [(12, 20)]),
        ("error: a.cpp:12:5: no", "a.cpp", [(12, 12)]),
        ("见src/a.cpp:12，以及", "src/a.cpp", [(12, 12)]),
        ("смотри `src/a.cpp:12`", "src/a.cpp", [(12, 12)]),
        ("../a/b.md:3", "../a/b.md", [(3, 3)]),
        ("| a.cpp:3|b |", "a.cpp", [(3, 3)]),
        ("CMakeLists.txt:10", "CMakeLists.txt", [(10, 10)]),
        ("`Makefile:10`", "Makefile", [(10, 10)]),
    ],
)
def test_forms(text: str, path: str, lines: list[tuple[int, int]]) -> None:
    assert [item[:2] for item in found(text)] == [(path, lines)]


@pytest.mark.parametrize(
    "text",
    [
        "at 12:30",
        "http://host.com:8080/a.cpp:12",
        "std::a::b",
        "a ratio of 3:4",
        "`:12` alone",
        "smile :3",
        "v1.2:x",
        "x: 12",
    ],
)
def test_what_is_none(text: str) -> None:
    assert found(text) == []


def test_continuations_belong_to_the_last_path() -> None:
    text = "`a.cpp:1` and `:5`, then `b.h` twice: `:7`, `:8-9`.\n\nAlso a.cpp:3, :4 and :5 :)\n"
    assert [item[:2] for item in found(text)] == [
        ("a.cpp", [(1, 1)]), ("a.cpp", [(5, 5)]), ("b.h", [(7, 7)]), ("b.h", [(8, 9)]), ("a.cpp", [(3, 3)]),
        ("a.cpp", [(4, 4)]), ("a.cpp", [(5, 5)]),
    ]  # fmt: skip
    assert [item[1] for item in found("`a.cpp:1`\n\n## Next\n\n`:5`\n")] == [[(1, 1)]]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("`Foo` (`a.cpp:1`)", "Foo"), ("`ns::Foo::bar()` at a.cpp:1", "bar"), ("`a.cpp:1` (`Foo`)", "Foo"),
        ("`Foo`：`a.cpp:1`", "Foo"), ("`Foo` 位于 a.cpp:1", "Foo"), ("`x->Foo(a, b)`, a.cpp:1", "Foo"),
        ("`Foo` is bad. `a.cpp:1` is good", ""), ("`Foo` eventually reaches a.cpp:1", ""), ("`b.cpp:2`, `a.cpp:1`", ""),
        ("`a + b` a.cpp:1", ""), ("| `Foo` | `a.cpp:1` |", ""), ("- `Foo`\n- `a.cpp:1`", ""),
    ],
)  # fmt: skip
def test_the_identifier_beside_it(text: str, name: str) -> None:
    assert found(text)[-1][2] == name


def test_code_blocks_can_be_left_out() -> None:
    text = "a.h:1\n```\nb.h:2\n``` x\nb.h:3\n```\nc.h:4\n~~~~\n```\nb.h:5\n~~~~\n"
    assert [item[0] for item in found(text, code_blocks=False)] == ["a.h", "c.h"]
    assert len(found(text)) == 5


FILES = {
    "src/a.cpp": b"int Foo() {\n  return 1;\n}\nint Bar;\n",
    "lib/x/a.h": b"one\r\ntwo",
    "src/x/a.h": b"",
    "docs/b.md": b"x\n",
}


def defects(text: str, document: str = "docs/d.md") -> list[tuple[str, tuple[int, ...], str]]:
    cited = Cited(list(FILES), FILES.get)
    return [
        (d.what.split(":")[0], d.moved_to, d.replacement) for c in citations(text) for d in cited.defects(c, document)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/a.cpp:4", []), ("a.cpp:4", []), ("../src/a.cpp:1", []), ("b.md:1", []), ("lib/x/a.h:2", []),
        ("src/a.cpp:5", [("lies behind the end", (), "")]), ("src/a.cpp:0", [("is no range of lines", (), "")]),
        ("src/a.cpp:3-2", [("is no range of lines", (), "")]),
        ("src/b.cpp:1", [("names a file that does not exist", (), "")]),
        ("x/a.h:1", [("may mean any of lib/x/a.h, src/x/a.h", (), "")]), ("host.com:80", []),
        ("`Foo` src/a.cpp:1", []), ("`Foo` src/a.cpp:1-3", []),
        ("`Foo` src/a.cpp:3", [("does not hold `Foo`", (1,), "1")]),
        ("`Bar` src/a.cpp:1-2", [("does not hold `Bar`", (4,), "4-5")]),
        ("`Baz` src/a.cpp:3", [("does not hold `Baz`", (), "")]),
        ("`Bar` src/a.cpp:1,4,9", [("does not hold `Bar`", (4,), "4"), ("lies behind the end", (4,), "4")]),
        ("`int` src/a.cpp:2", [("does not hold `int`", (1, 4), "1")]),
    ],
)  # fmt: skip
def test_defects(text: str, expected: list[tuple[str, tuple[int, ...], str]]) -> None:
    assert defects(text) == expected


def test_two_lines_equally_near_are_no_certain_answer() -> None:
    cited = Cited(["a.h"], lambda _: b"Foo\n\nFoo\n")
    (citation,) = citations("`Foo` a.h:2")
    assert [d.replacement for d in cited.defects(citation, "d.md")] == [""]


GATE = '[[gate]]\nid = "D"\nkind = "doc-citations"\ndocuments = ["docs/**/*.md"]\n'


def tree(text: str) -> dict[str, str]:
    return {"src/state/c.h": "int x;\n", "src/backend/d.cpp": "int Draw() {\n  return 1;\n}\n", "docs/a.md": text}


def test_findings_lie_in_the_document(audit: Audit) -> None:
    report = audit(tree("fine: `d.cpp:1`\n\n见 `Draw`（`src/backend/d.cpp:2`）\n"), GATE)
    (finding,) = report.findings
    assert (finding.path, finding.line, finding.entity) == ("docs/a.md", 3, "src/backend/d.cpp:2")
    assert finding.message == "src/backend/d.cpp:2 does not hold `Draw`; `Draw` is in line 1"
    assert report.gates[0].examined == {"citations": 2, "documents": 1}


def test_documents_that_cite_nothing_or_are_not_there(audit: Audit) -> None:
    assert audit(tree("nothing\n"), GATE).exit_code == 2
    assert audit(tree("d.cpp:1\n"), GATE.replace('"docs/**/*.md"', '"docs/**/*.md", "doc/*.md"')).exit_code == 2


def test_an_unknown_revision(audit: Audit) -> None:
    report = audit(tree("d.cpp:1\n"), GATE + 'revision = "v9"\n')
    assert report.exit_code == 2
    assert "revision" in report.errors[0].message
