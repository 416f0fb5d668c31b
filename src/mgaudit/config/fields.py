"""The types of configuration values, and how a dataclass becomes a table of ``mgaudit.toml``.

A table is described by a frozen dataclass. The loader, the JSON schema and the documentation read its fields: a field's
key is its name in kebab-case (or `Key`), its default makes it optional, its annotation says what it may hold::

    @dataclass(frozen=True, slots=True)
    class LayersParameters(Parameters):
        \"\"\"Zones from top to bottom; each uses only those below.\"\"\"

        layers: Annotated[tuple[ZoneName, ...], Doc("zones from top to bottom")]
        by: Literal["include", "symbol"] = "include"

Annotations are made of ``bool``, ``int``, ``str``, ``Literal``, string enumerations, the aliases of this module, other
such dataclasses, ``tuple[X, ...]``, ``Mapping[str, X]`` and ``X | None``. They are evaluated at run time. A tuple or
mapping without a default must hold something.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar, runtime_checkable

from mgaudit.config import texts
from mgaudit.config.log import Log, Reference, closest, nearest
from mgaudit.config.texts import Fault

if TYPE_CHECKING:
    from mgaudit.config.toml import Node

__all__ = [
    "Accepts",
    "BinaryGlob",
    "CatalogueName",
    "CatalogueWith",
    "ConfigurationName",
    "Count",
    "Doc",
    "Fault",
    "FilePath",
    "FunctionName",
    "Glob",
    "Identifier",
    "Key",
    "Line",
    "LiteralPath",
    "NameGlob",
    "Parameters",
    "PathText",
    "QualifiedName",
    "SymbolPattern",
    "TreePath",
    "ZoneName",
]

Schema = dict[str, Any]
RecordT = TypeVar("RecordT")


class Invalid(enum.Enum):
    """What reading yields where a problem was noted instead."""

    INVALID = enum.auto()


INVALID = Invalid.INVALID


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a gate kind can be told. Subclasses are frozen dataclasses whose fields the loader reads by type."""

    def faults(self) -> Iterable[Fault]:
        """What is wrong with parameters that are each right alone."""
        return ()


@runtime_checkable
class Judging(Protocol):
    """A table that checks its values against each other."""

    def faults(self) -> Iterable[Fault]:
        """What is wrong with values that are each right alone."""


@dataclass(frozen=True, slots=True)
class Key:
    """Annotation: the key in the file, where it is not the field's name in kebab-case."""

    name: str


@dataclass(frozen=True, slots=True)
class Doc:
    """Annotation: what the key says, for editors and documentation."""

    text: str


@dataclass(frozen=True, slots=True)
class Accepts:
    """Annotation: the file is a baseline of those findings whose identity starts with this word."""

    word: str


class FieldType(Protocol):
    """How one kind of value is read and described."""

    def read(self, node: Node, subject: str, log: Log) -> object:
        """The value, or `INVALID` with the problems noted.

        Args:
            node: What the file says.
            subject: What messages call it.
            log: Takes problems and references.
        """

    def schema(self) -> Schema:
        """The JSON schema of the value."""


def wrong_type(node: Node, subject: str, expected: str, log: Log) -> Invalid:
    """Note that a value has the wrong type."""
    log.add(node, f"{subject}: must be {expected}, not {node.type_name}")
    return INVALID


@dataclass(frozen=True, slots=True)
class Boolean:
    """``true`` or ``false``."""

    def read(self, node: Node, subject: str, log: Log) -> object:
        """See `FieldType`."""
        return node.value if isinstance(node.value, bool) else wrong_type(node, subject, "a boolean", log)

    def schema(self) -> Schema:
        """See `FieldType`."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer of at least `minimum`; a boolean is none."""

    minimum: int | None = None

    def read(self, node: Node, subject: str, log: Log) -> object:
        """See `FieldType`."""
        if not isinstance(node.value, int) or isinstance(node.value, bool):
            return wrong_type(node, subject, "an integer", log)
        if self.minimum is not None and node.value < self.minimum:
            log.add(node, f"{subject}: must be at least {self.minimum}, not {node.value}")
            return INVALID
        return node.value

    def schema(self) -> Schema:
        """See `FieldType`."""
        return {"type": "integer"} | ({} if self.minimum is None else {"minimum": self.minimum})


