"""What is called from C and what through ctypes gives the same facts."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.config.loader import load
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import PARAMETERS
from mgaudit.sources import clang_binding

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLE = Path(str(resources.files("mgaudit"))) / "examples" / "minigl" / "mgaudit.toml"


@pytest.mark.skipif(not clang_binding.is_native(), reason="the native binding was not built")
def test_both_bindings_give_the_same_facts(
    tmp_path: Path, dumped: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {}
    for binding in ("native", "ctypes"):
        monkeypatch.setenv(clang_binding.SWITCH, binding)
        assert clang_binding.is_native() == (binding == "native")
        analysis = analyse(load(EXAMPLE, PARAMETERS), Options(tmp_path / binding, jobs=2))
        assert analysis.statistics.parsed
        found[binding] = dumped(analysis.facts.connection, analysis.facts.configurations)
        analysis.facts.connection.close()
    assert found["native"] == found["ctypes"]
    assert all(found["native"][table] for table in ("reference", "declaration", "slot", "use", "body", "memo"))
