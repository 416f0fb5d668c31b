"""What entities of the observed zones are to a boundary: accessors, paths to objects, or structure."""

from __future__ import annotations

import enum
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.facts.known import Known
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.facts.rows import declarations, declared, declared_of_kind, members_of_kinds, symbols_within
from mgaudit.sources.records import DECL_DEFINITION, TEMPLATE_MARKS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from mgaudit.domain.zones import Zone
    from mgaudit.facts.entities import Symbol
    from mgaudit.facts.query import Facts

CLASSES: Final = frozenset({"class", "struct", "union"})
FUNCTIONS: Final = frozenset(FUNCTION_KINDS)
_TYPES: Final = CLASSES | {"enum", "typedef", "type-alias", "concept", "unexposed"}
_MEMBERS: Final = frozenset({"method", "static-method", "conversion", "field", "static-variable"})
_VARIABLES: Final = frozenset({"variable", "static-variable"})


class EntityKind(enum.Enum):
    """What an entity of the zones is."""

    ACCESSOR = enum.auto()
    CONSTRUCTOR = enum.auto()
    VARIABLE = enum.auto()  # outside of classes
    NAMESPACE = enum.auto()
    TYPE = enum.auto()
    ENUMERATOR = enum.auto()
    CONSTANT = enum.auto()
    VALUE_CLASS = enum.auto()
    UNWATCHED = enum.auto()
    DESTRUCTOR = enum.auto()


@dataclass(frozen=True, slots=True)
class Scope:
    """What is observed.

    Attributes:
        paths: The files of the observed zones.
        zones: The observed zones, for their namespaces.
        classes: Ids of the watched classes; None for every class of the zones.
        value_classes: Ids of plain value structs: their members are no accessors.
        byte_accessors: Ids of members that return raw bytes, whatever their type.
        every_name: Whether a variable that is, or leads to, an object is a use of its own, not only a path, and calls
            of free functions that resolve to nothing are uses, too.
    """

    paths: frozenset[str]
    zones: tuple[Zone, ...]
    classes: frozenset[int] | None = None
    value_classes: frozenset[int] = frozenset()
    byte_accessors: frozenset[int] = frozenset()
    every_name: bool = False


