"""Who changes state: the functions of some zones that write it, and where other code does so.

A *mutator* is what other code names when it changes state: a function of the zones that writes, a field that is written
directly, or the getter whose result is written through.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_model import CONTENT, WIDEST_CERTAIN, Root
from mgaudit.analysis.sites_entities import FUNCTIONS, EntityKind
from mgaudit.facts.bodies import bodies_of
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mgaudit.analysis.effects import Effects
    from mgaudit.analysis.effects_model import Deeds, Event, Evidence, Place
    from mgaudit.analysis.sites_entities import Entities
    from mgaudit.facts.bodies import Node
    from mgaudit.facts.query import Facts


@dataclass(frozen=True, slots=True)
class Reach:
    """What leads to the backend: variables (function tables, active objects), and types whose every variable does."""

    variables: frozenset[int] = frozenset()
    types: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Mutation:
    """One place where code outside of the zones changes their state.

    Attributes:
        node: The call or the write.
        mutator: Id of what is named.
        evidence: The deed.
        is_certain: False where only something unknown may write.
    """

    node: Node
    mutator: int
    evidence: Evidence
    is_certain: bool


class Naming:
    """Which nodes name state: these name the places that they denote. Get it by `of`, which remembers it.

    Args:
        facts: The facts.
        entities: The entities of the state's zones.
    """

    def __init__(self, facts: Facts, entities: Entities) -> None:
        self._facts = facts
        self._entities = entities
        self._members: dict[int, bool] = {}

    @classmethod
    def of(cls, facts: Facts, entities: Entities) -> Naming:
        """The answers for some entities, one object for all who ask."""
        known: Naming = facts.derived.setdefault((cls, entities), cls(facts, entities))
        return known

    def __call__(self, node: Node) -> bool:
        """Whether a node names a function, field or variable of the state."""
        number = node.symbol
        if number is None:
            return False
        known = self._members.get(number)
        if known is None:
            known = self._members[number] = self.is_function(number) or self.is_field(number)
        return known or (
            node.kind == ast.NAME_EXPRESSION and self._facts.symbol(number).kind not in FUNCTIONS
            and self._entities.is_inside(number)
        )  # fmt: skip

    def is_function(self, number: int) -> bool:
        """Whether an entity is a function of the zones, constructors and destructors aside."""
        return self._facts.symbol(number).kind in _MUTATING and self._entities.is_inside(number)

    def is_field(self, number: int) -> bool:
        """Whether an entity is a field, or anything like one, of a class of the zones."""
        return self._entities.is_inside(number) and self._entities.kind(number) is EntityKind.ACCESSOR


class State:
    """The state of some zones.

    Args:
        facts: The facts.
        effects: The effects over them.
        entities: The zones' entities.
        counters: Ids of members that only tell that something changed: writing them is no mutation.
        publishers: Ids of functions that only tell: they are no mutators.
    """

    def __init__(
        self, facts: Facts, effects: Effects, entities: Entities, counters: Collection[int] = (),
        publishers: Collection[int] = (),
    ) -> None:  # fmt: skip
        self.facts = facts
        self.effects = effects
        self.entities = entities
        self.counters = frozenset(counters)
        self.publishers = frozenset(publishers)
        self._naming = Naming.of(facts, entities)
        self._deeds: dict[int, list[Deeds]] = facts.derived.setdefault((State, effects, entities), {})
        self._mutators: dict[int, bool] = {}
        self._named: dict[Place, int | None] = {}

    # ---- places

    def named(self, place: Place) -> int | None:
        """The last field, or the variable, of a place that is state; None where none is, or it is a counter."""
        if place not in self._named:
            self._named[place] = self._find_named(place)
        return self._named[place]

    def _find_named(self, place: Place) -> int | None:
        for step in reversed(place.fields):
            if step in self.counters:
                return None
            if self._naming.is_field(step):
                return step
            if place.path[-1] == CONTENT and self.entities.points_to_object(step):
                return step
        if place.root is Root.GLOBAL and place.number not in self.counters and self.entities.is_inside(place.number):
            return place.number
        return None

    def is_changed(self, place: Place, function: int) -> bool:
        """Whether a write to a place, as a function of the zones names it, changes state."""
        if not self.counters.isdisjoint(place.path):
            return False
        if place.root is Root.THIS and self.entities.is_inside(function):
            return not self._is_of_values(function)
        return self.named(place) is not None

    def _is_of_values(self, function: int) -> bool:
        owner = self.facts.symbol(function).parent
        return owner is not None and self.entities.is_value_class(owner)

    # ---- functions

    def is_function(self, number: int) -> bool:
        """Whether an entity is a function of the zones, constructors and destructors aside."""
        return self._naming.is_function(number)

    def mutates(self, function: int) -> bool:
        """Whether a function of the zones changes state on some path; an abstract one through its overriders."""
        known = self._mutators.get(function)
        if known is None:
            known = self._mutators[function] = function not in self.publishers and any(
                self.is_changed(place, target)
                for target in self.targets(function)
                if (summary := self.effects.of(target)) is not None
                for place in summary.writes
            )
        return known

    def may_mutate(self, function: int) -> bool:
        """Whether something unknown may change state in a function of the zones."""
        return function not in self.publishers and any(
            self.is_changed(place, target)
            for target in self.targets(function)
            if (summary := self.effects.of(target)) is not None
            for place in summary.taints
        )

    def targets(self, function: int) -> Sequence[int]:
        """A function and everything that overrides it."""
        return [function, *self.effects.overriders(function)]

    def families(self, numbers: Collection[int]) -> dict[object, set[int]]:
        """Mutators that are overloads or overrides of one another, together."""
        return self.entities.families(numbers)

    # ---- deeds

    def deeds(self, function: int) -> list[Deeds]:
        """What the bodies of a function do; a node that names state names the place that it denotes."""
        known = self._deeds.get(function)
        if known is None:
            known = self._deeds[function] = self.effects.deeds(function, self._naming)
        return known

    def mutations(self, function: int) -> Iterator[Mutation]:
        """Where a function outside of the zones changes state itself; what its callees do is theirs."""
        for deeds in self.deeds(function):
            lasting = [event for event in deeds.events if not event.place.is_own]
            widths = deeds.widths() if lasting else {}
            for event in lasting:
                mutators, is_certain = self.changed(event, widths.get(event.node, 0))
                for mutator in mutators:
                    yield Mutation(event.node, mutator, event.evidence, is_certain)

    def changed(self, event: Event, width: int) -> tuple[list[int], bool]:
        """What a deed outside of the zones changes, and whether for certain.

        Args:
            event: The deed.
            width: How many lasting places its node may write.
        """
        mutators, is_named = self._mutators_of(event)
        is_certain = event.is_certain and (is_named or width <= WIDEST_CERTAIN)
        return [m for m in mutators if m not in self.publishers and m not in self.counters], is_certain

    def _mutators_of(self, event: Event) -> tuple[list[int], bool]:
        """What a deed changes, and whether something there names it."""
        node, place, evidence = event.node, event.place, event.evidence
        inner = evidence.place.path if evidence.place is not None else ()
        if place.is_own or not self.counters.isdisjoint(place.path) or not self.counters.isdisjoint(inner):
            return [], False
        called = node.symbol if node.kind == ast.CALL_EXPRESSION else None
        for function in (called, evidence.callee):  # what is called through a pointer is named elsewhere
            if function is not None and self.is_function(function):
                is_changed = evidence.place is None or evidence.place.root is Root.THIS or self.named(place) is not None
                return ([function] if is_changed else []), True
        if evidence.callee is not None and self._is_left_to(evidence):
            return [], False
        sources = [s.symbol for s in event.sources if s.symbol is not None and self._is_mutable_source(s)]
        if sources:
            return sources, True
        named = self.named(place)
        if named is None or (place.fields and self.effects.holder(place) != named):
            return [], False  # or a field of what the state only leads to
        return [named], False

    def _is_left_to(self, evidence: Evidence) -> bool:
        """Whether a callee names the state itself: then the mutation is one of its own."""
        return evidence.place is not None and self.named(evidence.place) is not None

    def _is_mutable_source(self, node: Node) -> bool:
        assert node.symbol is not None
        return node.symbol not in self.counters

    # ---- the backend

    def reaches(self, node: Node, deeds: Deeds, reach: Reach) -> bool:
        """Whether a call goes to the backend: through a table, or on an active object."""
        if node.kind != ast.CALL_EXPRESSION:
            return False
        places = deeds.callees.get(node, {})
        if any(place.root is Root.GLOBAL and place.number in reach.variables for place in places):
            return node.flags & kinds.NODE_INDIRECT != 0 or self._is_call_on(node)
        if self._invokes(node, reach):
            return True
        if not reach.types:
            return False
        steps = (step for place in places for step in place.fields)
        owners = {self.facts.symbol(step).parent for step in steps}
        if node.symbol is not None and node.flags & kinds.NODE_RECEIVER:
            owners.add(self.facts.symbol(node.symbol).parent)
        return bool(owners & reach.types)

    def _invokes(self, node: Node, reach: Reach) -> bool:
        """Whether ``std::invoke`` calls a slot of a table that is named there."""
        if node.symbol is None or self.facts.symbol(node.symbol).qualified not in _INVOKING or not node.children:
            return False
        called = node.children[0]
        if called.kind not in {ast.MEMBER_EXPRESSION, ast.SUBSCRIPT}:
            return False
        if any(part.kind == ast.CALL_EXPRESSION for part in called.walk()):
            return False
        named = {part.symbol for part in called.walk() if part.symbol is not None}
        return bool(named & reach.variables) or bool({self.facts.symbol(s).parent for s in named} & reach.types)

    def _is_call_on(self, node: Node) -> bool:
        """Whether a member function is called on the active object, and not on the pointer that holds it."""
        return node.symbol is not None and not self.effects.is_library(self.facts.symbol(node.symbol))

    @cached_property
    def outside(self) -> list[int]:
        """What has a body outside of the zones, by name: functions, and variables whose initialisers hold lambdas."""
        found = [s for s in bodies_of(self.facts).rows if not self.entities.is_inside(s)]
        return sorted(found, key=lambda s: (self.facts.symbol(s).qualified, self.facts.symbol(s).usr, s))


_MUTATING: Final = FUNCTIONS - {"constructor", "destructor"}
_INVOKING: Final = frozenset({"std::invoke", "std::invoke_r"})