@dataclass(frozen=True, slots=True)
class Constant:
    """One integer and no other."""

    value: int

    def read(self, node: Node, subject: str, log: Log) -> object:
        """See `FieldType`."""
        value = Integer().read(node, subject, log)
        if value not in {self.value, INVALID}:
            log.add(node, f"{subject}: must be {self.value}, not {value}")
            return INVALID
        return value

    def schema(self) -> Schema:
        """See `FieldType`."""
        return {"const": self.value}


@dataclass(frozen=True, slots=True)
class Text:
    """A string that passes a check of `mgaudit.config.texts`, if one is given."""

    check: Callable[[str], object] | None = None
    description: str = ""
    blank: bool = False

    def read(self, node: Node, subject: str, log: Log) -> object:
        """See `FieldType`."""
        if not isinstance(node.value, str):
            return wrong_type(node, subject, "a string", log)
        if self.check is None or (self.blank and not node.value):
            return node.value
        try:
            return self.check(node.value)
        except Fault as fault:
            log.add_fault(node, subject, fault)
            return INVALID

    def schema(self) -> Schema:
        """See `FieldType`."""
        length: Schema = {} if self.check is None or self.blank else {"minLength": 1}
        return {"type": "string"} | length | ({"description": self.description} if self.description else {})


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few strings, and the value that each stands for."""

    values: Mapping[str, object]

    def read(self, node: Node, subject: str, log: Log) -> object:
        """See `FieldType`."""
        if not isinstance(node.value, str):
            return wrong_type(node, subject, "a string", log)
        if node.value not in self.values:
            log.add(node, f'{subject}: "{node.value}" is not one of {", ".join(self.values)}')
            return INVALID
        return self.values[node.value]

    def schema(self) -> Schema:
        """See `FieldType`."""
        return {"enum": list(self.values)}


@dataclass(frozen=True, slots=True)
class NameOf:
    """The name of a zone, catalogue or configuration, which must exist.

    Attributes:
        kind: What is named.
        columns: What a catalogue must have.
    """

    kind: str
    columns: tuple[str, ...] = ()

    def read(self, node: Node, subject: str, log: Log) -> object:
        """See `FieldType`."""
        name = Text(texts.line).read(node, subject, log)
        if isinstance(name, str):
            log.references.append(Reference(self.kind, name, node, self.columns))
        return name

    def schema(self) -> Schema:
        """See `FieldType`."""
        return {"type": "string", "minLength": 1, "description": f"the name of a {self.kind}"}


@dataclass(frozen=True, slots=True)
class File:
    """A file beside the tree's sources: see `Log.file_path` for where it is looked up."""

    def read(self, node: Node, subject: str, log: Log) -> object:
        """See `FieldType`."""
        text = Text(texts.line).read(node, subject, log)
        if not isinstance(text, str):
            return text
        try:
            return log.file_path(text, node)
        except Fault as fault:
            log.add_fault(node, subject, fault)
            return INVALID

    def schema(self) -> Schema:
        """See `FieldType`."""
        return {"type": "string", "minLength": 1, "description": "a file, from the root or from this file's folder"}


