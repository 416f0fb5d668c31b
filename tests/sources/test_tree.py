from __future__ import annotations

import os
from pathlib import Path

import pytest

from mgaudit.config.model import ConfigurationSpec, Settings, TreeSpec
from mgaudit.domain.zones import Zone
from mgaudit.sources.tree import PathResolver, list_files, selection_problems, selection_warnings


def configuration(**changes: object) -> ConfigurationSpec:
    values: dict[str, object] = {
        "name": "only",
        "required": True,
        "compile_commands": None,
        "standard": None,
        "include_dirs": (),
        "system_include_dirs": (),
        "defines": (),
        "undefines": (),
        "force_includes": (),
        "extra_args": (),
        "stub_headers": {},
        "target": "",
        "sysroot": "",
        "missing_headers": "error",
        "path": "mgaudit.toml",
        "line": 3,
    }
    return ConfigurationSpec(**{**values, **changes})  # type: ignore[arg-type]


def settings(
    root: Path,
    *,
    sources: tuple[str, ...] = ("src/**/*.cpp",),
    headers: tuple[str, ...] = ("src/**/*.h",),
    exclude: tuple[str, ...] = (),
    zones: tuple[Zone, ...] = (),
    compile_commands: str | None = None,
) -> Settings:
    return Settings(
        file=root / "mgaudit.toml",
        root=root.resolve(),
        path="mgaudit.toml",
        digest="",
        tree=TreeSpec("t", sources, headers, exclude),
        configurations=(configuration(compile_commands=compile_commands),),
        zones={zone.name: zone for zone in zones},
        verbs=None,  # type: ignore[arg-type]
        catalogues={},
        gates=(),
    )


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def test_lists_sources_headers_and_zone_files_sorted(tmp_path: Path) -> None:
    write(tmp_path, "src/b.cpp", "src/a.h", "src/state/t.inc", "src/state/notes.txt", "other/x.cpp", ".git/src/y.cpp")
    files = list_files(settings(tmp_path, zones=(Zone("state", ("src/state/**",)),)))
    assert files.files == ("src/a.h", "src/b.cpp", "src/state/t.inc")
    assert files.sources == ("src/b.cpp",)
    assert files.headers == ("src/a.h",)
    assert files.in_zone("state") == ("src/state/t.inc",)


def test_a_zone_glob_that_spells_its_suffix_takes_any_file(tmp_path: Path) -> None:
    write(tmp_path, "src/a.cpp", "src/state/table.gen", "src/state/Umbrella", "src/state/README")
    zone = Zone("state", ("src/state/*.gen", "src/state/Umbrella", "src/state/**"))
    assert list_files(settings(tmp_path, zones=(zone,))).in_zone("state") == (
        "src/state/Umbrella",
        "src/state/table.gen",
    )


def test_exclude_wins_but_a_zone_still_holds_the_file(tmp_path: Path) -> None:
    write(tmp_path, "src/a.cpp", "src/old/b.cpp")
    chosen = settings(tmp_path, exclude=("src/old/**",), zones=(Zone("old", ("src/old/**",), (), 9),))
    files = list_files(chosen)
    assert files.files == ("src/a.cpp",)
    assert files.zones_of("src/old/b.cpp") == ("old",)
    assert selection_problems(chosen, files) == ()


def test_one_file_under_two_names_is_one_file_in_the_zone_of_its_real_path(tmp_path: Path) -> None:
    write(tmp_path, "src/state/real.h", "src/a.cpp")
    (tmp_path / "src/backend").mkdir()
    (tmp_path / "src/backend/alias.h").symlink_to("../state/real.h")
    zones = (Zone("state", ("src/state/**",)), Zone("backend", ("src/backend/**",)))
    files = list_files(settings(tmp_path, zones=zones))
    assert files.files == ("src/a.cpp", "src/state/real.h")
    assert files.zones_of(PathResolver(tmp_path).key("src/backend/alias.h")) == ("state",)
    assert files.occupied == {"state"}


def test_a_link_that_matches_brings_in_a_file_that_does_not(tmp_path: Path) -> None:
    write(tmp_path, "vendor/x.cpp", "src/a.cpp")
    (tmp_path / "src/vendor").symlink_to(tmp_path / "vendor", target_is_directory=True)
    assert list_files(settings(tmp_path)).sources == ("src/a.cpp", "vendor/x.cpp")


