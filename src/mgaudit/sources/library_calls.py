"""What library templates call back: comparators, constructors of elements, deleters, call operators of lambdas."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from mgaudit.sources import cursors as ast
from mgaudit.sources.cursors import copied
from mgaudit.sources.records import NONE

if TYPE_CHECKING:
    from mgaudit.sources.clang_abi import CXCursor
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable
    from mgaudit.sources.lifetimes import Lifetimes


class LibraryCalls:
    """Follows the instantiations of templates outside of the tree; each body is walked once.

    Args:
        cursors: Reads cursors.
        files: Tells which files are the tree's.
        lifetimes: Knows the destructors that bodies run.
    """

    def __init__(self, cursors: Cursors, files: FileTable, lifetimes: Lifetimes) -> None:
        self._cursors = cursors
        self._files = files
        self._lifetimes = lifetimes
        self._callees: dict[int, list[CXCursor]] = {}
        self._targets: dict[int, list[CXCursor]] = {}
        self._tracked: dict[int, bool] = {}

    def tracked_targets(self, callee: CXCursor) -> list[CXCursor]:
        """The functions of the tree that a function outside of it may call, at any depth, in order of discovery."""
        if self._is_tracked(callee) or not self._is_instantiation(callee):
            return []
        known = self._targets.get(callee.data0)
        if known is None:
            known = self._targets[callee.data0] = self._search(callee)
        return known

    def _search(self, start: CXCursor) -> list[CXCursor]:
        found: dict[int, CXCursor] = {}
        seen = {start.data0}
        waiting = deque([start])
        while waiting:
            for callee in self._direct(waiting.popleft()):
                if callee.data0 in seen:
                    continue
                seen.add(callee.data0)
                if self._is_tracked(callee):
                    found[callee.data0] = callee
                elif self._is_instantiation(callee):
                    waiting.append(callee)
        return list(found.values())

    def _direct(self, caller: CXCursor) -> list[CXCursor]:
        """What one body calls."""
        known = self._callees.get(caller.data0)
        if known is not None:
            return known
        found: dict[int, CXCursor] = {}
        body = self._cursors.cdll.clang_getCursorDefinition(caller)

        def see(cursor: CXCursor) -> bool:
            if cursor.kind == ast.CALL_EXPRESSION:
                callee = self._cursors.referenced(cursor)
                if callee is not None and callee.kind in ast.FUNCTIONS:
                    found[callee.data0] = copied(callee)
            if cursor.kind in {ast.CALL_EXPRESSION, ast.VARIABLE, ast.PARAMETER}:
                for target in self._lifetimes.destructors(self._cursors.type_of(cursor)):
                    found[target.data0] = target
            elif cursor.kind == ast.DELETE:
                for child in self._cursors.children(cursor):
                    for target in self._lifetimes.destructors(self._cursors.pointee(self._cursors.type_of(child))):
                        found[target.data0] = target
            return True

        if body.data0:
            if caller.kind in {ast.CONSTRUCTOR, ast.DESTRUCTOR}:
                found.update((target.data0, target) for target in self._lifetimes.implied(caller))
            self._cursors.visit(body, see)
        self._callees[caller.data0] = list(found.values())
        return self._callees[caller.data0]

    def _is_instantiation(self, cursor: CXCursor) -> bool:
        return bool(self._cursors.cdll.clang_getSpecializedCursorTemplate(cursor).data0)

    def _is_tracked(self, cursor: CXCursor) -> bool:
        known = self._tracked.get(cursor.data0)
        if known is None:
            file = self._files.place(self._cursors.cdll.clang_getCursorLocation(cursor))[0]
            known = self._tracked[cursor.data0] = file != NONE and self._files.is_tracked(file)
        return known
