"""What the Itanium C++ ABI makes of classes: key functions, vtables, type information, and mangled names.

Source: Itanium C++ ABI, sections 2.5 (virtual tables), 2.9 (run-time type information), 5.1 (mangling) and 5.2
(vague linkage).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.sources import cursors as ast
from mgaudit.sources.records import UNSEEN_PARTS, LinkPart

if TYPE_CHECKING:
    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.lifetimes import Lifetimes

_STRUCTOR_PARTS = (LinkPart.BASE, LinkPart.COMPLETE, LinkPart.DELETING)
"""The order in which the front end lists the manglings of constructors and destructors."""


class LinkClasses:
    """Answers for the classes of one translation unit.

    Args:
        cursors: Reads cursors.
        lifetimes: Tells implicit members.
    """

    def __init__(self, cursors: Cursors, lifetimes: Lifetimes) -> None:
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._lifetimes = lifetimes
        self._slots: dict[int, list[CXCursor]] = {}
        self._manglings: dict[int, tuple[str, ...]] = {}

    def is_dynamic(self, type_: CXType) -> bool:
        """Whether objects of a class have a virtual table: it has virtual functions or virtual bases."""
        return bool(self.slots(type_)) or self.has_virtual_base(type_)

    def has_virtual_base(self, type_: CXType) -> bool:
        """Whether a class has a virtual base, at any depth."""
        return any(is_virtual or self.has_virtual_base(base) for base, is_virtual in self.bases(type_))

    def bases(self, type_: CXType) -> list[tuple[CXType, bool]]:
        """The direct bases of a class, and whether each is virtual."""
        found = self._cursors.base_specifiers(type_)
        return [(self._cursors.type_of(base), bool(self._cdll.clang_isVirtualBase(base))) for base in found]

    def slots(self, type_: CXType) -> list[CXCursor]:
        """The final overriders of a class's virtual functions, pure ones too."""
        declared = self._cursors.declaration_of(type_)
        known = self._slots.get(declared.data0)
        if known is None:
            self._slots[declared.data0] = []  # broken code may have circles
            own = [m for m in self._cursors.methods(type_) if self._cdll.clang_CXXMethod_isVirtual(m)]
            replaced = {overridden.data0 for method in own for overridden in self._cursors.overridden(method)}
            inherited = {slot.data0: slot for base, _ in self.bases(type_) for slot in self.slots(base)}
            known = [slot for slot in inherited.values() if slot.data0 not in replaced] + own
            self._slots[declared.data0] = known
        return known

    def overrider(self, method: CXCursor, type_: CXType) -> CXCursor:
        """What a virtual call of a method runs on an object whose class is known."""
        wanted = self._cdll.clang_getCanonicalCursor(method).data0
        for slot in self.slots(type_):
            waiting = [slot]
            while waiting:
                candidate = waiting.pop()
                if self._cdll.clang_getCanonicalCursor(candidate).data0 == wanted:
                    return slot
                waiting += self._cursors.overridden(candidate)
        return method

    def is_final(self, declared: CXCursor) -> bool:
        """Whether a class or a method is marked final."""
        return any(child.kind == ast.FINAL for child in self._cursors.children(declared))

    def key_function(self, type_: CXType) -> CXCursor | None:
        """The function whose translation unit holds the virtual table; None where every user's does.

        The first virtual function that is neither pure nor inline in the class; a template's instance has none.
        """
        declared = self._cursors.declaration_of(type_)
        if self._cdll.clang_getSpecializedCursorTemplate(declared).data0:
            return None
        for method in self._cursors.methods(type_):
            if (
                self._cdll.clang_CXXMethod_isVirtual(method)
                and not self._cdll.clang_CXXMethod_isPureVirtual(method)
                and not self._cdll.clang_Cursor_isFunctionInlined(method)
                and not self._cdll.clang_CXXMethod_isDefaulted(method)
                and not self._lifetimes.is_implicit(method, declared)
            ):
                return method
        return None

    # ---- names

    def mangled(self, cursor: CXCursor, part: LinkPart) -> tuple[str, ...]:
        """The names by which the linker knows a part of a function, variable or class; none where it never asks."""
        if part in UNSEEN_PARTS:
            return ()
        if part is LinkPart.THUNK:
            return self._all_names(cursor)[1:]
        name = self._name(cursor, part)
        return (name,) if name else ()

    def _name(self, cursor: CXCursor, part: LinkPart) -> str:
        if part in {LinkPart.VTABLE, LinkPart.VTT, LinkPart.TYPEINFO}:
            encoding = self._class_encoding(cursor)
            prefix = {LinkPart.VTABLE: "_ZTV", LinkPart.VTT: "_ZTT", LinkPart.TYPEINFO: "_ZTI"}[part]
            return prefix + encoding if encoding else ""
        if cursor.kind in {ast.CONSTRUCTOR, ast.DESTRUCTOR}:
            names = self._all_names(cursor)
            place = _STRUCTOR_PARTS.index(part)
            return names[place] if place < len(names) else ""
        name: str = self._cdll.clang_Cursor_getMangling(cursor)
        if part is LinkPart.THREAD_INITIALISER:
            return f"_ZTH{name[2:] if name.startswith('_Z') else f'{len(name)}{name}'}"
        return name

    def has_thunks(self, method: CXCursor) -> bool:
        """Whether some virtual tables name a method by a thunk."""
        return len(self._all_names(method)) > 1

    def _all_names(self, member: CXCursor) -> tuple[str, ...]:
        known = self._manglings.get(member.data0)
        if known is None:
            known = self._manglings[member.data0] = tuple(self._cdll.manglings(member))
        return known

    def _class_encoding(self, declared: CXCursor) -> str:
        """A class as the names of its tables spell it, taken from its destructor's name; of a local class, nothing."""
        type_ = self._cursors.type_of(declared)
        destructor = next((m for m in self._cursors.methods(type_) if m.kind == ast.DESTRUCTOR), None)
        names = self._all_names(destructor) if destructor is not None else ()
        name = next(iter(names), "")
        if not name.startswith("_ZN") or not name.endswith("D2Ev"):
            return ""
        scope = self._cdll.clang_getCursorSemanticParent(declared)
        while scope.kind == ast.LINKAGE:
            scope = self._cdll.clang_getCursorSemanticParent(scope)
        stem = name[3:-4]
        return stem if scope.kind == ast.TRANSLATION_UNIT or stem.startswith("St") else f"N{stem}E"
