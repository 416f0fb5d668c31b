from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Run

TOML = """\
schema = 1
[tree]
sources = ["*.cpp"]
[[configuration]]
name = "c"
[[gate]]
id = "F"
kind = "frozen"
reference = "frozen.txt"
regions = ["f", "S"]
"""


@pytest.fixture
def frozen_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mgaudit.toml").write_text(TOML)
    (tmp_path / "a.cpp").write_text("struct S {};\nint f() { return 1; }\nint f(int x) { return x; }\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_reference_is_made_and_made_anew(frozen_tree: Path, mgaudit: Run) -> None:
    assert mgaudit("frozen", "update").out == "frozen.txt: 3 regions\n"
    first = (frozen_tree / "frozen.txt").read_text()
    assert mgaudit("check").code == 0
    (frozen_tree / "a.cpp").write_text("struct S {};\nint f() { return 2; }\nint f(int x) { return x; }\n")
    assert mgaudit("check").code == 1
    assert mgaudit("frozen", "update").code == 0
    changed = set((frozen_tree / "frozen.txt").read_text().splitlines()) - set(first.splitlines())
    assert [line.split("\t")[3] for line in changed] == ["f()"]
    assert mgaudit("check").code == 0


def test_a_reference_can_be_made_of_a_revision(frozen_tree: Path, mgaudit: Run) -> None:
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], check=True, capture_output=True)
    (frozen_tree / "a.cpp").write_text("struct S {};\nint f() { return 2; }\nint f(int x) { return x; }\n")
    assert mgaudit("frozen", "update", "--revision", "HEAD").code == 0
    assert mgaudit("check").code == 1


def test_without_regions_the_names_of_the_reference_count(frozen_tree: Path, mgaudit: Run) -> None:
    mgaudit("frozen", "update")
    (frozen_tree / "mgaudit.toml").write_text(TOML.replace('regions = ["f", "S"]\n', ""))
    assert mgaudit("check").code == 0
    assert mgaudit("frozen", "update").out == "frozen.txt: 3 regions\n"
    (frozen_tree / "a.cpp").write_text(
        "struct S {};\nint f() { return 1; }\nint f(int x) { return x; }\nint f(char);\n"
    )
    assert mgaudit("check").code == 0
    (frozen_tree / "a.cpp").write_text("struct S {};\nint f() { return 1; }\n")
    assert mgaudit("check").code == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"S"', '"T"', "there is no region `T`"),
        ('["f", "S"]', '["f", "S"]\n[[gate]]\nid = "G"\nkind = "frozen"\nreference = "no.txt"', "cannot be read"),
        ('kind = "frozen"\nreference = "frozen.txt"\nregions = ["f", "S"]', 'kind = "health"', "no gate of the kind"),
    ],
)
def test_what_cannot_be_made(frozen_tree: Path, mgaudit: Run, old: str, new: str, message: str) -> None:
    (frozen_tree / "mgaudit.toml").write_text(TOML.replace(old, new))
    result = mgaudit("frozen", "update")
    assert result.code == 2
    assert message in result.err


def test_a_name_that_means_several_things(frozen_tree: Path, mgaudit: Run) -> None:
    (frozen_tree / "b.cpp").write_text("namespace a { int f() { return 1; } }\n")
    result = mgaudit("frozen", "update")
    assert result.code == 2
    assert "`f` means several regions: function a::f, function f" in result.err
    assert not (frozen_tree / "frozen.txt").exists()


def test_a_reference_of_code_is_kept_by_hand(frozen_tree: Path, mgaudit: Run) -> None:
    (frozen_tree / "mgaudit.toml").write_text(TOML.replace("frozen.txt", "frozen.cc"))
    code = "int f()\n{ return 1; }\nint f(int x) { return x; }\nstruct S {};\n"
    (frozen_tree / "frozen.cc").write_text(code)
    assert mgaudit("check").code == 0
    result = mgaudit("frozen", "update")
    assert (result.code, "kept by hand" in result.err) == (2, True)
    (frozen_tree / "frozen.cc").write_text(code.replace("return x", "return -x"))
    result = mgaudit("check")
    assert (result.code, "a.cpp:3:1: F error: the function f(int) is not what" in result.out) == (1, True)


def test_a_reference_in_the_tree_is_no_definition_of_its_own(frozen_tree: Path, mgaudit: Run) -> None:
    (frozen_tree / "mgaudit.toml").write_text(TOML.replace("frozen.txt", "frozen.cpp"))
    (frozen_tree / "frozen.cpp").write_text((frozen_tree / "a.cpp").read_text())
    assert mgaudit("check").code == 0
