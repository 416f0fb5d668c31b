"""A gate that cannot be trusted says nothing of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.domain.report import Report

TREE = {
    "src/state/context.h": "#pragma once\nextern int context;\n",
    "src/backend/draw.cpp": """#include <state/context.h>
#ifdef OTHER
int other() { return context; }
#endif
int draw() { return context; }
""",
}
OTHER = """
[[configuration]]
name = "other"
standard = "c++20"
include-dirs = ["src"]
defines = ["OTHER"]
"""
GATES = """
[[catalogue]]
name = "none"
file = "none.def"
list = "LIST"
columns = ["name", "payload", "entity", "verdict", "function", "mutator", "publishers", "accessor", "call"]
[[gate]]
id = "X"
kind = "%s"
configurations = ["split"]
%s
[[gate]]
id = "Z"
kind = "undeclared"
zones = ["backend"]
entities = ["context"]
"""


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("memo-keys", 'zones = ["backend"]\nfrontend = ["state"]\nhandle-types = ["Nothing"]'),
        ("reads", 'from = ["backend"]\nof = ["state"]\ncatalogue = "none"'),
        ("upcalls", 'from = ["backend"]\ninto = ["state"]\ncatalogue = "none"'),
        ("writebacks", 'from = ["backend"]\nof = ["state"]\ncatalogue = "none"'),
        ("mutations", 'from = ["backend"]\nof = ["state"]\ncatalogue = "none"\nreach = ["context"]'),
        ("catalogue", 'calls = "none"\npayload-namespace = "pipe"'),
        ("generated", 'file = "a.inc"\nsurface = "reads"'),
        ("symbol-purity", 'binaries = ["*.so"]\nforbid = ["state"]'),
    ],
)
def test_the_others_are_judged_in_all_configurations(audit: Callable[..., Report], kind: str, parameters: str) -> None:
    report = audit(TREE, OTHER + GATES % (kind, parameters))
    assert [(result.gate, str(result.status)) for result in report.gates if result.gate in "XZ"] == [
        ("X", "untrusted"), ("Z", "red"),
    ]  # fmt: skip
    found = [(f.line, f.configurations) for f in report.findings if f.gate == "Z"]
    assert found == [(3, ("other",)), (5, ("other", "split"))]
    assert report.exit_code == 2
