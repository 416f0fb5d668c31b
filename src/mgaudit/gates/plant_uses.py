"""What can be planted: entities of the tree, and how code that stands alone uses them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mgaudit.domain.problems import Problem
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.gates.names import entity_of
from mgaudit.gates.plants import Plant
from mgaudit.sources.records import DECL_DEFINITION, SYMBOL_INTERNAL, TEMPLATE_MARKS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mgaudit.analysis.sites_entities import Entities
    from mgaudit.facts.entities import Symbol
    from mgaudit.gates.plants import Ground

_OTHER: Final = re.compile(r"\W")
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
_UNSPELLABLE: Final = re.compile(r"\(\w*[*&]|\[|\.\.\.|anonymous|unnamed|lambda|&&")

Headers = tuple[tuple[str, ...], ...]
"""Groups of headers: code must see one of each group."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why something is planted: the kind of control, and in one line why the gate must turn red, or must not."""

    control: str
    why: str


@dataclass(frozen=True, slots=True)
class Code:
    """Lines at the end of a file.

    Attributes:
        lines: The lines, inside of a namespace of their own.
        at: The index of the one that counts.
        headers: What they must see; where they do not, the first header of a group is included.
        prelude: Lines before the namespace.
    """

    lines: tuple[str, ...]
    at: int = 0
    headers: Headers = ()
    prelude: tuple[str, ...] = ()


def planted(ground: Ground, path: str, cause: Cause, code: Code) -> Plant:
    """Code at the end of a file; it is to stay green until it is said what a finding must be about."""
    unseen = [group[0] for group in code.headers if not ground.sees(path, group)]
    head = [ground.inclusion(path, header) for header in unseen]
    head += [*code.prelude, f"namespace mgaudit_planted_{_OTHER.sub('_', path)} {{"]
    text, first = ground.appended(path, [*head, *code.lines, "}"])
    return Plant(cause.control, cause.why, {path: text}, path, first + len(head) + code.at)


@dataclass(frozen=True, slots=True)
class Use:
    """A use of an entity, as C++ that stands alone.

    Attributes:
        entity: The entity's qualified name.
        headers: What declares the names in it.
        receiver: The type of the object that a member is used on, or empty.
        parameters: The types of the arguments.
        expression: The use, with ``{object}`` for the receiver and ``{arguments}`` for the arguments.
        is_call: Whether the entity is called, so that its address can be taken, too.
        company: What the function does behind the use; it takes the last of the arguments.
        taken: How many of the arguments the use itself takes; -1 for all.
    """

    entity: str
    headers: Headers
    receiver: str
    parameters: tuple[str, ...]
    expression: str
    is_call: bool = False
    company: str = ""
    taken: int = -1

    def beside(self, other: Use) -> Use:
        """The use, and one of another entity behind it in the same function; that one has no receiver."""
        own = len(self.parameters)
        text = other.expression.replace("{arguments}", _numbered(own, own + len(other.parameters)))
        parameters = (*self.parameters, *other.parameters)
        return replace(self, headers=(*self.headers, *other.headers), company=text, parameters=parameters, taken=own)

    @property
    def name(self) -> str:
        """The last component of the entity's name."""
        return self.entity.rsplit("::", 1)[-1]

    @property
    def signature(self) -> str:
        """The parameters of a function that uses the entity."""
        receiver = [f"{self.receiver}& object"] if self.receiver else []
        return ", ".join([*receiver, *(f"{type_} a{index}" for index, type_ in enumerate(self.parameters))])

    @property
    def passed(self) -> str:
        """What a function with that signature passes on."""
        receiver = ["object"] if self.receiver else []
        return ", ".join([*receiver, *(f"a{index}" for index in range(len(self.parameters)))])

    def on(self, receiver: str) -> str:
        """The use of an object."""
        count = len(self.parameters) if self.taken < 0 else self.taken
        return self.expression.replace("{object}", receiver).replace("{arguments}", _numbered(0, count))


def _numbered(first: int, end: int) -> str:
    return ", ".join(f"a{index}" for index in range(first, end))


def use_of(ground: Ground, symbol: Symbol, *, calls_fields: bool = False) -> Use | None:
    """How to use an entity; None where no short code can: its types are local, or its parameters no plain types.

    Args:
        ground: Where to plant.
        symbol: The entity.
        calls_fields: Whether a field that holds a pointer to a function is called.
    """
    headers = tuple(ground.declaring(symbol.id))
    receiver = _receiver(ground, symbol)
    if symbol.flags & SYMBOL_INTERNAL or not _NAME.fullmatch(symbol.qualified) or not headers or receiver is None:
        return None
    named = f"{{object}}.{symbol.name}" if receiver else f"::{symbol.qualified}"
    if symbol.kind in FUNCTION_KINDS:
        taken = _types(ground.facts.signature(symbol).removeprefix(symbol.qualified))
    else:
        declared = (row.type for row in ground.facts.declarations_of([symbol.id]))
        held = next((text for text in declared if "(*)" in text), "")
        if not (calls_fields and held):
            return Use(symbol.qualified, (headers,), receiver, (), f"(void)({named})")
        taken = _types(held.partition("(*)")[2])
    if taken is None:
        return None
    return Use(symbol.qualified, (headers,), receiver, taken, f"{named}({{arguments}})", is_call=True)


