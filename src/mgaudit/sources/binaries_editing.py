"""Binaries with other symbols than they have, in memory: what would be read if they had been built otherwise.

Longer tables are put behind the file, and the section headers lead to them; no machine code refers to the new symbols.
Of an archive, a copy of a member with the symbols becomes one more member of its name.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.sources.binaries_archive import read_members
from mgaudit.sources.binaries_elf import ElfLayout
from mgaudit.sources.binaries_formats import Format, sniff
from mgaudit.sources.binaries_stream import MalformedError, Window

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_SHT_SYMTAB: Final = 2
_SHT_DYNSYM: Final = 11
_SHT_SYMTAB_SHNDX: Final = 18
_SHT_VERSYM: Final = 0x6FFFFFFF
_LOCAL, _GLOBAL, _WEAK = 0, 1, 2
_ABSOLUTE: Final = 0xFFF1
_UNVERSIONED: Final = 1
_HIDDEN: Final = 2


@dataclass(frozen=True, slots=True)
class Addition:
    """A symbol that a binary is to have.

    Attributes:
        name: Mangled.
        is_defined: Whether the binary defines it; else somebody else has to.
        is_weak: Whether its binding is weak.
        is_local: Whether no other object sees it.
    """

    name: str
    is_defined: bool = False
    is_weak: bool = False
    is_local: bool = False

    @property
    def info(self) -> int:
        """The binding and the type, which is none, as ELF has them."""
        return (_LOCAL if self.is_local else _WEAK if self.is_weak else _GLOBAL) << 4


def with_symbols(data: bytes, additions: Sequence[Addition], member: str | None = None) -> bytes | None:
    """A binary with some more symbols in the table that counts for linkers.

    Args:
        data: An ELF file, or an archive of some.
        additions: The symbols.
        member: Of an archive, the member that has them.

    Returns:
        None where it is neither, or cannot be read, or has no such table.
    """
    try:
        if member is None:
            return _elf_with(data, additions)
        return _archive_with(data, additions, member)
    except MalformedError:
        return None


def with_hidden(data: bytes, names: Collection[str]) -> bytes | None:
    """A library whose dynamic table hides some symbols from other components.

    Args:
        data: An ELF file.
        names: The symbols, mangled.

    Returns:
        None where it is none, or has no such table.
    """
    try:
        layout = ElfLayout(Window(io.BytesIO(data), 0, len(data)))
        table = layout.only(_SHT_DYNSYM, "dynamic symbols")
        if table is None:
            return None
        known = layout.contents(layout.sections[table].link, "the symbol names")
        symbols = bytearray(layout.contents(table, "a symbol table"))
    except MalformedError:
        return None
    width, visibility = (24, 5) if layout.is_64 else (16, 13)
    wanted = {name.encode() for name in names}
    for start in range(0, len(symbols), width):
        at = struct.unpack_from(layout.order + "I", symbols, start)[0]
        if known[at : known.find(b"\0", at)] in wanted:
            symbols[start + visibility] = _HIDDEN
    return _rewritten(data, layout, {table: bytes(symbols)})


def _archive_with(data: bytes, additions: Sequence[Addition], member: str) -> bytes | None:
    window = Window(io.BytesIO(data), 0, len(data))
    if sniff(window) is Format.THIN_ARCHIVE:
        return None
    own = next((found for found in read_members(window, thin=False) if found.name == member), None)
    changed = None if own is None else _elf_with(data[own.offset : own.offset + own.size], additions)
    if changed is None:
        return None
    content = member.encode() + changed  # BSD's form, which holds any name
    header = f"#1/{len(member.encode()):<13}{0:<12}{0:<6}{0:<6}{644:<8}{len(content):<10}`\n".encode()
    return data + b"\n" * (len(data) % 2) + header + content + b"\n" * (len(content) % 2)


def _elf_with(data: bytes, additions: Sequence[Addition]) -> bytes | None:
    layout = ElfLayout(Window(io.BytesIO(data), 0, len(data)))
    table = layout.only(_SHT_DYNSYM, "dynamic symbols") or layout.only(_SHT_SYMTAB, "symbols")
    if table is None:
        return None
    names = layout.contents(layout.sections[table].link, "the symbol names")
    symbols = layout.contents(table, "a symbol table")
    for addition in additions:
        symbols += _symbol(layout, addition, len(names))
        names += addition.name.encode() + b"\0"
    changed = {table: symbols, layout.sections[table].link: names}
    for index, section in enumerate(layout.sections):
        if section.link == table and section.kind in (_SHT_VERSYM, _SHT_SYMTAB_SHNDX):
            form, value = ("H", _UNVERSIONED) if section.kind == _SHT_VERSYM else ("I", 0)
            more = struct.pack(layout.order + form, value) * len(additions)
            changed[index] = layout.contents(index, "what belongs to a symbol table") + more
    return _rewritten(data, layout, changed)


def _symbol(layout: ElfLayout, addition: Addition, name: int) -> bytes:
    place = _ABSOLUTE if addition.is_defined else 0
    if layout.is_64:
        return struct.pack(layout.order + "IBBHQQ", name, addition.info, 0, place, 0, 0)
    return struct.pack(layout.order + "IIIBBH", name, 0, 0, addition.info, 0, place)


def _rewritten(data: bytes, layout: ElfLayout, changed: dict[int, bytes]) -> bytes:
    """The file with other contents of some sections."""
    found = bytearray(data)
    form = struct.Struct(layout.order + ("IIQQQQIIQQ" if layout.is_64 else "10I"))
    for index, content in changed.items():
        header = layout.sections[index]._replace(offset=len(found), size=len(content))
        form.pack_into(found, layout.section_table + index * form.size, *header)
        found += content
    return bytes(found)
