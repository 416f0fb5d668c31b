"""Reads the configured catalogues, each once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mgaudit.analysis.activity import Activity
from mgaudit.domain.problems import UntrustedError
from mgaudit.sources.catalogues import Catalogue, read_inline, read_list
from mgaudit.sources.tree import read_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.config.model import Settings
    from mgaudit.facts.query import Facts


class CatalogueReader:
    """The catalogues of a configuration, as the given facts see their files.

    Args:
        settings: The configuration.
        facts: Tell which arms of a list's file some unit takes.
        read: Reads a file by its name of `Places`; it raises `OSError`.
    """

    def __init__(self, settings: Settings, facts: Facts, read: Callable[[str], bytes] | None = None) -> None:
        self._settings = settings
        self._facts = facts
        self._read = read or partial(read_file, settings)
        self._known: dict[str, Catalogue] = {}

    def read(self, name: str) -> Catalogue:
        """A catalogue by its configured name.

        Raises:
            UntrustedError: Its file cannot be read, or it is malformed.
        """
        known = self._known.get(name)
        if known is None:
            spec = self._settings.catalogues[name]
            if spec.file is None:
                known = read_inline(spec)
            else:
                known = read_list(
                    spec, spec.file, self._content(spec.file, spec.path, spec.line), self._arms(spec.file)
                )
            self._known[name] = known
        return known

    def _content(self, file: str, path: str, line: int) -> bytes:
        try:
            return self._read(file)
        except OSError as error:
            raise UntrustedError.single(
                f"the catalogue file {file} cannot be read: {error.strerror}",
                path=path,
                line=line,
                help="correct `file`, which is relative to the tree's root",
            ) from None

    def _arms(self, file: str) -> Callable[[int], bool] | None:
        """Whether some unit takes the code at a byte offset of a file; None where no unit enters it."""
        if file not in self._facts.scans:
            return None
        activity = Activity(self._facts, (file,))
        return (lambda offset: activity.is_active(file, offset)) if activity.is_seen(file) else None
