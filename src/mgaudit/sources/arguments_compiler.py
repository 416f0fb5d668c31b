"""The compiler of a command: which word names it, what it says about the target, whose quoting rules it follows."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from mgaudit.sources import arguments_tables as tables

if TYPE_CHECKING:
    from collections.abc import Sequence

_WINDOWS_START = re.compile(
    r'"?(?:[A-Za-z]:[\\/]|[^"/\s]*\\|(?:clang-)?cl(?:\.exe)?(?:["\s]|\Z))|"?[^"\s]*\.exe\b', re.IGNORECASE
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def is_windows_command(text: str, directory: str = "") -> bool:
    """Whether a command line follows the quoting rules of Windows, by its first word and its folder."""
    return bool(_WINDOWS_START.match(text.lstrip())) or re.match(r"[A-Za-z]:[\\/]", directory) is not None


def base_name(compiler: str) -> str:
    """The compiler's name without folders and ``.exe``."""
    return re.split(r"[\\/]", compiler)[-1].removesuffix(".exe").removesuffix(".EXE")


def split_compiler(arguments: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """The compiler, what stands before it, and what follows."""
    position = 0
    while position < len(arguments):
        token = arguments[position]
        name = base_name(token)
        if token.startswith("-"):
            if position == 0:
                return "", [], list(arguments)
            # An option of a wrapper: the compiler is the next word that is surely one.
            later = [i for i in range(position, len(arguments)) if _is_compiler(arguments[i])]
            if not later:
                return "", list(arguments[:position]), list(arguments[position:])
            position = later[0]
            continue
        if not _ASSIGNMENT.match(token) and (name not in tables.WRAPPERS or position + 1 == len(arguments)):
            return token, list(arguments[:position]), list(arguments[position + 1 :])
        position += 1
    return "", list(arguments), []


def _is_compiler(token: str) -> bool:
    return not token.startswith("-") and tables.COMPILER.fullmatch(base_name(token)) is not None


def named_target(compiler: str) -> str | None:
    """The triple that the compiler's name gives."""
    name = base_name(compiler)
    if name.lower() in {"cl", "clang-cl"}:
        folders = [part.lower() for part in re.split(r"[\\/]", compiler)]
        architecture = {"x86": "i686", "arm64": "aarch64"}.get(folders[-2] if len(folders) > 1 else "", "x86_64")
        return f"{architecture}-pc-windows-msvc"
    match = tables.COMPILER_TARGET.fullmatch(name)
    if match and tables.family(match["triple"].partition("-")[0]):
        return match["triple"]
    return None


def host_architecture() -> str:
    """The machine's architecture as a triple spells it."""
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "x86_64")
    return machine.lower()
