"""``mgaudit config show``: the configuration as it counts, packs merged, with the place of each table."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mgaudit.config.fields import fields_of
from mgaudit.config.tables import ConfigurationTable, LegacyTable, LimitsTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.config.model import CatalogueSpec, ConfigurationSpec, Exemption, GateSpec, Settings

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def render(settings: Settings) -> str:
    """The effective configuration as TOML. Each table has a comment that says where it is written.

    Keys at their default are left out, and files are named from the root. Loading the text from the root's folder
    gives the same settings, places aside, where every file that it names lies in the tree.
    """
    return "\n\n".join("\n".join(part) for part in _parts(settings)) + "\n"


def _parts(settings: Settings) -> Iterator[list[str]]:
    head = [f"# {settings.path}, merged", "schema = 1"]
    if settings.required_version is not None:
        head.append(_pair("required-version", settings.required_version))
    yield head
    tree = settings.tree
    pairs = {"name": tree.name, "sources": tree.sources, "headers": tree.headers, "exclude": tree.exclude}
    yield _table(settings, "[tree]", "tree", pairs)
    for configuration in settings.configurations:
        key = f"configuration.{configuration.name}"
        yield _table(settings, "[[configuration]]", key, _configuration(configuration))
    for name, zone in settings.zones.items():
        pairs = {"paths": zone.paths, "namespaces": zone.namespaces}
        yield _table(settings, f"[zone.{_key(name)}]", f"zone.{name}", pairs)
    verbs = {key: value for key, value in _attributes(settings.verbs) if value}
    if verbs:
        yield _table(settings, "[verbs]", "verbs", verbs)
    if limits := _given(LimitsTable, dict(_attributes(settings.limits))):
        yield _table(settings, "[limits]", "limits", limits)
    for catalogue in settings.catalogues.values():
        yield _table(settings, "[[catalogue]]", f"catalogue.{catalogue.name}", _catalogue(catalogue))
    for gate in settings.gates:
        yield _table(settings, "[[gate]]", f"gate.{gate.id}", _gate(gate))
    for legacy in settings.legacy:
        yield _table(settings, "[[legacy]]", f"legacy.{legacy.name}", _given(LegacyTable, dict(_attributes(legacy))))
    for what, tables in (("effects", settings.effects), ("containers", settings.containers)):
        if tables:
            yield [f"[{what}]", *_library(settings, what, tables)]


def _table(settings: Settings, header: str, key: str, pairs: Mapping[str, object]) -> list[str]:
    origin = settings.origins.get(key)
    comment = f"# {origin[0]}:{origin[1]}" if origin else "# always there"
    return [comment, header, *(_pair(name, value) for name, value in pairs.items() if value not in (None, (), {}))]


def _library(settings: Settings, what: str, entries: Mapping[str, object]) -> Iterator[str]:
    for name, value in entries.items():
        path, line = settings.origins[f"{what}.{name}"]
        yield f"# {path}:{line}"
        yield _pair(name, value)


def _attributes(value: object) -> list[tuple[str, object]]:
    return [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]  # type: ignore[arg-type]


def _configuration(spec: ConfigurationSpec) -> dict[str, object]:
    forced = tuple(item.value for item in spec.force_includes)
    values = dict(_attributes(spec)) | {"force_includes": forced}
    return _given(ConfigurationTable, values)


def _catalogue(spec: CatalogueSpec) -> dict[str, object]:
    rows = tuple(dict(row.columns) for row in spec.rows)
    return {"name": spec.name, "columns": spec.columns, "file": spec.file, "list": spec.list_macro, "rows": rows}


def _gate(spec: GateSpec) -> dict[str, object]:
    common: dict[str, object] = {"id": spec.id, "kind": spec.kind}
    if spec.severity != "error":
        common["severity"] = str(spec.severity)
    common |= {
        "configurations": spec.configurations,
        "exempt": tuple(_exemption(item) for item in spec.exempt),
        "baseline": spec.baseline.value if spec.baseline else None,
    }
    return common | _given(type(spec.parameters), dict(_attributes(spec.parameters)))


def _exemption(item: Exemption) -> dict[str, object]:
    pairs: dict[str, object] = {"path": item.entry_path, "symbol": item.symbol, "entity": item.entity}
    pairs["edge"] = " -> ".join(item.edge) if item.edge else None
    pairs["count"] = item.count if item.count != 1 else None
    pairs["reason"] = item.reason
    return {key: value for key, value in pairs.items() if value is not None}


def _given(cls: type[object], values: Mapping[str, object]) -> dict[str, object]:
    """The keys of a table whose values are not their defaults."""
    return {
        spec.key: values[spec.name] for spec in fields_of(cls) if spec.required or values[spec.name] != spec.default
    }


def _pair(key: str, value: object) -> str:
    return f"{_key(key)} = {_value(value)}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    # JSON's escapes are TOML's, but for DEL, and for surrogate pairs: those stay as they are.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _value(_given(type(value), dict(_attributes(value))))
    if isinstance(value, Mapping):
        return _braces(f"{_key(str(key))} = {_value(member)}" for key, member in value.items())
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        items = [_value(item) for item in value]
        tables = any(isinstance(item, Mapping) or dataclasses.is_dataclass(item) for item in value)
        return "[\n" + "".join(f"    {item},\n" for item in items) + "]" if tables else f"[{', '.join(items)}]"
    return str(value)


def _braces(pairs: Iterable[str]) -> str:
    text = ", ".join(pairs)
    return f"{{ {text} }}" if text else "{}"
