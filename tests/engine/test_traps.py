"""The traps that produce a false green, one class each; numbers as in the list of traps that the project keeps."""

from __future__ import annotations

import json
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest
import tree_sitter
import tree_sitter_cpp

from mgaudit.analysis.unresolved import unresolved
from mgaudit.engine.judge import judge
from mgaudit.sources import records
from mgaudit.sources.indexer import _Collector
from mgaudit.sources.symbols import SymbolTable

if TYPE_CHECKING:
    from mgaudit.engine.pipeline import Analysis
    from tests.engine.conftest import Tree

PURITY = '\n[[gate]]\nid = "A"\nkind = "include-purity"\nfrom = ["backend"]\nforbid = ["state"]\n'
READS = (
    '\n[[catalogue]]\nname = "reads"\ncolumns = ["accessor", "call"]\nrows = [{ accessor = "width", call = "X" }]\n'
    '[[gate]]\nid = "R"\nkind = "reads"\nfrom = ["backend"]\nof = ["state"]\ncatalogue = "reads"\n'
)
CONTEXT = "#pragma once\nnamespace state { struct Context { int width, get() const; int* begin(); int* end(); }; }\n"


@pytest.fixture
def zoned(empty: Tree) -> Tree:
    """A tree with a state and a backend; nothing crosses."""
    empty.settings += PURITY
    empty.write("src/state/context.h", CONTEXT)
    empty.write("src/state/context.cpp", "#include <state/context.h>\n")
    empty.write("src/backend/draw.cpp", "int draw() { return 1; }\n")
    return empty


def uses(analysis: Analysis, name: str) -> list[tuple[str, int, int]]:
    facts = analysis.facts
    symbols = [symbol.id for symbol in facts.symbols_named(name)]
    return [(row.path, row.line, row.column) for row in facts.references_to(symbols)]


