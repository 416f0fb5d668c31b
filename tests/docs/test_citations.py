from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mgaudit.cli import main

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]


def test_the_citations_of_the_documents_hold(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["citations", "--config", str(ROOT / "ci" / "documents.toml")])
    out = capsys.readouterr().out
    assert (code, out.startswith("0 ")) == (0, False), out
