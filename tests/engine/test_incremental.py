"""A later run parses exactly what changed, and answers as a run that knows nothing."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.engine.conftest import Tree

ALL = ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


def test_nothing_changed(tree: Tree) -> None:
    first = tree.dump()
    assert tree.analyses[0].problems == ()
    assert sorted(unit.path for unit in tree.analyses[0].statistics.parsed) == ALL
    assert first["reference"]
    assert first["include"]
    assert tree.dump() == first
    assert tree.analyses[-1].statistics.parsed == {}
    assert tree.analyses[-1].statistics.reused == 3


def test_time_stamps_mean_nothing(tree: Tree) -> None:
    tree.analyse()
    for path in tree.root.rglob("*.*"):
        os.utime(path, (1, 1))
    assert tree.parsed() == []


class TestWhatIsParsed:
    @pytest.mark.parametrize(
        ("name", "text", "parsed"),
        [
            ("src/c.cpp", "int c() { return 2; }\n", ["src/c.cpp"]),
            ("src/state/context.h", "namespace state { struct Context { int width; int get(); }; }\n", ["src/a.cpp"]),
            ("src/util.h", "template <class T> int width(T& t) { return t.width + 1; }\n", ["src/a.cpp", "src/b.cpp"]),
            ("src/first/util.h", "template <class T> int width(T& t) { return 0; }\n", ["src/a.cpp", "src/b.cpp"]),
            ("src/first/state/context.h", "namespace state { struct Context { int width, get(); }; }\n", ["src/a.cpp"]),
            ("src/new.h", "int n;\n", []),
            ("src/d.cpp", "int d() { return 4; }\n", ["src/d.cpp"]),
        ],
    )
    def test_after_a_file_is_written(self, tree: Tree, name: str, text: str, parsed: list[str]) -> None:
        tree.analyse()
        tree.write(name, text)
        after = tree.analyse()
        assert sorted(unit.path for unit in after.statistics.parsed) == parsed
        assert tree.dump_of(after) == tree.cold()

    def test_after_a_header_at_equal_size_and_time(self, tree: Tree) -> None:
        path = tree.root / "src/util.h"
        before = path.stat()
        tree.analyse()
        path.write_text(path.read_text().replace("t.width", "t.w1dth"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_size == before.st_size
        assert tree.parsed() == ["src/a.cpp", "src/b.cpp"]

    def test_after_a_shadowing_header_goes_away(self, tree: Tree) -> None:
        tree.write("src/first/util.h", "template <class T> int width(T& t) { return 0; }\n")
        before = tree.dump()
        tree.delete("src/first/util.h")
        after = tree.analyse()
        assert sorted(unit.path for unit in after.statistics.parsed) == ["src/a.cpp", "src/b.cpp"]
        assert tree.dump_of(after) == tree.cold() != before

    def test_after_a_missing_header_appears_and_goes(self, tree: Tree) -> None:
        tree.write("src/c.cpp", '#include "later.h"\nint c() { return 1; }\n')
        lacking = tree.dump()
        tree.write("src/later.h", "int later();\n")
        assert tree.parsed() == ["src/c.cpp"]
        assert tree.dump() == tree.cold() != lacking
        tree.delete("src/later.h")
        assert tree.parsed() == []  # as it was before: known
        assert tree.dump() == lacking

    def test_after_a_header_that_was_asked_for_appears(self, tree: Tree) -> None:
        """``__has_include`` is a dependency without an inclusion."""
        tree.write(
            "src/c.cpp", '#if __has_include("option.h")\n#include "option.h"\nint c() { return option(); }\n#endif\n'
        )
        without = tree.dump()
        tree.write("src/option.h", "int option();\n")
        assert tree.parsed() == ["src/c.cpp"]
        assert tree.dump() == tree.cold() != without
        tree.delete("src/option.h")
        assert tree.dump() == without

    def test_after_a_header_that_was_only_asked_for_goes(self, tree: Tree) -> None:
        tree.write("src/option.h", "")
        tree.write("src/c.cpp", "#if __has_include(<option.h>)\nint with();\n#else\nint without();\n#endif\n")
        tree.analyse()
        tree.delete("src/option.h")
        assert tree.parsed() == ["src/c.cpp"]
        assert tree.dump() == tree.cold()

    def test_after_a_library_is_installed(self, tree: Tree) -> None:
        tree.write("sys/usr/include/stdio.h", "")
        tree.settings += 'sysroot = "sys"\n'
        tree.write("src/c.cpp", "#include <library.h>\n")
        assert tree.dump()["diagnostic"]
        tree.write("sys/usr/include/library.h", "")
        assert tree.parsed() == ["src/c.cpp"]
        assert tree.dump()["diagnostic"] == []

    def test_after_a_link_leads_elsewhere(self, tree: Tree) -> None:
        tree.write("src/one.h", "int one();\n")
        tree.write("src/two.h", "int two();\n")
        tree.write("src/c.cpp", '#include "chosen.h"\n')
        (tree.root / "src/chosen.h").symlink_to("one.h")
        tree.analyse()
        tree.delete("src/chosen.h")
        (tree.root / "src/chosen.h").symlink_to("two.h")
        assert tree.parsed() == ["src/c.cpp"]
        assert tree.dump() == tree.cold()

    @pytest.mark.parametrize(
        "flags",
        ['defines = ["X=1"]', 'undefines = ["X"]', 'force-includes = ["src/util.h"]', 'extra-args = ["-fno-rtti"]',
         'stub-headers = { "none.h" = "" }'],
    )  # fmt: skip
    def test_after_flags_change(self, tree: Tree, flags: str) -> None:
        tree.analyse()
        tree.settings += flags + "\n"
        assert tree.parsed() == ALL
        assert tree.dump() == tree.cold()

    def test_after_the_environment_names_other_folders(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        tree.write("src/c.cpp", "#include <outside.h>\n")
        tree.write("one/outside.h", "int one();\n")
        tree.write("two/outside.h", "int two();\n")
        monkeypatch.setenv("CPATH", str(tree.root / "one"))
        tree.analyse()
        monkeypatch.setenv("CPATH", str(tree.root / "two"))
        assert tree.parsed() == ALL
        assert tree.dump() == tree.cold()

    def test_after_an_in_memory_header_changes(self, tree: Tree) -> None:
        tree.write("src/c.cpp", '#include "virtual.h"\n')
        plain = tree.settings
        tree.settings = plain + 'stub-headers = { "virtual.h" = "int one();" }\n'
        tree.analyse()
        tree.settings = plain + 'stub-headers = { "virtual.h" = "int two();" }\n'
        assert "src/c.cpp" in tree.parsed()
        assert tree.dump() == tree.cold()

    def test_after_the_tracked_files_change(self, tree: Tree) -> None:
        tree.analyse()
        tree.settings = tree.settings.replace('headers = ["src/**/*.h", "src/**/*.inc"]', 'headers = ["src/state/*.h"]')
        assert tree.parsed() == ["src/a.cpp", "src/b.cpp"]
        assert tree.dump() == tree.cold()

    def test_after_a_configuration_is_added(self, tree: Tree) -> None:
        tree.analyse()
        tree.settings += '[[configuration]]\nname = "more"\ndefines = ["MORE"]\ninclude-dirs = ["src"]\n'
        assert tree.parsed() == ALL
        assert tree.dump() == tree.cold()

    def test_a_run_of_one_configuration_says_nothing_of_another(self, tree: Tree) -> None:
        tree.settings += '[[configuration]]\nname = "more"\ndefines = ["MORE"]\ninclude-dirs = ["src"]\n'
        both = tree.dump()
        one = tree.dump(configurations=("more",))
        assert one == tree.cold(configurations=("more",))
        assert tree.dump() == both
        assert tree.analyses[-1].statistics.parsed == {}


def test_any_sequence_of_edits_ends_as_a_run_that_knows_nothing(tree: Tree) -> None:
    chance = random.Random(20)
    sources = ["src/a.cpp", "src/b.cpp", "src/d.cpp"]
    headers = ["src/x.h", "src/y.h", "src/first/x.h", "src/first/y.h"]

    def body(name: str) -> str:
        lines = [f"#include <{chance.choice(['x.h', 'y.h', 'z.h'])}>" for _ in range(chance.randrange(3))]
        if name.endswith(".h"):
            guard = chance.choice(["#pragma once", "#define SEEN 1", ""])
            kind = chance.choice(["struct", "class"])
            virtual = chance.choice(["virtual ", ""])
            lines += [
                f"#ifndef {name[-3]}\n#define {name[-3]}\n{kind} S{name[-3]} {{ public: {virtual}int m(); }};\n#endif"
            ]
            return "\n".join([guard, *lines]) + "\n"
        return "\n".join([*lines, "#ifdef x", f"int {name[4]}(Sx& s) {{ return s.m(); }}", "#endif"]) + "\n"

    for name in (*sources, *headers):
        tree.write(name, body(name))
    for _ in range(14):
        name = chance.choice([*sources, *headers])
        if (tree.root / name).exists() and chance.random() < 0.3 and name in headers:
            tree.delete(name)
        else:
            tree.write(name, body(name))
        if chance.random() < 0.2:
            tree.settings += 'defines = ["STEP=1"]\n' if "STEP" not in tree.settings else ""
        assert tree.dump() == tree.cold()


def test_workers_change_nothing(tree: Tree) -> None:
    assert tree.cold(jobs=1) == tree.cold(jobs=3)
    assert repr(tree.cold(jobs=1)) == repr(tree.cold(jobs=3))


def test_a_link_that_leads_nowhere_is_no_header_until_it_does(tree: Tree) -> None:
    (tree.root / "src/first").mkdir()
    (tree.root / "src/first/util.h").symlink_to("late.h")
    assert tree.analyse().problems == ()
    assert tree.parsed() == []
    tree.write("src/first/late.h", (tree.root / "src/util.h").read_bytes())
    assert "src/a.cpp" in tree.parsed()
    assert tree.dump() == tree.cold()
