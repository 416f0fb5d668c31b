"""Configurations that differ in macros of the command line: only what can see these is parsed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.engine.judge import judge
from mgaudit.engine.twins import Twins
from mgaudit.sources import records
from mgaudit.sources.macros import Parts
from tests.engine.conftest import CONFIGURATION, HEAD
from tests.engine.test_headers import GATE
from tests.engine.test_preambles import FILLER

if TYPE_CHECKING:
    from mgaudit.engine.pipeline import Analysis
    from tests.engine.conftest import Tree

TRIGRAPHS = 'extra-args = ["-trigraphs"]\n'
OTHER_FOLDER = CONFIGURATION.replace('"src/first", ', "")


def configuration(name: str, *, defines: str = "", rest: str = "", text: str = CONFIGURATION) -> str:
    return text.replace("only", name) + f"defines = [{defines}]\n{rest}"


def two(*, first: str = "", second: str = '"FEATURE_A=1"', rest: str = "", more: str = "") -> str:
    return (
        HEAD
        + configuration("first", defines=first, rest=rest)
        + configuration("second", defines=second, rest=rest)
        + more
    )


@pytest.fixture
def pair(tree: Tree) -> Tree:
    """A tree in two configurations, whose macro no file names."""
    tree.settings = two()
    return tree


@pytest.fixture
def one_after_another(pair: Tree) -> Tree:
    """The same, of which the first configuration is known."""
    pair.analyse(configurations=("first",))
    return pair


def parsed(analysis: Analysis, configuration: str = "second") -> list[str]:
    return sorted(u.path for u in analysis.statistics.parsed if u.configuration == configuration)


def facts(tree: Tree, analysis: Analysis) -> dict[str, Any]:
    """All that a run says, but for the names of records."""
    dump = tree.dump_of(analysis)
    return {**dump, "unit": [(unit, preamble) for unit, _, preamble in dump["unit"]]}


def plainly(tree: Tree, **options: Any) -> Analysis:
    """A run that knows nothing and takes each unit by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Twins, "are_equal", lambda *_: False)
        return tree.analyse(cache=tree.cache.parent / f"plain{len(tree.analyses)}", **options)


def checked(tree: Tree, **options: Any) -> list[str]:
    """What is parsed of the second configuration; the facts are those of the plain way, now and from the cache."""
    analysis = tree.analyse(**options)
    expected = facts(tree, plainly(tree, **options))
    assert facts(tree, analysis) == expected
    again = tree.analyse(**options)
    assert not again.statistics.parsed
    assert facts(tree, again) == expected
    return parsed(analysis)


def test_what_no_file_names_is_parsed_once(pair: Tree) -> None:
    assert checked(pair) == []


def test_a_known_configuration_serves_another_one(one_after_another: Tree) -> None:
    analysis = one_after_another.analyse()
    assert list(analysis.statistics.parsed) == []
    assert checked(one_after_another) == []


def test_a_configuration_alone_is_found_in_the_cache_afterwards(pair: Tree) -> None:
    pair.analyse()
    assert not pair.analyse(configurations=("second",)).statistics.parsed


@pytest.mark.parametrize(
    "text",
    [
        "#if FEATURE_A\nint more();\n#endif\n",
        "#ifdef FEATURE_A\nint more();\n#endif\n",
        "#if 0\nint FEATURE_A;\n#endif\n",
        "// FEATURE_A\n",
        "#define M FEATURE_A\nint m[M + 1];\n",
        "#define CAT(a, b) a##b\nint m[CAT(FEATURE, _A) + 1];\n",
        "#define CAT_(a, b, c) a##b##c\n#define CAT(a, b, c) CAT_(a, b, c)\nint m[CAT(FEA, TURE, _A) + 1];\n",
        "#define OF(x) FEATURE_??=??=x\nint m[OF(A) + 1];\n",
        "#if __has_include(FEATURE_A)\n#endif\n",
        "#ifdef FEAT\\\nURE_A\nint more();\n#endif\n",
        "#ifdef FEAT??/\nURE_A\nint more();\n#endif\n",
        '#define AS(x) _Pragma(#x)\nAS(push_macro("FEATURE_A"))\n',
        '#define CAT(a, b) a##b\n_Pragma("pack(CAT(FEATURE_, A))") struct Packed { char c; int i; };\n',
        'int f(const char*);\n#define A 1\n#define CAT(x) FEATURE_##x\nint m = f(""A) + CAT(A);\n',
    ],
)
@pytest.mark.parametrize("file", ["src/a.cpp", "src/state/context.h"])
def test_what_may_see_a_macro_is_parsed_with_it(pair: Tree, file: str, text: str) -> None:
    pair.settings = two(rest=TRIGRAPHS)
    pair.write(file, (pair.root / file).read_text() + text.replace('""A', '""'))
    assert checked(pair) == ["src/a.cpp"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *(("", f'"{text}"') for text in ("__FEATURE_A", "_FEATURE_A", "not", "FEATURE_A=/*", "FEATURE_A(x)=x")),
        ("", '"FEATURE_A=#"'),
        ('"OTHER=FEATURE_A", "FEATURE_A=1"', '"OTHER=FEATURE_A", "FEATURE_A=2"'),
        ('"FEATURE_A=\\"x"', '"FEATURE_A=\\"y"'),
        ('"A=1", "B=2", "FEATURE_A"', '"B=2", "A=1", "FEATURE_A"'),
    ],
)
def test_macros_that_may_mean_more_than_their_names_say_are_seen_by_all(tree: Tree, first: str, second: str) -> None:
    tree.settings = two(first=first, second=second)
    assert parsed(tree.analyse()) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


