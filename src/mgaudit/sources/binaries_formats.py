"""Which format a file has, by its first bytes; what is no object file is named, so that nobody has to guess."""

from __future__ import annotations

import enum
from typing import Final

from mgaudit.sources.binaries_stream import MalformedError, Window


class Format(enum.Enum):
    """The formats that can be read."""

    ELF = enum.auto()
    ARCHIVE = enum.auto()
    THIN_ARCHIVE = enum.auto()


_READABLE: Final = {b"\x7fELF": Format.ELF, b"!<arch>\n": Format.ARCHIVE, b"!<thin>\n": Format.THIN_ARCHIVE}

LTO_HELP: Final = "judge the linked library instead, or build the objects without link-time optimisation"
_ELF_HELP: Final = "only ELF objects and archives of them can be judged"

_FOREIGN: Final = (
    (b"BC\xc0\xde", "LLVM bitcode of a link-time optimised build, not an object file", LTO_HELP),
    (b"\xde\xc0\x17\x0b", "LLVM bitcode (with wrapper) of a link-time optimised build, not an object file", LTO_HELP),
    (b"\xfe\xed\xfa\xce", "a Mach-O file", _ELF_HELP),
    (b"\xfe\xed\xfa\xcf", "a Mach-O file", _ELF_HELP),
    (b"\xce\xfa\xed\xfe", "a Mach-O file", _ELF_HELP),
    (b"\xcf\xfa\xed\xfe", "a Mach-O file", _ELF_HELP),
    (b"\xca\xfe\xba\xbe", "a universal Mach-O file or a Java class", _ELF_HELP),
    (b"MZ", "a PE file", _ELF_HELP),
    (b"\x64\x86", "a COFF object", _ELF_HELP),
    (b"\x64\xaa", "a COFF object", _ELF_HELP),
    (b"\x00\x00\xff\xff", "a COFF import or bitcode object", _ELF_HELP),
    (b"\x00asm", "a WebAssembly module", _ELF_HELP),
    (b"<bigaf>\n", "an AIX archive", _ELF_HELP),
    (b"\x1f\x8b", "compressed with gzip", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it"),
    (b"\xfd7zXZ\x00", "compressed with xz", "unpack it"),
)
_LINKER_SCRIPT: Final = (b"/* GNU ld script", b"INPUT(", b"INPUT (", b"GROUP(", b"GROUP (", b"OUTPUT_FORMAT(")


def sniff(window: Window) -> Format:
    """The format of a file.

    Raises:
        MalformedError: It is empty or of no format that can be read; the message says what it is.
    """
    window.seek(0)
    head = window.read(4096)
    if not head:
        raise MalformedError("an empty file, not a binary", "rebuild the file")
    for magic, found in _READABLE.items():
        if head.startswith(magic):
            return found
    for magic, what, help_text in _FOREIGN:
        if head.startswith(magic):
            raise MalformedError(f"{what}: cannot be judged", help_text)
    if any(mark in head for mark in _LINKER_SCRIPT):
        raise MalformedError("a linker script, not a library", "name the library that the script refers to")
    if any(magic.startswith(head) for magic in _READABLE):
        raise MalformedError(f"truncated after {len(head)} bytes", "rebuild the file")
    raise MalformedError("not an object file, shared library, executable or archive", _ELF_HELP)
