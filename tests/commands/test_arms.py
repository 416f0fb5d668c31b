from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Run

TOML = """\
schema = 1
[tree]
sources = ["src/*.cpp"]
[[configuration]]
name = "c"
[zone.one]
paths = ["src/a*"]
"""


@pytest.fixture
def arms_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "mgaudit.toml").write_text(TOML)
    (tmp_path / "src" / "a.cpp").write_text("#ifdef OLD\nint x;\n#else\nint y;\n#endif\n")
    (tmp_path / "src" / "b.cpp").write_text("#ifdef NEW\nint z;\n#endif\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_census_as_text(arms_tree: Path, mgaudit: Run) -> None:
    result = mgaudit("arms", "--zone", "one")
    assert result.code == 0
    assert result.out.splitlines() == [
        "macro  zone  files  arms  lines  idle",
        "OLD    one       1     2      2     1",
        "",
        "1 arm that no configuration takes: seen by the scanner, not proven",
        "  src/a.cpp:1-2: defined(OLD) [one]",
        "",
        "looked at 2 arms in 1 file, guards aside",
    ]


def test_the_census_for_programs(arms_tree: Path, mgaudit: Run) -> None:
    document = json.loads(mgaudit("arms", "--output-format", "json").out)
    assert document["examined"] == {"arms": 3, "files": 2}
    assert [(row["macro"], row["zone"], row["idle-lines"]) for row in document["macros"]] == [
        ("NEW", "(no zone)", 1), ("OLD", "one", 1),
    ]  # fmt: skip
    assert [arm["path"] for arm in document["idle-arms"]] == ["src/a.cpp", "src/b.cpp"]


def test_an_unknown_zone(arms_tree: Path, mgaudit: Run) -> None:
    result = mgaudit("arms", "--zone", "on")
    assert (result.code, 'did you mean "one"?' in result.err) == (2, True)
