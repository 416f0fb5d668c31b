"""From ``mgaudit.toml`` and the rule packs that it extends to `Settings`, or to every error at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.config import merge, places
from mgaudit.config.build import HEALTH, Builder
from mgaudit.config.log import Log

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mgaudit.config.fields import Parameters
    from mgaudit.config.merge import Merged
    from mgaudit.config.model import Settings

__all__ = ["HEALTH", "load"]


def load(file: Path, kinds: Mapping[str, type[Parameters]], *, root: Path | None = None) -> Settings:
    """Read a configuration and what it extends.

    Args:
        file: ``mgaudit.toml``, under any name.
        kinds: The parameters of every gate kind. A gate of the kind ``health`` is added at the end where none is
            configured.
        root: The tree's root, in place of the configured one.

    Raises:
        UntrustedError: With every problem of every file, each at its line.
    """
    file = _resolved(file.parent) / file.name
    log = Log(_resolved(root) if root else file.parent, file.parent)
    files = merge.Files(log)
    found = merge.read_document(file, log)
    if found is None:
        raise log.error()
    files.add(*found)
    merged = merge.merge(files.documents, log)
    _settle_root(merged, log, root)
    settings = Builder(merged, kinds, log).settings(file, files)
    if settings is None:
        raise log.error()
    return settings


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return path.absolute()


def _settle_root(merged: Merged, log: Log, override: Path | None) -> None:
    """Let the log know the tree's root; one that is no folder is a problem."""
    node = merged.tree.table.get("root")
    if override is not None:
        if not _is_folder(log.root):
            log.add_file(None, 0, f'the root "{override}" is no folder', "--root names the tree's root")
    elif node is not None and isinstance(node.value, str) and node.value.strip():
        root = _resolved(node.file.parent / node.value)
        if node.file.is_relative_to(places.rules_folder()):
            log.add(node, "root of the tree: a shipped rule pack cannot know it")
        elif _is_folder(root):
            log.root = root
        else:
            log.add(node, f'root of the tree: "{node.value}" is no folder', "write it relative to this file")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
