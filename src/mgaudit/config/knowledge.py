"""What comes with mgaudit as data about libraries: `[containers]` before any configuration adds to it."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

from mgaudit.config import places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.config.model import Settings


def containers(settings: Settings) -> dict[str, object]:
    """Library templates and what each argument is: the shipped ones, and those of the configuration."""
    return {**_shipped(), **settings.containers}


@cache
def _shipped() -> Mapping[str, Any]:
    return tomllib.loads((places.rules_folder() / "containers.toml").read_text(encoding="utf-8"))
