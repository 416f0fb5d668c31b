"""TOML with places: every value knows the file, line and column that wrote it.

Values come from `tomllib`, the standard's own reading; places from the syntax tree of tree-sitter's TOML grammar. A
value that the grammar cannot place has its table's place.
"""

from __future__ import annotations

import contextlib
import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import tree_sitter_toml
from tree_sitter import Language, Parser

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tree_sitter import Node as SyntaxNode

type_names = {
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    str: "a string",
    list: "an array",
    dict: "a table",
}

KeyPath = tuple[str | int, ...]
Place = tuple[int, int]


class TomlError(Exception):
    """The bytes are no TOML.

    Attributes:
        message: What is wrong, in one line.
        line: 1-based, within the text.
    """

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A value and its place.

    Attributes:
        value: A scalar of `tomllib`, a list of nodes, or a dictionary from keys to nodes.
        file: The file that wrote it, absolute.
        line: 1-based: the key's line, for an array's item its own, for a table its header's.
        column: 1-based, in bytes.
    """

    value: object
    file: Path
    line: int
    column: int

    @property
    def table(self) -> dict[str, Node]:
        """The members of a table; empty where the value is none."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[Node]:
        """The items of an array; empty where the value is none."""
        return self.value if isinstance(self.value, list) else []

    @property
    def type_name(self) -> str:
        """What a message calls the value's type, with its article."""
        return type_names.get(type(self.value), "a date or time")

    def plain(self) -> object:
        """The value without places."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.table.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.items]
        return self.value


def parse(content: bytes, file: Path) -> Node:
    """Read a document.

    Args:
        content: The file's bytes: UTF-8, with or without a byte order mark.
        file: What the nodes' `Node.file` says.

    Raises:
        TomlError: The bytes are not UTF-8, or not TOML.
    """
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}"
        raise TomlError(message, line) from None
    try:
        data = tomllib.loads(text)
        return _located(data, (), places(content), (1, 1), file)
    except RecursionError:
        raise TomlError("nested too deeply", 1) from None
    except ValueError as error:
        raise TomlError(*_syntax_error(error, text)) from None


def _syntax_error(error: ValueError, text: str) -> tuple[str, int]:
    """Message and line; `tomllib` puts both into its message."""
    lines = text.split("\n")
    message = str(error)
    match = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    last = len(lines) - 1 if len(lines) > 1 and not lines[-1] else len(lines)
    line = int(match[1]) if match and match[1] else last if match else 1
    text_before = message[: match.start()] if match else message
    first = text_before.replace("\n", " ")
    return f"TOML syntax error: {first[:1].lower()}{first[1:]}", max(1, min(line, last))


def _located(value: object, path: KeyPath, where: Mapping[KeyPath, Place], place: Place, file: Path) -> Node:
    place = where.get(path, place)
    if isinstance(value, dict):
        members = {key: _located(member, (*path, key), where, place, file) for key, member in value.items()}
        return Node(members, file, *place)
    if isinstance(value, list):
        items = [_located(item, (*path, index), where, place, file) for index, item in enumerate(value)]
        return Node(items, file, *place)
    return Node(value, file, *place)


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(tree_sitter_toml.language()))


def places(content: bytes) -> dict[KeyPath, Place]:
    """Line and column, both 1-based, of every key, table, array item and inline table of a document."""
    return _Places().document(_parser().parse(content).root_node)


class _Places:
    """One walk over a syntax tree, following TOML's rules on which table a header names."""

    def __init__(self) -> None:
        self.found: dict[KeyPath, Place] = {}
        self.lengths: dict[KeyPath, int] = {}

    def document(self, root: SyntaxNode) -> dict[KeyPath, Place]:
        for child in root.named_children:
            if child.type == "pair":
                self.pair((), child)
            elif child.type in {"table", "table_array_element"}:
                self.section(child)
        return self.found

    def section(self, node: SyntaxNode) -> None:
        keys = [key for child in node.named_children if child.type.endswith("_key") for key in _keys(child)]
        if not keys:
            return
        path: KeyPath = ()
        for key, _ in keys[:-1]:
            path = self.enter((*path, key), _place(node))
        path = (*path, keys[-1][0])
        if node.type == "table_array_element":
            index = self.lengths.get(path, 0)
            self.lengths[path] = index + 1
            self.found.setdefault(path, _place(node))
            path = (*path, index)
        self.found[path] = _place(node)
        for child in node.named_children:
            if child.type == "pair":
                self.pair(path, child)

    def enter(self, path: KeyPath, place: Place) -> KeyPath:
        """The path of the table that a header's inner key names: of an array of tables, the last."""
        self.found.setdefault(path, place)
        return (*path, self.lengths[path] - 1) if path in self.lengths else path

    def pair(self, path: KeyPath, node: SyntaxNode) -> None:
        children = [c for c in node.named_children if c.type != "comment"]
        for name, at in _keys(children[0]) if children else ():
            path = (*path, name)
            self.found.setdefault(path, _place(at))
        for value in children[1:]:
            self.value(path, value)

    def value(self, path: KeyPath, node: SyntaxNode) -> None:
        children = [c for c in node.named_children if c.type != "comment"]
        if node.type == "array":
            for index, child in enumerate(children):
                self.found[(*path, index)] = _place(child)
                self.value((*path, index), child)
        elif node.type == "inline_table":
            for child in children:
                if child.type == "pair":
                    self.pair(path, child)


def _place(node: SyntaxNode) -> Place:
    return node.start_point[0] + 1, node.start_point[1] + 1


def _keys(node: SyntaxNode) -> list[tuple[str, SyntaxNode]]:
    """The parts of a key, each with its node."""
    if node.type == "dotted_key":
        return [part for child in node.named_children for part in _keys(child)]
    text = (node.text or b"").decode(errors="replace")
    if node.type == "quoted_key":
        # The grammar's error recovery may take for a key what is none.
        with contextlib.suppress(tomllib.TOMLDecodeError):
            text = next(iter(tomllib.loads(f"{text} = 0")))
    return [(text, node)]
