"""The fact schema: the tables of the merged database, as ``mgaudit query`` sees them.

Rows that were extracted from a file are grouped into *slices*: what one unit saw in one file. Units that saw the same
share the slice, so a header is stored once, and replacing a unit touches only its own slices.
"""

from __future__ import annotations

from typing import Final

VERSION: Final = 10

TABLES: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE configuration (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, tracked INTEGER NOT NULL);
CREATE TABLE unit (
    id INTEGER PRIMARY KEY,
    configuration INTEGER NOT NULL REFERENCES configuration,
    path TEXT NOT NULL,
    variant INTEGER NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    preamble INTEGER REFERENCES unit,
    edges BLOB NOT NULL,
    claims BLOB NOT NULL,
    UNIQUE (configuration, path, variant, kind)
);
CREATE TABLE symbol (
    id INTEGER PRIMARY KEY,
    usr TEXT NOT NULL,
    place TEXT NOT NULL,
    name TEXT NOT NULL,
    qualified TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent INTEGER REFERENCES symbol,
    pattern INTEGER REFERENCES symbol,
    flags INTEGER NOT NULL,
    UNIQUE (usr, place)
);
CREATE TABLE claim (
    id INTEGER PRIMARY KEY,
    symbol INTEGER NOT NULL REFERENCES symbol,
    name TEXT NOT NULL,
    qualified TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent INTEGER NOT NULL,
    pattern INTEGER NOT NULL,
    flags INTEGER NOT NULL
);
CREATE TABLE slice (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, file INTEGER NOT NULL REFERENCES file);
CREATE TABLE unit_slice (
    unit INTEGER NOT NULL REFERENCES unit, slice INTEGER NOT NULL REFERENCES slice, PRIMARY KEY (unit, slice)
) WITHOUT ROWID;
CREATE TABLE reference_row (
    slice INTEGER NOT NULL REFERENCES slice,
    symbol INTEGER NOT NULL REFERENCES symbol,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    role INTEGER NOT NULL,
    parent INTEGER REFERENCES symbol
);
CREATE TABLE declaration_row (
    slice INTEGER NOT NULL REFERENCES slice,
    symbol INTEGER NOT NULL REFERENCES symbol,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    parent INTEGER REFERENCES symbol,
    type TEXT NOT NULL
);
CREATE TABLE slot_row (
    slice INTEGER NOT NULL REFERENCES slice,
    field INTEGER NOT NULL REFERENCES symbol,
    function INTEGER NOT NULL REFERENCES symbol,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL
);
CREATE TABLE use_row (
    slice INTEGER NOT NULL REFERENCES slice,
    symbol INTEGER NOT NULL REFERENCES symbol,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    receiver INTEGER REFERENCES symbol,
    origin INTEGER REFERENCES symbol,
    via INTEGER NOT NULL,
    arguments TEXT NOT NULL,
    closure INTEGER REFERENCES symbol
);
CREATE TABLE carry_row (
    slice INTEGER NOT NULL REFERENCES slice,
    symbol INTEGER NOT NULL REFERENCES symbol,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    carried INTEGER REFERENCES symbol,
    how INTEGER NOT NULL
);
CREATE TABLE call_row (
    slice INTEGER NOT NULL REFERENCES slice,
    caller INTEGER NOT NULL REFERENCES symbol,
    callee INTEGER REFERENCES symbol,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL,
    kind INTEGER NOT NULL
);
CREATE TABLE body (digest BLOB PRIMARY KEY, nodes BLOB NOT NULL, types BLOB NOT NULL);
CREATE TABLE body_row (
    slice INTEGER NOT NULL REFERENCES slice,
    symbol INTEGER NOT NULL REFERENCES symbol,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL,
    content BLOB NOT NULL REFERENCES body,
    symbols BLOB NOT NULL,
    files BLOB NOT NULL
);
CREATE TABLE demand_row (
    slice INTEGER NOT NULL REFERENCES slice,
    source INTEGER NOT NULL REFERENCES symbol,
    of INTEGER NOT NULL,
    target INTEGER NOT NULL REFERENCES symbol,
    part INTEGER NOT NULL,
    name TEXT NOT NULL,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL
);
CREATE TABLE emission_row (
    slice INTEGER NOT NULL REFERENCES slice,
    symbol INTEGER NOT NULL REFERENCES symbol,
    strength INTEGER NOT NULL,
    key INTEGER REFERENCES symbol
);
CREATE TABLE computed_row (
    slice INTEGER NOT NULL REFERENCES slice,
    symbol INTEGER NOT NULL REFERENCES symbol,
    line INTEGER NOT NULL,
    column INTEGER NOT NULL,
    kind TEXT NOT NULL,
    value TEXT NOT NULL
);
CREATE TABLE memo_row (slice INTEGER NOT NULL REFERENCES slice, data BLOB NOT NULL);
CREATE TABLE edge (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES file,
    line INTEGER NOT NULL,
    spelling TEXT NOT NULL,
    angled INTEGER NOT NULL,
    target INTEGER REFERENCES file,
    UNIQUE (source, line, spelling, angled, target)
);
CREATE TABLE skipped (
    unit INTEGER NOT NULL REFERENCES unit, file INTEGER NOT NULL REFERENCES file,
    first INTEGER NOT NULL, last INTEGER NOT NULL
);
CREATE TABLE diagnostic (
    unit INTEGER NOT NULL REFERENCES unit, severity INTEGER NOT NULL, file INTEGER REFERENCES file,
    line INTEGER NOT NULL, column INTEGER NOT NULL, message TEXT NOT NULL
);
CREATE TABLE base (unit INTEGER NOT NULL REFERENCES unit, derived INTEGER NOT NULL, base INTEGER NOT NULL);
CREATE TABLE override (unit INTEGER NOT NULL REFERENCES unit, method INTEGER NOT NULL, overridden INTEGER NOT NULL);
"""

# Built at once over a full table, an index takes a fraction of what it takes row by row.
INDEXES: Final = {
    "reference_by_symbol": "reference_row (symbol)",
    "reference_by_slice": "reference_row (slice)",
    "declaration_by_symbol": "declaration_row (symbol)",
    "declaration_by_slice": "declaration_row (slice)",
    "slot_by_slice": "slot_row (slice)",
    "use_by_slice": "use_row (slice)",
    "carry_by_slice": "carry_row (slice)",
    "call_by_slice": "call_row (slice)",
    "body_by_slice": "body_row (slice)",
    "body_by_symbol": "body_row (symbol)",
    "body_by_content": "body_row (content)",
    "demand_by_slice": "demand_row (slice)",
    "emission_by_slice": "emission_row (slice)",
    "computed_by_slice": "computed_row (slice)",
    "memo_by_slice": "memo_row (slice)",
    "slice_by_file": "slice (file)",
    "unit_by_slice": "unit_slice (slice)",
    "claim_by_symbol": "claim (symbol)",
    "symbol_by_name": "symbol (name, qualified)",
    "skipped_by_unit": "skipped (unit)",
    "diagnostic_by_unit": "diagnostic (unit)",
    "base_by_unit": "base (unit)",
    "override_by_unit": "override (unit)",
}

# What people and gates read: the rows of the selected configurations, once each, with names for the numbers.
# ``selected`` is a temporary table (slice, configurations as a bit mask) that `Facts` fills.
VIEWS: Final = """
CREATE TEMP VIEW reference AS
SELECT DISTINCT r.symbol, s.file, r.line, r.column, r.offset, r.role, r.parent, x.mask AS configurations
FROM reference_row r JOIN slice s ON s.id = r.slice JOIN selected x ON x.slice = r.slice;
CREATE TEMP VIEW declaration AS
SELECT DISTINCT d.symbol, s.file, d.line, d.column, d.offset, d.flags, d.parent, d.type, x.mask AS configurations
FROM declaration_row d JOIN slice s ON s.id = d.slice JOIN selected x ON x.slice = d.slice;
CREATE TEMP VIEW slot AS
SELECT DISTINCT t.field, t.function, s.file, t.line, t.column, x.mask AS configurations
FROM slot_row t JOIN slice s ON s.id = t.slice JOIN selected x ON x.slice = t.slice;
CREATE TEMP VIEW reference_text AS
SELECT f.path, r.line, r.column, y.qualified AS symbol, y.kind, r.role, p.qualified AS parent, r.configurations
FROM reference r JOIN file f ON f.id = r.file JOIN symbol y ON y.id = r.symbol LEFT JOIN symbol p ON p.id = r.parent;
CREATE TEMP VIEW declaration_text AS
SELECT f.path, d.line, d.column, y.qualified AS symbol, y.kind, d.flags, d.type, d.configurations
FROM declaration d JOIN file f ON f.id = d.file JOIN symbol y ON y.id = d.symbol;
CREATE TEMP VIEW include AS
SELECT e.id, s.path AS source, e.line, e.spelling, e.angled, t.path AS target
FROM edge e JOIN file s ON s.id = e.source LEFT JOIN file t ON t.id = e.target;
"""
