"""The history of measurements: one line of JSON each, in bench/history.jsonl."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
from pathlib import Path
from typing import Any

from mgaudit.commands.doctor_checks import is_compiled

FILE = Path(__file__).parent / "history.jsonl"


def record(found: dict[str, Any]) -> None:
    """Add a measurement, with the day, the machine, and whether the extraction was compiled."""
    head = {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "compiled": is_compiled(),
    }
    with FILE.open("a", encoding="utf-8") as history:
        history.write(json.dumps({**head, **found}) + "\n")