@pytest.mark.parametrize(
    ("first", "second"),
    [('"FEATURE_A=1"', '"FEATURE_A=2"'), ('"FEATURE_A=1"', ""), ('"FEATURE_A=\\"a b\\""', '"FEATURE_B"')],
)
def test_values_and_removals_count_as_little(tree: Tree, first: str, second: str) -> None:
    tree.settings = two(first=first, second=second)
    assert checked(tree) == []
    tree.write("src/c.cpp", "#if FEATURE_A + 0 == 1\nint c() { return 1; }\n#else\nint d() { return 2; }\n#endif\n")
    assert checked(tree) == ["src/c.cpp"]


def test_a_macro_that_is_undefined_is_another(tree: Tree) -> None:
    tree.settings = two(second="", more='undefines = ["FEATURE_A"]\n')
    assert checked(tree) == []
    tree.write("src/c.cpp", "#ifdef FEATURE_A\n#endif\n")
    assert checked(tree) == ["src/c.cpp"]


def test_a_file_that_is_included_by_force_counts(pair: Tree) -> None:
    pair.write("src/forced.h", "#pragma once\n")
    pair.settings = two(rest='force-includes = ["src/forced.h"]\n')
    assert checked(pair) == []
    pair.write("src/forced.h", "#pragma once\n#ifdef FEATURE_A\nint forced();\n#endif\n")
    assert checked(pair) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


def test_a_stand_in_counts(pair: Tree) -> None:
    for text, expected in (("int s;", []), ("int FEATURE_A;", ["src/a.cpp", "src/b.cpp", "src/c.cpp"])):
        pair.settings = two(rest=f'stub-headers = {{ "gone.h" = "{text}" }}\n')
        pair.write("src/a.cpp", "#include <gone.h>\n")
        assert checked(pair) == expected


def test_a_file_of_the_second_configuration_alone_is_seen_by_what_includes_it(pair: Tree) -> None:
    pair.settings = two(second='"FEATURE_A", "SWITCH_IT"')
    pair.write("src/extra.h", "#ifdef FEATURE_A\nint extra();\n#endif\n")
    pair.write("src/c.cpp", "#ifdef SWITCH_IT\n#include <extra.h>\n#endif\n")
    assert checked(pair) == ["src/c.cpp"]


def test_other_folders_are_more_than_macros(pair: Tree) -> None:
    pair.settings = HEAD + configuration("first", text=OTHER_FOLDER) + configuration("second", defines='"FEATURE_A"')
    pair.write("src/first/util.h", (pair.root / "src/util.h").read_text().replace("width", "size"))
    pair.write("src/b.cpp", "#include <util.h>\n")
    assert checked(pair) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


def test_a_header_that_appears_earlier_on_the_path_counts(pair: Tree) -> None:
    assert checked(pair) == []
    pair.write("src/first/util.h", "#ifdef FEATURE_A\ntemplate <class T> int width(T&) { return 1; }\n#else\n"
               "template <class T> int width(T&) { return 2; }\n#endif\n")  # fmt: skip
    assert checked(pair) == ["src/a.cpp", "src/b.cpp"]


@pytest.mark.parametrize("standard", ["c++98", "gnu++03"])
def test_another_language_is_parsed_again(tree: Tree, standard: str) -> None:
    tree.settings = two().replace("c++20", standard)
    assert parsed(tree.analyse()) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


def test_a_changed_file_is_looked_at_again(one_after_another: Tree) -> None:
    tree = one_after_another
    assert checked(tree) == []
    tree.write("src/b.cpp", "int b() { return 3; }\n")
    analysis = tree.analyse()
    assert [(u.configuration, u.path) for u in analysis.statistics.parsed] == [("first", "src/b.cpp")]
    tree.write("src/b.cpp", "int b() {\n#if FEATURE_A\nreturn 4;\n#else\nreturn 5;\n#endif\n}\n")
    assert checked(tree) == ["src/b.cpp"]


