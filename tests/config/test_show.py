from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from mgaudit.config.loader import load
from mgaudit.config.show import render
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from mgaudit.config.model import Settings

PACK = """\
schema = 1
[zone.backend]
paths = ["src/backend/**"]
[[gate]]
id = "A"
kind = "include-purity"
from = ["backend"]
forbid = ["state"]
"""
TEXT = """\
schema = 1
extends = ["pack.toml"]
[tree]
name = 'quote " \\ é'
sources = ["src/**/*.cpp"]
[[configuration]]
name = "split"
required = false
force-includes = ["a.h"]
stub-headers = { "x.h" = "line\\n\\ttwo\\u007f" }
[zone."a b"]
paths = ["x/**"]
[zone.state]
namespaces = ["mg"]
[[catalogue]]
name = "calls"
file = "calls.def"
list = "LIST"
columns = ["name", "payload", "flags"]
[[gate]]
id = "A"
poison = true
exempt = [{ edge = "a -> b", count = 2, reason = "r" }, { path = "p", reason = "r" }]
[[gate]]
id = "P"
kind = "catalogue"
severity = "note"
calls = "calls"
payload-namespace = "mg"
implies = [{ when = { flags = "kA" }, then = { payload-has = "B" }, both = true }]
[[gate]]
id = "M"
kind = "symbol-purity"
sources = { from = ["backend"], forbid = ["state"] }
[limits]
unit-megabytes = 512
[effects."std::copy"]
writes = [2]
[containers.Map]
key = 0
deep = { a = 1.5, b = [true] }
"""


def without_places(settings: Settings) -> Settings:
    return dataclasses.replace(
        settings,
        path="",
        file=Path(),
        digest="",
        documents={},
        origins={},
        required_version=None,
        zones={name: dataclasses.replace(zone, line=0) for name, zone in settings.zones.items()},
        configurations=tuple(
            dataclasses.replace(c, path="", line=0, force_includes=()) for c in settings.configurations
        ),
        catalogues={
            name: dataclasses.replace(c, path="", line=0, rows=tuple(dict(row.columns) for row in c.rows))  # type: ignore[misc]
            for name, c in settings.catalogues.items()
        },
        gates=tuple(
            dataclasses.replace(
                gate,
                path="",
                line=0,
                places={},
                exempt=tuple(dataclasses.replace(e, path="", line=0) for e in gate.exempt),
            )
            for gate in settings.gates
        ),
    )


def shown(folder: Path) -> tuple[Settings, str]:
    (folder / "pack.toml").write_text(PACK, encoding="utf-8")
    (folder / "mgaudit.toml").write_text(TEXT, encoding="utf-8")
    settings = load(folder / "mgaudit.toml", PARAMETERS)
    return settings, render(settings)


def test_what_is_shown_means_the_same(tmp_path: Path) -> None:
    settings, text = shown(tmp_path)
    (tmp_path / "shown.toml").write_text(text, encoding="utf-8")

    again = load(tmp_path / "shown.toml", PARAMETERS)

    assert without_places(again) == without_places(settings)
    assert [item.value for item in again.configurations[0].force_includes] == ["a.h"]


def test_every_table_says_where_it_is_written(tmp_path: Path) -> None:
    _, text = shown(tmp_path)

    assert "# pack.toml:2\n[zone.backend]\n" in text
    assert '# mgaudit.toml:11\n[zone."a b"]\n' in text
    assert '# mgaudit.toml:20\n[[gate]]\nid = "A"\n' in text
    assert '# always there\n[[gate]]\nid = "health"\n' in text
    assert '[effects]\n# mgaudit.toml:37\n"std::copy" = { writes = [2] }\n' in text
    assert "[containers]\n# mgaudit.toml:39\nMap = { key = 0, deep = { a = 1.5, b = [true] } }\n" in text
    assert "headers = true" not in text


def test_showing_is_repeatable(tmp_path: Path) -> None:
    assert shown(tmp_path)[1] == shown(tmp_path)[1]
