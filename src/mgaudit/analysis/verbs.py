"""The backend's entry points: slots of function tables, virtual methods, and listed functions."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.sites_entities import CLASSES
from mgaudit.config.log import nearest
from mgaudit.domain.problems import Problem
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.facts.rows import declarations, symbols_within
from mgaudit.graphs.stored import Overrides, Slots
from mgaudit.sources.records import SYMBOL_VIRTUAL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mgaudit.config.model import VerbsSpec
    from mgaudit.facts.entities import Symbol
    from mgaudit.facts.query import Facts


@dataclass(frozen=True, slots=True)
class Verb:
    """One entry point.

    Attributes:
        name: Bare where no other verb has it, else qualified as far as it needs be.
        qualified: Qualified name of the slot, method or function.
        slots: Ids of the slots; none where it is a method or function.
        entries: Ids of the functions that run when the verb is called.
    """

    name: str
    qualified: str
    slots: frozenset[int]
    entries: frozenset[int]


def find_verbs(
    facts: Facts, symbols: Mapping[int, Symbol], spec: VerbsSpec, place: tuple[str, int]
) -> tuple[tuple[Verb, ...], list[Problem]]:
    """The configured verbs by name, and a problem for each name in the configuration that yields none.

    Args:
        facts: The facts of the configurations that count.
        symbols: Every symbol by id.
        spec: What the configuration calls a verb.
        place: Path and line of that table.
    """
    finder = _Finder(facts, symbols, place)
    for pattern in spec.tables:
        finder.table(pattern)
    for pattern in spec.virtuals:
        finder.virtual(pattern)
    for pattern in spec.functions:
        finder.functions(pattern)
    return finder.verbs(), finder.problems


class _Finder:
    def __init__(self, facts: Facts, symbols: Mapping[int, Symbol], place: tuple[str, int]) -> None:
        self._facts = facts
        self._symbols = symbols
        self._place = place
        self._slots = Slots(facts)
        self._overrides = Overrides(facts)
        self._found: dict[str, tuple[set[int], set[int]]] = {}  # qualified name -> slots, entries
        self.problems: list[Problem] = []

    # ---- the three kinds

    def table(self, pattern: str) -> None:
        """Each member of a class that may hold a function is a verb, also those of the tables inside it."""
        classes = self._classes("table", pattern)
        slots = [field for field, type_ in self._fields(classes) if self._is_slot(field.id, type_)]
        filled = False
        for slot in slots:
            targets = self._slots.targets(slot.id)
            filled = filled or bool(targets)
            self._add(slot.qualified, {slot.id}, targets)
        if classes and not slots:
            self._complain(f"the table `{pattern}` has no slot", "name a struct of function pointers")
        elif classes and not filled:
            self._complain(
                f"no function is stored into any slot of the table `{pattern}`",
                "add the files that fill it to the tree, or remove the table",
            )

    def virtual(self, pattern: str) -> None:
        """Each virtual method of a class, inherited ones too; destructors aside."""
        classes = self._classes("class", pattern)
        methods = [
            s for s in symbols_within(self._facts, self._with_bases(classes))
            if s.flags & SYMBOL_VIRTUAL and s.kind != "destructor" and s.id in self._declared
        ]  # fmt: skip
        for method in methods:
            self._add(method.qualified, set(), {method.id, *self._overrides.of(method.id)})
        if classes and not methods:
            self._complain(f"the class `{pattern}` has no virtual method", "name the class that declares them")

    def functions(self, pattern: str) -> None:
        """The functions whose qualified name, or a ``::``-suffix of it, a glob matches."""
        wanted = _name_pattern(pattern)
        found: dict[str, set[int]] = defaultdict(set)
        for symbol in self._symbols.values():
            is_declared = symbol.id in self._declared or symbol.pattern in self._declared
            if is_declared and symbol.kind in _NAMED and wanted.fullmatch(symbol.qualified):
                found[symbol.qualified].add(symbol.id)
        for qualified, numbers in found.items():
            if not self._is_entry_of_namesake(qualified, numbers):
                self._add(qualified, set(), numbers)
        if not found:
            self._complain(f"no function is named `{pattern}`", "correct the pattern, or remove it")

    def _is_entry_of_namesake(self, qualified: str, numbers: set[int]) -> bool:
        """Whether functions are what a slot of their own name holds: one verb, not two."""
        bare = qualified.rsplit("::", 1)[-1]
        return any(
            slots and name.rsplit("::", 1)[-1] == bare and numbers <= entries
            for name, (slots, entries) in self._found.items()
        )

    def _add(self, qualified: str, slots: Iterable[int], entries: Iterable[int]) -> None:
        known = self._found.setdefault(qualified, (set(), set()))
        known[0].update(slots)
        known[1].update(entries)

    # ---- names and members

    def _classes(self, what: str, pattern: str) -> set[int]:
        found = [s for s in self._facts.symbols_named(pattern) if s.kind in CLASSES]
        names = sorted({s.qualified for s in found})
        if not names:
            classes = sorted({s.qualified for s in self._symbols.values() if s.kind in CLASSES and s.name})
            self._complain(
                f"no translation unit declares the {what} `{pattern}`", nearest(pattern, classes, "declared")
            )
        elif len(names) > 1:
            listed = ", ".join(f"::{name}" for name in names)
            self._complain(f"`{pattern}` means several classes: {listed}", "write one of them in full")
            return set()
        return {s.origin for s in found}

    def _complain(self, message: str, advice: str) -> None:
        self.problems.append(Problem(*self._place, f"[verbs]: {message}", advice))

    @cached_property
    def _declared(self) -> frozenset[int]:
        return frozenset(row[0] for row in declarations(self._facts))

    @cached_property
    def _bases(self) -> Mapping[int, set[int]]:
        found: dict[int, set[int]] = defaultdict(set)
        for derived, base in self._facts.bases():
            found[self._symbols[derived].origin].add(self._symbols[base].origin)
        return found

    def _with_bases(self, classes: Iterable[int]) -> set[int]:
        found: set[int] = set()
        waiting = list(classes)
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                waiting += self._bases.get(number, ())
        return found

    def _fields(self, classes: Collection[int]) -> Iterator[tuple[Symbol, str]]:
        """The data members of classes and of the classes of these members, with their types."""
        seen: set[int] = set()
        waiting = self._with_bases(classes)
        while waiting:
            seen |= waiting
            fields = [s for s in symbols_within(self._facts, waiting) if s.kind in _FIELDS]
            types = {row.symbol: row.type for row in self._facts.declarations_of(s.id for s in fields)}
            inner: set[int] = set()
            for field in fields:
                if field.id in types:
                    yield field, types[field.id]
                    inner |= self._class_of(types[field.id])
            unnamed = (
                s.id for s in symbols_within(self._facts, waiting) if s.kind in CLASSES and s.name[:1] in {"", "("}
            )
            waiting = self._with_bases({*inner, *unnamed}) - seen

    def _class_of(self, type_: str) -> set[int]:
        """The class of the tree that a canonical type is, or is an array of."""
        name = type_.split("[", 1)[0].removeprefix("const ").split("<", 1)[0].strip()
        if not name.replace("::", "").replace("_", "").isalnum():
            return set()
        found = [s for s in self._facts.symbols_named("::" + name) if s.kind in CLASSES and s.id in self._declared]
        return {s.origin for s in found}

    def _is_slot(self, field: int, type_: str) -> bool:
        return bool(_FUNCTION_TYPE.search(type_) or self._slots.targets(field))

    # ---- what they are called

    def verbs(self) -> tuple[Verb, ...]:
        """All that was found, by name; each bears the shortest suffix of its qualified name that no other has."""
        owners: dict[str, set[str]] = defaultdict(set)
        for qualified in self._found:
            for suffix in _suffixes(qualified):
                owners[suffix].add(qualified)
        verbs = [
            Verb(next(s for s in _suffixes(name) if len(owners[s]) == 1 or s == name), name, *map(frozenset, parts))
            for name, parts in self._found.items()
        ]
        return tuple(sorted(verbs, key=lambda verb: verb.name))


def _suffixes(qualified: str) -> list[str]:
    parts = qualified.split("::")
    return ["::".join(parts[-length:]) for length in range(1, len(parts) + 1)]


def _name_pattern(glob: str) -> re.Pattern[str]:
    body = "[^:]*".join(map(re.escape, glob.removeprefix("::").split("*")))
    return re.compile(body if glob.startswith("::") else f"(?:.*::)?{body}")


_FIELDS: Final = frozenset({"field", "static-variable"})
_NAMED: Final = frozenset(FUNCTION_KINDS) - {"constructor", "destructor"}
# `void (*)(int)`, `std::function<void (int)>`; not `int (*)[4]`.
_FUNCTION_TYPE: Final = re.compile(r"\)\s*\(|[\w>*&] \((?![*&])")