@dataclass(frozen=True, slots=True)
class Content:
    """Marks a path whose content the gate wants, as it does of a `File`."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """An array."""

    item: FieldType
    filled: bool = False

    def read(self, node: Node, subject: str, log: Log) -> object:
        """See `FieldType`."""
        if not isinstance(node.value, list):
            return wrong_type(node, subject, "an array", log)
        if self.filled and not node.value:
            log.add(node, f"{subject}: must not be empty")
            return INVALID
        values = [self.item.read(item, f"item {index + 1} of {subject}", log) for index, item in enumerate(node.items)]
        return INVALID if INVALID in values else tuple(values)

    def schema(self) -> Schema:
        """See `FieldType`."""
        return {"type": "array", "items": self.item.schema()} | ({"minItems": 1} if self.filled else {})


@dataclass(frozen=True, slots=True)
class TableOf:
    """A table with keys of the user's choice."""

    member: FieldType
    filled: bool = False

    def read(self, node: Node, subject: str, log: Log) -> object:
        """See `FieldType`."""
        if not isinstance(node.value, dict):
            return wrong_type(node, subject, "a table", log)
        if self.filled and not node.value:
            log.add(node, f"{subject}: must not be empty")
            return INVALID
        values = {key: self.member.read(member, f'"{key}" of {subject}', log) for key, member in node.table.items()}
        for key, member in node.table.items():
            if not key.strip():
                log.add(member, f"{subject}: a key must not be empty")
                return INVALID
        return INVALID if INVALID in values.values() else values

    def schema(self) -> Schema:
        """See `FieldType`."""
        return {"type": "object", "additionalProperties": self.member.schema()} | (
            {"minProperties": 1} if self.filled else {}
        )


@dataclass(frozen=True, slots=True)
class Record:
    """A table that a dataclass describes."""

    cls: type[Any]

    def read(self, node: Node, subject: str, log: Log) -> object:
        """See `FieldType`."""
        if not isinstance(node.value, dict):
            return wrong_type(node, subject, "a table", log)
        check_keys(node, keys_of(self.cls), subject, log)
        return read_record(self.cls, node, subject, log)

    def schema(self) -> Schema:
        """See `FieldType`."""
        return record_schema(self.cls)


Line = Annotated[str, Text(texts.line)]
Identifier = Annotated[str, Text(texts.identifier, "a C++ identifier")]
Count = Annotated[int, Integer(1)]
ZoneName = Annotated[str, NameOf("zone")]
CatalogueName = Annotated[str, NameOf("catalogue")]
ConfigurationName = Annotated[str, NameOf("configuration")]
Glob = Annotated[str, Text(texts.glob, "a glob relative to the root")]
BinaryGlob = Annotated[str, Text(texts.binary_glob, "a glob from the root, which may leave the tree")]
TreePath = Annotated[str, Text(texts.tree_path, "a path relative to the root")]
LiteralPath = Annotated[str, Text(texts.literal_path, "a path relative to the root, no glob")]
PathText = Annotated[str, Text(texts.any_path, "a path, from the root unless absolute")]
FilePath = Annotated[str, File()]
QualifiedName = Annotated[str, Text(texts.qualified_name, "a qualified name, or a ::-suffix of one")]
FunctionName = Annotated[str, Text(texts.function_name, "a function's qualified name, or a ::-suffix of one")]
NameGlob = Annotated[str, Text(texts.name_glob, "a qualified name; * stands for any part")]
SymbolPattern = Annotated[str, Text(texts.pattern, "a substring of names, or re: and a regular expression")]


def CatalogueWith(*columns: str) -> NameOf:  # noqa: N802 - used like a type
    """The type of a catalogue's name where the catalogue must have certain columns."""
    return NameOf("catalogue", columns)


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One field of a table.

    Attributes:
        name: The attribute.
        key: The key in the file.
        type: How it is read.
        required: Whether it has no default.
        default: The default, where there is one.
        doc: What it says; may be empty.
    """

    name: str
    key: str
    type: FieldType
    required: bool
    default: object = field(default=None)
    doc: str = ""


_known_fields: dict[type[Any], tuple[FieldSpec, ...]] = {}


def fields_of(cls: type[Any]) -> tuple[FieldSpec, ...]:
    """The fields of a table's dataclass."""
    if cls not in _known_fields:
        _known_fields[cls] = _read_fields(cls)
    return _known_fields[cls]


