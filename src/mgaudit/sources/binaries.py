"""Binaries: what their symbol tables say. Input that cannot be read whole and surely is refused, never guessed."""

from __future__ import annotations

import io
import stat
from typing import TYPE_CHECKING, BinaryIO

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.sources.binaries_archive import Member, is_beside, read_members
from mgaudit.sources.binaries_elf import read_elf
from mgaudit.sources.binaries_formats import Format, sniff
from mgaudit.sources.binaries_model import Binary, ObjectFile
from mgaudit.sources.binaries_stream import MalformedError, Window

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


def read_binaries(files: Iterable[tuple[Path, str]], planted: Mapping[str, bytes] | None = None) -> tuple[Binary, ...]:
    """Read several binaries.

    Args:
        files: The file on disk and the path that reports name it by.
        planted: What stands in for the content of files, by that path.

    Raises:
        UntrustedError: Some cannot be read; carries the problems of all.
    """
    binaries: list[Binary] = []
    problems: list[Problem] = []
    for file, path in files:
        try:
            binaries.append(read_binary(file, path, (planted or {}).get(path)))
        except UntrustedError as error:
            problems.extend(error.problems)
    if problems:
        raise UntrustedError(problems)
    return tuple(binaries)


def read_binary(file: Path, path: str, planted: bytes | None = None) -> Binary:
    """Read an ELF object, shared library or executable, or a static archive of objects.

    Args:
        file: The file on disk.
        path: How reports name it.
        planted: What stands in for its content, if anything does.

    Raises:
        UntrustedError: It is missing, truncated, corrupt or of a format without symbols that can be read (link-time
            optimisation, Mach-O, PE); an archive's problems name each member at fault.
    """
    try:
        return _read_file(file, path, planted)
    except MalformedError as error:
        raise UntrustedError([_problem(path, error)]) from error


def _problem(path: str, error: MalformedError, member: str = "") -> Problem:
    prefix = f"member {member!r}: " if member else ""
    return Problem(path, 0, prefix + error.message, error.help)


def _open(file: Path) -> BinaryIO:
    try:
        # Checked first: opening a pipe would wait for its other end.
        if not stat.S_ISREG(file.stat().st_mode):
            raise MalformedError("not a regular file")
        return file.open("rb")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise MalformedError(f"cannot be read: {reason}", "build it first, or correct the path") from error


def _window(stream: BinaryIO) -> Window:
    size = stream.seek(0, 2)
    return Window(stream, 0, size)


def _read_file(file: Path, path: str, planted: bytes | None) -> Binary:
    with _open(file) if planted is None else io.BytesIO(planted) as stream:
        window = _window(stream)
        found = sniff(window)
        if found is Format.ELF:
            return Binary(path, is_archive=False, objects=(read_elf(window, path),))
        objects = list(_read_archive(file, path, stream, thin=found is Format.THIN_ARCHIVE))
    return Binary(path, is_archive=True, objects=tuple(objects))


def _read_archive(file: Path, path: str, stream: BinaryIO, *, thin: bool) -> Iterator[ObjectFile]:
    problems: list[Problem] = []
    members = read_members(_window(stream), thin=thin)
    outside = _ThinMembers(file, path)
    while True:
        # A corrupt header ends the walk, a corrupt member does not.
        try:
            member = next(members, None)
        except MalformedError as error:
            problems.append(_problem(path, error))
            break
        if member is None:
            break
        try:
            if thin:
                yield outside.read(member)
            else:
                yield _read_member(Window(stream, member.offset, member.size), path, member)
        except MalformedError as error:
            problems.append(_problem(path, error, member.name))
    if problems:
        raise UntrustedError(problems)


def _read_member(window: Window, path: str, member: Member) -> ObjectFile:
    if sniff(window) is not Format.ELF:
        raise MalformedError("an archive within an archive: cannot be judged", "name the inner archive itself")
    return read_elf(window, path, member.name, member.ordinal)


class _ThinMembers:
    """The files that a thin archive names; each is read once, however often it is named."""

    def __init__(self, archive: Path, path: str) -> None:
        self._folder = archive.parent.resolve()
        self._path = path
        self._read: dict[str, ObjectFile] = {}

    def read(self, member: Member) -> ObjectFile:
        known = self._read.get(member.name)
        if known is not None:
            return ObjectFile(self._path, member.name, member.ordinal, known.kind, known.machine, known.symbols)
        file = self._folder / member.name
        if not is_beside(member.name) or not file.resolve().is_relative_to(self._folder):
            raise MalformedError("a thin archive's member outside the archive's folder", "build an ordinary archive")
        with _open(file) as stream:
            found = _read_member(_window(stream), self._path, member)
        self._read[member.name] = found
        return found
