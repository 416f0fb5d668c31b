"""How the files under observation use entities: what an access is made on, what it yields, with which constants.

The indexer reports what is referenced where. Whether a use is one of a frontend object needs more: the static type of
the receiver (a member may be inherited from a class that lies elsewhere), the type of the result as instantiated, and
uses that no token names (copies, structured bindings, range-for). A walk over the bodies gives all of it; since it
costs about as much as the indexer, it is confined to the files that gates observe.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.sources import clang_abi as abi
from mgaudit.sources import cursors as ast
from mgaudit.sources.constants import Constants
from mgaudit.sources.records import (
    NONE,
    VIA_AGGREGATE,
    VIA_ARROW,
    VIA_HELPER,
    VIA_LAMBDA,
    VIA_LOCAL,
    VIA_MACRO,
    VIA_SIGNATURE,
    VIA_TEMPLATE,
)
from mgaudit.sources.shapes import Shapes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.sources.clang_abi import CXCursor
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable
    from mgaudit.sources.library_calls import LibraryCalls
    from mgaudit.sources.symbols import SymbolTable

Row = tuple[int, ...]


class Place(NamedTuple):
    """File index, line, column, offset."""

    file: int
    line: int
    column: int
    offset: int


class _Receiver(NamedTuple):
    """What a member is accessed on: its class, where the object comes from, and ``VIA_*`` bits of the way."""

    symbol: int = NONE
    origin: int = NONE
    via: int = 0


class _Scope(NamedTuple):
    """Where the walk stands.

    Attributes:
        parent: The symbol whose definition it is in.
        via: ``VIA_*`` bits that hold for all of it.
        closure: The call operator of the innermost lambda, or `NONE`.
    """

    parent: int
    via: int
    closure: int = NONE


@dataclass(slots=True)
class Uses:
    """What a walk found, as rows of `mgaudit.sources.records`.

    Attributes:
        references: ``REFERENCE_COLUMNS`` of uses that the indexer does not report.
        uses: ``USE_COLUMNS``.
        carries: ``CARRY_COLUMNS``.
        arguments: The texts of constant arguments, by index.
    """

    references: dict[Row, None] = field(default_factory=dict)
    uses: dict[Row, None] = field(default_factory=dict)
    carries: dict[Row, None] = field(default_factory=dict)
    arguments: dict[str, int] = field(default_factory=dict)


class UseFinder:
    """Walks definitions and declarations in observed files.

    Args:
        cursors: Reads cursors.
        symbols: Interns what is found.
        files: Interns places.
        references: What the indexer reported, as ``REFERENCE_COLUMNS``.
        library: Knows what library templates call back.
    """

    def __init__(
        self, cursors: Cursors, symbols: SymbolTable, files: FileTable, references: Iterable[Row],
        library: LibraryCalls,
    ) -> None:  # fmt: skip
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._symbols = symbols
        self._files = files
        self._shapes = Shapes(cursors, symbols)
        self._constants = Constants(cursors)
        self._library = library
        self._known = {(row[0], row[1], row[4]) for row in references if files.is_observed(row[1])}
        self._pending: dict[Place, tuple[_Receiver | None, str]] = {}  # of a callee, by its place, from its call
        self._found = Uses()

    def find(self, declarations: Iterable[CXCursor]) -> Uses:
        """Everything that declarations in observed files, and what they contain, use."""
        for declaration in declarations:
            place = self._place(declaration)
            if place.file != NONE and self._files.is_observed(place.file):
                symbol = self._symbols.of_cursor(declaration)
                self._head(declaration, symbol, place)
                self._walk(declaration, _Scope(symbol, VIA_TEMPLATE if self._is_template(declaration) else 0))
        return self._found

    def _is_template(self, declaration: CXCursor) -> bool:
        pattern: CXCursor = self._cdll.clang_getSpecializedCursorTemplate(declaration)
        parent: CXCursor = self._cdll.clang_getCursorSemanticParent(declaration)
        kinds = declaration.kind == ast.FUNCTION_TEMPLATE or parent.kind in ast.CLASS_TEMPLATES
        return bool(kinds or pattern.data0)

    # ---- declarations

    def _head(self, declaration: CXCursor, symbol: int, place: Place) -> None:
        """What the type of a function, field or variable carries, and which of its tokens name it."""
        carried = self._shapes.of_declared(self._cursors.type_of(declaration))
        self._carry(symbol, place, carried)
        if not carried:
            return

        def see(cursor: CXCursor) -> bool:
            if cursor.kind == ast.TYPE_REFERENCE:
                self._type(cursor, symbol)
            return bool(cursor.kind == ast.PARAMETER)

        self._cursors.visit(declaration, see)

    def _type(self, cursor: CXCursor, declared: int) -> None:
        named = self._cursors.referenced(cursor)
        place = self._place(cursor)
        if named is None or place.file == NONE or not self._files.is_observed(place.file):
            return
        symbol = self._symbols.of_cursor(self._cursors.pattern_of(named))
        self._found.uses[symbol, *place, NONE, declared, VIA_SIGNATURE, NONE, NONE] = None
        self._carry(symbol, place, self._shapes.of_result(self._cursors.type_of(cursor)))

    # ---- the walk

    def _walk(self, root: CXCursor, scope: _Scope) -> None:
        def see(cursor: CXCursor) -> bool:
            kind = cursor.kind
            if kind == ast.LAMBDA:
                operator = self._cursors.call_operator(cursor)
                closure = scope.closure if operator is None else self._symbols.of_cursor(operator)
                self._walk(cursor, _Scope(scope.parent, scope.via | VIA_LAMBDA, closure))
                return False
            visitor = _VISITORS.get(kind)
            if visitor is not None:
                visitor(self, cursor, scope)
            return True

        self._cursors.visit(root, see)

    def _member(self, cursor: CXCursor, scope: _Scope) -> None:
        named = self._cursors.referenced(cursor)
        if named is None:
            return
        receiver = self._receiver(next(iter(self._expressions(cursor)), None))
        if receiver.symbol != NONE or self._symbols.is_tracked_cursor(named):
            self._use(named, cursor, receiver, scope, is_complete=True)

    def _name(self, cursor: CXCursor, scope: _Scope) -> None:
        """A function, an overloaded operator, or a variable that outlives its function."""
        named = self._cursors.referenced(cursor)
        if named is None or named.kind not in _NAMED or not self._symbols.is_tracked_cursor(named):
            return
        if named.kind != ast.VARIABLE or not self._is_local(named):
            self._use(named, cursor, _Receiver(), scope)

    def _call(self, cursor: CXCursor, scope: _Scope) -> None:
        named = self._cursors.referenced(cursor)
        if named is None or named.kind not in ast.FUNCTIONS:
            return
        if not self._symbols.is_tracked_cursor(named):
            for target in self._library.tracked_targets(named):
                if target.kind == ast.CONSTRUCTOR:  # `std::make_unique<C>()`, `objects.emplace_back()`
                    self._use(target, cursor, _Receiver(), scope, is_complete=True)
            return
        if named.kind == ast.CONSTRUCTOR:
            if self._is_implicit(named):
                self._use(named, cursor, _Receiver(), scope, is_complete=True)
            return
        children = self._cursors.children(cursor)
        if named.kind == ast.CONVERSION:
            if children:  # a member expression that stands nowhere, as a rule
                is_member = children[0].kind == ast.MEMBER_EXPRESSION
                base = next(iter(self._expressions(children[0])), None) if is_member else children[0]
                self._use(named, cursor, self._receiver(base), scope)
            return
        callee = next((inner for c in children if (inner := self._callee(c, named))), None)
        if callee is not None:
            is_operator = callee.kind == ast.NAME_EXPRESSION and named.kind == ast.METHOD
            receiver = self._receiver(children[0]) if is_operator else None
            constants = "" if is_operator else self._constants.of_call(cursor)
            self._pending[self._place(callee)] = receiver, constants
            if is_operator and self._is_implicit(named) and self._cursors.spelling(named) == "operator=":
                self._use(named, callee, receiver or _Receiver(), scope, is_complete=True)

    def _callee(self, child: CXCursor, named: CXCursor) -> CXCursor | None:
        """The expression in a call's child that names the called function."""
        inner = self._unconverted(child)
        if inner.kind not in {ast.MEMBER_EXPRESSION, ast.NAME_EXPRESSION}:
            return None
        found = self._cursors.referenced(inner)
        return inner if found is not None and found.data0 == named.data0 else None

    def _range_for(self, cursor: CXCursor, scope: _Scope) -> None:
        """The range's ``begin`` and ``end`` are called without being named."""
        children = self._cursors.children(cursor)
        if len(children) < 2:
            return
        range_ = children[-2]
        receiver = self._receiver(range_)
        if receiver.symbol != NONE:
            is_const = self._cdll.clang_isConstQualifiedType(self._cursors.type_of(range_))
            for name in ("begin", "end"):
                member = self._method(self._record(range_), name, is_const=bool(is_const))
                if member is not None:
                    self._use(member, range_, receiver, scope, is_complete=True)

    def _bindings(self, cursor: CXCursor, scope: _Scope) -> None:
        """``auto& [a, b] = object`` reads the members of a class in order."""
        children = self._cursors.children(cursor)
        names = [c for c in children if c.kind == ast.UNEXPOSED_DECLARATION]
        if not names or len(names) == len(children):
            return
        type_ = self._cursors.type_of(cursor)
        role = abi.ROLE_REFERENCE | abi.ROLE_READ
        if type_.kind in ast.REFERENCES:
            type_ = self._cursors.pointee(type_)
            role |= 0 if self._cdll.clang_isConstQualifiedType(type_) else abi.ROLE_ADDRESS_OF
        if type_.kind != ast.RECORD:
            return
        record = self._cursors.declaration_of(type_)
        if not self._symbols.is_tracked_cursor(record):
            return
        fields = [c for c in self._cursors.children(record) if c.kind == ast.FIELD]
        if len(fields) == len(names):
            receiver = self._receiver(children[-1])._replace(symbol=self._symbols.of_cursor(record))
            for name, member in zip(names, fields, strict=True):
                self._use(member, name, receiver, scope, is_complete=True, role=role)

    def _designator(self, cursor: CXCursor, scope: _Scope) -> None:
        """``.field = value`` gives a field its value; the indexer only reports that it is named."""
        named = self._cursors.referenced(cursor)
        place = self._place(cursor)
        if named is None or named.kind != ast.FIELD or not self._symbols.is_tracked_cursor(named):
            return
        self._use(named, cursor, _Receiver(), scope)
        if place.file != NONE and self._files.is_observed(place.file):
            symbol = self._symbols.of_cursor(self._cursors.pattern_of(named))
            role = abi.ROLE_REFERENCE | abi.ROLE_WRITE
            self._found.references[symbol, *place, role, scope.parent] = None

    def _list(self, cursor: CXCursor, scope: _Scope) -> None:
        """A braced list makes an object of an aggregate without calling a constructor."""
        type_ = self._cursors.type_of(cursor)
        if type_.kind == ast.RECORD:
            record = self._cursors.declaration_of(type_)
            if self._symbols.is_tracked_cursor(record):
                role = abi.ROLE_REFERENCE | abi.ROLE_CALL
                made = scope._replace(via=scope.via | VIA_AGGREGATE)
                self._use(record, cursor, _Receiver(), made, is_complete=True, role=role)

    # ---- one use

    def _use(  # noqa: PLR0913
        self, named: CXCursor, at: CXCursor, receiver: _Receiver, scope: _Scope, *, is_complete: bool = False,
        role: int = 0,
    ) -> None:  # fmt: skip
        """Record a use; one that is sought completely becomes a reference where the indexer reports none."""
        place = self._place(at)
        if place.file == NONE or not self._files.is_observed(place.file):
            return
        pending, constants = self._pending.get(place, (None, ""))
        receiver = pending or receiver
        symbol = self._symbols.of_cursor(self._cursors.pattern_of(named))
        if is_complete and (symbol, place.file, place.offset) not in self._known:
            is_function = named.kind in ast.FUNCTIONS
            bits = role or abi.ROLE_REFERENCE | (abi.ROLE_CALL if is_function else abi.ROLE_READ)
            self._found.references[symbol, *place, bits | abi.ROLE_IMPLICIT, scope.parent] = None
        via = receiver.via | scope.via | (VIA_MACRO if self._in_macro_body(at) else 0)
        index = self._found.arguments.setdefault(constants, len(self._found.arguments)) if constants else NONE
        row = (symbol, *place, receiver.symbol, receiver.origin, via, index, scope.closure)
        self._found.uses[row] = None
        self._carry(symbol, place, self._shapes.of_result(self._cursors.type_of(named)))

    def _carry(self, symbol: int, place: Place, carried: Iterable[tuple[int, int]]) -> None:
        for class_, how in carried:
            self._found.carries[symbol, *place, class_, how] = None

    # ---- receivers

    def _receiver(self, base: CXCursor | None) -> _Receiver:
        if base is None:
            return _Receiver()
        record = self._record(base)
        symbol = NONE
        if record is not None and self._symbols.is_tracked_cursor(record):
            symbol = self._symbols.of_cursor(record)
        return _Receiver(symbol, *self._origin(base))

    def _record(self, expression: CXCursor) -> CXCursor | None:
        """The class of an object or of what a pointer to it leads to, before any conversion to a base class."""
        type_ = self._cursors.type_of(self._unconverted(expression))
        while type_.kind in ast.REFERENCES or type_.kind == ast.POINTER:
            type_ = self._cursors.pointee(type_)
        return self._cursors.declaration_of(type_) if type_.kind == ast.RECORD else None

    def _origin(self, base: CXCursor) -> tuple[int, int]:
        """The free function or lasting variable from which the object comes, if any, and bits of the way."""
        via = 0
        node: CXCursor | None = base
        is_first = True
        while node is not None:
            kind = node.kind
            if kind == ast.CALL_EXPRESSION:
                named = self._cursors.referenced(node)
                if named is None:
                    break
                if self._is_observed(named):
                    via |= VIA_HELPER
                children = self._cursors.children(node)
                callee = self._callee(children[0], named) if children else None
                is_spelled = callee is not None and callee.kind == ast.MEMBER_EXPRESSION
                if named.kind == ast.METHOD and not is_spelled and is_first:
                    via |= VIA_ARROW if self._cursors.spelling(named) == "operator->" else 0
                if named.kind not in ast.FUNCTIONS - ast.FREE_FUNCTIONS:
                    return self._symbols.of_cursor(self._cursors.pattern_of(named)), via | self._macro(node)
                node = children[0] if children else None
            elif kind == ast.MEMBER_EXPRESSION:
                inner = next(iter(self._expressions(node)), None)
                if inner is None:
                    return self._held_by(node, via)
                node = inner
            elif kind == ast.NAME_EXPRESSION:
                return self._held_by(node, via)
            elif kind in _TRANSPARENT:
                children = self._expressions(node)
                node = children[0] if children else None
                if kind == ast.CONDITIONAL_OPERATOR and len(children) > 1:
                    node = children[1]
                continue
            else:
                break
            is_first = False
        return NONE, via

    def _held_by(self, node: CXCursor, via: int) -> tuple[int, int]:
        via |= self._macro(node)
        named = self._cursors.referenced(node)
        if named is None or not self._symbols.is_tracked_cursor(named):
            return NONE, via
        if named.kind == ast.PARAMETER or (named.kind == ast.VARIABLE and self._is_local(named)):
            return NONE, via | VIA_LOCAL
        return self._symbols.of_cursor(self._cursors.pattern_of(named)), via

    def _unconverted(self, expression: CXCursor) -> CXCursor:
        while expression.kind in {ast.UNEXPOSED_EXPRESSION, ast.PARENTHESES}:
            children = self._expressions(expression)
            if not children:
                break
            expression = children[0]
        return expression

    def _expressions(self, cursor: CXCursor) -> list[CXCursor]:
        return [c for c in self._cursors.children(cursor) if c.kind >= ast.UNEXPOSED_EXPRESSION]

    # ---- what cursors say

    def _place(self, cursor: CXCursor) -> Place:
        return Place(*self._files.place(self._cdll.clang_getCursorLocation(cursor)))

    def _macro(self, cursor: CXCursor) -> int:
        return VIA_MACRO if self._in_macro_body(cursor) else 0

    def _in_macro_body(self, cursor: CXCursor) -> bool:
        """Whether a macro's body wrote it: of a macro's argument, the place in the file is its own."""
        location = self._cdll.clang_getCursorLocation(cursor)
        if not location.raw & abi.MACRO_LOCATION_BIT:
            return False
        return self._files.place(location) == self._files.expansion(location)

    def _is_observed(self, named: CXCursor) -> bool:
        file = self._place(named).file
        return file != NONE and self._files.is_observed(file)

    def _is_local(self, variable: CXCursor) -> bool:
        parent: CXCursor = self._cdll.clang_getCursorSemanticParent(variable)
        return bool(parent.kind in ast.FUNCTIONS)

    def _is_implicit(self, member: CXCursor) -> bool:
        """Whether the compiler declared a member function: it then lies where its class does."""
        parent = self._cdll.clang_getCursorSemanticParent(member)
        return self._place(member) == self._place(parent)

    def _method(self, record: CXCursor | None, name: str, *, is_const: bool) -> CXCursor | None:
        """The method of a name, of the class or else of its bases; by constness where there are overloads."""
        if record is None:
            return None
        members = self._cursors.members(record)
        found = [c for c in members if c.kind == ast.METHOD and self._cursors.spelling(c) == name]
        for member in found:
            if bool(self._cdll.clang_CXXMethod_isConst(member)) == is_const:
                return member
        if found:
            return found[0]
        for base in members:
            if base.kind == ast.BASE_SPECIFIER:
                type_ = self._cursors.type_of(base)
                inherited = self._method(self._cursors.declaration_of(type_), name, is_const=is_const)
                if inherited is not None:
                    return inherited
        return None


_NAMED = frozenset({*ast.FUNCTIONS, ast.VARIABLE})
_TRANSPARENT = frozenset(
    {ast.UNEXPOSED_EXPRESSION, ast.PARENTHESES, ast.UNARY_OPERATOR, ast.SUBSCRIPT, ast.CONDITIONAL_OPERATOR, *ast.CASTS}
)

_VISITORS: Final = {
    ast.MEMBER_EXPRESSION: UseFinder._member,
    ast.NAME_EXPRESSION: UseFinder._name,
    ast.CALL_EXPRESSION: UseFinder._call,
    ast.RANGE_FOR: UseFinder._range_for,
    ast.MEMBER_REFERENCE: UseFinder._designator,
    **dict.fromkeys(sorted(ast.INITIALISER_LISTS), UseFinder._list),
    ast.UNEXPOSED_DECLARATION: UseFinder._bindings,
}
