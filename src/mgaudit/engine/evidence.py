"""What a run rests on, as versions and digests: the same wherever the tree and mgaudit lie."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Final

import mgaudit
from mgaudit.domain.report import Floor, Inputs, ToolVersions
from mgaudit.engine import baselines
from mgaudit.gates.health.parameters import HealthParameters
from mgaudit.sources.toolchain import version_of
from mgaudit.sources.tree import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.domain.findings import GateResult
    from mgaudit.engine.pipeline import Analysis

LIBRARIES: Final = (
    "libclang-ng", "msgspec", "networkx", "pycxxfilt", "pyelftools", "tree-sitter", "tree-sitter-cpp",
)  # fmt: skip
"""What facts and verdicts are made with."""

_DIGEST_SIZE: Final = 16


def tool_of(analysis: Analysis) -> ToolVersions:
    """What produced an analysis."""
    found = analysis.toolchain.versions
    libraries = {name: version_of(name) for name in LIBRARIES}
    return ToolVersions(mgaudit.__version__, found.libclang, found.tree_sitter_cpp, libraries)


def inputs_of(analysis: Analysis) -> Inputs:
    """What an analysis was given."""
    settings = analysis.settings
    catalogues = {name: spec.file for name, spec in settings.catalogues.items() if spec.file}
    files = {ledger.file for gate in settings.gates for ledger in baselines.ledgers(gate)}
    return Inputs(
        settings.digest,
        dict(sorted(settings.documents.items())),
        {name: _file(settings, file) for name, file in sorted(catalogues.items())},
        {file: _file(settings, file) for file in sorted(files)},
        {name: _flags(analysis, name) for name in sorted(analysis.facts.configurations)},
        _digest(f"{path}\0{_hex(analysis.contents.digest(path))}" for path in analysis.files.files),
    )


def floors_of(gates: Iterable[GateSpec], results: Mapping[str, GateResult]) -> dict[str, Floor]:
    """The floors of the health gates, and what was counted; of a count that nobody made, 0."""
    found: dict[str, Floor] = {}
    for gate in gates:
        if isinstance(gate.parameters, HealthParameters) and gate.id in results:
            own = results[gate.id].examined
            others = [result.examined for name, result in results.items() if name != gate.id]
            for name, least in gate.parameters.floors.items():
                found[name] = Floor(least, own.get(name) or sum(counts.get(name, 0) for counts in others))
    return dict(sorted(found.items()))


def _flags(analysis: Analysis, configuration: str) -> str:
    """A digest of the different argument lists: those of a new file are no new ones."""
    toolchain = analysis.toolchain
    folders = {"<root>": analysis.settings.root, "<resource>": toolchain.resource, "<libcxx>": toolchain.libcxx}
    known = {name: os.fspath(folder) for name, folder in folders.items() if folder is not None}

    def portable(argument: str) -> str:
        for name, folder in known.items():
            argument = argument.replace(folder, name)
        return argument

    return _digest(
        sorted({"\0".join(map(portable, command.arguments)) for command in analysis.plan.of(configuration).commands})
    )


def _file(settings: Settings, file: str) -> str:
    """A digest of a file's content; empty where it cannot be read, which is a problem of its own elsewhere."""
    try:
        return hashlib.blake2b(read_file(settings, file), digest_size=_DIGEST_SIZE).hexdigest()
    except OSError:
        return ""


def _hex(digest: bytes | None) -> str:
    return "" if digest is None else digest.hex()


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.blake2b(digest_size=_DIGEST_SIZE)
    for part in parts:
        digest.update(f"{part}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()
