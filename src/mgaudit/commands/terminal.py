"""Whether a person watches."""

from __future__ import annotations

import os
from typing import TextIO


def is_interactive(stream: TextIO) -> bool:
    """Whether a stream is a terminal that can do more than print lines, outside of CI."""
    ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
    return stream.isatty() and not ci and os.environ.get("TERM") != "dumb"
