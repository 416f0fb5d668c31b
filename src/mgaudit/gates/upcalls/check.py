"""The check of the gate kind ``upcalls``: every use of the called zones is mapped by exactly one row.

The reference is the upcall: a call, an address that is taken, a variable that is named, also through a declaration of
the caller's own. An indirect call through a pointer that holds such an address is not a second one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.sites import Site, SiteKind, Surface, surface
from mgaudit.analysis.sites_entities import Entities, EntityKind
from mgaudit.domain.problems import UntrustedError
from mgaudit.gates.context import Verdict
from mgaudit.gates.coverage import Reporter, place_of
from mgaudit.gates.mapping import Mapping
from mgaudit.gates.scopes import empty_zones, scope_of
from mgaudit.gates.upcalls.parameters import UpcallsParameters
from mgaudit.gates.verbs import verb_reach
from mgaudit.gates.verdicts import Verdicts, entity_of
from mgaudit.sources.records import DECL_IMPLICIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.analysis.verb_reach import VerbReach
    from mgaudit.domain.findings import Finding
    from mgaudit.gates.context import GateContext
    from mgaudit.sources.catalogues import Catalogue, Row


def check(context: GateContext) -> Verdict:
    """Judge what some zones use of others against the catalogue of upcalls."""
    judged = context.once(judge)
    left = () if context.is_whole else ("stale rows",)
    return Verdict(tuple(judged.findings()), judged.examined(), left=left)


def judge(context: GateContext) -> Judged:
    """The upcalls of a gate and what its catalogue makes of them.

    Raises:
        UntrustedError: A zone is empty, or the catalogue or a name in it is wrong; every problem.
    """
    parameters = context.spec.parameters
    assert isinstance(parameters, UpcallsParameters)
    problems = [
        *empty_zones(context, "from", parameters.from_zones), *empty_zones(context, "into", parameters.into),
    ]  # fmt: skip
    scope = replace(scope_of(context, parameters.into)[0], every_name=True)
    try:
        reach = verb_reach(context) if context.is_whole else None
        catalogue = context.catalogue(parameters.catalogue)
    except UntrustedError as error:
        raise UntrustedError([*problems, *error.problems]) from None
    entities = Entities.of(context.facts, scope)
    paths = context.paths_in(parameters.from_zones)
    found = surface(context.facts, context.near(paths), scope, context.looked_at)
    used = {s for site in found.sites for s in site.symbols}

    mapping = Mapping(context.facts, entities, catalogue, used, column="entity", kinds=_MAPPED)
    problems += mapping.problems
    if problems:
        raise UntrustedError(problems)
    return Judged(context, parameters, catalogue, entities, found, mapping, reach, len(paths))


@dataclass(frozen=True)
class Judged:
    """Upcalls, and the rows that answer them.

    Attributes:
        context: The gate's context.
        parameters: The gate's parameters.
        catalogue: The upcall catalogue.
        entities: What the called zones hold.
        found: What the references into the called zones are.
        mapping: The rows and what they mean.
        reach: What each verb may reach, or None where no verb is configured.
        files: How many files were looked at.
    """

    context: GateContext
    parameters: UpcallsParameters
    catalogue: Catalogue
    entities: Entities
    found: Surface
    mapping: Mapping
    reach: VerbReach | None
    files: int

    @property
    def report(self) -> Reporter:
        """Makes the findings."""
        return Reporter(self.context)

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """The upcalls, by place; members that classes of the called zones inherit from elsewhere are none."""
        return tuple(
            site for site in self.found.sites
            if site.kind is not SiteKind.SIGNATURE and any(map(self.entities.is_inside, site.symbols))
            and not self._is_substituted(site)
        )  # fmt: skip

    def _is_substituted(self, site: Site) -> bool:
        """Whether a template's parameter stands there: the upcall is where the argument is written."""
        scan = self.context.facts.scans.get(site.path)
        if scan is None or "template" not in site.via or "macro" in site.via:
            return False
        written = scan.name_at(site.offset)
        return written is not None and all(
            written != (name := self.context.facts.symbol(number).name) and name.isidentifier()
            for number in site.symbols
        )

    def owes(self, site: Site) -> bool:
        """Whether an upcall must be mapped; what the compiler declared by itself calls nobody."""
        if site.kind is SiteKind.CONSTRUCT:
            rows = self.context.facts.declarations_of(site.symbols)
            kinds = {self.context.facts.symbol(row.symbol).kind for row in rows if not row.flags & DECL_IMPLICIT}
            return "constructor" in kinds
        return site.kind not in {SiteKind.UNEVALUATED, SiteKind.UNRESOLVED}

    def verdict(self, site: Site) -> str | None:
        """What the catalogue says of an upcall: its verdict, ``unmapped``, or None where nothing is owed or said."""
        answers = sorted({mapped.row.get("verdict") or "" for mapped in self.mapping.rows_of(site)})
        if answers:
            return ", ".join(answers)
        return "unmapped" if self.owes(site) else None

    def examined(self) -> dict[str, int]:
        """What was looked at."""
        kinds = Counter(self.owes(site) for site in self.sites)
        return {"files": self.files, "rows": len(self.catalogue.rows), "upcalls": kinds[True]}

    # ---- findings

    def findings(self) -> Iterator[Finding]:
        """Every upcall without a row, then the defects of the catalogue."""
        used: set[int] = set()
        for site in self.sites:
            rows = self.mapping.rows_of(site)
            if site.mask:  # what no configuration takes keeps no row alive
                used.update(id(mapped) for mapped in rows)
            if site.kind is SiteKind.UNRESOLVED and (site.mask or not rows):
                is_error = self.parameters.unresolved == "error"
                yield self.report.unresolved(site, "an upcall", is_error=is_error)
            elif not rows and self.owes(site):
                yield self._unmapped(site)
        yield from self._rows(used)

    def suggestions(self) -> list[str]:
        """The rows that are missing, ready to paste, once each and sorted."""
        unmapped = [site for site in self.sites if self.owes(site) and not self.mapping.rows_of(site)]
        return sorted({self.catalogue.suggest(entity=site.entity) for site in unmapped})

    def _unmapped(self, site: Site) -> Finding:
        way = f" (via {', '.join(site.via)})" if site.via else ""
        row = self.catalogue.suggest(entity=site.entity)
        return self.report.site(
            site,
            f"{site.entity} is {_DONE[site.role]}{way}, and no row of the catalogue `{self.catalogue.name}` maps it",
            f"add `{row}` to {place_of(self.catalogue)}, or hand over what it needs with the call",
            identity=("upcall",),
        )

    def _rows(self, used: set[int]) -> Iterator[Finding]:
        doubled = {id(mapped) for mapped in self.mapping.doubled()}
        verdicts = Verdicts(self.context)
        for mapped in self.mapping.rows:
            row = mapped.row
            name = entity_of(row)
            if fault := verdicts.fault(row):
                yield self._row(row, *fault)
            if id(mapped) in doubled:
                yield self._row(row, f"{name} is mapped twice", "keep one of the rows: each entity has one verdict")
            elif not mapped.symbols and self.context.looked_at is None:
                yield self._row(row, f"{name} means nothing in the called zones", "correct or remove the row")
            elif self.context.is_whole and id(mapped) not in used:
                yield self._row(row, f"stale: nothing calls or names {name}", "remove the row")

    def _row(self, row: Row, message: str, advice: str) -> Finding:
        return self.report.row(row, message, advice, key=entity_of(row))


_MAPPED: Final = frozenset({EntityKind.ACCESSOR, EntityKind.VARIABLE, EntityKind.CONSTRUCTOR})
_DONE: Final = {"call": "called", "address": "handed on by address", "write": "written", "read": "named"}
