"""The typed model of ``mgaudit.toml``. Values only: `mgaudit.config.loader` builds them, everything else reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from mgaudit.config.places import Places

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mgaudit.config.fields import Parameters
    from mgaudit.domain.findings import Severity
    from mgaudit.domain.zones import Zone


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Located(Generic[T]):
    """A value and the place in the configuration that wrote it."""

    value: T
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class TreeSpec:
    """``[tree]``: what is audited. Globs are relative to the root."""

    name: str
    sources: tuple[str, ...]
    headers: tuple[str, ...]
    exclude: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConfigurationSpec:
    """``[[configuration]]``: one named set of compiler flags. Paths are as written, relative to the root."""

    name: str
    required: bool
    compile_commands: str | None
    standard: str | None
    include_dirs: tuple[str, ...]
    system_include_dirs: tuple[str, ...]
    defines: tuple[str, ...]
    undefines: tuple[str, ...]
    force_includes: tuple[Located[str], ...]
    extra_args: tuple[str, ...]
    stub_headers: Mapping[str, str]
    target: str
    sysroot: str
    missing_headers: Literal["error", "stub"]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class VerbsSpec:
    """``[verbs]``: the entry points of the backend."""

    tables: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    virtuals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LimitsSpec:
    """``[limits]``: what one translation unit may cost: seconds, and megabytes of address space."""

    unit_seconds: int = 300
    unit_megabytes: int = 4096


@dataclass(frozen=True, slots=True)
class InlineRow:
    """A catalogue row written in the configuration itself."""

    columns: Mapping[str, str | int]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class CatalogueSpec:
    """``[[catalogue]]``: an X-macro list in a file, or inline rows.

    ``file`` is a name of `Places`.
    """

    name: str
    columns: tuple[str, ...]
    file: str | None
    list_macro: str | None
    rows: tuple[InlineRow, ...]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class LegacySpec:
    """``[[legacy]]``: a regular expression that a script counts by, whose group ``name`` is what it counts."""

    name: str
    gates: tuple[str, ...]
    pattern: str
    files: tuple[str, ...]
    names: tuple[str, ...]
    classes: tuple[str, ...]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Exemption:
    """One entry of ``exempt``: any subset of the keys, a reason, and how many findings it covers."""

    reason: str
    count: int
    entry_path: str | None
    symbol: str | None
    entity: str | None
    edge: tuple[str, str] | None
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class GateSpec:
    """``[[gate]]``: one configured gate. ``configurations`` is empty where all of them count.

    ``path`` and ``line`` are its table's; `place` has those of single keys.
    """

    id: str
    kind: str
    severity: Severity
    configurations: tuple[str, ...]
    exempt: tuple[Exemption, ...]
    baseline: Located[str] | None
    parameters: Parameters
    path: str
    line: int
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    def place(self, key: str) -> tuple[str, int]:
        """Path and line of a key: ``entities``, ``entities[0]``, ``publishers.NEW_RENDER``; else the gate's own."""
        return self.places.get(key, (self.path, self.line))


@dataclass(frozen=True, slots=True)
class Settings:
    """A whole configuration, packs merged.

    Attributes:
        file: The absolute path of ``mgaudit.toml``.
        root: The absolute, resolved root of the audited tree.
        path: ``file`` as reports name it.
        digest: A digest of every file that was read (the configuration and its packs).
        documents: A digest of each of them, by its name.
        effects: ``[effects]``: library functions and what they write, as plain values of any shape.
        containers: ``[containers]``: library templates and which argument is the key, likewise.
        limits: ``[limits]``: what bounds a parse; no answer depends on it.
        legacy: ``[[legacy]]``: what scripts count, for `mgaudit reconcile`.
        required_version: Of the configuration's own file, as written.
        origins: Path and line of each table, by ``tree``, ``zone.<name>``, ``gate.<id>`` and the like.
        overlay: What stands in for the content of files of the tree, by its name of `Places`; nothing is written.
    """

    file: Path
    root: Path
    path: str
    digest: str
    tree: TreeSpec
    configurations: tuple[ConfigurationSpec, ...]
    zones: Mapping[str, Zone]
    verbs: VerbsSpec
    catalogues: Mapping[str, CatalogueSpec]
    gates: tuple[GateSpec, ...]
    effects: Mapping[str, object] = field(default_factory=dict)
    containers: Mapping[str, object] = field(default_factory=dict)
    limits: LimitsSpec = LimitsSpec()
    legacy: tuple[LegacySpec, ...] = ()
    required_version: str | None = None
    documents: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    overlay: Mapping[str, bytes] = field(default_factory=dict)

    def first_with_stubs_of(self, spec: ConfigurationSpec) -> ConfigurationSpec:
        """The configuration that stand-ins are named after: they lie in one folder where they are the same."""
        return next((other for other in self.configurations if other.stub_headers == spec.stub_headers), spec)

    @property
    def places(self) -> Places:
        """How reports name files, and where these lie."""
        return Places(self.root, self.file.parent)
