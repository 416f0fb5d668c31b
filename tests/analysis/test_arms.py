from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.arms import ArmCensus, census
from mgaudit.config.loader import load
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from pathlib import Path

TOML = """\
schema = 1
[tree]
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h"]
[[configuration]]
name = "a"
defines = ["A=1"]
[[configuration]]
name = "b"
defines = ["B=1"]
[zone.one]
paths = ["src/one/**"]
"""


def counted(tmp_path: Path, files: dict[str, str]) -> ArmCensus:
    for name, text in {"mgaudit.toml": TOML, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    analysis = analyse(load(tmp_path / "mgaudit.toml", PARAMETERS), Options(cache=tmp_path / "cache"))
    return census(analysis.facts, {path: analysis.files.zones_of(path) for path in analysis.files.files})


CODE = """\
#ifdef A
int a;
int aa;
#elif defined(B) && C > 1
int b;
#else
int c;
#endif
#if __has_include(<none.h>)
int d;
#if D
int e;
#endif
#endif
"""


def test_lines_by_macro_and_zone_and_the_arms_that_nobody_takes(tmp_path: Path) -> None:
    found = counted(tmp_path, {"src/one/a.cpp": CODE, "src/b.cpp": "#if D\nint x;\n#endif\n"})
    rows = {(row.macro, row.zone): (row.files, row.arms, row.lines, row.idle) for row in found.gated}
    assert rows == {
        ("A", "one"): (1, 3, 4, 1),
        ("B", "one"): (1, 2, 2, 1),
        ("C", "one"): (1, 2, 2, 1),
        ("D", "(no zone)"): (1, 1, 1, 1),
        ("D", "one"): (1, 1, 1, 1),
        ("__has_include", "one"): (1, 1, 4, 4),
    }
    assert [(arm.path, arm.first, arm.last, arm.is_seen) for arm in found.idle] == [
        ("src/b.cpp", 1, 2, True), ("src/one/a.cpp", 4, 5, True), ("src/one/a.cpp", 9, 13, True),
    ]  # fmt: skip
    assert [(arm.first, arm.last, arm.configurations) for arm in found.partial if arm.configurations] == [
        (1, 3, ("a",)), (6, 7, ("b",)),
    ]  # fmt: skip
    assert found.idle[1].condition == "!defined(A) && (defined(B) && C > 1)"
    assert (found.files, found.arms) == (2, 6)


def test_guards_are_no_arms_and_unseen_files_are_told(tmp_path: Path) -> None:
    guarded = "#ifndef H\n#define H\n#if E\nint x;\n#endif\n#endif\n"
    found = counted(tmp_path, {"src/one/a.cpp": '#include "a.h"\n', "src/one/a.h": guarded, "src/one/lost.h": guarded})
    assert [row.macro for row in found.gated] == ["E"]
    assert {arm.path for arm in found.idle} == {"src/one/a.h", "src/one/lost.h"}
    assert found.arms == 2


def test_an_arm_without_lines_is_never_idle(tmp_path: Path) -> None:
    found = counted(tmp_path, {"src/one/a.cpp": "#if E\n#endif\n#if 0\n#else\nint x;\n#endif\n"})
    assert (found.idle, [(r.macro, r.lines) for r in found.gated]) == ((), [("E", 0)])
