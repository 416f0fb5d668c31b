"""The check of the gate kind ``reads``: every site of the boundary is mapped by exactly one row of the catalogue."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.changes import key_of
from mgaudit.analysis.sites import SiteKind, surface
from mgaudit.analysis.sites_entities import Entities
from mgaudit.config.log import nearest
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.context import Verdict
from mgaudit.gates.coverage import Reporter, place_of
from mgaudit.gates.inference import write_backs_among
from mgaudit.gates.mapping import Mapped, Mapping
from mgaudit.gates.reads.fill import FillTable
from mgaudit.gates.reads.parameters import ReadsParameters
from mgaudit.gates.scopes import scope_of
from mgaudit.gates.verbs import verb_reach
from mgaudit.gates.writebacks.rows import with_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mgaudit.analysis.changes import SiteKey
    from mgaudit.analysis.sites import Site, Surface
    from mgaudit.analysis.verb_reach import VerbReach
    from mgaudit.domain.findings import Finding
    from mgaudit.gates.context import GateContext
    from mgaudit.sources.catalogues import Catalogue, Row

_BUILT_IN: Final = re.compile(r'LOCAL|NA\(\s*".*\S.*"\s*\)', re.DOTALL)
_UNEXPLAINED: Final = re.compile(r'NA(\(\s*("\W*")?\s*\))?')
_READ: Final = frozenset({SiteKind.VALUE, SiteKind.HANDLE, SiteKind.BYTES})


def check(context: GateContext) -> Verdict:
    """Judge the read surface of some zones against its catalogue."""
    judged = context.once(judge)
    left = () if context.is_whole else ("stale rows", "fill pairs", *judged.left_uses())
    return Verdict(tuple(judged.findings()), judged.examined(), judged.problems, left=left)


def judge(context: GateContext) -> Judged:
    """The surface of a gate of the kind ``reads`` and what its catalogue makes of it.

    Raises:
        UntrustedError: The catalogue or the names in the parameters are wrong; every problem.
    """
    parameters = context.spec.parameters
    assert isinstance(parameters, ReadsParameters)
    scope, problems = scope_of(
        context, parameters.of, parameters.classes, parameters.value_classes, parameters.byte_accessors
    )
    try:
        reach = verb_reach(context) if context.is_whole else None
        catalogue = context.catalogue(parameters.catalogue)
        calls = context.catalogue(parameters.calls_catalogue) if parameters.calls_catalogue else None
    except UntrustedError as error:
        raise UntrustedError([*problems, *error.problems]) from None
    if problems:
        raise UntrustedError(problems)
    paths = context.paths_in(parameters.from_zones)
    entities = Entities.of(context.facts, scope)
    everything = surface(context.facts, context.near(paths), scope, context.looked_at)

    def judged_of(set_aside: Collection[SiteKey], left: Sequence[Site] = ()) -> Judged:
        sites = tuple(site for site in everything.sites if key_of(site) not in set_aside)
        mapping = Mapping(context.facts, entities, catalogue, {s for site in sites for s in site.symbols})
        return Judged(
            context, parameters, catalogue, calls, replace(everything, sites=sites), mapping, reach, len(paths),
            len(scope.paths), len(everything.sites) - len(sites), left=left,
        )  # fmt: skip

    asked, left = (None, ()) if context.is_whole else _undecided(judged_of(()))
    changing = write_backs_among(context, entities, everything.sites, asked)
    judged = judged_of(changing.union(map(key_of, left)), left)
    if judged.mapping.problems:
        raise UntrustedError(judged.mapping.problems)
    if parameters.fill is None or not context.is_whole:
        return judged
    if reach is None:
        raise UntrustedError([_no_verbs(context)])
    return replace(judged, fill=FillTable(context, parameters.fill, entities, reach, judged.reads()))


def _undecided(judged: Judged) -> tuple[list[Site] | None, list[Site]]:
    """The uses for which it has to be known whether they change something, None for all; those for which it is left.

    What a use changes follows from all that it reaches, and decides only about uses that no row maps. Where a quick
    answer is wanted, those that rows of a gate of write-backs are about are left to a run over the whole tree.
    """
    if judged.mapping.problems:
        return None, []
    unmapped = [site for site in judged.sites if judged.is_unmapped(site)]
    known = with_rows(judged.context, unmapped) if judged.context.is_fast else frozenset()
    return [s for s in unmapped if key_of(s) not in known], [s for s in unmapped if key_of(s) in known]


def _no_verbs(context: GateContext) -> Problem:
    message = f'gate "{context.spec.id}": `fill` needs verbs, and the configuration has none'
    return Problem(*context.spec.place("fill"), message, "write a [verbs] table")


@dataclass(frozen=True, slots=True)
class Judged:
    """A surface, and the rows that answer it.

    Attributes:
        context: The gate's context.
        parameters: The gate's parameters.
        catalogue: The read catalogue.
        calls: The calls that it may name, or None.
        surface: The sites.
        mapping: The rows and what they mean.
        reach: What each verb may reach, or None where no verb is configured.
        files: How many files were looked at.
        observed: How many files the observed zones hold.
        write_backs: How many uses are answered by a gate of write-backs instead.
        left: Those of them of which it is not known whether they change something.
        fill: The fill table, or None.
    """

    context: GateContext
    parameters: ReadsParameters
    catalogue: Catalogue
    calls: Catalogue | None
    surface: Surface
    mapping: Mapping
    reach: VerbReach | None
    files: int
    observed: int
    write_backs: int = 0
    left: Sequence[Site] = ()
    fill: FillTable | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why the answer cannot be trusted."""
        if self.files and self.observed:
            return ()
        key = "of" if self.files else "from"
        place = self.context.spec.place(key)
        return (Problem(*place, f'gate "{self.context.spec.id}": the zones of `{key}` hold no file'),)

    @property
    def sites(self) -> tuple[Site, ...]:
        """The sites, by place."""
        return self.surface.sites

    def owes(self, site: Site) -> bool:
        """Whether a site must be mapped."""
        if site.role == "write":  # belongs to the write-backs
            return False
        if site.kind in {SiteKind.SIGNATURE, SiteKind.UNEVALUATED}:
            return self.parameters.map_signatures
        return site.kind in _READ or (site.kind is SiteKind.CONSTRUCT and self.parameters.constructions)

    def is_unmapped(self, site: Site) -> bool:
        """Whether a site whose finding is wanted must be mapped, and is not."""
        return self.context.wants(site.path) and self.owes(site) and not self.mapping.rows_of(site)

    def left_uses(self) -> list[str]:
        """What is left to a run over the whole tree of uses that may only read."""
        chosen = self.context.chosen or ()
        uses = Counter(site.entity for site in self.left if site.path in chosen)
        named = ", ".join(f"{count} of {entity}" for entity, count in sorted(uses.items()))
        return [f"uses that the write-backs map ({named})"] if named else []

    def reads(self) -> list[tuple[Site, bool]]:
        """The reads, and whether the catalogue answers them."""
        reads = (site for site in self.surface.sites if site.kind in _READ and site.role != "write")
        return [(site, bool(self.mapping.rows_of(site))) for site in reads]

    @property
    def report(self) -> Reporter:
        """Makes the findings."""
        return Reporter(self.context)

    def verdict(self, site: Site) -> str | None:
        """What the catalogue says of a site: its answer, ``unmapped``, or None where nothing is owed or said."""
        answers = sorted({mapped.row.get("call") or "" for mapped in self.mapping.rows_of(site)})
        if answers:
            return ", ".join(answers)
        return "unmapped" if self.owes(site) else None

    def examined(self) -> dict[str, int]:
        """What was looked at."""
        kinds = Counter(site.kind for site in self.surface.sites)
        return {
            "files": self.files,
            "references": self.surface.references,
            "rows": len(self.catalogue.rows),
            "sites": sum(kinds[kind] for kind in _READ),
            **({} if self.reach is None else {"verbs": len(self.reach.verbs)}),
            **{f"{kind} sites": count for kind, count in sorted(kinds.items())},
        }

    # ---- findings

    def findings(self) -> Iterator[Finding]:
        """Every defect of the surface and of the catalogue."""
        used: set[int] = set()
        for site in self.surface.sites:
            rows = self.mapping.rows_of(site)
            if site.mask:  # what no configuration takes keeps no row alive
                used.update(id(mapped) for mapped in rows)
            if not rows and self.owes(site):
                yield self._unmapped(site)
            elif site.kind is SiteKind.UNRESOLVED and (site.mask or not rows):
                is_error = self.parameters.unresolved == "error"
                yield self.report.unresolved(site, "an accessor", is_error=is_error)
        doubled = self.mapping.doubled()
        for mapped in doubled:
            yield self.report.row(
                mapped.row, f"{mapped.row.key} is mapped twice", "keep one of the rows: each accessor has one answer"
            )
        repeated = {id(mapped) for mapped in doubled}
        for mapped in self.mapping.rows:
            yield from self._unknown_call(mapped.row)
            if self.context.is_whole and id(mapped) not in used and id(mapped) not in repeated:
                yield self._stale(mapped)
        if self.fill is not None:
            yield from self.fill.findings()

    def suggestions(self) -> list[str]:
        """The rows that are missing, ready to paste, once each and sorted."""
        unmapped = [s for s in self.surface.sites if self.owes(s) and not self.mapping.rows_of(s)]
        return sorted({self.catalogue.suggest(accessor=self._row_name(site)) for site in unmapped})

    def _row_name(self, site: Site) -> str:
        """How a row would name a site's accessor."""
        constant = self._keyed(site)
        return f"{site.accessor}({constant})" if constant else site.accessor

    def _unmapped(self, site: Site) -> Finding:
        way = f" (via {', '.join(site.via)})" if site.via else ""
        row = self.catalogue.suggest(accessor=self._row_name(site))
        catalogue = f"the catalogue `{self.catalogue.name}`"
        return self.report.site(
            site,
            f"{site.entity} {_VERBS[site.kind]}{way}, and no row of {catalogue} maps it",
            f"add `{row}` to {place_of(self.catalogue)}, or take it over the interface",
        )

    def _keyed(self, site: Site) -> str:
        """The constant argument that a row for a site has to name, where the accessor is keyed by its argument."""
        if not any(m.arguments and m.symbols & site.symbols for m in self.mapping.rows):
            return ""
        return next((a[0] for a in sorted(site.arguments) if a[0]), "")

    def _unknown_call(self, row: Row) -> Iterator[Finding]:
        call = row.get("call") or ""
        named = self.calls.rows if self.calls is not None else ()
        known = {*self.parameters.pseudo_calls, *(r.get("name") or "" for r in named)}
        if _UNEXPLAINED.fullmatch(call):
            yield self.report.row(
                row, f"{row.key} is not applicable without a reason", 'write `NA("why nothing is sent")`'
            )
        elif not call:
            yield self.report.row(row, f"{row.key} has no answer", "name the call, or a pseudo-call, that answers it")
        elif call not in known and not _BUILT_IN.fullmatch(call) and self.calls is not None:
            yield self.report.row(
                row, f"{row.key} is mapped to `{call}`, and no call of `{self.calls.name}` has that name",
                nearest(call, sorted(known)),
            )  # fmt: skip

    def _stale(self, mapped: Mapped) -> Finding:
        row = mapped.row
        if not mapped.symbols:
            return self.report.row(row, f"{row.key} means no accessor", "correct the name, or remove the row")
        return self.report.row(row, f"stale: nothing reads {row.key}", "remove the row")


_VERBS: Final = {
    SiteKind.VALUE: "is read",
    SiteKind.HANDLE: "yields an object of the other side",
    SiteKind.BYTES: "yields raw bytes",
    SiteKind.SIGNATURE: "is carried by a declaration",
    SiteKind.UNEVALUATED: "is named without being evaluated",
    SiteKind.CONSTRUCT: "makes an object of the other side",
}
