"""Rule packs: which files a configuration extends, and how their tables become one.

Later files override: zones by name, gates by id, catalogues, configurations and legacy counts by name, ``[effects]``
and ``[containers]`` by key. Of an overridden table, keys that the later one sets are replaced as a whole and the others
kept; a gate that changes its kind starts anew. ``[tree]`` and ``[verbs]`` are single tables and merge likewise.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING

from mgaudit import __version__
from mgaudit.config import places
from mgaudit.config.fields import INVALID, check_keys, keys_of, read_record, wrong_type
from mgaudit.config.log import nearest
from mgaudit.config.tables import HeadTable, ZoneTable
from mgaudit.config.texts import Fault, line
from mgaudit.config.toml import Node, TomlError, parse
from mgaudit.config.version import check_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from mgaudit.config.log import Log

FILE_NAME = "mgaudit.toml"
LISTS = {"configuration": "name", "catalogue": "name", "gate": "id", "legacy": "name"}
TABLES = ("tree", "zone", "verbs", "limits", "effects", "containers")


@dataclass(slots=True)
class Merged:
    """The tables of all files, by what identifies them; a list's table without a usable name has its number.

    Attributes:
        main: The configuration's own file.
        tree: ``[tree]``; its place is that of the last file that has one.
        verbs: ``[verbs]``.
        limits: ``[limits]``.
        zones: By dotted name.
        lists: For ``configuration``, ``catalogue``, ``gate`` and ``legacy``: tables by name or id.
        effects: By function.
        containers: By template.
        required_version: Of the file itself.
    """

    main: Node
    tree: Node
    verbs: Node
    limits: Node
    zones: dict[str | int, Node] = field(default_factory=dict)
    lists: dict[str, dict[str | int, Node]] = field(default_factory=lambda: {name: {} for name in LISTS})
    effects: dict[str, Node] = field(default_factory=dict)
    containers: dict[str, Node] = field(default_factory=dict)
    required_version: str | None = None


def shipped_packs() -> dict[str, Path]:
    """The rule packs of the package by name."""
    return {file.parent.name: file for file in sorted(places.rules_folder().glob(f"*/{FILE_NAME}"))}


def read_document(file: Path, log: Log) -> tuple[Node, bytes] | None:
    """The file's tables and bytes, or None with the problem noted."""
    try:
        content = file.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        log.add_file(file, 0, f"cannot read the configuration: {reason}")
        return None
    try:
        return parse(content, file), content
    except TomlError as error:
        log.add_file(file, error.line, error.message)
        return None


class Files:
    """The configuration and every file that it extends, each once, a file after those that it extends.

    Attributes:
        documents: Their tables.
        digests: A digest of each file's content.
    """

    def __init__(self, log: Log) -> None:
        self.documents: list[Node] = []
        self.digests: dict[Path, str] = {}
        self._log = log
        self._digest = hashlib.blake2b(digest_size=16)
        self._done: set[Path] = set()

    @property
    def digest(self) -> str:
        """A digest of every file's content, in order."""
        return self._digest.hexdigest()

    def add(self, document: Node, content: bytes, chain: tuple[Path, ...] = ()) -> None:
        """Add a document after what it extends.

        Args:
            document: Its tables.
            content: Its bytes.
            chain: The files that led here.
        """
        self._done.add(document.file)
        extends = document.table.get("extends")
        for item in extends.items if extends else ():
            if isinstance(item.value, str):
                self._extend(item, item.value, (*chain, document.file))
        self._digest.update(len(content).to_bytes(8, "big") + content)
        self.digests[document.file] = hashlib.blake2b(content, digest_size=16).hexdigest()
        self.documents.append(document)

    def _extend(self, item: Node, text: str, chain: tuple[Path, ...]) -> None:
        try:
            file = _pack(text, item.file.parent)
        except Fault as fault:
            self._log.add_fault(item, "extends", fault)
            self._log.incomplete = True
            return
        if file in chain:
            names = [self._log.name(path) for path in (*chain[chain.index(file) :], file)]
            self._log.add(item, f"extends: a cycle, {' -> '.join(names)}")
        elif file not in self._done:
            found = read_document(file, self._log)
            self._done.add(file)
            if found:
                self.add(*found, chain)
            else:
                self._log.incomplete = True


def _pack(text: str, folder: Path) -> Path:
    """The file that an entry of ``extends`` means: a shipped pack by name, else a file or folder by path."""
    line(text)
    packs = shipped_packs()
    if text in packs:
        return packs[text]
    if "\\" in text:
        raise Fault(f'"{text}" holds a backslash', "separate folders with /")
    if text.startswith("/") or PureWindowsPath(text).drive:
        raise Fault(f'"{text}" is absolute', "write it relative to this file")
    try:
        file = (folder / text).resolve()
        file = file / FILE_NAME if file.is_dir() else file
        if file.is_file():
            return file
    except (OSError, ValueError, RuntimeError):
        pass
    help_ = nearest(text, packs, "shipped packs") or "write a path relative to this file"
    raise Fault(f'no rule pack "{text}": neither a shipped one nor a file or folder here', help_)


