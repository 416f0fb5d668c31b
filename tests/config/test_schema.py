from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mgaudit.config.loader import load
from mgaudit.config.schema import json_schema, schema_text
from mgaudit.config.show import render
from mgaudit.config.starter import propose
from mgaudit.gates.registry import PARAMETERS

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "docs/schema/mgaudit.schema.json"
CASES = sorted((ROOT.parent / "shared/acceptance/cases").glob("*/mgaudit.toml"))
HEAD = 'schema = 1\n[tree]\nsources = ["a.cpp"]\n[[configuration]]\nname = "c"\n[zone.z]\npaths = ["z/**"]\n'
VALIDATOR = jsonschema.Draft7Validator(json_schema(PARAMETERS))


def errors(text: str) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(tomllib.loads(text))]


def test_it_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(json_schema(PARAMETERS))


def test_the_committed_schema_is_fresh() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == schema_text(PARAMETERS), "write schema_text() to docs/schema"


def test_every_kind_is_described() -> None:
    branches: list[Any] = json_schema(PARAMETERS)["definitions"]["gate"]["allOf"]

    assert [branch["if"]["properties"]["kind"]["const"] for branch in branches] == list(PARAMETERS)
    assert all(branch["then"]["description"] for branch in branches)


@pytest.mark.skipif(not CASES, reason="the acceptance cases are not here")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.parent.name)
def test_acceptance_cases_are_valid_load_and_show(case: Path, tmp_path: Path) -> None:
    assert errors(case.read_text(encoding="utf-8")) == []

    settings = load(case, PARAMETERS)

    shown = render(settings)
    assert errors(shown) == []
    (tmp_path / "shown.toml").write_text(shown, encoding="utf-8")
    again = load(tmp_path / "shown.toml", PARAMETERS, root=settings.root)
    assert [(gate.id, gate.kind, gate.parameters) for gate in again.gates] == [
        (gate.id, gate.kind, gate.parameters) for gate in settings.gates
    ]


@pytest.mark.parametrize(
    "more",
    [
        "colour = 1",
        "[tree.more]",
        '[[configuration]]\nstandard = "c++20"',
        '[[configuration]]\nname = "d"\nrequired = 1',
        '[zone.y]\npath = "x"',
        "[zone.y]",
        '[[catalogue]]\nname = "c"',
        '[[catalogue]]\nname = "c"\nrows = [{}]',
        '[[gate]]\nkind = "health"',
        '[[gate]]\nid = "A"',
        '[[gate]]\nid = "A"\nkind = "nope"',
        '[[gate]]\nid = "A"\nkind = "undeclared"\nzones = ["z"]',
        '[[gate]]\nid = "A"\nkind = "undeclared"\nzones = []\nentities = ["e"]',
        '[[gate]]\nid = "A"\nkind = "undeclared"\nzones = ["z"]\nentities = ["e"]\npoison = true',
        '[[gate]]\nid = "A"\nkind = "undeclared"\nzones = ["z"]\nentities = ["e"]\nseverity = "fatal"',
        '[[gate]]\nid = "A"\nkind = "undeclared"\nzones = ["z"]\nentities = ["e"]\nexempt = [{ entity = "e" }]',
    ],
)
def test_what_the_loader_refuses_by_shape_the_schema_refuses(more: str) -> None:
    assert errors(HEAD) == []
    assert errors((more + "\n" + HEAD) if more.startswith("colour") else (HEAD + more))


def test_a_table_that_overrides_a_pack_may_be_partial() -> None:
    assert errors('schema = 1\nextends = ["pack"]\n[[gate]]\nid = "A"\nfrom = ["x"]\n[[catalogue]]\nname = "c"\n') == []


def test_a_group_of_zones_is_no_zone() -> None:
    assert errors(HEAD + '[zone.backend.gles]\npaths = ["x"]\n[zone.backend.vulkan]\npaths = ["y"]\n') == []


def test_a_proposal_is_valid(tmp_path: Path) -> None:
    assert errors(propose(tmp_path)) == []
