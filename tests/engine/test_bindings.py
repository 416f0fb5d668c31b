"""What is called from C or compiled gives the same facts as what goes through ctypes or is interpreted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.commands.doctor_checks import is_compiled
from mgaudit.config.loader import load
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import PARAMETERS
from mgaudit.sources import clang_binding

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = Path(str(resources.files("mgaudit")))
EXAMPLE = PACKAGE / "examples" / "minigl" / "mgaudit.toml"


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


@pytest.mark.skipif(not is_compiled(), reason="this installation is editable, or there was no compiler")
def test_compiled_modules_record_what_their_sources_do(tmp_path: Path) -> None:
    native = [path.name for path in PACKAGE.glob("sources/*") if path.suffix in {".so", ".pyd"}]
    compiled = [name for name in native if not name.startswith("clang_native.")]
    assert len(compiled) > 1
    shutil.copytree(PACKAGE, tmp_path / "interpreted/mgaudit", ignore=lambda *_: compiled)
    said, records = {}, {}
    for form, root in (("interpreted", tmp_path / "interpreted"), ("compiled", PACKAGE.parent)):
        cache = tmp_path / f"{form}.cache"
        words = ["check", "--config", str(EXAMPLE), "--cache-dir", str(cache), "--output-format", "json"]
        environment = {**os.environ, "PYTHONPATH": str(root)}
        done = subprocess.run(
            [sys.executable, "-m", "mgaudit", *words], env=environment, capture_output=True, check=True
        )  # fmt: skip
        said[form] = done.stdout
        records[form] = {path.name: path.read_bytes() for path in cache.glob("unit/**/*") if path.is_file()}
    assert records["interpreted"]
    assert records["interpreted"] == records["compiled"]
    assert said["interpreted"] == said["compiled"]
