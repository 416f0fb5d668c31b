"""Every kind of input, mutated: an answer or exit 2 with a reason; never a traceback, a hang, a write or a program run.

The suite tries one mutation of each file of a small tree. ``MGAUDIT_FUZZ`` is how many are tried, and how many of the
example tree. A failure names its seed; ``MGAUDIT_FUZZ_FROM`` is the first one.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from mgaudit.cli import main
from mgaudit.commands.demo import copy_example
from tests.fuzz.mutation import mutated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COUNT = int(os.environ.get("MGAUDIT_FUZZ", "0"))
FIRST = int(os.environ.get("MGAUDIT_FUZZ_FROM", "0"))
SEEDS = range(FIRST, FIRST + (COUNT or 1))
SECONDS = 60  # a run over either tree takes one or two

CONFIGURATION = """
schema = 1
[tree]
name = "small"
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h", "src/**/*.def"]
[[configuration]]
name = "only"
compile-commands = "compile_commands.json"
standard = "c++20"
include-dirs = ["src"]
[limits]
unit-seconds = 10
unit-megabytes = 2000
[zone.state]
paths = ["src/state/**"]
[zone.backend]
paths = ["src/backend/**"]
[verbs]
tables = ["backend::Table"]
[[catalogue]]
name = "reads"
file = "src/Coverage.def"
list = "ACCESSORS"
columns = ["accessor", "call"]
[[gate]]
id = "A"
kind = "include-purity"
from = ["backend"]
forbid = ["state"]
baseline = "baseline.txt"
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
pseudo-calls = ["kLocal"]
baseline = "reads.txt"
[[gate]]
id = "K"
kind = "memo-keys"
zones = ["backend"]
frontend = ["state"]
"""
FILES = {
    "mgaudit.toml": CONFIGURATION,
    "compile_commands.json": json.dumps(
        [
            {"directory": ".", "file": f"src/{name}.cpp", "arguments": ["c++", "@flags.rsp", "-c", f"src/{name}.cpp"]}
            for name in ("backend/a", "b")
        ],
        indent=1,
    ),
    "flags.rsp": '-DA=1 "-I src" -std=c++20\n',
    "baseline.txt": "",
    "reads.txt": "",
    "src/state/context.h": "#pragma once\nnamespace state {\nstruct Context {\n  int width() const { return w; }\n"
    "  void set(int v) { w = v; ++version; }\n  int w = 0, version = 0;\n};\n}\n",
    "src/Coverage.def": "#define ACCESSORS(X) \\\n  X(width, kLocal) /* one */ \\\n  X(w, kLocal)\n",
    "src/backend/a.cpp": "#include <state/context.h>\n#define READ(c) (c).width()\n"
    "namespace backend {\nstruct Table { int (*draw)(state::Context&); };\n"
    "static int memo[4];\ntemplate <class T> int twice(T& t) { return t.w + READ(t); }\n"
    "static int draw(state::Context& c) { auto f = [&] { return twice(c); }; return memo[f()]; }\n"
    "Table table = {.draw = draw};\n}\n",
    "src/b.cpp": '#include "Coverage.def"\n#if defined(A) && A > 1\nint b();\n#else\nint b() { return 2; }\n#endif\n',
}  # fmt: skip


@dataclass
class Watch:
    """What this process writes and runs while it is on."""

    allowed: tuple[str, ...] = ()
    on: bool = False
    seen: list[str] = field(default_factory=list)

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.on:
            return
        if event == "open":
            path, mode, flags = arguments
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
            if writes and isinstance(path, str) and not path.startswith(self.allowed):
                self.seen.append(f"open {path} {mode}")
        elif event in {"os.rename", "os.remove", "os.mkdir", "os.symlink", "shutil.rmtree"}:
            if not str(arguments[0]).startswith(self.allowed):
                self.seen.append(f"{event} {arguments[0]}")
        elif event in {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"}:
            self.seen.append(f"{event} {arguments}")


WATCH = Watch()
sys.addaudithook(WATCH.hear)


@dataclass(frozen=True)
class Victim:
    """A tree whose files are mutated one by one, and put back."""

    root: Path
    cache: Path
    crash_log: Path

    @property
    def command(self) -> list[str]:
        return ["check", "--config", str(self.root / "mgaudit.toml"), "--cache-dir", str(self.cache)]

    def names(self, *suffixes: str) -> list[str]:
        return sorted(
            path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.name.endswith(suffixes)
        )

    def contents(self) -> dict[str, bytes]:
        return {path.as_posix(): path.read_bytes() for path in self.root.rglob("*") if path.is_file()}

    def attack(self, name: str, seed: int, capsys: pytest.CaptureFixture[str], *, jobs: int) -> None:
        """Mutate one file and look at what a run says."""
        path, chance = self.root / name, random.Random(f"{name} {seed}")
        original = path.read_bytes()
        others = [(self.root / other).read_bytes() for other in self.names(path.suffix)]
        try:
            path.write_bytes(mutated(original, others, chance))
            before = self.contents()
            WATCH.seen.clear()
            WATCH.on = jobs == 0
            try:
                code = main([*self.command, "--jobs", str(jobs)])
            finally:
                WATCH.on = False
            said = capsys.readouterr()
            hint = f"{name}, seed {seed}"
            assert code in {0, 1, 2}, hint
            assert "internal error" not in said.out + said.err, f"{hint}: {self.crash_log.read_text()}"
            assert "the system refused" not in said.err, f"{hint}: {said.err}"
            assert "Traceback" not in said.out + said.err, hint
            assert "SIGSEGV" not in said.out + said.err, f"{hint}: the front end was asked what it does not survive"
            assert code != 2 or "error: " in said.out + said.err, hint
            assert self.contents() == before, f"{hint}: the tree was written to"
            assert WATCH.seen == [], hint
        finally:
            path.write_bytes(original)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Victim:
    folder = tmp_path_factory.mktemp("small")
    for name, text in FILES.items():
        path = folder / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return _victim(folder)


@pytest.fixture(scope="module")
def minigl(tmp_path_factory: pytest.TempPathFactory) -> Victim:
    folder = tmp_path_factory.mktemp("minigl")
    copy_example(folder / "tree", broken=False)
    with (folder / "tree/mgaudit.toml").open("a", encoding="utf-8") as file:
        file.write("\n[limits]\nunit-seconds = 20\n")  # some mutations keep the front end busy for ever
    return _victim(folder)


def _victim(folder: Path) -> Victim:
    WATCH.allowed = (*WATCH.allowed, str(folder / "cache"), "/dev/null")
    victim = Victim(folder / "tree", folder / "cache", folder / "cache" / "crash.log")
    assert main(victim.command) in {0, 1}
    return victim


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """Ends the whole process where a run hangs, and says where."""
    faulthandler.dump_traceback_later(SECONDS * 10, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith((".cpp", ".h"))])
def test_what_is_no_source(small: Victim, name: str, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    small.attack(name, seed, capsys, jobs=0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [name for name in FILES if name.endswith((".cpp", ".h"))])
def test_sources(small: Victim, name: str, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    small.attack(name, seed, capsys, jobs=1)


@pytest.mark.skipif(not COUNT, reason="takes hours: set MGAUDIT_FUZZ")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_example(minigl: Victim, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    names = minigl.names(".cpp", ".h", ".inc", ".def", ".toml", ".txt")
    minigl.attack(random.Random(seed).choice(names), seed, capsys, jobs=1)
