"""What the front end computes of payloads: their layout, the sizes that the code asserts, the values of constants.

It computes for the target of the unit, and only what some gate asks for: the classes of certain namespaces, the
assertions in tracked files, and certain constants.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.domain.names import selects
from mgaudit.sources import cursors as ast
from mgaudit.sources.constants import evaluated
from mgaudit.sources.cursors import placeless
from mgaudit.sources.records import NONE, ComputedRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable
    from mgaudit.sources.symbols import SymbolTable


@dataclass(frozen=True, slots=True)
class Asked:
    """What gates want to know.

    Attributes:
        namespaces: Qualified names of the namespaces whose classes are payloads.
        constants: Names of constants, as configured.
    """

    namespaces: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.namespaces or self.constants)

    def has(self, qualified: str) -> bool:
        """Whether an entity lies in one of the namespaces."""
        return any(qualified.startswith(name + "::") for name in self.namespaces)


class Member(msgspec.Struct, frozen=True):
    """A member of a class; those of anonymous classes and of bases count as the class's own.

    Attributes:
        name: Its name; empty for an unnamed bit-field.
        type: As written, without qualifiers and array bounds.
        path: Its file.
        line: 1-based.
        column: 1-based, in bytes.
        offset: In bits.
        size: In bits.
        pointer: What in it is a pointer or reference, or empty.
        padding: What padding its type hides, or empty; types of the namespaces speak for themselves.
        holds: Qualified names of the classes and enumerations that it holds, at any depth, and its type's as written.
    """

    name: str
    type: str
    path: str
    line: int
    column: int
    offset: int
    size: int
    pointer: str
    padding: str
    holds: list[str]


class Gap(msgspec.Struct, frozen=True):
    """Padding that no member makes explicit: bits, and the member behind it, or an empty name at the end."""

    before: str
    bits: int


class Layout(msgspec.Struct, frozen=True):
    """The layout of a class.

    Attributes:
        record: Qualified name of the class; an alias has the layout of what it names.
        size: In bytes.
        pointer: Why each object holds a pointer that no member shows, or empty.
        members: By offset.
        gaps: By offset.
    """

    record: str
    size: int
    pointer: str
    members: list[Member]
    gaps: list[Gap]


class LayoutFinder:
    """Looks at the declarations of one translation unit.

    Args:
        cursors: Reads cursors.
        symbols: Interns what is found.
        files: Interns places.
        asked: What is wanted.
    """

    def __init__(self, cursors: Cursors, symbols: SymbolTable, files: FileTable, asked: Asked) -> None:
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._symbols = symbols
        self._files = files
        self._asked = asked
        self._last_names = {name.rsplit("::", 1)[-1] for name in asked.constants}
        self._found: dict[ComputedRecord, None] = {}

    def find(self, unit: CXCursor) -> list[ComputedRecord]:
        """Everything wanted that tracked files declare, sorted, without repeats."""
        self._visit(unit)
        return sorted(self._found, key=lambda r: (r.file, r.line, r.column, r.kind, r.symbol, r.value))

    def _visit(self, scope: CXCursor) -> None:
        for child in self._cursors.children(scope):
            file = self._files.place(self._cdll.clang_getCursorLocation(child))[0]
            if file == NONE or not self._files.is_tracked(file):
                continue
            kind = child.kind
            if kind == _STATIC_ASSERT:
                self._assertion(child)
            elif kind in {ast.VARIABLE, _ENUMERATOR}:
                self._constant(child)
            elif kind in _ALIASES:
                self._class(child)
            elif kind in ast.CLASSES:
                self._class(child)
                self._visit(child)
            elif kind in _SCOPES or (kind in ast.FUNCTIONS and self._asked.has(self._cursors.qualified(child))):
                self._visit(child)

    def _record(self, declared: CXCursor, at: CXCursor, kind: str, value: str) -> None:
        file, line, column, _ = self._files.place(self._cdll.clang_getCursorLocation(at))
        self._found[ComputedRecord(self._symbols.of_cursor(declared), file, line, column, kind, value)] = None

    # ---- constants

    def _constant(self, declared: CXCursor) -> None:
        if self._cursors.spelling(declared) not in self._last_names:
            return
        qualified = self._cursors.qualified(declared)
        if not any(selects(name, qualified) for name in self._asked.constants):
            return
        if declared.kind == _ENUMERATOR:
            value: int | None = self._cdll.clang_getEnumConstantDeclValue(declared)
        else:
            value = evaluated(self._cdll, declared)
        if value is not None:
            self._record(declared, declared, "constant", str(value))

    # ---- asserted sizes

    def _assertion(self, assertion: CXCursor) -> None:
        children = self._cursors.children(assertion)
        waiting = children[:1]
        while waiting:
            node = waiting.pop()
            operands = self._cursors.children(node)
            if node.kind in {ast.PARENTHESES, ast.UNEXPOSED_EXPRESSION}:
                waiting += operands
            elif node.kind == ast.BINARY_OPERATOR and len(operands) == 2:
                operator = self._cdll.clang_getCursorBinaryOperatorKind(node)
                if operator == _AND:
                    waiting += operands
                elif operator == _EQUAL:
                    left, right = (self._measured(operand, assertion) for operand in operands)
                    self._equal(left, right, assertion)
                    self._equal(right, left, assertion)

    def _equal(self, one: CXType | None, other: CXType | None, assertion: CXCursor) -> None:
        """``sizeof(one) == …``, where the value is not the same size again."""
        if one is not None and (other is None or other.data0 != one.data0):
            declared = self._cursors.declaration_of(one)
            self._record(declared, assertion, "size", self._cursors.qualified(declared))

    def _measured(self, operand: CXCursor, assertion: CXCursor) -> CXType | None:
        """The class whose size an operand is, or None."""
        while operand.kind in {ast.PARENTHESES, ast.UNEXPOSED_EXPRESSION, *ast.CASTS}:
            inner = self._cursors.children(operand)
            if not inner:
                return None
            operand = inner[-1]
        named = [c for c in self._cursors.children(operand) if c.kind != _NAMESPACE_REFERENCE]
        if operand.kind != _SIZE_OF or len(named) != 1:
            return None
        type_ = self._cursors.type_of(named[0])
        if type_.kind != ast.RECORD:
            return None
        return type_ if self._is_size(operand, assertion) else None

    def _is_size(self, operand: CXCursor, assertion: CXCursor) -> bool:
        """``sizeof`` and ``alignof`` are one kind of expression: the assertion as printed tells them apart."""
        found: list[int] = []

        def see(cursor: CXCursor) -> bool:
            if cursor.kind == _SIZE_OF:
                found.append(cursor.data1)
            return True

        self._cursors.visit(assertion, see)
        words = _OPERATOR.findall(self._cursors.printed(assertion))
        return len(words) == len(found) and words[found.index(operand.data1)] == "sizeof"

    # ---- layouts

    def _class(self, declared: CXCursor) -> None:
        type_ = self._cursors.type_of(declared)
        is_whole = declared.kind in _ALIASES or self._cdll.clang_isCursorDefinition(declared)
        if type_.kind != ast.RECORD or not is_whole or not self._asked.has(self._cursors.qualified(declared)):
            return
        size = self._cdll.clang_Type_getSizeOf(type_)
        if size < 0 or self._cdll.clang_Cursor_isAnonymous(declared):
            return
        members = sorted(self._members(type_, 0), key=lambda m: (m.offset, m.line, m.column))
        layout = Layout(
            self._cursors.qualified(self._cursors.declaration_of(type_)), size, self._hidden_pointer(type_),
            members, self._gaps(type_),
        )  # fmt: skip
        self._record(declared, declared, "layout", msgspec.json.encode(layout).decode())

    def _members(self, type_: CXType, start: int) -> Iterator[Member]:
        for base, offset in self._bases(type_):
            yield from self._members(base, start + offset)
        for field in self._cursors.fields(type_):
            offset = start + max(0, self._cdll.clang_Cursor_getOffsetOfField(field))
            part = self._cursors.type_of(field)
            if self._is_anonymous(part):
                yield from self._members(part, offset)
                continue
            file, line, column, _ = self._files.place(self._cdll.clang_getCursorLocation(field))
            written = _bare(self._text(self._cdll.clang_getCursorType(field)))
            yield Member(
                self._cursors.spelling(field), written, "" if file == NONE else self._files.paths[file], line, column,
                offset, self._bits(field), self._pointer_in(part), self._padding_in(part),
                sorted({written, *self._held(part, set())}),
            )  # fmt: skip

    def _bases(self, type_: CXType) -> list[tuple[CXType, int]]:
        """The direct base classes that hold something, with their offsets in bits."""
        declared = self._cursors.declaration_of(type_)
        found = []
        for specifier in self._cursors.base_specifiers(type_):
            base = self._cursors.type_of(specifier)
            if not self._is_empty(base):
                found.append((base, max(0, self._cdll.clang_getOffsetOfBase(declared, specifier))))
        return found

    def _is_anonymous(self, type_: CXType) -> bool:
        """Whether a member of a type has no name, so that the type's members are those of the class around it."""
        declared = self._cursors.declaration_of(type_)
        return type_.kind == ast.RECORD and bool(self._cdll.clang_Cursor_isAnonymousRecordDecl(declared))

    def _is_empty(self, type_: CXType) -> bool:
        return not self._cursors.fields(type_) and all(self._is_empty(base) for base in self._cursors.bases(type_))

    def _bits(self, field: CXCursor) -> int:
        width: int = self._cdll.clang_getFieldDeclBitWidth(field)
        if width >= 0:
            return width
        type_ = self._cursors.type_of(field)
        if type_.kind == ast.RECORD and self._is_empty(type_):
            return 0
        return 8 * max(0, int(self._cdll.clang_Type_getSizeOf(type_)))

    def _gaps(self, type_: CXType) -> list[Gap]:
        """The bits of a class that no base or member of it takes; anonymous members are looked into."""
        fields = self._cursors.fields(type_)
        parts = [(offset, 8 * int(self._cdll.clang_Type_getSizeOf(base)), "") for base, offset in self._bases(type_)]
        inner: list[Gap] = []
        for field in fields:
            name, part = self._cursors.spelling(field), self._cursors.type_of(field)
            if self._is_anonymous(part):
                inner += self._gaps(part)
                name = next((m.name for m in self._members(part, 0)), "")
            parts.append((max(0, self._cdll.clang_Cursor_getOffsetOfField(field)), self._bits(field), name))
        has_reference = any(self._cursors.type_of(field).kind in ast.REFERENCES for field in fields)
        if not parts or has_reference or self._hidden_pointer(type_):
            return []
        found, end = [], 0
        for offset, bits, name in sorted(parts, key=lambda part: part[0]):
            if offset > end:
                found.append(Gap(name, offset - end))
            end = max(end, offset + bits)
        size = 8 * int(self._cdll.clang_Type_getSizeOf(type_))
        if size > end:
            found.append(Gap("", size - end))
        return [*found, *inner]

    # ---- what types hold, at any depth

    def _hidden_pointer(self, type_: CXType) -> str:
        """Why objects of a class hold a pointer beside their members."""
        if any(self._cdll.clang_CXXMethod_isVirtual(method) for method in self._cursors.methods(type_)):
            return "it has virtual functions"
        for specifier in self._cursors.base_specifiers(type_):
            if self._cdll.clang_isVirtualBase(specifier):
                return "it has a virtual base"
            if reason := self._hidden_pointer(self._cursors.type_of(specifier)):
                return reason
        return ""

    def _pointer_in(self, type_: CXType, seen: frozenset[int] = frozenset()) -> str:
        """What in a type is a pointer or reference, at any depth; classes of the namespaces speak for themselves."""
        type_ = self._value_type(type_)
        if type_.kind in _POINTERS:
            return self._text(type_)
        declared = self._cursors.declaration_of(type_)
        if type_.kind != ast.RECORD or declared.data0 in seen or self._speaks(declared):
            return ""
        name = self._text(type_)
        if reason := self._hidden_pointer(type_):
            return f"{name}: {reason}"
        for field in self._cursors.fields(type_):
            if inner := self._pointer_in(self._cursors.type_of(field), seen | {declared.data0}):
                is_named = not self._is_anonymous(self._cursors.type_of(field))
                return f"{name}, whose `{self._cursors.spelling(field)}` is {inner}" if is_named else inner
        for base in self._cursors.bases(type_):
            if inner := self._pointer_in(base, seen | {declared.data0}):
                return f"{name}, which is {inner}"
        return ""

    def _padding_in(self, type_: CXType, seen: frozenset[int] = frozenset()) -> str:
        """What padding a type hides, at any depth, likewise."""
        type_ = self._value_type(type_)
        declared = self._cursors.declaration_of(type_)
        if type_.kind != ast.RECORD or declared.data0 in seen or self._speaks(declared):
            return ""
        name = self._text(type_)
        for gap in self._gaps(type_):
            return f"{name}, {gap.bits} bits {f'before `{gap.before}`' if gap.before else 'at its end'}"
        parts = [*self._cursors.bases(type_), *map(self._cursors.type_of, self._cursors.fields(type_))]
        return next((text for part in parts if (text := self._padding_in(part, seen | {declared.data0}))), "")

    def _speaks(self, declared: CXCursor) -> bool:
        """Whether a class has a layout of its own among what is found."""
        is_instance = bool(self._cdll.clang_getSpecializedCursorTemplate(declared).data0)
        return not is_instance and bool(self._cursors.spelling(declared)) and (
            self._asked.has(self._cursors.qualified(declared))
            and not self._cdll.clang_Cursor_isAnonymous(declared)
        )  # fmt: skip

    def _text(self, type_: CXType) -> str:
        return placeless(self._cursors.type_spelling(type_))

    def _value_type(self, type_: CXType) -> CXType:
        """The type of a value within arrays and atomics."""
        type_ = self._cursors.element_type(type_)
        while type_.kind == _ATOMIC:
            inner = self._cdll.clang_getCanonicalType(self._cdll.clang_Type_getValueType(type_))
            type_ = self._cursors.element_type(inner)
        return type_

    def _held(self, type_: CXType, seen: set[int]) -> Iterator[str]:
        """The qualified names of the classes and enumerations that a type holds."""
        type_ = self._value_type(type_)
        if type_.kind not in {ast.RECORD, _ENUMERATION}:
            return
        declared = self._cursors.declaration_of(type_)
        if declared.data0 in seen:
            return
        seen.add(declared.data0)
        yield self._cursors.qualified(declared)
        if type_.kind == ast.RECORD:
            for part in [*self._cursors.bases(type_), *map(self._cursors.type_of, self._cursors.fields(type_))]:
                yield from self._held(part, seen)


def _bare(type_text: str) -> str:
    return type_text.split("[", 1)[0].removeprefix("const ").strip()


_OPERATOR: Final = re.compile(r"\b(sizeof|alignof|_Alignof|__alignof__|__alignof)\b(?!\.\.\.)")
_STATIC_ASSERT: Final = 602
_SIZE_OF: Final = 136  # and `alignof`
_ENUMERATOR: Final = 7
_NAMESPACE_REFERENCE: Final = 46
_ALIASES: Final = frozenset({20, 36})
_SCOPES: Final = frozenset({ast.NAMESPACE, ast.LINKAGE, ast.COMPOUND, ast.UNEXPOSED_DECLARATION, 5, 231})
_ENUMERATION: Final = 106
_ATOMIC: Final = 177
_POINTERS: Final = frozenset({24, 102, ast.POINTER, *ast.REFERENCES, 109, 117})
_EQUAL: Final = 15
_AND: Final = 20
