"""What counts as an upcall, however it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gates.conftest import HEAD, ZONES

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.domain.report import Report

GATE = """
[zone.impl]
paths = ["src/impl/**"]
[[catalogue]]
name = "upcalls"
columns = ["entity", "verdict", "reason"]
rows = [{rows}]
[[gate]]
id = "U"
kind = "upcalls"
from = ["backend"]
into = ["impl"]
catalogue = "upcalls"
"""
IMPL = """
#pragma once
namespace impl {
void Notify(int);
void Notify(float);
int Ask();
inline constexpr int kLimit = 3;
enum Mode { kFast };
extern int gCount;
struct Plain { int a; void (*hook)(int); };
struct Manager {
    Manager();
    explicit Manager(int);
    virtual ~Manager();
    virtual void Tell(int);
    static Manager& Get();
    void operator()(int) const;
    explicit operator bool() const;
    int size = 0;
};
extern Manager* gManager;
extern Plain gPlain;
template <class T> void Post(T value) { Notify(value); }
#define IMPL_TELL(x) ::impl::Notify(x)
}
"""
DEFINITIONS = """
#include "impl/api.h"
namespace impl { int gCount; void Secret(int) {} }
extern "C" void c_hook(void) {}
"""


@pytest.fixture
def upcalls(audit: Callable[..., Report]) -> Callable[..., Report]:
    def run(code: str, rows: str = "", files: dict[str, str] | None = None) -> Report:
        tree = {
            "src/impl/api.h": IMPL, "src/impl/api.cpp": DEFINITIONS, "src/state/state.h": "#pragma once\n",
            "src/backend/draw.cpp": '#include "impl/api.h"\n' + code, **(files or {}),
        }  # fmt: skip
        return audit(tree, GATE.replace("{rows}", rows))

    return run


def found(report: Report) -> list[tuple[int, str]]:
    assert report.trusted, report.errors
    return [
        (f.line, f.entity.removeprefix("impl::")) for f in report.findings if f.gate == "U" and f.severity == "error"
    ]


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("void F() { impl::Notify(1); }", [(2, "Notify")]),
        ("void F() { impl::Notify(1); impl::Notify(1.f); }", [(2, "Notify"), (2, "Notify")]),
        ("auto f = static_cast<void (*)(int)>(&impl::Notify);\nvoid F() { f(1); }", [(2, "Notify")]),
        ("void F() { int (*ask)() = impl::Ask;\nask(); (*ask)(); }", [(2, "Ask")]),
        ("struct H { int (*ask)(); };\nH h = {.ask = impl::Ask};\nint F() { return h.ask(); }", [(3, "Ask")]),
        ("int (*fs[])() = {impl::Ask, &impl::Ask};", [(2, "Ask"), (2, "Ask")]),
        ("void R(int (*)());\nvoid F() { R(impl::Ask); }", [(3, "Ask")]),
        ("namespace impl { void Secret(int); }\nvoid F() { impl::Secret(1); }", [(3, "Secret")]),
        ("void F() { extern int gOther; (void)impl::gCount; impl::gCount = 2; }", [(2, "gCount"), (2, "gCount")]),
        ('extern "C" void c_hook(void);\nvoid F() { c_hook(); }', [(3, "c_hook")]),
        ("namespace api = impl;\nint F() { return api::Ask(); }", [(3, "Ask")]),
        ("using impl::Ask;\nint F() { return Ask(); }", [(3, "Ask")]),
        ("using namespace impl;\nint F() { return Ask(); }", [(3, "Ask")]),
        ("void F() { IMPL_TELL(1); }", [(2, "Notify")]),
        ("#define MINE(f) impl::f\nint F() { return MINE(Ask)(); }", [(3, "Ask")]),
        ("auto f = [] { return impl::Ask(); };", [(2, "Ask")]),
        ("template <class T> int G(T) { return impl::Ask(); }", [(2, "Ask")]),
        ("template <class T> void G(T t) { impl::Notify(t); }\nvoid F() { G(1); }", [(2, "Notify")]),
        ("template <class T> void G(T& t) { t.Tell(1); }\nvoid F(impl::Manager& m) { G(m); }", [(2, "Manager::Tell")]),
        ("void F() { impl::Post(1); }", [(2, "Post")]),
        ("void F() { impl::Manager::Get().Tell(1); }", [(2, "Manager::Get"), (2, "Manager::Tell")]),
        ("void F() { impl::gManager->Tell(impl::gManager->size); }",
         [(2, "gManager"), (2, "Manager::Tell"), (2, "gManager"), (2, "Manager::size")]),
        ("void F() { auto& m = *impl::gManager;\nm(1); if (m) {} }",
         [(2, "gManager"), (3, "Manager::operator()"), (3, "Manager::operator bool")]),
        ("struct Mine : impl::Manager { void G() { Tell(1); } };", [(2, "Manager::Tell")]),
        ("auto p = &impl::Manager::Tell;\nauto q = &impl::Manager::size;",
         [(2, "Manager::Tell"), (3, "Manager::size")]),
        ("void F() { impl::Manager m(1); }", [(2, "Manager::Manager")]),
        ("void F() { impl::gPlain.hook(1); }", [(2, "gPlain"), (2, "Plain::hook")]),
        ("int F(int x = impl::Ask()) { return x; }", [(2, "Ask")]),
        ("struct S { int v = impl::Ask(); };", [(2, "Ask")]),
        ("int gInit = impl::Ask();", [(2, "Ask")]),
        ("template <int (*F)()> int Run() { return F(); }\nint G() { return Run<impl::Ask>(); }", [(3, "Ask")]),
        ("template <auto F> struct C { int go() { return F(); } };\nint G() { return C<&impl::Ask>().go(); }",
         [(3, "Ask")]),
        # what is none
        ("int F() { return impl::kLimit + impl::kFast; }", []),
        ("void F(impl::Manager*, const impl::Plain&); struct S { impl::Plain* p; };", []),
        ("using T = decltype(impl::Ask()); static_assert(sizeof(impl::Ask()) == 4);", []),
        ("namespace other { void Notify(int); }\nvoid F() { other::Notify(1); }", []),
        ('// impl::Notify(1)\nconst char* s = "impl::Notify";', []),
        ("void F(void (*notify)(int)) { notify(1); }", []),
        ("void F() { impl::Plain plain; (void)plain; }", []),
    ],
)  # fmt: skip
def test_every_use_is_an_upcall_and_nothing_else(
    upcalls: Callable[..., Report], code: str, wanted: list[tuple[int, str]]
) -> None:
    assert found(upcalls(code)) == wanted


def test_code_in_a_fragment_counts_where_it_is_written(upcalls: Callable[..., Report]) -> None:
    report = upcalls(
        'namespace backend {\n#include "backend/part.inc"\n}\n',
        files={"src/backend/part.inc": "int F() { return impl::Ask(); }\n"},
    )
    (finding,) = (f for f in report.findings if f.gate == "U")
    assert (finding.path, finding.line, finding.symbol) == ("src/backend/part.inc", 1, "backend::F()")
    assert "via inc" in finding.message


def test_a_dependent_use_that_nothing_instantiates_is_a_warning(upcalls: Callable[..., Report]) -> None:
    report = upcalls("template <class T> void G(T& t) { t.Tell(1); }")
    (finding,) = (f for f in report.findings if f.gate == "U")
    assert (finding.severity, finding.line, finding.entity) == ("warning", 2, "impl::Manager::Tell")
    report = upcalls("template <class T> void G(T t) { using impl::Notify;\nNotify(t); }")
    (finding,) = (f for f in report.findings if f.gate == "U")
    assert (finding.severity, finding.line, finding.entity) == ("warning", 3, "impl::Notify")


ROW = '{ entity = "impl::%s", verdict = "%s", reason = "%s" },'


def test_rows_answer_overloads_and_say_where_they_are_wrong(upcalls: Callable[..., Report]) -> None:
    code = (
        "int Called();\nvoid F() { impl::Notify(1); impl::Notify(1.f); impl::Ask(); }\n"
        "void G() { impl::gCount = 1; impl::gManager->Tell(1); }"
    )
    rows = [
        ("Notify", "kReverseChannel", "travels back"),
        ("Ask", "Called", "a callback of the backend"),
        ("gCount", "deleted", "by phase 7"),
        ("gManager", "NA", "a pointer alone"),
        ("Manager::Tell", "server-local", ""),
    ]
    text = "".join(ROW % row for row in rows)
    assert found(upcalls(code, text)) == []
    wrong = [
        ("Notify", "kReverseChannel", ""), ("Notify", "kReverseChannel", "again"), ("Ask", "", "none"),
        ("gCount", "deleted", ""), ("gManager", "NA", "…"), ("Manager::Tell", "server_local", "misspelt"),
        ("Manager::size", "NA", "nobody"), ("Nothing", "NA", "no such thing"),
    ]  # fmt: skip
    report = upcalls(code, "".join(ROW % row for row in wrong))
    messages = [f.message for f in report.findings if f.gate == "U"]
    assert sorted(messages) == [
        "impl::Ask has no verdict",
        "impl::Manager::Tell has the verdict `server_local`, which is none, nor the name of a callback",
        "impl::Nothing means nothing in the called zones",
        "impl::Notify is mapped twice",
        "impl::gCount is `deleted` without a reason",
        "impl::gManager is `NA` without a reason",
        "stale: nothing calls or names impl::Manager::size",
    ]


def test_one_overload_alone_may_be_mapped(upcalls: Callable[..., Report]) -> None:
    code = "void F() { impl::Notify(1);\nimpl::Notify(1.f); }"
    assert found(upcalls(code, ROW % ("Notify(int)", "kReverseChannel", ""))) == [(3, "Notify")]


def test_a_row_that_means_several_entities_has_its_line(upcalls: Callable[..., Report]) -> None:
    rows = '\n{ entity = "Ask", verdict = "NA", reason = "r" },\n{ entity = "size", verdict = "NA", reason = "r" },\n'
    other = {"src/impl/other.h": "namespace impl { struct Other { int size; }; }\n"}
    report = upcalls('#include "impl/other.h"\nint d = impl::Ask();\n', rows, other)
    (problem,) = report.errors
    assert problem.message == "column 1: `size` means several entities: ::impl::Manager::size, ::impl::Other::size"
    text = (HEAD + ZONES + GATE.replace("{rows}", rows)).splitlines()
    assert (problem.path, text[problem.line - 1]) == ("mgaudit.toml", rows.splitlines()[2])


def test_a_verdict_catalogue_proves_no_name(upcalls: Callable[..., Report]) -> None:
    rows = '{ entity = "Ghost", verdict = "NA", reason = "r" }, { entity = "Ask", verdict = "Ghost", reason = "r" }'
    report = upcalls("int d = impl::Ask();\n", rows)
    assert [f.message for f in report.findings if f.message.startswith("Ask")] == [
        "Ask has the verdict `Ghost`, which is none, nor the name of a callback"
    ]
