"""What a fill table says beside its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.domain.report import Report

GATE = """
[verbs]
tables = ["Table"]
[[catalogue]]
name = "reads"
columns = ["accessor", "call"]
rows = [{ accessor = "size", call = "Set" }]
[[catalogue]]
name = "verbs"
columns = ["verb", "class"]
rows = [{ verb = "draw", class = "kDraw" }, { verb = "clear", class = "kClear" }]
[[catalogue]]
name = "fields"
columns = ["class", "field"]
rows = [{ class = "kDraw", field = "size" }]
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
fill = { verbs = "verbs", fields = "fields" }
"""
SOURCE = """
#include "state/context.h"
struct Table { void (*draw)(State*); void (*clear)(State*); };
static void Draw(State* s) { (void)s->size; }
Table t = {.draw = Draw};
"""


def test_a_slot_that_nothing_fills_is_said_to_be_unknown(audit: Callable[..., Report]) -> None:
    state = "#pragma once\nstruct State { int size; };\n"
    report = audit({"src/state/context.h": state, "src/backend/a.cpp": SOURCE}, GATE)
    (finding,) = report.findings
    assert str(finding.severity) == "warning"
    assert finding.message == "no function is seen to be stored into clear: what it reads is not known"


def test_a_read_that_nothing_maps_still_exercises_its_pair(audit: Callable[..., Report]) -> None:
    """The advice to remove the pair would make two errors out of one."""
    state = "#pragma once\nstruct State { int size; int width; };\n"
    source = SOURCE.replace("(void)s->size;", "(void)s->size; (void)s->width;").replace("void (*clear)(State*); ", "")
    gate = GATE.replace(', { verb = "clear", class = "kClear" }', "").replace(
        'field = "size" }]', 'field = "size" }, { class = "kDraw", field = "width" }]'
    )
    report = audit({"src/state/context.h": state, "src/backend/a.cpp": source}, gate)
    (finding,) = report.findings
    assert finding.message.startswith("State::width")
