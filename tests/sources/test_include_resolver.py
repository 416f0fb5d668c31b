from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from clang.cindex import Diagnostic, Index, TranslationUnit
from hypothesis import given, settings
from hypothesis import strategies as st

from mgaudit.sources.include_resolver import FolderListings, Resolver, include_graph
from mgaudit.sources.scanner import scan

if TYPE_CHECKING:
    from pathlib import Path


def over(*files: str, **folders: list[str]) -> Resolver:
    return Resolver(**folders, exists=set(files).__contains__, is_link=lambda path: False)


def test_a_quoted_name_is_looked_up_beside_the_includer_first() -> None:
    resolver = over("/s/a.h", "/q/a.h", "/i/a.h", "/q/b.h", "/i/b.h", quote_dirs=["/q"], include_dirs=["/i"])
    assert resolver.resolve("a.h", angled=False, including_file="/s/x.cpp") == "/s/a.h"
    assert resolver.resolve("b.h", angled=False, including_file="/s/x.cpp") == "/q/b.h"
    assert resolver.resolve("a.h", angled=False, including_file="/other/x.cpp") == "/q/a.h"


def test_an_angled_name_is_looked_up_in_the_include_folders_alone() -> None:
    resolver = over("/s/a.h", "/q/a.h", "/i/a.h", "/y/a.h", quote_dirs=["/q"], include_dirs=["/i"], system_dirs=["/y"])
    assert resolver.resolve("a.h", angled=True, including_file="/s/x.cpp") == "/i/a.h"
    assert over("/s/a.h").resolve("a.h", angled=True, including_file="/s/x.cpp") is None


def test_the_order_of_the_kinds_of_folders() -> None:
    names = {"quote_dirs": ["/q"], "include_dirs": ["/i"], "system_dirs": ["/y"], "after_dirs": ["/z"]}
    for count in range(4):
        folders = ["/q", "/i", "/y", "/z"][count:]
        resolver = over(*(f"{folder}/a.h" for folder in folders), **names)
        assert resolver.resolve("a.h", angled=False, including_file="/s/x.cpp") == f"{folders[0]}/a.h"


def test_an_include_folder_that_is_a_system_folder_counts_only_there() -> None:
    resolver = over("/y/a.h", "/i/a.h", include_dirs=["/y", "/i"], system_dirs=["/y"])
    assert resolver.resolve("a.h", angled=True, including_file="/s/x.cpp") == "/i/a.h"


def test_the_same_name_in_two_folders_follows_their_order() -> None:
    files = ("/i/a.h", "/j/a.h")
    assert over(*files, include_dirs=["/j", "/i"]).resolve("a.h", angled=True, including_file="/x") == "/j/a.h"
    assert over(*files, include_dirs=["/i", "/j"]).resolve("a.h", angled=True, including_file="/x") == "/i/a.h"


@pytest.mark.parametrize("angled", [True, False])
def test_include_next_goes_on_behind_the_folder_of_the_includer(angled: bool) -> None:
    resolver = over("/i/a.h", "/j/a.h", "/k/a.h", include_dirs=["/i", "/j", "/k"])
    for includer, expected in (("/i/a.h", "/j/a.h"), ("/j/a.h", "/k/a.h"), ("/k/a.h", None)):
        assert resolver.resolve("a.h", angled=angled, including_file=includer, kind="include_next") == expected


def test_include_next_under_another_name_uses_the_longest_folder() -> None:
    resolver = over("/i/a.h", "/i/n/a.h", "/k/a.h", include_dirs=["/i", "/i/n", "/k"])
    assert resolver.resolve("a.h", angled=True, including_file="/i/n/b.h", kind="include_next") == "/k/a.h"
    assert resolver.resolve("a.h", angled=True, including_file="/i/b.h", kind="has_include_next") == "/i/n/a.h"


def test_include_next_outside_the_search_folders_is_an_ordinary_inclusion() -> None:
    resolver = over("/s/a.h", "/i/a.h", include_dirs=["/i"])
    assert resolver.resolve("a.h", angled=False, including_file="/s/x.cpp", kind="include_next") == "/s/a.h"


def test_absolute_names_and_parent_folders() -> None:
    resolver = over("/s/a.h", "/s/b/../a.h", "/i/../s/a.h", include_dirs=["/i"])
    assert resolver.resolve("/s/a.h", angled=True, including_file="/t/x.cpp") == "/s/a.h"
    assert resolver.resolve("../a.h", angled=False, including_file="/s/b/x.cpp") == "/s/a.h"
    assert resolver.resolve("../s/a.h", angled=True, including_file="/t/x.cpp") == "/s/a.h"
    assert resolver.resolve("/s/none.h", angled=True, including_file="/t/x.cpp") is None


def test_a_parent_folder_behind_a_link_leaves_the_target(tmp_path: Path) -> None:
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "real" / "a.h").touch()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "link").symlink_to(tmp_path / "real" / "inner")
    resolver = Resolver(include_dirs=[str(tmp_path / "tree")])
    found = resolver.resolve("link/../a.h", angled=True, including_file="/x.cpp")
    assert found == str(tmp_path.resolve() / "real" / "a.h")


