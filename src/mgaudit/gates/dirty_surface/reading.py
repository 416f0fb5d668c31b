"""What backends read of the state: the fields behind the accessors that the gates of reads list."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from mgaudit.analysis.sites import SiteKind, surface
from mgaudit.facts.bodies import bodies_of
from mgaudit.gates.reads.parameters import ReadsParameters
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mgaudit.analysis.mutators import State
    from mgaudit.analysis.sites import Site
    from mgaudit.analysis.sites_entities import Scope
    from mgaudit.facts.bodies import Node
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.reads.parameters import Fill

Chain = tuple[int, ...]
"""The fields of one access, outermost first."""


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
        """The uses that read what a mutator writes."""
        written = _written(state, mutator)
        return [
            site for site in self.sites
            if site.role != "write" and any(_meet(chain, path) for chain in self._read(state, site) for path in written)
        ]  # fmt: skip

    def _read(self, state: State, site: Site) -> frozenset[Chain]:
        return frozenset(chain for symbol in site.symbols for chain in self._read_by(state, symbol))

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
                for node, is_target in _with_targets(bodies.tree(row)):
                    if node.kind == ast.MEMBER_EXPRESSION and not is_target and (chain := _chain(node)):
                        yield chain
                    elif node.kind == ast.CALL_EXPRESSION and node.symbol is not None:
                        waiting += self._instances(state, node.symbol)


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
    """The fields on the paths that a mutator writes, counters aside."""
    found: set[Chain] = set()
    for target in state.targets(mutator):
        summary = state.effects.of(target)
        for place in (*summary.writes, *summary.taints) if summary is not None else ():
            fields = place.fields
            if fields and not any(step in state.counters for step in fields):
                found.add(fields)
    if not found:
        found.add((mutator,))
    return found


def _meet(read: Chain, written: Chain) -> bool:
    """Whether an access takes what lies on a written path, or goes through the written field."""
    return read[-1] in written or written[-1] in read


def _chain(node: Node) -> Chain:
    fields: list[int] = []
    inner: Node | None = node
    while inner is not None and inner.kind in {ast.MEMBER_EXPRESSION, ast.SUBSCRIPT, ast.UNARY_OPERATOR}:
        if inner.kind == ast.MEMBER_EXPRESSION and inner.symbol is not None:
            fields.append(inner.symbol)
        inner = inner.children[0] if inner.children else None
    return tuple(reversed(fields))


def _with_targets(root: Node) -> Iterator[tuple[Node, bool]]:
    """The nodes of a body, and whether each only says where something is stored, or is a part of a longer access."""
    stack = [(root, False)]
    while stack:
        node, is_target = stack.pop()
        yield node, is_target
        for index, child in enumerate(node.children):
            is_assigned = node.kind == ast.BINARY_OPERATOR and node.data == kinds.ASSIGN and index == 0
            is_object = index == 0 and (
                node.kind == ast.MEMBER_EXPRESSION or (node.kind == ast.CALL_EXPRESSION and _calls_own(node))
            )
            stack.append((child, is_assigned or is_object))


def _calls_own(node: Node) -> bool:
    """Whether a call is one of a member function, which reads by itself."""
    return bool(node.flags & kinds.NODE_RECEIVER)
