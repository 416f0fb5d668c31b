from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.gates.conftest import Audit

STDIO = 'extern "C" {\nint printf(const char*, ...);\nint puts(const char*);\n}\nnamespace std {\nusing ::puts;\n}\n'


def gate(functions: str = "", extra: str = "") -> str:
    return f'[[gate]]\nid = "S"\nkind = "forbidden-calls"\nzones = ["backend"]\nfunctions = [{functions}]\n{extra}\n'


def tree(code: str, **more: str) -> dict[str, str]:
    return {
        "src/state/context.h": "#pragma once\n",
        "src/util/stdio.h": "#pragma once\n" + STDIO,
        "src/backend/d.cpp": '#include "util/stdio.h"\n' + code,
        **more,
    }


def test_both_witnesses_are_counted(audit: Audit) -> None:
    report = audit(tree('void f() { puts("puts"); }\n'), gate('"puts"'))
    (finding,) = report.findings
    assert (finding.line, finding.column, finding.symbol) == (2, 12, "f()")
    assert finding.message == "puts is called: seen by the front end and as a token"
    assert report.gates[0].examined["agreements"] == 1


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [("puts", [4]), ("::puts", [4]), ("std::puts", [4]), ("quiet::puts", [5]), ("Out::puts", [6])],
)
def test_what_a_name_means(audit: Audit, pattern: str, lines: list[int]) -> None:
    code = "namespace quiet { int puts(const char*); }\nstruct Out { int puts(const char*); };\n"
    code += 'void f() { puts("x"); }\nvoid g() { quiet::puts("x"); }\nvoid h(Out& o) { o.puts("x"); }\n'
    assert [f.line for f in audit(tree(code), gate(f'"{pattern}"')).findings if f.symbol] == lines


def test_overloads_and_overrides_are_meant_together(audit: Audit) -> None:
    code = "struct A { virtual void go(); void go(int); };\nstruct B : A { void go() override; };\n"
    code += "void f(B& b) {\n    b.go();\n    b.A::go(1);\n}\n"
    assert [f.line for f in audit(tree(code), gate('"A::go"')).findings] == [5, 6]
    assert [f.line for f in audit(tree(code), gate('"A::go(int)"')).findings] == [6]


def test_several_functions_of_one_name_are_an_error(audit: Audit) -> None:
    report = audit(tree("namespace a { void go(); }\nnamespace b { void go(); }\n"), gate('"go"'))
    assert report.exit_code == 2
    assert "::a::go, ::b::go" in report.errors[0].message


def test_an_undeclared_function_is_an_error_unless_allowed(audit: Audit) -> None:
    code = "#ifdef OLD\nvoid f() { gets(); }\n#endif\n"
    assert audit(tree(code), gate('"gets"')).exit_code == 2
    assert [f.line for f in audit(tree(code), gate('"gets"', "expect-declared = false")).findings] == [3]


def test_an_exemption_counts_uses(audit: Audit) -> None:
    code = 'void f() { puts("a"); puts("b"); }\n'
    exempt = 'exempt = [{ symbol = "f", entity = "puts", count = 2, reason = "r" }]'
    assert audit(tree(code), gate('"puts"', exempt)).exit_code == 0
    assert audit(tree(code), gate('"puts"', exempt.replace("2", "1"))).exit_code == 1


def test_a_member_behind_a_dot_is_never_a_free_function(audit: Audit) -> None:
    idle = "#ifdef OLD\nvoid f(Out& o) { o.puts(1); ::puts(2); }\n#define SAY(o) o->puts(3)\n#endif\n"
    report = audit(tree(idle), gate('"puts"'))
    assert [(f.line, f.column) for f in report.findings] == [(3, 31)]
    member = audit(tree("struct Out { void puts(int); };\n" + idle), gate('"Out::puts"'))
    assert [f.line for f in member.findings] == [4, 4, 5]


class TestRetired:
    def test_every_token_of_a_macro_counts(self, audit: Audit) -> None:
        code = "#define OLD 1\n#if OLD && defined(OLDER)\nint x = OLD;  // OLD\n#endif\n#define TEXT(x) #x\n"
        report = audit(tree(code + "const char* t = TEXT(OLDER);\n"), gate(extra='retired = ["OLD"]'))
        assert [(f.line, f.entity) for f in report.findings] == [(2, "OLD"), (3, "OLD"), (4, "OLD")]

    def test_a_declared_name_is_judged_by_its_meaning(self, audit: Audit) -> None:
        code = "namespace a { struct Old {}; }\nnamespace b { struct Old {}; }\nb::Old x;\na::Old y;\n"
        report = audit(tree(code), gate(extra='retired = ["a::Old"]'))
        assert [f.line for f in report.findings] == [2, 5]

    def test_a_declaration_counts(self, audit: Audit) -> None:
        report = audit(tree("void old();\n"), gate(extra='retired = ["old"]'))
        assert [f.message.split(":")[0] for f in report.findings] == ["old is declared"]


class TestWrappers:
    FILES = {  # noqa: RUF012
        "src/util/say.h": "void Say(int);\ntemplate <class T> void Tell(T t) { Say(t); }\n"
        "struct Out { virtual void Put(); };\n",
        "src/util/say.cpp": '#include "util/stdio.h"\n#include "util/say.h"\nvoid Say(int) { puts("x"); }\n'
        "struct Loud : Out { void Put() override { Say(1); } };\nOut* MakeLoud() { return new Loud; }\n",
    }

    def test_templates_and_virtuals_are_followed(self, audit: Audit) -> None:
        code = '#include "util/say.h"\nvoid f() { Tell(1); }\nvoid g(Out& o) { o.Put(); }\nvoid h() { f(); }\n'
        report = audit(tree(code, **self.FILES), gate('"puts"', "wrappers = true"))
        assert [f.line for f in report.findings] == [3, 4]
        first = report.findings[0]
        assert (first.symbol, first.entity) == ("f()", "puts")
        assert [e.text for e in first.evidence][-1] == "puts"

    def test_without_them_the_zones_own_uses_count_alone(self, audit: Audit) -> None:
        assert audit(tree('#include "util/say.h"\nvoid f() { Say(1); }\n', **self.FILES), gate('"puts"')).exit_code == 0
