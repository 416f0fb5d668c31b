"""What is known of library functions: the table that mgaudit ships, and what a configuration adds to it."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.config.model import Settings

EFFECT_FORM: Final = 'write { writes = ["this", 0], returns = [0], keeps = false, makes = false }, each optional'
_KEYS: Final = frozenset({"writes", "returns", "keeps", "makes"})


def library_effects(settings: Settings) -> Mapping[str, object]:
    """The effects of library functions by name; the configuration's replace those of the same name."""
    text = (resources.files("mgaudit.config") / "library.toml").read_text(encoding="utf-8")
    shipped: dict[str, object] = tomllib.loads(text)["effects"]
    return {**shipped, **settings.effects}


def effect_fault(value: object) -> str:
    """What is wrong with an entry of ``[effects]``; empty where nothing is."""
    if not isinstance(value, dict):
        return "not a table"
    if unknown := sorted(value.keys() - _KEYS):
        return f"unknown key `{unknown[0]}`"
    for key in ("keeps", "makes"):
        if not isinstance(value.get(key, False), bool):
            return f"`{key}` is true or false"
    for key, word in (("writes", "this"), ("returns", None)):
        items = value.get(key, [])
        if not isinstance(items, list) or not all(item == word or _is_position(item) for item in items):
            return f"`{key}` lists positions of arguments, from 0"
    return ""


def _is_position(item: object) -> bool:
    return isinstance(item, int) and not isinstance(item, bool) and item >= 0
