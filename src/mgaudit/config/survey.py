"""A look at a tree that nothing is known of yet: what lies where, and from which folders its includes resolve.

Quick and by spelling alone: `mgaudit.config.starter` makes suggestions of it, no answer rests on it.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from mgaudit.config.standards import standard_of

_SOURCES = (".c++", ".cc", ".cpp", ".cxx")
_HEADERS = (".def", ".h", ".h++", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tpp")
_BUILD = re.compile(r"build.*|out|cmake-build-.*|_deps|node_modules|__pycache__|\..*", re.IGNORECASE)
_FOREIGN = re.compile(r"3rd[-_ ]?party|third[-_ ]?party|externals?|vendor|vendored|deps|dependencies|submodules", re.I)
_TESTS = re.compile(
    r"(?:.*[-_])?(?:unit)?(?:tests?|testing|bench(?:marks?)?|examples?|samples?|demos?|fuzz(?:ing)?)", re.I
)
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_C_LIBRARY = re.compile(
    r"(?:assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg|stdatomic"
    r"|stdbool|stddef|stdint|stdio|stdlib|string|tgmath|threads|time|uchar|wchar|wctype|unistd|pthread)\.h"
)
_MOST_READ = 1 << 20
_MOST_FOLDERS, _MOST_ZONES, _MOST_UNRESOLVED = 12, 16, 8


@dataclass(frozen=True, slots=True)
class Survey:
    """What a tree looks like. Paths are relative to the root with ``/``.

    Attributes:
        source_globs: Pairs of folder and suffix that hold translation units, most telling folders first.
        header_globs: Likewise for everything that is included.
        sources: How many translation units they match.
        headers: How many others.
        left_out: Folders below them that hold tests, examples or third-party code.
        databases: Compile databases, the likeliest first.
        standard: The language standard, as ``-std=`` takes it, or None.
        standard_origin: Where it comes from.
        include_dirs: Folders from which includes resolve, each with how many directives need it.
        unresolved: Spellings that resolve from nowhere, with how many directives have them, most first.
        zones: Folders that hold several files, with how many.
    """

    source_globs: tuple[tuple[str, str], ...]
    header_globs: tuple[tuple[str, str], ...]
    sources: int
    headers: int
    left_out: tuple[str, ...]
    databases: tuple[str, ...]
    standard: str | None
    standard_origin: str
    include_dirs: tuple[tuple[str, int], ...]
    unresolved: tuple[tuple[str, int], ...]
    zones: tuple[tuple[str, int], ...]


def survey(root: Path) -> Survey:
    """Look at a tree. Symbolic links are not followed, and what cannot be read is passed over."""
    files = _walk(root)
    foreign = {folder for file in files if (folder := _left_out(file)) is not None}
    own = [file for file in files if _left_out(file) is None]
    nested = [file for file in own if "/" in file]
    own = nested if any(file.endswith(_SOURCES) for file in nested) else own
    sources = [file for file in own if file.endswith(_SOURCES)]
    headers = [file for file in own if file.endswith(_HEADERS)]
    tops = {_top(file) for file in own}
    databases = _databases(root)
    standard, origin = standard_of(root, databases)
    include_dirs, unresolved = _resolution(root, own, files)
    return Survey(
        source_globs=_globs(sources),
        header_globs=_globs(headers),
        sources=len(sources),
        headers=len(headers),
        left_out=tuple(sorted(f for f in foreign if _top(f + "/") in tops or "." in tops)),
        databases=databases,
        standard=standard,
        standard_origin=origin,
        include_dirs=include_dirs,
        unresolved=unresolved,
        zones=_zones(own),
    )


def _walk(root: Path) -> list[str]:
    """Every C++ file outside build folders, in order."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not _BUILD.fullmatch(name) and _speakable(name))
        place = Path(folder).relative_to(root).as_posix()
        found += [
            posixpath.normpath(f"{place}/{name}")
            for name in names
            if name.endswith(_SOURCES + _HEADERS) and _speakable(name)
        ]
    return sorted(found)


def _speakable(name: str) -> bool:
    """Whether a name can stand in a glob."""
    return name.isprintable() and "\\" not in name and name == name.strip() and not name.startswith("!")


