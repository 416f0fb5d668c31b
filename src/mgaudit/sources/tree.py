"""The files of the audited tree: one walk, keyed by real path, sorted into zones."""

# Paths stay strings here: a walk and a database hold very many of them.
# ruff: noqa: PTH110, PTH114, PTH116, PTH117, PTH118, PTH122

from __future__ import annotations

import errno
import io
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mgaudit.domain.problems import Problem
from mgaudit.domain.zones import glob_pattern, matches_any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mgaudit.config.model import Settings
    from mgaudit.domain.zones import Zone

_SUFFIXES = (
    ".c .cc .cpp .cxx .c++ .cp .h .hh .hpp .hxx .h++ .ipp .inl .inc .ii .icc .tpp .tcc .txx .def .cppm .ccm .ixx"
)
CPP_SUFFIXES = frozenset((*_SUFFIXES.split(), ".m", ".mm"))
"""Suffixes of files that hold C, C++ or Objective-C, in lower case."""

_WILDCARD = re.compile(r"[*?\[]")


def file_content(path: str | Path) -> bytes:
    """What a regular file holds. A pipe would never answer, and a device never end.

    Raises:
        OSError: It cannot be read, or is no regular file.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
        return file.read()


def read_file(settings: Settings, name: str) -> bytes:
    """The content of a file by its name of `Places`, as this run has it.

    Raises:
        OSError: It cannot be read, or is no regular file.
    """
    planted = settings.overlay.get(name)
    return file_content(settings.places.file(name)) if planted is None else planted


def file_text(path: str | Path) -> str:
    """What a regular file of UTF-8 text holds, lines ending in line feeds.

    Raises:
        OSError: It cannot be read, or is no regular file.
        UnicodeDecodeError: It is not UTF-8.
    """
    return as_text(file_content(path))


def as_text(data: bytes) -> str:
    """UTF-8 text, lines ending in line feeds.

    Raises:
        UnicodeDecodeError: It is not UTF-8.
    """
    return io.StringIO(data.decode("utf-8"), newline=None).getvalue()


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


class PathResolver:
    """Turns any spelling of a path into the one key of its file.

    The key is the real path (links resolved): relative to the root with ``/`` where it lies inside, else absolute.
    Answers are remembered for the life of the resolver.
    """

    def __init__(self, root: Path) -> None:
        self._root = os.path.realpath(root)
        self.root = Path(self._root)
        self._keys: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self._absolutes: dict[tuple[str, str], str] = {}

    def key(self, path: str | Path) -> str:
        """The key of a path, absolute or relative to the root; the file need not exist."""
        spelled = os.fspath(path)
        known = self._keys.get(spelled)
        if known is None:
            known = self._keys[spelled] = self._relative(self._real(os.path.join(self._root, spelled)))
        return known

    def _real(self, path: str) -> str:
        """The real path. Most files share their folder with others, whose links are followed once."""
        folder, name = os.path.split(path)
        if os.sep != "/" or name in {"", ".", ".."}:  # elsewhere even a name may have another, real one
            return os.path.realpath(path)
        real = self._folders.get(folder)
        if real is None:
            real = self._folders[folder] = os.path.realpath(folder)
        path = os.path.join(real, name)
        return os.path.realpath(path) if os.path.islink(path) else path

    def is_inside(self, key: str) -> bool:
        """Whether a key names a file below the root."""
        return not os.path.isabs(key) and not _is_drive_path(key)

    def absolute(self, directory: str, value: str) -> str:
        """A path as an absolute one without ``..``, relative ones taken from the directory.

        The directory may be gone (a build folder that was cleaned): then ``..`` is resolved by spelling alone.
        """
        known = self._absolutes.get((directory, value))
        if known is None:
            known = self._absolutes[directory, value] = self._collapse(os.path.join(directory, value))
        return known

    @staticmethod
    def _collapse(joined: str) -> str:
        if _is_drive_path(joined) and os.sep == "/":
            return joined
        plain = os.path.normpath(joined)
        # Only where the folder before `..` is a link do the two differ; the compiler follows the link.
        if ".." in joined.split("/") and os.path.exists(joined):
            real = os.path.realpath(joined)
            return plain if os.path.realpath(plain) == real else real
        return plain

    def _relative(self, real: str) -> str:
        root = self._root
        prefix = root if root.endswith(os.sep) else root + os.sep
        if real.startswith(prefix):
            return real[len(prefix) :].replace(os.sep, "/")
        return real.replace(os.sep, "/")


def _is_drive_path(path: str) -> bool:
    return re.match(r"[A-Za-z]:[\\/]", path) is not None


@dataclass(frozen=True, slots=True)
class TreeFiles:
    """The files that the configuration selects.

    Attributes:
        root: The real root.
        files: Keys of all selected files, sorted (`PathResolver.key`).
        sources: Those that match ``tree.sources``.
        headers: Those that match ``tree.headers`` and are no sources.
        zones: The zones by name.
        occupied: Names of the zones that hold a file, an excluded one too.
        matched_headers: Those globs of ``tree.headers`` that match a file.
        problems: Folders that cannot be read.
        warnings: What was left out, and why.
    """

    root: Path
    files: tuple[str, ...]
    sources: tuple[str, ...]
    headers: tuple[str, ...]
    zones: Mapping[str, Zone]
    occupied: frozenset[str] = frozenset()
    matched_headers: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()

    def zones_of(self, path: str) -> tuple[str, ...]:
        """Names of the zones whose globs take the file, sorted; a file outside the root is in none.

        Args:
            path: A key.
        """
        if os.path.isabs(path) or _is_drive_path(path):
            return ()
        return tuple(sorted(name for name, zone in self.zones.items() if zone.has_path(path)))

    def in_zone(self, name: str) -> tuple[str, ...]:
        """The selected files of a zone, sorted."""
        zone = self.zones[name]
        return tuple(path for path in self.files if not os.path.isabs(path) and zone.has_path(path))


@dataclass(slots=True)
class _Selection:
    """What the walk gathers."""

    settings: Settings
    resolver: PathResolver
    sources: set[str] = field(default_factory=set)
    headers: set[str] = field(default_factory=set)
    zoned: set[str] = field(default_factory=set)
    occupied: set[str] = field(default_factory=set)
    matched_headers: set[str] = field(default_factory=set)
    warnings: list[Problem] = field(default_factory=list)

    def add(self, name: str, key: str) -> None:
        """Judges one file, seen under a name relative to the root."""
        tree = self.settings.tree
        excluded = matches_any(name, tree.exclude) or matches_any(key, tree.exclude)
        if not excluded:
            if matches_any(name, tree.sources):
                self.sources.add(key)
            for glob in tree.headers:
                if glob_pattern(glob).match(name):
                    self.headers.add(key)
                    self.matched_headers.add(glob)
        if not self.resolver.is_inside(key):
            return
        for zone in self.settings.zones.values():
            if any(_takes(glob, key) for glob in zone.paths):
                self.occupied.add(zone.name)
                if not excluded:
                    self.zoned.add(key)


def _takes(glob: str, key: str) -> bool:
    """Whether a zone's glob selects the file: a glob that spells no suffix means C++ files only."""
    last = glob.rpartition("/")[2]
    names_kind = not _WILDCARD.search(last) or re.search(r"\.[\w+]+\Z", last)
    if not names_kind and os.path.splitext(key)[1].lower() not in CPP_SUFFIXES:
        return False
    return glob_pattern(glob).match(key) is not None


