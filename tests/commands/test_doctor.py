from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mgaudit.sources import clang_binding, indexer

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

Run = Callable[..., Any]


def test_a_sound_tree(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("doctor")
    assert (result.code, result.err) == (0, "")
    assert "  ok    libclang " in result.out
    assert "  ok    zone backend: 2 files\n" in result.out
    assert "configuration split\n  ok    2 of 2 units parse without errors\n" in result.out
    assert result.out.endswith("all is well: nothing here makes an answer of `mgaudit check` untrusted\n")


def test_it_says_how_libclang_is_called(tree: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    if clang_binding.is_built():
        assert "  ok    libclang is called from C\n" in mgaudit("doctor").out
    monkeypatch.setenv(clang_binding.SWITCH, "ctypes")
    for built, advice in ((True, "unset MGAUDIT_BINDING"), (False, "reinstall mgaudit where there is a C compiler")):
        monkeypatch.setattr(clang_binding, "is_built", lambda built=built: built)
        result = mgaudit("doctor")
        assert f"through ctypes: the same facts, more slowly\n          {advice}" in result.out
        assert result.code == 0


def test_it_says_whether_the_extraction_is_compiled(tree: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "__file__", "indexer.cpython-311-x86_64-linux-gnu.so")
    assert "  ok    the extraction is compiled\n" in mgaudit("doctor").out
    monkeypatch.setattr(indexer, "__file__", "indexer.py")
    result = mgaudit("doctor")
    assert "  note  the extraction is interpreted: the same facts, more slowly\n          install a wheel" in result.out
    assert result.code == 0


def test_a_unit_that_does_not_parse_is_named_with_its_first_error(tree: Path, mgaudit: Run) -> None:
    text = "int early = nothing;\n#include <generated/tables.h>\nint late = nothing;\n"
    (tree / "src/state/broken.cpp").write_text(text, encoding="utf-8")
    result = mgaudit("doctor")
    assert result.code == 2
    assert "  bad   2 of 3 units parse without errors\n" in result.out
    assert "src/state/broken.cpp: src/state/broken.cpp:2: 'generated/tables.h' file not found (and " in result.out
    assert "missing headers\n          generated/tables.h: 1 unit\n" in result.out


def test_a_configuration_that_is_not_required_makes_nothing_untrusted(tree: Path, mgaudit: Run) -> None:
    text = (tree / "mgaudit.toml").read_text(encoding="utf-8")
    (tree / "mgaudit.toml").write_text(text.replace('name = "split"', 'name = "split"\nrequired = false'), "utf-8")
    broken = "#if SPLIT\n#error no\n#endif\n"
    (tree / "src/state/broken.cpp").write_text(broken, encoding="utf-8")
    result = mgaudit("doctor")
    assert result.code == 0
    assert "configuration split\n  note  2 of 3 units parse without errors\n" in result.out


def test_files_outside_of_every_closure_are_listed(tree: Path, mgaudit: Run) -> None:
    (tree / "src/backend/lone.h").write_text("#pragma once\nint unknown = nothing;\n", encoding="utf-8")
    (tree / "src/other.h").write_text("#pragma once\n", encoding="utf-8")
    result = mgaudit("doctor")
    assert "  note  2 files in no unit's closure\n" in result.out
    assert "          src/backend/lone.h (in an audited zone)\n          src/other.h\n" in result.out
    assert "  note  0 of 1 header taken alone parse without errors\n          src/backend/lone.h: " in result.out


def test_what_a_compile_database_brings_along(tree: Path, mgaudit: Run) -> None:
    entries = [
        {"directory": str(tree), "file": name, "arguments": ["c++", "-Isrc", "-flto", "-c", name]}
        for name in ("src/state/context.cpp", "elsewhere/other.cpp")
    ]
    (tree / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
    text = (tree / "mgaudit.toml").read_text(encoding="utf-8")
    database = 'name = "mono"\ncompile-commands = "compile_commands.json"'
    (tree / "mgaudit.toml").write_text(text.replace('name = "mono"', database), encoding="utf-8")
    result = mgaudit("doctor", "--configuration", "mono")
    assert result.code == 0
    assert "-flto" in result.out
    assert "1 source that the compile database lacks; parsed with the own flags\n" in result.out
    assert "          src/backend/draw.cpp\n" in result.out
    assert "1 file of the compile database outside of the audit\n          elsewhere/other.cpp\n" in result.out
    assert "configuration split" not in result.out


def test_outputs_that_differ_from_file_to_file_are_one_flag(tree: Path, mgaudit: Run) -> None:
    entries = [
        {"directory": str(tree), "file": name, "arguments": ["c++", "-Isrc", "-o", f"{name}.o", "-flto", "-c", name]}
        for name in ("src/state/context.cpp", "src/backend/draw.cpp")
    ]
    (tree / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
    text = (tree / "mgaudit.toml").read_text(encoding="utf-8")
    database = 'name = "mono"\ncompile-commands = "compile_commands.json"'
    (tree / "mgaudit.toml").write_text(text.replace('name = "mono"', database), encoding="utf-8")
    result = mgaudit("doctor", "--configuration", "mono")
    assert "  note  3 flags of compile commands are left out\n" in result.out
    assert "          -o ...: output (2 commands)\n" in result.out


def test_include_folders_that_are_not_there_are_named(tree: Path, mgaudit: Run) -> None:
    text = (tree / "mgaudit.toml").read_text(encoding="utf-8")
    folders = 'include-dirs = ["src", "src/none"]\nsystem-include-dirs = ["/nowhere"]'
    (tree / "mgaudit.toml").write_text(text.replace('include-dirs = ["src"]', folders, 1), encoding="utf-8")
    result = mgaudit("doctor")
    listed = "          src/none (include-dirs)\n          /nowhere (system-include-dirs)\n"
    assert result.out.count(f"  note  absent include folders: 2\n{listed}") == 1
    assert result.code == 0


def test_a_baseline_that_is_not_there_is_bad(tree: Path, mgaudit: Run) -> None:
    with (tree / "mgaudit.toml").open("a", encoding="utf-8") as file:
        file.write('baseline = "baselines/A.txt"\n')
    result = mgaudit("doctor")
    assert "  bad   mgaudit.toml:30: the baseline baselines/A.txt does not exist\n          `mgaudit b" in result.out
    assert (result.code, mgaudit("check").code) == (2, 2)


def test_an_error_in_the_configuration_ends_it(tree: Path, mgaudit: Run) -> None:
    (tree / "mgaudit.toml").write_text("schema = 2\n", encoding="utf-8")
    result = mgaudit("doctor")
    assert result.code == 2
    assert "configuration file\n  bad   mgaudit.toml:1: " in result.out


def test_an_empty_zone_is_bad(tree: Path, mgaudit: Run) -> None:
    text = (tree / "mgaudit.toml").read_text(encoding="utf-8")
    (tree / "mgaudit.toml").write_text(text.replace("src/state/**", "src/State/**"), encoding="utf-8")
    result = mgaudit("doctor")
    assert result.code == 2
    assert "zone `state` holds no file" in result.out


def test_a_library_that_is_not_there(tree: Path, mgaudit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MGAUDIT_LIBCLANG", str(tree / "none"))
    result = mgaudit("doctor")
    assert result.code == 2
    assert "  bad   MGAUDIT_LIBCLANG names " in result.out


def test_quiet_shows_what_is_bad_only(tree: Path, mgaudit: Run) -> None:
    assert (
        mgaudit("doctor", "--quiet").out == "all is well: nothing here makes an answer of `mgaudit check` untrusted\n"
    )


def test_the_certificate_lists_what_not_both_parsers_vouch_for(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("doctor", "--certificate")
    assert (result.code, result.err) == (0, "")
    assert "src/backend/draw.cpp: 99 bytes\n  mono: " in result.out
    assert "    22 bytes by the scanner alone, lines 3-4: the configuration does not take the arm SPLIT\n" in result.out
    assert "4 files, 3 of them vouched for whole by both\nconfiguration mono: " in result.out
    assert result.out.count("in any configuration: 343 (100.0 %) by both parsers\n") == 1


def test_the_certificate_for_programs_adds_up(tree: Path, mgaudit: Run) -> None:
    result = mgaudit("doctor", "--certificate", "--format", "json")
    found = json.loads(result.out)
    assert [item["name"] for item in found["configurations"]] == ["mono", "split"]
    assert found["examined"]["files"] == len(found["files"]) == 4
    for file in found["files"]:
        assert file["size"] == (tree / file["path"]).stat().st_size
        assert sorted(name for view in file["views"] for name in view["configurations"]) == ["mono", "split"]
        for view in file["views"]:
            ends = [0, *(item["end"] for item in view["ranges"])]
            assert [item["start"] for item in view["ranges"]] == ends[:-1]
            assert ends[-1] == file["size"] == sum(view["bytes"].values())
            assert all((item["reason"] is None) is (item["by"] == "both") for item in view["ranges"])


def test_only_the_certificate_has_other_forms(tree: Path, mgaudit: Run) -> None:
    assert mgaudit("doctor", "--format", "json").code == 2


def test_headers_that_nobody_has_read_are_part_of_the_certificate(tree: Path, mgaudit: Run) -> None:
    text = (tree / "mgaudit.toml").read_text(encoding="utf-8")
    stub = 'name = "split"\nstub-headers = { "made.h" = "int made;" }'
    (tree / "mgaudit.toml").write_text(text.replace('name = "split"', stub), encoding="utf-8")
    (tree / "src/other.cpp").write_text('#if SPLIT\n#include "made.h"\n#else\n#include <none.h>\n#endif\n', "utf-8")
    found = json.loads(mgaudit("doctor", "--certificate", "--format", "json").out)
    assert found["unread-headers"] == [
        {"spelling": "made.h", "stands-in": True, "configurations": ["split"]},
        {"spelling": "none.h", "stands-in": False, "configurations": ["mono"]},
    ]
    stubbed = (tree / "mgaudit.toml").read_text().replace('name = "mono"', 'name = "mono"\nmissing-headers = "stub"')
    (tree / "mgaudit.toml").write_text(stubbed, encoding="utf-8")
    text = mgaudit("doctor", "--certificate").out
    assert "2 headers that nobody has read: what they hold is seen by no parser\n" in text
    assert (
        "  made.h: a stand-in is read in its place (split)\n  none.h: a stand-in is read in its place (mono)\n" in text
    )
