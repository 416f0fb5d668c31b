"""Gate B on binaries, and the link ratchet, on written symbol tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.analysis.links import Debt, Side, classify, link_debts, moves, scopes
from mgaudit.domain.problems import UntrustedError
from mgaudit.gates.link_ratchet.check import findings_of
from mgaudit.gates.symbol_purity.check_binaries import check_binaries
from mgaudit.sources.binaries_model import (
    Binary,
    Bind,
    ObjectFile,
    ObjectKind,
    Placement,
    Symbol,
    SymbolKind,
    Table,
    Visibility,
)

if TYPE_CHECKING:
    from mgaudit.gates.context import Verdict

ATTACH = "_ZN2mg5state6AttachEi"
COMPLETE, BASE = "_ZN2mg5state8ObserverC1Ei", "_ZN2mg5state8ObserverC2Ei"


def symbol(
    name: str,
    placement: Placement = Placement.UNDEFINED,
    *,
    bind: Bind = Bind.GLOBAL,
    visibility: Visibility = Visibility.DEFAULT,
    table: Table = Table.STATIC,
    version: str = "",
) -> Symbol:
    section = ".text" if placement is Placement.DEFINED else ""
    return Symbol(name, version, False, bind, SymbolKind.FUNCTION, visibility, placement, section, 0, table)


def defined(name: str, bind: Bind = Bind.GLOBAL) -> Symbol:
    return symbol(name, Placement.DEFINED, bind=bind)


def relocatable(path: str, *symbols: Symbol) -> Binary:
    item = ObjectFile(path, None, 1, ObjectKind.RELOCATABLE, "EM_X86_64", symbols)
    return Binary(path, is_archive=False, objects=(item,))


def shared(path: str, *symbols: Symbol) -> Binary:
    item = ObjectFile(path, None, 1, ObjectKind.SHARED, "EM_X86_64", symbols)
    return Binary(path, is_archive=False, objects=(item,))


def static_archive(path: str, *members: tuple[str, tuple[Symbol, ...]]) -> Binary:
    counts: dict[str, int] = {}
    items = []
    for name, symbols in members:
        counts[name] = counts.get(name, 0) + 1
        items.append(ObjectFile(path, name, counts[name], ObjectKind.RELOCATABLE, "EM_X86_64", symbols))
    return Binary(path, is_archive=True, objects=tuple(items))


def check(*binaries: Binary, forbid: tuple[str, ...] = ("mg::state::",), exports: tuple[str, ...] = ()) -> Verdict:
    return check_binaries(binaries, gate="B", forbid=forbid, require_exports=exports)


def entities(verdict: Verdict) -> list[tuple[str, str]]:
    assert verdict.problems == ()
    return [(finding.path, finding.entity) for finding in verdict.findings]


def messages(verdict: Verdict) -> list[str]:
    """What the problems say; a verdict with problems vouches for nothing."""
    return [str(problem) for problem in verdict.problems]


def test_symbols_that_demangle_alike_are_two_findings() -> None:
    verdict = check(relocatable("watch.o", symbol(COMPLETE), symbol(BASE), symbol("_ZN2mg7backend5TraceEi")))
    assert entities(verdict) == [("watch.o", COMPLETE), ("watch.o", BASE)]
    assert len({finding.identity for finding in verdict.findings}) == 2
    assert verdict.findings[0].line == 0
    assert "mg::state::Observer::Observer(int)" in verdict.findings[0].message
    assert verdict.examined == {"undefined-symbols": 3}


def test_defined_weak_and_local_symbols_are_nobodys_need() -> None:
    symbols = (defined(ATTACH, Bind.WEAK), defined(COMPLETE, Bind.LOCAL), defined(BASE))
    assert entities(check(relocatable("a.o", *symbols))) == []


def test_a_weak_reference_counts_and_says_so() -> None:
    verdict = check(relocatable("a.o", symbol(ATTACH, bind=Bind.WEAK)))
    assert entities(verdict) == [("a.o", ATTACH)]
    assert verdict.findings[0].message.startswith("weak undefined symbol")


def test_versions_of_one_symbol_are_one_finding() -> None:
    needs = [symbol(ATTACH, table=Table.DYNAMIC, version=version) for version in ("V1", "V2")]
    assert entities(check(shared("lib.so", *needs))) == [("lib.so", ATTACH)]


def test_a_library_answers_from_its_dynamic_table() -> None:
    symbols = (symbol(ATTACH), symbol(BASE, table=Table.DYNAMIC))
    assert entities(check(shared("lib.so", *symbols))) == [("lib.so", BASE)]


def test_an_archive_is_taken_whole_and_names_the_members_at_fault() -> None:
    verdict = check(
        static_archive(
            "lib.a",
            ("draw.o", (symbol(ATTACH), symbol(BASE))),
            ("draw.o", (symbol(ATTACH),)),
            ("own.o", (defined(BASE), defined(COMPLETE, Bind.LOCAL))),
            ("use.o", (symbol(COMPLETE),)),
        )
    )
    assert entities(verdict) == [("lib.a", ATTACH), ("lib.a", COMPLETE)]
    texts = [evidence.text for evidence in verdict.findings[0].evidence]
    assert texts == [f"lib.a(draw.o): undefined {ATTACH}", f"lib.a(draw.o#2): undefined {ATTACH}"]


def test_parameters_and_template_arguments_do_not_match() -> None:
    names = ("_ZN2mg7backend3UseERKNS_5state6BufferE", "_ZNSt6vectorIN2mg5state1XESaIS2_EE9push_backERKS2_")
    assert entities(check(relocatable("a.o", *map(symbol, names)))) == []


def test_vtables_and_typeinfo_match_by_their_class() -> None:
    names = ("_ZTVN2mg5state8ObserverE", "_ZTIN2mg5state8ObserverE", "_ZTIN2mg7backend1XE")
    assert len(check(relocatable("a.o", *map(symbol, names))).findings) == 2


def test_nothing_to_judge_is_untrusted() -> None:
    assert "no binary to judge" in messages(check())[0]
    (message,) = messages(check(static_archive("empty.a"), relocatable("a.o", symbol(ATTACH))))
    assert message.startswith("empty.a: an archive without members")


def test_bad_patterns_and_names_are_all_reported() -> None:
    assert len(messages(check(relocatable("a.o"), forbid=("re:(", "")))) == 2
    unreadable = [symbol(f"_ZN2mg5state{n}QQQ") for n in (1, 2)]
    verdict = check(relocatable("a.o", *unreadable), forbid=("re:x",))
    assert [problem.path for problem in verdict.problems] == ["a.o", "a.o"]


def exported(name: str, visibility: Visibility = Visibility.DEFAULT, table: Table = Table.DYNAMIC) -> Symbol:
    return symbol(name, Placement.DEFINED, visibility=visibility, table=table)


def test_exports_by_mangled_qualified_and_demangled_name_and_expression() -> None:
    library = shared("lib.so", exported("eglGetDisplay"), exported("_ZN2mg3RunEi"))
    exports = ("eglGetDisplay", "_ZN2mg3RunEi", "mg::Run", "Run", "mg::Run(int)", "re:^mg::R")
    assert entities(check(library, forbid=(), exports=exports)) == []


@pytest.mark.parametrize(
    ("symbols", "reason"),
    [
        ((exported("eglGetDisplayEXT"),), "no table of the binary knows it"),
        ((exported("x"), symbol("eglGetDisplay", table=Table.DYNAMIC)), "undefined"),
        ((exported("x"), exported("eglGetDisplay", Visibility.HIDDEN, Table.STATIC)), "hidden visibility"),
    ],
)
def test_a_missing_export_is_a_finding_with_its_reason(symbols: tuple[Symbol, ...], reason: str) -> None:
    verdict = check(shared("lib.so", *symbols), forbid=(), exports=("eglGetDisplay",))
    assert entities(verdict) == [("lib.so", "eglGetDisplay")]
    assert reason in verdict.findings[0].message


def test_exports_cannot_be_asked_of_objects_alone() -> None:
    (message,) = messages(check(relocatable("a.o", defined("f")), forbid=(), exports=("f",)))
    assert "not linked" in message


def debts_of(*binaries: Binary) -> tuple[Debt, ...]:
    return link_debts(classify((item for binary in binaries for item in binary.objects), PARTITION))


PARTITION = {Side.SERVER: ("build/server/",), Side.FRONTEND: ("build/",), Side.SHARED: ("build/common/",)}


def test_the_ratchet_is_undefined_minus_defined_within_the_frontend() -> None:
    debts = debts_of(
        relocatable("build/server/a.o", symbol("debt"), symbol("own"), symbol("common"), symbol("libc")),
        relocatable("build/server/b.o", defined("own", Bind.WEAK), symbol("debt"), symbol("local")),
        relocatable("build/common/c.o", defined("common")),
        relocatable("build/state/d.o", *map(defined, ("debt", "own", "common")), defined("local", Bind.LOCAL)),
    )
    assert [debt.name for debt in debts] == ["debt"]
    findings = list(findings_of(debts[0], "L"))
    assert [(finding.path, finding.entity) for finding in findings] == [
        ("build/server/a.o", "debt"),
        ("build/server/b.o", "debt"),
    ]
    assert "build/state/d.o" in findings[0].message


def test_constructors_that_demangle_alike_stay_apart() -> None:
    debts = debts_of(
        relocatable("build/server/a.o", symbol(COMPLETE), symbol(BASE)),
        relocatable("build/state/d.o", defined(BASE)),
        relocatable("build/common/c.o"),
    )
    assert [debt.name for debt in debts] == [BASE]


def test_the_longest_prefix_decides_also_for_members() -> None:
    library = static_archive("build/all.a", ("server_draw.o", ()), ("state.o", ()))
    partition = {Side.SERVER: ("build/all.a(server_",), Side.FRONTEND: ("build/",), Side.SHARED: ()}
    sides = classify(library.objects, partition)
    assert [item.member for item in sides[Side.SERVER]] == ["server_draw.o"]
    assert [item.member for item in sides[Side.FRONTEND]] == ["state.o"]


def test_every_fault_of_a_partition_is_reported() -> None:
    objects = [item for path in ("a/x.o", "c/y.o", "d/z.o") for item in relocatable(path).objects]
    partition = {Side.SERVER: ("b/", "a/"), Side.FRONTEND: ("a/",), Side.SHARED: ()}
    with pytest.raises(UntrustedError) as caught:
        classify(objects, partition)
    messages = sorted(problem.message for problem in caught.value.problems)
    assert messages == [
        "c/y.o belongs to neither server, frontend nor shared",
        "d/z.o belongs to neither server, frontend nor shared",
        "no object belongs to the frontend",
        "partition prefix 'b/' fits no object",
        "prefix 'a/' is claimed by both server and frontend",
    ]


# ---- what would shorten the list


def test_moves_are_weighed_with_what_they_bring_along() -> None:
    build = (
        relocatable("build/server/a.o", symbol("one"), symbol("two"), symbol("three")),
        relocatable("build/server/b.o", symbol("one"), symbol("heavy")),
        relocatable("build/state/light.o", defined("one"), defined("two"), symbol("base")),
        relocatable("build/state/base.o", defined("base"), defined("three"), symbol("libc")),
        relocatable("build/state/heavy.o", defined("heavy"), symbol("x"), symbol("y")),
        relocatable("build/state/xy.o", defined("x"), defined("y")),
        relocatable("build/common/c.o"),
    )
    sides = classify((item for binary in build for item in binary.objects), PARTITION)
    found = [(move.item.path, move.settled, move.incurred, move.left) for move in moves(sides)]
    assert found == [("build/state/light.o", 3, 1, 3), ("build/state/base.o", 2, 0, 1)]
    assert len(link_debts(sides)) == 4


def test_scopes_count_tables_for_their_class() -> None:
    names = (COMPLETE, BASE, "_ZTVN2mg5state8ObserverE", ATTACH)
    debts = debts_of(
        relocatable("build/server/a.o", *map(symbol, names)),
        relocatable("build/server/b.o", symbol(ATTACH)),
        relocatable("build/state/d.o", *map(defined, names)),
        relocatable("build/common/c.o"),
    )
    found = [(scope.name, scope.symbols, scope.entries) for scope in scopes(debts)]
    assert found == [("mg::state::Observer", 3, 3), ("mg::state", 1, 2)]
