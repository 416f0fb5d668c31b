"""Controls of gates that hold the code against a catalogue: rows that are added, doubled, changed and taken away."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from mgaudit.gates.plants import OFFERED, Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mgaudit.gates.plant_uses import Cause
    from mgaudit.sources.catalogues import Catalogue, Row

NAME: Final = "mgauditPlanted"

Place = tuple[str, int, str]
"""Path, line and entity of a finding."""


class Rows:
    """Changes of a catalogue that is a list in a file; one whose rows stand in the configuration offers none.

    Args:
        ground: Where to plant.
        catalogue: The catalogue.
        key: What a finding about a row is about.
    """

    def __init__(self, ground: Ground, catalogue: Catalogue, key: Callable[[Row], str] = lambda row: row.key) -> None:
        self._ground = ground
        self._key = key
        self._catalogue = catalogue
        is_file = catalogue.list_macro is not None
        self._rows = [row for row in catalogue.rows if is_file and self._raw(row)]

    def _offset(self, row: Row) -> int:
        lines = self._ground.text(row.path).split(b"\n")
        return sum(len(line) + 1 for line in lines[: row.line - 1]) + row.column - 1

    def _raw(self, row: Row) -> str:
        """A row as written, where it stands on one line; else nothing."""
        data = self._ground.text(row.path)
        start = self._offset(row)
        end = _closing(data, data.find(b"(", start))
        text = data[start:end]
        return "" if end < 0 or b"\n" in text else text.decode(errors="replace")

    def _beside(self, row: Row, text: str) -> bytes:
        """The list with a text before a row, on its line."""
        return self._ground.inserted(row.path, self._offset(row), text + " ")

    def _instead(self, row: Row, text: str) -> bytes:
        """The list with a text in the place of a row."""
        data, start = self._ground.text(row.path), self._offset(row)
        return data[:start] + text.encode() + data[start + len(self._raw(row).encode()) :]

    def _with(self, row: Row, column: int, text: str) -> str:
        """A row as written, but for one column; nothing where it has no such column."""
        raw = self._raw(row)
        columns = _columns(raw)
        if column >= len(columns):
            return ""
        columns[column] = text
        return f"{_macro(raw)}({', '.join(columns)})"

    def controls(self, named: str, answer: str, answered: Iterable[tuple[Row, Place]]) -> Iterator[Plant]:
        """A row for nothing, one that is there twice, one whose answer means nothing, one that is missing, a comment.

        Args:
            named: The column that names what a row is about; where there is none, the first one does.
            answer: The column that answers, if there is one.
            answered: Each row with what it answers.
        """
        columns = self._catalogue.columns
        yield from self.named(columns.index(named) if named in columns else 0)
        yield from self.doubled()
        if answer in columns:
            yield from self.answered(columns.index(answer))
        yield from self.taken(answered)
        yield from self.commented()

    def named(self, column: int = 0) -> Iterator[Plant]:
        """A row for something that does not exist.

        Args:
            column: Which column names it.
        """
        for row in self._rows[:OFFERED]:
            if changed := self._with(row, column, NAME):
                text = self._beside(row, changed)
                why = f"nothing is called {NAME}"
                yield Plant("a row for nothing", why, {row.path: text}, row.path, row.line, NAME)

    def doubled(self) -> Iterator[Plant]:
        """A row that is there twice."""
        for row in self._rows[:OFFERED]:
            text = self._beside(row, self._raw(row))
            yield Plant("a row twice", "one answer has two rows", {row.path: text}, row.path, row.line, self._key(row))

    def answered(self, column: int) -> Iterator[Plant]:
        """A row whose answer means nothing.

        Args:
            column: Which column answers.
        """
        for row in self._rows[:OFFERED]:
            if changed := self._with(row, column, NAME):
                text = self._instead(row, changed)
                why = f"the answer {NAME} means nothing"
                yield Plant("a row with an unknown answer", why, {row.path: text}, row.path, row.line, self._key(row))

    def rewritten(
        self, row: Row, column: int, text: str, cause: Cause, entity: str = ""
    ) -> Iterator[Plant]:  # fmt: skip
        """A row with another text in one column, where the row can be changed at all.

        Args:
            row: The row.
            column: Which column.
            text: What it is to say.
            cause: Why.
            entity: What the finding is about; default: the row's key.
        """
        if row in self._rows and (written := self._with(row, column, text)):
            changed = self._instead(row, written)
            yield Plant(cause.control, cause.why, {row.path: changed}, row.path, row.line, entity or self._key(row))

    def added(
        self, row: Row, column: int, text: str, cause: Cause, entity: str
    ) -> Iterator[Plant]:  # fmt: skip
        """Like a row, with another text in one column, beside it; see `rewritten`."""
        if row in self._rows and (written := self._with(row, column, text)):
            changed = self._beside(row, written)
            yield Plant(cause.control, cause.why, {row.path: changed}, row.path, row.line, entity)

    def taken(self, answered: Iterable[tuple[Row, Place]]) -> Iterator[Plant]:
        """A row that is taken away.

        Args:
            answered: Each row with what it answers.
        """
        places: dict[int, set[Place]] = defaultdict(set)
        for row, place in answered:
            places[id(row)].add(place)
        for row in [row for row in self._rows if len(places[id(row)]) == 1][:OFFERED]:
            ((path, line, entity),) = places[id(row)]
            why = f"nothing answers {entity} any more"
            yield Plant("a row is missing", why, {row.path: self._instead(row, "")}, path, line, entity)

    def commented(self) -> Iterator[Plant]:
        """A comment that reads like a row: it must mean nothing."""
        for row in self._rows[:OFFERED]:
            text = self._beside(row, f"/* {_macro(self._raw(row))}({NAME}) */")
            yield Plant("a row in a comment", "a comment is no row", {row.path: text}, row.path, row.line)


def _closing(data: bytes, start: int) -> int:
    """The offset behind the parenthesis that closes the one at an offset; -1 where none does."""
    depth, at = 0, start
    while 0 <= start <= at < len(data):
        char = data[at : at + 1]
        if char == b'"':
            at = data.find(b'"', at + 1)
            if at < 0:
                return -1
        depth += (char == b"(") - (char == b")")
        at += 1
        if not depth:
            return at
    return -1


def _macro(raw: str) -> str:
    return raw.partition("(")[0].strip()


def _columns(raw: str) -> list[str]:
    """The columns of a row as written."""
    inner = raw[raw.index("(") + 1 : raw.rindex(")")]
    depth, is_text, parts = 0, False, [""]
    for char in inner:
        is_text ^= char == '"'
        depth += (char in "([{<" and not is_text) - (char in ")]}>" and not is_text)
        if char == "," and not depth and not is_text:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]
