"""``required-version``: which versions of mgaudit may read a configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mgaudit.config.texts import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLAUSE = re.compile(r"(?P<operator>===?|!=|>=|<=|~=|>|<)?\s*v?(?P<version>\d+(?:\.\d+)*)(?P<star>\.\*)?")


def check_version(specifier: str, running: str) -> None:
    """Compare the running version with a specifier: clauses of an operator and dotted numbers, joined by commas.

    The operators mean what PEP 440 says of release numbers (pre-releases count as their release); a bare number is the
    least version.

    Raises:
        Fault: The specifier cannot be read, or excludes the running version.
    """
    for clause in specifier.split(","):
        match = _CLAUSE.fullmatch(clause.strip())
        if not match or (match["star"] and match["operator"] not in {"==", "!="}):
            raise Fault(f'"{specifier}" is no version specifier', 'write ">=0.2, <1", or the least version')
        wanted = match["version"]
        if match["operator"] == "~=" and "." not in wanted:
            raise Fault(f'"{specifier}" is no version specifier', "~= needs two numbers at least")
        if not _holds(match["operator"] or ">=", _numbers(running), _numbers(wanted), star=bool(match["star"])):
            raise Fault(f"this is mgaudit {running}, the configuration requires {specifier}", "install such a version")


def _holds(operator: str, have: Sequence[int], want: Sequence[int], *, star: bool) -> bool:
    if star:
        have = (*have, *[0] * len(want))[: len(want)]
    size = max(len(have), len(want))
    left, right = ((*numbers, *[0] * (size - len(numbers))) for numbers in (have, want))
    if operator == "~=":
        return left >= right and left[: len(want) - 1] == tuple(want[:-1])
    return {
        "==": left == right,
        "===": left == right,
        "!=": left != right,
        ">=": left >= right,
        "<=": left <= right,
        ">": left > right,
        "<": left < right,
    }[operator]


def _numbers(version: str) -> tuple[int, ...]:
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match[0].split(".")) if match else ()
