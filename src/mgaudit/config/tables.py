"""The tables of ``mgaudit.toml`` as a person writes them, gate parameters aside.

`mgaudit.config.build` turns them into the model.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - annotations are evaluated at run time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from mgaudit.config import texts
from mgaudit.config.fields import (
    ConfigurationName,
    Constant,
    Count,
    Doc,
    FilePath,
    Glob,
    Identifier,
    Key,
    Line,
    LiteralPath,
    NameGlob,
    PathText,
    QualifiedName,
    Text,
)
from mgaudit.domain.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

Named = Annotated[Line, Doc("unique")]


@dataclass(frozen=True, slots=True)
class HeadTable:
    """The keys outside of any table."""

    schema: Annotated[int, Constant(1), Doc("the version of this format")]
    extends: Annotated[tuple[str, ...], Doc("rule packs, by name or relative path; later tables override")] = ()
    required_version: Annotated[str | None, Text(texts.line), Doc('of mgaudit: ">=0.2, <1", or the least one')] = None


@dataclass(frozen=True, slots=True)
class TreeTable:
    """What is audited."""

    name: Annotated[Line | None, Doc("what reports call the tree; default: its folder's name")] = None
    root: Annotated[PathText, Doc("the tree's folder, relative to this file")] = "."
    sources: Annotated[tuple[Glob, ...], Doc("the translation units, where no compile database names them")] = ()
    headers: Annotated[tuple[Glob, ...], Doc("the headers and other included files")] = ()
    exclude: Annotated[tuple[Glob, ...], Doc("what neither counts as source nor as header")] = ()


@dataclass(frozen=True, slots=True)
class ConfigurationTable:
    """A named set of compiler flags: synthesised, from a compile database, or both."""

    name: Named
    required: Annotated[bool, Doc("whether a failure to parse makes the run untrusted")] = True
    compile_commands: Annotated[PathText | None, Doc("a compile database, from the root; flags below are added")] = None
    standard: Annotated[str | None, Text(texts.standard), Doc("c++20 and the like")] = None
    include_dirs: Annotated[tuple[PathText, ...], Doc("-I, from the root, in order")] = ()
    system_include_dirs: Annotated[tuple[PathText, ...], Doc("-isystem, from the root, in order")] = ()
    defines: Annotated[tuple[Annotated[str, Text(texts.define)], ...], Doc("-D: NAME or NAME=VALUE")] = ()
    undefines: Annotated[tuple[Identifier, ...], Doc("-U")] = ()
    force_includes: Annotated[tuple[PathText, ...], Doc("-include")] = ()
    extra_args: Annotated[tuple[Annotated[str, Text(texts.filled)], ...], Doc("further front-end arguments")] = ()
    stub_headers: Annotated[Mapping[str, str] | None, Doc("in-memory headers that this machine lacks")] = None
    target: Annotated[
        str, Text(texts.line, blank=True), Doc("a triple; default: the compile command's, else this machine's")
    ] = ""
    sysroot: Annotated[str, Text(texts.any_path, blank=True), Doc("--sysroot")] = ""
    missing_headers: Annotated[Literal["error", "stub"], Doc("stub: an empty stand-in outside the audited zones")] = (
        "error"
    )


@dataclass(frozen=True, slots=True)
class ZoneTable:
    """A named part of the tree."""

    paths: Annotated[tuple[Glob, ...], Doc("globs relative to the root")] = ()
    namespaces: Annotated[tuple[QualifiedName, ...], Doc("entities declared there, or below, belong to the zone")] = ()


@dataclass(frozen=True, slots=True)
class VerbsTable:
    """The backend's entry points."""

    tables: Annotated[tuple[QualifiedName, ...], Doc("structs of function pointers; each slot is a verb")] = ()
    functions: Annotated[tuple[NameGlob, ...], Doc("functions that are verbs")] = ()
    virtuals: Annotated[tuple[QualifiedName, ...], Doc("classes whose virtual methods are verbs")] = ()


@dataclass(frozen=True, slots=True)
class LimitsTable:
    """What one translation unit may cost: beyond, it is an error, and the run is not trusted."""

    unit_seconds: Annotated[Count, Doc("seconds to parse it")] = 300
    unit_megabytes: Annotated[Count, Doc("megabytes of address space to parse it in")] = 4096


@dataclass(frozen=True, slots=True)
class CatalogueTable:
    """A list that sites map to: an X-macro list in a file, or rows written here (which are read apart)."""

    name: Named
    columns: Annotated[tuple[Line, ...], Doc("column names, by position")] = ()
    file: Annotated[FilePath | None, Doc("the file of the X-macro list")] = None
    list_macro: Annotated[Identifier | None, Key("list"), Doc("the X-macro list")] = None


@dataclass(frozen=True, slots=True)
class LegacyTable:
    """What a script counts with a regular expression, for `mgaudit reconcile` to explain."""

    name: Named
    gates: Annotated[tuple[Line, ...], Doc("ids of the gates whose sites stand beside it")]
    pattern: Annotated[
        str, Text(texts.name_expression), Doc("a regular expression whose group `name` is what it counts")
    ]
    files: Annotated[tuple[Glob, ...], Doc("the files that the script reads, from the root")]
    names: Annotated[tuple[Identifier, ...], Doc("the names that it knows; default: those of all sites")] = ()
    classes: Annotated[tuple[QualifiedName, ...], Doc("only sites of these classes' members; default: all")] = ()


@dataclass(frozen=True, slots=True)
class ExemptionTable:
    """Findings that are accepted for a reason. Keys match by equality; at least one is needed."""

    reason: Annotated[str, Text(texts.filled), Doc("why")]
    path: Annotated[LiteralPath | None, Doc("the finding's file")] = None
    symbol: Annotated[
        str | None, Text(texts.function_name), Doc("the enclosing function, by qualified name or ::-suffix")
    ] = None
    entity: Annotated[QualifiedName | None, Doc("what the finding is about")] = None
    edge: Annotated[
        tuple[str, str] | None, Text(texts.edge), Doc('an inclusion, "a.h -> b.h", taken out of the graph')
    ] = None
    count: Annotated[Count, Doc("how many findings this covers: fewer is stale, more is red")] = 1

    def faults(self) -> Iterable[texts.Fault]:
        """See `mgaudit.config.fields.Judging`."""
        if not any((self.path, self.symbol, self.entity, self.edge)):
            yield texts.Fault("only a reason, so it would cover everything", "name a path, symbol, entity or edge")


@dataclass(frozen=True, slots=True)
class GateTable:
    """What every gate takes, beside the parameters of its kind."""

    id: Annotated[Line, Doc("unique; shown everywhere")]
    kind: Line
    severity: Annotated[Severity, Doc("only error makes the run red")] = Severity.ERROR
    configurations: Annotated[tuple[ConfigurationName, ...], Doc("default: all")] = ()
    exempt: Annotated[tuple[ExemptionTable, ...], Doc("accepted findings, each with its reason")] = ()
    baseline: Annotated[FilePath | None, Doc("the file of accepted findings, shrink-only")] = None
