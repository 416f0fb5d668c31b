"""Every kind plants something into the example tree; that the gates find it is for `mgaudit prove` to show."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mgaudit.config.loader import load
from mgaudit.engine.judge import context_of
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import KINDS, PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.engine.pipeline import Analysis

# The example has binaries only where it is built: see test_plants_binaries.
PLANTED = sorted(kind for kind, known in KINDS.items() if known.available and kind != "link-ratchet")
EXAMPLE = Path(str(resources.files("mgaudit"))) / "examples" / "minigl" / "mgaudit.toml"


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analysis]:
    options = Options(tmp_path_factory.mktemp("cache"), jobs=2, configurations=("mono",))
    found = analyse(load(EXAMPLE, PARAMETERS), options)
    yield found
    found.facts.connection.close()


@pytest.mark.parametrize("kind", PLANTED)
def test_a_kind_plants_red_and_green_controls(analysis: Analysis, kind: str) -> None:
    gates = [gate for gate in analysis.settings.gates if gate.kind == kind]
    planter = KINDS[kind].load_plants()
    assert planter is not None
    for gate in gates:
        plants = list(planter(context_of(analysis, gate)))
        assert plants == list(planter(context_of(analysis, gate)))
        assert len({plant.control for plant in plants if not plant.stays_green}) >= 8
        assert any(plant.stays_green for plant in plants)
        for plant in plants:
            for path, text in plant.texts.items():
                assert text != (analysis.settings.root / path).read_bytes()
                text.decode()
            held = plant.texts.get(plant.path) or (analysis.settings.root / plant.path).read_bytes()
            assert 0 < plant.line <= held.count(b"\n") + 1


def test_each_kind_that_can_be_configured_has_a_planter() -> None:
    assert all(known.plants for known in KINDS.values() if known.available)
