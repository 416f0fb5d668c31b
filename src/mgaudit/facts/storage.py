"""The database's file: opened, sealed, and replaced where it is damaged.

SQLite notices a damaged structure, but not a damaged value. So whenever all of the database is in its file, a digest of
the file is written beside it, the *seal*; a file without its seal is not believed. The journal needs none: SQLite has
checksums there, and what a killed run left in it goes away with the file.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from pathlib import Path
from typing import Final

from filelock import FileLock

from mgaudit.facts import schema

MEMORY: Final = ":memory:"
Identity = tuple[int, int]
_SEAL: Final = ".sum"
_PATIENCE: Final = 60  # seconds: another process may be updating


def alone(path: str) -> contextlib.AbstractContextManager[object]:
    """Keeps other processes from creating, replacing or updating the file meanwhile."""
    return FileLock(path + ".lock") if path != MEMORY else contextlib.nullcontext()


def opened(path: str) -> sqlite3.Connection:
    """Open the database, creating its tables.

    Raises:
        sqlite3.DatabaseError: It is damaged or has another schema.
    """
    connection = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)
    try:
        connection.execute("PRAGMA journal_mode = WAL")  # a reader keeps its snapshot while another process writes
        connection.execute("PRAGMA synchronous = NORMAL")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            connection.executescript(f"BEGIN IMMEDIATE; {schema.TABLES} PRAGMA user_version = {schema.VERSION};")
            index(connection)
            connection.execute("COMMIT")
        elif version != schema.VERSION:
            message = f"schema {version}, wanted {schema.VERSION}"
            raise sqlite3.DatabaseError(message)
    except BaseException:
        connection.close()
        raise
    return connection


def index(connection: sqlite3.Connection) -> None:
    """Build the indexes of the tables."""
    for name, columns in schema.INDEXES.items():
        connection.execute(f"CREATE INDEX {name} ON {columns}")


def drop_indexes(connection: sqlite3.Connection) -> None:
    """Drop them, before very many rows are inserted."""
    for name in schema.INDEXES:
        connection.execute(f"DROP INDEX {name}")


def reopened(path: str) -> sqlite3.Connection:
    """Open the database, or a new one in the place of one that is damaged; the caller is alone.

    Raises:
        sqlite3.Error: The disk refuses.
        OSError: Likewise.
    """
    if not _is_sealed(path):
        _delete(path)
    try:
        return opened(path)
    except sqlite3.DatabaseError:
        _delete(path)
        return opened(path)


def commit(connection: sqlite3.Connection, path: str) -> None:
    """Commit a transaction and seal the file; the caller is alone.

    While another process reads an older state, the journal cannot be emptied, and there is no seal.
    """
    if path == MEMORY:
        connection.execute("COMMIT")
        return
    Path(path + _SEAL).unlink(missing_ok=True)
    connection.execute("COMMIT")
    connection.execute("PRAGMA busy_timeout = 0")
    (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {_PATIENCE * 1000}")
    if not is_busy:
        with contextlib.suppress(OSError):  # on a full disk, say: the next run begins anew
            Path(path + _SEAL).write_bytes(_digest(path))


def discard(path: str) -> None:
    """Delete a database and its journals, so that the next one to open it begins anew."""
    if path != MEMORY:
        with alone(path):
            _delete(path)


def identity(path: str) -> Identity | None:
    """Which file lies at a path, as long as somebody holds it open; None of a database in memory."""
    if path == MEMORY:
        return None
    status = Path(path).stat()
    return status.st_dev, status.st_ino


def is_complete(connection: sqlite3.Connection) -> bool:
    """Whether the file holds all that the journal does, which it then keeps until the next commit."""
    (_, length, done) = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return bool(length == done)


def forked(path: str, file: Identity) -> sqlite3.Connection | None:
    """The database that the parent of a forked process reads, opened anew; None where it is gone or replaced.

    SQLite's locks do not survive a fork, so none is taken: as long as the parent process keeps a snapshot that it took
    when the file was complete, nobody writes into the file.
    """
    with contextlib.suppress(sqlite3.Error, OSError):
        connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?immutable=1", uri=True, isolation_level=None)
        connection.execute("SELECT COUNT(*) FROM meta").fetchone()
        return connection if identity(path) == file else None
    return None


def _is_sealed(path: str) -> bool:
    try:
        return Path(path + _SEAL).read_bytes() == _digest(path)
    except OSError:
        return False


def _digest(path: str) -> bytes:
    """Of all of the file, and of its name: another tree's database is none of this one."""
    with Path(path).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")  # the fastest one where the processor knows it
    digest.update(Path(path).name.encode())
    return digest.digest()


def _delete(path: str) -> None:
    for suffix in ("", "-wal", "-shm", _SEAL):
        Path(path + suffix).unlink(missing_ok=True)