def list_files(settings: Settings) -> TreeFiles:
    """Walks the tree once and selects its files.

    Links to files and folders are followed, each once and never upwards; a file counts under its real path, however
    many names lead to it. ``.git`` folders are skipped. ``exclude`` wins over everything but a zone's membership.
    """
    resolver = PathResolver(settings.root)
    chosen = _Selection(settings, resolver)
    walk = _Walk(resolver, _Pruning.of(settings))
    for name, key in walk.files():
        if not _is_text(name):
            if matches_any(name, (*settings.tree.sources, *settings.tree.headers)):
                shown = os.fsencode(name).decode("utf-8", "backslashreplace")
                walk.problems.append(
                    Problem(None, 0, f"the file name {shown} is not UTF-8", "rename the file or exclude it")
                )
            continue
        chosen.add(name, key)
    headers = chosen.headers - chosen.sources
    return TreeFiles(
        root=resolver.root,
        files=tuple(sorted(chosen.sources | headers | chosen.zoned)),
        sources=tuple(sorted(chosen.sources)),
        headers=tuple(sorted(headers)),
        zones=settings.zones,
        occupied=frozenset(chosen.occupied),
        matched_headers=frozenset(chosen.matched_headers),
        problems=tuple(sorted(walk.problems, key=str)),
        warnings=tuple(sorted(walk.warnings, key=str)),
    )


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Pruning:
    """Which folders can hold a selected file, by the literal beginnings of the globs."""

    wanted: tuple[str, ...]
    zones: tuple[str, ...]
    cut: tuple[str, ...]

    @classmethod
    def of(cls, settings: Settings) -> _Pruning:
        tree = settings.tree
        return cls(
            wanted=tuple(sorted({_literal_folder(g) for g in (*tree.sources, *tree.headers)})),
            zones=tuple(sorted({_literal_folder(g) for zone in settings.zones.values() for g in zone.paths})),
            cut=tuple(glob.removesuffix("/**") for glob in tree.exclude if glob.endswith("/**")),
        )

    def enters(self, folder: str) -> bool:
        """Whether the walk goes into a folder, named relative to the root."""
        if any(_related(folder, prefix) for prefix in self.zones):
            return True
        return any(_related(folder, prefix) for prefix in self.wanted) and not matches_any(folder, self.cut)


