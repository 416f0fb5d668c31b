from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.domain.problems import UntrustedError
from mgaudit.engine.absence import Absence
from mgaudit.engine.contents import Contents, digest_of

if TYPE_CHECKING:
    from pathlib import Path


def test_digests_are_those_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_bytes(b"int a;\n")
    contents = Contents(tmp_path)
    assert contents.digest("a.h") == digest_of(b"int a;\n")
    assert contents.digest(str(tmp_path / "a.h")) == contents.digest("a.h")
    assert contents.digest("none.h") is None
    assert contents.read("a.h") == b"int a;\n"


@pytest.mark.parametrize("change", ["write", "delete", "create"])
def test_one_run_never_sees_two_states_of_a_file(tmp_path: Path, change: str) -> None:
    path = tmp_path / "a.h"
    if change != "create":
        path.write_bytes(b"int a;\n")
    contents = Contents(tmp_path)
    first = contents.digest("a.h")
    if change == "delete":
        path.unlink()
    else:
        path.write_bytes(b"int b;\n")
    with pytest.raises(UntrustedError) as raised:
        contents.read("a.h")
    assert [(p.path, p.help) for p in raised.value.problems] == [("a.h", "run again")]
    assert contents.digest("a.h") == first


def test_existence_and_links(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_bytes(b"")
    (tmp_path / "link.h").symlink_to("a.h")
    contents = Contents(tmp_path)
    assert contents.ends(Absence.of([f"{tmp_path}/none.h", f"{tmp_path}/a.h"]))
    assert not contents.ends(Absence.of([f"{tmp_path}/b.h"]))
    assert not contents.ends(Absence.of([f"{tmp_path}/none/b.h"]))
    assert contents.key(f"{tmp_path}/link.h") == "a.h"
