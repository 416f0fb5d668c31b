"""Symbol tables of ELF files.

pyelftools knows the constants and reads the version records; headers and symbols, of which there may be millions, are
unpacked in bulk: its objects cost a hundred times as much. Source: System V ABI, chapters 4 and 5; Linux Standard
Base, "Symbol Versioning".
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from elftools.elf.enums import ENUM_E_MACHINE

from mgaudit.sources.binaries_elf_versions import Versions, read_versions
from mgaudit.sources.binaries_formats import LTO_HELP
from mgaudit.sources.binaries_model import (
    Bind,
    ObjectFile,
    ObjectKind,
    Placement,
    Symbol,
    SymbolKind,
    Table,
    Visibility,
)
from mgaudit.sources.binaries_stream import MalformedError, Window

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHT_SYMTAB: Final = 2
_SHT_RELA: Final = 4
_SHT_NOBITS: Final = 8
_SHT_REL: Final = 9
_SHT_DYNSYM: Final = 11
_SHT_SYMTAB_SHNDX: Final = 18

_SHN_LORESERVE: Final = 0xFF00
_SHN_ABS: Final = 0xFFF1
_SHN_XINDEX: Final = 0xFFFF
_COMMON: Final = frozenset((0xFFF2, 0xFF02))  # SHN_COMMON, SHN_X86_64_LCOMMON

_KINDS: Final = {1: ObjectKind.RELOCATABLE, 2: ObjectKind.EXECUTABLE, 3: ObjectKind.SHARED}
_MACHINES: Final = {code: name for name, code in ENUM_E_MACHINE.items() if isinstance(code, int)}
_BINDS: Final = {0: Bind.LOCAL, 1: Bind.GLOBAL, 2: Bind.WEAK, 10: Bind.UNIQUE}
_SYMBOL_KINDS: Final = {
    0: SymbolKind.NONE,
    1: SymbolKind.OBJECT,
    2: SymbolKind.FUNCTION,
    3: SymbolKind.SECTION,
    4: SymbolKind.FILE,
    5: SymbolKind.COMMON,
    6: SymbolKind.TLS,
    10: SymbolKind.IFUNC,
}
_VISIBILITIES: Final = (Visibility.DEFAULT, Visibility.INTERNAL, Visibility.HIDDEN, Visibility.PROTECTED)

_NAME_BYTES_PER_TABLE_BYTE: Final = 8
"""Linkers share equal tails of names, so the names may sum up to more than their table, but not to much more."""


class Section(NamedTuple):
    """One section header, fields as in the file."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class ElfLayout:
    """A checked header and section table: what the symbol tables are read from."""

    def __init__(self, window: Window) -> None:
        self.window = window
        ident = window.exactly(0, 16, "the ELF header")
        if ident[4] not in (1, 2) or ident[5] not in (1, 2) or ident[6] != 1:
            raise MalformedError("a corrupt ELF header: unknown class, byte order or version", "rebuild the file")
        self.is_64 = ident[4] == 2
        self.order = "<" if ident[5] == 1 else ">"
        header = struct.Struct(self.order + ("HHIQQQIHHHHHH" if self.is_64 else "HHIIIIIHHHHHH"))
        fields = header.unpack(window.exactly(16, header.size, "the ELF header"))
        self.kind = _object_kind(fields[0])
        self.machine = _MACHINES.get(fields[1], f"machine {fields[1]}")
        self.section_table = fields[5]
        self.sections = self._read_sections(offset=fields[5], entry=fields[10], count=fields[11])
        self._names: dict[int, str] = {}
        self._name_table = self._read_name_table(fields[12])
        self._refuse_slim_lto()

    def _read_sections(self, *, offset: int, entry: int, count: int) -> tuple[Section, ...]:
        if offset == 0:
            raise MalformedError(
                "no section headers: its symbol tables cannot be found", "judge the file before its headers are removed"
            )
        form = struct.Struct(self.order + ("IIQQQQIIQQ" if self.is_64 else "10I"))
        if entry != form.size:
            raise MalformedError(f"a corrupt ELF header: section headers of {entry} bytes", "rebuild the file")
        # Where the header's 16 bits are too few, the first section header holds the count.
        first = Section._make(form.unpack(self.window.exactly(offset, entry, "the first section header")))
        table = self.window.exactly(offset, (count or first.size) * entry, "the section headers")
        return tuple(map(Section._make, form.iter_unpack(table)))

    def _read_name_table(self, index: int) -> bytes:
        if index == _SHN_XINDEX and self.sections:
            index = self.sections[0].link
        if index >= len(self.sections):
            raise MalformedError("a corrupt ELF header: no section holds the section names", "rebuild the file")
        return self.contents(index, "the section names") if index else b""

    def contents(self, index: int, what: str) -> bytes:
        """The bytes of a section; none where it occupies none in the file."""
        section = self.sections[index]
        return b"" if section.kind == _SHT_NOBITS else self.window.exactly(section.offset, section.size, what)

    def section_name(self, index: int) -> str:
        """The name of a section."""
        if index not in self._names:
            if index >= len(self.sections):
                raise MalformedError(
                    f"corrupt: a symbol refers to section {index} of {len(self.sections)}", "rebuild the file"
                )
            self._names[index] = _string(self._name_table, self.sections[index].name)
        return self._names[index]

    def only(self, kind: int, what: str) -> int | None:
        """The index of the only section of a type, or None."""
        found = [index for index, section in enumerate(self.sections) if section.kind == kind and index]
        if len(found) > 1:
            raise MalformedError(
                f"corrupt: {len(found)} sections hold {what}, one at most is legal", "rebuild the file"
            )
        return found[0] if found else None

    def _refuse_slim_lto(self) -> None:
        if b".gnu.lto_" not in self._name_table:
            return
        for index, section in enumerate(self.sections):
            if self.section_name(index).startswith(".gnu.lto_.lto.") and section.size >= 5:
                # struct lto_section: two 16-bit version numbers, then whether there is no machine code beside.
                slim = self.window.exactly(section.offset, 5, "the LTO header")[4]
                if slim:
                    raise MalformedError("a GCC object of a link-time optimised build, without machine code", LTO_HELP)


