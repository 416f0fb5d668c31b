"""``mgaudit init``: a first ``mgaudit.toml`` from a look at a tree."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from mgaudit.config.survey import Survey, survey

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ZONE_NAME = re.compile(r"[^A-Za-z0-9_-]+")
# Names by which trees call the side that must stay pure, and the side that it must not know.
_GUARDED = re.compile(r"backend|server|driver|renderer", re.IGNORECASE)
_FORBIDDEN = re.compile(r"frontend|client|state", re.IGNORECASE)


def propose(root: Path) -> str:
    """The text of a configuration for a tree.

    It loads with `mgaudit.config.loader.load`, says what each choice rests on, and is the same for the same tree.

    Args:
        root: The folder that is to hold the configuration.
    """
    found = survey(root)
    zones = _zones(found)
    lines = [
        "# A first configuration, made from a look at the tree. Read it, correct it, then run `mgaudit doctor`",
        "# (does everything parse?) and `mgaudit check`.",
        "schema = 1",
        "",
        *_tree(found, root),
        "",
        *_configuration(found),
        "",
        *_zone_tables(found, zones),
        *_gate(zones),
    ]
    return "\n".join(lines) + "\n"


def _tree(found: Survey, root: Path) -> list[str]:
    lines = [
        "[tree]",
        f"name = {_string(_name(root))}",
        'root = "."',
        f"# {found.sources} translation units and {found.headers} files that they may include.",
    ]
    if not found.sources:
        lines += ["# No C++ source was found; say where they are."]
    lines += [
        _array("sources", _globs(found.source_globs) or ["**/*.cpp"]),
        _array("headers", _globs(found.header_globs)),
    ]
    if found.left_out:
        lines += [
            "# Tests, examples and third-party code seem to lie here; the boundary is not theirs to keep.",
            _array("exclude", [f"{_literal(folder)}/**" for folder in found.left_out]),
        ]
    return lines


def _name(root: Path) -> str:
    name = root.resolve().name.strip()
    return name if name and name.isprintable() else "tree"


def _globs(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{'' if folder == '.' else _literal(folder) + '/'}**/*{suffix}" for folder, suffix in pairs]


def _configuration(found: Survey) -> list[str]:
    lines = ["[[configuration]]", 'name = "default"']
    if found.databases:
        lines += [
            f"# Compile databases found: {', '.join(map(_string, found.databases))}. Add a [[configuration]] for each",
            "# build that must stay pure; what is not in a database is parsed with the flags below.",
            f"compile-commands = {_string(found.databases[0])}",
        ]
    else:
        lines += [
            "# There is no compile database, so the flags are synthesised. If your build writes one, name it here:",
            '# compile-commands = "build/compile_commands.json"',
        ]
    if found.standard:
        lines += [f"# From {found.standard_origin}.", f"standard = {_string(found.standard)}"]
    else:
        lines += ["# Nothing in the tree names a standard; this is a guess.", 'standard = "c++20"']
    if found.include_dirs:
        lines += ["# Folders from which most #include lines resolve, and how many of them:"]
        lines += [f"#   {folder}: {count}" for folder, count in found.include_dirs]
        lines += [_array("include-dirs", [folder for folder, _ in found.include_dirs])]
    if found.unresolved:
        lines += [
            "# Included, but in no folder that was looked at (generated, of a system or a package?); add",
            "# include-dirs, or stub-headers for what this machine lacks:",
        ]
        lines += [f"#   {spelling}: {count}" for spelling, count in found.unresolved]
    return lines


def _zones(found: Survey) -> dict[str, str]:
    """Zone names and folders; of two folders with one name, the later has the longer name."""
    zones: dict[str, str] = {}
    for folder, _ in found.zones:
        parts = [_ZONE_NAME.sub("-", part).strip("-").lower() for part in folder.split("/")]
        short, long = parts[-1], "-".join(filter(None, parts))
        name = short if short and short not in zones else long
        if name and name not in zones and name not in {"paths", "namespaces"}:
            zones[name] = folder
    return zones


def _zone_tables(found: Survey, zones: dict[str, str]) -> list[str]:
    counts = dict(found.zones)
    if not zones:
        return [
            "# No folder stands out as a zone. Name the parts of the tree that have a boundary between them:",
            "# [zone.backend]",
            '# paths = ["src/backend/**"]',
            "",
        ]
    lines = ["# Zones are the parts of the tree that gates speak of. These are folders that hold several files;"]
    lines += ["# merge, split and rename them until they say who may know whom."]
    for name, folder in zones.items():
        lines += [f"[zone.{name}]  # {counts[folder]} files", _array("paths", [f"{_literal(folder)}/**"]), ""]
    return lines


def _gate(zones: dict[str, str]) -> list[str]:
    guarded = [name for name in zones if _GUARDED.search(name)]
    forbidden = [name for name in zones if _FORBIDDEN.search(name) and name not in guarded]
    obvious = bool(guarded and forbidden)
    first, second = list(zones)[:2] if len(zones) > 1 else ("backend", "frontend")
    gate = [
        "[[gate]]",
        'id = "A"',
        'kind = "include-purity"',
        _array("from", guarded if obvious else [first]),
        _array("forbid", forbidden if obvious else [second]),
    ]
    if obvious:
        return ["# The names suggest this boundary: the first must compile without the second.", *gate]
    note = "# A gate is a rule between zones. This one: no file of `forbid` in an include closure of `from`."
    todo = "# Name your zones and uncomment it: without a gate, `mgaudit check` says only whether the tree parses."
    return [note, todo, *(f"# {line}" for line in gate)]


def _literal(folder: str) -> str:
    """A folder's name within a glob."""
    return re.sub(r"[*?\[{]", lambda match: f"[{match[0]}]", folder)


def _array(key: str, items: Iterable[str]) -> str:
    values = [_string(item) for item in items]
    text = f"{key} = [{', '.join(values)}]"
    return text if len(text) <= 110 else f"{key} = [\n" + "".join(f"    {value},\n" for value in values) + "]"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
