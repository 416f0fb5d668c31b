"""The ways in which a file can include another: what a gate sees in one of them it must see in all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.gates.plants import OFFERED, Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_PLANTED: Final = "MGAUDIT_PLANTED"

Target = tuple[str, str]
"""A file, and a header that it must not include."""

_Lines = tuple[tuple[str, ...], int]


def _plain(line: str) -> _Lines:
    return (line,), 0


def _computed(line: str) -> _Lines:
    name = line.removeprefix("#include ")
    return (f"#define {_PLANTED} {name}", f"#include {_PLANTED}", f"#undef {_PLANTED}"), 1


def _conditional(line: str) -> _Lines:
    return (f"#if __has_include({line.removeprefix('#include ')})", line, "#endif"), 1


def _spliced(line: str) -> _Lines:
    return ("  #  include \\", f"    {line.removeprefix('#include ')}"), 0


def _commented(line: str) -> _Lines:
    return (f"/* planted */ {line} // planted",), 0


def _digraph(line: str) -> _Lines:
    return (line.replace("#", "%:", 1),), 0


def _respelled(line: str) -> _Lines:
    return (line.replace('"', '".//./', 1),), 0


WAYS: Final[dict[str, Callable[[str], _Lines]]] = {
    "direct": _plain,
    "through a macro": _computed,
    "in an arm that is taken": _conditional,
    "over two lines": _spliced,
    "by another spelling": _respelled,
    "between comments": _commented,
    "by a digraph": _digraph,
}


class Inclusions:
    """Plants inclusions at the end of files.

    Args:
        ground: Where to plant.
        targets: Of some files, the headers that each must not include, the best pairs first.
    """

    def __init__(self, ground: Ground, targets: Callable[[Sequence[str]], Iterable[Target]]) -> None:
        self._ground = ground
        self._targets = targets

    def red(self, paths: Iterable[str], *, headers: bool = True) -> Iterator[Plant]:
        """Forbidden inclusions, in every way to write one, and in each kind of file.

        Args:
            paths: The files under guard.
            headers: Whether headers are judged, too.
        """
        known = sorted(paths)
        sources = self._ground.sources(known)
        for control, write in WAYS.items():
            yield from self.offered(control, sources, write)
        if headers:
            yield from self.offered("in a header", self._ground.headers(known))
        yield from self.offered("in a fragment", self._ground.fragments(known))

    def offered(
        self, control: str, paths: Sequence[str], write: Callable[[str], _Lines] = _plain
    ) -> Iterator[Plant]:  # fmt: skip
        """Candidates of one control."""
        count = 0
        for path, header in self._targets(paths):
            if self._ground.sees(path, [header]):
                continue
            lines, at = write(self._ground.inclusion(path, header))
            text, first = self._ground.appended(path, lines)
            yield Plant(control, f"{path} includes {header}", {path: text}, path, first + at, header)
            count += 1
            if count == OFFERED:
                return

    def green(self, paths: Iterable[str]) -> Iterator[Plant]:
        """What only reads like a forbidden inclusion."""
        for path, header in list(self._targets(self._ground.sources(sorted(paths))))[:OFFERED]:
            line = self._ground.inclusion(path, header)
            for control, lines in (
                ("a comment", (f"// {line}", f"/* {line} */")),
                ("a string", (f'inline const char* const mgaudit_planted = R"({line})";',)),
                ("an arm that nobody takes", ("#if 0", line, "#endif")),
            ):
                text, first = self._ground.appended(path, lines)
                yield Plant(control, f"{control} includes nothing", {path: text}, path, first)


def rotated(paths: Sequence[str], headers: Sequence[str]) -> Iterator[Target]:
    """Every pair, so that the first few are of different files and headers."""
    for turn in range(len(headers)):
        for index, path in enumerate(paths):
            yield path, headers[(turn + index) % len(headers)]
