from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from mgaudit.cli import COMMANDS
from mgaudit.config.schema import json_schema
from mgaudit.gates.registry import KINDS, PARAMETERS

ROOT = Path(__file__).parents[2]


def test_the_site_is_built_strictly_and_holds_every_command_gate_and_table(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "ci/site.py"), str(tmp_path / "site")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    commands = (tmp_path / "site/commands.html").read_text(encoding="utf-8")
    assert all(f"mgaudit {name}<" in commands for name in COMMANDS)
    assert all((tmp_path / f"site/gates/{kind}.html").is_file() for kind in KINDS)
    reference = (tmp_path / "site/reference.html").read_text(encoding="utf-8")
    tables = json_schema(PARAMETERS)["properties"].keys() - {
        "schema",
        "extends",
        "required-version",
        "effects",
        "containers",
    }
    assert all(f"[{name}]" in reference for name in tables)
    assert (tmp_path / "site/schema/mgaudit.schema.json").is_file()
    for page in ("hook", "ci", "diff", "reports", "rule-packs", "quickstart", "limits", "how-it-works"):
        assert (tmp_path / f"site/{page}.html").is_file()
