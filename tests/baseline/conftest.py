from __future__ import annotations

from collections.abc import Callable

import pytest

from mgaudit.domain.findings import Finding, Severity

Make = Callable[..., Finding]


@pytest.fixture(scope="session")
def finding() -> Make:
    """Makes a finding of an identity; its line counts up unless given."""
    lines = iter(range(1, 10**9))

    def make(*identity: str, severity: Severity = Severity.ERROR, line: int | None = None) -> Finding:
        return Finding(
            "A", "include-purity", severity, "a message", "", "a.cpp", next(lines) if line is None else line, 1, "e",
            identity=identity,
        )  # fmt: skip

    return make
