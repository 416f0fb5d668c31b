"""Answers that are remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")


class Known(dict[K, V]):
    """Answers by question; each is found when it is first asked for.

    What is asked by the million is asked of ``__getitem__`` itself: no function in Python stands between.

    Args:
        find: Finds an answer.
    """

    def __init__(self, find: Callable[[K], V]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: K) -> V:
        found = self[key] = self._find(key)
        return found
