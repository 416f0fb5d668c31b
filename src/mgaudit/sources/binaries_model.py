"""What a binary says of its symbols. Values only."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

import msgspec


class Bind(enum.StrEnum):
    """How the linker resolves the symbol against others of its name."""

    LOCAL = "local"
    GLOBAL = "global"
    WEAK = "weak"
    UNIQUE = "unique"


class Visibility(enum.StrEnum):
    """Who sees the symbol outside the linked component."""

    DEFAULT = "default"
    INTERNAL = "internal"
    HIDDEN = "hidden"
    PROTECTED = "protected"


class SymbolKind(enum.StrEnum):
    """What the symbol names."""

    NONE = "none"
    OBJECT = "object"
    FUNCTION = "function"
    SECTION = "section"
    FILE = "file"
    COMMON = "common"
    TLS = "tls"
    IFUNC = "ifunc"
    OTHER = "other"


class Placement(enum.StrEnum):
    """Where the symbol's definition is."""

    UNDEFINED = "undefined"
    DEFINED = "defined"
    ABSOLUTE = "absolute"
    COMMON = "common"


class Table(enum.StrEnum):
    """Which table the symbol stands in: the linker's or the loader's."""

    STATIC = "static"
    DYNAMIC = "dynamic"


class ObjectKind(enum.StrEnum):
    """What kind of object file it is; a position-independent executable counts as shared."""

    RELOCATABLE = "relocatable"
    SHARED = "shared"
    EXECUTABLE = "executable"


class Symbol(msgspec.Struct, frozen=True, gc=False):
    """One entry of a symbol table.

    Attributes:
        name: The mangled name, without its version: the symbol's identity.
        version: The symbol version, or empty.
        default_version: Whether the version is the one that an unversioned reference gets (``name@@version``).
        bind: Its binding.
        kind: Its type.
        visibility: Its visibility.
        placement: Whether and how it is defined.
        section: The name of its section; empty where it has none.
        size: In bytes; of a common symbol, what it will occupy.
        table: The table it was read from.
    """

    name: str
    version: str
    default_version: bool
    bind: Bind
    kind: SymbolKind
    visibility: Visibility
    placement: Placement
    section: str
    size: int
    table: Table

    @property
    def is_undefined(self) -> bool:
        """Whether somebody else has to define it; a weak reference counts."""
        return self.placement is Placement.UNDEFINED

    @property
    def provides(self) -> bool:
        """Whether it resolves references of other objects that are linked with it."""
        return self.placement is not Placement.UNDEFINED and self.bind is not Bind.LOCAL

    @property
    def is_exported(self) -> bool:
        """Whether the loader offers it to other components."""
        seen = self.visibility in (Visibility.DEFAULT, Visibility.PROTECTED)
        return self.table is Table.DYNAMIC and self.provides and seen

    @property
    def label(self) -> str:
        """The name as linkers and ``nm`` print it, with its version."""
        return f"{self.name}{'@@' if self.default_version else '@'}{self.version}" if self.version else self.name


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """One object file: a file of its own or a member of an archive.

    Attributes:
        path: The file, as reports name it.
        member: The archive member's name, or None.
        ordinal: Which of the members of that name, from 1.
        kind: What kind of object file.
        machine: The ELF machine, for example ``EM_X86_64``.
        symbols: The entries of both tables in file order, the static one first, without files and sections.
    """

    path: str
    member: str | None
    ordinal: int
    kind: ObjectKind
    machine: str
    symbols: tuple[Symbol, ...] = field(repr=False)

    @property
    def label(self) -> str:
        """The file, and the member in parentheses; its ordinal where the name alone is ambiguous."""
        if self.member is None:
            return self.path
        return f"{self.path}({self.member}{f'#{self.ordinal}' if self.ordinal > 1 else ''})"

    def table(self, table: Table) -> tuple[Symbol, ...]:
        """The symbols of one table."""
        return tuple(symbol for symbol in self.symbols if symbol.table is table)

    @property
    def linkage(self) -> tuple[Symbol, ...]:
        """The symbols that count when others are linked with it: the dynamic table's if there is one."""
        return self.table(Table.DYNAMIC) or self.table(Table.STATIC)

    @property
    def layout(self) -> tuple[Symbol, ...]:
        """The symbols that say most about its contents: the static table's unless it was stripped."""
        return self.table(Table.STATIC) or self.table(Table.DYNAMIC)


@dataclass(frozen=True, slots=True)
class Binary:
    """A file on disk with one object file, or an archive with any number.

    Attributes:
        path: As reports name it.
        is_archive: Whether it is a static archive.
        objects: Its object files in file order; names may repeat.
    """

    path: str
    is_archive: bool
    objects: tuple[ObjectFile, ...]