class Entities:
    """Answers for one scope; every answer is remembered.

    Attributes:
        is_inside: Whether an entity belongs to the zones: it, its template or what it is a member of is declared there.
        kind: What an entity of the zones is.
    """

    def __init__(self, facts: Facts, scope: Scope) -> None:
        self._facts = facts
        self._scope = scope
        self.is_inside = Known(self._is_inside).__getitem__
        self.kind = Known(self._classify).__getitem__
        self._names: dict[int, str] = {}
        self._pointing: dict[int, bool] = {}
        self._known: set[int] = set()

    @classmethod
    def of(cls, facts: Facts, scope: Scope) -> Entities:
        """The answers for a scope, one for all who ask these facts."""
        known: Entities = facts.derived.setdefault((cls, scope), cls(facts, scope))
        return known

    @property
    def declared(self) -> Collection[int]:
        """Ids of everything that some selected unit declares in a file of the tree."""
        return self._known if self._declared else ()

    # ---- membership

    @cached_property
    def _declared(self) -> frozenset[int]:
        """What the zones' files declare; a class counts where it is defined, if it is."""
        here: set[int] = set()
        known: set[int] = set()
        defined_here: set[int] = set()
        defined: set[int] = set()
        for symbol, path, _, _, flags, _ in declarations(self._facts):
            is_here = path in self._scope.paths
            known.add(symbol)
            if is_here:
                here.add(symbol)
            if flags & DECL_DEFINITION:
                defined.add(symbol)
                if is_here:
                    defined_here.add(symbol)
        self._known = known
        foreign = {s for s in here & defined - defined_here if self._facts.symbol(s).kind in CLASSES}
        return frozenset(here - foreign)

    def _is_inside(self, number: int) -> bool:
        symbol = self._facts.symbol(number)
        known = number in self._declared or any(zone.has_name(symbol.qualified) for zone in self._scope.zones)
        for other in (symbol.parent, symbol.pattern):
            if not known and other is not None and self._facts.symbol(other).kind not in {"namespace"}:
                known = self.is_inside(other)
        return known

    def pattern(self, number: int) -> int:
        """The template of an instantiation, else the entity itself."""
        return self._facts.symbol(number).origin

    def is_templated(self, number: int) -> bool:
        """Whether a symbol is a template, an instantiation or a member of one."""
        symbol = self._facts.symbol(number)
        return symbol.pattern is not None or any(mark in symbol.usr for mark in TEMPLATE_MARKS)

    # ---- classes

    @cached_property
    def _value_classes(self) -> frozenset[int]:
        return frozenset(map(self.pattern, self._scope.value_classes))

    @cached_property
    def _watched(self) -> frozenset[int]:
        """The watched classes and everything that they inherit from."""
        bases: dict[int, set[int]] = defaultdict(set)
        for derived, base in self._facts.bases():
            bases[self.pattern(derived)].add(self.pattern(base))
        found: set[int] = set()
        waiting = [self.pattern(number) for number in self._scope.classes or ()]
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                waiting += bases.get(number, ())
        return frozenset(found)

    def is_value_class(self, number: int) -> bool:
        """Whether a class is a plain value."""
        return self.pattern(number) in self._value_classes

    def is_object(self, number: int) -> bool:
        """Whether a class of the zones is one of objects."""
        symbol = self._facts.symbol(number)
        return symbol.kind in CLASSES and self.is_inside(number) and not self.is_value_class(number)

    def is_watched(self, number: int) -> bool:
        """Whether the members of a class are accessors."""
        if self._scope.classes is None:
            return self.is_object(number)
        return self.pattern(number) in self._watched and not self.is_value_class(number)

    def is_watched_object(self, number: int) -> bool:
        """Whether a type that carries a class is a signature."""
        return self.is_object(number) and self.is_watched(number)

    def owner(self, symbol: Symbol) -> int | None:
        """The named class that an entity is a member of."""
        number = symbol.parent
        while number is not None:
            parent = self._facts.symbol(number)
            if parent.kind not in CLASSES:
                return None
            if parent.name and not parent.name.startswith("("):
                return self.pattern(number)
            number = parent.parent
        return None

    # ---- kinds

    def is_member(self, number: int) -> bool:
        """Whether an entity is a data member or member function."""
        return self._facts.symbol(number).kind in _MEMBERS

    def is_byte_accessor(self, number: int) -> bool:
        """Whether an accessor is listed as one of raw bytes."""
        return number in self._scope.byte_accessors

    def _classify(self, number: int) -> EntityKind:
        symbol = self._facts.symbol(number)
        simple = _SIMPLE.get(symbol.kind)
        if simple is not None:
            return simple
        owner = self.owner(symbol)
        if owner is not None and not self.is_watched(owner):
            return EntityKind.VALUE_CLASS if self.is_value_class(owner) else EntityKind.UNWATCHED
        if symbol.kind == "constructor":
            return EntityKind.CONSTRUCTOR
        if symbol.kind in _VARIABLES and _is_constant(self._type_of(symbol.id)):
            return EntityKind.CONSTANT
        return EntityKind.VARIABLE if symbol.kind in _VARIABLES and owner is None else EntityKind.ACCESSOR

    def _type_of(self, number: int) -> str:
        return next((row.type for row in declared(self._facts, number) if row.type), "")

    def names_object(self, number: int) -> bool:
        """Whether the spelled type of an entity names a class of objects: for uses that no walk has seen."""
        words = set(_words(self._type_of(number)))
        return bool(words & self._object_names)

    def points_to_object(self, number: int) -> bool:
        """Whether a field is a pointer, plain or smart, to an object of the zones, by its spelled type."""
        known = self._pointing.get(number)
        if known is None:
            known = self.names_object(number) and _POINTER.search(self._type_of(number)) is not None
            self._pointing[number] = known
        return known

    @cached_property
    def _object_names(self) -> frozenset[str]:
        return frozenset(s.name for s in self._members_and_classes if s.kind in CLASSES and self.is_object(s.id))

    # ---- accessors

    @cached_property
    def _members_and_classes(self) -> list[Symbol]:
        """As declared now: the database keeps the names of what is gone."""
        watched = [
            s for s in members_of_kinds(self._facts, CLASSES)
            if s.pattern is None and s.id in self.declared and self.is_watched(s.id)
        ]  # fmt: skip
        members = symbols_within(self._facts, {s.id for s in watched})
        return [*watched, *(s for s in members if s.id in self.declared)]

    def functions_by_name(self) -> Mapping[str, frozenset[int]]:
        """Ids of the functions outside of classes, by name."""
        found: dict[str, set[int]] = defaultdict(set)
        for number in declared_of_kind(self._facts, "function"):
            if self.is_inside(number) and (name := self._facts.symbol(number).name).isidentifier():
                found[name].add(number)
        return {name: frozenset(numbers) for name, numbers in found.items()}

    def accessors_by_name(self) -> Mapping[str, frozenset[int]]:
        """Ids of the members of watched classes, by name."""
        return self._by_name

    @cached_property
    def _by_name(self) -> Mapping[str, frozenset[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for symbol in self._members_and_classes:
            if symbol.kind in _MEMBERS and self.kind(symbol.id) is not EntityKind.CONSTANT:
                found[symbol.name].add(symbol.id)
        return {name: frozenset(numbers) for name, numbers in found.items()}

    @cached_property
    def _roots(self) -> Mapping[int, int]:
        """Of each overrider, the method at the top that it overrides."""
        overridden: dict[int, int] = {}
        for pair in self._facts.overrides:
            method, other = map(self.pattern, pair)
            overridden[method] = min(other, overridden.get(method, other))
        roots: dict[int, int] = {}
        for start in overridden:
            number, seen = start, {start}
            while number in overridden and overridden[number] not in seen:
                number = overridden[number]
                seen.add(number)
            roots[start] = number
        return roots

    def families(self, numbers: Iterable[int]) -> dict[object, set[int]]:
        """Entities that are overloads or overrides of one another, together."""
        found: dict[object, set[int]] = defaultdict(set)
        for number in numbers:
            symbol = self._facts.symbol(self._roots.get(self.pattern(number), number))
            owner = self.owner(symbol)
            key = (owner, symbol.name) if owner is not None else symbol.qualified
            found[key].add(number)
        return found

    def overriders(self, numbers: Collection[int]) -> frozenset[int]:
        """What overrides some methods, at any depth."""
        return frozenset(method for method, root in self._roots.items() if root in numbers)

    def accessor(self, number: int) -> str:
        """The shortest name by which a catalogue may mean an entity."""
        known = self._names.get(number)
        if known is None:
            symbol = self._facts.symbol(number)
            owner = self.owner(symbol)
            known = symbol.qualified
            if owner is not None:
                rivals = self._by_name.get(symbol.name, frozenset())
                is_declared = number in rivals or (symbol.kind in _MEMBERS and not self.is_inside(number))
                is_unique = is_declared and len(self.families(rivals | {number})) == 1
                known = symbol.name if is_unique else self._short(symbol)
            self._names[number] = known
        return known

    def _short(self, symbol: Symbol) -> str:
        """The shortest suffix of a member's qualified name, from its class on, that means it alone."""
        parts = symbol.qualified.split("::")
        rivals = {self._facts.symbol(n).qualified for n in self._by_name.get(symbol.name, ())} - {symbol.qualified}
        for length in range(2, len(parts)):
            suffix = "::".join(parts[-length:])
            if not any(rival.endswith("::" + suffix) for rival in rivals):
                return suffix
        return symbol.qualified


_POINTER: Final = re.compile(r"[*&]\Z|\A(?:const )?[\w:]*_ptr<[^<>]*>\Z")
_SIMPLE: Final = {
    **dict.fromkeys(sorted(_TYPES), EntityKind.TYPE),
    "namespace": EntityKind.NAMESPACE,
    "namespace-alias": EntityKind.NAMESPACE,
    "enumerator": EntityKind.ENUMERATOR,
    "destructor": EntityKind.DESTRUCTOR,
}


def _is_constant(type_text: str) -> bool:
    """Whether a canonical type's top level is const."""
    text = type_text.split("[", 1)[0].rstrip()
    if text.endswith("const"):
        return True
    return text.startswith("const ") and not text.endswith(("*", "&"))


def _words(text: str) -> list[str]:
    cleaned = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text)
    return cleaned.split()