def test_candidates_are_the_places_in_search_order() -> None:
    resolver = over(quote_dirs=["/q"], include_dirs=["/i"], system_dirs=["/y"])
    assert list(resolver.candidates("a.h", angled=False, including_file="/s/x.cpp")) == [
        "/s/a.h",
        "/q/a.h",
        "/i/a.h",
        "/y/a.h",
    ]
    assert list(resolver.candidates("a.h", angled=True, including_file="/s/x.cpp")) == ["/i/a.h", "/y/a.h"]
    assert list(resolver.candidates("/b/a.h", angled=False, including_file="/s/x.cpp")) == ["/b/a.h"]
    assert list(resolver.candidates("", angled=False, including_file="/s/x.cpp")) == []


def test_an_empty_name_is_nothing() -> None:
    assert over("/s/").resolve("", angled=False, including_file="/s/x.cpp") is None


def test_listings_are_exact_in_case_read_once_and_hold_files_only(tmp_path: Path) -> None:
    (tmp_path / "Name.h").touch()
    (tmp_path / "folder.h").mkdir()
    exists = FolderListings()
    assert exists(str(tmp_path / "Name.h"))
    assert not exists(str(tmp_path / "name.h"))
    assert not exists(str(tmp_path / "folder.h"))
    assert not exists(str(tmp_path / "none" / "a.h"))
    (tmp_path / "Late.h").touch()
    assert not exists(str(tmp_path / "Late.h"))


@pytest.mark.parametrize(
    ("arguments", "folders"),
    [
        (["-I/a", "-I", "/b"], ("/a", "/b")),
        (["-I", "/with space/x"], ("/with space/x",)),
        (["-isystem", "/s", "-I/a", "-iquote/q", "-idirafter", "/z"], ("/q", "/a", "/s", "/z")),
        (["-isystem-after", "/t", "-isystem/s"], ("/t", "/s")),
        (["-Xclang", "-internal-isystem", "-Xclang", "/r"], ("/r",)),
        (["-Irel", "-I."], ("/w/rel", "/w")),
        (["-I/a", "-I/a/../a", "-include", "/x.h", "-DI=-I", "-std=c++20", "-I"], ("/a",)),
        (["-I/y", "-isystem", "/y"], ("/y",)),
    ],
)
def test_folders_from_arguments(arguments: list[str], folders: tuple[str, ...]) -> None:
    assert Resolver.from_arguments(arguments, "/w").folders == folders


def test_the_include_graph_holds_every_arm() -> None:
    files = {
        "/s/x.cpp": scan(b'#include "a.h"\n#if A\n#include <b.h>\n#else\n  #include NAME\n#endif\n#include "no.h"\n'),
        "/s/a.h": scan(b'#pragma once\n#include "x.cpp"\n#if __has_include("a.h")\n#endif\n'),
    }
    resolver = over("/s/x.cpp", "/s/a.h", "/i/b.h", include_dirs=["/i"])
    edges = include_graph(files, resolver)
    assert [(e.source, e.line, e.column, e.spelling, e.target, e.condition, e.computed) for e in edges] == [
        ("/s/a.h", 2, 1, "x.cpp", "/s/x.cpp", "", False),
        ("/s/x.cpp", 1, 1, "a.h", "/s/a.h", "", False),
        ("/s/x.cpp", 3, 1, "b.h", "/i/b.h", "A", False),
        ("/s/x.cpp", 5, 3, "NAME", None, "!A", True),
        ("/s/x.cpp", 7, 1, "no.h", None, "", False),
    ]


def test_the_include_graph_speaks_in_the_keys_of_its_files() -> None:
    files = {"x.cpp": scan(b'#include "a.h"')}
    (edge,) = include_graph(
        files, over("/s/a.h"), absolute=lambda key: f"/s/{key}", key=lambda path: path.removeprefix("/s/")
    )
    assert (edge.source, edge.target) == ("x.cpp", "a.h")


NAMES = st.sampled_from(["a.h", "b.h", "n/a.h", "../a.h", "../i/b.h"])
PLACES = st.sampled_from(["s/a.h", "i/a.h", "i/b.h", "j/a.h", "j/n/a.h", "q/a.h", "q/b.h", "s/n/a.h", "b.h"])


@settings(max_examples=40, deadline=None)
@given(
    st.sets(PLACES),
    NAMES,
    st.booleans(),
    st.permutations(["-Ii", "-Ij", "-iquoteq", "-isystemi", "-idirafterq"]).flatmap(
        lambda words: st.integers(0, 5).map(lambda count: words[:count])
    ),
)
def test_the_front_end_finds_the_same_file(
    tmp_path_factory: pytest.TempPathFactory, places: set[str], name: str, angled: bool, words: list[str]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    for folder in ("s/n", "i", "j/n", "q"):
        (root / folder).mkdir(parents=True)
    for place in places:
        (root / place).write_text("#pragma once\n")
    spelling = f"<{name}>" if angled else f'"{name}"'
    main = root / "s" / "x.cpp"
    main.write_text(f"#include {spelling}\n")
    arguments = [f"{word[:-1]}{root}/{word[-1]}" for word in words]
    unit = Index.create().parse(
        str(main), ["-nostdinc", "-xc++", *arguments], options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    )
    # After an error the front end guesses: quotes in place of angle brackets, a similar name.
    failed = any(item.severity >= Diagnostic.Error for item in unit.diagnostics)
    expected = None if failed else next(str((root / item.include.name).resolve()) for item in unit.get_includes())
    found = Resolver.from_arguments(arguments, str(root)).resolve(name, angled=angled, including_file=str(main))
    assert found == expected
    shutil.rmtree(root)