class TestTrap1SwallowedExceptions:
    @pytest.mark.parametrize(
        ("asked", "question"), [(SymbolTable, "of_entity"), (_Collector, "declared"), (_Collector, "inclusion")]
    )
    def test_an_exception_in_a_callback_ends_the_run(
        self,
        zoned: Tree,
        asked: type,
        question: str,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        def fail(*_: object) -> None:
            raise LookupError("lost")

        zoned.write(
            "src/backend/draw.cpp", "#include <state/context.h>\nint d(state::Context& c) { return c.width; }\n"
        )
        monkeypatch.setattr(asked, question, fail)
        with pytest.raises(LookupError, match="lost"):
            zoned.analyse()
        assert capfd.readouterr() == ("", "")
        monkeypatch.undo()
        assert judge(zoned.analyse()).exit_code == 1


class TestTrap2FatalErrors:
    @pytest.mark.parametrize(
        "text",
        ['#include "none.h"\n', "int d() { return nothing; }\n", "template <class T> int t(T x) {", "#error"],
    )
    def test_an_error_in_an_audited_file_is_no_green(self, zoned: Tree, text: str) -> None:
        zoned.write("src/backend/draw.cpp", text)
        report = judge(zoned.analyse())
        assert (report.trusted, report.exit_code) == (False, 2)
        assert {problem.path for problem in report.errors} == {"src/backend/draw.cpp"}

    def test_an_error_in_a_header_is_none_either(self, zoned: Tree) -> None:
        zoned.write("src/backend/draw.h", "struct D { Missing m; int kept; };\n")
        zoned.write("src/backend/draw.cpp", "#include <backend/draw.h>\nint d(D x) { return x.kept; }\n")
        report = judge(zoned.analyse())
        assert report.exit_code == 2
        assert {problem.path for problem in report.errors} == {"src/backend/draw.h"}

    def test_what_follows_a_missing_header_is_still_seen(self, zoned: Tree) -> None:
        zoned.write("src/backend/draw.cpp", '#include "none.h"\n#include <state/context.h>\n')
        report = judge(zoned.analyse())
        assert [(f.path, f.line) for f in report.findings if f.gate == "A"] == [("src/backend/draw.cpp", 2)]


class TestTrap3ParsedButWrong:
    def test_code_that_a_syntax_tree_misreads_is_read_by_the_front_end(self, zoned: Tree) -> None:
        zoned.write(
            "src/backend/draw.cpp",
            "#include <state/context.h>\n#define EXPORT\nclass EXPORT Foo { public:\n"
            "template <int N> int parse(state::Context& c) { return c.width; } };\n"
            "int d(Foo doc, state::Context& c) { return doc.parse<0>(c); }\n",
        )
        after = zoned.analyse()
        assert set(uses(after, "state::Context::width")) == {("src/backend/draw.cpp", 4, 58)}
        assert uses(after, "Foo::parse") == [("src/backend/draw.cpp", 5, 48)]
        assert "Foo" in {symbol.qualified for symbol in after.facts.symbols_named("Foo")}


class TestTrap4GuardedSecondInclude:
    @pytest.mark.parametrize("order", [0, 1])
    def test_an_edge_stays_whichever_inclusion_comes_first(self, zoned: Tree, order: int) -> None:
        zoned.write("src/a.h", "#pragma once\n#include <state/context.h>\n")
        zoned.write("src/b.h", "#pragma once\n#include <state/context.h>\n")
        lines = ["#include <a.h>\n", "#include <b.h>\n"]
        zoned.write("src/backend/draw.cpp", "".join(lines[::-1] if order else lines))
        facts = zoned.analyse().facts
        (unit,) = [unit for unit in facts.units if unit.name.path == "src/backend/draw.cpp"]
        edges = [facts.edges[edge] for edge in facts.edges_of(unit)]
        leading = sorted(edge.source for edge in edges if edge.target == "src/state/context.h")
        assert leading == ["src/a.h", "src/b.h"]


class TestTrap5BaseNamesInUsrs:
    def test_internal_functions_of_equal_base_names_are_apart(self, empty: Tree) -> None:
        empty.write("src/one/impl.cpp", "static int s() { return 1; }\nint one() { return s(); }\n")
        empty.write("src/two/impl.cpp", "static int s() { return 2; }\nint two() { return s(); }\n")
        empty.write("src/three/impl.cpp", "namespace {\nint s() { return 3; } }\nint three() { return s(); }\n")
        facts = empty.analyse().facts
        symbols = facts.symbols_named("s")
        assert len(symbols) == 3
        for symbol in symbols:
            used = {row.path for row in facts.references_to([symbol.id])}
            assert {row.path for row in facts.declarations_of([symbol.id])} == used
            assert len(used) == 1


class TestTrap6DependentCode:
    def test_a_member_without_referent_is_listed(self, zoned: Tree) -> None:
        text = "template <class T> int t(T& x) {\nreturn x.width + x.get(); }\n"
        zoned.write("src/backend/draw.cpp", text)
        facts = zoned.analyse().facts
        assert [(u.line, u.name) for u in unresolved(facts, ["src/backend/draw.cpp"])] == [(2, "width"), (2, "get")]
        zoned.write(
            "src/backend/draw.cpp", text + "#include <state/context.h>\nint u(state::Context& c) { return t(c); }\n"
        )
        after = zoned.analyse()
        assert unresolved(after.facts, ["src/backend/draw.cpp"]) == []
        assert uses(after, "state::Context::width") == [("src/backend/draw.cpp", 2, 10)]


class TestTrap7Macros:
    def test_a_use_in_a_body_lies_at_the_expansion(self, zoned: Tree) -> None:
        zoned.write("src/backend/m.h", "#define W(c) (c).width\n#define SAME(x) x\n")
        zoned.write(
            "src/backend/draw.cpp",
            "#include <state/context.h>\n#include <backend/m.h>\n"
            "int d(state::Context& c) {\nreturn W(c)\n+ SAME(c.width); }\n",
        )
        facts = zoned.analyse().facts
        (symbol,) = facts.symbols_named("Context::width")
        rows = [(r.line, r.column, bool(r.role & records.ROLE_FROM_MACRO)) for r in facts.references_to([symbol.id])]
        assert rows == [(4, 8, True), (5, 10, False)]


class TestTrap8IncludedCode:
    def test_a_fragment_is_code_of_each_place_that_includes_it(self, zoned: Tree) -> None:
        zoned.write("src/backend/rows.inc", "int NAME(state::Context& c) { return c.FIELD; }\n")
        zoned.write(
            "src/backend/draw.cpp",
            "#include <state/context.h>\nnamespace in {\n#define NAME a\n#define FIELD width\n"
            "#include <backend/rows.inc>\n"
            "#undef NAME\n#undef FIELD\n#define NAME b\n#define FIELD get()\n#include <backend/rows.inc>\n}\n",
        )
        after = zoned.analyse()
        assert after.problems == ()
        assert uses(after, "state::Context::width") == [("src/backend/rows.inc", 1, 40)]
        assert uses(after, "state::Context::get") == [("src/backend/rows.inc", 1, 40)]
        assert [symbol.qualified for symbol in after.facts.symbols_named("b")] == ["in::b"]
        edges = [e for e in after.facts.edges.values() if e.target == "src/backend/rows.inc"]
        assert sorted(edge.line for edge in edges) == [5, 10]


class TestTrap9OtherArms:
    def test_each_configuration_is_parsed_and_what_none_takes_is_known(self, zoned: Tree) -> None:
        zoned.settings += (
            '[[configuration]]\nname = "more"\nstandard = "c++20"\ninclude-dirs = ["src"]\ndefines = ["MORE"]\n'
        )
        zoned.write(
            "src/backend/draw.cpp",
            "#include <state/context.h>\nint d(state::Context& c) {\n#if defined(NEVER)\nreturn c.get();\n"
            "#elif defined(MORE)\nreturn c.width;\n#else\nreturn 0;\n#endif\n}\n",
        )
        facts = zoned.analyse().facts
        (width,) = facts.symbols_named("Context::width")
        assert [(r.line, facts.names_of(r.mask)) for r in facts.references_to([width.id])] == [(6, ("more",))]
        skipped = list(facts.skipped(["src/backend/draw.cpp"])["src/backend/draw.cpp"].values())
        assert len(skipped) == 2
        assert all(any(first <= 4 <= last for first, last in ranges) for ranges in skipped)
        assert facts.scans["src/backend/draw.cpp"].occurrences("get")


class TestTrap10DroppedUses:
    @pytest.mark.parametrize(
        ("statement", "name"),
        [
            ("auto& [w, x] = p; w = 5;", "Pair::first"), ("Pair q = p;", "Pair::Pair"),
            ("p = Pair{};", "Pair::operator="),
            ("for (int i : c) (void)i;", "Context::begin"), ("c.width += 1;", "Context::width"),
        ],
    )  # fmt: skip
    def test_they_are_found_where_a_gate_observes(self, zoned: Tree, statement: str, name: str) -> None:
        zoned.settings += READS
        zoned.write("src/state/context.h", CONTEXT + "struct Pair { int first, second; };\n")
        zoned.write(
            "src/backend/draw.cpp",
            f"#include <state/context.h>\nvoid d(state::Context& c, Pair& p) {{\n{statement} }}\n",
        )
        after = zoned.analyse()
        assert after.facts.diagnostics() == []
        assert 3 in {line for _, line, _ in uses(after, name)}

    def test_a_compound_assignment_reads_and_writes(self, zoned: Tree) -> None:
        zoned.write("src/backend/draw.cpp", "#include <state/context.h>\nvoid d(state::Context& c) { c.width += 1; }\n")
        facts = zoned.analyse().facts
        (symbol,) = facts.symbols_named("Context::width")
        assert [row.role & 24 for row in facts.references_to([symbol.id])] == [24]


class TestTrap11CompileCommands:
    def test_a_header_alone_is_cpp(self, zoned: Tree) -> None:
        zoned.write(
            "src/backend/lone.h", "#pragma once\nnamespace n { class C { public: virtual ~C() = default; }; }\n"
        )
        after = zoned.analyse()
        assert [unit.name.path for unit in after.facts.units if unit.name.kind == "header"] == ["src/backend/lone.h"]
        assert after.facts.diagnostics() == []
        assert [symbol.kind for symbol in after.facts.symbols_named("n::C")] == ["class"]

    def test_flags_of_real_commands(self, zoned: Tree) -> None:
        zoned.write("src/odd folder/odd.h", "#pragma once\nint odd();\n")
        zoned.write("src/forced.h", "#pragma once\n#define FORCED 1\n")
        zoned.write("flags.rsp", '-DFROM_FILE "-Iodd folder"\n')
        zoned.write(
            "src/backend/draw.cpp",
            "#include <odd.h>\n#if FORCED && defined(FROM_FILE)\nint d() { return odd(); }\n#endif\n",
        )
        command = "c++ -mllvm -polly -flto -fno-such-thing-of-gcc -include forced.h @../flags.rsp -c backend/draw.cpp"
        zoned.write("src/compile_commands.json", _database(directory=".", command=command, file="backend/draw.cpp"))
        zoned.settings = zoned.settings.replace(
            'include-dirs = ["src/first", "src"]',
            'include-dirs = ["src"]\ncompile-commands = "src/compile_commands.json"',
        )
        after = zoned.analyse()
        assert after.facts.diagnostics() == []
        assert uses(after, "odd") == [("src/backend/draw.cpp", 3, 18)]


def _database(**entry: Any) -> str:
    return json.dumps([entry])


class TestTrap12AncestorWalks:
    def test_the_pinned_parser_survives_them(self) -> None:
        assert tuple(map(int, metadata.version("tree-sitter").split(".")[:2])) < (0, 26)
        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
        tree = parser.parse(b"namespace a { struct S { int f() { return g(1, (2)); } }; }\n" * 50)
        node: tree_sitter.Node | None = tree.root_node.descendant_for_byte_range(50, 51)
        kinds = []
        while node is not None:
            kinds.append(node.type)
            node = node.parent
        assert kinds[-1] == "translation_unit"
        assert "function_definition" in kinds
