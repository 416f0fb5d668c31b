from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.sources import clang_abi as abi
from mgaudit.sources import clang_binding
from mgaudit.sources.clang_binding import Library
from mgaudit.sources.indexer import ParseRequest, TranslationUnit
from mgaudit.sources.toolchain import discover

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUES = {abi.CXCursor, abi.CXType, abi.CXSourceLocation, abi.CXSourceRange, abi.CXIdxLoc}
needs_native = pytest.mark.skipif(not clang_binding.is_native(), reason="the native binding was not built")


@pytest.fixture(params=[pytest.param("native", marks=needs_native), "ctypes"])
def unit(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TranslationUnit]:
    monkeypatch.setenv(clang_binding.SWITCH, request.param)
    file = tmp_path / "a.cpp"
    file.write_text("struct S { S(); struct inner { int i; }; int a; int b; };\nint f(int x) { return x + 1; }\n")
    with TranslationUnit(Library(discover().library), ParseRequest(str(file), ("-x", "c++"), {})) as parsed:
        yield parsed


def declared(unit: TranslationUnit, name: str) -> Any:
    root = unit.cdll.clang_getTranslationUnitCursor(unit.handle)
    return next(c for c in unit.cdll.children(root) if unit.cdll.clang_getCursorSpelling(c) == name)


def test_a_visit_leaves_out_what_lies_below_a_refused_cursor(unit: TranslationUnit) -> None:
    names: list[str] = []

    def see(cursor: Any) -> bool:
        names.append(unit.cdll.clang_getCursorSpelling(cursor))
        return names[-1] != "inner"

    unit.cdll.visit(declared(unit, "S"), see)
    assert names == ["S", "inner", "a", "b"]


def test_a_visit_tells_parents(unit: TranslationUnit) -> None:
    seen: list[tuple[str, str]] = []
    spelling = unit.cdll.clang_getCursorSpelling

    def see(cursor: Any, parent: Any) -> bool:
        seen.append((spelling(parent), spelling(cursor)))
        return True

    unit.cdll.visit_below(declared(unit, "S"), see)
    assert seen == [("S", "S"), ("S", "inner"), ("inner", "i"), ("S", "a"), ("S", "b")]


@pytest.mark.parametrize("visit", ["visit", "visit_below"])
def test_what_a_visitor_raises_ends_the_visit_and_is_raised(
    unit: TranslationUnit, visit: str, capfd: pytest.CaptureFixture[str]
) -> None:
    seen = []

    def see(*cursors: Any) -> bool:
        seen.append(cursors)
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        getattr(unit.cdll, visit)(unit.cdll.clang_getTranslationUnitCursor(unit.handle), see)
    assert len(seen) == 1
    assert capfd.readouterr() == ("", "")


def test_members_texts_and_places(unit: TranslationUnit) -> None:
    cdll = unit.cdll
    record, function = declared(unit, "S"), declared(unit, "f")
    constructor, *_ = cdll.children(record)
    type_ = cdll.clang_getCursorType(record)
    assert [cdll.clang_getCursorSpelling(field) for field in cdll.fields(type_)] == ["a", "b"]
    assert [cdll.clang_getCursorSpelling(method) for method in cdll.methods(type_)][:1] == ["S"]
    assert cdll.base_specifiers(type_) == []
    assert cdll.overridden(constructor) == []
    assert "_ZN1SC1Ev" in cdll.manglings(constructor)
    handle, *place = cdll.clang_getFileLocation(cdll.clang_getCursorLocation(function))
    assert (cdll.clang_getFileName(handle).rpartition("/")[2], place) == ("a.cpp", [2, 5, 62])
    nowhere = cdll.clang_getCursorLocation(cdll.clang_getTypeDeclaration(cdll.clang_getCursorResultType(function)))
    assert cdll.clang_getFileLocation(nowhere) == (None, 0, 0, 0)
    assert cdll.clang_getTypeSpelling(cdll.clang_getCursorResultType(function)) == "int"
    assert bytes(record) == bytes(declared(unit, "S")) != bytes(function)


@needs_native
def test_everything_with_values_of_libclang_is_called_from_c() -> None:
    """Ctypes knows nothing of the native objects, nor they of ctypes' structures."""
    library = Library(discover().library)
    named = {name for name, (arguments, result) in abi.PROTOTYPES.items() if VALUES & {*arguments, result}}
    composed = {
        "clang_visitChildren", "clang_Type_visitFields", "clang_visitCXXMethods", "clang_visitCXXBaseClasses",
        "clang_getOverriddenCursors", "clang_Cursor_getCXXManglings",
    }  # fmt: skip
    assert {name for name in named if hasattr(getattr(library.cdll, name), "argtypes")} == composed


def test_every_function_that_is_called_has_its_prototype() -> None:
    """Ctypes would guess one, and guess wrong where a function takes or returns more than a number."""
    sources = Path(abi.__file__).parents[1].rglob("*.py")
    called = {name for path in sources for name in re.findall(r"\bclang_\w+", path.read_text("utf-8"))}
    assert called - abi.PROTOTYPES.keys() == {"clang_abi", "clang_binding", "clang_native"}