def _receiver(ground: Ground, symbol: Symbol) -> str | None:
    """The class of a member's object, or nothing for what needs none; None where it cannot be named."""
    if symbol.kind not in {"method", "field"}:
        return ""
    owner = ground.facts.symbol(symbol.parent) if symbol.parent is not None else None
    if owner is None or owner.kind not in {"class", "struct"} or not _NAME.fullmatch(owner.qualified):
        return None
    if any(mark in owner.usr for mark in TEMPLATE_MARKS):
        return None
    return "::" + owner.qualified


def _types(text: str) -> tuple[str, ...] | None:
    """The types of a parameter list; None where they cannot be spelled at any place."""
    if not text.startswith("(") or _UNSPELLABLE.search(text):
        return None
    inner = text[1 : text.rindex(")")]
    depth, parts = 0, [""]
    for char in inner if inner != "void" else "":
        depth += (char in "<(") - (char in ">)")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return tuple(part.strip() for part in parts if part.strip())


def accessors(ground: Ground, entities: Entities, *, is_const: bool) -> list[tuple[int, Use]]:
    """The member functions of watched classes that short code can call: those that are surely accessible first.

    Args:
        ground: Where to plant.
        entities: What the observed zones hold.
        is_const: Whether they leave their object as it is, or may change it.
    """
    facts = ground.facts
    found = []
    for numbers in entities.accessors_by_name().values():
        for symbol in map(facts.symbol, sorted(numbers)):
            rows = facts.declarations_of([symbol.id])
            if symbol.kind == "method" and rows and rows[0].type.endswith(" const") == is_const:
                use = use_of(ground, symbol)
                if use is not None:
                    found.append((symbol.id, use))
    used = ground.used_outside([number for number, _ in found])
    return sorted(found, key=lambda item: (item[0] not in used, len(item[1].parameters), item[1].entity))


def functions(ground: Ground, paths: Collection[str]) -> list[tuple[int, Use]]:
    """The free functions that headers among some files declare, those with few parameters first."""
    facts = ground.facts
    found = []
    for symbol in map(facts.symbol, sorted({row.symbol for row in facts.declarations_in(paths)})):
        use = use_of(ground, symbol) if symbol.kind == "function" and symbol.pattern is None else None
        if use is not None:
            found.append((symbol.id, use))
    return sorted(found, key=lambda item: (len(item[1].parameters), item[1].entity))


@dataclass(frozen=True, slots=True)
class ClassUse:
    """A class that short code can name: its qualified and its own name, and the header that defines it."""

    name: str
    short: str
    header: str


def classes(ground: Ground, paths: Iterable[str], kinds: Collection[str]) -> list[ClassUse]:
    """The classes that headers among some files define, by name; no templates, and no members of others."""
    facts = ground.facts
    headers = frozenset(ground.includable(paths))
    found = set()
    for row in facts.declarations_in(headers):
        symbol = facts.symbol(row.symbol)
        is_plain = symbol.pattern is None and not any(mark in symbol.usr for mark in TEMPLATE_MARKS)
        is_free = symbol.parent is None or facts.symbol(symbol.parent).kind == "namespace"
        if row.flags & DECL_DEFINITION and symbol.kind in kinds and is_plain and is_free:
            found.add((symbol.qualified, symbol.name, row.path))
    return [ClassUse(*item) for item in sorted(found) if _NAME.fullmatch(item[0])]


def entities_named(ground: Ground, key: str, patterns: Iterable[str], *, c_first: bool = False) -> Sequence[Use]:
    """How to use each of the entities that a gate's parameter names, as far as short code can.

    Args:
        ground: Where to plant.
        key: The parameter.
        patterns: The names.
        c_first: As in `mgaudit.gates.names.entity_of`.
    """
    found = []
    for index, pattern in enumerate(patterns):
        entity = entity_of(ground.context, f"{key}[{index}]", pattern, expect_declared=False, c_first=c_first)
        if not isinstance(entity, Problem):
            uses = (use_of(ground, ground.facts.symbol(number)) for number in sorted(entity.symbols))
            found += [use for use in uses if use is not None]
    return found
