"""Types, aliases and names of declarations, for the rows of `mgaudit.sources.memo_records`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mgaudit.sources import cursors as ast
from mgaudit.sources.cursors import placeless
from mgaudit.sources.memo_records import (
    ARRAY,
    DEPENDENT,
    ENUMERATION,
    INTEGER,
    OTHER,
    POINTER,
    RECORD,
    REFERENCE,
    VOID,
    AliasRecord,
    FieldRecord,
    RecordRow,
    TypeRecord,
)
from mgaudit.sources.records import NONE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable

_INTEGERS: Final = frozenset(range(4, 21))
_ENUMERATION: Final = 106
_LVALUE_REFERENCE: Final = 103
_TYPEDEF: Final = 107
_ELABORATED: Final = 119
_TEMPLATE_REFERENCE: Final = 45
_TEMPLATE_PARAMETER: Final = 27
_ALIAS_TEMPLATE: Final = 601
_ALIAS: Final = 36
_INTERNAL: Final = frozenset({2, 3})
_LAMBDA: Final = "(lambda)"
_DEEPEST: Final = 12  # of nested template arguments


@dataclass(slots=True)
class Types:
    """The types of one row, by index."""

    records: list[TypeRecord] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    met: dict[int, int] = field(default_factory=dict)  # by the address of a type, as written

    def add(self, spelling: str, record: TypeRecord) -> int:
        """The index of a type, which the front end spells with the places of what has no name."""
        index = self.known.get(spelling)
        if index is None:
            index = self.known[spelling] = len(self.records)
            self.records.append(record)
        return index


class TypeReader:
    """Reads types; one a translation unit.

    Args:
        cursors: Reads cursors.
        files: Interns places.
    """

    def __init__(self, cursors: Cursors, files: FileTable) -> None:
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._files = files
        self._keys: dict[int, str] = {}
        self._names: dict[int, str] = {}
        self._places: dict[int, tuple[int, int, int, int]] = {}
        self._spelled: dict[int, tuple[CXType, str]] = {}
        self._shapes: dict[int, tuple[TypeRecord, tuple[CXType, ...]]] = {}
        self._aliases: dict[int, tuple[AliasRecord, ...]] = {}
        self._whole_aliases: dict[int, tuple[str, ...]] = {}
        self._aliases_of_type: dict[int, dict[AliasRecord, None]] = {}
        self._texts: dict[int, str] = {}
        self._outputs: dict[int, tuple[int, ...]] = {}
        self._seen: dict[str, CXType] = {}
        self._waiting: list[str] = []

    # ---- names

    def key_of(self, declared: CXCursor) -> str:
        """What names a declaration in every unit: its USR, and where linkage is internal its place."""
        known = self._keys.get(declared.data0)
        if known is None:
            canonical = self._cdll.clang_getCanonicalCursor(declared)
            usr = self._cdll.clang_getCursorUSR(canonical)
            known = usr
            if not usr.startswith("c:@") or self._cdll.clang_getCursorLinkage(canonical) in _INTERNAL:
                file, _, _, offset = self._files.place(self._cdll.clang_getCursorLocation(canonical))
                known = f"{usr}@{self._files.paths[file] if file != NONE else ''}@{offset}"
            self._keys[declared.data0] = known
        return known

    def place(self, cursor: CXCursor) -> tuple[int, int, int, int]:
        """File index, line, column and offset of a cursor."""
        return self._files.place(self._cdll.clang_getCursorLocation(cursor))

    def name_of(self, declared: CXCursor) -> str:
        """A declaration's qualified name."""
        known = self._names.get(declared.data0)
        if known is None:
            known = self._names[declared.data0] = self._cursors.qualified(declared)
        return known

    def declared_at(self, declared: CXCursor) -> tuple[int, int, int, int]:
        """As `place`, of a declaration, which is asked for its place more than once."""
        known = self._places.get(declared.data0)
        if known is None:
            known = self._places[declared.data0] = self.place(declared)
        return known

    def path_of(self, declared: CXCursor) -> str:
        """The file of a declaration, or empty."""
        file = self.declared_at(declared)[0]
        return self._files.paths[file] if file != NONE else ""

    def is_tracked(self, declared: CXCursor) -> bool:
        """Whether a declaration lies in the audited tree."""
        file = self.declared_at(declared)[0]
        return file != NONE and self._files.is_tracked(file)

    # ---- types

    def add(self, type_: CXType, types: Types, depth: int = 0) -> int:
        """The index of a type, with all that it is made of."""
        address = type_.data0
        known = types.met.get(address)
        if known is not None:
            return known
        spelled = self._spelled.get(address)
        if spelled is None:
            canonical = self._unqualified(type_)
            spelled = self._spelled[address] = canonical, self._cursors.type_spelling(canonical)
        canonical, spelling = spelled
        known = types.known.get(spelling)
        if known is None:
            shape = self._shapes.get(canonical.data0)
            if shape is None:
                shape = self._shapes[canonical.data0] = self._shape(canonical, placeless(spelling))
            known = types.add(spelling, self._made_of(shape, types, depth))
        types.met[address] = known
        return known

    def _made_of(self, shape: tuple[TypeRecord, tuple[CXType, ...]], types: Types, depth: int) -> TypeRecord:
        record, parts = shape
        is_record = record.kind == RECORD  # whose arguments need not be types
        if not parts or (is_record and depth >= _DEEPEST):
            return record
        found = tuple(-1 if is_record and not part.kind else self.add(part, types, depth + 1) for part in parts)
        return TypeRecord(record.kind, record.text, record.bits, record.key, record.name, record.path, found)

    def _shape(self, canonical: CXType, text: str) -> tuple[TypeRecord, tuple[CXType, ...]]:
        """A type without its parts, and these."""
        kind = canonical.kind
        if kind == ast.RECORD:
            return self._record(canonical, text)
        if kind == ast.POINTER or kind in ast.REFERENCES:
            record = TypeRecord(POINTER if kind == ast.POINTER else REFERENCE, text)
            return record, (self._cursors.pointee(canonical),)
        if kind in ast.ARRAYS:
            return TypeRecord(ARRAY, text), (self._cdll.clang_getArrayElementType(canonical),)
        if kind == _ENUMERATION:
            declared = self._cursors.declaration_of(canonical)
            name, path = self.name_of(declared), self.path_of(declared)
            return TypeRecord(ENUMERATION, text, self._bits(canonical), self.key_of(declared), name, path), ()
        if kind in _INTEGERS:
            return TypeRecord(INTEGER, text, self._bits(canonical)), ()
        return TypeRecord(_KINDS.get(kind, OTHER), text), ()

    def _bits(self, type_: CXType) -> int:
        size: int = self._cdll.clang_Type_getSizeOf(type_)
        return max(0, size) * 8

    def _record(self, type_: CXType, text: str) -> tuple[TypeRecord, tuple[CXType, ...]]:
        declared = self._cursors.declaration_of(type_)
        pattern = self._cdll.clang_getSpecializedCursorTemplate(declared)
        name = self.name_of(pattern if pattern.data0 else declared)
        key = self.key_of(declared)
        if self.is_tracked(declared) and key not in self._seen and not text.endswith(_LAMBDA):
            self._seen[key] = type_
            self._waiting.append(key)
        count = 0 if name.endswith("::allocator") else max(0, self._cdll.clang_Type_getNumTemplateArguments(type_))
        arguments = tuple(self._cdll.clang_Type_getTemplateArgumentAsType(type_, index) for index in range(count))
        return TypeRecord(RECORD, text, 0, key, name, self.path_of(declared)), arguments

    def outputs_of(self, function: CXCursor) -> tuple[int, ...]:
        """The parameters through which a function may change what its caller gives it."""
        known = self._outputs.get(function.data0)
        if known is None:
            known = self._outputs[function.data0] = tuple(self._written(self._cursors.type_of(function)))
        return known

    def _written(self, type_: CXType) -> Iterator[int]:
        for index in range(max(0, self._cdll.clang_getNumArgTypes(type_))):
            parameter = self._cdll.clang_getCanonicalType(self._cdll.clang_getArgType(type_, index))
            if parameter.kind in {_LVALUE_REFERENCE, ast.POINTER}:
                pointee = self._cursors.pointee(parameter)
                if not self._cdll.clang_isConstQualifiedType(pointee):
                    yield index

    # ---- aliases

    def aliases_of(self, declared: CXCursor) -> tuple[AliasRecord, ...]:
        """The names that the declaration of a field, variable, parameter or function's result gives to its type."""
        known = self._aliases.get(declared.data0)
        if known is None:
            type_ = self._cdll.clang_getCursorType(declared)
            if declared.kind in ast.FUNCTIONS:
                type_ = self._cdll.clang_getResultType(type_)
            written = self._aliases_of_type.get(type_.data0)
            if written is None:
                written = self._aliases_of_type[type_.data0] = {}
                self._alias(type_, (), written)
            found = dict(written)
            if declared.kind not in ast.FUNCTIONS:
                self._hidden(declared, found)
            known = self._aliases[declared.data0] = tuple(found)
        return known

    def whole_aliases_of(self, declared: CXCursor) -> tuple[str, ...]:
        """Those names that mean the whole type."""
        known = self._whole_aliases.get(declared.data0)
        if known is None:
            known = tuple(alias.name for alias in self.aliases_of(declared) if not alias.path)
            self._whole_aliases[declared.data0] = known
        return known

    def _alias(self, type_: CXType, path: tuple[int, ...], found: dict[AliasRecord, None]) -> None:
        if len(path) > _DEEPEST:
            return
        kind = type_.kind
        if kind == _TYPEDEF:
            declared = self._cdll.clang_getTypeDeclaration(type_)
            found[AliasRecord(self.name_of(declared), self._text(type_), _joined(path))] = None
            self._alias(self._cdll.clang_getTypedefDeclUnderlyingType(declared), path, found)
        elif kind == _ELABORATED:
            self._alias(self._cdll.clang_Type_getNamedType(type_), path, found)
        elif kind in ast.REFERENCES:
            self._alias(self._cdll.clang_getPointeeType(type_), path, found)
        elif kind in ast.ARRAYS:
            self._alias(self._cdll.clang_getArrayElementType(type_), path, found)
        else:
            self._alias_arguments(type_, path, found)

    def _alias_arguments(self, type_: CXType, path: tuple[int, ...], found: dict[AliasRecord, None]) -> None:
        """Written arguments; those of an alias template may stand in another order than the class's."""
        written = [
            self._cdll.clang_Type_getTemplateArgumentAsType(type_, index)
            for index in range(self._cdll.clang_Type_getNumTemplateArguments(type_))
        ]
        if not written:
            return
        canonical = self._cdll.clang_getCanonicalType(type_)
        real = [
            self._text(self._cdll.clang_Type_getTemplateArgumentAsType(canonical, index))
            for index in range(self._cdll.clang_Type_getNumTemplateArguments(canonical))
        ]
        for index, argument in enumerate(written):
            text = self._text(argument)
            fitting = [index] if real[index : index + 1] == [text] else [i for i, t in enumerate(real) if t == text]
            for position in fitting if text else ():
                self._alias(argument, (*path, position), found)

    def _hidden(self, declared: CXCursor, found: dict[AliasRecord, None]) -> None:
        """Names within the definitions of alias templates that a declaration uses."""
        for child in self._cursors.children(declared):
            if child.kind == _TEMPLATE_REFERENCE:
                named = self._cursors.referenced(child)
                if named is not None and named.kind == _ALIAS_TEMPLATE:
                    inner: dict[AliasRecord, None] = {}
                    for alias in self._cursors.children(named):
                        if alias.kind == _ALIAS:
                            self._alias(self._cdll.clang_getTypedefDeclUnderlyingType(alias), (), inner)
                            self._hidden(alias, found)
                    found.update({AliasRecord(a.name, a.text, "*"): None for a in inner})

    def _text(self, type_: CXType) -> str:
        known = self._texts.get(type_.data0)
        if known is None:
            text = placeless(self._cursors.type_spelling(self._unqualified(type_)))
            known = self._texts[type_.data0] = text
        return known

    def _unqualified(self, type_: CXType) -> CXType:
        """The canonical type; one that is none, of an argument or of code with errors, would crash the front end."""
        if not type_.kind:
            return type_
        canonical: CXType = self._cdll.clang_getUnqualifiedType(self._cdll.clang_getCanonicalType(type_))
        return canonical

    # ---- classes

    def records(self) -> list[tuple[int, RecordRow]]:
        """The tracked classes that any type named since the last call, and those that they name, with their files."""
        found = []
        while self._waiting:
            key = self._waiting.pop()
            type_ = self._seen[key]
            declared = self._cursors.declaration_of(type_)
            file, line, column, _ = self._files.place(self._cdll.clang_getCursorLocation(declared))
            if self._cdll.clang_Type_getSizeOf(type_) >= 0:  # of an incomplete class, another unit knows more
                found.append((file, self._row(type_, declared, key, line, column)))
        return found

    def see(self, declared: CXCursor) -> None:
        """Count a class as named."""
        self.add(self._cdll.clang_getCursorType(declared), Types())

    def _row(self, type_: CXType, declared: CXCursor, key: str, line: int, column: int) -> RecordRow:
        types = Types()
        own = self.add(type_, types)
        parameters = self._parameters(declared)
        fields = tuple(
            self._field(member, types, parameters.get(self._cursors.spelling(member), -1))
            for member in self._cursors.fields(type_)
        )
        bases = tuple(self.add(base, types) for base in self._cursors.bases(type_))
        return RecordRow(
            key, self.name_of(declared), types.records[own].text, line, column, tuple(types.records), own,
            fields, bases, self._is_plain(declared),
        )  # fmt: skip

    def _field(self, member: CXCursor, types: Types, parameter: int) -> FieldRecord:
        _, line, column, _ = self._files.place(self._cdll.clang_getCursorLocation(member))
        return FieldRecord(
            self.key_of(member), self._cursors.spelling(member), self.add(self._cursors.type_of(member), types),
            self.aliases_of(member), line, column, parameter,
        )  # fmt: skip

    def _parameters(self, declared: CXCursor) -> dict[str, int]:
        """The fields of an instantiation whose type is a template parameter: its position by the field's name."""
        pattern = self._cdll.clang_getSpecializedCursorTemplate(declared)
        if not pattern.data0:
            return {}
        members = self._cursors.children(pattern)
        names = [self._cursors.spelling(m) for m in members if m.kind == _TEMPLATE_PARAMETER]
        found = {}
        for member in members:
            if member.kind == ast.FIELD:
                type_ = self._cursors.element_type(self._cdll.clang_getCursorType(member))
                text = self._cursors.type_spelling(type_)
                if text in names:
                    found[self._cursors.spelling(member)] = names.index(text)
        return found

    def _is_plain(self, declared: CXCursor) -> bool:
        return not any(
            member.kind == ast.METHOD and not self._cursors.spelling(member).startswith("operator")
            for member in self._cursors.members(declared)
        )


_KINDS: Final = {ast.VOID: VOID, **dict.fromkeys(ast.DEPENDENT, DEPENDENT)}


def _joined(path: tuple[int, ...]) -> str:
    return ".".join(map(str, path))
