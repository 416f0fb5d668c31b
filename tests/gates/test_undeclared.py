from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mgaudit.gates.context import GateContext, Resolution
from mgaudit.gates.name_tokens import Macros
from mgaudit.gates.undeclared.check import check
from mgaudit.sources.scanner import scan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mgaudit.engine.pipeline import Analysis
    from tests.gates.conftest import Analyse, Audit

STATE = """
namespace mg::state {
struct Context { int width; int Height(); int Height(int) const; };
extern Context* pContext;
}
"""

LOCALS = """\
int f(int pContext) { return pContext; }
const char* g() { return TEXT(pContext); }
int h() { DROP(pContext); return 0; }
"""
HEIGHTS = "int h(mg::state::Context& c) { return c.Height()\n+ c.Height(1); }\n"
WIDTHS = "int w(mg::state::Context c) { return c.width; }\nint v(mg::state::Context c) { return c .\nwidth; }\n"


def gate(*entities: str, extra: str = "") -> str:
    names = ", ".join(f'"{name}"' for name in entities)
    return f'[[gate]]\nid = "C"\nkind = "undeclared"\nzones = ["backend"]\nentities = [{names}]\n{extra}\n'


CONTEXT = gate("mg::state::pContext")


def tree(code: str, **more: str) -> dict[str, str]:
    return {
        "src/state/context.h": "#pragma once" + STATE,
        "src/backend/d.cpp": '#include "state/context.h"\n' + code,
        **more,
    }


def context(analysis: Analysis) -> GateContext:
    return GateContext(analysis.settings.gates[0], analysis.settings, analysis.files, analysis.facts, analysis.audited)


def test_both_witnesses_are_counted_and_reconciled(audit: Audit) -> None:
    code = "#define CTX mg::state::pContext\n"
    code += "int a() { return CTX->width; }\nint b() { return mg::state::pContext->width; }\n"
    report = audit(tree(code), CONTEXT)
    assert [(f.line, f.symbol) for f in report.findings] == [(3, "a()"), (4, "b()")]
    assert {f.kind for f in report.findings} == {"undeclared"}
    examined = report.gates[0].examined
    assert {k: examined[k] for k in ("references", "tokens", "agreements")} == {
        "references": 2, "tokens": 2, "agreements": 1,
    }  # fmt: skip
    assert [e.kind for e in report.findings[0].evidence] == ["reference", "macro"]
    assert [e.kind for e in report.findings[1].evidence] == ["reference", "token"]


def test_two_uses_on_one_line_are_two_and_a_macro_that_names_it_twice_is_one(audit: Audit) -> None:
    code = "using mg::state::Context;\nbool a() { return mg::state::pContext == mg::state::pContext; }\n"
    assert len(audit(tree(code), CONTEXT).findings) == 2
    code = "#define TWICE (mg::state::pContext == mg::state::pContext)\nbool a() { return TWICE; }\n"
    assert [f.line for f in audit(tree(code), CONTEXT).findings] == [3]


def test_one_use_is_one_finding_over_units_and_configurations(audit: Audit) -> None:
    more = '[[configuration]]\nname = "old"\nstandard = "c++20"\ninclude-dirs = ["src"]\n'
    files = tree(
        "", **{"src/backend/h.h": '#include "state/context.h"\ninline int w() { return mg::state::pContext->width; }\n'}
    )
    files |= {f"src/backend/{n}.cpp": '#include "backend/h.h"\n' for n in "xyz"}
    (finding,) = audit(files, CONTEXT, more).findings
    assert (finding.line, finding.symbol, finding.configurations) == (2, "w()", ("old", "split"))


def test_the_identity_holds_no_line_and_tells_roles_and_internal_functions_apart(audit: Audit) -> None:
    code = "using mg::state::pContext;\nstatic int s() { return pContext->width; }\nvoid w() { pContext = nullptr; }\n"
    first = [f.identity for f in audit(tree(code), CONTEXT).findings]
    assert first == [f.identity for f in audit(tree("\n\n" + code), CONTEXT).findings]
    assert first == [
        ("src/backend/d.cpp", "mg::state::pContext", "reference"),
        ("src/backend/d.cpp", "s()", "mg::state::pContext", "read"),
        ("w()", "mg::state::pContext", "write"),
    ]


@pytest.mark.parametrize(
    ("entity", "code", "lines"),
    [
        ("mg::state::Context", "mg::state::Context c;\nstruct Other { int Context; };\n", [2]),
        ("Context", "mg::state::Context* f() { return new mg::state::Context(); }\n", [2, 2]),
        ("mg::state::Context::Height", HEIGHTS, [2, 3]),
        ("mg::state::Context::Height(int)", HEIGHTS, [3]),
        ("::mg::state::pContext", "namespace x::mg::state { int pContext; }\nauto* p = mg::state::pContext;\n", [3]),
        ("Context::width", WIDTHS, [2, 4]),
    ],
)  # fmt: skip
def test_entities_of_every_kind(audit: Audit, entity: str, code: str, lines: list[int]) -> None:
    assert [f.line for f in audit(tree(code), gate(entity)).findings] == lines


def test_overrides_are_the_same_thing(audit: Audit) -> None:
    code = "struct B { virtual void go(); };\nstruct D : B { void go() override; };\nvoid f(D& d) { d.go(); }\n"
    lines = [f.line for f in audit(tree(code), gate("B::go")).findings]
    assert lines == [2, 3, 4]