def test_another_program_looks_at_files_anew(pair: Tree) -> None:
    pair.write("src/b.cpp", "#ifdef FEATURE_A\nint b();\n#endif\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "VERSION", records.VERSION - 1)
        patch.setattr(Parts, "of", lambda *_: frozenset())
        assert parsed(pair.analyse()) == []
    assert checked(pair) == ["src/b.cpp"]


def test_a_third_configuration_is_compared_by_itself(pair: Tree) -> None:
    pair.write("src/b.cpp", "#ifdef FEATURE_C\nint b();\n#endif\n")
    pair.write("src/c.cpp", "#ifdef FEATURE_A\nint c();\n#endif\n")
    assert checked(pair) == ["src/c.cpp"]
    pair.settings += configuration("third", defines='"FEATURE_C=1"')
    analysis = pair.analyse()
    assert (parsed(analysis), parsed(analysis, "third")) == ([], ["src/b.cpp"])
    assert facts(pair, analysis) == facts(pair, plainly(pair))


def test_commands_of_one_file_are_alike_too(tree: Tree) -> None:
    tree.write("src/state/placeholder.inc", "")
    entries = [f'{{"directory": "{tree.root}", "file": "src/c.cpp", "command": "c++ {macro} -c src/c.cpp"}}'
               for macro in ("", "-DFEATURE_A")]  # fmt: skip
    tree.write("compile_commands.json", f"[{', '.join(entries)}]")
    tree.settings = HEAD + CONFIGURATION + 'compile-commands = "compile_commands.json"\n'
    analysis = tree.analyse()
    assert sorted(unit.path for unit in analysis.statistics.parsed) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
    assert facts(tree, analysis) == facts(tree, plainly(tree))


def test_errors_are_those_of_each_configuration(pair: Tree) -> None:
    pair.write("src/b.cpp", "int b() { return gone; }\n")
    pair.write("src/c.cpp", "int c() {\n#ifdef FEATURE_A\nreturn 1;\n#else\nreturn gone;\n#endif\n}\n")
    assert checked(pair) == ["src/c.cpp"]


@pytest.mark.usefixtures("small_headers_are_worth_it")
class TestPreambles:
    """Units that start from precompiled headers."""

    @pytest.fixture
    def forest(self, pair: Tree) -> Tree:
        pair.write("src/umbrella.h", "#pragma once\n#include <util.h>\nstruct Umbrella { int n; };\n" + FILLER)
        for name in "abc":
            pair.write(f"src/{name}.cpp", f"#include <umbrella.h>\nint {name}(Umbrella& u) {{ return u.n; }}\n")
        return pair

    def test_headers_are_precompiled_once(self, forest: Tree) -> None:
        assert checked(forest) == []
        assert len(list(forest.cache.glob("preamble/*/*.pch"))) == 1

    @pytest.mark.parametrize(
        ("first", "second"),
        [("", '"FEATURE_A=1"'), ('"FEATURE_A=1"', ""), ('"FEATURE_A=1"', '"FEATURE_A=2"')],
    )
    def test_what_sees_a_macro_starts_from_its_own(self, forest: Tree, first: str, second: str) -> None:
        arms = "#if FEATURE_A + 0 == 1\nint one();\n#elif FEATURE_A + 0\nint two();\n#else\nint none();\n#endif\n"
        forest.settings = two(first=first, second=second)
        forest.write("src/c.cpp", "#include <umbrella.h>\n" + arms)
        assert checked(forest) == ["src/c.cpp"]
        assert all(unit.preamble is not None for unit in forest.analyses[0].facts.units if unit.name.kind == "source")
        forest.write("src/b.cpp", "#include <umbrella.h>\n" + arms)
        assert checked(forest) == ["src/b.cpp"]

    def test_headers_that_see_a_macro_are_precompiled_with_it(self, forest: Tree) -> None:
        forest.write("src/util.h", "#pragma once\n#ifdef FEATURE_A\nint more();\n#endif\n")
        assert checked(forest) == ["src/a.cpp", "src/b.cpp", "src/c.cpp", "src/umbrella.h"]

    def test_a_known_configuration_serves_another_one(self, forest: Tree) -> None:
        forest.analyse(configurations=("first",))
        assert not forest.analyse().statistics.parsed
        assert checked(forest) == []

    def test_a_brief_look_serves_only_brief_looks(self, forest: Tree) -> None:
        forest.analyse()
        forest.write("src/c.cpp", "#include <umbrella.h>\nint other(Umbrella& u) { return ++u.n; }\n")
        brief = forest.analyse(brief=True)
        assert [(u.configuration, u.path) for u in brief.statistics.parsed] == [("first", "src/c.cpp")]
        assert not forest.analyse(brief=True).statistics.parsed
        whole = forest.analyse()
        assert [(u.configuration, u.path) for u in whole.statistics.parsed] == [("first", "src/c.cpp")]
        assert facts(forest, whole) == facts(forest, plainly(forest))


def test_a_header_alone_is_taken_once(pair: Tree) -> None:
    pair.settings += GATE
    pair.write("src/backend/lone.h", "#pragma once\n#include <util.h>\nint lone();\n")
    analysis = pair.analyse()
    assert judge(analysis).errors == ()
    assert ("src/backend/lone.h" in parsed(analysis, "first"), parsed(analysis)) == (True, [])
    assert checked(pair) == []
    pair.write("src/backend/lone.h", "#pragma once\n#ifdef FEATURE_A\n#include <state/context.h>\n#endif\n")
    assert checked(pair) == ["src/backend/lone.h"]
    assert [f.configurations for f in judge(pair.analyse()).findings if f.gate == "A"] == [("second",)]
