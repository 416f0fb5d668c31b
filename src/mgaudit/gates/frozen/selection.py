"""Which regions the names of a gate select."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mgaudit.domain.names import selects, strip_signature
from mgaudit.sources.regions import regions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mgaudit.sources.regions import Region
    from mgaudit.sources.scan_facts import FileScan
    from mgaudit.sources.syntax import FileSyntax


@dataclass(frozen=True, slots=True)
class Selector:
    """Selects regions: functions, classes and macros as a name selects an entity, marked text by equality."""

    names: tuple[str, ...]

    def takes(self, kind: str, name: str) -> bool:
        """Whether one of the names selects a region."""
        return any(self.selects(pattern, kind, name) for pattern in self.names)

    @staticmethod
    def selects(pattern: str, kind: str, name: str) -> bool:
        """Whether a name selects a region; white space in signatures does not count."""
        if kind == "region" or pattern == name:
            return pattern == name
        if kind != "function":
            return selects(pattern, name)
        plain = strip_signature(_without_qualifiers(name))
        return selects(pattern, plain) if pattern == strip_signature(_without_qualifiers(pattern)) else selects(
            "".join(pattern.split()), "".join(name.split())
        )  # fmt: skip

    def may_occur(self, data: bytes) -> bool:
        """Whether a file's bytes may hold a region that is selected."""
        return any(_last_word(pattern) in data for pattern in self.names)


def selected(
    selector: Selector,
    paths: Sequence[str],
    content: Callable[[str], bytes | None],
    views: Callable[[str, bytes], tuple[FileScan, FileSyntax]],
) -> Iterator[Region]:
    """The regions of some files that names select, in order.

    Args:
        selector: The names.
        paths: The files.
        content: The content of a file, or None.
        views: Both witnesses' views of a file and its content.
    """
    for path in paths:
        data = content(path)
        if data is not None and selector.may_occur(data):
            yield from sorted(regions(path, data, *views(path, data), selector.takes))


def ambiguities(selector: Selector, found: Sequence[Region]) -> Mapping[str, tuple[str, ...]]:
    """The names that select several entities which are no overloads of one another, and what they select."""
    result: dict[str, tuple[str, ...]] = {}
    for pattern in selector.names:
        names = {
            (r.kind, strip_signature(_without_qualifiers(r.name)))
            for r in found
            if Selector.selects(pattern, r.kind, r.name)
        }
        if len(names) > 1:
            result[pattern] = tuple(f"{kind} {name}" for kind, name in sorted(names))
    return result


def _without_qualifiers(name: str) -> str:
    """A function's name without what follows its parameter list."""
    return name[: name.rfind(")") + 1] if ")" in name else name


def _last_word(pattern: str) -> bytes:
    last = strip_signature(_without_qualifiers(pattern)).rsplit("::", 1)[-1]
    return b"operator" if last.startswith("operator") else last.encode()