def _object_kind(code: int) -> ObjectKind:
    kind = _KINDS.get(code)
    if kind is None:
        raise MalformedError(
            f"an ELF file of type {code}, neither an object nor a linked file", "name the object, library or executable"
        )
    return kind


def _string(table: bytes, offset: int) -> str:
    end = table.find(b"\0", offset)
    if end < 0 or offset >= len(table):
        raise MalformedError(f"corrupt: a name at byte {offset} leaves its string table", "rebuild the file")
    return table[offset:end].decode("utf-8", "backslashreplace")


def read_elf(window: Window, path: str, member: str | None = None, ordinal: int = 1) -> ObjectFile:
    """Read the symbol tables of one ELF file.

    Raises:
        MalformedError: It is truncated, corrupt, stripped of what the linker needs, or holds no machine code.
    """
    layout = ElfLayout(window)
    symbols: list[Symbol] = []
    counts = 0
    for kind, table, what in ((_SHT_SYMTAB, Table.STATIC, "symbols"), (_SHT_DYNSYM, Table.DYNAMIC, "dynamic symbols")):
        index = layout.only(kind, what)
        if index is not None and layout.sections[index].kind != _SHT_NOBITS:
            counts += 1
            symbols.extend(_read_table(layout, index, table))
    if not counts and layout.kind is ObjectKind.RELOCATABLE and _has_relocations(layout):
        raise MalformedError(
            "stripped: it has relocations, but no symbol table", "judge the file before it is stripped"
        )
    return ObjectFile(path, member, ordinal, layout.kind, layout.machine, tuple(symbols))


def _has_relocations(layout: ElfLayout) -> bool:
    return any(section.kind in (_SHT_REL, _SHT_RELA) and section.size for section in layout.sections)


