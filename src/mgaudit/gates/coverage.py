"""Findings of the gates that map sites to the rows of a catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from mgaudit.analysis.sites import totals
from mgaudit.domain.census import Census, SurfaceSite
from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.gates.uses import enclosing_function

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mgaudit.analysis.sites import Site, Surface
    from mgaudit.analysis.verb_reach import VerbReach
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.uses import Enclosing
    from mgaudit.sources.catalogues import Catalogue, Row


@dataclass(frozen=True, slots=True)
class Reporter:
    """Makes the findings of one gate."""

    context: GateContext

    def enclosing(self, site: Site) -> Enclosing | None:
        """The function around a site."""
        return enclosing_function(self.context.facts, site.parents)

    def surveyed(self, site: Site, verdict: str | None, reach: VerbReach | None) -> SurfaceSite:
        """A site as a census lists it, with the verbs that may reach it."""
        verbs = () if reach is None else tuple(verb.name for verb in reach.of(site))
        enclosing = self.enclosing(site)
        return SurfaceSite(
            gate=self.context.spec.id, path=site.path, line=site.line, column=site.column,
            symbol=enclosing.signature if enclosing else None, entity=site.entity, accessor=site.accessor,
            owner=site.entity if site.kind == "signature" else site.entity.rpartition("::")[0],
            kind=str(site.kind), via=site.via, role=site.role, verdict=verdict if site.mask else None, verbs=verbs,
            configurations=self.context.facts.names_of(site.mask),
        )  # fmt: skip

    def site(  # noqa: PLR0913
        self, site: Site, message: str, advice: str, severity: Severity = Severity.ERROR, *,
        proof: Iterable[Evidence] = (), identity: tuple[str, ...] = (),
    ) -> Finding:  # fmt: skip
        """A finding about a site.

        Args:
            site: Where it is.
            message: What is wrong.
            advice: What to do.
            severity: How much it weighs.
            proof: What leads to the site.
            identity: What tells it apart from other findings about the same use; default: what the use takes.
        """
        enclosing = self.enclosing(site)
        scope = enclosing.identity(site.path) if enclosing else (site.path,)
        return Finding(
            gate=self.context.spec.id, kind=self.context.spec.kind, severity=severity, message=message, help=advice,
            path=site.path, line=site.line, column=site.column, entity=site.entity,
            symbol=enclosing.signature if enclosing else None,
            identity=(*scope, site.entity, site.role, *(identity or (site.kind,))),
            configurations=self.context.facts.names_of(site.mask),
            evidence=(
                *proof, Evidence("reference", site.path, site.line, f"{site.entity} ({site.kind}, {site.role})"),
            ),
        )  # fmt: skip

    def unresolved(self, site: Site, what: str, *, is_error: bool) -> Finding:
        """A finding about a use that no more than its spelling tells of.

        Args:
            site: Where it is.
            what: What has such a name.
            is_error: Whether the gate takes such a use for an error.
        """
        if site.mask:
            message = f"`{site.accessor}`, the name of {what}, is used where the front end resolves nothing"
            advice = "instantiate the template in some translation unit, or give the receiver a type"
        else:
            message = f"`{site.accessor}`, the name of {what}, is used {self.idle(site)}"
            advice = "declare a configuration that takes the arm, or delete it"
        known = self.context.facts.configurations
        is_sure = bool(site.mask) or all(spec.name in known for spec in self.context.settings.configurations)
        return self.site(site, message, advice, Severity.ERROR if is_error and is_sure else Severity.WARNING)

    def idle(self, site: Site) -> str:
        """Where a site stands that no configuration takes."""
        scan = self.context.facts.scans[site.path]
        condition = scan.condition(scan.arm_of(site.offset))
        return f"in an arm that no configuration takes ({condition}): syntactic, not proven"

    def place(  # noqa: PLR0913
        self, place: tuple[str, int, int], entity: str, message: str, advice: str, *, mask: int,
        severity: Severity = Severity.ERROR,
    ) -> Finding:  # fmt: skip
        """A finding about an entity where it is declared: path, line and column."""
        path, line, column = place
        return Finding(
            gate=self.context.spec.id, kind=self.context.spec.kind, severity=severity, message=message, help=advice,
            path=path, line=line, column=column, entity=entity, identity=(entity, message),
            configurations=self.context.facts.names_of(mask),
            evidence=(Evidence("declaration", path, line, entity),),
        )  # fmt: skip

    def row(  # noqa: PLR0913
        self, row: Row, message: str, advice: str, severity: Severity = Severity.ERROR, *, key: str | None = None,
        identity: str | None = None, proof: Iterable[Evidence] = (),
    ) -> Finding:  # fmt: skip
        """A finding about a row.

        Args:
            row: The row.
            message: What is wrong.
            advice: What to do.
            severity: How much it weighs.
            key: What the finding is about; default: the row's first column.
            identity: What stays the same as long as the finding does; default: the message.
            proof: What it rests on beside the row.
        """
        return Finding(
            gate=self.context.spec.id, kind=self.context.spec.kind, severity=severity, message=message, help=advice,
            path=row.path, line=row.line, column=row.column, entity=row.key if key is None else key,
            identity=("catalogue", row.path, message if identity is None else identity),
            configurations=tuple(sorted(self.context.facts.configurations)),
            evidence=(Evidence("row", row.path, row.line, row.text()), *proof),
        )  # fmt: skip


class Judged(Protocol):
    """The sites of a gate, as its check judged them."""

    @property
    def report(self) -> Reporter:
        """Makes the findings."""

    @property
    def reach(self) -> VerbReach | None:
        """What each verb may reach, or None where no verb is configured."""

    def verdict(self, site: Site) -> str | None:
        """What the catalogue says of a site."""

    def examined(self) -> dict[str, int]:
        """What was looked at."""


def census(name: str, judged: Judged, sites: Iterable[Site], found: Surface) -> Census:
    """A gate's boundary, site by site.

    Args:
        name: What the census is called.
        judged: What the gate's check says.
        sites: The sites.
        found: What all references into the other side are.
    """
    listed = tuple(judged.report.surveyed(site, judged.verdict(site), judged.reach) for site in sites)
    return Census(name, listed, judged.examined(), tuple(totals(found)), found.references)


def place_of(catalogue: Catalogue) -> str:
    """Where a row is added to a catalogue, for advice."""
    listed = f"the list {catalogue.list_macro}" if catalogue.list_macro else f"the rows of `{catalogue.name}`"
    return f"{listed} ({catalogue.path}:{catalogue.line})"
