from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mgaudit.config.loader import load
from mgaudit.config.starter import propose
from mgaudit.gates.include_purity.parameters import IncludePurityParameters
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from pathlib import Path

    from mgaudit.config.model import Settings


def tree(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def proposed(folder: Path) -> tuple[Settings, str]:
    text = propose(folder)
    (folder / "mgaudit.toml").write_text(text, encoding="utf-8")
    return load(folder / "mgaudit.toml", PARAMETERS), text


SPLIT = {
    "src/backend/draw.cpp": '#include <util/a.h>\n#include "pipe.h"\n#include <vector>\n#include <string.h>\n',
    "src/backend/pipe.h": "",
    "src/state/context.cpp": '#include "state/context.h"\n  #  include <gen/version.h>\n',
    "src/state/context.h": '#include "vk/vk.h"\n',
    "src/util/a.h": "",
    "src/tests/one_test.cpp": '#include "nowhere.h"',
    "third_party/vulkan/include/vk/vk.h": "",
    "build/gen.cpp": "",
    ".cache/x.cpp": "",
    "CMakeLists.txt": "set(CMAKE_CXX_STANDARD 17)\n",
}


def test_a_tree_with_a_boundary(tmp_path: Path) -> None:
    settings, text = proposed(tree(tmp_path, **SPLIT))

    assert settings.tree.sources == ("src/**/*.cpp",)
    assert settings.tree.headers == ("src/**/*.h",)
    assert settings.tree.exclude == ("src/tests/**",)
    (configuration,) = settings.configurations
    assert configuration.standard == "c++17"
    assert configuration.include_dirs == ("src", "third_party/vulkan/include")
    assert configuration.compile_commands is None
    assert {name: zone.paths for name, zone in settings.zones.items()} == {
        "backend": ("src/backend/**",),
        "state": ("src/state/**",),
    }
    assert settings.gates[0].parameters == IncludePurityParameters(("backend",), ("state",))
    assert "#   gen/version.h: 1" in text
    assert "vector" not in text
    assert "nowhere.h" not in text


def test_without_an_obvious_boundary_the_gate_is_a_comment(tmp_path: Path) -> None:
    settings, text = proposed(
        tree(tmp_path, **{"src/a/x.cpp": "", "src/a/y.cpp": "", "src/b/x.cpp": "", "src/b/y.h": ""})
    )

    assert list(settings.zones) == ["a", "b"]
    assert [gate.id for gate in settings.gates] == ["health"]
    assert '# kind = "include-purity"\n# from = ["a"]\n# forbid = ["b"]\n' in text


@pytest.mark.parametrize(
    "place", ["compile_commands.json", "build/compile_commands.json", "cmake-build-debug/compile_commands.json",
              "out/Debug/compile_commands.json", "build-android/compile_commands.json"],
)  # fmt: skip
def test_a_compile_database(tmp_path: Path, place: str) -> None:
    entries = [
        {"directory": ".", "file": "a.cpp", "command": "c++ -std=gnu++20 -c a.cpp"},
        {"directory": ".", "file": "b.cpp", "arguments": ["c++", "-std=gnu++20", "-c", "b.cpp"]},
        {"directory": ".", "file": "c.c", "command": "cc -std=c11 -c c.c"},
    ]
    settings, _ = proposed(tree(tmp_path, **SPLIT | {place: json.dumps(entries)}))

    assert settings.configurations[0].compile_commands == place
    assert settings.configurations[0].standard == "gnu++20"


@pytest.mark.parametrize("text", ["", "{}", "[1, {}]", '[{"command": 3, "arguments": {}}]', "[" * 100_000, "\xff"])
def test_a_broken_compile_database_is_proposed_all_the_same(tmp_path: Path, text: str) -> None:
    settings, _ = proposed(tree(tmp_path, **SPLIT | {"build/compile_commands.json": text}))

    assert settings.configurations[0].compile_commands == "build/compile_commands.json"
    assert settings.configurations[0].standard == "c++17"


@pytest.mark.parametrize(
    ("text", "standard"),
    [
        ("set(CMAKE_CXX_STANDARD 23)", "c++23"),
        ("target_compile_features(x PUBLIC cxx_std_20)", "c++20"),
        ("set_target_properties(x PROPERTIES CXX_STANDARD 98)\nset(CMAKE_CXX_STANDARD 11)", "c++11"),
        ("project(x)", "c++20"),
    ],
)
def test_the_standard_of_a_cmake_project(tmp_path: Path, text: str, standard: str) -> None:
    settings, _ = proposed(tree(tmp_path, **{"src/a.cpp": "", "CMakeLists.txt": text}))

    assert settings.configurations[0].standard == standard


def test_an_empty_tree(tmp_path: Path) -> None:
    settings, text = proposed(tmp_path)

    assert settings.tree.sources == ("**/*.cpp",)
    assert "No C++ source was found" in text


def test_sources_at_the_root(tmp_path: Path) -> None:
    settings, _ = proposed(tree(tmp_path, **{"main.cc": '#include "a.hpp"', "a.hpp": ""}))

    assert settings.tree.sources == ("**/*.cc",)
    assert settings.tree.headers == ("**/*.hpp",)


def test_odd_names(tmp_path: Path) -> None:
    names = [
        "a b",
        "br[ack]et",
        "bra{c}e",
        'quo"te',
        "é",
        "new\nline",
        "star*",
        "back\\slash",
        "paths",
        "...",
        "!x",
        "[[",
    ]
    files = {f"src/{name}/{file}": "" for name in names for file in ("x.cpp", "y.h")}
    settings, _ = proposed(tree(tmp_path, **files))

    chosen = {path for zone in settings.zones.values() for path in zone.paths}
    assert {"src/a b/**", "src/br[[]ack]et/**", "src/bra[{]c}e/**", 'src/quo"te/**', "src/é/**"} - chosen <= {
        "src/é/**"
    }
    assert not any("\n" in path or "\\" in path for path in chosen)


def test_two_folders_of_one_name_are_two_zones(tmp_path: Path) -> None:
    files = {f"{top}/util/{name}": "" for top in ("client", "server") for name in ("a.cpp", "b.cpp")}
    files |= {f"{top}/core/{name}": "" for top in ("client", "server") for name in ("a.cpp", "b.cpp")}
    settings, _ = proposed(tree(tmp_path, **files))

    assert sorted(path for zone in settings.zones.values() for path in zone.paths) == [
        "client/core/**",
        "client/util/**",
        "server/core/**",
        "server/util/**",
    ]


def test_the_same_tree_gives_the_same_text(tmp_path: Path) -> None:
    tree(tmp_path / "one/t", **SPLIT)
    tree(tmp_path / "two/t", **dict(reversed(SPLIT.items())))

    assert propose(tmp_path / "one/t") == propose(tmp_path / "two/t")


def test_links_are_not_followed(tmp_path: Path) -> None:
    tree(tmp_path, **{"src/a.cpp": ""})
    (tmp_path / "src/loop").symlink_to(tmp_path)

    assert proposed(tmp_path)[0].tree.sources == ("src/**/*.cpp",)
