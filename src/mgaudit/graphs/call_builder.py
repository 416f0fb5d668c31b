"""From facts to the call graph."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from mgaudit.facts import rows
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.graphs.calls import CallEdge, CallGraph, EdgeKind, Reason, UnresolvedCall
from mgaudit.graphs.stored import Overrides, Slots
from mgaudit.sources.clang_abi import ROLE_CALL, ROLE_DYNAMIC, ROLE_WRITE
from mgaudit.sources.records import SYMBOL_PURE, CallKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.facts.entities import Symbol
    from mgaudit.facts.query import Facts


class _Use(NamedTuple):
    """One reference that may be a call."""

    source: int
    symbol: int
    role: int
    path: str
    line: int
    column: int
    offset: int
    mask: int


def call_graph(facts: Facts) -> CallGraph:
    """The call graph of the selected configurations, one for all who ask these facts."""
    if call_graph not in facts.derived:
        builder = _Builder(facts)
        builder.build()
        facts.derived[call_graph] = CallGraph(builder.edges(), builder.unresolved, builder.symbols)
    graph: CallGraph = facts.derived[call_graph]
    return graph


class _Builder:
    """Gathers edges; equal edges of several configurations become one."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.unresolved: list[UnresolvedCall] = []
        self._exact: set[int] = set()  # instantiations whose every caller is known by name
        self._masks: dict[tuple[int, int, EdgeKind, str, int, int, int | None], int] = defaultdict(int)

    @cached_property
    def symbols(self) -> dict[int, Symbol]:
        return self.facts.symbols.all()

    @cached_property
    def _slots(self) -> Slots:
        return Slots(self.facts)

    @cached_property
    def _overrides(self) -> Overrides:
        return Overrides(self.facts)

    def edges(self) -> list[CallEdge]:
        return [CallEdge(*key, mask) for key, mask in self._masks.items()]

    def build(self) -> None:
        for use in (_Use._make(row) for row in rows.callable_uses(self.facts, self._slots.stored)):
            if self.symbols[use.source].kind not in _CALLERS or self._is_unevaluated(use):
                continue
            if self.symbols[use.symbol].kind in FUNCTION_KINDS:
                self._use_function(use)
            else:
                self._use_holder(use)
        for row in rows.implied_calls(self.facts):
            self._add_implied(row)
        self._drop_patterns()
        self._link_instantiations()
        self._link_initialisers()

    # ---- what a reference says

    def _is_unevaluated(self, use: _Use) -> bool:
        scan = self.facts.scans.get(use.path)
        # A using-declaration of constructors makes them callable, so what it names stays an edge: the safe side.
        return scan is not None and scan.unevaluated_at(use.offset) not in {None, "using"}

    def _use_function(self, use: _Use) -> None:
        kind = self.symbols[use.symbol].kind
        if not use.role & ROLE_CALL:
            self._add(use, use.symbol, EdgeKind.ADDRESS)
        elif use.role & ROLE_DYNAMIC:
            self._use_virtual(use)
        else:
            self._add(use, use.symbol, _KINDS.get(kind, EdgeKind.DIRECT))

    def _use_virtual(self, use: _Use) -> None:
        self._add(use, use.symbol, EdgeKind.VIRTUAL)
        targets = self._overrides.of(use.symbol)
        for target in targets:
            self._add(use, target, EdgeKind.VIRTUAL, use.symbol)
        if not targets and self.symbols[use.symbol].flags & SYMBOL_PURE:
            self._give_up(use, Reason.NO_OVERRIDE)

    def _use_holder(self, use: _Use) -> None:
        """A use of a field or variable that holds functions: to call it, or to hand its content on."""
        if use.role & ROLE_CALL:
            targets = self._slots.targets(use.symbol)
            for target in targets:
                self._add(use, target, EdgeKind.SLOT, use.symbol)
            if not targets:
                self._give_up(use, Reason.EMPTY_SLOT)
        elif not use.role & ROLE_WRITE:
            for target in self._slots.targets(use.symbol):
                self._add(use, target, EdgeKind.ADDRESS, use.symbol)

    # ---- what walks over bodies add

    def _add_implied(self, row: rows.ImpliedCall) -> None:
        callee, kind = row.callee, row.kind
        offset = self._offset(row.path, row.line, row.column)
        use = _Use(row.caller, callee or 0, ROLE_CALL, row.path, row.line, row.column, offset, row.mask)
        if self.symbols[row.caller].kind not in _CALLERS or self._is_unevaluated(use):
            return
        if callee is None:
            reason = Reason[CallKind(kind).name]
            self.unresolved.append(UnresolvedCall(row.path, row.line, row.column, row.caller, reason, None, row.mask))
        elif kind == CallKind.VIRTUAL:
            self._use_virtual(use)
        elif kind == CallKind.THROUGH:
            self._use_holder(use)
        else:
            own = _KINDS.get(self.symbols[callee].kind, EdgeKind.DIRECT)
            self._add(use, callee, _IMPLIED.get(CallKind(kind), own))
        if callee is not None and self.symbols[callee].pattern is not None:
            self._exact.add(callee)

    def _offset(self, path: str, line: int, column: int) -> int:
        scan = self.facts.scans.get(path)
        return 0 if scan is None else scan.offset_of(line, column)

    def _drop_patterns(self) -> None:
        """What stays unresolved in a template but not in its instantiations is resolved."""
        instantiated = {self.symbols[s].pattern for s in {key[0] for key in self._masks} | self._exact}
        self.unresolved = [u for u in self.unresolved if u.reason not in _OF_PATTERNS or u.source not in instantiated]

    def _add(self, use: _Use, target: int, kind: EdgeKind, through: int | None = None) -> None:
        self._masks[use.source, target, kind, use.path, use.line, use.column, through] |= use.mask

    def _give_up(self, use: _Use, reason: Reason) -> None:
        self.unresolved.append(UnresolvedCall(use.path, use.line, use.column, use.source, reason, use.symbol, use.mask))

    # ---- what no reference says

    def _link_instantiations(self) -> None:
        """A call names the template, the resolved body belongs to the instantiation: join them at the template."""
        places = self._declared_at
        for source in {key[0] for key in self._masks}:
            pattern = self.symbols[source].pattern
            if pattern is not None and source not in self._exact and self.symbols[source].kind in FUNCTION_KINDS:
                path, line, column, mask = places.get(pattern, ("", 0, 0, self._all))
                self._masks[pattern, source, EdgeKind.INSTANTIATES, path, line, column, None] |= mask

    def _link_initialisers(self) -> None:
        """A constructor runs the default member initialisers of its class, which are the fields' own calls."""
        fields: dict[int, set[int]] = defaultdict(set)
        for source in {key[0] for key in self._masks}:
            symbol = self.symbols[source]
            if symbol.kind == "field" and symbol.parent is not None:
                fields[symbol.parent].add(source)
        places = self._declared_at
        for symbol in list(self.symbols.values()):
            if symbol.kind == "constructor" and symbol.parent in fields:
                for field in fields[symbol.parent]:
                    path, line, column, mask = places.get(field, ("", 0, 0, self._all))
                    self._masks[symbol.id, field, EdgeKind.INITIALISER, path, line, column, None] |= mask

    @property
    def _all(self) -> int:
        return (1 << len(self.facts.configurations)) - 1

    @cached_property
    def _declared_at(self) -> Mapping[int, tuple[str, int, int, int]]:
        """The first declaration of each declared symbol: path, line, column, mask of all of them."""
        found: dict[int, tuple[str, int, int, int]] = {}
        for symbol, path, line, column, _, mask in rows.declarations(self.facts):
            known = found.get(symbol)
            found[symbol] = (path, line, column, mask) if known is None else (*known[:3], known[3] | mask)
        return found


# What is named in a class or namespace itself, by a `using` or a `static_assert`, is not called.
_CALLERS: Final = {*FUNCTION_KINDS, "variable", "static-variable", "field"}
_IMPLIED: Final = {CallKind.ADDRESS: EdgeKind.ADDRESS, CallKind.LIBRARY: EdgeKind.LIBRARY}
_OF_PATTERNS: Final = {Reason.DEPENDENT, Reason.PARAMETER}
_KINDS: Final = {
    "constructor": EdgeKind.CONSTRUCTOR, "destructor": EdgeKind.DESTRUCTOR, "field": EdgeKind.INITIALISER,
}  # fmt: skip
