"""Uses of entities as findings name them: the enclosing function, the role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.sources.records import DECL_DEFINITION, SYMBOL_INTERNAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.domain.findings import Finding
    from mgaudit.facts.query import Facts

_ROLES: Final = ((32, "call"), (128, "address"), (16, "write"), (8, "read"))


@dataclass(frozen=True, slots=True, order=True)
class Enclosing:
    """The function around a use; of a template's instantiation, the template."""

    signature: str
    is_internal: bool

    def identity(self, path: str) -> tuple[str, ...]:
        """What tells it apart from every other function; the path only where linkage is internal."""
        return (path, self.signature) if self.is_internal else (self.signature,)


def enclosing_function(facts: Facts, parents: Iterable[int]) -> Enclosing | None:
    """The innermost function around a use, or None at namespace or class scope.

    Args:
        facts: The facts.
        parents: What the front end names as the use's parent, in each unit and instantiation that sees it.
    """
    found = (_function_of(facts, parent) for parent in parents)
    return min((function for function in found if function is not None), default=None)


def spans_files(facts: Facts, findings: Iterable[Finding]) -> bool:
    """Whether findings in other files may be equal to some of these, as far as their identities tell.

    An identity without its file names a function, and functions of one name may be defined in several files.
    """
    symbols = {finding.symbol for finding in findings if finding.path not in finding.identity}
    return not all(symbol is not None and is_in_one_file(facts, symbol) for symbol in symbols)


def is_in_one_file(facts: Facts, name: str) -> bool:
    """Whether all functions that a name selects are defined in one and the same file."""
    rows = facts.declarations_of(symbol.id for symbol in facts.symbols_named(name))
    return len({row.path for row in rows if row.flags & DECL_DEFINITION}) == 1


def role_name(bits: int) -> str:
    """A use's strongest role, by libclang's bits: call, address, write, read, else reference."""
    return next((name for bit, name in _ROLES if bits & bit), "reference")


def _function_of(facts: Facts, number: int | None) -> Enclosing | None:
    while number is not None:
        symbol = facts.symbol(number)
        if symbol.kind in FUNCTION_KINDS:
            if symbol.pattern is not None:
                symbol = facts.symbol(symbol.pattern)
            return Enclosing(facts.signature(symbol), bool(symbol.flags & SYMBOL_INTERNAL))
        number = symbol.parent
    return None
