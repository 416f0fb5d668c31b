"""The tables that ``mgaudit query`` reads, with what each is for."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final

from mgaudit.commands import bits
from mgaudit.facts import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLES: Final[Mapping[str, str]] = {
    "reference_text": "every use, with names in place of numbers",
    "declaration_text": "every declaration, with names in place of numbers",
    "include": "every inclusion directive; target is NULL where nothing was found",
    "reference": "every use: role holds bits, parent is the symbol whose body holds it",
    "declaration": "every declaration of a symbol: flags hold bits",
    "slot": "functions stored into fields: targets of function tables and callbacks",
    "symbol": "every entity; pattern is the template that it instantiates or specialises",
    "claim": "what units say of a symbol, whose row is the best of its claims",
    "file": "every file; tracked is 1 where it belongs to the audited tree",
    "configuration": "the configurations",
    "bit": "the bit of each selected configuration in the configurations column of the views",
    "unit": "every parse: kind is source, header (a header alone) or preamble (a precompiled header)",
    "base": "a class and its base, by unit",
    "override": "a method and what it overrides, by unit",
    "diagnostic": "errors (severity 3) and fatal errors (4) of the front end, by unit",
    "skipped": "lines of a file that the preprocessor skipped, by unit",
    "edge": "what include is made of",
    "slice": "what one unit saw in one file; units that saw the same share it",
    "unit_slice": "which units hold which slices",
    "selected": "the slices of the selected configurations, with the configurations as bits",
    "reference_row": "what reference is made of, by slice",
    "declaration_row": "what declaration is made of, by slice",
    "slot_row": "what slot is made of, by slice",
    "use_row": "a close look at the uses of observed files: the object's class, its origin, the lambda around it",
    "carry_row": "which classes the types of uses' results and of declarations carry, by slice",
    "call_row": "calls that no reference tells, and calls without a known callee; kind is one of CallKind",
    "computed_row": "layouts of payloads in JSON, sizes that code asserts of them, and constants, where a gate asks",
    "body": "what functions do, as compact trees, encoded: see docs/bodies.md",
    "body_row": "which symbol has which body, by slice; symbols and files are packed ids that the tree names by index",
    "demand_row": "what the machine code of a definition will refer to, by mangled name, by slice",
    "emission_row": "what units define for the linker, and how strongly, by slice",
    "memo_row": "what declares, compares and stores what memos rest on, encoded: see docs/memos.md",
    "meta": "notes of the database about itself",
}


def render() -> str:
    """The tables, their columns, and the bits that some of these hold."""
    lines = ["Lines and columns are 1-based, columns and offsets in bytes; paths are relative to the root.", ""]
    for name, columns in _columns().items():
        lines += [f"{name}: {TABLES[name]}", f"    {', '.join(columns)}"]
    for title, names in (
        ("reference.role", bits.ROLES),
        ("declaration.flags", bits.DECLARATIONS),
        ("symbol.flags", bits.SYMBOLS),
        ("use_row.via", bits.VIAS),
        ("carry_row.how", bits.CARRIED),
    ):
        lines += ["", f"Bits of {title}:", *(f"    {bit:>6}  {name}" for bit, name in names.items())]
    lines += [
        "",
        "Example: who writes fields of a class",
        "    SELECT path, line, symbol, parent FROM reference_text",
        "    WHERE symbol LIKE '%::RenderState::%' AND role & 16",
    ]
    return "\n".join(lines) + "\n"


def _columns() -> dict[str, list[str]]:
    """The columns of every table and view, read from an empty database."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema.TABLES)
        connection.execute("CREATE TEMP TABLE bit (configuration, mask)")
        connection.execute("CREATE TEMP TABLE selected (slice, mask)")
        connection.executescript(schema.VIEWS)
        return {
            name: [row[1] for row in connection.execute("SELECT * FROM pragma_table_info(?)", (name,))]
            for name in TABLES
        }
    finally:
        connection.close()
