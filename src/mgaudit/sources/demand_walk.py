"""One body as the linker will see it: the functions, variables and tables that its machine code refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.sources import cursors as ast
from mgaudit.sources.clang_abi import CXCursor
from mgaudit.sources.constants import evaluated
from mgaudit.sources.records import NONE, LinkPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mgaudit.sources.clang_abi import CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable
    from mgaudit.sources.lifetimes import Lifetimes
    from mgaudit.sources.link_classes import LinkClasses

Place = tuple[int, int, int]
"""File index, line and column."""

_WRAPPINGS: Final = frozenset({ast.UNEXPOSED_EXPRESSION, ast.PARENTHESES})
# What an object is made for in place, so that nothing of it dies with the full expression.
_MAKERS: Final = frozenset({ast.RETURN, ast.NEW, ast.FIELD, ast.CONSTRUCTOR, *ast.INITIALISER_LISTS})
_PASSED_ON: Final = frozenset({*_WRAPPINGS, ast.FUNCTIONAL_CAST, ast.CONDITIONAL_OPERATOR})
_KEEPERS: Final = _MAKERS | _PASSED_ON | {ast.VARIABLE, ast.UNEXPOSED_DECLARATION}
_MADE: Final = _PASSED_ON | {ast.CALL_EXPRESSION}  # what may make such an object
_NAMES: Final = frozenset({ast.NAME_EXPRESSION, ast.MEMBER_EXPRESSION})
# Declarations within bodies, and what only the compiler evaluates.
_STATIC_ASSERT, _CONCEPT, _REQUIRES = 602, 153, 154
_SKIPPED: Final = frozenset(
    {2, 3, 4, 5, 20, 31, 32, 36, ast.PARAMETER, ast.TRAIT, _STATIC_ASSERT, _CONCEPT, _REQUIRES, *ast.FUNCTIONS}
)
_PLAIN_FUNCTIONS: Final = ast.FUNCTIONS - {ast.CONSTRUCTOR}  # an expression right below is part of the type
_PROMISE: Final = "__promise"  # what the front end calls the promise of a coroutine
_JUMPED_TO: Final = frozenset({ast.LABEL, ast.CASE, ast.DEFAULT})


class Demand(NamedTuple):
    """A reference: to a part of an entity, and where it is written."""

    cursor: CXCursor
    part: LinkPart
    place: Place


class BodyWalk:
    """Walks single definitions.

    Args:
        cursors: Reads cursors.
        files: Interns places.
        lifetimes: Knows what runs where nobody writes it.
        classes: Knows tables and overriders.
    """

    def __init__(self, cursors: Cursors, files: FileTable, lifetimes: Lifetimes, classes: LinkClasses) -> None:
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._files = files
        self._lifetimes = lifetimes
        self._classes = classes
        self._found: dict[tuple[int, LinkPart, Place], Demand] = {}
        self._bases: set[int] = set()  # expressions that make a base
        self._kept: set[int] = set()  # expressions whose object outlives them
        self._read: set[int] = set()  # names that something converts: of constants, the value alone counts
        self._optionals: dict[int, list[tuple[int, CXCursor]]] = {}  # by function
        self._code: dict[int, bool] = {}  # likewise
        self._around: CXCursor | None = None  # the parent of the expression at hand
        self._aside: Place | None = None  # where a default argument or member initialiser counts

    def of(self, definition: CXCursor) -> list[Demand]:
        """What a function or variable refers to, in source order."""
        self._found, self._bases, self._kept, self._read, self._aside = {}, set(), set(), set(), None
        if definition.kind == ast.CONSTRUCTOR:
            self._constructor(definition)
        elif definition.kind == ast.DESTRUCTOR:
            self._destructor(definition)
        elif self._cursors.is_variable(definition):
            self._end(self._cursors.type_of(definition), self.place_of(definition))
        self._cursors.visit_below(definition, self._see)
        return list(self._found.values())

    def place_of(self, cursor: CXCursor) -> Place:
        """Where a declaration or expression is."""
        return self._files.place(self._cdll.clang_getCursorLocation(cursor))[:3]

    def value(self, expression: CXCursor) -> int | None:
        """The value of a constant expression of integer type, or None."""
        return evaluated(self._cdll, expression)

    def _at(self, cursor: CXCursor) -> Place:
        place = self._aside or self.place_of(cursor)
        if place[0] == NONE and self._around is not None:  # the name in an implicit conversion has no place
            place = self.place_of(self._around)
        return place

    def _add(self, cursor: CXCursor, part: LinkPart, place: Place) -> None:
        self._found.setdefault((cursor.data0, part, place), Demand(cursor, part, place))

    # ---- constructors and destructors

    def _constructor(self, constructor: CXCursor) -> None:
        place = self._at(constructor)
        type_ = self._type_around(constructor)
        self._mark_initialisers(constructor, type_)
        implied = self._lifetimes.implied_constructors(constructor)
        self._structors(implied, place)
        for made, _ in implied:
            self._defaults(made, (), place)
        for field in self._lifetimes.initialised_fields(constructor):
            self._walk_aside(field, place)
        self._tables(type_, place)
        if self._may_fail(constructor):
            self._parts(type_, place)

    def _mark_initialisers(self, constructor: CXCursor, type_: CXType) -> None:
        """Tell the initialisers of bases, and what a delegating constructor delegates to, from those of fields."""
        own, name = self._cursors.declaration_of(type_).data0, self._cursors.offset(constructor)
        target: int | None = None
        for child in self._cursors.children(constructor):
            if child.kind == ast.MEMBER_REFERENCE:
                target = None
            elif child.kind == ast.TYPE_REFERENCE and self._cursors.offset(child) > name:
                named = self._cursors.referenced(child)
                target = named.data0 if named is not None else None
            elif child.kind >= ast.UNEXPOSED_EXPRESSION and child.kind != ast.COMPOUND and target is not None:
                made = self._stripped(child)
                self._bases.add(made.data1)
                if target == own:  # each variant delegates to its like
                    called = self._cursors.referenced(made)
                    if called is not None:
                        self._add(called, LinkPart.COMPLETE, self._at(made))
                target = None

    def _destructor(self, destructor: CXCursor) -> None:
        type_, place = self._type_around(destructor), self._at(destructor)
        self._parts(type_, place)
        self._tables(type_, place)
        if self._cdll.clang_CXXMethod_isVirtual(destructor):  # its deleting variant
            self._allocation(type_, ("operator delete",), place)

    def _type_around(self, member: CXCursor) -> CXType:
        return self._cursors.type_of(self._cdll.clang_getCursorSemanticParent(member))

    def _tables(self, type_: CXType, place: Place) -> None:
        if type_.kind == ast.RECORD and self._classes.is_dynamic(type_):
            declared = self._cursors.declaration_of(type_)
            self._add(declared, LinkPart.VTABLE, place)
            if self._classes.has_virtual_base(type_):
                self._add(declared, LinkPart.VTT, place)

    def _parts(self, type_: CXType, place: Place) -> None:
        if type_.kind == ast.RECORD:
            self._structors(self._lifetimes.parts(type_), place)

    def _structors(self, members: Iterable[tuple[CXCursor, bool]], place: Place) -> None:
        for member, is_base in members:
            self._add(member, LinkPart.BASE if is_base else LinkPart.COMPLETE, place)

    def _may_fail(self, constructor: CXCursor) -> bool:
        """Whether something can throw while parts already live: then their destructors are needed."""
        calls: list[None] = []

        def see(cursor: CXCursor) -> bool:
            if cursor.kind in {ast.CALL_EXPRESSION, ast.NEW, ast.THROW}:
                calls.append(None)
            return cursor.kind not in _SKIPPED

        self._cursors.visit(constructor, see)
        return len(calls) + len(self._lifetimes.implied_constructors(constructor)) > 1

    # ---- expressions

    def _see(self, cursor: CXCursor, parent: CXCursor) -> bool:
        kind = cursor.kind
        above = parent.kind
        if kind in _SKIPPED or (above in _PLAIN_FUNCTIONS and kind in ast.EXPRESSIONS):
            return False
        if above in _KEEPERS and kind in _MADE and self._is_kept_by(parent, above):
            self._kept.add(cursor.data1)
        if above == ast.UNEXPOSED_EXPRESSION and kind in _NAMES:
            self._read.add(cursor.data1)
        self._around = parent
        handler = _HANDLERS.get(kind)
        return handler is None or handler(self, cursor)

    def _is_kept_by(self, parent: CXCursor, kind: int) -> bool:
        """Whether an object that an expression makes outlives it; what a reference is bound to dies with its scope."""
        if kind in _PASSED_ON:
            return parent.data1 in self._kept
        if self._cursors.is_variable(parent):
            return self._cursors.type_of(parent).kind not in ast.REFERENCES
        return kind in _MAKERS

    def _call(self, call: CXCursor) -> bool:
        callee = self._cursors.referenced(call)
        ends = () if call.data1 in self._kept else self._lifetimes.ends(self._cursors.result_of(call, callee))
        function = callee if callee is not None and callee.kind in ast.FUNCTIONS else None
        has_defaults = function is not None and bool(self._optional(function))
        is_made = function is not None and function.kind == ast.CONSTRUCTOR
        if not ends and not has_defaults and not is_made:
            return True
        place = self._at(call)
        if function is not None and is_made:
            self._add(function, LinkPart.BASE if call.data1 in self._bases else LinkPart.COMPLETE, place)
        if function is not None and has_defaults:
            count = max(0, self._cdll.clang_Cursor_getNumArguments(call))
            arguments = [self._cdll.clang_Cursor_getArgument(call, index) for index in range(count)]
            self._defaults(function, arguments, place)
        self._structors(ends, place)
        return True

    def _defaults(self, callee: CXCursor, arguments: Sequence[CXCursor], place: Place) -> None:
        """The default arguments of a call, which the front end shows as expressions of no place."""
        for index, parameter in self._optional(callee):
            if index >= len(arguments) or self.place_of(arguments[index])[1] == 0:
                self._walk_aside(parameter, place)

    def _optional(self, callee: CXCursor) -> list[tuple[int, CXCursor]]:
        """The parameters of a function that have default arguments, and their positions."""
        known = self._optionals.get(callee.data0)
        if known is None:
            canonical = self._cdll.clang_getCanonicalCursor(callee)
            count = max(0, self._cdll.clang_Cursor_getNumArguments(canonical))
            parameters = [self._cdll.clang_Cursor_getArgument(canonical, index) for index in range(count)]
            known = self._optionals[callee.data0] = [(i, p) for i, p in enumerate(parameters) if self._initialisers(p)]
        return known

    def _initialisers(self, declared: CXCursor) -> list[CXCursor]:
        return [child for child in self._cursors.children(declared) if child.kind >= ast.UNEXPOSED_EXPRESSION]

    def _walk_aside(self, declared: CXCursor, place: Place) -> None:
        """The initialiser of a parameter or field, as part of the code at a place."""
        before, self._aside = self._aside, place
        for child in self._initialisers(declared):
            self._see_all(child, declared)
        self._aside = before

    def _see_all(self, cursor: CXCursor, parent: CXCursor) -> None:
        if self._see(cursor, parent):
            self._cursors.visit_below(cursor, self._see)

    def _member(self, member: CXCursor) -> bool:
        named = self._cursors.referenced(member)
        if named is None:
            return True
        if self._cursors.is_variable(named):
            self._variable(named, member)
        elif named.kind in ast.FUNCTIONS:
            target = self._statically(member, named)
            if target is not None:
                part = LinkPart.COMPLETE if target.kind == ast.DESTRUCTOR else LinkPart.ENTITY
                self._add(target, part, self._at(member))
        return True

    def _statically(self, member: CXCursor, method: CXCursor) -> CXCursor | None:
        """What a call of a method runs if that is known without looking at the object; None for a virtual call."""
        if not self._cdll.clang_Cursor_isDynamicCall(member):
            return method
        if self._classes.is_final(method):
            return method
        children = [c for c in self._cursors.children(member) if c.kind >= ast.UNEXPOSED_EXPRESSION]
        if not children:
            owner = self._type_around(method)
            return method if self._classes.is_final(self._cursors.declaration_of(owner)) else None
        base = self._stripped(children[0])
        type_ = self._cursors.type_of(base)
        declared = self._cursors.referenced(base) if base.kind in _NAMES else None
        is_object = type_.kind == ast.RECORD and (
            base.kind == ast.CALL_EXPRESSION if declared is None else self._cursors.type_of(declared).kind == ast.RECORD
        )
        if type_.kind == ast.POINTER:
            type_ = self._cursors.pointee(type_)
        if type_.kind == ast.RECORD and (is_object or self._classes.is_final(self._cursors.declaration_of(type_))):
            return self._classes.overrider(method, type_)
        return None

    def _name(self, name: CXCursor) -> bool:
        named = self._cursors.referenced(name)
        if named is None:
            return True
        if self._cursors.is_variable(named):
            self._variable(named, name)
            if self._cursors.spelling(named) == _PROMISE:
                self._coroutine(named)
        elif named.kind in ast.FUNCTIONS and self._is_code(named):
            self._add(named, LinkPart.ENTITY, self._at(name))
        return True

    def _is_code(self, function: CXCursor) -> bool:
        """Whether the name of a function alone refers to its code: not that of a virtual one, nor of a built-in."""
        known = self._code.get(function.data0)
        if known is None:
            known = self._code[function.data0] = not (
                self._cdll.clang_CXXMethod_isVirtual(function)
                or self._cursors.spelling(function).startswith("__builtin_")
            )
        return known

    def _variable(self, variable: CXCursor, name: CXCursor) -> None:
        if self._cdll.clang_getCursorLinkage(variable) in ast.NO_LINKAGE or self._is_folded(variable, name):
            return
        place = self._at(name)
        self._add(variable, LinkPart.ENTITY, place)
        if self._cdll.clang_getCursorTLSKind(variable):
            self._add(variable, LinkPart.THREAD_INITIALISER, place)

    def _is_folded(self, variable: CXCursor, name: CXCursor) -> bool:
        """Whether the value of a constant stands in its place; where a reference binds to it, its address does."""
        initialiser = self._cdll.clang_Cursor_getVarDeclInitializer(variable)
        if not initialiser.data0 or not self._cdll.clang_isConstQualifiedType(self._cdll.clang_getCursorType(variable)):
            return False
        return name.data1 in self._read and self.value(initialiser) is not None

    # ---- statements and lifetimes

    def _local(self, variable: CXCursor) -> bool:
        self._end(self._cursors.type_of(variable), self._at(variable))
        return True

    def _coroutine(self, promise: CXCursor) -> None:
        """What lives in a coroutine's frame: the promise, which the front end shows by name alone, and parameters."""
        type_, place = self._cursors.type_of(promise), self.place_of(promise)
        self._allocation(type_, ("operator new", "operator delete"), place)
        self._end(type_, place)
        self._cursors.visit_below(promise, self._see)
        for child in self._cursors.children(self._cdll.clang_getCursorSemanticParent(promise)):
            parameter = self._cursors.type_of(child)
            if child.kind == ast.PARAMETER and parameter.kind == ast.RECORD:
                self._structors(((made, False) for made in self._lifetimes.carriers(parameter)), place)
                self._end(parameter, place)

    def _decomposition(self, declared: CXCursor) -> bool:
        """A structured binding: its object, and ``get<>()``, which the front end does not show."""
        type_, place = self._cursors.type_of(declared), self._at(declared)
        if not self._cursors.spelling(declared).startswith("["):
            return True
        self._end(type_, place)
        while type_.kind in ast.REFERENCES:
            type_ = self._cursors.pointee(type_)
        if type_.kind == ast.RECORD:
            self._unseen(type_, LinkPart.BINDING, place)
        return True

    def _unseen(self, type_: CXType, part: LinkPart, place: Place) -> None:
        for class_ in self._lifetimes.with_bases(type_):
            self._add(self._cursors.declaration_of(class_), part, place)

    def _end(self, type_: CXType, place: Place) -> None:
        self._structors(self._lifetimes.ends(type_), place)

    def _lambda(self, expression: CXCursor) -> bool:
        operator = self._cursors.call_operator(expression)
        if operator is not None and operator.kind != ast.FUNCTION_TEMPLATE:
            self._add(operator, LinkPart.ENTITY, self._at(expression))
        for child in self._cursors.children(expression):
            if child.kind != ast.COMPOUND:
                self._see_all(child, expression)
        return False

    def _new(self, expression: CXCursor) -> bool:
        # Where the constructor throws, the storage is given back.
        type_ = self._cursors.pointee(self._cursors.type_of(expression))
        self._allocation(type_, ("operator new", "operator delete"), self._at(expression))
        return True

    def _delete(self, expression: CXCursor) -> bool:
        place = self._at(expression)
        for child in self._cursors.children(expression):
            type_ = self._cursors.pointee(self._cursors.type_of(child))
            if type_.kind != ast.RECORD:
                continue
            is_final = self._classes.is_final(self._cursors.declaration_of(type_))
            ends = self._lifetimes.ends(type_)
            if is_final or not any(self._cdll.clang_CXXMethod_isVirtual(end) for end, _ in ends):
                self._structors(ends, place)
                self._allocation(type_, ("operator delete",), place)
        return True

    def _allocation(self, type_: CXType, names: tuple[str, ...], place: Place) -> None:
        """A class's own functions for its storage."""
        if type_.kind == ast.RECORD:
            for method in self._cursors.methods(type_):
                if self._cursors.spelling(method).removesuffix("[]") in names:
                    self._add(method, LinkPart.ENTITY, place)
            for base in self._cursors.bases(type_):
                self._allocation(base, names, place)

    def _throw(self, expression: CXCursor) -> bool:
        for child in self._cursors.children(expression):
            type_, place = self._cursors.type_of(child), self._at(expression)
            self._end(type_, place)
            self._typeinfo(type_, place)
        return True

    def _catch(self, statement: CXCursor) -> bool:
        for child in self._cursors.children(statement):
            if child.kind == ast.VARIABLE:
                self._typeinfo(self._cursors.type_of(child), self._at(child))
        return True

    def _typeid(self, expression: CXCursor) -> bool:
        for child in self._cursors.children(expression):
            type_ = self._cursors.type_of(child)
            if child.kind >= ast.UNEXPOSED_EXPRESSION and self._is_polymorphic(type_):
                return True  # the object's own, found at run time
            self._typeinfo(type_, self._at(expression))
        return False

    def _dynamic_cast(self, expression: CXCursor) -> bool:
        place = self._at(expression)
        self._typeinfo(self._cursors.type_of(expression), place)
        for child in self._cursors.children(expression):
            if child.kind >= ast.UNEXPOSED_EXPRESSION:
                self._typeinfo(self._cursors.type_of(child), place)
        return True

    def _is_polymorphic(self, type_: CXType) -> bool:
        return type_.kind == ast.RECORD and self._classes.is_dynamic(type_)

    def _typeinfo(self, type_: CXType, place: Place) -> None:
        while type_.kind == ast.POINTER or type_.kind in ast.REFERENCES:
            type_ = self._cursors.pointee(type_)
        if self._is_polymorphic(type_):
            self._add(self._cursors.declaration_of(type_), LinkPart.TYPEINFO, place)

    def _range(self, loop: CXCursor) -> bool:
        for child in self._cursors.children(loop):
            if child.kind >= ast.UNEXPOSED_EXPRESSION and child.kind != ast.COMPOUND:
                type_ = self._cursors.type_of(child)
                members = self._lifetimes.range_members(type_)
                for member in members:
                    self._add(member, LinkPart.ENTITY, self._at(loop))
                for class_ in self._lifetimes.freely_iterated(type_, members):
                    self._unseen(class_, LinkPart.LOOP, self._at(loop))
        return True

    def _list(self, braced: CXCursor) -> bool:
        """An aggregate's members that a braced list leaves out."""
        type_ = self._cursors.type_of(braced)
        if type_.kind == ast.RECORD and len(self._cursors.children(braced)) < len(self._cursors.fields(type_)):
            place = self._at(braced)
            for member in self._lifetimes.of_aggregate(type_):
                if member.kind == ast.FIELD:
                    self._walk_aside(member, place)
                else:
                    self._add(member, LinkPart.COMPLETE, place)
        return True

    def _choice(self, cursor: CXCursor) -> bool:
        """An `if` or `?:` whose condition is constant has one live branch, unless something jumps into the other."""
        children = self._cursors.children(cursor)
        condition = children[0]
        value = self.value(condition) if condition.kind in ast.EXPRESSIONS else None
        if value is None or any(map(self._is_jumped_into, children[1:])):
            return True
        self._see_all(condition, cursor)
        for index, branch in enumerate(children[1:]):
            if bool(value) is (index == 0):
                self._see_all(branch, cursor)
        return False

    def _is_jumped_into(self, branch: CXCursor) -> bool:
        found: list[None] = []

        def see(cursor: CXCursor) -> bool:
            if cursor.kind in _JUMPED_TO:
                found.append(None)
            return not found

        self._cursors.visit(branch, see)
        return bool(found) or branch.kind in _JUMPED_TO

    def _stripped(self, expression: CXCursor) -> CXCursor:
        while expression.kind in _WRAPPINGS and (inner := self._cursors.children(expression)):
            expression = inner[-1]
        return expression


_HANDLERS: Final = {
    ast.CALL_EXPRESSION: BodyWalk._call,
    ast.NAME_EXPRESSION: BodyWalk._name,
    ast.MEMBER_EXPRESSION: BodyWalk._member,
    ast.VARIABLE: BodyWalk._local,
    ast.UNEXPOSED_DECLARATION: BodyWalk._decomposition,
    ast.LAMBDA: BodyWalk._lambda,
    ast.NEW: BodyWalk._new,
    ast.DELETE: BodyWalk._delete,
    ast.THROW: BodyWalk._throw,
    ast.CATCH: BodyWalk._catch,
    ast.TYPEID: BodyWalk._typeid,
    ast.DYNAMIC_CAST: BodyWalk._dynamic_cast,
    ast.RANGE_FOR: BodyWalk._range,
    **dict.fromkeys(ast.INITIALISER_LISTS, BodyWalk._list),
    **dict.fromkeys((ast.IF, ast.CONDITIONAL_OPERATOR), BodyWalk._choice),
}