def test_several_entities_of_one_name_are_listed(audit: Audit) -> None:
    report = audit(tree("namespace x { int pContext; }\n"), gate("mg::state::Context", "pContext"))
    assert report.exit_code == 2
    (problem,) = report.errors
    assert "::mg::state::pContext, ::x::pContext" in problem.message


def test_a_token_in_code_counts_until_the_front_end_says_what_it_is(analysed: Analyse) -> None:
    macros = "#define TEXT(x) INNER(x)\n#define INNER(x) #x\n#define DROP(x)\n"
    given = context(analysed(tree(macros + LOCALS), CONTEXT))
    assert len(check(given).findings) == 4
    asked: list[tuple[str, int]] = []

    def resolve(path: str, offsets: Sequence[int]) -> Mapping[int, Resolution]:
        asked.append((path, len(offsets)))
        a, b, text, drop = offsets
        local = Resolution("pContext", "pContext")
        return {
            a: local,
            b: local,
            text: Resolution("TEXT", "", is_macro=True),
            drop: Resolution("DROP", "", is_macro=True),
        }

    verdict = check(replace(given, resolve=resolve))
    assert asked == [("src/backend/d.cpp", 4)]
    assert [f.line for f in verdict.findings] == [7]
    assert verdict.examined["homonyms"] == 2


def test_the_engine_asks_the_front_end_about_tokens_without_facts(audit: Audit) -> None:
    macros = "#define TEXT(x) INNER(x)\n#define INNER(x) #x\n#define DROP(x)\n"
    report = audit(tree(macros + LOCALS), CONTEXT)
    assert [f.line for f in report.findings] == [7]
    assert report.gates[0].examined["homonyms"] == 2


def test_a_token_that_the_front_end_resolves_to_the_entity_after_all_counts(analysed: Analyse) -> None:
    given = context(analysed(tree("template <class T> int f(T t) { return g(t, pContext); }\n"), CONTEXT))
    answer = Resolution("pContext", "mg::state::pContext")
    assert len(check(replace(given, resolve=lambda _, offsets: dict.fromkeys(offsets, answer))).findings) == 1


def test_an_arm_that_another_configuration_takes_is_that_ones_matter(analysed: Analyse) -> None:
    more = '[[configuration]]\nname = "old"\nstandard = "c++20"\ninclude-dirs = ["src"]\ndefines = ["OLD=1"]\n'
    analysis = analysed(tree("#ifdef OLD\nint w() { return mg::state::pContext->width; }\n#endif\n"), CONTEXT, more)
    assert [f.configurations for f in check(context(analysis)).findings] == [("old",)]
    given = replace(context(analysis), facts=analysis.facts.restricted_to(["split"]))
    assert check(given).findings == ()


@pytest.mark.parametrize(
    ("definitions", "expected"),
    [
        ("#define M(x) #x\n", True),
        ("#define M(...) #__VA_ARGS__\n", True),
        ("#define M(x) x\n", False),
        ("#define M(x) (#x, x)\n", False),
        ("#define M(x)\n", False),
        ("#define M(x) N(x)\n#define N(y) #y\n", True),
        ("#define M(x) N(x)\n#define N(y) y\n", False),
        ("#define M(x) M(x)\n", False),
        ("#if A\n#define M(x) #x\n#else\n#define M(x) x\n#endif\n", False),
        ("", False),
    ],
)
def test_whether_a_macro_only_stringises(definitions: str, *, expected: bool) -> None:
    assert Macros({"a.h": scan(definitions.encode())}).only_stringises("M") is expected


def test_a_file_that_one_unit_enters_twice_takes_an_arm_if_it_does_so_once(analysed: Analyse) -> None:
    part = "#ifdef FIRST\nint a(int pContext) { return pContext; }\n#else\nint b = 1;\n#endif\n"
    code = '#define FIRST\n#include "backend/part.inc"\n#undef FIRST\n#include "backend/part.inc"\n'
    given = context(analysed(tree(code, **{"src/backend/part.inc": part}), CONTEXT))
    asked: list[str] = []

    def resolve(path: str, offsets: Sequence[int]) -> Mapping[int, Resolution]:
        asked.append(path)
        return {offset: Resolution("pContext", "pContext") for offset in offsets}

    assert check(replace(given, resolve=resolve)).findings == ()
    assert asked == ["src/backend/part.inc"]


def test_code_that_no_unit_sees_counts_by_its_tokens(audit: Audit) -> None:
    files = tree("", **{"src/backend/lost.inc": "return pContext->width;\n"})
    report = audit(files, CONTEXT)
    assert [(f.gate, f.path) for f in report.findings] == [
        ("health", "src/backend/lost.inc"), ("C", "src/backend/lost.inc"),
    ]  # fmt: skip


def test_a_shared_first_header_hides_nothing(audit: Audit) -> None:
    shared = '#pragma once\n#include "state/context.h"\n#ifdef LATE\n#define W mg::state::pContext->width\n#endif\n'
    shared += "inline int w() { return mg::state::pContext->width; }\n"
    files = {"src/state/context.h": "#pragma once" + STATE, "src/backend/all.h": shared}
    files |= {f"src/backend/{n}.cpp": f'#include "backend/all.h"\nint {n}() {{ return w(); }}\n' for n in "abcd"}
    report = audit(files, CONTEXT)
    assert [(f.path, f.line) for f in report.findings] == [("src/backend/all.h", 4), ("src/backend/all.h", 6)]
