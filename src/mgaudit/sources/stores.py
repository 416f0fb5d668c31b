"""Functions stored into fields and variables: initialisers, designated or positional, and assignments.

What is stored decides what a call through a function table may reach. Values are followed through address operators,
casts, conditions and the arguments of calls, conversions to wrappers such as ``std::function`` among them, and within
the unit through local variables, parameters and what functions return; a value that is itself a field or a variable of
the tree is recorded as such.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from mgaudit.sources import cursors as ast
from mgaudit.sources.records import NONE, SlotRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable
    from mgaudit.sources.symbols import SymbolTable

WRITING: Final = ast.INITIALISER_LISTS | {ast.BINARY_OPERATOR, ast.CALL_EXPRESSION, ast.VARIABLE}
_HOLDERS: Final = frozenset({ast.FIELD, ast.VARIABLE})
_MAX_ELEMENTS: Final = 4096  # of an array whose elements' braces are left out


class StoreFinder:
    """Finds the stores of one translation unit.

    Args:
        cursors: Reads cursors.
        symbols: Interns what is found.
        files: Interns places.
    """

    def __init__(self, cursors: Cursors, symbols: SymbolTable, files: FileTable) -> None:
        self._cursors = cursors
        self._symbols = symbols
        self._files = files
        self._fields: dict[int, list[CXCursor]] = {}
        self._originals: dict[int, CXCursor] = {}
        self._wrappers: dict[int, bool] = {}
        self._found: dict[SlotRecord, None] = {}
        self._stores: list[tuple[CXCursor, CXCursor, CXCursor]] = []  # holder, value, what writes it
        self._given: dict[int, list[CXCursor]] = defaultdict(list)  # local variable or parameter -> its values
        self._calls: dict[int, list[dict[int, CXCursor]]] = defaultdict(list)  # parameter -> arguments, call by call
        self._bound: dict[int, CXCursor] = {}  # the arguments of the call that is looked at, by parameter
        self._takers: dict[int, list[tuple[int, int]]] = {}  # function -> places and ids of parameters that hold some
        self._followed: set[int] = set()  # by the store that is looked at

    def find(self, definitions: Iterable[tuple[CXCursor, Iterable[CXCursor]]]) -> list[SlotRecord]:
        """The stores in the definitions of functions, variables and fields, sorted, without repeats.

        Args:
            definitions: Each with all below it that is `WRITING`, in source order.
        """
        for definition, writing in definitions:
            if definition.kind in _HOLDERS:
                self._declaration(definition)
            elif definition.kind == ast.CONSTRUCTOR:
                self._member_initialisers(definition)
            for cursor in writing:
                self._see(cursor)
        for holder, value, written in self._stores:
            for arguments in self._calls.get(holder.data0) or [{}]:
                self._bound = arguments
                self._followed.clear()
                for place in list(self._places(holder)):
                    self._record(place, value, written)
        return sorted(self._found, key=lambda s: (s.file, s.line, s.column, s.field, s.function))

    def is_given(self, variable: CXCursor) -> bool:
        """Whether a variable's initialiser yields functions, or fields and variables that hold some."""
        self._followed.clear()
        children = self._cursors.children(variable)
        return bool(children) and next(self._values(children[-1]), None) is not None

    def _see(self, cursor: CXCursor) -> None:
        kind = cursor.kind
        if kind == ast.BINARY_OPERATOR:
            if self._cursors.type_of(cursor).kind not in ast.PLAIN_TYPES:
                self._assignment(self._cursors.children(cursor))
        elif kind == ast.CALL_EXPRESSION:
            callee = self._cursors.referenced(cursor)
            if callee is not None and callee.kind in ast.FUNCTIONS:
                self._overloaded_assignment(cursor, callee)
                self._hand_over(cursor, callee)
        elif kind in ast.INITIALISER_LISTS:
            self._list(cursor)
        elif kind == ast.VARIABLE:
            self._declaration(cursor, is_local=True)

    # ---- where a store is written

    def _declaration(self, declared: CXCursor, *, is_local: bool = False) -> None:
        """The initialiser of a field or variable is its last child that is no type."""
        if not self._may_hold(self._cursors.type_of(declared)):
            return
        given = self._given[declared.data0] if is_local else []
        children = self._cursors.children(declared)
        if children and children[-1].kind >= ast.UNEXPOSED_EXPRESSION:
            given.append(children[-1])
            self._store(declared, children[-1], children[-1])

    def _member_initialisers(self, constructor: CXCursor) -> None:
        """``: field(value)`` reads as the field followed by the value."""
        field: CXCursor | None = None
        for child in self._cursors.children(constructor):
            if child.kind == ast.MEMBER_REFERENCE:
                field = child
            elif field is not None:
                if holder := self._holder(field):
                    self._store(holder, child, field)
                field = None

    def _assignment(self, operands: list[CXCursor]) -> None:
        """Only of holders; what yields a plain value is a comparison."""
        if len(operands) == 2 and (holder := self._holder(operands[0])):
            self._store(holder, operands[1], operands[0])

    def _overloaded_assignment(self, call: CXCursor, callee: CXCursor) -> None:
        """``wrapper = value`` calls the wrapper's own ``operator=``."""
        if self._cursors.spelling(callee) == "operator=":
            operands = [c for c in self._cursors.children(call) if not self._names(c, callee)]
            self._assignment(operands)

    def _hand_over(self, call: CXCursor, callee: CXCursor) -> None:
        """A call gives the parameters of a function that the unit defines their values."""
        takers = self._takers.get(callee.data0)
        if takers is None:
            takers = self._takers[callee.data0] = self._takers_of(callee)
        found = ((p, self._cursors.cdll.clang_Cursor_getArgument(call, position)) for position, p in takers)
        arguments = {parameter: argument for parameter, argument in found if argument.data0}
        for parameter, argument in arguments.items():
            self._given[parameter].append(argument)
            self._calls[parameter].append(arguments)

    def _takers_of(self, callee: CXCursor) -> list[tuple[int, int]]:
        cdll = self._cursors.cdll
        defined = cdll.clang_getCursorDefinition(callee)
        if not defined.data0 or self._is_foreign(defined):
            return []
        count = max(0, cdll.clang_Cursor_getNumArguments(defined))
        parameters = [cdll.clang_Cursor_getArgument(defined, position) for position in range(count)]
        return [(n, p.data0) for n, p in enumerate(parameters) if self._may_hold(self._cursors.type_of(p))]

    def _names(self, cursor: CXCursor, callee: CXCursor) -> bool:
        if cursor.kind not in {ast.UNEXPOSED_EXPRESSION, ast.MEMBER_EXPRESSION}:
            return False
        named = self._cursors.referenced(cursor)
        return named is not None and named.data0 == callee.data0

    # ---- initialiser lists

    def _list(self, cursor: CXCursor) -> None:
        type_ = self._cursors.type_of(cursor)
        items = self._cursors.children(cursor)
        if type_.kind == ast.RECORD:
            self._fill(type_, items)
        elif type_.kind in ast.ARRAYS and self._cursors.element_type(type_).kind == ast.RECORD:
            while items:
                if items[0].kind in ast.INITIALISER_LISTS or self._designator(items[0]):
                    items.pop(0)  # visited by itself
                elif not self._fill(self._cursors.element_type(type_), items):
                    items.pop(0)

    def _fill(self, record: CXType, items: list[CXCursor]) -> bool:
        """Give a class's members their values in order ([dcl.init.aggr]); consumes them.

        Returns:
            Whether anything was consumed.
        """
        before = len(items)
        fields = self._fields_of(record)
        position = 0
        while items and position < len(fields):
            designated = self._designator(items[0])
            if designated:
                item = items.pop(0)
                target = self.original(designated[-1])
                self._store(target, self._cursors.children(item)[-1], item)
                first = self.original(designated[0])
                position = next((i + 1 for i, f in enumerate(fields) if f.data0 == first.data0), len(fields))
                continue
            self._fill_one(fields[position], items)
            position += 1
        return len(items) < before

    def _fill_one(self, member: CXCursor, items: list[CXCursor]) -> None:
        """Give one member its value, or, where its braces are left out, its own members theirs."""
        type_ = self._cursors.type_of(member)
        element = self._cursors.element_type(type_)
        count = max(1, min(self._cursors.cdll.clang_getArraySize(type_), _MAX_ELEMENTS))
        if items[0].kind in ast.INITIALISER_LISTS:
            count = 1
        elif self._is_elided(element, items[0]):
            for _ in range(count):
                if not items or not self._fill(element, items):
                    break
            return
        holder = member if member.kind == ast.FIELD else None  # a base class holds nothing itself
        for item in items[:count]:
            if holder is not None:
                self._store(holder, item, item)
        del items[:count]

    def _is_elided(self, element: CXType, item: CXCursor) -> bool:
        """Whether an item without braces is for the first member of a class; a wrapper of functions takes it itself."""
        if element.kind != ast.RECORD or self._cursors.type_of(item).kind == ast.RECORD:
            return False
        return not self._may_hold(element)

    def _designator(self, item: CXCursor) -> list[CXCursor]:
        """The fields that ``.a.b = value`` names, else none."""
        if item.kind != ast.UNEXPOSED_EXPRESSION:
            return []
        named = [c for c in self._cursors.children(item) if c.kind == ast.MEMBER_REFERENCE]
        found = [self._cursors.referenced(c) for c in named]
        return [c for c in found if c is not None]

    def _fields_of(self, record: CXType) -> list[CXCursor]:
        """The bases and fields of a class, in order of initialisation, as members of the template where it has one."""
        declared = self._cursors.declaration_of(record)
        known = self._fields.get(declared.data0)
        if known is None:
            members = self._cursors.children(declared)
            if not any(c.kind in {ast.FIELD, ast.BASE_SPECIFIER} for c in members):
                pattern = self._cursors.cdll.clang_getSpecializedCursorTemplate(declared)
                members = self._cursors.children(pattern) if pattern.data0 else members
            known = [c for c in members if c.kind == ast.BASE_SPECIFIER]
            known += [self.original(c) for c in members if c.kind == ast.FIELD]
            self._fields[declared.data0] = known
        return known

    # ---- what is stored where

    def _holder(self, target: CXCursor) -> CXCursor | None:
        """The field or variable that an assignment's left side names."""
        while target.kind in _PATHS:
            children = self._cursors.children(target)
            if not children:
                return None
            target = children[-1 if target.kind == ast.BINARY_OPERATOR else 0]
        if target.kind not in {ast.NAME_EXPRESSION, ast.MEMBER_EXPRESSION, ast.MEMBER_REFERENCE}:
            return None
        named = self._cursors.referenced(target)
        if named is None or named.kind not in {*_HOLDERS, ast.PARAMETER}:
            return None
        if not self._may_hold(self._cursors.type_of(named)):
            return None
        return self.original(named)

    def _may_hold(self, type_: CXType) -> bool:
        """Whether values of a type can be, or wrap, functions: a class does that has a call operator."""
        type_ = self._cursors.element_type(type_)
        while type_.kind in ast.REFERENCES or type_.kind == ast.POINTER:
            type_ = self._cursors.pointee(type_)
            if type_.kind == ast.RECORD:
                return False
            if type_.kind in ast.FUNCTION_TYPES or type_.kind == ast.VOID:
                return True
        return self._is_wrapper(type_) if type_.kind == ast.RECORD else type_.kind not in ast.PLAIN_TYPES

    def _is_wrapper(self, record: CXType) -> bool:
        declared = self._cursors.declaration_of(record)
        known = self._wrappers.get(declared.data0)
        if known is None:
            pattern = self._cursors.cdll.clang_getSpecializedCursorTemplate(declared)
            members = [*self._cursors.children(declared), *(self._cursors.children(pattern) if pattern.data0 else ())]
            known = any(c.kind in ast.FUNCTIONS and self._cursors.spelling(c) == "operator()" for c in members)
            self._wrappers[declared.data0] = known
            if not known and self._is_foreign(declared):  # `std::array<void (*)(), 4>`
                known = self._wrappers[declared.data0] = any(map(self._is_callable, self._arguments(record)))
        return known

    def _is_foreign(self, declared: CXCursor) -> bool:
        file = self._files.place(self._cursors.cdll.clang_getCursorLocation(declared))[0]
        return file == NONE or not self._files.is_tracked(file)

    def _arguments(self, record: CXType) -> list[CXType]:
        cdll = self._cursors.cdll
        count = cdll.clang_Type_getNumTemplateArguments(record)
        found = [cdll.clang_Type_getTemplateArgumentAsType(record, index) for index in range(max(0, count))]
        return [cdll.clang_getCanonicalType(type_) for type_ in found]

    def _is_callable(self, type_: CXType) -> bool:
        """Whether a type is a function pointer, or a class that wraps functions."""
        if type_.kind == ast.POINTER:
            return self._cursors.pointee(type_).kind in ast.FUNCTION_TYPES
        return type_.kind == ast.RECORD and self._is_wrapper(type_)

    def original(self, field: CXCursor) -> CXCursor:
        """The field of the template, of which the indexer reports the uses, for an instantiation's field."""
        if field.kind != ast.FIELD:
            return field
        known = self._originals.get(field.data0)
        if known is None:
            known = self._originals[field.data0] = self._pattern_of(field)
        return known

    def _pattern_of(self, field: CXCursor) -> CXCursor:
        cdll = self._cursors.cdll
        pattern = cdll.clang_getSpecializedCursorTemplate(cdll.clang_getCursorSemanticParent(field))
        if not pattern.data0:
            return field
        name = self._cursors.spelling(field)
        same = (c for c in self._cursors.children(pattern) if c.kind == ast.FIELD and self._cursors.spelling(c) == name)
        return next(same, field)

    def _store(self, holder: CXCursor, value: CXCursor, written: CXCursor) -> None:
        self._stores.append((holder, value, written))
        if self._is_local(holder) and not self._leads_on(holder):
            self._given[holder.data0].append(value)

    def _is_local(self, holder: CXCursor) -> bool:
        return bool(holder.kind == ast.PARAMETER or holder.data0 in self._given)

    def _leads_on(self, holder: CXCursor) -> bool:
        """Whether a local variable or parameter is a reference or pointer to what holds a function."""
        type_ = self._cursors.type_of(holder)
        if type_.kind == ast.POINTER:
            return self._cursors.pointee(type_).kind not in ast.FUNCTION_TYPES
        return type_.kind in {*ast.REFERENCES, ast.MEMBER_POINTER}

    def _places(self, holder: CXCursor) -> Iterator[CXCursor]:
        """What a store into a holder writes: of a local reference or pointer, also what it leads to."""
        yield holder
        if self._leads_on(holder):
            for given in self._follow(holder):
                if (target := self._holder(given)) is not None:
                    yield from self._places(target)

    def _follow(self, local: CXCursor) -> Iterator[CXCursor]:
        """The values of a local variable or parameter, once for each store."""
        if local.data0 in self._given and local.data0 not in self._followed:
            self._followed.add(local.data0)
            bound = self._bound.get(local.data0)
            yield from self._given[local.data0] if bound is None else [bound]

    def _record(self, holder: CXCursor, value: CXCursor, written: CXCursor) -> None:
        if self._is_local(holder) or not self._may_hold(self._cursors.type_of(holder)):
            return
        self._followed.clear()
        values = list(self._values(value))
        if not values:
            return
        file, line, column, _ = self._files.place(self._cursors.cdll.clang_getCursorLocation(written))
        index = self._symbols.of_cursor(holder)
        if file == NONE or not self._files.is_tracked(file) or self._symbols.is_local(index):
            return
        for stored in self._chosen(values, self._cursors.type_of(holder)):
            symbol = self._symbols.of_cursor(stored)
            if symbol not in {NONE, index} and not self._symbols.is_local(symbol):
                self._found[SlotRecord(index, symbol, file, line, column)] = None

    def _chosen(self, values: Iterable[CXCursor], type_: CXType) -> Iterator[CXCursor]:
        """The values, and of each overload set the members that a holder of some type takes."""
        wanted = self._function_type(type_)
        for value in values:
            if value.kind != ast.OVERLOADS:
                yield value
                continue
            for candidate in self._cursors.overloads(value):
                is_template = candidate.kind == ast.FUNCTION_TEMPLATE  # its instantiations are reached through it
                if is_template or not wanted or wanted == self._function_type(self._cursors.type_of(candidate)):
                    yield candidate

    def _function_type(self, type_: CXType) -> str:
        """The function type that a type is or leads to, as text; empty of any other."""
        type_ = self._cursors.element_type(type_)
        while type_.kind in ast.REFERENCES or type_.kind == ast.POINTER:
            type_ = self._cursors.element_type(self._cursors.pointee(type_))
        if type_.kind not in ast.FUNCTION_TYPES:
            return ""
        return self._cursors.type_spelling(type_).removesuffix(" noexcept")

    def _values(self, value: CXCursor) -> Iterator[CXCursor]:
        """The functions, overload sets, fields and variables that an expression may yield."""
        kind = value.kind
        if kind == ast.LAMBDA:
            operator = self._cursors.call_operator(value)
            if operator is not None:
                yield operator
        elif kind in {ast.NAME_EXPRESSION, ast.MEMBER_EXPRESSION}:
            yield from self._named(value)
        elif kind == ast.CALL_EXPRESSION:
            yield from self._called(value)
        else:
            for part in self._parts(value):
                yield from self._values(part)

    def _called(self, call: CXCursor) -> Iterator[CXCursor]:
        """What a call may yield: what it is called on or with, and what the function returns."""
        callee = self._cursors.referenced(call)
        for child in self._cursors.children(call):
            if callee is not None and self._names(child, callee):
                yield from self._receiver(child)
            else:
                yield from self._values(child)
        if callee is not None:
            yield from self._returned(callee)

    def _parts(self, value: CXCursor) -> list[CXCursor]:
        """The operands that an expression may yield: the last one of a comma or an assignment, say."""
        children = self._cursors.children(value)
        if value.kind == ast.BINARY_OPERATOR:
            return children[-1:]
        if value.kind == ast.CONDITIONAL_OPERATOR:
            return children[1:]
        if value.kind in ast.INITIALISER_LISTS:
            element = self._cursors.element_type(self._cursors.type_of(value))
            return children if element.kind != ast.RECORD or self._is_wrapper(element) else []
        return children if value.kind in _TRANSPARENT else []

    def _returned(self, callee: CXCursor) -> Iterator[CXCursor]:
        """What a function that the unit defines may return, lambdas inside it aside."""
        defined = self._cursors.cdll.clang_getCursorDefinition(callee)
        if not defined.data0 or defined.data0 in self._followed or self._is_foreign(defined):
            return
        found: list[CXCursor] = []

        def see(cursor: CXCursor) -> bool:
            if cursor.kind == ast.RETURN:
                found.extend(self._cursors.children(cursor))
            return bool(cursor.kind != ast.LAMBDA)

        self._cursors.visit(defined, see)
        self._followed.add(defined.data0)
        for expression in found:
            yield from self._values(expression)

    def _receiver(self, callee: CXCursor) -> Iterator[CXCursor]:
        """What a member function is called on: a lambda that is converted to a pointer, say."""
        while callee.kind == ast.UNEXPOSED_EXPRESSION:
            children = self._cursors.children(callee)
            if not children:
                return
            callee = children[0]
        if callee.kind == ast.MEMBER_EXPRESSION:
            for child in self._cursors.children(callee):
                yield from self._values(child)

    def _named(self, value: CXCursor) -> Iterator[CXCursor]:
        named = self._cursors.referenced(value)
        if named is None:
            return
        if named.kind in ast.FUNCTIONS or named.kind == ast.OVERLOADS:
            yield named
        elif named.kind in _HOLDERS and self._may_hold(self._cursors.type_of(named)):
            yield self.original(named)
        for given in self._follow(named):
            yield from self._values(given)


_PATHS: Final = frozenset(
    {ast.PARENTHESES, ast.UNEXPOSED_EXPRESSION, ast.SUBSCRIPT, ast.UNARY_OPERATOR, ast.BINARY_OPERATOR}
)
_TRANSPARENT: Final = frozenset(
    {ast.UNEXPOSED_EXPRESSION, ast.PARENTHESES, ast.UNARY_OPERATOR, ast.SUBSCRIPT, *ast.CASTS}
)
