"""What the texts of a configuration may be: globs, paths, qualified names, patterns, edges.

Each function returns the text in its plain form, or raises `Fault`.
"""

from __future__ import annotations

import re
from pathlib import PureWindowsPath

from mgaudit.domain.zones import CHARACTER_CLASS, glob_pattern


class Fault(Exception):  # noqa: N818 - a value that the loader turns into a problem, not an error of the program
    """What is wrong with a value.

    Attributes:
        message: In one line; completes "<key>: …".
        help: What to do, in one line; may be empty.
        key: The key at fault, where the fault belongs to a whole table.
    """

    def __init__(self, message: str, help: str = "", key: str | None = None) -> None:  # noqa: A002
        super().__init__(message)
        self.message = message
        self.help = help
        self.key = key


_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_STANDARD = re.compile(r"(?:c|gnu)(?:\+\+)?\d[0-9a-z]")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DEFINE = re.compile(r"[^\W\d]\w*(?:\([\w\s,.]*\))?(?:=.*)?", re.DOTALL)
# A `*` that no declarator can hold: at the beginning, after `::` or `/`, or before more of a name.
_NAME_WILDCARD = re.compile(r"\?|\A\*|(?:::|/)\*(?!\))|\*(?!const\b|volatile\b|restrict\b|__)[\w.:/]")


def filled(text: str) -> str:
    """A text that says something."""
    if not text.strip():
        raise Fault("must not be empty")
    return text


def line(text: str) -> str:
    """A text that says something, on one line, without blanks around it."""
    filled(text)
    if _CONTROL.search(text):
        raise Fault("must not hold control characters")
    if text != text.strip():
        raise Fault("must not begin or end with a blank")
    return text


def identifier(text: str) -> str:
    """A C++ identifier."""
    if not _IDENTIFIER.fullmatch(filled(text)):
        raise Fault(f'"{text}" is no identifier')
    return text


def define(text: str) -> str:
    """A macro definition as ``-D`` takes it: ``NAME``, ``NAME=VALUE`` or ``NAME(ARGS)=VALUE``."""
    if not _DEFINE.fullmatch(filled(text)):
        raise Fault(f'"{text}" is no macro definition', "write NAME or NAME=VALUE")
    return text


def standard(text: str) -> str:
    """A language standard as ``-std=`` takes it."""
    if not _STANDARD.fullmatch(filled(text)):
        raise Fault(f'"{text}" is no language standard', "write c++20, gnu++17 and the like")
    return text


def any_path(text: str) -> str:
    """A path that may lie anywhere."""
    return line(text)


def tree_path(text: str) -> str:
    """A path relative to the tree's root, with ``/``, that stays inside it."""
    line(text)
    if "\\" in text:
        raise Fault(f'"{text}" holds a backslash', "separate folders with /")
    if text.startswith("/") or PureWindowsPath(text).drive:
        raise Fault(f'"{text}" is absolute', "write it relative to the tree's root")
    parts = [part for part in text.split("/") if part != "."]
    if ".." in parts:
        raise Fault(f'"{text}" leaves the tree', "write it relative to the tree's root, without ..")
    if "" in parts[:-1]:
        raise Fault(f'"{text}" holds an empty folder name')
    return "/".join(parts) or "."


def literal_path(text: str) -> str:
    """A `tree_path` that names one file: it matches by equality."""
    if "*" in text or "?" in text:
        raise Fault(f'"{text}" holds a wildcard; it is compared by equality', "name one file")
    return tree_path(text)


def glob(text: str) -> str:
    """A glob relative to the tree's root."""
    path = tree_path(text)
    if path.startswith("!"):
        raise Fault(f'"{text}" is a negated glob; there are none', "list it under exclude")
    if path.endswith("/") or path == ".":
        raise Fault(f'"{text}" names a folder, no file', f'write "{path.rstrip("/.") + "/" if path != "." else ""}**"')
    _globbing(path)
    return path


def binary_glob(text: str) -> str:
    """A glob that may also leave the tree: what a build makes often lies outside."""
    line(text)
    if "\\" in text:
        raise Fault(f'"{text}" holds a backslash', "separate folders with /")
    _globbing(text)
    return text


def _globbing(text: str) -> None:
    rest = CHARACTER_CLASS.sub("", text)
    if "{" in rest:
        raise Fault(f'"{text}" holds braces, which mean nothing in a glob', "write one glob for each alternative")
    if "[" in rest:
        raise Fault(f'"{text}" is no glob: [ without ]')
    try:
        glob_pattern(text)
    except (re.error, OverflowError) as error:
        raise Fault(f'"{text}" is no glob: {error}') from None


def qualified_name(text: str) -> str:
    """The name of an entity or a type: qualified, or a ``::``-suffix, with or without a signature."""
    line(text)
    microsoft_mangled = text.startswith("?") and "@" in text
    if _NAME_WILDCARD.search(text) and not microsoft_mangled:
        raise Fault(f'"{text}" holds a wildcard; names match whole', "list every name")
    if text.endswith("::"):
        raise Fault(f'"{text}" is a prefix; names match whole', "list every name")
    return text


def function_name(text: str) -> str:
    """A `qualified_name` of no type: nothing but an operator ends in ``*``."""
    qualified_name(text)
    if text.endswith("*") and "operator" not in text:
        raise Fault(f'"{text}" holds a wildcard; names match whole', "list every name")
    return text


def name_glob(text: str) -> str:
    """A qualified name in which ``*`` stands for any part of a name."""
    line(text)
    if not text.strip("*:"):
        raise Fault(f'"{text}" matches every name')
    return text


def pattern(text: str) -> str:
    """A pattern on names: a substring, or a regular expression after ``re:``."""
    line(text)
    if text.startswith("re:"):
        try:
            re.compile(filled(text[3:]))
        except (re.error, OverflowError, RecursionError) as error:
            raise Fault(f'"{text}" is no regular expression: {error}') from None
    return text


def name_expression(text: str) -> str:
    """A regular expression with a group ``name``."""
    try:
        compiled = re.compile(filled(text))
    except (re.error, OverflowError, RecursionError) as error:
        raise Fault(f'"{text}" is no regular expression: {error}') from None
    if "name" not in compiled.groupindex:
        raise Fault(f'"{text}" has no group `name`', "write (?P<name>…) around what is counted")
    return text


def edge(text: str) -> tuple[str, str]:
    """The two files of an inclusion, from ``"a.h -> b.h"``."""
    ends = [end.strip() for end in re.split(r"\s->\s", line(text))]
    if len(ends) != 2 or not all(ends):
        raise Fault(f'"{text}" is no edge', 'write "includer -> included", paths from the root')
    if "*" in text or "?" in text:
        raise Fault(f'"{text}" holds a wildcard; edges are compared by equality', "name both files")
    return (_edge_end(ends[0]), _edge_end(ends[1]))


def _edge_end(text: str) -> str:
    """A path from the root; absolute for a file outside, as findings name it."""
    return text if text.startswith("/") else tree_path(text)
