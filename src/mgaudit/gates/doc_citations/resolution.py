"""From a citation to the lines that it means, and what is wrong with it."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mgaudit.gates.doc_citations.citations import Citation, Lines


@dataclass(frozen=True, slots=True)
class Defect:
    """What is wrong with one cited line or range.

    Attributes:
        citation: The citation.
        lines: The lines at fault, or None where the file is.
        path: The file that it means, or as written.
        what: In words that complete "src/a.cpp:12 …".
        moved_to: Where its identifier is now, the nearest first; empty where it names none or it is gone.
    """

    citation: Citation
    lines: Lines | None
    path: str
    what: str
    moved_to: tuple[int, ...] = ()

    @property
    def replacement(self) -> str:
        """The lines that the citation should name; empty where that is not certain."""
        if self.lines is None or not self.moved_to:
            return ""
        nearest = [abs(line - self.lines.first) for line in self.moved_to[:2]]
        if len(nearest) == 2 and nearest[0] == nearest[1]:
            return ""
        first = self.moved_to[0]
        length = self.lines.last - self.lines.first
        return str(first) if length <= 0 else f"{first}-{first + length}"


class Cited:
    """The files that documents may cite.

    Args:
        files: All of them, from the root.
        content: The content of one.
    """

    def __init__(self, files: Sequence[str], content: Callable[[str], bytes | None]) -> None:
        self._files = frozenset(files)
        self._content = content
        self._lines: dict[str, list[str]] = {}

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._files):
            found[path.rpartition("/")[2]].append(path)
        return found

    @cached_property
    def _suffixes(self) -> frozenset[str]:
        return frozenset(name.rpartition(".")[2].lower() for name in self._by_name if "." in name)

    def meant(self, written: str, document: str) -> list[str]:
        """The files that a path may mean: from the root, from the document's folder, or by its last parts."""
        plain = written.removeprefix("./")
        folder = document.rpartition("/")[0]
        for candidate in (plain.lstrip("/"), _joined(folder, written)):
            if candidate in self._files:
                return [candidate]
        named = self._by_name.get(plain.rpartition("/")[2], [])
        return [path for path in named if path.endswith("/" + plain.lstrip("./"))]

    def may_be_file(self, written: str) -> bool:
        """Whether a path that means nothing looks like a file of the tree all the same, and not like a host."""
        name = written.rpartition("/")[2]
        return "." in name and name.rpartition(".")[2].lower() in self._suffixes

    def lines(self, path: str) -> list[str]:
        """The lines of a file."""
        if path not in self._lines:
            text = (self._content(path) or b"").decode("utf-8", "replace")
            lines = re.split(r"\r\n|\n|\r", text)
            self._lines[path] = lines[:-1] if lines[-1] == "" else lines
        return self._lines[path]

    def defects(self, citation: Citation, document: str) -> Iterator[Defect]:
        """What is wrong with a citation."""
        meant = self.meant(citation.path, document)
        if len(meant) != 1:
            if meant:
                yield Defect(citation, None, citation.path, f"may mean any of {', '.join(meant)}")
            elif self.may_be_file(citation.path):
                yield Defect(citation, None, citation.path, "names a file that does not exist")
            return
        for lines in citation.lines:
            yield from self._judged(citation, lines, meant[0])

    def _judged(self, citation: Citation, lines: Lines, path: str) -> Iterator[Defect]:
        text = self.lines(path)
        word = re.compile(rf"(?<!\w){re.escape(citation.identifier)}(?!\w)") if citation.identifier else None
        holding = [number for number, line in enumerate(text, 1) if word and word.search(line)]
        moved = tuple(sorted(holding, key=lambda number: (abs(number - lines.first), number)))
        if not 1 <= lines.first <= lines.last:
            yield Defect(citation, lines, path, "is no range of lines", moved)
        elif lines.last > len(text):
            yield Defect(citation, lines, path, f"lies behind the end: {path} has {len(text)} lines", moved)
        elif word and not any(lines.first <= number <= lines.last for number in holding):
            yield Defect(citation, lines, path, f"does not hold `{citation.identifier}`", moved)


def _joined(folder: str, written: str) -> str:
    parts = folder.split("/") if folder else []
    for part in written.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
