"""The check of the gate kind ``frozen``: regions hold what the reference says."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.problems import Problem
from mgaudit.gates.context import Verdict
from mgaudit.gates.frozen.parameters import FrozenParameters
from mgaudit.gates.frozen.reference import Entry, is_source, of_source, parse
from mgaudit.gates.frozen.selection import Selector, ambiguities, selected
from mgaudit.sources.syntax import parse_syntax

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext
    from mgaudit.sources.regions import Region
    from mgaudit.sources.syntax import FileSyntax

_UPDATE: Final = "`mgaudit frozen update`"
_HELP: Final = f"undo the change; if it is meant, let {_UPDATE} write the reference anew and have it reviewed"


def check(context: GateContext) -> Verdict:
    """Compare every selected region with the reference."""
    return _Check(context).verdict()


def frozen_regions(context: GateContext) -> list[Region]:
    """The regions of the tree that the gate compares."""
    return _Check(context).regions()


class _Check:
    def __init__(self, context: GateContext) -> None:
        assert isinstance(context.spec.parameters, FrozenParameters)
        self.context = context
        self.parameters = context.spec.parameters
        self.problems: list[Problem] = []

    def verdict(self) -> Verdict:
        entries = self._entries()
        if self.problems:
            return Verdict(problems=tuple(self.problems))
        selector = self._selector(entries)
        wanted = [entry for entry in entries if selector.takes(entry.kind, entry.name)]
        found = self._regions(selector)
        self.problems += self._doubts(selector, wanted, found)
        findings = tuple(self._compared(wanted, found))
        return Verdict(findings, {"regions": len(wanted), "definitions": len(found)}, tuple(self.problems))

    def regions(self) -> list[Region]:
        """What `frozen_regions` says."""
        return self._regions(self._selector(self._entries()))

    def _selector(self, entries: list[Entry]) -> Selector:
        return Selector(self.parameters.regions or tuple(sorted({entry.name for entry in entries})))

    def _entries(self) -> list[Entry]:
        path = self.parameters.reference
        text = self.context.texts.get(path)
        if text is None:
            place = self.context.spec.place("reference")
            message = f'gate "{self.context.spec.id}": the reference {path} cannot be read'
            self.problems.append(Problem(*place, message, f"make it: {_UPDATE}"))
            return []
        entries, problems = of_source(path, text) if is_source(path) else parse(path, text)
        self.problems += problems
        if not entries and not problems:
            self.problems.append(Problem(path, 0, "the reference holds no region", f"make it: {_UPDATE}"))
        return entries

    def _regions(self, selector: Selector) -> list[Region]:
        paths = [path for path in self.context.files.files if path != self.parameters.reference]
        return list(
            selected(
                selector, paths, lambda path: self.context.content(path, None),
                lambda path, data: (self.context.facts.scans[path], self._syntax(path, data)),
            )
        )  # fmt: skip

    def _syntax(self, path: str, data: bytes) -> FileSyntax:
        """The syntax witness's view of a file; the run has it ready only for files that other gates audit."""
        return self.context.syntax[path] if path in self.context.syntax else parse_syntax(data)

    def _doubts(self, selector: Selector, wanted: list[Entry], found: list[Region]) -> Iterator[Problem]:
        gate = self.context.spec.id
        for pattern, meanings in ambiguities(selector, found).items():
            place = self._place_of(pattern)
            message = f'gate "{gate}": `{pattern}` means several regions: {", ".join(meanings)}'
            yield Problem(*place, message, "write one of them in full")
        for pattern in self.parameters.regions:
            if not any(Selector.selects(pattern, entry.kind, entry.name) for entry in wanted):
                message = f'gate "{gate}": the reference holds no region `{pattern}`'
                yield Problem(*self._place_of(pattern), message, f"correct the name, or add it: {_UPDATE}")
        for region in found:
            if not region.is_certain:
                message = (
                    f"{region.name} is frozen, and its extent is not certain: the syntax around it is not understood"
                )
                yield Problem(region.path, region.line, message, "freeze a marked region around it instead")

    def _place_of(self, pattern: str) -> tuple[str, int]:
        names = self.parameters.regions
        return self.context.spec.place(f"regions[{names.index(pattern)}]" if pattern in names else "reference")

    def _compared(self, wanted: list[Entry], found: list[Region]) -> Iterator[Finding]:
        """Definitions and entries of one key are compared as multisets of their contents."""
        left: dict[tuple[str, str, str], list[Region]] = defaultdict(list)
        for region in found:
            left[region.key].append(region)
        unmatched: list[Entry] = []
        for entry in wanted:
            same = next((region for region in left[entry.key] if region.digest == entry.digest), None)
            if same is None:
                unmatched.append(entry)
            else:
                left[entry.key].remove(same)
        for entry in unmatched:
            if left[entry.key]:
                yield self._changed(entry, left[entry.key].pop(0))
            else:
                yield self._missing(entry)
        for rest in left.values():
            for region in rest:
                yield self._new(region)

    def _changed(self, entry: Entry, region: Region) -> Finding:
        counts = f"{region.tokens} tokens, {entry.tokens} in the reference"
        return self._finding(region.path, region.line, region.key, f"is not what the reference holds: {counts}", entry)

    def _missing(self, entry: Entry) -> Finding:
        return self._finding(
            self.parameters.reference, entry.line, entry.key, "is frozen and not there any more", entry
        )

    def _new(self, region: Region) -> Finding:
        return self._finding(
            region.path, region.line, region.key, "is one more definition than the reference holds", None
        )

    def _finding(self, path: str, line: int, key: tuple[str, str, str], what: str, entry: Entry | None) -> Finding:
        kind, name, condition = key
        arm = f" (#if {condition})" if condition else ""
        evidence = (Evidence("reference", self.parameters.reference, entry.line, f"{kind} {name}"),) if entry else ()
        return Finding(
            gate=self.context.spec.id, kind=self.context.spec.kind, severity=Severity.ERROR,
            message=f"the {kind} {name}{arm} {what}", help=_HELP, path=path, line=line, column=1, entity=name,
            identity=(*key, what.partition(":")[0]), configurations=tuple(sorted(self.context.facts.configurations)),
            evidence=evidence,
        )  # fmt: skip