def merge(documents: list[Node], log: Log) -> Merged:
    """Merge documents in order, the last one the configuration itself."""
    main = documents[-1]
    merged = Merged(main, Node({}, main.file, 1, 1), Node({}, main.file, 1, 1), Node({}, main.file, 1, 1))
    for document in documents:
        _merge_one(document, merged, log)
    return merged


def _merge_one(document: Node, merged: Merged, log: Log) -> None:
    check_keys(document, (*keys_of(HeadTable), *TABLES, *LISTS), "the configuration", log)
    head = read_record(HeadTable, document, "the configuration", log)
    if head is not INVALID:
        merged.required_version = head.required_version
        if head.required_version is not None:
            try:
                check_version(head.required_version, __version__)
            except Fault as fault:
                log.add_fault(document.table["required-version"], "required-version", fault)
    tables = {name: _table(document, name, log) for name in TABLES}
    if (tree := tables["tree"]) is not None:
        merged.tree = _overridden(merged.tree, tree)
    if (verbs := tables["verbs"]) is not None:
        merged.verbs = _overridden(merged.verbs, verbs)
    if (limits := tables["limits"]) is not None:
        merged.limits = _overridden(merged.limits, limits)
    for name, known in (("effects", merged.effects), ("containers", merged.containers)):
        if (table := tables[name]) is not None:
            known.update(table.table)
    _merge_named(merged.zones, _zones(tables["zone"], log), "zone", log)
    for name, key in LISTS.items():
        _merge_named(merged.lists[name], _entries(document, name, key, log), name, log)


def _table(document: Node, name: str, log: Log) -> Node | None:
    node = document.table.get(name)
    if node is None or isinstance(node.value, dict):
        return node
    wrong_type(node, name, "a table", log)
    return None


def _overridden(earlier: Node, later: Node) -> Node:
    return Node(earlier.table | later.table, later.file, later.line, later.column)


def _merge_named(target: dict[str | int, Node], entries: Iterator[tuple[str | int, Node]], what: str, log: Log) -> None:
    seen: dict[str | int, Node] = {}
    for name, node in entries:
        if name in seen:
            identity = node.table.get(LISTS.get(what, ""), node)
            log.add(identity, f'duplicate {what} "{name}"; the first is at line {seen[name].line}')
            target[id(node)] = node
            continue
        seen[name] = node
        earlier = target.get(name)
        fresh = earlier is None or _other_kind(earlier.table, node.table)
        target[name] = node if earlier is None or fresh else _overridden(earlier, node)


def _other_kind(earlier: Mapping[str, Node], later: Mapping[str, Node]) -> bool:
    return "kind" in later and "kind" in earlier and later["kind"].value != earlier["kind"].value


def _entries(document: Node, name: str, key: str, log: Log) -> Iterator[tuple[str | int, Node]]:
    """The tables of an array of tables, by name; by a number of their own where the name is missing or wrong."""
    node = document.table.get(name)
    if node is None:
        return
    if not isinstance(node.value, list):
        wrong_type(node, name, f"an array of tables, [[{name}]]", log)
        return
    for item in node.items:
        if not isinstance(item.value, dict):
            wrong_type(item, name, "a table", log)
            continue
        identity = item.table.get(key)
        usable = identity is not None and isinstance(identity.value, str) and identity.value.strip()
        yield (identity.value if identity and usable else id(item)), item  # type: ignore[misc]


def _zones(table: Node | None, log: Log, prefix: str = "") -> Iterator[tuple[str | int, Node]]:
    """The zones by dotted name: ``[zone.backend.gles]`` is the zone ``backend.gles``."""
    own_keys = keys_of(ZoneTable)
    for key, node in table.table.items() if table else ():
        if prefix and key in own_keys:
            continue
        name = f"{prefix}{key}"
        if not key.strip():
            log.add(node, "zone: a name must not be empty")
        elif not isinstance(node.value, dict):
            if prefix:
                log.add(node, f'unknown key "{key}" in zone "{prefix[:-1]}"', nearest(key, own_keys, "known keys"))
            else:
                wrong_type(node, f'zone "{name}"', "a table", log)
        else:
            own = {k: v for k, v in node.table.items() if k in own_keys}
            nested = any(isinstance(v.value, dict) for k, v in node.table.items() if k not in own_keys)
            if own or not nested:
                yield name, Node(own, node.file, node.line, node.column)
            yield from _zones(node, log, f"{name}.")
