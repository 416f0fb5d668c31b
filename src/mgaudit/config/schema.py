"""The JSON schema of ``mgaudit.toml`` (draft 7), so that editors complete and check it."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

from mgaudit.config.fields import Schema, fields_of, keys_of, record_schema
from mgaudit.config.tables import (
    CatalogueTable,
    ConfigurationTable,
    GateTable,
    HeadTable,
    LegacyTable,
    LimitsTable,
    TreeTable,
    VerbsTable,
    ZoneTable,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mgaudit.config.fields import Parameters


def json_schema(kinds: Mapping[str, type[Parameters]]) -> Schema:
    """The schema of a configuration.

    A table that overrides one of a rule pack may leave out what the pack says, so required keys are asked for only
    where nothing is extended. What the loader checks beyond a schema (names that must exist, globs) is not in it.

    Args:
        kinds: The parameters of every gate kind.
    """
    head = record_schema(HeadTable)
    tables: dict[str, Schema] = {
        "tree": _described(TreeTable),
        "zone": {"type": "object", "description": "zones by name", "additionalProperties": _ref("zone")},
        "verbs": _described(VerbsTable),
        "limits": _described(LimitsTable),
        "effects": _free("library functions: which arguments and receivers each writes"),
        "containers": _free("library templates: which argument is the key"),
        "configuration": _list(ConfigurationTable),
        "catalogue": {"type": "array", "items": _ref("catalogue")},
        "gate": {"type": "array", "items": _ref("gate")},
        "legacy": _list(LegacyTable),
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "mgaudit.toml",
        "type": "object",
        "additionalProperties": False,
        "required": ["schema"],
        "properties": head["properties"] | tables,
        "if": {"not": {"required": ["extends"]}},
        "then": _whole(kinds),
        "definitions": {
            "zone": _described(ZoneTable) | {"additionalProperties": _ref("zone")},
            "catalogue": _catalogue(),
            "gate": _gate(kinds),
        },
    }


def schema_text(kinds: Mapping[str, type[Parameters]]) -> str:
    """The schema as the file that is kept in ``docs/schema``."""
    return json.dumps(json_schema(kinds), indent=2, ensure_ascii=False) + "\n"


def _ref(name: str) -> Schema:
    return {"$ref": f"#/definitions/{name}"}


def _summary(cls: type[Any]) -> str:
    return (inspect.getdoc(cls) or "").split("\n", 1)[0]


def _described(cls: type[Any]) -> Schema:
    return record_schema(cls, required=False) | {"description": _summary(cls)}


def _list(cls: type[Any]) -> Schema:
    return {"type": "array", "items": record_schema(cls) | {"description": _summary(cls)}}


def _free(description: str) -> Schema:
    return {"type": "object", "description": description}


def _catalogue() -> Schema:
    cell = {"type": ["string", "integer"]}
    row = {"type": "object", "minProperties": 1, "additionalProperties": cell}
    schema = record_schema(CatalogueTable) | {"description": _summary(CatalogueTable)}
    schema["properties"]["rows"] = {"type": "array", "items": row, "description": "rows, in place of file and list"}
    return schema


def _gate(kinds: Mapping[str, type[Parameters]]) -> Schema:
    common = record_schema(GateTable)["properties"] | {
        "kind": {"enum": list(kinds), "description": "what the gate proves"}
    }
    branches = [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {
                "description": _summary(cls),
                "additionalProperties": False,
                # A key that both name is the common one: `true` only allows it here.
                "properties": dict.fromkeys(common, True) | record_schema(cls)["properties"],
            },
        }
        for kind, cls in kinds.items()
    ]
    return {"type": "object", "required": ["id"], "properties": common, "allOf": branches}


def _whole(kinds: Mapping[str, type[Parameters]]) -> Schema:
    """What a configuration that extends nothing must have."""
    required = {kind: [spec.key for spec in fields_of(cls) if spec.required] for kind, cls in kinds.items()}
    branches = [
        {"if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]}, "then": {"required": keys}}
        for kind, keys in required.items()
        if keys
    ]
    catalogue = {"oneOf": [{"required": ["rows"]}, {"required": ["file", "list", "columns"]}]}
    zone = {"anyOf": [{"required": [key]} for key in keys_of(ZoneTable)]}
    return {
        "required": ["configuration"],
        "properties": {
            "configuration": {"minItems": 1},
            "catalogue": {"items": catalogue},
            "gate": {"items": {"required": ["kind"], "allOf": branches}},
            # A table of zones alone groups them; it is no zone itself.
            "zone": {
                "additionalProperties": {
                    "anyOf": [zone, {"minProperties": 1, "additionalProperties": {"type": "object"}}]
                }
            },
        },
    }
