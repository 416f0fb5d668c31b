"""Calls that the indexer does not report, by walks over bodies.

The indexer names the template where a call resolves to an instantiation, gives a lambda's calls to the function around
it, and says nothing of destructors, of implicitly declared members, of what a range-based ``for`` calls, of what a
library template calls back, and of calls through local pointers or of dependent names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.sources import cursors as ast
from mgaudit.sources.library_calls import LibraryCalls
from mgaudit.sources.lifetimes import Lifetimes
from mgaudit.sources.records import NONE, CallKind
from mgaudit.sources.stores import WRITING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable
    from mgaudit.sources.stores import StoreFinder
    from mgaudit.sources.symbols import SymbolTable

CallRow = tuple[int, ...]
"""`records.CALL_COLUMNS`."""


class CallFinder:
    """Finds the calls of one translation unit.

    Args:
        cursors: Reads cursors.
        symbols: Interns callers and callees.
        files: Interns places.
        stores: Knows what values a local variable is given.
        reported: (caller, callee) pairs that the indexer reports.

    Attributes:
        lifetimes: What it learned of lifetimes, for others that look at the unit.
        library: What it learned of library templates, likewise.
        bodies: What `find` walked.
        writing: What in each of them may store something, in source order, for `stores.StoreFinder`.
    """

    def __init__(
        self, cursors: Cursors, symbols: SymbolTable, files: FileTable, stores: StoreFinder,
        reported: Collection[tuple[int, int]],
    ) -> None:  # fmt: skip
        self._cursors = cursors
        self._symbols = symbols
        self._files = files
        self._stores = stores
        self._reported = reported
        self.lifetimes = Lifetimes(cursors)
        self.library = LibraryCalls(cursors, symbols, self.lifetimes)
        self._found: dict[CallRow, None] = {}
        self._entered: set[int] = set()
        self._waiting: list[CXCursor] = []
        self.bodies: list[CXCursor] = []
        self.writing: list[list[CXCursor]] = []
        self._called: set[tuple[int, int]] = set()
        self._caller = NONE
        self._here: CXCursor | None = None
        self._place: tuple[int, int, int] | None = None
        self._given: dict[int, bool] = {}
        self._implied: set[int] = set()

    def find(self, definitions: Iterable[CXCursor]) -> list[CallRow]:
        """The calls in the definitions of functions, variables and fields, sorted, without repeats.

        Instantiations that they call are walked as well; `bodies` then holds everything that was.
        """
        for definition in definitions:
            self._enter(definition)
        while self._waiting:
            body = self._waiting.pop()
            self.bodies.append(body)
            self.writing.append([])
            self._body(body, body)
        return sorted(self._found, key=lambda row: (row[2], row[3], row[4], row))

    def _enter(self, definition: CXCursor) -> None:
        """Walk a body later, once."""
        if definition.data0 and definition.data0 not in self._entered:
            self._entered.add(definition.data0)
            self._waiting.append(definition)

    def _body(self, caller: CXCursor, root: CXCursor) -> None:
        before = self._caller, self._here, self._place
        self._caller = self._symbols.of_cursor(caller)
        if caller.kind in {ast.CONSTRUCTOR, ast.DESTRUCTOR}:
            self._implied_by(caller)
        elif caller.kind == ast.VARIABLE:
            self._at(caller)
            self._destroy(self._cursors.type_of(caller))
        self._cursors.visit(root, self._see)
        self._caller, self._here, self._place = before

    def _see(self, cursor: CXCursor) -> bool:
        kind = cursor.kind
        if kind not in _SEEN:
            return True
        if kind in WRITING:
            self.writing[-1].append(cursor)
        if kind in _NAMES:
            self._at(cursor)
            self._name(cursor)
        elif kind == ast.CALL_EXPRESSION:
            self._at(cursor)
            self._call(cursor)
        elif kind == ast.LAMBDA:
            operator = self._cursors.call_operator(cursor)
            if operator is not None:
                self._at(cursor)
                self._add(operator, CallKind.ADDRESS)
                self._body(operator, cursor)
                return False
        elif kind in ast.FUNCTIONS:  # a member of a local class
            self._body(cursor, cursor)
            return False
        elif kind in {ast.VARIABLE, ast.PARAMETER}:
            self._at(cursor)
            self._destroy(self._cursors.type_of(cursor))
        elif kind == ast.DELETE:
            self._at(cursor)
            self._delete(cursor)
        elif kind in ast.INITIALISER_LISTS:
            self._at(cursor)
            self._aggregate(cursor)
        elif kind == ast.RANGE_FOR:
            self._at(cursor)
            self._range(cursor)
        return True

    def _at(self, cursor: CXCursor) -> None:
        """Calls that are found from here on have a cursor's place, which is asked for when there is one."""
        self._here, self._place = cursor, None

    # ---- calls as written

    def _call(self, call: CXCursor) -> None:
        callee = self._cursors.referenced(call)
        if callee is None:
            self._unnamed(call)
        elif callee.kind in ast.FUNCTIONS:
            if self._symbols.is_tracked_cursor(callee):
                dynamic = bool(self._cursors.cdll.clang_Cursor_isDynamicCall(call))
                self._add(callee, CallKind.VIRTUAL if dynamic else CallKind.DIRECT)
            if callee.kind == ast.CONSTRUCTOR:
                self._implied_by(callee)
            self._call_back(callee)
        elif callee.kind in {ast.FIELD, ast.VARIABLE, ast.PARAMETER}:
            self._through(callee)
        self._destroy(self._cursors.result_of(call, callee))

    def _unnamed(self, call: CXCursor) -> None:
        """The callee is an expression: what it is made of may still name where the pointer comes from."""
        children = self._cursors.children(call)
        if not children:
            self._give_up(CallKind.DEPENDENT)
            return
        expression = children[0]
        while expression.kind in _WRAPPINGS and (inner := self._cursors.children(expression)):
            expression = inner[0]
        named = self._cursors.referenced(expression)
        if expression.kind == ast.BINARY_OPERATOR:
            self._give_up(CallKind.MEMBER_POINTER)
        elif self._cursors.type_of(children[0]).kind in ast.DEPENDENT:
            self._give_up(CallKind.DEPENDENT)
        elif named is not None and named.kind in {ast.FIELD, ast.VARIABLE, ast.PARAMETER}:
            self._through(named)
        elif expression.kind not in {ast.CALL_EXPRESSION, ast.CONDITIONAL_OPERATOR, *_NAMES}:
            self._give_up(CallKind.EXPRESSION)

    def _through(self, holder: CXCursor) -> None:
        """A call of what a field, variable or parameter holds."""
        index = self._symbols.of_cursor(self._stores.original(holder))
        if holder.kind == ast.PARAMETER:
            self._give_up(CallKind.PARAMETER)
        elif not self._symbols.is_local(index):
            if (self._caller, index) not in self._reported:
                self._record(index, CallKind.THROUGH)
        elif not self._is_given(holder):
            self._give_up(CallKind.LOCAL)

    def _is_given(self, variable: CXCursor) -> bool:
        """Whether a local variable starts with known functions: then its function takes their addresses already."""
        known = self._given.get(variable.data0)
        if known is None:
            known = self._given[variable.data0] = self._stores.is_given(variable)
        return known

    def _name(self, cursor: CXCursor) -> None:
        """A function whose address is taken, unless this is the name in a call: the call itself comes first."""
        named = self._cursors.referenced(cursor)
        if named is None or named.kind not in ast.FUNCTIONS or not self._symbols.is_tracked_cursor(named):
            return
        if (self._caller, self._symbols.of_cursor(named)) not in self._called:
            self._add(named, CallKind.ADDRESS)

    # ---- calls that nobody writes

    def _call_back(self, callee: CXCursor) -> None:
        for target in self.library.tracked_targets(callee):
            self._add(target, CallKind.LIBRARY)

    def _implied_by(self, member: CXCursor) -> None:
        """What constructors and destructors do with bases and fields that they do not name."""
        if member.data0 in self._implied or not self._symbols.is_tracked_cursor(member):
            return
        self._implied.add(member.data0)
        before = self._caller, self._here, self._place
        self._caller = self._symbols.of_cursor(member)
        self._at(member)
        for target in self.lifetimes.implied(member):
            self._add(target, CallKind.IMPLICIT)
            self._call_back(target)
            if target.kind == ast.CONSTRUCTOR:
                self._implied_by(target)
        self._caller, self._here, self._place = before

    def _destroy(self, type_: CXType) -> None:
        """An object by value dies at the end of its scope or full expression; one made by ``new`` if something throws.

        Args:
            type_: Of a variable, a parameter, or the result of a call; a reference destroys nothing.
        """
        for target in self.lifetimes.destructors(type_):
            self._add(target, CallKind.DESTRUCTION)
            self._call_back(target)

    def _delete(self, cursor: CXCursor) -> None:
        for child in self._cursors.children(cursor):
            for target in self.lifetimes.destructors(self._cursors.pointee(self._cursors.type_of(child))):
                virtual = bool(self._cursors.cdll.clang_CXXMethod_isVirtual(target))
                self._add(target, CallKind.VIRTUAL if virtual else CallKind.DESTRUCTION)
                self._call_back(target)

    def _aggregate(self, list_: CXCursor) -> None:
        """A braced list runs the default initialisers of the members that it leaves out."""
        type_ = self._cursors.element_type(self._cursors.type_of(list_))
        if type_.kind == ast.RECORD and self._symbols.is_tracked_cursor(self._cursors.declaration_of(type_)):
            for target in self.lifetimes.of_aggregate(type_):
                self._add(self._stores.original(target), CallKind.IMPLICIT)

    def _range(self, loop: CXCursor) -> None:
        """``begin``, ``end`` and the iterator's operators."""
        for child in self._cursors.children(loop):
            if child.kind >= ast.UNEXPOSED_EXPRESSION and child.kind != ast.COMPOUND:
                for target in self.lifetimes.range_members(self._cursors.type_of(child)):
                    self._add(target, CallKind.IMPLICIT)
                    self._call_back(target)

    # ---- rows

    def _add(self, callee: CXCursor, kind: CallKind) -> None:
        if self._symbols.is_tracked_cursor(callee):
            index = self._symbols.of_cursor(callee)
            self._called.add((self._caller, index))
            if self._cursors.cdll.clang_getSpecializedCursorTemplate(callee).data0:
                self._enter(self._cursors.cdll.clang_getCursorDefinition(callee))
            if (self._caller, index) not in self._reported:
                self._record(index, kind)

    def _give_up(self, kind: CallKind) -> None:
        self._record(NONE, kind)

    def _record(self, callee: int, kind: CallKind) -> None:
        if self._place is None:
            assert self._here is not None
            self._place = self._files.place(self._cursors.cdll.clang_getCursorLocation(self._here))[:3]
        file, line, column = self._place
        if file != NONE and self._files.is_tracked(file) and self._caller != NONE:
            self._found[self._caller, callee, file, line, column, kind] = None


_NAMES: Final = frozenset({ast.NAME_EXPRESSION, ast.MEMBER_EXPRESSION})  # of functions: references of their own
_SEEN: Final = ast.FUNCTIONS | WRITING | _NAMES | {ast.LAMBDA, ast.PARAMETER, ast.DELETE, ast.RANGE_FOR}
_WRAPPINGS: Final = {ast.UNEXPOSED_EXPRESSION, ast.PARENTHESES, ast.UNARY_OPERATOR, ast.SUBSCRIPT, *ast.CASTS}
