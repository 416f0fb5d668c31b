"""The generated fragment, compiled by a real compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from mgaudit.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COMPILER = next((found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None)

CONFIGURATION = """
schema = 1
[tree]
name = "small"
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h", "src/**/*.inc"]
[[configuration]]
name = "only"
standard = "c++20"
include-dirs = ["src"]
[zone.state]
paths = ["src/state/**"]
[zone.backend]
paths = ["src/backend/**"]
[[catalogue]]
name = "reads"
columns = ["accessor", "call"]
rows = [
    { accessor = "GetWidth", call = "SetSize" },
    { accessor = "GetDepth", call = 'NA("a \\"quoted\\" reason, with a comma")' },
]
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
[[gate]]
id = "GEN"
kind = "generated"
file = "src/Reads.inc"
surface = "reads"
"""
STATE = """
#pragma once
namespace state { struct Context { int GetWidth() const; int GetDepth() const; int GetNew() const; }; }
"""
DRAW = (
    '#include "state/context.h"\nint Draw(state::Context& c) { return c.GetWidth() + c.GetWidth() + c.GetDepth()%s; }\n'
)
USER = """
enum Call { SetSize, LISTED };
#define NA(reason) LISTED
#define MGAUDIT_READS(entity, kind, verdict, sites) static_assert(sites > 0 && verdict >= SetSize, entity);
#include "Reads.inc"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[str], tuple[int, str]]:
    """Writes a tree with more reads, and runs mgaudit in it: the exit code and what the file holds."""

    def run(*words: str, more: str = "") -> tuple[int, str]:
        files = {
            "mgaudit.toml": CONFIGURATION, "src/state/context.h": STATE, "src/backend/draw.cpp": DRAW % more,
            "src/user.cpp": USER,
        }  # fmt: skip
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        (tmp_path / "src/Reads.inc").touch()
        options = ["--config", str(tmp_path / "mgaudit.toml"), "--cache-dir", str(tmp_path / "cache"), "--quiet"]
        code = main([*words, *options])
        return code, (tmp_path / "src/Reads.inc").read_text()

    return run


WRITE = ("surface", "reads", "--output-format", "inc", "--output")


def compiled(folder: Path) -> subprocess.CompletedProcess[str]:
    assert COMPILER is not None
    return subprocess.run(
        [COMPILER, "-std=c++20", "-fsyntax-only", f"-I{folder / 'src'}", str(folder / "src/user.cpp")],
        capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip


def test_a_fragment_is_written_sorted_and_the_same(tree: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    code, text = tree(*WRITE, str(tmp_path / "src/Reads.inc"))
    assert code == 0
    assert text.splitlines()[5:] == [
        'MGAUDIT_READS("state::Context", signature, LISTED, 1)',
        'MGAUDIT_READS("state::Context::GetDepth", value, NA("a \\"quoted\\" reason, with a comma"), 1)',
        'MGAUDIT_READS("state::Context::GetWidth", value, SetSize, 2)',
        "#undef MGAUDIT_READS",
    ]
    assert tree(*WRITE, str(tmp_path / "src/Reads.inc"))[1] == text


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler on this machine")
def test_a_real_compiler_takes_it_and_stops_at_an_unmapped_accessor(
    tree: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    tree(*WRITE, str(tmp_path / "src/Reads.inc"))
    assert compiled(tmp_path).returncode == 0, compiled(tmp_path).stderr
    tree(*WRITE, str(tmp_path / "src/Reads.inc"), more=" + c.GetNew()")
    stopped = compiled(tmp_path)
    assert stopped.returncode != 0
    assert "#error state::Context::GetNew (value) has no answer; sites: 1" in stopped.stderr


def test_the_gate_tells_a_fresh_fragment_from_a_stale_one(
    tree: Callable[..., tuple[int, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tree("check", "--gate", "GEN")[0] == 1
    tree(*WRITE, str(tmp_path / "src/Reads.inc"))
    fresh = (tmp_path / "src/Reads.inc").read_text()
    (tmp_path / "src/Reads.inc").write_bytes(fresh.replace("\n", "\r\n").encode())
    assert tree("check", "--gate", "GEN")[0] == 0
    assert tree("check", "--gate", "GEN", str(tmp_path / "src/user.cpp"))[0] == 0
    assert "left to a run over the whole tree: gates GEN" in capsys.readouterr().out
    assert tree("check", "--gate", "GEN", more=" + c.GetDepth()")[0] == 1
    out = capsys.readouterr().out
    assert "src/Reads.inc:7" in out
    assert "`mgaudit surface reads --output-format inc --output src/Reads.inc` writes it anew" in out
    assert (tmp_path / "src/Reads.inc").read_bytes() == fresh.replace("\n", "\r\n").encode()
