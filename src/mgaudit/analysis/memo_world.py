"""What is known of memos over all units: types put together, classes by key, and what holds values over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from mgaudit.sources.memo_records import RECORD, BodyRow, HolderRow, RecordRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.facts.query import Facts
    from mgaudit.sources.memo_records import AliasRecord, NodeRecord, TypeRecord

Node = tuple[str, str]
"""Kind and key of something that holds or yields a value, as `mgaudit.sources.memo_records` names them."""


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """A canonical type; see `memo_records.TypeRecord`. One object a type: compare by identity."""

    kind: str
    text: str
    bits: int
    key: str
    name: str
    path: str
    parts: tuple[Type | None, ...]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A declaration.

    Attributes:
        path: The file.
        line: 1-based.
        column: 1-based, in bytes.
        name: Its qualified name.
        key: What names it in every unit.
    """

    path: str
    line: int
    column: int
    name: str
    key: str


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a class, or a lasting variable.

    Attributes:
        place: Where it is declared.
        type: Its type.
        aliases: The names that its declaration uses.
        parameter: The position of the template parameter that its type is, or -1.
        storage: As `memo_records.HolderRow.storage`.
        mask: The configurations that see it.
    """

    place: Place
    type: Type
    aliases: tuple[AliasRecord, ...]
    parameter: int
    storage: str
    mask: int


@dataclass(slots=True)
class Record:
    """A class of the tree, or an instantiation of a class template.

    Attributes:
        place: Where it is defined.
        type: Its type.
        fields: In order.
        bases: The types of its bases.
        is_plain: Whether it has no member functions but operators, constructors and a destructor.
        mask: The configurations that see it.
    """

    place: Place
    type: Type
    fields: dict[str, Member]
    bases: dict[Type, None]
    is_plain: bool
    mask: int


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a function with its types put together; those of the row, which fill much memory, are gone."""

    path: str
    row: BodyRow
    types: Sequence[Type]
    mask: int

    def node(self, index: int) -> NodeRecord:
        """The node of an index."""
        return self.row.nodes[index]


@dataclass(slots=True)
class World:
    """Everything that rows say, over all units.

    Attributes:
        records: The classes, by key.
        holders: Fields of classes that are no instantiations, and lasting variables, by key.
        bodies: The bodies.
        owners: The class of each field, by the field's key.
    """

    records: dict[str, Record] = field(default_factory=dict)
    holders: dict[str, Member] = field(default_factory=dict)
    bodies: list[Body] = field(default_factory=list)
    owners: dict[str, str] = field(default_factory=dict)
    _types: dict[tuple[str, str], Type] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: Facts) -> World:
        """What some facts say; made once."""
        known = facts.derived.get(cls)
        if known is None:
            known = facts.derived[cls] = cls()
            for path, row, mask in facts.memos():
                known.add(path, row, mask)
        return known

    def add(self, path: str, row: RecordRow | HolderRow | BodyRow, mask: int) -> None:
        """Take a row in."""
        types = self._put_together(row.types)
        if isinstance(row, BodyRow):
            self.bodies.append(Body(path, msgspec.structs.replace(row, types=()), types, mask))
        elif isinstance(row, HolderRow):
            place = Place(path, row.line, row.column, row.name, row.key)
            known = self.holders.get(row.key)
            bits = mask | (known.mask if known is not None else 0)
            first = min(place, known.place) if known is not None else place
            self.holders[row.key] = Member(first, types[row.type], row.aliases, -1, row.storage, bits)
        else:
            self._add_record(path, row, types, mask)

    def _add_record(self, path: str, row: RecordRow, types: Sequence[Type], mask: int) -> None:
        record = self.records.get(row.key)
        if record is None:
            place = Place(path, row.line, row.column, row.name, row.key)
            record = self.records[row.key] = Record(place, types[row.type], {}, {}, row.is_plain, 0)
        record.mask |= mask
        record.is_plain = record.is_plain and row.is_plain
        for f in row.fields:
            known = record.fields.get(f.key)
            place = Place(path, f.line, f.column, f"{row.name}::{f.name or '(unnamed)'}", f.key)
            bits = mask | (known.mask if known is not None else 0)
            record.fields[f.key] = Member(place, types[f.type], f.aliases, f.parameter, "field", bits)
            self.owners[f.key] = row.key
        for base in row.bases:
            record.bases[types[base]] = None

    def _put_together(self, rows: Sequence[TypeRecord]) -> list[Type]:
        made: dict[int, Type] = {}
        return [self._made(index, rows, made) for index in range(len(rows))]

    def _made(self, index: int, rows: Sequence[TypeRecord], made: dict[int, Type]) -> Type:
        known = made.get(index)
        if known is None:
            row = rows[index]
            identity = (row.text, row.key)
            known = self._types.get(identity)
            if known is None or len(known.parts) < len(row.parts):
                parts = tuple([self._made(part, rows, made) if part >= 0 else None for part in row.parts])
                known = self._types[identity] = Type(row.kind, row.text, row.bits, row.key, row.name, row.path, parts)
            made[index] = known
        return known

    def record_of(self, type_: Type) -> Record | None:
        """The class that a type is, where its definition was seen in the tree."""
        return self.records.get(type_.key) if type_.kind == RECORD else None

    def member(self, key: str) -> Member | None:
        """The field or lasting variable of a key."""
        known = self.holders.get(key)
        if known is not None:
            return known
        owner = self.records.get(self.owners.get(key, ""))
        return owner.fields.get(key) if owner is not None else None
