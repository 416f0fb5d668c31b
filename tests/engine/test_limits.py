"""Sources that want more than they may have, and sources that break the front end: named errors, and no hang."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from mgaudit.config.model import LimitsSpec
from mgaudit.engine import pool, serving
from mgaudit.engine.judge import judge
from mgaudit.engine.serving import death_of
from mgaudit.sources.tree import file_content, file_text

if TYPE_CHECKING:
    from pathlib import Path

    from mgaudit.engine.worker import Setup
    from tests.engine.conftest import Tree

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are of the operating system")

# A forked worker starts with the address space of the tests' own process, and a busy machine is slow.
LIMITS = "\n[limits]\nunit-seconds = 3\nunit-megabytes = 2500\n"
ENDLESS = {
    "instantiations": "template <int A, int B> struct F { static constexpr int v = "
    "F<A - 1, B * 2>::v + F<A - 1, B * 2 + 1>::v; };\n"
    "template <int B> struct F<0, B> { static constexpr int v = B; };\nint x = F<28, 1>::v;\n",
    "macros": "#define M0 int f();\n" + "".join(f"#define M{n} M{n - 1} M{n - 1}\n" for n in range(1, 31)) + "M30\n",
    "device": '#include "/dev/zero"\n',
    "pipe": '#include "pipe.h"\n',
    "depth": "int x = " + "(" * 400_000 + "1;\n",
}
CRASHES = {
    "crash": "#pragma clang __debug crash\n",
    "fatal": "#pragma clang __debug llvm_fatal_error\n",
    "parser": "#pragma clang __debug parser_crash\nint f();\n",
}


@pytest.fixture(params=["fork", "spawn"])
def _method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "start_method", lambda: request.param)


@pytest.mark.usefixtures("_method")
def test_what_would_never_end_is_ended_and_named(tree: Tree) -> None:
    tree.settings += LIMITS
    os.mkfifo(tree.root / "src/pipe.h")
    for name, text in ENDLESS.items():
        tree.write(f"src/{name}.cpp", text)
    started = time.monotonic()
    after = tree.analyse(jobs=4)
    assert time.monotonic() - started < 60  # a hang, not a measurement
    told = {problem.path: problem for problem in after.problems}
    for name in ENDLESS:
        if name == "depth":  # the front end has a limit of its own
            continue
        problem = told[f"src/{name}.cpp"]
        assert "`unit-seconds`" in problem.message or "`unit-megabytes`" in problem.message
        assert "[limits]" in (problem.help or "")
    assert judge(after).exit_code == 2
    assert [u.name.path for u in after.facts.units if "/depth" not in u.name.path] == [
        "src/a.cpp", "src/b.cpp", "src/c.cpp",
    ]  # fmt: skip


@pytest.mark.parametrize("jobs", [0, 2])
def test_a_crash_of_the_front_end_costs_its_unit_alone(
    tree: Tree, jobs: int, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, text in CRASHES.items():
        tree.write(f"src/{name}.cpp", text)
    after = tree.analyse(jobs=jobs)
    assert sorted((p.path, "the front end crashed" in p.message) for p in after.problems) == [
        (f"src/{name}.cpp", True) for name in sorted(CRASHES)
    ]
    assert [unit.name.path for unit in after.facts.units] == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]
    assert jobs == 0 or capfd.readouterr().err == ""


def test_a_scanner_has_no_more_time_than_a_parse(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    look = serving.Look.perform

    def slow(self: serving.Look, setup: Setup) -> None:
        if "src/util.h" in self.scans:
            time.sleep(60)
        look(self, setup)

    monkeypatch.setattr(serving.Look, "perform", slow)
    monkeypatch.setattr(pool, "start_method", lambda: "fork")
    tree.settings += LIMITS
    after = tree.analyse(jobs=2)
    assert [(p.path, "`unit-seconds`" in p.message) for p in after.problems] == [("src/util.h", True)]


def test_limits_change_no_answer(tree: Tree) -> None:
    before = tree.dump(jobs=1)
    tree.settings += "\n[limits]\nunit-seconds = 77\n"
    assert tree.parsed(jobs=1) == []
    assert tree.dump() == before


class TestExitCodes:
    @pytest.mark.parametrize(
        ("code", "part"),
        [
            (serving._OUT_OF_MEMORY, "9 MB of `unit-megabytes`"),
            (serving._CRASHED, "the front end crashed"),
            (-14, "7 s of `unit-seconds`"),
            (-9, "SIGKILL"),
            (-11, "SIGSEGV"),
            (-90, "signal 90"),
            (0, "exit code 0"),
            (3, "exit code 3"),
        ],
    )
    def test_each_says_why(self, code: int, part: str) -> None:
        death = death_of(code, LimitsSpec(7, 9))
        assert part in death.reason
        assert death.advice
        assert death.is_final == (code == -14)


class TestFileContent:
    def test_a_regular_file(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"a\r\nb\rc\n")
        assert file_content(tmp_path / "a") == b"a\r\nb\rc\n"
        assert file_text(tmp_path / "a") == (tmp_path / "a").read_text()

    @pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
    def test_what_never_ends_is_refused(self, tmp_path: Path, kind: str) -> None:
        path = tmp_path / "x"
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "device":
            path.symlink_to("/dev/zero")
        else:
            path.mkdir()
        with pytest.raises(OSError, match=r"regular file|directory"):
            file_content(path)


def test_code_with_every_kind_of_error_does_not_crash_the_front_end(tree: Tree) -> None:
    """Expressions that mean nothing have no type, and libclang does not survive being asked about none."""
    tree.settings += '\n[[gate]]\nid = "K"\nkind = "memo-keys"\nzones = ["backend"]\nfrontend = ["state"]\n'
    tree.write(
        "src/backend/bad.cpp",
        "struct S { int a; };\nint bad() {\n  auto a = nope(1); auto b = {nope, 2}; auto c{nope}; auto [d, e] = nope;\n"
        "  auto f = S{nope}; auto g = Nope<int>(3); auto h = ; for (auto i : nope) { auto j = i; }\n"
        "  auto n = [&](auto o) { return nope(o); }; Nope q; auto r = q.x; auto s = &q; auto t = q->y;\n"
        "  int u = Nope::z; auto v = {}; auto w = (nope); auto x = {{1}, {2}};\n  return a == b;\n}\n",
    )
    after = tree.analyse(jobs=1)
    assert after.problems == ()
    assert judge(after).exit_code == 2
    assert [u.name.path for u in after.facts.units if "bad" in u.name.path] == ["src/backend/bad.cpp"]
