"""Which language standard a tree is written in, as far as its build files say."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

from mgaudit.config.texts import Fault, standard

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_FLAG = re.compile(r"(?<!\S)[-/]std[=:]([A-Za-z0-9+]+)")
_CMAKE = re.compile(r"CMAKE_CXX_STANDARD\s+(\d\d)\b|\bCXX_STANDARD\s+(\d\d)\b|\bcxx_std_(\d\d)\b")


def standard_of(root: Path, databases: Iterable[str]) -> tuple[str | None, str]:
    """The standard as ``-std=`` takes it, or None, and where it was found.

    Args:
        root: The tree.
        databases: Compile databases, relative to it; the first that names a standard counts.
    """
    for database in databases:
        found = _most_common(_commands(root / database))
        if found:
            return found, f"the compile database {database}"
    for name in ("CMakeLists.txt", *sorted(p.relative_to(root).as_posix() for p in root.glob("*/CMakeLists.txt"))):
        numbers = {max(groups) for groups in _CMAKE.findall(_text(root / name))}
        if numbers and name.isprintable():
            return f"c++{max(numbers, key=_age)}", name
    return None, ""


def _age(number: str) -> int:
    """Years since 1900: C++98 is older than C++11."""
    return int(number) + (0 if number == "98" else 100)


def _commands(path: Path) -> Iterable[str]:
    try:
        entries = json.loads(_text(path))
    except (ValueError, RecursionError):
        return
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            arguments = entry.get("arguments")
            yield " ".join(map(str, arguments)) if isinstance(arguments, list) else str(entry.get("command", ""))


def _most_common(commands: Iterable[str]) -> str | None:
    """The standard of most commands, the newer of equals; C files have a standard of their own."""
    flags = Counter(flag for command in commands for flag in _FLAG.findall(command) if "++" in flag)
    known = [flag for flag in flags if _is_standard(flag)]
    return max(known, key=lambda flag: (flags[flag], flag)) if known else None


def _is_standard(text: str) -> bool:
    try:
        standard(text)
    except Fault:
        return False
    return True


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
