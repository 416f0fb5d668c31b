"""What can be planted into binaries: symbols of every sort, by the names that compilers would give them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.gates.plant_rows import NAME
from mgaudit.gates.plants import Ground, Plant
from mgaudit.sources.binaries_editing import Addition, with_symbols

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.gates.plant_uses import Cause
    from mgaudit.sources.binaries_model import ObjectFile

_OWN: Final = f"{len(NAME)}{NAME}"

SORTS: Final = {
    "a function": "_ZN{scope}{own}Ev",
    "a member function": "_ZNK{scope}{own}3getEv",
    "a constructor": "_ZN{scope}{own}C1Ev",
    "a destructor": "_ZN{scope}{own}D1Ev",
    "an operator": "_ZN{scope}{own}eqERKS_",
    "a variable": "_ZN{scope}{own}E",
    "a virtual table": "_ZTVN{scope}{own}E",
    "a type's information": "_ZTIN{scope}{own}E",
    "an instance of a template": "_ZN{scope}{own}IiEEvv",
}
"""Sorts of symbols, with their mangled names in a namespace. Source: the Itanium C++ ABI, chapter 5."""


def mangled(sort: str, scope: Sequence[str]) -> str:
    """The name of a symbol of some sort.

    Args:
        sort: One of `SORTS`.
        scope: The namespaces that it lies in, from the outside.
    """
    return SORTS[sort].format(scope="".join(f"{len(part)}{part}" for part in scope), own=_OWN)


@dataclass(frozen=True, slots=True)
class Place:
    """A binary that can have more symbols.

    Attributes:
        path: The file.
        member: Of an archive, the member that gets them.
    """

    path: str
    member: str | None = None

    @classmethod
    def of(cls, item: ObjectFile) -> Place:
        """The place of an object."""
        return cls(item.path, item.member)


def grown(
    ground: Ground, cause: Cause, additions: Sequence[tuple[Place, Addition]], path: str, entity: str = ""
) -> Iterator[Plant]:
    """Binaries with more symbols; nothing where one of them cannot have any.

    Args:
        ground: Where to plant.
        cause: Why.
        additions: Each symbol, with what gets it.
        path: Where the finding lies.
        entity: What it is about; empty where all must stay green.
    """
    texts: dict[str, bytes] = {}
    for place, addition in additions:
        changed = with_symbols(texts.get(place.path) or ground.text(place.path), [addition], place.member)
        if changed is None:
            return
        texts[place.path] = changed
    yield Plant(cause.control, cause.why, texts, path, 0, entity)


def cut_short(ground: Ground, path: str) -> Plant:
    """A binary that ends too early: nobody can say what it needs."""
    text = ground.text(path)
    why = "what it needs cannot be read"
    return Plant("a file that is cut short", why, {path: text[: len(text) // 2]}, path, 0, path, is_doubt=True)