def _read_fields(cls: type[Any]) -> tuple[FieldSpec, ...]:
    hints = typing.get_type_hints(cls, include_extras=True)
    result = []
    for item in dataclasses.fields(cls):
        default: object = item.default
        if item.default_factory is not dataclasses.MISSING:
            default = item.default_factory()
        required = default is dataclasses.MISSING
        extras = getattr(hints[item.name], "__metadata__", ())
        key = next((extra.name for extra in extras if isinstance(extra, Key)), item.name.replace("_", "-"))
        doc = next((extra.text for extra in extras if isinstance(extra, Doc)), "")
        read_as = _field_type(hints[item.name], filled=required)
        result.append(FieldSpec(item.name, key, read_as, required, None if required else default, doc))
    return tuple(result)


def keys_of(cls: type[Any]) -> tuple[str, ...]:
    """The keys of a table's dataclass."""
    return tuple(spec.key for spec in fields_of(cls))


_PLAIN: Mapping[object, FieldType] = {bool: Boolean(), int: Integer(), str: Text()}


def _field_type(hint: Any, *, filled: bool) -> FieldType:  # noqa: ANN401, PLR0911, RUF100 - annotations have no type
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        own = next((extra for extra in hint.__metadata__ if hasattr(extra, "read")), None)
        return own or _field_type(arguments[0], filled=filled)
    if origin in {typing.Union, types.UnionType}:
        return _field_type(next(a for a in arguments if a is not type(None)), filled=filled)
    if origin is typing.Literal:
        return Choice({value: value for value in arguments})
    if origin is tuple:
        return ListOf(_field_type(arguments[0], filled=True), filled=filled)
    if origin in {dict, Mapping}:
        return TableOf(_field_type(arguments[1], filled=True), filled=filled)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return Choice({member.value: member for member in hint})
    return Record(hint) if isinstance(hint, type) and dataclasses.is_dataclass(hint) else _PLAIN[hint]


def check_keys(node: Node, known: Iterable[str], subject: str, log: Log) -> None:
    """Note every key of a table that means nothing there."""
    names = tuple(known)
    for key, member in node.table.items():
        if key not in names:
            log.add(member, f'unknown key "{key}" in {subject}', nearest(key, names, "known keys"))
            if (meant := closest(key, names)) and meant not in node.table:
                log.misspelled.add((node, meant))


def read_record(cls: type[RecordT], node: Node, subject: str, log: Log) -> RecordT | Invalid:
    """Build a dataclass from the keys of a table that are its own; others are not looked at.

    Notes a problem for each missing or wrong value; with any, the result is `INVALID`.
    """
    values: dict[str, Any] = {}
    complete = True
    for spec in fields_of(cls):
        member = node.table.get(spec.key)
        if member is not None:
            values[spec.name] = spec.type.read(member, f'"{spec.key}" of {subject}', log)
            complete = complete and values[spec.name] is not INVALID
        elif spec.required:
            complete = False
            log.add_missing(node, subject, spec.key)
    if not complete:
        return INVALID
    record = cls(**values)
    faults = tuple(record.faults()) if isinstance(record, Judging) else ()
    is_misspelled = any(table is node for table, _ in log.misspelled)
    for fault in faults:
        if fault.key or not is_misspelled:  # else the table may lack no more than what its unknown key means
            log.add_fault(node.table.get(fault.key or "", node), subject, fault)
    return INVALID if faults else record


def record_schema(cls: type[Any], *, required: bool = True) -> Schema:
    """The JSON schema of a table's dataclass."""
    properties: dict[str, Schema] = {}
    for spec in fields_of(cls):
        entry = spec.type.schema()
        if spec.doc:
            entry["description"] = spec.doc
        if not spec.required and isinstance(spec.default, bool | int | str):
            entry["default"] = spec.default.value if isinstance(spec.default, enum.Enum) else spec.default
        properties[spec.key] = entry
    needed = [spec.key for spec in fields_of(cls) if spec.required]
    return {"type": "object", "additionalProperties": False, "properties": properties} | (
        {"required": needed} if required and needed else {}
    )
