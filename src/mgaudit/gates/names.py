"""From a name in the configuration to the entity that it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.domain.names import strip_signature
from mgaudit.domain.problems import Problem
from mgaudit.facts.query import FUNCTION_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mgaudit.facts.entities import Symbol
    from mgaudit.facts.query import Facts
    from mgaudit.gates.context import GateContext

_ABSENCE: Final = "correct the name, or set `expect-declared = false` once it is gone for good"


@dataclass(frozen=True, slots=True)
class Entity:
    """What must not be named.

    Attributes:
        qualified: Its qualified name; of an undeclared one, the name as configured.
        name: The last component: what its tokens read.
        symbols: Ids of its declarations' symbols; of a function, all overloads and overrides. Empty where no unit
            declares it.
        is_free: Whether it is known to be no member: then it never stands behind a dot or an arrow.
    """

    qualified: str
    name: str
    symbols: frozenset[int]
    is_free: bool = False


def entity_of(  # noqa: PLR0913
    context: GateContext,
    key: str,
    pattern: str,
    *,
    expect_declared: bool,
    absence: str = _ABSENCE,
    c_first: bool = False,
) -> Entity | Problem:
    """The entity that a name in a gate's parameters selects, or why it selects none.

    Several symbols are one entity where they are overloads or overrides of one another, or have one qualified name.

    Args:
        context: The gate's context.
        key: Where the name stands: ``entities[0]``.
        pattern: The name.
        expect_declared: Whether a name that no unit declares is a problem.
        absence: What to do about that problem.
        c_first: Whether a bare name that a function of C linkage has means that one alone, whatever else ends so.
    """
    facts = context.facts
    place = context.spec.place(key)
    found = _without_constructors(facts.symbols_named(pattern) or _imported(facts, pattern))
    found = [s for s in found if c_first and s.qualified == pattern and _is_c_function(s)] or found
    bare = strip_signature(pattern).removeprefix("::")
    if not found:
        if expect_declared:
            return Problem(
                *place,
                f'gate "{context.spec.id}": no translation unit declares `{pattern}`',
                absence,
            )
        return Entity(bare, bare.rsplit("::", 1)[-1], frozenset())
    families = _families(facts, found)
    if len(families) > 1:
        names = ", ".join(f"::{name}" for name in families)
        return Problem(
            *place,
            f'gate "{context.spec.id}": `{pattern}` means several entities: {names}',
            "write one of them in full",
        )
    qualified = next(iter(families))
    symbols = frozenset(symbol.id for symbol in found)
    is_free = not any(_is_member(facts, symbol) for symbol in found)
    return Entity(qualified, found[0].name, symbols | _overriding(facts, symbols), is_free)


def _imported(facts: Facts, pattern: str) -> list[Symbol]:
    """The function of the C library that a name in ``std`` means: ``<cstdio>`` only imports it into there."""
    path, _, name = pattern.removeprefix("::").partition("::")
    if path != "std" or "::" in name:
        return []
    return [s for s in facts.symbols_named("::" + name) if _is_c_function(s)]


def _is_c_function(symbol: Symbol) -> bool:
    """Whether a function has C linkage: its USR names no parameters."""
    return symbol.usr == f"c:@F@{symbol.name}"


def _is_member(facts: Facts, symbol: Symbol) -> bool:
    return symbol.parent is not None and facts.symbol(symbol.parent).kind != "namespace"


def _without_constructors(found: Sequence[Symbol]) -> list[Symbol]:
    """The selected symbols; a class is not told apart from its own constructors, which share its name."""
    selected = {symbol.id for symbol in found}
    return [s for s in found if s.kind != "constructor" or s.parent not in selected] if len(found) > 1 else list(found)


def _families(facts: Facts, found: Iterable[Symbol]) -> list[str]:
    """The qualified names of the selected symbols; of methods that override one another, the first."""
    by_name: dict[str, set[int]] = {}
    for symbol in found:
        by_name.setdefault(symbol.qualified, set()).add(symbol.id)
    if len(by_name) == 1 or any(symbol.kind not in FUNCTION_KINDS for symbol in found):
        return sorted(by_name)
    families: list[tuple[str, set[int]]] = []
    for name, symbols in sorted(by_name.items()):
        related = symbols | _related(facts, symbols)
        known = next((family for family in families if family[1] & related), None)
        if known is None:
            families.append((name, related))
        else:
            known[1].update(related)
    return [name for name, _ in families]


def _related(facts: Facts, symbols: set[int]) -> set[int]:
    """The methods that override some of these or are overridden by them."""
    return {m for s in symbols for m in (*facts.overriding.get(s, ()), *facts.overridden.get(s, ()))}


def _overriding(facts: Facts, symbols: frozenset[int]) -> frozenset[int]:
    """The methods that override some of these: a call through them names the same thing."""
    return frozenset(method for symbol in symbols for method in facts.overriding.get(symbol, ()))
