"""Which special members run where nobody writes them: at the end of a lifetime, for bases and fields, in a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.sources import cursors as ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

    from mgaudit.sources.clang_abi import CXCursor, CXType
    from mgaudit.sources.cursors import Cursors

_ITERATION: Final = frozenset({"operator*", "operator++", "operator!=", "operator=="})


class Lifetimes:
    """Answers for the classes of one translation unit.

    Args:
        cursors: Reads cursors.
    """

    def __init__(self, cursors: Cursors) -> None:
        self._cursors = cursors
        self._ends: dict[tuple[int, bool], list[tuple[CXCursor, bool]]] = {}  # by class
        self._ends_of: dict[tuple[int, bool], list[tuple[CXCursor, bool]]] = {}  # by type
        self._destructors: dict[int, list[CXCursor]] = {}
        self._aggregates: dict[int, list[CXCursor]] = {}
        self._implied: dict[int, list[tuple[CXCursor, bool]]] = {}

    def destructors(self, type_: CXType) -> list[CXCursor]:
        """The declared destructors that run when an object of a type dies; of an implicit one, its members'."""
        known = self._destructors.get(type_.data0)
        if known is None:
            known = self._destructors[type_.data0] = self._declared_destructors(type_)
        return known

    def _declared_destructors(self, type_: CXType) -> list[CXCursor]:
        found: list[CXCursor] = []
        for end, _ in self.ends(type_):
            declared = self._cursors.cdll.clang_getCursorSemanticParent(end)
            if self.is_implicit(end, declared):
                parts = self._cursors.type_of(declared)
                found += [d for part in self._part_types(parts) for d in self.destructors(part)]
            else:
                found.append(end)
        return found

    def ends(self, type_: CXType, *, as_base: bool = False) -> list[tuple[CXCursor, bool]]:
        """The destructors that run when an object dies, and whether each ends the base of a larger object.

        An implicit one counts where it is virtual, since it then has an address of its own; else its members' do.

        Args:
            type_: The type of the object.
            as_base: Whether the object itself is a base.
        """
        key = (type_.data0, as_base)
        known = self._ends_of.get(key)
        if known is None:
            element = self._cursors.element_type(type_)
            known = self._ends_of[key] = self._ends_of_class(element, as_base) if element.kind == ast.RECORD else []
        return known

    def _ends_of_class(self, type_: CXType, as_base: bool) -> list[tuple[CXCursor, bool]]:  # noqa: FBT001
        declared = self._cursors.declaration_of(type_)
        key = (declared.data0, as_base)
        known = self._ends.get(key)
        if known is None:
            self._ends[key] = []  # a class cannot hold itself, but broken code may say so
            own = [
                (m, as_base)
                for m in self._cursors.methods(type_)
                if m.kind == ast.DESTRUCTOR
                and (not self.is_implicit(m, declared) or self._cursors.cdll.clang_CXXMethod_isVirtual(m))
            ]
            known = self._ends[key] = own or list(self.parts(type_))
        return known

    def is_implicit(self, member: CXCursor, declared: CXCursor) -> bool:
        """The front end places implicitly declared members at the class's own name."""
        cdll = self._cursors.cdll
        return bool(
            cdll.clang_equalLocations(cdll.clang_getCursorLocation(member), cdll.clang_getCursorLocation(declared))
        )

    def parts(self, type_: CXType) -> Iterator[tuple[CXCursor, bool]]:
        """The destructors of the bases and fields of a class, and whether each ends a base."""
        for base in self._cursors.bases(type_):
            yield from self.ends(base, as_base=True)
        for field in self._cursors.fields(type_):
            yield from self.ends(self._cursors.type_of(field))

    def _part_types(self, type_: CXType) -> list[CXType]:
        fields = (self._cursors.type_of(field) for field in self._cursors.fields(type_))
        return [self._cursors.element_type(part) for part in (*self._cursors.bases(type_), *fields)]

    def implied(self, member: CXCursor) -> list[CXCursor]:
        """The special members of bases and fields that a constructor or destructor runs without naming them."""
        if member.kind == ast.DESTRUCTOR:
            type_ = self._cursors.type_of(self._cursors.cdll.clang_getCursorSemanticParent(member))
            parts = self._part_types(type_) if type_.kind == ast.RECORD else []
            return [end for part in parts for end in self.destructors(part)]
        return [target for target, _ in self.implied_constructors(member)]

    def implied_constructors(self, member: CXCursor) -> list[tuple[CXCursor, bool]]:
        """The constructors that a constructor runs without naming them, and whether each makes a base."""
        known = self._implied.get(member.data0)
        if known is None:
            known = self._implied[member.data0] = self._constructors_implied_by(member)
        return known

    def _constructors_implied_by(self, member: CXCursor) -> list[tuple[CXCursor, bool]]:
        cdll = self._cursors.cdll
        type_ = self._cursors.type_of(cdll.clang_getCursorSemanticParent(member))
        if type_.kind != ast.RECORD:
            return []
        written = self._written(member)
        if self._cursors.declaration_of(type_).data0 in written:  # it delegates
            return []
        copies = member if cdll.clang_CXXMethod_isDefaulted(member) and self._copies(member) else None
        inherited = self._inherited(member, type_)
        found = [] if inherited is None else [(inherited, True)]
        written |= set() if inherited is None else {cdll.clang_getCursorSemanticParent(inherited).data0}
        for base in self._cursors.bases(type_):
            if self._cursors.declaration_of(base).data0 not in written:
                found += [(made, True) for made in self._constructors(base, copies=copies)]
        for field in self._cursors.fields(type_):
            if field.data0 not in written and (copies or not self._has_initialiser(field)):
                element = self._cursors.element_type(self._cursors.type_of(field))
                found += [(made, False) for made in self._constructors(element, copies=copies)]
        return found

    def _inherited(self, constructor: CXCursor, type_: CXType) -> CXCursor | None:
        """The constructor of a base for which an inherited one stands: it has the base's name and parameters."""
        name = self._cursors.spelling(constructor).partition("<")[0]
        if name == self._cursors.spelling(self._cursors.declaration_of(type_)):
            return None
        signature = self._cursors.type_spelling(self._cursors.type_of(constructor))
        for base in self._cursors.bases(type_):
            for member in self._cursors.methods(base):
                if member.kind == ast.CONSTRUCTOR and (
                    self._cursors.type_spelling(self._cursors.type_of(member)) == signature
                    and self._cursors.spelling(member).partition("<")[0] == name
                ):
                    return member
        return None

    def initialised_fields(self, constructor: CXCursor) -> list[CXCursor]:
        """The fields whose initialisers in the class a constructor runs."""
        type_ = self._cursors.type_of(self._cursors.cdll.clang_getCursorSemanticParent(constructor))
        written = self._written(constructor)
        if (
            type_.kind != ast.RECORD
            or self._cursors.declaration_of(type_).data0 in written
            or (self._copies(constructor) and self._cursors.cdll.clang_CXXMethod_isDefaulted(constructor))
        ):
            return []
        fields = self._cursors.fields(type_)
        return [field for field in fields if field.data0 not in written and self._has_initialiser(field)]

    def of_aggregate(self, type_: CXType) -> list[CXCursor]:
        """What runs for the members that a braced list may leave out: fields with initialisers, and constructors."""
        declared = self._cursors.declaration_of(type_)
        known = self._aggregates.get(declared.data0)
        if known is None:
            known = self._aggregates[declared.data0] = []
            fields = self._cursors.fields(type_)
            known += [field for field in fields if self._has_initialiser(field)]
            for part in self._part_types(type_):
                if part.kind == ast.RECORD:
                    known += self._constructors(part, copies=None) or self.of_aggregate(part)
        return known

    def _written(self, constructor: CXCursor) -> set[int]:
        """The fields and bases that a constructor initialises by name."""
        found = set()
        name = self._cursors.offset(constructor)
        for child in self._cursors.children(constructor):
            if child.kind == ast.TYPE_REFERENCE and self._cursors.offset(child) < name:  # `Class::` before the name
                continue
            if child.kind in {ast.MEMBER_REFERENCE, ast.TYPE_REFERENCE}:
                named = self._cursors.referenced(child)
                if named is not None:
                    found.add(named.data0)
        return found

    def _has_initialiser(self, field: CXCursor) -> bool:
        children = self._cursors.children(field)
        if self._cursors.type_of(field).kind in ast.ARRAYS:  # the bound is an expression as well
            return bool(children) and children[-1].kind in ast.INITIALISER_LISTS
        return bool(children) and children[-1].kind >= ast.UNEXPOSED_EXPRESSION

    def _copies(self, constructor: CXCursor) -> bool:
        cdll = self._cursors.cdll
        return bool(
            cdll.clang_CXXConstructor_isCopyConstructor(constructor)
            or cdll.clang_CXXConstructor_isMoveConstructor(constructor)
        )

    def _constructors(self, type_: CXType, *, copies: CXCursor | None) -> list[CXCursor]:
        """The constructors of a class that may make a part: the one without arguments, or those that copy or move.

        Args:
            type_: The part's type.
            copies: The constructor of the whole, where it copies or moves.
        """
        if type_.kind != ast.RECORD:
            return []
        cdll = self._cursors.cdll
        constructors = [m for m in self._cursors.methods(type_) if m.kind == ast.CONSTRUCTOR]
        if copies is None:
            return [m for m in constructors if cdll.clang_CXXConstructor_isDefaultConstructor(m)]
        moving = [m for m in constructors if cdll.clang_CXXConstructor_isMoveConstructor(m)]
        if moving and cdll.clang_CXXConstructor_isMoveConstructor(copies):
            return moving
        return [m for m in constructors if cdll.clang_CXXConstructor_isCopyConstructor(m)]

    def range_members(self, type_: CXType) -> list[CXCursor]:
        """``begin`` and ``end`` of a class, and the operators of the iterators that they yield.

        Args:
            type_: The range's type. The constant overloads are those of a constant range, and of one without others.
        """
        while type_.kind in ast.REFERENCES:
            type_ = self._cursors.pointee(type_)
        if type_.kind != ast.RECORD:
            return []
        cdll = self._cursors.cdll
        members = self.named(type_, {"begin", "end"})
        open_ = {self._cursors.spelling(m) for m in members if not cdll.clang_CXXMethod_isConst(m)}
        if cdll.clang_isConstQualifiedType(type_):
            open_ = set()
        found = [m for m in members if bool(cdll.clang_CXXMethod_isConst(m)) != (self._cursors.spelling(m) in open_)]
        iterators = {}
        for member in found:
            result = self._cursors.cdll.clang_getCanonicalType(self._cursors.cdll.clang_getCursorResultType(member))
            if result.kind == ast.RECORD:
                iterators[self._cursors.declaration_of(result).data0] = result
        for iterator in iterators.values():
            found += self.named(iterator, _ITERATION)
        return found

    def named(self, type_: CXType, names: Set[str]) -> list[CXCursor]:
        """The member functions of a class that have one of some names; those of bases where its own have not."""
        found = [m for m in self._cursors.methods(type_) if self._cursors.spelling(m) in names]
        missing = names - {self._cursors.spelling(m) for m in found}
        if missing:
            found += [m for base in self._cursors.bases(type_) for m in self.named(base, missing)]
        return found

    def freely_iterated(self, type_: CXType, members: Iterable[CXCursor]) -> list[CXType]:
        """The classes of which free functions serve a range-based ``for``, since members do not: a range, iterators.

        Args:
            type_: The type of the range.
            members: What `range_members` answers for it.
        """
        while type_.kind in ast.REFERENCES:
            type_ = self._cursors.pointee(type_)
        if type_.kind != ast.RECORD:
            return []
        results: dict[str, CXType] = {}
        operators = set()
        for member in members:
            name = self._cursors.spelling(member)
            operators.add(name)
            if name in {"begin", "end"}:
                result = self._cursors.cdll.clang_getCursorResultType(member)
                results[name] = self._cursors.cdll.clang_getCanonicalType(result)
        if len(results) < 2:
            return [type_]
        if {"operator++"} <= operators and operators & {"operator!=", "operator=="}:
            return []
        return [result for result in results.values() if result.kind == ast.RECORD]

    def with_bases(self, type_: CXType) -> list[CXType]:
        """A class and its bases, at any depth."""
        return [type_, *(part for base in self._cursors.bases(type_) for part in self.with_bases(base))]

    def carriers(self, type_: CXType) -> list[CXCursor]:
        """The constructors that move an object of a class; those that copy it where none does."""
        cdll = self._cursors.cdll
        constructors = [m for m in self._cursors.methods(type_) if m.kind == ast.CONSTRUCTOR]
        moving = [m for m in constructors if cdll.clang_CXXConstructor_isMoveConstructor(m)]
        return moving or [m for m in constructors if cdll.clang_CXXConstructor_isCopyConstructor(m)]
