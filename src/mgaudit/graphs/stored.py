"""What fields and variables hold, and what methods stand for: the indirections of the call graph."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from mgaudit.facts.query import FUNCTION_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.facts.query import Facts


class Slots:
    """The functions that fields and variables may hold: field-based, so a slot of one object is that of all.

    Args:
        facts: The facts.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def stored(self) -> Mapping[int, set[int]]:
        """What is stored into each field or variable: functions, and other fields and variables."""
        found: dict[int, set[int]] = defaultdict(set)
        for holder, value, *_ in self._facts.slots():
            found[holder].add(value)
        return found

    def targets(self, holder: int) -> list[int]:
        """The functions that may be in a field or variable, copies from others included."""
        functions: set[int] = set()
        seen = {holder}
        waiting = [holder]
        while waiting:
            for value in self.stored.get(waiting.pop(), ()):
                if self._facts.symbol(value).kind in FUNCTION_KINDS:
                    functions.add(value)
                elif value not in seen:
                    seen.add(value)
                    waiting.append(value)
        return sorted(functions)


class Overrides:
    """Which methods override which; a template's method and those of its instantiations count as one.

    Args:
        facts: The facts.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known: dict[int, list[int]] = {}

    @cached_property
    def _direct(self) -> Mapping[int, set[int]]:
        found: dict[int, set[int]] = defaultdict(set)
        for method, overridden in self._facts.overrides:
            found[self._facts.symbol(overridden).origin].add(method)
        return found

    def of(self, method: int) -> list[int]:
        """Everything that overrides a method, at any depth."""
        known = self._known.get(method)
        if known is None:
            known = self._known[method] = self._find(method)
        return known

    def _find(self, method: int) -> list[int]:
        found: set[int] = set()
        waiting = [method]
        while waiting:
            for overrider in self._direct.get(self._facts.symbol(waiting.pop()).origin, ()):
                if overrider not in found:
                    found.add(overrider)
                    waiting.append(overrider)
        return sorted(found)
