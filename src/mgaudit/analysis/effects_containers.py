"""Library classes that own their elements: which methods lead to these, and which keep what they are given.

An element of such a class is a part of the object, as a field is: whatever else the object leads to, an element is
none of that. Of any other library class (a pointer, an iterator, a view) what it leads to is all that is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mgaudit.facts.entities import Symbol

CONTAINERS: Final = frozenset(
    {
        *("vector", "array", "deque", "list", "forward_list", "set", "multiset", "map", "multimap", "unordered_set"),
        *("unordered_map", "unordered_multiset", "unordered_multimap", "optional", "expected", "stack", "queue"),
        *("priority_queue", "flat_hash_map", "flat_hash_set", "node_hash_map", "node_hash_set", "btree_map"),
        *("btree_set", "raw_hash_map", "raw_hash_set", "InlinedVector"),
    }
)
OWNERS: Final = CONTAINERS | {"pair", "tuple", "variant", "atomic", "complex"}


def owner_of(method: Symbol, receiver: str | None) -> str | None:
    """The name of the class that a member function belongs to, where that owns its elements; else None.

    Args:
        method: The member function.
        receiver: The name of the class of the object that it is called on, where that is known.
    """
    names = (*method.qualified.rsplit("::", 2)[-2:-1], receiver)
    return next((name for name in names if name in CONTAINERS or name in _STRINGS), None)


def is_mapped(owner: str, method: Symbol) -> bool:
    """Whether a member function finds the value of a key."""
    return owner in _MAPS and method.name in {"operator[]", "at"}


def leads_inside(method: Symbol) -> bool:
    """Whether the pointer or iterator that a member function of an owner returns leads to elements, and only there."""
    return method.name in _POSITIONS


def keeps(method: Symbol) -> bool:
    """Whether an owner may lead to the arguments of one of its member functions afterwards."""
    return method.name not in _LOOKUPS


def fills(method: Symbol) -> bool:
    """Whether a member function of an owner leaves in its arguments what the object leads to."""
    return method.name in _FILLING


_STRINGS: Final = frozenset({"basic_string", "bitset"})
_MAPS: Final = frozenset({"map", "unordered_map", "flat_hash_map", "node_hash_map", "btree_map", "raw_hash_map"})
_BOUNDS: Final = ("begin", "end", "cbegin", "cend", "rbegin", "rend", "crbegin", "crend")
_LOOKUPS: Final = frozenset(
    {
        *_BOUNDS,
        *("find", "lower_bound", "upper_bound", "equal_range", "contains", "count", "erase", "at", "operator[]"),
        *("data", "c_str", "front", "back", "top", "clear", "size", "empty", "reserve"),
    }
)
_POSITIONS: Final = frozenset(
    {
        *_BOUNDS,
        *("find", "lower_bound", "upper_bound", "equal_range", "erase", "data", "c_str", "operator->"),
        *("insert", "insert_or_assign", "emplace", "emplace_hint", "try_emplace", "insert_after", "emplace_after"),
    }
)
_FILLING: Final = frozenset({"swap", "merge", "splice", "splice_after", "extract"})
