"""What the machine code of a translation unit refers to, read off its syntax before anything is compiled.

Each definition is walked as a compiler without optimisations would translate it: what it calls, destroys, takes the
address of, which tables its constructors need. Source: Itanium C++ ABI, sections 2.5, 2.9, 3.2 and 5.2.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.sources import cursors as ast
from mgaudit.sources.clang_abi import MACRO_LOCATION_BIT, CXCursor
from mgaudit.sources.demand_walk import BodyWalk, Demand, Place
from mgaudit.sources.link_classes import LinkClasses
from mgaudit.sources.records import NONE, TEMPLATE_MARKS, UNSEEN_PARTS, LinkPart, Strength

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.sources.cursors import Cursors
    from mgaudit.sources.files import FileTable
    from mgaudit.sources.library_calls import LibraryCalls
    from mgaudit.sources.lifetimes import Lifetimes
    from mgaudit.sources.symbols import SymbolTable

_EXTERNAL_LINKAGE: Final = 4
_CLASSES: Final = ast.CLASSES | ast.CLASS_TEMPLATES
# Literals, and what stands around names and literals.
_DATA: Final = frozenset({*range(43, 48), ast.UNEXPOSED_EXPRESSION, *range(106, 113), *ast.CASTS, 130, 131})
_ATTRIBUTE: Final = 400  # one that the front end does not tell from others
# GCC, unlike clang, also keeps an internal function that may be unused.
_KEEPING: Final = re.compile(rb"\b(?:__)?(?:used|constructor|destructor|maybe_unused|unused)(?:__)?\b")
_EXTERN_TEMPLATE: Final = re.compile(rb"\bextern\s+template\s+(?!(?:class|struct|union)\b)[^;{}]*")


_Key = tuple[int, LinkPart]


class Node(NamedTuple):
    """What may hold references: a function, a variable, or (``of`` is then one of its tables) a class."""

    cursor: CXCursor
    of: LinkPart


class DemandFinder:
    """Finds what one translation unit defines for the linker, and what each definition refers to.

    Args:
        cursors: Reads cursors.
        symbols: Interns entities.
        files: Interns places.
        lifetimes: Knows what runs where nobody writes it.
        foreign: Knows which templates outside of the tree may lead back into it.

    Attributes:
        demands: ``records.DEMAND_COLUMNS``.
        emissions: ``records.EMISSION_COLUMNS``.
        names: The mangled names that the demands name by index.
    """

    def __init__(
        self, cursors: Cursors, symbols: SymbolTable, files: FileTable, lifetimes: Lifetimes,
        foreign: LibraryCalls,
    ) -> None:  # fmt: skip
        self._cursors = cursors
        self._cdll = cursors.cdll
        self._symbols = symbols
        self._files = files
        self._lifetimes = lifetimes
        self._foreign = foreign
        self._classes = LinkClasses(cursors, self._lifetimes)
        self._walk = BodyWalk(cursors, files, self._lifetimes, self._classes)
        self._canonical: dict[int, int] = {}
        self._expanded: dict[_Key, list[Demand]] = {}
        self._parted: dict[_Key, tuple[list[Demand], list[tuple[_Key, Node]]]] = {}
        self._behind: dict[_Key, list[Demand]] = {}
        self._entered: set[_Key] = set()
        self._waiting: list[Node] = []
        self._names: dict[str, int] = {}
        self._elsewhere: dict[int, list[bytes]] = {}
        self.demands: dict[tuple[int, ...], None] = {}
        self.emissions: dict[tuple[int, ...], None] = {}

    @property
    def names(self) -> list[str]:
        """See the class."""
        return list(self._names)

    def find(self, definitions: Iterable[CXCursor]) -> None:
        """Walk the definitions of functions and variables, and what they use of inline functions and templates."""
        for definition in definitions:
            if definition.kind != ast.FIELD and not self._is_pattern(definition):
                self._enter(Node(definition, LinkPart.ENTITY))
        while self._waiting:
            self._expand_into_rows(self._waiting.pop())

    def _enter(self, node: Node) -> None:
        key = self._key(node)
        if key not in self._entered:
            self._entered.add(key)
            self._waiting.append(node)

    def _key(self, node: Node) -> _Key:
        address = node.cursor.data0
        known = self._canonical.get(address)
        if known is None:
            known = self._canonical[address] = self._cdll.clang_getCanonicalCursor(node.cursor).data0
        return known, node.of

    def _expand_into_rows(self, node: Node) -> None:
        """Note a definition, if there is one here, and its demands."""
        if node.of is not LinkPart.ENTITY:
            self._define_class(node)
        elif self._is_defined(node.cursor):
            strength = self._strength(node.cursor)
            self._define(node.cursor, strength, NONE)
            if strength is Strength.ALWAYS and not self._cursors.is_variable(node.cursor):
                self._define_tables_of_key(node.cursor)
        else:
            return
        source = self._symbols.of_cursor(node.cursor)
        for demand in self._expand(node):
            for target in self._visible(demand):
                self._demand(source, node, target)

    def _demand(self, source: int, node: Node, target: Demand) -> None:
        file = target.place[0]
        is_seen = file != NONE and self._files.is_tracked(file)
        place = target.place if is_seen else self._place(node.cursor)  # what a macro elsewhere wrote
        symbol = self._symbols.of_cursor(target.cursor)
        for name in self._classes.mangled(target.cursor, target.part) or ("",):
            index = self._names.setdefault(name, len(self._names))
            self.demands[source, node.of, symbol, target.part, index, *place] = None
        if target.part in UNSEEN_PARTS:
            return
        if self._is_defined(target.cursor) and self._may_be_elsewhere(target):
            self.demands[
                source, node.of, symbol, LinkPart.ELSEWHERE, self._names.setdefault("", len(self._names)), *place
            ] = None
        self._enter(_node_of(target))

    def _may_be_elsewhere(self, target: Demand) -> bool:
        """Whether an ``extern template`` beside a template, or beside the use, names what is instantiated here."""
        if target.cursor.kind not in ast.FUNCTIONS or not self._is_instance(target.cursor):
            return False
        name = re.escape(self._cursors.spelling(target.cursor).partition("<")[0].encode())
        named = re.compile(rb"(?<!\w)" + name + rb"(?!\w)")
        places = {self._place(target.cursor)[0], target.place[0]} - {NONE}
        return any(named.search(text) for file in places for text in self._instantiated_elsewhere(file))

    def _instantiated_elsewhere(self, file: int) -> list[bytes]:
        """What ``extern template`` names in a file, classes aside."""
        known = self._elsewhere.get(file)
        if known is None:
            known = self._elsewhere[file] = _EXTERN_TEMPLATE.findall(self._files.content(file))
        return known

    # ---- definitions

    def _define(self, cursor: CXCursor, strength: Strength, key: int) -> None:
        self.emissions[self._symbols.of_cursor(cursor), self._place(cursor)[0], strength, key] = None

    def _place(self, cursor: CXCursor) -> Place:
        """Where an entity is defined, or else declared; the same whichever of its declarations was met."""
        definition = self._cdll.clang_getCursorDefinition(cursor)
        return self._walk.place_of(definition if definition.data0 else cursor)

    def _define_class(self, node: Node) -> None:
        methods = self._cursors.methods(self._cursors.type_of(node.cursor))
        if methods and self._explicit_instance(methods[0]) == b"extern":
            return  # its tables are where it is instantiated
        key = self._classes.key_function(self._cursors.type_of(node.cursor))
        if key is None:
            self._define(node.cursor, Strength.ON_DEMAND, NONE)
        else:
            self._define(node.cursor, Strength.WITH_KEY, self._symbols.of_cursor(key))

    def _define_tables_of_key(self, method: CXCursor) -> None:
        """A class's tables come with its key function."""
        declared = self._cdll.clang_getCursorSemanticParent(method)
        type_ = self._cursors.type_of(declared)
        if type_.kind == ast.RECORD and self._cdll.clang_CXXMethod_isVirtual(method):
            key = self._classes.key_function(type_)
            if key is not None and self._same(key, method):
                self._enter(Node(self._cursors.declaration_of(type_), LinkPart.VTABLE))

    def _same(self, one: CXCursor, other: CXCursor) -> bool:
        canonical = self._cdll.clang_getCanonicalCursor
        return bool(canonical(one).data0 == canonical(other).data0)

    def _is_pattern(self, definition: CXCursor) -> bool:
        """Whether it is a template, or belongs to one: only its instances become code."""
        usr = self._cdll.clang_getCursorUSR(definition)
        return any(mark in usr for mark in TEMPLATE_MARKS)

    def _is_implicit(self, member: CXCursor) -> bool:
        parent = self._cdll.clang_getCursorSemanticParent(member)
        return parent.kind in _CLASSES and self._lifetimes.is_implicit(member, parent)

    def _is_defined(self, cursor: CXCursor) -> bool:
        if self._explicit_instance(cursor) == b"extern":
            return False
        # What is defaulted in its class is defined wherever it is needed.
        if not self._cursors.is_variable(cursor) and self._is_implicit(cursor):
            return True
        is_defaulted = self._cdll.clang_CXXMethod_isDefaulted(self._cdll.clang_getCanonicalCursor(cursor))
        return bool(is_defaulted) or bool(self._cdll.clang_getCursorDefinition(cursor).data0)

    def _explicit_instance(self, member: CXCursor) -> bytes | None:
        """How an explicit instantiation of the class around a member starts: ``extern`` or ``template``."""
        declared = self._cdll.clang_getCursorSemanticParent(member)
        pattern = self._cdll.clang_getSpecializedCursorTemplate(declared)
        if not pattern.data0 or self._same_place(declared, pattern):
            return None
        file, _, _, offset = self._files.place(
            self._cdll.clang_getRangeStart(self._cdll.clang_getCursorExtent(declared))
        )
        word = self._files.content(file)[offset : offset + 8] if file != NONE else b""
        return next((start for start in (b"extern", b"template") if word.startswith(start)), None)

    def _same_place(self, one: CXCursor, other: CXCursor) -> bool:
        location = self._cdll.clang_getCursorLocation
        return bool(self._cdll.clang_equalLocations(location(one), location(other)))

    def _is_kept(self, definition: CXCursor) -> bool:
        """Whether an attribute keeps it though nobody refers to it; one that a macro wrote counts, whatever it says."""
        for attribute in self._cursors.children(definition):
            if attribute.kind != _ATTRIBUTE:
                continue
            extent = self._cdll.clang_getCursorExtent(attribute)
            start, end = self._cdll.clang_getRangeStart(extent), self._cdll.clang_getRangeEnd(extent)
            file, _, _, offset = self._files.place(start)
            if start.raw & MACRO_LOCATION_BIT or file == NONE:
                return True
            if _KEEPING.search(self._files.content(file)[offset : self._files.place(end)[3]]):
                return True
        return False

    def _strength(self, cursor: CXCursor) -> Strength:
        definition = self._cdll.clang_getCursorDefinition(cursor)
        if self._explicit_instance(cursor) == b"template" or (definition.data0 and self._is_kept(definition)):
            return Strength.ALWAYS
        if self._cursors.is_variable(cursor):
            vague = self._is_vague(definition, cursor) or self._is_inline(definition)
            return Strength.ON_DEMAND if vague and not self._runs_at_start(definition) else Strength.ALWAYS
        if not definition.data0 or self._is_implicit(cursor) or self._is_vague(definition, cursor):
            return Strength.ON_DEMAND
        is_inline = self._cdll.clang_Cursor_isFunctionInlined
        return Strength.ON_DEMAND if is_inline(definition) or is_inline(cursor) else Strength.ALWAYS

    def _is_vague(self, definition: CXCursor, cursor: CXCursor) -> bool:
        """Whether it is internal, written in a class, or the instance of a template."""
        if self._cdll.clang_getCursorLinkage(cursor) != _EXTERNAL_LINKAGE:
            return True
        if self._cdll.clang_getCursorLexicalParent(definition).kind in _CLASSES:
            return True
        pattern = self._cdll.clang_getSpecializedCursorTemplate(cursor)
        return bool(pattern.data0) and self._same_place(cursor, pattern)

    def _is_inline(self, variable: CXCursor) -> bool:
        """Whether a variable's definition says so; where a macro says it for it, it counts as if not."""
        file, _, _, start = self._files.place(
            self._cdll.clang_getRangeStart(self._cdll.clang_getCursorExtent(variable))
        )
        if file == NONE:
            return False
        head = self._files.content(file)[start : self._cursors.offset(variable)]
        return re.search(rb"\binline\b", head) is not None

    def _runs_at_start(self, variable: CXCursor) -> bool:
        """Whether it must be there though nobody names it: code makes or destroys it."""
        if self._lifetimes.ends(self._cursors.type_of(variable)):
            return True
        initialiser = self._cdll.clang_Cursor_getVarDeclInitializer(variable)
        return bool(initialiser.data0) and self._walk.value(initialiser) is None and not self._is_data(initialiser)

    def _is_data(self, initialiser: CXCursor) -> bool:
        """Whether an initialiser is made of literals and addresses of functions alone: no code runs for it."""
        code: list[None] = []

        def see(cursor: CXCursor) -> bool:
            kind = cursor.kind
            if kind == ast.NAME_EXPRESSION:
                named = self._cursors.referenced(cursor)
                is_data = named is not None and named.kind in ast.FUNCTIONS
            elif kind in ast.INITIALISER_LISTS:
                is_data = not self._lifetimes.of_aggregate(self._cursors.type_of(cursor))
            else:
                is_data = kind in _DATA
            if not is_data:
                code.append(None)
            return is_data

        if see(initialiser):
            self._cursors.visit(initialiser, see)
        return not code

    # ---- demands

    def _expand(self, node: Node) -> list[Demand]:
        """What one definition refers to."""
        key = self._key(node)
        known = self._expanded.get(key)
        if known is None:
            known = self._expanded[key] = self._fresh(node)
        return known

    def _fresh(self, node: Node) -> list[Demand]:
        if node.of is LinkPart.TYPEINFO:
            return self._of_typeinfo(node.cursor)
        if node.of is LinkPart.VTABLE:
            return self._of_vtable(node.cursor)
        definition = self._cdll.clang_getCursorDefinition(node.cursor)
        return self._walk.of(definition if definition.data0 else node.cursor)

    def _of_vtable(self, declared: CXCursor) -> list[Demand]:
        place = self._walk.place_of(declared)
        found = [Demand(declared, LinkPart.TYPEINFO, place)]
        for slot in self._classes.slots(self._cursors.type_of(declared)):
            if slot.kind == ast.DESTRUCTOR:
                found += [Demand(slot, part, place) for part in (LinkPart.COMPLETE, LinkPart.DELETING)]
            elif not self._cdll.clang_CXXMethod_isPureVirtual(slot):
                found.append(Demand(slot, LinkPart.ENTITY, place))
                if self._classes.has_thunks(slot):
                    found.append(Demand(slot, LinkPart.THUNK, place))
        return found

    def _of_typeinfo(self, declared: CXCursor) -> list[Demand]:
        place = self._walk.place_of(declared)
        bases = self._cursors.bases(self._cursors.type_of(declared))
        return [
            Demand(self._cursors.declaration_of(base), LinkPart.TYPEINFO, place)
            for base in bases
            if self._classes.is_dynamic(base)
        ]

    def _visible(self, demand: Demand) -> Iterable[Demand]:
        """The demand itself, or what code outside of the tree that it leads to demands of the tree in turn."""
        if self._symbols.is_tracked_cursor(demand.cursor):
            return [demand]
        if demand.part in UNSEEN_PARTS:
            return []
        return [Demand(d.cursor, d.part, demand.place) for d in self._reached(_node_of(demand))]

    def _reached(self, start: Node) -> list[Demand]:
        """What of the tree the instances of foreign templates demand, at any depth."""
        key = self._key(start)
        known = self._behind.get(key)
        if known is None:
            found: dict[_Key, Demand] = {}
            seen, waiting = {key}, [(key, start)]
            while waiting:
                inside, onward = self._parts_of(*waiting.pop())
                for demand in inside:
                    found.setdefault((demand.cursor.data0, demand.part), demand)
                for following in onward:
                    if following[0] not in seen:
                        seen.add(following[0])
                        waiting.append(following)
            known = self._behind[key] = list(found.values())
        return known

    def _parts_of(self, key: _Key, node: Node) -> tuple[list[Demand], list[tuple[_Key, Node]]]:
        """What the instance of a foreign template demands of the tree, and what outside of it."""
        known = self._parted.get(key)
        if known is None:
            inside: list[Demand] = []
            onward: list[tuple[_Key, Node]] = []
            leads_back = self._is_instance(node.cursor) and self._foreign.may_lead_back(node.cursor)
            for demand in self._expand(node) if leads_back else ():
                if self._symbols.is_tracked_cursor(demand.cursor):
                    inside.append(demand)
                elif demand.part not in UNSEEN_PARTS:
                    following = _node_of(demand)
                    onward.append((self._key(following), following))
            known = self._parted[key] = inside, onward
        return known

    def _is_instance(self, cursor: CXCursor) -> bool:
        """Whether a template, or the member of one, yielded it."""
        while cursor.data0 and cursor.kind not in {ast.TRANSLATION_UNIT, ast.NAMESPACE}:
            if self._cdll.clang_getSpecializedCursorTemplate(cursor).data0:
                return True
            cursor = self._cdll.clang_getCursorSemanticParent(cursor)
        return False


def _node_of(demand: Demand) -> Node:
    """What is defined where a demand is met."""
    return Node(demand.cursor, _TABLES.get(demand.part, LinkPart.ENTITY))


_TABLES: Final = {LinkPart.VTABLE: LinkPart.VTABLE, LinkPart.VTT: LinkPart.VTABLE, LinkPart.TYPEINFO: LinkPart.TYPEINFO}
