"""Boundary sites: where observed code uses entities of other zones, told apart by the receiver's type.

Every reference from the observing files to an entity of the observed zones is either a site or *structural*, with the
reason why it is none; the two add up (`Surface.references`). A few sites have no reference of their own: members that
are inherited from a class outside of the zones, signatures whose type is an alias or deduced, and uses that the front
end resolves to nothing.
"""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.sites_entities import CLASSES, FUNCTIONS, Entities, EntityKind
from mgaudit.analysis.unresolved import UnresolvedAccess, idle, unresolved
from mgaudit.sources.clang_abi import ROLE_ADDRESS_OF, ROLE_CALL, ROLE_IMPLICIT, ROLE_READ, ROLE_WRITE
from mgaudit.sources.records import (
    CARRY_ARGUMENT,
    CARRY_BYTES,
    CARRY_POINTER,
    CARRY_REFERENCE,
    ROLE_FROM_MACRO,
    VIA_AGGREGATE,
    VIA_ARROW,
    VIA_HELPER,
    VIA_LAMBDA,
    VIA_LOCAL,
    VIA_MACRO,
    VIA_SIGNATURE,
    VIA_TEMPLATE,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mgaudit.analysis.sites_entities import Scope
    from mgaudit.facts.query import Carry, Facts, Reference, Use

Place = tuple[str, int]


class SiteKind(enum.StrEnum):
    """What a use takes from the other side."""

    VALUE = "value"
    HANDLE = "handle"  # an object of the zones, by reference or pointer
    BYTES = "bytes"
    SIGNATURE = "signature"  # a type that carries an object, in a declaration
    UNEVALUATED = "unevaluated"
    UNRESOLVED = "unresolved"
    CONSTRUCT = "construct"


class Structural(enum.StrEnum):
    """Why a reference is no site."""

    NAMESPACE = "namespace name"
    TYPE = "type name"
    ENUMERATOR = "enumerator"
    CONSTANT = "constant"
    PATH = "variable that is or leads to an object"
    VALUE_CLASS = "member of a value class"
    UNWATCHED = "member of a class that is not watched"
    DESTRUCTOR = "destructor"


@dataclass(frozen=True, slots=True)
class Site:
    """One use of an entity, once over units and configurations.

    Attributes:
        path: The file.
        line: 1-based.
        column: 1-based, in bytes.
        offset: In bytes.
        entity: Qualified name of what is used; of an unresolved use, the accessor's name as written where several
            classes have it.
        accessor: How a catalogue would name it: shortest where that is unique among the watched classes.
        kind: What the use takes.
        via: Ways by which it comes about, sorted.
        role: ``read``, ``write``, ``call`` or ``address``.
        symbols: Ids of what is used; several where instantiations differ.
        parents: Ids of the symbols whose bodies or declarations hold it.
        holders: The same, with a lambda's call operator in the place of the function that writes the lambda.
        arguments: The constant arguments that some instantiation or unit passes, by position.
        mask: Bit i is set where configuration i sees it; 0 in an arm that none takes.
    """

    path: str
    line: int
    column: int
    offset: int
    entity: str
    accessor: str
    kind: SiteKind
    via: tuple[str, ...]
    role: str
    symbols: frozenset[int]
    parents: frozenset[int]
    holders: frozenset[int]
    arguments: frozenset[tuple[str, ...]]
    mask: int


@dataclass(frozen=True, slots=True)
class Surface:
    """All sites of a boundary.

    Attributes:
        sites: By path, offset and entity.
        structural: How many references are no sites, by reason.
        references: How many references, once a place and entity, lead from the observing files into the zones.
        unreferenced: How many of the sites have no such reference of their own, by kind.
    """

    sites: tuple[Site, ...]
    structural: Counter[Structural]
    references: int
    unreferenced: Counter[SiteKind]


def surface(facts: Facts, paths: Collection[str], scope: Scope, wanted: Collection[str] | None = None) -> Surface:
    """The boundary between some files and the entities of a scope.

    Args:
        facts: The facts of the configurations that count.
        paths: The observing files.
        scope: What is observed, and which of it how.
        wanted: The files in which uses that the front end resolves to nothing count; None for all.
    """
    return _Builder(facts, paths, scope).surface(paths if wanted is None else frozenset(wanted).intersection(paths))


@dataclass(slots=True)
class _Found:
    """What is known of one entity at one place, over all rows."""

    line: int
    column: int
    symbols: set[int] = field(default_factory=set)
    parents: set[int] = field(default_factory=set)
    roles: int = 0
    mask: int = 0
    uses: list[Use] = field(default_factory=list)
    carries: list[Carry] = field(default_factory=list)

    @property
    def holders(self) -> frozenset[int]:
        closures = {use.closure for use in self.uses} or {None}
        parents = self.parents if None in closures else set[int]()
        return frozenset({*parents, *(closure for closure in closures if closure is not None)})


class _Builder:
    def __init__(self, facts: Facts, paths: Collection[str], scope: Scope) -> None:
        self._facts = facts
        self._paths = sorted(paths)
        self._scope = scope
        self._entities = Entities.of(facts, scope)
        self._uses: dict[tuple[str, int, int], list[Use]] = {}
        self._carries: dict[tuple[str, int, int], list[Carry]] = {}
        self._declared: dict[int, set[int]] = {}
        self._sites: dict[tuple[Place, str], Site] = {}
        self._structural: Counter[Structural] = Counter()
        self._unreferenced: Counter[SiteKind] = Counter()

    def surface(self, wanted: Collection[str]) -> Surface:
        references = self._facts.references_in(self._paths)
        for use in self._facts.uses_in(self._paths):
            self._uses.setdefault((use.path, use.offset, use.symbol), []).append(use)
        for carry in self._facts.carries_in(self._paths):
            self._carries.setdefault((carry.path, carry.offset, carry.symbol), []).append(carry)
            if carry.carried is not None and self._entities.is_object(carry.carried):
                self._declared.setdefault(carry.symbol, set()).add(self._entities.pattern(carry.carried))
        inside, inherited = self._grouped(references)
        signed = self._signatures(inside.keys())
        for (place, qualified), found in inside.items():
            self._place(place, qualified, found, signed)
        for (place, qualified), found in inherited.items():
            self._add(place, qualified, found, self._kind(place, found))
            self._unreferenced[self._sites[place, qualified].kind] += 1
        self._unresolved(wanted)
        sites = sorted(self._sites.values(), key=lambda s: (s.path, s.offset, s.entity))
        return Surface(tuple(sites), self._structural, len(inside), self._unreferenced)

    def _grouped(
        self, references: Iterable[Reference]
    ) -> tuple[dict[tuple[Place, str], _Found], dict[tuple[Place, str], _Found]]:
        """References to entities of the zones, and to members that their classes inherit from elsewhere."""
        inside: dict[tuple[Place, str], _Found] = {}
        inherited: dict[tuple[Place, str], _Found] = {}
        for row in references:
            is_inside = self._entities.is_inside(row.symbol)
            if not is_inside and not self._entities.is_member(row.symbol):
                continue
            uses = self._uses.get((row.path, row.offset, row.symbol), [])
            if not is_inside and not any(map(self._is_watched_receiver, uses)):
                continue
            if row.role & ROLE_IMPLICIT and self._is_plain_class(row.symbol):
                continue  # a braced list of plain values: nobody names the class there
            group = inside if is_inside else inherited
            key = (row.path, row.offset), self._facts.symbol(row.symbol).qualified
            found = group.setdefault(key, _Found(row.line, row.column))
            if row.symbol not in found.symbols:
                found.uses += uses
                found.carries += self._carries.get((row.path, row.offset, row.symbol), [])
            found.symbols.add(row.symbol)
            found.parents.update(() if row.parent is None else (row.parent,))
            found.roles |= row.role
            found.mask |= row.mask
        return inside, inherited

    def _is_plain_class(self, symbol: int) -> bool:
        return self._facts.symbol(symbol).kind in CLASSES and not self._entities.is_watched_object(symbol)

    def _is_watched_receiver(self, use: Use) -> bool:
        return use.receiver is not None and self._entities.is_watched(use.receiver)

    # ---- one reference

    def _place(self, place: Place, qualified: str, found: _Found, signed: Collection[tuple[Place, str]]) -> None:
        symbol = min(found.symbols)
        kind = self._entities.kind(symbol)
        if (place, qualified) in signed:
            return
        if kind is EntityKind.ACCESSOR:
            self._add(place, qualified, found, self._kind(place, found))
        elif kind is EntityKind.CONSTRUCTOR:
            self._add(place, qualified, found, SiteKind.CONSTRUCT)
        elif kind is EntityKind.TYPE and self._is_made(found):
            self._make(place, qualified, found)
        elif kind is EntityKind.VARIABLE:
            if not self._scope.every_name and self._leads_to_object(found):
                self._structural[Structural.PATH] += 1
            else:
                self._add(place, qualified, found, self._kind(place, found))
        else:
            self._structural[_STRUCTURAL[kind]] += 1

    def _make(self, place: Place, qualified: str, found: _Found) -> None:
        """A braced list makes an object, which is named as if it had called a constructor."""
        self._add(place, qualified, found, SiteKind.CONSTRUCT)
        name = self._facts.symbol(min(found.symbols)).name
        site = replace(self._sites[place, qualified], entity=f"{qualified}::{name}", accessor=f"{name}::{name}")
        self._sites[place, qualified] = site

    def _is_made(self, found: _Found) -> bool:
        """Whether a braced list makes an object of a watched class there."""
        return any(use.via & VIA_AGGREGATE for use in found.uses) and any(
            self._entities.is_watched_object(symbol) for symbol in found.symbols
        )

    def _leads_to_object(self, found: _Found) -> bool:
        if found.carries:
            return any(c.carried is not None and self._entities.is_object(c.carried) for c in found.carries)
        return any(self._entities.names_object(symbol) for symbol in found.symbols)

    def _kind(self, place: Place, found: _Found) -> SiteKind:
        path, offset = place
        scan = self._facts.scans.get(path)
        operator = scan.unevaluated_at(offset) if scan is not None else None
        if operator is not None and operator != "typeid":  # whose operand is evaluated where it is polymorphic
            return SiteKind.UNEVALUATED
        if any(self._entities.is_byte_accessor(symbol) for symbol in found.symbols):
            return SiteKind.BYTES
        objects = {
            carry.how for carry in found.carries
            if carry.carried is not None and self._entities.is_object(carry.carried)
        }  # fmt: skip
        is_field = any(self._facts.symbol(symbol).kind not in FUNCTIONS for symbol in found.symbols)
        if any(how & _BY_HANDLE or is_field for how in objects):
            return SiteKind.HANDLE
        if any(carry.how & CARRY_BYTES for carry in found.carries):
            return SiteKind.BYTES
        return SiteKind.VALUE

    def _add(self, place: Place, qualified: str, found: _Found, kind: SiteKind, *, is_type: bool = False) -> None:
        path, offset = place
        if kind is SiteKind.CONSTRUCT and self._kind(place, found) is SiteKind.UNEVALUATED:
            kind = SiteKind.UNEVALUATED
        arguments = {tuple(use.arguments.split(",")) for use in found.uses if use.arguments}
        self._sites[place, qualified] = Site(
            path, found.line, found.column, offset, qualified,
            qualified if is_type else self._entities.accessor(min(found.symbols)), kind,
            tuple(sorted(self._via(path, found))), "read" if is_type else self._role(found, kind),
            frozenset(found.symbols), frozenset(found.parents), found.holders, frozenset(arguments), found.mask,
        )  # fmt: skip

    def _role(self, found: _Found, kind: SiteKind) -> str:
        """What is done; a function that is named without being called is one whose address is taken."""
        role = _role(found.roles)
        is_function = all(self._facts.symbol(symbol).kind in FUNCTIONS for symbol in found.symbols)
        return "address" if role == "read" and is_function and kind is not SiteKind.UNEVALUATED else role

    def _via(self, path: str, found: _Found) -> set[str]:
        bits = 0
        for use in found.uses:
            bits |= use.via
        ways = {name for bit, name in _VIA if bits & bit}
        if found.roles & ROLE_FROM_MACRO:
            ways.add("macro")
        if path.endswith(_FRAGMENTS):
            ways.add("inc")
        for origin in {use.origin for use in found.uses if use.origin is not None and not use.via & VIA_SIGNATURE}:
            if not self._entities.is_inside(origin):
                ways.add("helper" if self._facts.symbol(origin).kind in FUNCTIONS else "alias")
        if any(self._entities.is_templated(parent) for parent in found.parents):
            ways.add("template")
        if any("::(lambda)" in self._facts.symbol(parent).qualified for parent in found.parents):
            ways.add("lambda")  # the instance of a generic one is no part of the function around it
        return ways

    # ---- signatures

    def _signatures(self, referenced: Collection[tuple[Place, str]]) -> set[tuple[Place, str]]:
        """Adds the signature sites; which references they are."""
        signed: set[tuple[Place, str]] = set()
        covered: dict[int, set[int]] = {}
        for (path, offset, symbol), uses in self._uses.items():
            carried = {
                self._entities.pattern(carry.carried): carry
                for carry in self._carries.get((path, offset, symbol), [])
                if carry.carried is not None and self._entities.is_watched_object(carry.carried)
            }
            for use in uses:
                if not use.via & VIA_SIGNATURE or use.origin is None:
                    continue
                for class_ in sorted(carried.keys() & self._declared.get(use.origin, set())):
                    carry = carried[class_]
                    covered.setdefault(use.origin, set()).add(class_)
                    self._sign((path, offset), carry, class_, use.origin, [use])
                    key = (path, offset), self._facts.symbol(symbol).qualified
                    if key in referenced:
                        signed.add(key)
        self._deduced(covered)
        self._unreferenced[SiteKind.SIGNATURE] = len(self._sites) - len(signed)
        return signed

    def _deduced(self, covered: dict[int, set[int]]) -> None:
        """Declarations whose type carries an object that no token in them names: ``auto``, a macro."""
        places = {(row.path, row.offset, row.symbol) for row in self._facts.declarations_in(self._paths)}
        for key in sorted(places & self._carries.keys()):
            path, offset, symbol = key
            for carry in self._carries[key]:
                if carry.carried is None or not self._entities.is_watched_object(carry.carried):
                    continue
                class_ = self._entities.pattern(carry.carried)
                if class_ not in covered.get(symbol, ()):
                    self._sign((path, offset), carry, class_, symbol, [])

    def _sign(self, place: Place, carry: Carry, class_: int, declared: int, uses: list[Use]) -> None:
        qualified = self._facts.symbol(class_).qualified
        known = self._sites.get((place, qualified))
        found = _Found(carry.line, carry.column, {class_}, {declared}, 0, carry.mask, uses)
        if known is not None:
            found.parents |= known.parents
            found.mask |= known.mask
        self._add(place, qualified, found, SiteKind.SIGNATURE, is_type=True)

    # ---- what has no referent

    def _unresolved(self, paths: Collection[str]) -> None:
        everywhere = (1 << len(self._facts.configurations)) - 1
        named = [(self._entities.accessors_by_name(), False)]
        if self._scope.every_name:
            named.append((self._entities.functions_by_name(), True))
        for names, calls in named:
            for access in unresolved(self._facts, paths, names, calls=calls):
                self._add_unresolved(access, names[access.name], everywhere)
            for access in idle(self._facts, paths, names, calls=calls):
                self._add_unresolved(access, names[access.name], 0)

    def _add_unresolved(self, access: UnresolvedAccess, owners: Collection[int], mask: int) -> None:
        offset = self._facts.scans[access.path].offset_of(access.line, access.column)
        names = {self._facts.symbol(owner).qualified for owner in owners}
        entity = min(names) if len(names) == 1 else access.name
        ways = (*(["inc"] if access.path.endswith(_FRAGMENTS) else []), *(["template"] if mask else []))
        self._sites[(access.path, offset), entity] = Site(
            access.path, access.line, access.column, offset, entity,
            self._entities.accessor(min(owners)) if len(names) == 1 else access.name, SiteKind.UNRESOLVED, ways,
            "read", frozenset(owners), frozenset(), frozenset(), frozenset(), mask,
        )  # fmt: skip
        self._unreferenced[SiteKind.UNRESOLVED] += 1


_BY_HANDLE: Final = CARRY_REFERENCE | CARRY_POINTER | CARRY_ARGUMENT
_FRAGMENTS: Final = (".inc", ".inl", ".ipp", ".tcc", ".tpp", ".txx", ".def")
_VIA: Final = (
    (VIA_MACRO, "macro"), (VIA_LOCAL, "alias"), (VIA_LAMBDA, "lambda"), (VIA_HELPER, "helper"),
    (VIA_TEMPLATE, "template"), (VIA_ARROW, "arrow"),
)  # fmt: skip
_STRUCTURAL: Final = {
    EntityKind.NAMESPACE: Structural.NAMESPACE,
    EntityKind.TYPE: Structural.TYPE,
    EntityKind.ENUMERATOR: Structural.ENUMERATOR,
    EntityKind.CONSTANT: Structural.CONSTANT,
    EntityKind.VALUE_CLASS: Structural.VALUE_CLASS,
    EntityKind.UNWATCHED: Structural.UNWATCHED,
    EntityKind.DESTRUCTOR: Structural.DESTRUCTOR,
}


def _role(bits: int) -> str:
    if bits & ROLE_CALL:
        return "call"
    if bits & ROLE_WRITE:
        return "write"
    return "address" if bits & ROLE_ADDRESS_OF and not bits & ROLE_READ else "read"


def totals(found: Surface) -> Sequence[tuple[str, str, int]]:
    """(what, why, how many) lines whose counts add up to the references, sites without one aside."""
    kinds = Counter(site.kind for site in found.sites)
    kinds.subtract(found.unreferenced)
    lines = [("site", str(kind), kinds[kind]) for kind in SiteKind if kinds[kind]]
    reasons = [reason for reason in Structural if found.structural[reason]]
    return [*lines, *(("structural", str(reason), found.structural[reason]) for reason in reasons)]
