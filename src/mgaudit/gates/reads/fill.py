"""The fill table: what each class of verbs may read, against what its verbs reach."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from mgaudit.config.log import nearest
from mgaudit.domain.findings import Evidence, Severity
from mgaudit.domain.names import selects
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.coverage import Reporter, place_of
from mgaudit.gates.mapping import Mapped, Mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.analysis.sites import Site
    from mgaudit.analysis.sites_entities import Entities
    from mgaudit.analysis.verb_reach import VerbReach
    from mgaudit.analysis.verbs import Verb
    from mgaudit.domain.findings import Finding
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.reads.parameters import Fill
    from mgaudit.sources.catalogues import Row


class FillTable:
    """A fill table, and the reads that it is about.

    Args:
        context: The gate's context.
        parameters: Names of the two catalogues.
        entities: The scope's entities.
        reach: What the verbs reach.
        sites: The reads, and whether the gate's catalogue maps them: only those the table must allow.

    Raises:
        UntrustedError: A catalogue is malformed, or a name in it means several things; every problem.
    """

    def __init__(
        self,
        context: GateContext,
        parameters: Fill,
        entities: Entities,
        reach: VerbReach,
        sites: Sequence[tuple[Site, bool]],
    ) -> None:
        self._report = Reporter(context)
        self._reach = reach
        self._sites = sites
        self._verb_list = context.catalogue(parameters.verbs)
        self._field_list = context.catalogue(parameters.fields)
        used = {symbol for site, _ in sites for symbol in site.symbols}
        self._fields = Mapping(context.facts, entities, self._field_list, used, column="field")
        self._verb_of = {id(row): self._named(row) for row in self._verb_list.rows}
        problems = [*self._fields.problems, *self._ambiguous()]
        if problems:
            raise UntrustedError(problems)

    # ---- what the rows say

    def _named(self, row: Row) -> list[Verb]:
        return [verb for verb in self._reach.verbs if selects(row.get("verb") or "", verb.qualified)]

    def _ambiguous(self) -> Iterator[Problem]:
        for row in self._verb_list.rows:
            verbs = self._verb_of[id(row)]
            if len(verbs) > 1:
                names = ", ".join(verb.name for verb in verbs)
                yield Problem(
                    row.path, row.line, f"column {row.column}: `{row.get('verb')}` means several verbs: {names}",
                    "qualify it with its table or class",
                )  # fmt: skip

    @cached_property
    def _classes(self) -> dict[str, frozenset[str]]:
        """The classes of each verb, by its name."""
        found: dict[str, set[str]] = defaultdict(set)
        for row in self._verb_list.rows:
            for verb in self._verb_of[id(row)]:
                found[verb.name].update(row.union("class"))
        return {name: frozenset(classes) for name, classes in found.items()}

    def _rows_for(self, verb: Verb) -> list[Mapped]:
        classes = self._classes.get(verb.name, frozenset())
        return [mapped for mapped in self._fields.rows if not classes.isdisjoint(mapped.row.union("class"))]

    # ---- findings

    def findings(self) -> Iterator[Finding]:
        """Reads that a verb may not do, then the defects of the rows."""
        exercised: set[tuple[int, str]] = set()
        for site, is_mapped in self._sites:
            barred = []
            for verb in self._reach.of(site):
                rows = self._fields.rows_of(site, self._rows_for(verb))
                exercised.update((id(mapped), verb.name) for mapped in rows)
                if is_mapped and not rows:
                    barred.append(verb)
            if barred:
                yield self._barred(site, barred)
        yield from self._verb_rows()
        yield from self._field_rows(exercised)

    def _barred(self, site: Site, verbs: Sequence[Verb]) -> Finding:
        proof = min((self._reach.proof(verb, site) for verb in verbs), key=len)
        classes = sorted({name for verb in verbs for name in self._classes.get(verb.name, ())})
        listed = ", ".join(verb.name for verb in verbs)
        noun = "the verb" if len(verbs) == 1 else "the verbs"
        may = f"does not allow that to {', '.join(classes)}" if classes else "gives it no class"
        return self._report.site(
            site,
            f"{site.entity} is read by {noun} {listed}, and the fill table {may}",
            f"take the read out of the reach of {listed}, or {self._remedy(site, verbs, classes)}",
            proof=[Evidence(*step) for step in proof],
            identity=("fill", *(verb.name for verb in verbs)),
        )

    def _remedy(self, site: Site, verbs: Sequence[Verb], classes: Sequence[str]) -> str:
        if classes:
            row = self._field_list.suggest(**{"class": classes[0], "field": site.accessor})
            return f"add `{row}` to {place_of(self._field_list)}"
        return f"add `{self._verb_list.suggest(verb=verbs[0].name)}` to {place_of(self._verb_list)}"

    def _verb_rows(self) -> Iterator[Finding]:
        seen: set[str] = set()
        for row in self._verb_list.rows:
            name = row.get("verb") or ""
            verbs = self._verb_of[id(row)]
            if not verbs:
                known = [verb.name for verb in self._reach.verbs]
                yield self._row(
                    row, name, f"no verb is named {name}", nearest(name, known) or "correct or remove the row"
                )
            elif verbs[0].name in seen:
                yield self._row(row, name, f"{name} has a class already", "keep one of the rows")
            if verbs and not row.get("class"):
                yield self._row(row, name, f"{name} has no class", "name the class that says what it may read")
            if any(verb.slots and not verb.entries for verb in verbs):
                yield self._row(
                    row, name, f"no function is seen to be stored into {name}: what it reads is not known",
                    "remove the row if the slot stays empty, or list what fills it under `functions` of [verbs]",
                    Severity.WARNING,
                )  # fmt: skip
            seen.update(verb.name for verb in verbs)

    def _field_rows(self, exercised: set[tuple[int, str]]) -> Iterator[Finding]:
        repeated = {id(mapped) for mapped in self._fields.doubled("class")}
        unresolved = self._reach.unresolved()
        for mapped in self._fields.rows:
            row, name = mapped.row, mapped.row.get("field") or ""
            verbs = [v for v, classes in sorted(self._classes.items()) if not classes.isdisjoint(row.union("class"))]
            label = f"{row.get('class')}, {name}"
            if id(mapped) in repeated:
                yield self._row(row, label, f"{row.get('class')} lists {name} twice", "keep one of the rows")
            elif not verbs:
                yield self._row(row, label, f"no verb has the class {row.get('class')}", "correct or remove the row")
            elif not mapped.symbols:
                yield self._row(row, label, f"{name} means no accessor", "correct the name, or remove the row")
            else:
                idle = [verb for verb in verbs if (id(mapped), verb) not in exercised]
                yield from self._idle(row, label, idle, len(verbs), sum(unresolved[verb] for verb in idle))

    def _idle(self, row: Row, label: str, idle: Sequence[str], verbs: int, unresolved: int) -> Iterator[Finding]:
        """A pair that nothing exercises is an error; one that only some verbs of its class do, a note."""
        name, listed = row.get("field"), ", ".join(idle)
        if not idle:
            return
        if len(idle) < verbs:
            message = f"{row.get('class')} lists {name}, and no path leads from {listed} to a read of it"
            yield self._row(row, label, message, "a class of its own would tell them apart", Severity.NOTE)
            return
        message = f"{row.get('class')} lists {name}, and no path leads from any of its verbs ({listed}) to a read of it"
        if unresolved:
            message += f"; calls within their reach stay unresolved: {unresolved}"
        severity = Severity.WARNING if unresolved else Severity.ERROR
        yield self._row(row, label, message, "remove the row: it disables a check for nothing", severity)

    def _row(self, row: Row, key: str, message: str, advice: str, severity: Severity = Severity.ERROR) -> Finding:
        return self._report.row(row, message, advice, severity, key=key, identity=f"fill {key}")
