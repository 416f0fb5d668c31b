"""What backends read of the state: the fields behind the accessors that the gates of reads list."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.effects_model import Root
from mgaudit.analysis.sites import SiteKind, surface
from mgaudit.facts.bodies import bodies_of
from mgaudit.facts.rows import symbols_within
from mgaudit.gates.reads.parameters import ReadsParameters
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import TypeKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mgaudit.analysis.effects_model import Place
    from mgaudit.analysis.mutators import State
    from mgaudit.analysis.sites import Site
    from mgaudit.analysis.sites_entities import Scope
    from mgaudit.facts.bodies import Node
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.reads.parameters import Fill

Chain = tuple[int, ...]
"""The fields of one access, outermost first."""


@dataclass(frozen=True, slots=True)
class _Index:
    """The sites that read, by their numbers: a read meets a write where one of them goes through the other's end.

    Attributes:
        named: By the entities that are named.
        ends: By the ends of the accesses.
        through: By every step of them.
    """

    named: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    ends: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    through: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))


class BackendReads:
    """Answers for all gates of the kind ``reads`` together.

    Args:
        context: The gate's context.
        scope: What is state.
    """

    def __init__(self, context: GateContext, scope: Scope) -> None:
        self._context = context
        self._scope = scope
        self.gates = [
            gate.parameters for gate in context.settings.gates if isinstance(gate.parameters, ReadsParameters)
        ]
        self._chains: dict[int, frozenset[Chain]] = {}
        self._conflicts: dict[int, list[Site]] = {}
        self._index: _Index | None = None

    @property
    def is_known(self) -> bool:
        """Whether any gate tells what is read."""
        return bool(self.gates)

    @cached_property
    def sites(self) -> Sequence[Site]:
        """The uses of the state in the zones of all gates of reads, by place."""
        zones = sorted({zone for parameters in self.gates for zone in parameters.from_zones})
        paths = self._context.paths_in(tuple(zones))
        found = surface(self._context.facts, paths, self._scope).sites
        return [site for site in found if site.kind not in {SiteKind.SIGNATURE, SiteKind.UNEVALUATED}]

    def conflicts(self, state: State, mutator: int) -> list[Site]:
        """The uses that read what a mutator writes; of a getter that is written through, what it hands out."""
        known = self._conflicts.get(mutator)
        if known is None:
            known = self._conflicts[mutator] = self._find_conflicts(state, mutator)
        return known

    def _find_conflicts(self, state: State, mutator: int) -> list[Site]:
        index = self._index
        if index is None:
            index = self._index = self._indexed(state)
        found: set[int] = set()
        for path in _written(state, mutator):
            found.update(index.through.get(path[-1], ()))
            for step in path:
                found.update(index.ends.get(step, ()))
        if not (state.is_function(mutator) and state.mutates(mutator)):
            found.update(index.named.get(mutator, ()))
        return [self.sites[number] for number in sorted(found)]

    def _indexed(self, state: State) -> _Index:
        index = _Index()
        for number, site in enumerate(self.sites):
            if site.role != "write":
                for symbol in site.symbols:
                    index.named[symbol].append(number)
                    for chain in self._read_by(state, symbol):
                        index.ends[chain[-1]].append(number)
                        for step in chain:
                            index.through[step].append(number)
        return index

    def _read_by(self, state: State, symbol: int) -> frozenset[Chain]:
        """The accesses behind an accessor: a field itself, or all that a function reads at any depth."""
        known = self._chains.get(symbol)
        if known is None:
            if not any(state.effects.has_own_body(t) for t in self._instances(state, symbol)):
                known = frozenset({(symbol,)})
            else:
                known = frozenset(self._accesses(state, symbol))
            self._chains[symbol] = known
        return known

    def _instances(self, state: State, symbol: int) -> list[int]:
        return [*state.targets(symbol), *state.effects.instantiations(symbol)]

    def _accesses(self, state: State, start: int) -> Iterator[Chain]:
        bodies = bodies_of(self._context.facts)
        seen: set[int] = set()
        waiting = self._instances(state, start)
        while waiting:
            function = waiting.pop()
            if function in seen:
                continue
            seen.add(function)
            for row in bodies.rows.get(function, ()):
                for node, call, is_read in _uses(bodies.tree(row)):
                    if is_read and (chain := _chain(node, state)):
                        is_own = call is not None and self._reads_itself(state, call)
                        yield (*chain, _WHOLE) if is_own else chain
                    if node.kind == ast.CALL_EXPRESSION and node.symbol is not None:
                        waiting += self._instances(state, node.symbol)

    def _reads_itself(self, state: State, call: Node) -> bool:
        """Whether the function that is called on an object tells what of it is read."""
        head = call.children[0].type
        is_pointer = head is not None and head.kind is TypeKind.POINTER
        return not is_pointer and call.symbol is not None and any(
            state.effects.has_own_body(target) for target in self._instances(state, call.symbol)
        )  # fmt: skip


class Filled:
    """What fill tables let every verb read.

    Args:
        context: The gate's context.
        reads: What backends read.
    """

    def __init__(self, context: GateContext, reads: BackendReads) -> None:
        self._context = context
        self._reads = reads
        self._fills = [parameters.fill for parameters in reads.gates if parameters.fill is not None]

    @property
    def is_known(self) -> bool:
        """Whether there is a fill table."""
        return bool(self._fills)

    def fault(self, state: State, mutator: int) -> str:
        """Why what a mutator writes is not pulled at every verb; empty where it is."""
        accessors = sorted({site.accessor for site in self._reads.conflicts(state, mutator)})
        if not accessors:
            return "no backend reads what it writes"
        for fill in self._fills:
            for verb, fields in self._fields_of(fill).items():
                missing = [name for name in accessors if not any(_same(name, field) for field in fields)]
                if missing:
                    return f"the fill table does not let {verb} read {missing[0]}"
        return ""

    def _fields_of(self, fill: Fill) -> Mapping[str, set[str]]:
        """What each verb may read, by the two catalogues."""
        classes: dict[str, set[str]] = {}
        for row in self._context.catalogue(fill.fields).rows:
            for name in row.union("class"):
                classes.setdefault(name, set()).add(row.get("field") or "")
        return {
            row.get("verb") or "": {field for name in row.union("class") for field in classes.get(name, ())}
            for row in self._context.catalogue(fill.verbs).rows
        }


def _same(accessor: str, field: str) -> bool:
    return accessor == field or accessor.endswith("::" + field) or field.endswith("::" + accessor)


def _written(state: State, mutator: int) -> set[Chain]:
    """The fields of the state on the paths that a mutator writes, counters aside; of a getter, that it hands out."""
    found: set[Chain] = set()
    for target in state.targets(mutator):
        summary = state.effects.of(target)
        places = (*summary.writes, *summary.taints) if summary is not None else ()
        for place in places:
            if state.is_changed(place, target):
                found.update(_fields(state, place, target))
    if not found:
        found.add((mutator,))
        for target in state.targets(mutator):
            summary = state.effects.of(target)
            for place in summary.returned | summary.led_to if summary is not None else ():
                found.update(_fields(state, place, target))
    return found


def _fields(state: State, place: Place, function: int) -> Iterator[Chain]:
    """The fields of the state on a path; of a whole object, each of its class."""
    chain = tuple(step for step in place.fields if state.entities.is_inside(step))
    if place.root is Root.GLOBAL and state.entities.is_inside(place.number):
        chain = (place.number, *chain)
    owner = state.facts.symbol(function).parent
    if chain:
        yield chain
    elif place.root is Root.THIS and owner is not None and not place.fields:
        yield from ((member.id,) for member in symbols_within(state.facts, [owner]) if member.kind == "field")


def _chain(node: Node, state: State) -> Chain:
    """The fields of the state, or the variable, that an access goes through, outermost first."""
    if node.kind == ast.NAME_EXPRESSION:
        is_variable = node.symbol is not None and state.facts.symbol(node.symbol).kind in _VARIABLES
        return (node.symbol,) if is_variable and node.symbol and state.entities.is_inside(node.symbol) else ()
    fields: list[int] = []
    inner: Node | None = node if node.kind == ast.MEMBER_EXPRESSION else None
    while inner is not None and inner.kind in {ast.MEMBER_EXPRESSION, ast.SUBSCRIPT, ast.UNARY_OPERATOR}:
        if inner.kind == ast.MEMBER_EXPRESSION and inner.symbol is not None and state.entities.is_inside(inner.symbol):
            fields.append(inner.symbol)
        inner = inner.children[0] if inner.children else None
    return tuple(reversed(fields))


def _uses(root: Node) -> Iterator[tuple[Node, Node | None, bool]]:
    """The nodes of a body, each with the call whose object it is, and whether it is read.

    What only says where something is stored, or is a part of a longer access, is not.
    """
    stack: list[tuple[Node, Node | None, bool]] = [(root, None, True)]
    while stack:
        node, call, is_read = stack.pop()
        yield node, call, is_read
        for index, child in enumerate(node.children):
            is_assigned = node.kind == ast.BINARY_OPERATOR and node.data == kinds.ASSIGN and index == 0
            is_part = node.kind == ast.MEMBER_EXPRESSION and index == 0
            is_object = node.kind == ast.CALL_EXPRESSION and node.flags & kinds.NODE_RECEIVER and index == 0
            stack.append((child, node if is_object else None, not (is_assigned or is_part)))


_WHOLE: Final = 0
"""At the end of a chain: what is read of the object stands elsewhere; only writes of all of it meet there."""
_VARIABLES: Final = frozenset({"variable", "static-variable"})
