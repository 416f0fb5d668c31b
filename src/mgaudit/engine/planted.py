"""Several plants in one tree: their texts put together, and where each of them is then."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mgaudit.gates.plants import Plant

_NAMES: Final = (b"mgaudit_planted", b"MGAUDIT_PLANTED")


@dataclass(frozen=True, slots=True)
class _Edit:
    """What one plant puts in the place of a range of a file's bytes."""

    start: int
    end: int
    text: bytes

    @classmethod
    def of(cls, before: bytes, after: bytes, mark: bytes) -> _Edit:
        """The smallest one that makes one content of another; the names that it introduces get a mark."""
        start = _common(before, after)
        end = _common(before[start:][::-1], after[start:][::-1])
        text = after[start : len(after) - end]
        for name in _NAMES:
            text = text.replace(name, name + mark)
        return cls(start, len(before) - end, text)


class Planting:
    """The files of a tree in which some plants are planted together.

    Args:
        plants: The plants, each with a mark of its own: a number.
        content: The content of a file as it is.
    """

    def __init__(self, plants: Sequence[tuple[int, Plant]], content: Callable[[str], bytes]) -> None:
        self._content = content
        self._edits: dict[str, list[tuple[_Edit, Plant]]] = defaultdict(list)
        for number, plant in plants:
            for path, text in plant.texts.items():
                edit = _Edit.of(content(path), text, b"_%d" % number)
                self._edits[path].append((edit, plant))
        for edits in self._edits.values():
            edits.sort(key=lambda item: (item[0].start, item[0].end))

    @property
    def texts(self) -> Mapping[str, bytes] | None:
        """The new content of each changed file, by path; None where plants get in each other's way."""
        found = {}
        for path, edits in self._edits.items():
            data, parts, at = self._content(path), [], 0
            for edit, _ in edits:
                if edit.start < at:
                    return None
                parts += [data[at : edit.start], edit.text]
                at = edit.end
            found[path] = b"".join([*parts, data[at:]])
        return found

    @property
    def are_apart(self) -> bool:
        """Whether no two plants change the same line of a file."""
        for path, edits in self._edits.items():
            data = self._content(path)
            if any(b"\n" not in data[one.end : other.start] for (one, _), (other, _) in pairwise(edits)):
                return False
        return True

    def line(self, plant: Plant) -> int:
        """The line at which the finding of a plant must lie among all of them."""
        own = next((edit for edit, other in self._edits.get(plant.path, ()) if other is plant), None)
        before = self._content(plant.path)
        if plant.line == 0 or plant.path not in self._edits:
            return plant.line
        if own is None:
            return plant.line + self._shift(plant.path, _offset(before, plant.line), None)
        offset = _offset(before[: own.start] + own.text + before[own.end :], plant.line)
        if offset < own.start:
            return plant.line + self._shift(plant.path, offset, own)
        if offset < own.start + len(own.text):
            return plant.line + self._shift(plant.path, own.start, own)
        return plant.line + self._shift(plant.path, offset - len(own.text) + own.end - own.start, own)

    def _shift(self, path: str, offset: int, own: _Edit | None) -> int:
        """How many lines the edits before an offset, and before one at that very place, put in."""
        data, lines = self._content(path), 0
        for edit, _ in self._edits[path]:
            if edit is own and edit.start >= offset:
                break
            if edit is not own and edit.end <= offset:
                lines += edit.text.count(b"\n") - data[edit.start : edit.end].count(b"\n")
        return lines

    def owner(self, path: str, line: int) -> Plant | None:
        """The plant whose text stands on a line, or None."""
        data, shift = self._content(path), 0
        for edit, plant in self._edits.get(path, ()):
            first = data.count(b"\n", 0, edit.start) + 1 + shift
            last = first + edit.text.rstrip(b"\n").count(b"\n")
            if first <= line <= last:
                return plant
            shift += edit.text.count(b"\n") - data[edit.start : edit.end].count(b"\n")
        return None

    def is_due_to(self, places: Iterable[tuple[str, int]], plant: Plant) -> bool:
        """Whether what is said of some lines may be due to a plant: it stands there, or none at all."""
        owners = [owner for place in places if (owner := self.owner(*place)) is not None]
        return not owners or any(owner is plant for owner in owners)


def _common(one: bytes, other: bytes) -> int:
    """The length of the longest common prefix."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _offset(data: bytes, line: int) -> int:
    """Where a 1-based line begins; the end where there is none."""
    at = 0
    for _ in range(line - 1):
        following = data.find(b"\n", at)
        if following < 0:
            return len(data)
        at = following + 1
    return at
