"""What is known of library functions: the table that mgaudit ships, and what a configuration adds to it."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mgaudit.config.model import Settings

REPLACES: Final = "instead-of-body"
"""The key of an entry of ``[effects]`` that says why a function's body does not count."""

EFFECT_FORM: Final = (
    'write { writes = ["this", 0], returns = [0], keeps = false, makes = false, '
    f'{REPLACES} = "reason" }}, each optional'
)
_KEYS: Final = frozenset({"writes", "returns", "keeps", "makes", REPLACES})


def library_effects(settings: Settings) -> Mapping[str, object]:
    """The effects of library functions by name; the configuration's replace those of the same name."""
    text = (resources.files("mgaudit.config") / "library.toml").read_text(encoding="utf-8")
    shipped: dict[str, object] = tomllib.loads(text)["effects"]
    return {**shipped, **settings.effects}


def effect_fault(name: str, value: object) -> str:
    """What is wrong with an entry of ``[effects]``; empty where nothing is."""
    return next(_faults(name, value), "") if isinstance(value, dict) else "not a table"


def _faults(name: str, value: dict[str, object]) -> Iterator[str]:
    yield from (f"unknown key `{key}`" for key in sorted(value.keys() - _KEYS))
    for key in ("keeps", "makes"):
        if not isinstance(value.get(key, False), bool):
            yield f"`{key}` is true or false"
    for key, word in (("writes", "this"), ("returns", None)):
        items = value.get(key, [])
        if not isinstance(items, list) or not all(item == word or _is_position(item) for item in items):
            yield f"`{key}` lists positions of arguments, from 0"
    reason = value.get(REPLACES)
    if REPLACES in value and not (isinstance(reason, str) and reason.strip()):
        yield f"`{REPLACES}` states the reason"
    if REPLACES in value and name.startswith("*"):
        yield f"`{REPLACES}` needs the function's own qualified name"


def _is_position(item: object) -> bool:
    return isinstance(item, int) and not isinstance(item, bool) and item >= 0