def _left_out(file: str) -> str | None:
    """The outermost folder of tests or third-party code that a file lies in."""
    parts = file.split("/")[:-1]
    for index, part in enumerate(parts):
        if _FOREIGN.fullmatch(part) or _TESTS.fullmatch(part):
            return "/".join(parts[: index + 1])
    return None


def _top(file: str) -> str:
    return file.split("/", 1)[0] if "/" in file else "."


def _globs(files: list[str]) -> tuple[tuple[str, str], ...]:
    """Folders and suffixes that select the files: the folders with most files first."""
    pairs = Counter((_top(file), posixpath.splitext(file)[1]) for file in files)
    tops = Counter(_top(file) for file in files)
    return tuple(sorted(pairs, key=lambda pair: (-tops[pair[0]], pair)))


def _databases(root: Path) -> tuple[str, ...]:
    name = "compile_commands.json"
    patterns = (name, f"build*/{name}", f"cmake-build-*/{name}", f"out/{name}", f"build*/*/{name}", f"out/*/{name}")
    found = [path.relative_to(root).as_posix() for pattern in patterns for path in sorted(root.glob(pattern))]
    return tuple(dict.fromkeys(path for path in found if (root / path).is_file() and path.isprintable()))


def _zones(files: list[str]) -> tuple[tuple[str, int], ...]:
    """Below each top folder, the first level at which it branches; folders with at least two files."""
    by_top = defaultdict(list)
    for file in files:
        by_top[_top(file)].append(file)
    zones: Counter[str] = Counter()
    for top, members in by_top.items():
        if top == ".":
            continue
        base = posixpath.commonpath([posixpath.dirname(file) for file in members])
        depth = base.count("/") + 1
        below = Counter("/".join(f.split("/")[: depth + 1]) for f in members if f.count("/") > depth)
        zones.update(below if below else {base: len(members)} if len(by_top) > 1 else {})
    several = sorted((folder, count) for folder, count in zones.items() if count > 1)
    largest = sorted(several, key=lambda item: (-item[1], item[0]))[:_MOST_ZONES]
    return tuple(sorted(largest))


def _resolution(
    root: Path, own: list[str], files: list[str]
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]:
    """The fewest folders, greedily, from which the tree's includes resolve, and what resolves from none."""
    wanted = _wanted(root, own, frozenset(files))
    by_name = defaultdict(list)
    for file in files:
        by_name[posixpath.basename(file)].append(file)
    offers: dict[str, set[str]] = defaultdict(set)
    for spelling in wanted:
        for file in by_name[posixpath.basename(spelling)]:
            if file == spelling or file.endswith("/" + spelling):
                offers[file[: -len(spelling)].rstrip("/") or "."].add(spelling)
    chosen: list[tuple[str, int]] = []
    left = dict(wanted)
    while offers and len(chosen) < _MOST_FOLDERS:
        gains = {folder: sum(left.get(s, 0) for s in spellings) for folder, spellings in offers.items()}
        best = min(
            gains, key=lambda folder: (-gains[folder], _left_out(f"{folder}/x") is not None, folder.count("/"), folder)
        )
        if not gains[best]:
            break
        chosen.append((best, gains[best]))
        for spelling in offers.pop(best):
            left.pop(spelling, None)
    unresolved = sorted(left.items(), key=lambda item: (-item[1], item[0]))[:_MOST_UNRESOLVED]
    return tuple(chosen), tuple(unresolved)


def _wanted(root: Path, own: list[str], files: frozenset[str]) -> dict[str, int]:
    """Spellings that do not resolve beside the including file, with how many directives have them."""
    wanted: Counter[str] = Counter()
    for file in own:
        folder = posixpath.dirname(file)
        for quoted, angled in _INCLUDE.findall(_head(root / file)):
            spelling = (quoted or angled).decode(errors="replace").strip()
            beside = posixpath.normpath(posixpath.join(folder, spelling))
            standard = "." not in spelling or _C_LIBRARY.fullmatch(spelling)
            if not (quoted and beside in files) and not standard and spelling.isprintable():
                wanted[posixpath.normpath(spelling)] += 1
    return {spelling: count for spelling, count in wanted.items() if not spelling.startswith((".", "/"))}


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(_MOST_READ)
    except OSError:
        return b""