def _literal_folder(glob: str) -> str:
    """The folders of a glob before its first wildcard (``src/a/**/*.h`` → ``src/a``); the empty string is the root."""
    folders: list[str] = []
    for part in glob.split("/")[:-1]:
        if _WILDCARD.search(part):
            break
        folders.append(part)
    return "/".join(folders)


def _related(folder: str, prefix: str) -> bool:
    """Whether one of the two folders is the other or lies below it."""
    return not prefix or folder == prefix or folder.startswith(prefix + "/") or prefix.startswith(folder + "/")


class _Walk:
    """A depth-first walk in sorted order that follows each link once."""

    def __init__(self, resolver: PathResolver, pruning: _Pruning) -> None:
        self.resolver = resolver
        self.pruning = pruning
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self._followed: set[str] = set()

    def files(self) -> Iterator[tuple[str, str]]:
        """Yields (name relative to the root, key) of every regular file that the walk reaches."""
        root = str(self.resolver.root)
        # Folders reached through links wait until the rest is done, so that a real name always comes first.
        linked: list[tuple[str, str]] = []
        pending = [("", root)]
        while pending or linked:
            name, real = pending.pop() if pending else linked.pop(0)
            folders: list[tuple[str, str]] = []
            for entry in self._entries(name, real):
                below = f"{name}/{entry.name}" if name else entry.name
                if entry.is_symlink():
                    yield from self._link(below, entry, linked)
                elif entry.is_dir(follow_symlinks=False):
                    if entry.name != ".git" and self.pruning.enters(below):
                        folders.append((below, entry.path))
                elif entry.is_file(follow_symlinks=False):
                    yield below, self._key(entry.path)
            pending.extend(reversed(folders))

    def _key(self, real: str) -> str:
        # Folders are walked by their real path, so the entry's path needs no further resolution.
        return self.resolver._relative(real)  # noqa: SLF001

    def _entries(self, name: str, real: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(real) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.problems.append(
                Problem(
                    name or ".", 0, f"the folder cannot be read: {error.strerror}", "make it readable or exclude it"
                )
            )
            return []

    def _link(self, name: str, entry: os.DirEntry[str], linked: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        real = os.path.realpath(entry.path)
        try:
            mode = os.stat(real).st_mode
        except OSError:
            if os.path.splitext(name)[1].lower() in CPP_SUFFIXES:
                self.warnings.append(Problem(name, 0, "the link leads nowhere", "it is left out"))
            return
        if stat.S_ISREG(mode):
            yield name, self.resolver.key(real)
        elif stat.S_ISDIR(mode) and self._follows(name, entry.path, real):
            linked.append((name, real))

    def _follows(self, name: str, path: str, real: str) -> bool:
        root = str(self.resolver.root)
        upwards = root == real or root.startswith(real.rstrip(os.sep) + os.sep)
        if upwards or path in self._followed or not self.pruning.enters(name):
            return False
        # A link to a folder above itself only repeats names that the walk already has.
        if path.startswith(real + os.sep):
            return False
        self._followed.add(path)
        return True


def selection_problems(settings: Settings, files: TreeFiles) -> tuple[Problem, ...]:
    """Selections that hold nothing, each a reason not to trust a green run: a zone, or the sources.

    A zone of namespaces may hold entities instead of files. No `sources` at all is no selection where a compile
    database names the units of every configuration.
    """
    problems = [
        Problem(*settings.origins.get(f"zone.{name}", (settings.path, zone.line)),
                f"zone `{name}` holds no file", "correct its `paths`, or remove the zone")
        for name, zone in sorted(settings.zones.items())
        if zone.paths and not zone.namespaces and name not in files.occupied
    ]  # fmt: skip
    needs_sources = settings.tree.sources or any(not spec.compile_commands for spec in settings.configurations)
    if needs_sources and not files.sources:
        line = _tree_line(settings)
        globs = ", ".join(settings.tree.sources) or "none"
        problems.append(
            Problem(settings.path, line, f"`sources` ({globs}) match no file of the tree", "correct `tree.sources`")
        )
    return tuple(problems) + files.problems


def selection_warnings(settings: Settings, files: TreeFiles) -> tuple[Problem, ...]:
    """Globs of ``headers`` that match nothing, and what the walk left out."""
    line = _tree_line(settings)
    unmatched = tuple(
        Problem(settings.path, line, f"the `headers` glob `{glob}` matches no file", "correct `tree.headers`")
        for glob in settings.tree.headers
        if glob not in files.matched_headers
    )
    return unmatched + files.warnings


def _tree_line(settings: Settings) -> int:
    """The line of ``[tree]``, or 0 where a rule pack declares it."""
    try:
        lines = settings.file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    return next((number for number, line in enumerate(lines, 1) if re.match(r"\s*\[\s*tree\s*\]", line)), 0)
