"""Audits of small trees, from their files to the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from mgaudit.config.loader import load
from mgaudit.engine.judge import judge
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mgaudit.domain.report import Report
    from mgaudit.engine.pipeline import Analysis

HEAD = """
schema = 1
[tree]
name = "small"
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h", "src/**/*.inc"]
[[configuration]]
name = "split"
standard = "c++20"
include-dirs = ["src"]
"""
ZONES = """
[zone.state]
paths = ["src/state/**"]
[zone.backend]
paths = ["src/backend/**"]
"""


class Analyse(Protocol):
    """Writes a tree and analyses it.

    ``gates`` follows one configuration and the zones ``state`` and ``backend``, ``configuration`` the first of them.
    """

    def __call__(self, tree: Mapping[str, str], gates: str, configuration: str = "") -> Analysis: ...


class Audit(Protocol):
    """Writes a tree, analyses it and runs the gates."""

    def __call__(self, tree: Mapping[str, str], gates: str, configuration: str = "") -> Report: ...


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def analysed(tmp_path: Path, cache: Path) -> Analyse:
    def run(tree: Mapping[str, str], gates: str, configuration: str = "") -> Analysis:
        for name, text in {"mgaudit.toml": HEAD + configuration + ZONES + gates, **tree}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return analyse(load(tmp_path / "mgaudit.toml", PARAMETERS), Options(cache=cache))

    return run


@pytest.fixture
def audit(analysed: Analyse) -> Audit:
    def run(tree: Mapping[str, str], gates: str, configuration: str = "") -> Report:
        return judge(analysed(tree, gates, configuration))

    return run
