"""GNU symbol versions of an ELF file's dynamic symbols."""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING, Any, Final, cast

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerNeedSection

from mgaudit.sources.binaries_stream import MalformedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.sources.binaries_elf import ElfLayout

_SHT_VERDEF: Final = 0x6FFFFFFD
_SHT_VERNEED: Final = 0x6FFFFFFE
_SHT_VERSYM: Final = 0x6FFFFFFF

_HIDDEN: Final = 0x8000
_VER_FLG_BASE: Final = 1
_SMALLEST_RECORD: Final = 8


class Versions:
    """Version of each dynamic symbol, by its number in the table."""

    def __init__(self, indices: tuple[int, ...], defined: dict[int, str], needed: dict[int, str]) -> None:
        self._indices = indices
        self._defined = defined
        self._needed = needed

    def of(self, number: int, *, defined: bool) -> tuple[str, bool]:
        """The version's name, empty if it has none, and whether it is the symbol's default version.

        Raises:
            MalformedError: The symbol's version is not recorded.
        """
        if not self._indices:
            return "", False
        index = self._indices[number] & ~_HIDDEN
        if index < 2 and index not in self._defined:
            return "", False
        hidden = bool(self._indices[number] & _HIDDEN)
        if defined and index in self._defined:
            return self._defined[index], not hidden
        # A copy-relocated variable is defined here and keeps the version of the library that it came from.
        name = self._needed.get(index) or self._defined.get(index)
        if name is None:
            raise MalformedError(f"corrupt: dynamic symbol {number} has unknown version {index}", "rebuild the file")
        return name, False


def read_versions(layout: ElfLayout, table: int) -> Versions:
    """The versions that belong to one dynamic symbol table, cross-checked against its number of entries.

    Raises:
        MalformedError: The version records are corrupt, or too few or many for the table.
    """
    index = layout.only(_SHT_VERSYM, "symbol versions")
    if index is None:
        return Versions((), {}, {})
    data = layout.contents(index, "the symbol versions")
    section = layout.sections[table]
    count = section.size // section.entry_size if section.entry_size else 0
    if len(data) != 2 * count:
        raise MalformedError(
            f"corrupt: {count} dynamic symbols, but {len(data) // 2} symbol versions", "rebuild the file"
        )
    indices = struct.unpack(f"{layout.order}{count}H", data)
    try:
        return Versions(indices, dict(_definitions(layout)), dict(_needs(layout)))
    except MalformedError:
        raise
    except Exception as error:
        # Hostile bytes make the library fail in ways that it does not document.
        raise MalformedError(f"corrupt version records ({type(error).__name__})", "rebuild the file") from error


def _definitions(layout: ElfLayout) -> Iterator[tuple[int, str]]:
    index = layout.only(_SHT_VERDEF, "version definitions")
    section = _section(layout, index)
    if not isinstance(section, GNUVerDefSection):
        return
    for record, names in _bounded(section, layout, index):
        first = next(iter(names), None)
        if first is not None and not record["vd_flags"] & _VER_FLG_BASE:
            yield record["vd_ndx"], first.name


def _needs(layout: ElfLayout) -> Iterator[tuple[int, str]]:
    index = layout.only(_SHT_VERNEED, "version needs")
    section = _section(layout, index)
    if not isinstance(section, GNUVerNeedSection):
        return
    budget = layout.sections[index or 0].size // _SMALLEST_RECORD
    for _, entries in _bounded(section, layout, index):
        for entry in entries:
            budget -= 1
            if budget < 0:
                raise MalformedError("corrupt: the version records run in a circle", "rebuild the file")
            yield entry["vna_other"], entry.name


def _section(layout: ElfLayout, index: int | None) -> object:
    return None if index is None else ELFFile(cast("IO[bytes]", layout.window)).get_section(index)


def _bounded(section: Any, layout: ElfLayout, index: int | None) -> Iterator[Any]:
    """The section's records; they are linked lists, which may be circular."""
    budget = layout.sections[index or 0].size // _SMALLEST_RECORD
    for item in section.iter_versions():
        budget -= 1
        if budget < 0:
            raise MalformedError("corrupt: the version records run in a circle", "rebuild the file")
        yield item
