"""Catalogues: X-macro lists in source files, read as they are, and rows written in the configuration.

A list is a macro whose body is a sequence of rows ``X(a, b)``, where ``X`` is the macro's parameter. Columns are split
as the preprocessor splits arguments ([cpp.replace]), except that a quote which opens no literal is an ordinary
character: some columns are prose. A list may include others (``OTHER(X)``) and may be defined in several arms of a
conditional; every definition counts that some parsed configuration takes, or every one where no unit reads the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.sources.catalogues_rows import BodyReader, RawRow, union
from mgaudit.sources.scanner import scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mgaudit.config.model import CatalogueSpec
    from mgaudit.sources.scan_facts import FileScan, MacroDefinition


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a catalogue.

    Attributes:
        columns: The names of its columns; a column named ``a::b`` has become the two columns ``a`` and ``b``.
        values: The text of each column, in their order: unquoted where it is a string literal. Shorter than
            ``columns`` where the row lacks trailing ones.
        extra: Columns beyond those that have names.
        path: The file that holds it.
        line: 1-based.
        column: 1-based, in bytes.
        definition: Which definition of the list holds it; rows of different ones are alternatives.
    """

    columns: tuple[str, ...]
    values: tuple[str, ...]
    extra: tuple[str, ...]
    path: str
    line: int
    column: int
    definition: int = 0

    @property
    def key(self) -> str:
        """The text of the first column."""
        return self.values[0] if self.values else ""

    def get(self, column: str) -> str | None:
        """The text of a column, or None where the row or the catalogue lacks it."""
        if column not in self.columns:
            return None
        index = self.columns.index(column)
        return self.values[index] if index < len(self.values) else None

    def union(self, column: str) -> tuple[str, ...]:
        """The terms of a column written ``A|B|C``, in order; none where the column is absent or empty."""
        return union(self.get(column) or "")

    def text(self) -> str:
        """The row as one would write it, for messages."""
        return ", ".join((*self.values, *self.extra))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A declared list that sites map to.

    Attributes:
        name: As configured.
        columns: The names of its columns.
        rows: In source order.
        path: Where rows are written: the list's file, or the configuration.
        line: 1-based line of the list's first definition, or of the catalogue's table.
        list_macro: The list's macro, or None where the rows stand in the configuration.
        row_macro: What opens a row of the list.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    path: str
    line: int
    list_macro: str | None = None
    row_macro: str = ""

    def by_key(self) -> dict[str, list[Row]]:
        """The rows of each key, in source order."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.key, []).append(row)
        return found

    def suggest(self, **values: str) -> str:
        """A row to paste, with a placeholder for what is not given."""
        texts = [values.get(name.replace("-", "_"), "…") for name in self.columns]
        if self.list_macro is None:
            pairs = ", ".join(f'{name} = "{text}"' for name, text in zip(self.columns, texts, strict=True))
            return "{ " + pairs + " }"
        return f"{self.row_macro}({', '.join(texts)})"


def read_inline(spec: CatalogueSpec) -> Catalogue:
    """A catalogue whose rows stand in the configuration.

    Raises:
        UntrustedError: A row names a column that the catalogue does not have, or lacks its first one.
    """
    names = _flattened(spec.columns)
    rows, problems = [], []
    for item in spec.rows:
        texts = {name: str(value) for name, value in item.columns.items()}
        unknown = sorted(set(texts) - set(spec.columns))
        if spec.columns and spec.columns[0] not in texts:
            problems.append(Problem(item.path, item.line, f'catalogue "{spec.name}": a row has no {spec.columns[0]}'))
        if unknown:
            problems.append(
                Problem(
                    item.path, item.line, f'catalogue "{spec.name}": a row has the unknown column {unknown[0]}',
                    f"its columns are {', '.join(spec.columns)}",
                )
            )  # fmt: skip
        present = [index for index, name in enumerate(spec.columns) if name in texts]
        written = [texts.get(name, "") for name in spec.columns[: present[-1] + 1]] if present else []
        values = _split_pairs(spec.columns, written)
        rows.append(Row(names, values, (), item.path, item.line, 1))
    if problems:
        raise UntrustedError(problems)
    return Catalogue(spec.name, names, tuple(rows), spec.path, spec.line)


def read_list(spec: CatalogueSpec, path: str, data: bytes, is_active: Callable[[int], bool] | None = None) -> Catalogue:
    """A catalogue that is an X-macro list.

    Args:
        spec: The catalogue as configured.
        path: The list's file, as problems and rows name it.
        data: Its content.
        is_active: Whether some configuration takes the code at a byte offset; None where no unit reads the file.

    Raises:
        UntrustedError: The file does not define the list, or a row is malformed; every problem.
    """
    assert spec.list_macro is not None
    return _ListReader(spec, path, data, is_active).read(spec.list_macro)


@dataclass(slots=True)
class _ListReader:
    spec: CatalogueSpec
    path: str
    data: bytes
    is_active: Callable[[int], bool] | None
    problems: list[Problem] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def read(self, name: str) -> Catalogue:
        known = scan(self.data)
        definitions = self._definitions(known, name)
        if not definitions:
            raise UntrustedError([self._missing(known, name)])
        names = _flattened(self.spec.columns)
        for number, definition in enumerate(definitions):
            before = len(self.rows)
            for raw in self._rows_of(known, definition, frozenset({name})):
                self._take(names, raw, number)
            if len(self.rows) == before and not self.problems and not self._is_empty_on_purpose(definition):
                self.problems.append(
                    Problem(
                        self.path, definition.line, f"the list {name} has no row",
                        f"where it is to have none, write `#define {name}({definition.parameters[0]}) /* empty */`",
                    )
                )  # fmt: skip
        if self.problems:
            raise UntrustedError(self.problems)
        first = definitions[0]
        return Catalogue(
            self.spec.name, names, tuple(self.rows), self.path, first.line, name, first.parameters[0]
        )  # fmt: skip

    def _missing(self, known: FileScan, name: str) -> Problem:
        place = (self.spec.path, self.spec.line)
        found = [d for d in known.macro_definitions if d.name == name]
        if not found:
            lists = sorted({d.name for d in known.macro_definitions if d.parameters})
            return Problem(
                *place, f'catalogue "{self.spec.name}": {self.path} defines no macro {name}',
                f"it defines {', '.join(lists)}" if lists else "correct `file` or `list`",
            )  # fmt: skip
        if not any(d.parameters for d in found):
            return Problem(
                self.path, found[0].line, f"{name} is no list: it has no parameter that opens its rows",
                f"write `#define {name}(X)` with rows `X(…)`",
            )  # fmt: skip
        return Problem(
            self.path, found[0].line, f"no configuration takes a definition of the list {name}",
            "correct the conditional around it, or the configurations",
        )  # fmt: skip

    def _definitions(self, known: FileScan, name: str) -> list[MacroDefinition]:
        found = [d for d in known.macro_definitions if d.name == name and d.parameters]
        return found if self.is_active is None else [d for d in found if self.is_active(d.offset)]

    def _is_empty_on_purpose(self, definition: MacroDefinition) -> bool:
        """Whether a list says that it has no rows, so that none can have been lost."""
        return _EMPTY.match(self.data, self.data.index(b")", definition.offset) + 1) is not None

    def _rows_of(self, known: FileScan, definition: MacroDefinition, above: frozenset[str]) -> Iterator[RawRow]:
        start = self.data.index(b")", definition.offset) + 1
        reader = BodyReader(self.data, start, frozenset(definition.parameters), self.path)
        for item in reader.rows():
            if item.macro in definition.parameters:
                yield item
                continue
            included = [d for d in self._definitions(known, item.macro) if item.macro not in above]
            if not included or not set(item.columns) <= set(definition.parameters):
                line, column = known.location(item.offset)
                self.problems.append(
                    Problem(
                        self.path, line, f"column {column}: `{item.macro}` opens no row of {definition.name}",
                        f"rows are written {definition.parameters[0]}(…)",
                    )
                )  # fmt: skip
            for inner in included:
                yield from self._rows_of(known, inner, above | {item.macro})
        self.problems.extend(reader.problems)

    def _take(self, names: tuple[str, ...], raw: RawRow, number: int) -> None:
        line = self.data.count(b"\n", 0, raw.offset) + 1
        column = raw.offset - (self.data.rfind(b"\n", 0, raw.offset) + 1) + 1
        width = len(self.spec.columns)
        if not raw.columns or not raw.columns[0]:
            self.problems.append(Problem(self.path, line, f"column {column}: the row's first column is empty"))
            return
        values = _split_pairs(self.spec.columns, raw.columns[:width])
        row = Row(names, values, tuple(raw.columns[width:]), self.path, line, column, number)
        self.rows.append(row)


def _flattened(columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(part for name in columns for part in (name.rsplit("::", 1) if "::" in name else (name,)))


def _split_pairs(columns: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """The texts with those of two-in-one columns split at their last ``::``."""
    found: list[str] = []
    for name, text in zip(columns, texts, strict=False):
        if "::" in name:
            head, separator, tail = text.rpartition("::")
            found += (head, tail) if separator else (text, "")
        else:
            found.append(text)
    return tuple(found)


_GAP: Final = rb"(?:[ \t]|\\\r?\n)*"
_EMPTY: Final = re.compile(_GAP + rb"(?:/\*[ \t]*empty[ \t]*\*/" + _GAP + rb"|//[ \t]*empty[ \t]*)(?=\r?\n|\Z)")
