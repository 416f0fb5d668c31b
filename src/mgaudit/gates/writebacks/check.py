"""The check of the gate kind ``writebacks``: every use that changes a frontend object is mapped by exactly one row.

What changes is inferred (`mgaudit.analysis.effects`). A row without a symbol answers every site of its entity; one with
a symbol and an ordinal answers that site alone, and a method that owes a row a site takes no other answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.changes import Changes, changes, key_of
from mgaudit.analysis.sites import Site, SiteKind, Surface, surface
from mgaudit.analysis.sites_entities import Entities
from mgaudit.domain.findings import Evidence, Severity
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.context import Verdict
from mgaudit.gates.coverage import Reporter, place_of
from mgaudit.gates.inference import effects_for, replaced_bodies
from mgaudit.gates.scopes import empty_zones, scope_of
from mgaudit.gates.verbs import verb_reach
from mgaudit.gates.verdicts import Verdicts, entity_of
from mgaudit.gates.writebacks.parameters import WritebacksParameters
from mgaudit.gates.writebacks.rows import is_in, row_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.analysis.effects import Effects
    from mgaudit.analysis.effects_model import Evidence as Deed
    from mgaudit.analysis.verb_reach import VerbReach
    from mgaudit.domain.findings import Finding
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.mapping import Mapped, Mapping
    from mgaudit.sources.catalogues import Catalogue, Row


def check(context: GateContext) -> Verdict:
    """Judge what some zones change of others against the catalogue of write-backs."""
    judged = context.once(judge)
    left = () if context.is_whole else ("stale rows",)
    return Verdict(tuple(judged.findings()), judged.examined(), left=left)


def judge(context: GateContext) -> Judged:
    """The write-backs of a gate and what its catalogue makes of them.

    Raises:
        UntrustedError: A zone is empty, or the catalogue or a name in it is wrong; every problem.
    """
    parameters = context.spec.parameters
    assert isinstance(parameters, WritebacksParameters)
    problems = [*empty_zones(context, "from", parameters.from_zones), *empty_zones(context, "of", parameters.of)]
    scope, unknown = scope_of(context, parameters.of, parameters.classes, parameters.value_classes)
    problems += unknown
    try:
        reach = verb_reach(context)
        catalogue = context.catalogue(parameters.catalogue)
    except UntrustedError as error:
        raise UntrustedError([*problems, *error.problems]) from None
    entities = Entities.of(context.facts, scope)
    paths = context.paths_in(parameters.from_zones)
    found = surface(context.facts, paths, scope)
    effects = effects_for(context)
    changed = changes(context.facts, effects, entities, paths, found.sites)
    used = {s for site in found.sites for s in site.symbols} | {
        s for site, _ in changed.unnamed.values() for s in site.symbols
    }

    mapping = row_mapping(context, entities, catalogue, used)
    problems += mapping.problems
    owed = {}
    for index, name in enumerate(parameters.per_site):
        owed[name] = frozenset(s.id for s in context.facts.symbols_named(name) if mapping.is_meant(s.id))
        if not owed[name]:
            place = context.spec.place(f"per-site[{index}]")
            what = f'gate "{context.spec.id}": no translation unit declares `{name}` in the observed zones'
            problems.append(Problem(*place, what, "correct the name, or remove it"))
    if problems:
        raise UntrustedError(problems)
    per_site = frozenset().union(*owed.values())
    return Judged(
        context, parameters, catalogue, effects, found, changed, mapping, entities, reach, per_site, len(paths)
    )


@dataclass(frozen=True)
class Judged:
    """Write-backs, and the rows that answer them.

    Attributes:
        context: The gate's context.
        parameters: The gate's parameters.
        catalogue: The write-back catalogue.
        effects: The effects of functions.
        found: What the references into the observed zones are.
        changed: Which of them change something.
        mapping: The rows and what they mean.
        entities: What the observed zones hold.
        reach: What each verb may reach, or None where no verb is configured.
        per_site: Ids of the entities that owe one row a site.
        files: How many files were looked at.
    """

    context: GateContext
    parameters: WritebacksParameters
    catalogue: Catalogue
    effects: Effects
    found: Surface
    changed: Changes
    mapping: Mapping
    entities: Entities
    reach: VerbReach | None
    per_site: frozenset[int]
    files: int

    @property
    def report(self) -> Reporter:
        """Makes the findings."""
        return Reporter(self.context)

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """The uses that change something or may, by place; copies that only the observing code changes are none."""
        known = [site for site in self.found.sites if self._is_write_back(site)]
        known += [site for site, _ in self.changed.unnamed.values()]
        return tuple(sorted(known, key=lambda s: (s.path, s.line, s.column, s.entity)))

    def _is_write_back(self, site: Site) -> bool:
        key = key_of(site)
        if key in self.changed.certain or key in self.changed.doubtful:
            return True
        if site.kind is SiteKind.UNRESOLVED:
            return any(self._is_mutator(number) for number in site.symbols)
        return site.role == "write" and key not in self.changed.own and site.kind is not SiteKind.UNEVALUATED

    def _is_mutator(self, number: int) -> bool:
        summary = self.effects.of(number)
        return summary is not None and bool(summary.writes)

    def owes(self, site: Site) -> bool:
        """Whether a use must be mapped: it changes something for certain."""
        return key_of(site) not in self.changed.doubtful and site.kind is not SiteKind.UNRESOLVED

    @cached_property
    def _ordinals(self) -> dict[tuple[object, ...], int]:
        """The position of each site among those of its entity in its function, from 1."""
        counts: Counter[tuple[object, ...]] = Counter()
        found: dict[tuple[object, ...], int] = {}
        for site in self.sites:
            group = (*self._scope(site), site.entity)
            counts[group] += 1
            found[key_of(site)] = counts[group]
        return found

    def _scope(self, site: Site) -> tuple[str, ...]:
        enclosing = self.report.enclosing(site)
        return enclosing.identity(site.path) if enclosing is not None else (site.path,)

    def rows_of(self, site: Site) -> list[Mapped]:
        """The rows that answer a site: its own, else those of its entity where that owes none a site."""
        rows = [m for m in self.mapping.rows if m.row.get("symbol")]
        own = [m for m in self.mapping.rows_of(site, rows) if self._is_for(m.row, site)]
        if own or self.per_site & site.symbols:
            return own
        return self.mapping.rows_of(site, [m for m in self.mapping.rows if not m.row.get("symbol")])

    def _is_for(self, row: Row, site: Site) -> bool:
        return is_in(row, self.context, site) and row.get("ordinal") == str(self._ordinals[key_of(site)])

    def verdict(self, site: Site) -> str | None:
        """What the catalogue says of a site: its verdict, ``unmapped``, or ``undecided``."""
        answers = sorted({mapped.row.get("verdict") or "" for mapped in self.rows_of(site)})
        if answers:
            return ", ".join(answers)
        return "unmapped" if self.owes(site) else "undecided"

    def examined(self) -> dict[str, int]:
        """What was looked at."""
        kinds = Counter(self.owes(site) for site in self.sites)
        return {
            "files": self.files, "references": self.found.references, "rows": len(self.catalogue.rows),
            "write-backs": kinds[True], "undecided": kinds[False] + len(self.changed.unknown),
            **replaced_bodies(self.context),
        }  # fmt: skip

    # ---- findings

    def findings(self) -> Iterator[Finding]:
        """Every write-back without a row, then the defects of the catalogue."""
        used: set[int] = set()
        for site in self.sites:
            rows = self.rows_of(site)
            if site.mask:  # what no configuration takes keeps no row alive
                used.update(id(mapped) for mapped in rows)
            if not self.owes(site):
                if not rows:
                    yield self._undecided(site)
            elif not rows:
                yield self._unmapped(site)
        yield from self._rows(used)

    def suggestions(self) -> list[str]:
        """The rows that are missing, ready to paste, once each and sorted."""
        return sorted({self._suggested(site) for site in self.sites if self.owes(site) and not self.rows_of(site)})

    def _suggested(self, site: Site) -> str:
        if "symbol" not in self.catalogue.columns:
            return self.catalogue.suggest(entity=site.entity)
        if not self.per_site & site.symbols:
            return self.catalogue.suggest(symbol="", entity=site.entity, ordinal="")
        enclosing = self.report.enclosing(site)
        symbol = enclosing.signature if enclosing is not None else ""
        return self.catalogue.suggest(symbol=symbol, entity=site.entity, ordinal=str(self._ordinals[key_of(site)]))

    def _unmapped(self, site: Site) -> Finding:
        way = f" (via {', '.join(site.via)})" if site.via else ""
        owed = " of its own" if self.per_site & site.symbols else ""
        return self.report.site(
            site,
            f"{site.entity} {_DEEDS.get(site.role, 'is changed')}{way}, and no row{owed} of the catalogue "
            f"`{self.catalogue.name}` says what becomes of it",
            f"add `{self._suggested(site)}` to {place_of(self.catalogue)}, or leave the object as it is",
            proof=self._proof(site), identity=("write-back",),
        )  # fmt: skip

    def _undecided(self, site: Site) -> Finding:
        deed = self.changed.doubtful.get(key_of(site))
        unseen = "the front end resolves nothing there" if site.mask else f"it stands {self.report.idle(site)}"
        why = deed.text if deed is not None else unseen
        is_error = site.kind is SiteKind.UNRESOLVED and self.parameters.unresolved == "error"
        return self.report.site(
            site, f"undecided: {site.entity} may be changed: {why}",
            "say in [effects] what that function writes, or add a row for it",
            Severity.ERROR if is_error else Severity.WARNING, identity=("undecided",),
        )  # fmt: skip

    def _proof(self, site: Site) -> list[Evidence]:
        """The chain of calls from the site to the write."""
        deed: Deed | None = self.changed.certain.get(key_of(site))
        if deed is None and key_of(site) in self.changed.unnamed:
            deed = self.changed.unnamed[key_of(site)][1]
        return [Evidence("write", step.path, step.line, step.text) for step in self.effects.chain(deed)]

    def _rows(self, used: set[int]) -> Iterator[Finding]:
        doubled = set(map(id, self._doubled()))
        verdicts = Verdicts(self.context)
        for mapped in self.mapping.rows:
            row = mapped.row
            name = entity_of(row)
            if fault := verdicts.fault(row):
                yield self._row(row, *fault)
            if id(mapped) in doubled:
                yield self._row(row, f"{name} is mapped twice", "keep one of the rows: each has one verdict")
            elif not mapped.symbols:
                yield self._row(row, f"{name} means nothing in the observed zones", "correct or remove the row")
            elif row.get("symbol") and not row.get("ordinal"):
                yield self._row(row, f"{name} names a function and no ordinal", "count the sites in it from 1")
            elif self.context.is_whole and id(mapped) not in used:
                yield self._row(row, f"stale: nothing changes {name}{_where(row)}", "remove the row")

    def _doubled(self) -> Iterator[Mapped]:
        seen: dict[tuple[object, ...], list[Mapped]] = defaultdict(list)
        for mapped in self.mapping.rows:
            row = mapped.row
            what: object = mapped.symbols or row.get("entity")
            key = (row.definition, row.get("symbol") or "", row.get("ordinal") or "", what, mapped.arguments)
            if seen[key]:
                yield mapped
            seen[key].append(mapped)

    def _row(self, row: Row, message: str, advice: str) -> Finding:
        return self.report.row(row, message, advice, key=entity_of(row))


def _where(row: Row) -> str:
    symbol = row.get("symbol")
    return f" in {symbol} at ordinal {row.get('ordinal')}" if symbol else ""


_DEEDS: Final = {"call": "changes a frontend object", "write": "is written", "read": "hands out what is changed"}
