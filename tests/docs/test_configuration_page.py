from __future__ import annotations

import re
from pathlib import Path

import pytest

from mgaudit.config import tables
from mgaudit.config.fields import fields_of
from mgaudit.config.loader import load
from mgaudit.gates.registry import KINDS, PARAMETERS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
TABLES = (
    tables.HeadTable,
    tables.TreeTable,
    tables.ConfigurationTable,
    tables.ZoneTable,
    tables.VerbsTable,
    tables.LimitsTable,
    tables.CatalogueTable,
    tables.ExemptionTable,
    tables.GateTable,
)
NO_CODE = {"test-names", "doc-citations"}  # these compare lists and documents that the example has none of
PLAIN_BLOCK = re.compile(r"^```toml\n(schema = 1\n\n\[tree\].*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table.__name__))
def test_every_key_of_a_table_is_on_the_page(table: type) -> None:
    assert [spec.key for spec in fields_of(table) if f"`{spec.key}`" not in PAGE] == []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_parameter_of_a_kind_is_in_its_section(kind: str) -> None:
    sections = [text for text in re.split(r"^### ", PAGE, flags=re.MULTILINE) if f"`{kind}`" in text.partition("\n")[0]]
    assert len(sections) == 1
    assert [spec.key for spec in fields_of(PARAMETERS[kind]) if f"`{spec.key}`" not in sections[0]] == []


def test_the_page_says_which_kinds_run() -> None:
    sentence = re.search(r"`mgaudit check` runs the kinds (.*?)\.", PAGE, re.DOTALL)
    assert sentence is not None
    assert sorted(re.findall(r"`([\w-]+)`", sentence[1])) == sorted(k for k, kind in KINDS.items() if kind.available)


def test_the_configuration_in_the_readme_loads(tmp_path: Path) -> None:
    block = PLAIN_BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert block is not None
    (tmp_path / "mgaudit.toml").write_text(block[1])
    assert "A" in [gate.id for gate in load(tmp_path / "mgaudit.toml", PARAMETERS).gates]


def test_the_example_tree_shows_every_gate_that_runs_over_code() -> None:
    settings = load(ROOT / "examples" / "minigl" / "mgaudit.toml", PARAMETERS)
    available = {kind for kind, entry in KINDS.items() if entry.available}
    assert {gate.kind for gate in settings.gates} == available - NO_CODE