def test_a_link_out_of_the_root_is_absolute_and_in_no_zone(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    write(root, "src/a.cpp")
    write(tmp_path, "elsewhere/b.cpp")
    (root / "src/b.cpp").symlink_to(tmp_path / "elsewhere/b.cpp")
    files = list_files(settings(root, zones=(Zone("all", ("**",)),)))
    outside = (tmp_path / "elsewhere/b.cpp").resolve().as_posix()
    assert files.sources == (outside, "src/a.cpp")
    assert files.zones_of(outside) == ()


def test_link_cycles_end(tmp_path: Path) -> None:
    write(tmp_path, "src/x/a.cpp", "src/y/b.cpp")
    (tmp_path / "src/x/up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "src/x/self").symlink_to(tmp_path / "src/x", target_is_directory=True)
    (tmp_path / "src/x/y").symlink_to(tmp_path / "src/y", target_is_directory=True)
    (tmp_path / "src/y/x").symlink_to(tmp_path / "src/x", target_is_directory=True)
    (tmp_path / "src/loop.h").symlink_to("loop.h")
    files = list_files(settings(tmp_path))
    assert files.sources == ("src/x/a.cpp", "src/y/b.cpp")
    assert [problem.path for problem in files.warnings] == ["src/loop.h"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "src/a.cpp", "src/shut/b.cpp")
    (tmp_path / "src/shut").chmod(0)
    try:
        files = list_files(settings(tmp_path))
    finally:
        (tmp_path / "src/shut").chmod(0o755)
    assert [problem.path for problem in files.problems] == ["src/shut"]


def test_a_folder_that_fails_to_list_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "src/a.cpp", "src/shut/b.cpp")
    scandir = os.scandir

    def failing(path: str) -> object:
        if path.endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("mgaudit.sources.tree.os.scandir", failing)
    chosen = settings(tmp_path)
    files = list_files(chosen)
    assert [(problem.path, problem.message) for problem in selection_problems(chosen, files)] == [
        ("src/shut", "the folder cannot be read: Permission denied")
    ]


def test_only_folders_that_can_match_are_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "src/a.cpp", "src/deep/b.cpp", "third/party/c.cpp", "build/d.cpp")
    entered: list[str] = []
    scandir = os.scandir

    def watching(path: str) -> object:
        entered.append(os.path.relpath(path, tmp_path.resolve()))
        return scandir(path)

    monkeypatch.setattr("mgaudit.sources.tree.os.scandir", watching)
    list_files(settings(tmp_path, zones=(Zone("third", ("third/party/x/*.h",)),)))
    assert sorted(entered) == [".", "src", "src/deep", "third", "third/party"]


def test_selections_that_hold_nothing(tmp_path: Path) -> None:
    write(tmp_path, "src/a.txt")
    (tmp_path / "mgaudit.toml").write_text("schema = 1\n\n[tree]\n")
    zones = (
        Zone("empty", ("src/none/**",), (), 7),
        Zone("by-namespace", (), ("mg::state",), 9),
    )
    chosen = settings(tmp_path, zones=zones)
    files = list_files(chosen)
    problems = selection_problems(chosen, files)
    assert [(problem.path, problem.line) for problem in problems] == [("mgaudit.toml", 7), ("mgaudit.toml", 3)]
    assert "empty" in problems[0].message
    assert "sources" in problems[1].message
    warnings = selection_warnings(chosen, files)
    assert [(warning.line, "src/**/*.h" in warning.message) for warning in warnings] == [(3, True)]


def test_sources_may_be_absent_where_a_database_names_the_units_but_not_match_nothing(tmp_path: Path) -> None:
    chosen = settings(tmp_path, sources=(), headers=(), compile_commands="compile_commands.json")
    assert selection_problems(chosen, list_files(chosen)) == ()
    chosen = settings(tmp_path, sources=("src/*.cc",), headers=(), compile_commands="compile_commands.json")
    assert "src/*.cc" in selection_problems(chosen, list_files(chosen))[0].message


def test_names_that_are_no_text_are_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "src/a.cpp")
    try:
        Path(os.fsdecode(os.fsencode(tmp_path / "src") + b"/\xff.cpp")).write_text("")
    except OSError:
        pytest.skip("the file system takes only text")
    files = list_files(settings(tmp_path))
    assert files.sources == ("src/a.cpp",)
    assert ["\\xff" in problem.message for problem in files.problems] == [True]


def test_absolute_paths_survive_a_missing_folder_and_follow_links(tmp_path: Path) -> None:
    resolver = PathResolver(tmp_path)
    gone = str(tmp_path / "build/gone")
    assert resolver.absolute(gone, "../../src") == str(tmp_path / "src")
    write(tmp_path, "real/deep/x.h", "real/y.h", "y.h")
    (tmp_path / "link").symlink_to(tmp_path / "real/deep", target_is_directory=True)
    assert resolver.absolute(str(tmp_path), "link/../y.h") == os.path.realpath(tmp_path / "real/y.h")


def test_a_key_is_the_real_path_whatever_the_spelling(tmp_path: Path) -> None:
    write(tmp_path, "real/deep/x.h", "real/y.h", "y.h")
    (tmp_path / "link").symlink_to(tmp_path / "real/deep", target_is_directory=True)
    (tmp_path / "real/deep/z.h").symlink_to("../y.h")
    (tmp_path / "real/loop.h").symlink_to("loop.h")
    resolver, root = PathResolver(tmp_path), os.path.realpath(tmp_path)
    folders = ("", "link/", "link/../", "real/", "real/deep/", "./real//deep/", "gone/", "gone/../real/", "/", "/usr/")
    names = ("x.h", "y.h", "z.h", "loop.h", "gone.h", "link", "", ".", "..", "deep/..", "deep/z.h")
    for spelled in (folder + name for folder in folders for name in names):
        real = os.path.realpath(tmp_path / spelled)
        assert resolver.key(spelled) == real.removeprefix(root + "/"), spelled
