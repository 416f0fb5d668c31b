"""From merged tables to the model of `mgaudit.config.model`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.config.fields import INVALID, Parameters, check_keys, keys_of, read_record, wrong_type
from mgaudit.config.library import EFFECT_FORM, effect_fault
from mgaudit.config.log import nearest
from mgaudit.config.model import (
    CatalogueSpec,
    ConfigurationSpec,
    Exemption,
    GateSpec,
    InlineRow,
    LegacySpec,
    LimitsSpec,
    Located,
    Settings,
    TreeSpec,
    VerbsSpec,
)
from mgaudit.config.tables import (
    CatalogueTable,
    ConfigurationTable,
    GateTable,
    LegacyTable,
    LimitsTable,
    TreeTable,
    VerbsTable,
    ZoneTable,
)
from mgaudit.domain.findings import Severity
from mgaudit.domain.zones import Zone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from mgaudit.config.log import Log, Reference
    from mgaudit.config.merge import Files, Merged
    from mgaudit.config.tables import ExemptionTable
    from mgaudit.config.toml import Node

HEALTH = "health"


class Builder:
    """Builds each part of the model, then checks what one part says of another."""

    def __init__(self, merged: Merged, kinds: Mapping[str, type[Parameters]], log: Log) -> None:
        self._merged = merged
        self._kinds = kinds
        self._log = log

    def settings(self, file: Path, files: Files) -> Settings | None:
        """The whole model, or None where the log has problems."""
        merged, log = self._merged, self._log
        tree = self._tree()
        configurations = self._configurations()
        if tree and not tree.sources and not any(c.compile_commands for c in configurations.values()):
            log.add_absence(
                merged.tree, "nothing to parse: neither sources nor a compile database", 'set "sources" of [tree]'
            )
        zones = self._zones()
        verbs = self._verbs()
        limits = self._limits()
        catalogues = self._catalogues()
        gates = self._gates(file)
        legacy = tuple(self._legacy({gate.id for gate in gates}))
        self._check_references(catalogues)
        for name, node in merged.effects.items():
            if fault := effect_fault(name, node.plain()):
                log.add(node, f"[effects] `{name}`: {fault}", EFFECT_FORM)
        if log.failed or tree is None or verbs is None or limits is None:
            return None
        return Settings(
            file=file,
            root=log.root,
            path=log.name(file),
            digest=files.digest,
            documents={log.name(path): digest for path, digest in files.digests.items()},
            tree=tree,
            configurations=tuple(configurations.values()),
            zones=zones,
            verbs=verbs,
            catalogues=catalogues,
            gates=gates,
            effects={name: node.plain() for name, node in merged.effects.items()},
            containers={name: node.plain() for name, node in merged.containers.items()},
            limits=limits,
            legacy=legacy,
            required_version=merged.required_version,
            origins=self._origins(),
        )

    def _at(self, node: Node) -> tuple[str, int]:
        return self._log.name(node.file), node.line

    def _origins(self) -> dict[str, tuple[str, int]]:
        merged = self._merged
        nodes: dict[str, Node] = {"tree": merged.tree, "verbs": merged.verbs, "limits": merged.limits}
        nodes |= {f"zone.{name}": node for name, node in merged.zones.items()}
        for what, entries in merged.lists.items():
            nodes |= {f"{what}.{name}": node for name, node in entries.items()}
        nodes |= {f"effects.{name}": node for name, node in merged.effects.items()}
        nodes |= {f"containers.{name}": node for name, node in merged.containers.items()}
        return {name: self._at(node) for name, node in nodes.items()}

    def _tree(self) -> TreeSpec | None:
        node = self._merged.tree
        check_keys(node, keys_of(TreeTable), "[tree]", self._log)
        table = read_record(TreeTable, node, "[tree]", self._log)
        if table is INVALID:
            return None
        name = table.name or self._log.root.name or "tree"
        return TreeSpec(name, table.sources, table.headers, table.exclude)

    def _configurations(self) -> dict[str | int, ConfigurationSpec]:
        log = self._log
        entries = self._merged.lists["configuration"]
        if not entries:
            log.add_absence(self._merged.main, "no configuration", "add a [[configuration]] with a name")
        result: dict[str | int, ConfigurationSpec] = {}
        for name, node in entries.items():
            subject = _subject("configuration", name)
            check_keys(node, keys_of(ConfigurationTable), subject, log)
            table = read_record(ConfigurationTable, node, subject, log)
            if table is INVALID:
                continue
            path, line = self._at(node)
            forced = node.table.get("force-includes")
            places = [self._at(item) for item in forced.items] if forced else []
            result[name] = ConfigurationSpec(
                name=table.name,
                required=table.required,
                compile_commands=table.compile_commands,
                standard=table.standard,
                include_dirs=table.include_dirs,
                system_include_dirs=table.system_include_dirs,
                defines=table.defines,
                undefines=table.undefines,
                force_includes=tuple(Located(text, *at) for text, at in zip(table.force_includes, places, strict=True)),
                extra_args=table.extra_args,
                stub_headers=table.stub_headers or {},
                target=table.target,
                sysroot=table.sysroot,
                missing_headers=table.missing_headers,
                path=path,
                line=line,
            )
        return result

    def _zones(self) -> dict[str, Zone]:
        result: dict[str, Zone] = {}
        for name, node in self._merged.zones.items():
            table = read_record(ZoneTable, node, _subject("zone", name), self._log)
            if table is INVALID or not isinstance(name, str):
                continue
            if not table.paths and not table.namespaces:
                self._log.add_absence(
                    node, f'zone "{name}" selects nothing', 'set "paths" to globs relative to the root'
                )
            result[name] = Zone(name, table.paths, table.namespaces, node.line)
        return result

    def _verbs(self) -> VerbsSpec | None:
        node = self._merged.verbs
        check_keys(node, keys_of(VerbsTable), "[verbs]", self._log)
        table = read_record(VerbsTable, node, "[verbs]", self._log)
        return None if table is INVALID else VerbsSpec(table.tables, table.functions, table.virtuals)

    def _limits(self) -> LimitsSpec | None:
        node = self._merged.limits
        check_keys(node, keys_of(LimitsTable), "[limits]", self._log)
        table = read_record(LimitsTable, node, "[limits]", self._log)
        return None if table is INVALID else LimitsSpec(table.unit_seconds, table.unit_megabytes)

    def _catalogues(self) -> dict[str, CatalogueSpec]:
        log = self._log
        result: dict[str, CatalogueSpec] = {}
        for name, node in self._merged.lists["catalogue"].items():
            subject = _subject("catalogue", name)
            check_keys(node, (*keys_of(CatalogueTable), "rows"), subject, log)
            table = read_record(CatalogueTable, node, subject, log)
            rows = tuple(self._rows(node, subject))
            if table is INVALID:
                continue
            self._check_catalogue(node, table, subject)
            columns = table.columns or tuple(dict.fromkeys(column for row in rows for column in row.columns))
            path, line = self._at(node)
            result[table.name] = CatalogueSpec(table.name, columns, table.file, table.list_macro, rows, path, line)
        return result

    def _legacy(self, gates: set[str]) -> Iterator[LegacySpec]:
        for name, node in self._merged.lists["legacy"].items():
            subject = _subject("legacy", name)
            check_keys(node, keys_of(LegacyTable), subject, self._log)
            table = read_record(LegacyTable, node, subject, self._log)
            if table is INVALID:
                continue
            for gate in table.gates:
                if gate not in gates:
                    advice = nearest(gate, gates, "gates")
                    self._log.add_absence(node.table["gates"], f'there is no gate "{gate}"', advice)
            yield LegacySpec(
                table.name, table.gates, table.pattern, table.files, table.names, table.classes, *self._at(node)
            )

    def _check_catalogue(self, node: Node, table: CatalogueTable, subject: str) -> None:
        log, rows = self._log, node.table.get("rows")
        from_file = [key for key in ("file", "list") if key in node.table]
        if rows and from_file:
            log.add(node.table[from_file[0]], f'{subject} has both "{from_file[0]}" and "rows"', "keep one of them")
        elif not rows:
            for key in ("file", "list", "columns"):
                if key not in node.table:
                    help_ = 'a list in a file needs "file", "list" and "columns"; else write "rows"'
                    log.add_missing(node, subject, key, help_)
        elif not rows.value and not table.columns:
            help_ = 'empty "rows" do not tell what a finding needs to show the row that is missing'
            log.add_missing(node, subject, "columns", help_)
        seen: set[str] = set()
        for index, column in enumerate(table.columns):
            if column in seen:
                log.add(node.table["columns"].items[index], f'{subject}: duplicate column "{column}"')
            seen.add(column)

    def _rows(self, node: Node, subject: str) -> Iterator[InlineRow]:
        rows, columns = node.table.get("rows"), node.table.get("columns")
        known = [item.value for item in columns.items] if columns else []
        if rows is None:
            return
        if not isinstance(rows.value, list):
            wrong_type(rows, f'"rows" of {subject}', "an array of tables", self._log)
        for index, row in enumerate(rows.items):
            name = f'item {index + 1} of "rows" of {subject}'
            if not isinstance(row.value, dict):
                wrong_type(row, name, "a table", self._log)
                continue
            if known and all(isinstance(column, str) for column in known):
                check_keys(row, [str(column) for column in known], name, self._log)
            values: dict[str, str | int] = {}
            for key, cell in row.table.items():
                if isinstance(cell.value, str | int) and not isinstance(cell.value, bool):
                    values[key] = cell.value
                else:
                    wrong_type(cell, f'"{key}" of {name}', "a string or an integer", self._log)
            if not row.table:
                self._log.add(row, f"{name}: must not be empty")
            yield InlineRow(values, *self._at(row))

    def _gates(self, file: Path) -> tuple[GateSpec, ...]:
        entries = self._merged.lists["gate"]
        gates = [self._gate(name, node) for name, node in entries.items()]
        self._check_health(entries)
        if HEALTH in self._kinds and not any(_kind(node) == HEALTH for node in entries.values()):
            path = self._log.name(file)
            parameters = self._kinds[HEALTH]()
            gates.append(GateSpec(HEALTH, HEALTH, Severity.ERROR, (), (), None, parameters, path, 1))
        return tuple(gate for gate in gates if gate is not None)

    def _check_health(self, entries: Mapping[str | int, Node]) -> None:
        """There is one health gate, and no other gate has its id."""
        first = None
        for name, node in entries.items():
            if _kind(node) == HEALTH:
                if first is not None:
                    self._log.add(node, f"a second gate of the kind health; the first is at line {first.line}")
                first = first or node
            elif name == HEALTH and _kind(node) in self._kinds:
                self._log.add(node.table["id"], 'the id "health" is the health gate\'s own', "choose another id")

    def _gate(self, name: str | int, node: Node) -> GateSpec | None:
        log = self._log
        kind = _kind(node)
        subject = _subject("gate", name)
        cls = self._kinds.get(kind) if kind else None
        own = f"{subject} ({kind})" if cls else subject
        if cls or not kind:
            known = [cls] if cls else self._kinds.values()
            check_keys(node, (*keys_of(GateTable), *(key for of in known for key in keys_of(of))), own, log)
        common = read_record(GateTable, node, subject, log)
        if kind and cls is None:
            log.add(node.table["kind"], f'{subject}: there is no kind "{kind}"', nearest(kind, self._kinds, "kinds"))
        if cls is None:
            return None
        parameters = read_record(cls, node, own, log)
        if common is INVALID or parameters is INVALID:
            return None
        path, line = self._at(node)
        return GateSpec(
            id=common.id,
            kind=common.kind,
            severity=common.severity,
            configurations=common.configurations,
            exempt=self._exemptions(node, common.exempt),
            baseline=Located(common.baseline, *self._at(node.table["baseline"])) if common.baseline else None,
            parameters=parameters,
            path=path,
            line=line,
            places=dict(self._places(node)),
        )

    def _places(self, node: Node, prefix: str = "") -> Iterator[tuple[str, tuple[str, int]]]:
        for key, member in node.table.items():
            yield f"{prefix}{key}", self._at(member)
            yield from self._places(member, f"{prefix}{key}.")
            for index, item in enumerate(member.items):
                yield f"{prefix}{key}[{index}]", self._at(item)

    def _exemptions(self, gate: Node, tables: tuple[ExemptionTable, ...]) -> tuple[Exemption, ...]:
        nodes = gate.table["exempt"].items if tables else []
        return tuple(
            Exemption(table.reason, table.count, table.path, table.symbol, table.entity, table.edge, *self._at(node))
            for table, node in zip(tables, nodes, strict=True)
        )

    def _check_references(self, catalogues: Mapping[str, CatalogueSpec]) -> None:
        defined: dict[str, set[str]] = {
            "zone": _names(self._merged.zones),
            "catalogue": _names(self._merged.lists["catalogue"]),
            "configuration": _names(self._merged.lists["configuration"]),
        }
        for reference in self._log.references:
            kind, name = reference.kind, reference.name
            if name not in defined[kind]:
                self._log.add_absence(
                    reference.node, f'there is no {kind} "{name}"', nearest(name, defined[kind], f"{kind}s")
                )
            elif name in catalogues:
                self._check_columns(reference, catalogues[name])

    def _check_columns(self, reference: Reference, catalogue: CatalogueSpec) -> None:
        missing = [column for column in reference.columns if column not in catalogue.columns]
        if missing and reference.kind == "catalogue" and catalogue.columns:
            columns = ", ".join(missing)
            message = f'catalogue "{catalogue.name}" lacks what is read from it here: {columns}'
            self._log.add(reference.node, message, f"its columns: {', '.join(catalogue.columns)}")


def _kind(node: Node) -> str | None:
    kind = node.table.get("kind")
    return kind.value if kind and isinstance(kind.value, str) and kind.value.strip() else None


def _names(entries: Iterable[str | int]) -> set[str]:
    return {name for name in entries if isinstance(name, str)}


def _subject(what: str, name: str | int) -> str:
    return f'{what} "{name}"' if isinstance(name, str) else f"a {what}"