def _entries(layout: ElfLayout, index: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Name offset, info, other, section index and size of each entry, in file order."""
    section = layout.sections[index]
    width = 24 if layout.is_64 else 16
    if section.entry_size != width or section.size % width:
        raise MalformedError(
            f"corrupt: a symbol table of {section.size} bytes with entries of {section.entry_size}", "rebuild the file"
        )
    if section.info > section.size // width:
        raise MalformedError("corrupt: more local symbols than the table has entries", "rebuild the file")
    data = layout.contents(index, "a symbol table")
    if layout.is_64:
        for name, info, other, place, _, size in struct.iter_unpack(layout.order + "IBBHQQ", data):
            yield name, info, other, place, size
    else:
        for name, _, size, info, other, place in struct.iter_unpack(layout.order + "IIIBBH", data):
            yield name, info, other, place, size


def _read_table(layout: ElfLayout, index: int, table: Table) -> Iterator[Symbol]:
    link = layout.sections[index].link
    if not 0 < link < len(layout.sections):
        raise MalformedError("corrupt: a symbol table without a string table", "rebuild the file")
    names = _Names(layout.contents(link, "the symbol names"))
    extended = _extended_sections(layout, index)
    versions = read_versions(layout, index) if table is Table.DYNAMIC else None
    for number, (offset, info, other, place, size) in enumerate(_entries(layout, index)):
        kind = _SYMBOL_KINDS.get(info & 15, SymbolKind.OTHER)
        if number == 0 or kind is SymbolKind.FILE or kind is SymbolKind.SECTION:
            continue
        bind = _BINDS.get(info >> 4)
        if bind is None:
            raise MalformedError(f"corrupt: symbol {number} has the unknown binding {info >> 4}", "rebuild the file")
        placement, section = _place(layout, place, number, extended)
        if kind is SymbolKind.COMMON and placement is not Placement.UNDEFINED and layout.kind is ObjectKind.RELOCATABLE:
            placement = Placement.COMMON
        name = names.at(offset)
        version, default = _version(name, number, placement, versions)
        if version and versions is None:
            name = name.partition("@")[0]
        elif version == name:
            # The absolute symbol that stands for the version itself.
            version, default = "", False
        yield Symbol(name, version, default, bind, kind, _VISIBILITIES[other & 3], placement, section, size, table)


def _version(name: str, number: int, placement: Placement, versions: Versions | None) -> tuple[str, bool]:
    """The version's name, and whether it is the default one; static tables spell it in the symbol's name."""
    if versions is not None:
        return versions.of(number, defined=placement is not Placement.UNDEFINED)
    stem, mark, version = name.partition("@")
    if not stem or not mark or not version.strip("@"):
        return "", False
    return version.lstrip("@"), version.startswith("@")


def _extended_sections(layout: ElfLayout, index: int) -> tuple[int, ...]:
    """Section indices too large for the entries themselves, one per entry, or none."""
    for number, section in enumerate(layout.sections):
        if section.kind == _SHT_SYMTAB_SHNDX and section.link == index:
            data = layout.contents(number, "the extended section indices")
            return struct.unpack(f"{layout.order}{len(data) // 4}I", data[: len(data) // 4 * 4])
    return ()


def _place(layout: ElfLayout, place: int, number: int, extended: tuple[int, ...]) -> tuple[Placement, str]:
    if place == 0:
        return Placement.UNDEFINED, ""
    if place == _SHN_XINDEX:
        if number >= len(extended):
            raise MalformedError(f"corrupt: symbol {number} lacks its extended section index", "rebuild the file")
        return Placement.DEFINED, layout.section_name(extended[number])
    if place < _SHN_LORESERVE:
        return Placement.DEFINED, layout.section_name(place)
    if place in _COMMON:
        return Placement.COMMON, ""
    if place == _SHN_ABS:
        return Placement.ABSOLUTE, ""
    return Placement.DEFINED, f"section {place:#x}"


class _Names:
    """The names of a string table. Their total length is bounded: tails of one long string could sum up to anything."""

    def __init__(self, table: bytes) -> None:
        self._table = table
        self._known: dict[int, str] = {}
        self._budget = len(table) * _NAME_BYTES_PER_TABLE_BYTE + 4096

    def at(self, offset: int) -> str:
        """The name that starts at the offset."""
        name = self._known.get(offset)
        if name is None:
            name = self._known[offset] = _string(self._table, offset)
            self._budget -= len(name)
            if self._budget < 0:
                raise MalformedError("corrupt: the symbols' names overlap beyond what linkers do", "rebuild the file")
        return name
