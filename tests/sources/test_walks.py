"""What walks remember of a unit's declarations and types changes none of its facts."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from mgaudit.engine.garbage import no_collection
from mgaudit.sources import bodies, body_types, memo_types
from mgaudit.sources import cursors as ast
from mgaudit.sources.clang_binding import Library
from mgaudit.sources.cursors import Cursors
from mgaudit.sources.demand_walk import BodyWalk
from mgaudit.sources.demands import DemandFinder
from mgaudit.sources.files import FileTable
from mgaudit.sources.indexer import ParseRequest, TranslationUnit, index_unit
from mgaudit.sources.library_calls import LibraryCalls
from mgaudit.sources.lifetimes import Lifetimes
from mgaudit.sources.stores import WRITING, StoreFinder
from mgaudit.sources.toolchain import discover
from mgaudit.sources.tree import PathResolver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from mgaudit.sources.clang_abi import CXCursor
    from mgaudit.sources.records import SlotRecord, UnitRecord

FOREIGN = """
template <typename T> struct Box { T held; ~Box(); T get() const { return held; } };
template <typename T> int sized(const T& one) { return one.size(); }
template <typename T> int through(const T& one) { T other = one; return sized(one) + sized(other); }
template <typename T> int around(const T& one) { return sized(one) + through(one); }
"""
HEAD = """
#include "foreign.h"
#define TWICE(x) ((x) + add(x))
#define SHOWN add(3)
struct Part { virtual ~Part(); virtual int size() const; int count = 0; };
struct Whole : Part { Whole(); ~Whole() override; Whole& operator=(const Whole&); Part parts[2]; const Part* near; };
struct Pair { int one; Whole* two; };
using Boxed = Box<Whole*>;
typedef Boxed Alias;
int add(int a, int b = 2, Whole w = Whole());
int take(void (*)(int)), give(const Alias& box = Alias());
Whole make();
extern const Whole* last;
extern Pair pair;
void called(int);
const int limit = 7;
"""
BODY = """ {
    static Alias kept; Alias box = kept; auto [one, two] = pair;
    void (*chosen)(int) = called; chosen(SHOWN); take(chosen); take(called);
    if (last == box.get() && TWICE(one) < limit) { last = two; pair.one = add(1, 5); pair = Pair{give(), two}; }
    for (int i = 0; i < add(i); ++i) { make().parts[i].size(); last->size(); make(); }
    auto both = [&box, n = one](int more) { return more + n + add(more) + (box.get() == last); };
    Pair* made = new Pair{1, nullptr}; void* hidden = made; delete made; const Part* part = last;
    Whole whole; whole = make(); last = &whole;
    int sizes = through(whole) + around(*part);
    return both(limit) + SHOWN + (hidden == part) + give(box) + sizes + (one ? both(1) : int(sizeof(Whole)));
}"""


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(discover().library)


def record_of(library: Library, root: Path, text: str) -> UnitRecord:
    (root / "foreign.h").write_text(FOREIGN, encoding="utf-8")
    (root / "a.cpp").write_text(text, encoding="utf-8")
    resolver, files = PathResolver(root), frozenset({"a.cpp"})
    request = ParseRequest(str(root / "a.cpp"), ("-x", "c++", "-std=c++20", "-nostdinc"), {})
    with TranslationUnit(library, request) as unit:
        table = FileTable(library, resolver, files, {}, files, keyed=files)
        record = index_unit(unit, table, with_bodies=True, with_demands=True)
    assert not record.diagnostics
    return record


class Forgetful(dict[object, object]):
    """A memory that never knows anything."""

    def get(self, _key: object, default: object = None) -> object:
        return default


MEMORIES = [
    (body_types.BodyTypes, "_written"),
    (Cursors, "_results"), (Lifetimes, "_destructors"), (Lifetimes, "_ends_of"), (LibraryCalls, "_followed"),
    (DemandFinder, "_canonical"), (DemandFinder, "_parted"), (BodyWalk, "_optionals"), (BodyWalk, "_code"),
    (bodies._Unit, "places"), (bodies._Unit, "named"), (bodies._Unit, "callees"), (memo_types.Types, "met"),
    (memo_types.TypeReader, "_aliases_of_type"), (memo_types.TypeReader, "_whole_aliases"),
    (memo_types.TypeReader, "_texts"),
]  # fmt: skip


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(("owner", "name"), MEMORIES, ids=lambda value: getattr(value, "__name__", value))
def test_the_facts_are_those_of_walks_without_a_memory(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: type, name: str
) -> None:
    text = f"{HEAD}int first(){BODY}\nint second(){BODY}\n"
    found = record_of(library, tmp_path, text)
    plain: Callable[..., None] = vars(owner)["__init__"]
    forgotten: list[object] = []

    def made(self: object, *arguments: object, **named: object) -> None:
        plain(self, *arguments, **named)
        assert getattr(self, name) == {}
        object.__setattr__(self, name, Forgetful())
        forgotten.append(self)

    monkeypatch.setattr(owner, "__init__", made)
    assert record_of(library, tmp_path, text) == found
    assert forgotten
    assert any(getattr(one, name) for one in forgotten)


def test_what_walks_hold_goes_with_them(library: Library, tmp_path: Path) -> None:
    text = f"{HEAD}int first(){BODY}\nint second(){BODY}\n"
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        with no_collection():
            record_of(library, tmp_path, text)
            gc.collect()
        left = {type(one) for one in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert not {one for one in left if one.__module__.startswith("mgaudit.sources")}


def below(cursors: Cursors, root: CXCursor) -> list[CXCursor]:
    found: list[CXCursor] = []

    def see(cursor: CXCursor) -> bool:
        found.append(cursor)
        return True

    cursors.visit(root, see)
    return found


@pytest.mark.usefixtures("interpreted")
def test_the_walk_for_calls_meets_all_that_may_store_something(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[tuple[list[int], list[int]]] = []
    find = StoreFinder.find

    def compared(self: StoreFinder, definitions: Iterable[tuple[CXCursor, list[CXCursor]]]) -> list[SlotRecord]:
        rows = list(definitions)
        for definition, writing in rows:
            wanted = [ast.address_of(cursor) for cursor in below(self._cursors, definition) if cursor.kind in WRITING]
            met.append(([ast.address_of(cursor) for cursor in writing], wanted))
        return find(self, rows)

    monkeypatch.setattr(StoreFinder, "find", compared)
    local = "void third() { struct Local { void f() { int a = add(1); } }; [] { Local().f(); int b = 1; b = 2; }(); }"
    record_of(library, tmp_path, f"{HEAD}int first(){BODY}\n{local}\n")
    assert all(writing == wanted for writing, wanted in met)
    assert max(len(writing) for writing, _ in met) > 20
