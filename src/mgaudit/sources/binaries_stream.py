"""A window on an open file: an archive member reads like a file of its own, and nothing beyond its end."""

from __future__ import annotations

import io
from typing import BinaryIO


class MalformedError(Exception):
    """The bytes are not what they claim to be. Carries one line for the user, and what to do."""

    def __init__(self, message: str, help: str = "") -> None:  # noqa: A002
        super().__init__(message)
        self.message = message
        self.help = help


class Window:
    """Bytes ``start`` to ``start + size`` of a file, seekable, with the subset of file methods that readers need."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._position = 0
        self.size = size

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move the position, as files do."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def tell(self) -> int:
        """The position, in bytes from the window's start."""
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes, all if negative; fewer at the window's end."""
        left = max(0, self.size - self._position)
        wanted = left if size < 0 else min(size, left)
        if not wanted:
            return b""
        self._file.seek(self._start + self._position)
        data = self._file.read(wanted)
        self._position += len(data)
        return data

    def exactly(self, offset: int, size: int, what: str) -> bytes:
        """The bytes of one range.

        Raises:
            MalformedError: The range leaves the window; ``what`` names its contents.
        """
        if offset + size > self.size:
            raise MalformedError(
                f"truncated: {what} should end at byte {offset + size}, the file has {self.size}", "rebuild the file"
            )
        self.seek(offset)
        data = self.read(size)
        if len(data) != size:
            raise MalformedError(f"truncated: {what} could not be read whole", "rebuild the file")
        return data
