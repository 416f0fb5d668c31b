"""What the linker sees beside what the sources predict."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mgaudit.domain.findings import Evidence
from mgaudit.gates.binaries import mention, symbol_finding
from mgaudit.gates.symbol_purity.check_binaries import KIND, needed, needed_names
from mgaudit.sources.binaries_names import demangle, own_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mgaudit.analysis.predictions import LinkReference
    from mgaudit.domain.findings import Finding
    from mgaudit.gates.symbol_purity.check_sources import SourceCheck
    from mgaudit.sources.binaries_model import Binary

_THUNK: Final = re.compile(r"(non-virtual|virtual|covariant return) thunk to ")
# Versions of the C++ library: the front end's own may be another one than the build's.
_LIBRARY: Final = re.compile(r"(?<=\bstd::)(__1|__cxx11|__ndk1)::|\[abi:\w+\]")
_SHOWN: Final = 3  # predicted references in the evidence of one symbol


def entity_of(name: str) -> str:
    """The entity of a symbol: the same for variants of a constructor or destructor, thunks, and C++ libraries."""
    return _LIBRARY.sub("", _THUNK.sub("", demangle(name)))


class Comparison:
    """Binaries against a prediction of what their sources need.

    Args:
        binaries: What was built.
        sources: What was predicted.
    """

    def __init__(self, binaries: Sequence[Binary], sources: SourceCheck) -> None:
        self._binaries = binaries
        self._sources = sources
        self._predicted: dict[str, list[LinkReference]] = defaultdict(list)
        for reference in sources.forbidden:
            self._predicted[entity_of(reference.name)].append(reference)
        self._needed = {binary.path: needed_names(binary) for binary in binaries}

    def explained(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings about undefined symbols, with what the sources say of each."""
        for finding in findings:
            if finding.entity in self._needed.get(finding.path, ()):
                yield replace(finding, evidence=(*finding.evidence, *self._causes(finding.entity)))
            else:
                yield finding

    def _causes(self, name: str) -> Iterator[Evidence]:
        references = self._predicted.get(entity_of(name), ())
        for reference in references[:_SHOWN]:
            yield Evidence("reference", reference.path, reference.line, "predicted to need it")
        if not references:
            yield Evidence(
                "reference", self._sources.place[0], self._sources.place[1], "no source is predicted to need it"
            )

    def linker_only(self, gate: str, known: Iterable[Finding]) -> Iterator[Finding]:
        """A finding for each symbol of the forbidden zones that a binary needs and no source is predicted to need.

        Args:
            gate: The gate's id.
            known: Findings about binaries, which need no second one.
        """
        reported = {(finding.path, finding.entity) for finding in known}
        for binary in self._binaries:
            unseen = [
                name
                for name in self._needed[binary.path]
                if (binary.path, name) not in reported
                and entity_of(name) not in self._predicted
                and self._sources.concerns(own_name(name))
            ]
            for need in needed(binary, unseen):
                yield symbol_finding(
                    gate, KIND, binary.path, need.name,
                    message=f"undefined symbol {demangle(need.name)} ({need.name}) is needed, though no source is "
                    "predicted to need it",
                    advice="rebuild it from these sources; what stays is a reference that the front end does not show",
                    evidence=(mention("symbol", user, f"undefined {need.name}") for user in need.users),
                )  # fmt: skip

    def predicted_only(self) -> Iterator[Finding]:
        """A note for each predicted symbol that no binary needs, and why that may be."""
        wanted = {name for names in self._needed.values() for name in names}
        variants = {entity_of(name) for name in wanted}
        defined = {s.name for b in self._binaries for o in b.objects for s in o.symbols if s.provides}
        for entity, references in sorted(self._predicted.items()):
            for name in sorted({r.name for r in references} - wanted):
                own = [reference for reference in references if reference.name == name]
                if name in defined:
                    reason = "they define it themselves"
                elif entity in variants:
                    reason = "they need another variant of it"
                else:
                    reason = self._absence(own)
                yield self._sources.note(own[0], f"is predicted, but no binary needs it: {reason}")

    def _absence(self, references: Sequence[LinkReference]) -> str:
        """Why a compiler may leave out what a syntax tree shows."""
        everywhere = self._sources.every_configuration
        if all(reference.mask != everywhere for reference in references):
            return "they may be built in a configuration without the reference"
        if all(reference.chain for reference in references):
            return "inline code leads to it, which an optimiser may have inlined and emptied"
        return "the code may be dead, or the binaries older than the sources"
