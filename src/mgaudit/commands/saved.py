"""Runs that `mgaudit check --output-format json` wrote, read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from mgaudit.domain.problems import UntrustedError
from mgaudit.domain.runs import Run
from mgaudit.reports import json as json_report

if TYPE_CHECKING:
    from pathlib import Path


def saved_run(file: Path) -> Run:
    """A run that a file holds.

    Raises:
        UntrustedError: It holds none.
    """
    try:
        return decoded_run(file.read_bytes())
    except OSError as error:
        raise UntrustedError.single(f"{file}: it cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        advice = "write one with `mgaudit check --sites --output-format json`"
        raise UntrustedError.single(f"{file}: it holds no run: {error}", help=advice) from None


def decoded_run(data: bytes) -> Run:
    """A run out of its JSON.

    Raises:
        msgspec.DecodeError: It is none.
    """
    run = msgspec.json.decode(data, type=Run)
    if run.schema != json_report.SCHEMA:
        raise msgspec.DecodeError(f"its schema is {run.schema}, not {json_report.SCHEMA}")
    return run
