"""The check of the gate kind ``undeclared``: two witnesses, reconciled.

What the front end resolved to the entity counts wherever it stands in the zones. So does every token that reads like
the entity, unless it provably means something else.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mgaudit.analysis.activity import Activity
from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.problems import Problem
from mgaudit.gates.context import Verdict
from mgaudit.gates.undeclared.entities import entity_of
from mgaudit.gates.undeclared.parameters import UndeclaredParameters
from mgaudit.gates.undeclared.tokens import FactPlaces, Macros, TokenClass, names_at
from mgaudit.gates.uses import enclosing_function, role_name
from mgaudit.sources.records import DECL_DEFINITION, DECL_IMPLICIT
from mgaudit.sources.scan_facts import TokenFlag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext
    from mgaudit.gates.undeclared.entities import Entity
    from mgaudit.gates.uses import Enclosing

_HELP = "take the value as a parameter or through the boundary's interface; name an allowed place in `exempt`"
_REASONS = {
    TokenClass.IDLE_ARM: "in an arm that no configuration takes",
    TokenClass.IDLE_BODY: "in the body of the macro {macro}, which no code of the zone takes",
    TokenClass.OPEN: "in code that the front end resolves to nothing",
}


def check(context: GateContext) -> Verdict:
    """Find every place in the zones that names an entity, however spelled."""
    return _Check(context).verdict()


@dataclass(slots=True)
class _Use:
    """What the front end reports of an entity at one place, over all units and configurations."""

    line: int
    column: int
    mask: int = 0
    roles: int = 0
    parents: set[int] = field(default_factory=set)
    declared: str = ""

    @property
    def role(self) -> str:
        return self.declared or role_name(self.roles)


class _Check:
    def __init__(self, context: GateContext) -> None:
        assert isinstance(context.spec.parameters, UndeclaredParameters)
        self.context = context
        self.facts = context.facts
        self.parameters = context.spec.parameters
        self.paths = context.paths_in(self.parameters.zones)
        self.scanned = tuple(sorted(path for path in self.paths if path in self.facts.scans))
        self.macros = Macros(self.facts.scans)
        self.places = FactPlaces(self.facts)
        self.active = Activity(self.facts, self.scanned)
        self.active_anywhere = self._anywhere()
        self.examined = dict.fromkeys(("references", "tokens", "agreements", "homonyms"), 0)
        self.findings: list[Finding] = []

    def _anywhere(self) -> Activity:
        """What any configuration takes, also one that this gate does not judge."""
        every = tuple(spec.name for spec in self.context.settings.configurations)
        if every == self.facts.configurations:
            return self.active
        try:
            return Activity(self.facts.restricted_to(every), self.scanned)
        finally:
            self.facts.select()

    def verdict(self) -> Verdict:
        problems = list(self._problems())
        for index, pattern in enumerate(self.parameters.entities):
            entity = entity_of(self.context, index, pattern, expect_declared=self.parameters.expect_declared)
            if isinstance(entity, Problem):
                problems.append(entity)
            else:
                self._judge(entity)
        examined = {"entities": len(self.parameters.entities), "files": len(self.scanned), **self.examined}
        return Verdict(tuple(self.findings), examined, tuple(problems))

    def _problems(self) -> Iterator[Problem]:
        for index, name in enumerate(self.parameters.zones):
            if not self.context.files.in_zone(name):
                yield Problem(
                    *self.context.spec.place(f"zones[{index}]"),
                    f'gate "{self.context.spec.id}": zone "{name}" holds no file',
                    "correct the zone's paths",
                )

    def _judge(self, entity: Entity) -> None:
        uses = self._uses(entity)
        tokens = {path: self.facts.scans[path].occurrences(entity.name) for path in self.scanned}
        tokens = {path: found for path, found in tokens.items() if found}
        offsets = {(path, offset) for path, found in tokens.items() for offset, _ in found}
        self.examined["references"] += len(uses)
        self.examined["tokens"] += len(offsets)
        self.examined["agreements"] += len(offsets & uses.keys())
        spelled = self._spellings(set(uses) - offsets)
        for (path, offset), use in sorted(uses.items()):
            macro = spelled.get((path, offset))
            self._report_use(entity, path, use, is_token=(path, offset) in offsets, macro=macro)
        expanded = set(spelled.values()) | ({entity.name} if offsets & uses.keys() else set())
        for path, found in tokens.items():
            rest = [(offset, flags) for offset, flags in found if (path, offset) not in uses]
            self._judge_tokens(entity, path, rest, expanded)

    # ---- the front end

    def _uses(self, entity: Entity) -> dict[tuple[str, int], _Use]:
        uses: dict[tuple[str, int], _Use] = {}
        for reference in self.facts.references_to(entity.symbols):
            if reference.path in self.paths:
                use = uses.setdefault((reference.path, reference.offset), _Use(reference.line, reference.column))
                use.mask |= reference.mask
                use.roles |= reference.role
                if reference.parent is not None:
                    use.parents.add(reference.parent)
        for row in self.facts.declarations_of(entity.symbols):
            if row.path in self.paths and not row.flags & DECL_IMPLICIT:
                use = uses.setdefault((row.path, row.offset), _Use(row.line, row.column))
                use.mask |= row.mask
                use.declared = "definition" if row.flags & DECL_DEFINITION else use.declared or "declaration"
        return uses

    def _spellings(self, places: set[tuple[str, int]]) -> dict[tuple[str, int], str]:
        """What stands at places where no token of the entity does: the name of a macro, as a rule."""
        by_path: dict[str, set[int]] = defaultdict(set)
        for path, offset in places:
            if path in self.facts.scans:
                by_path[path].add(offset)
        return {
            (path, offset): name
            for path, offsets in by_path.items()
            for offset, name in names_at(self.facts.scans[path], offsets).items()
        }

    def _report_use(self, entity: Entity, path: str, use: _Use, *, is_token: bool, macro: str | None) -> None:
        enclosing = enclosing_function(self.facts, use.parents)
        definitions = self.macros.by_name.get(macro, ()) if macro else ()
        way = f" through the macro {macro}" if definitions else ""
        witnesses = "seen by the front end and as a token" if is_token else "seen by the front end alone"
        evidence = [Evidence("reference", path, use.line, f"{entity.qualified} ({use.role})")]
        if is_token:
            evidence.append(Evidence("token", path, use.line, entity.name))
        evidence += [Evidence("macro", m.path, m.definition.line, f"#define {macro}") for m in definitions]
        self.findings.append(
            self._finding(
                entity, f"{entity.qualified} is named{way}: {use.role}, {witnesses}",
                (path, use.line, use.column), use.role, enclosing, self.facts.names_of(use.mask), tuple(evidence),
            )
        )  # fmt: skip

    # ---- tokens

    def _judge_tokens(self, entity: Entity, path: str, found: list[tuple[int, TokenFlag]], expanded: set[str]) -> None:
        classes = {offset: self._class_of(entity, path, offset, flags, expanded) for offset, flags in found}
        open_offsets = [offset for offset, of in classes.items() if of is TokenClass.OPEN]
        for offset, resolution in (self.context.resolve(path, open_offsets) if open_offsets else {}).items():
            if resolution.is_macro:
                if self.macros.only_stringises(resolution.name):
                    classes[offset] = TokenClass.TEXT
            elif resolution.qualified != entity.qualified:
                classes[offset] = TokenClass.HOMONYM
        self.examined["homonyms"] += sum(of is TokenClass.HOMONYM for of in classes.values())
        for offset, of in classes.items():
            if of.counts:
                self._report_token(entity, path, offset, of)

    def _class_of(self, entity: Entity, path: str, offset: int, flags: TokenFlag, expanded: set[str]) -> TokenClass:
        """What a token is where the front end reports no use of the entity.

        Args:
            entity: The entity that it reads like.
            path: A file of the zones.
            offset: The token's byte offset.
            flags: Its flags.
            expanded: The macros at whose places in the zones the front end reports the entity.
        """
        in_body = bool(flags & TokenFlag.IN_MACRO_BODY)
        if flags & TokenFlag.STRINGIFIED or (flags & TokenFlag.IN_DIRECTIVE and not in_body):
            return TokenClass.TEXT
        names = self.places.names_at(path, offset)
        if entity.name in names or (names and entity.name in self.macros.by_name):
            return TokenClass.HOMONYM
        if not self.active.is_active(path, offset):
            elsewhere = self.active_anywhere.is_active(path, offset)
            return TokenClass.ELSEWHERE if elsewhere else TokenClass.IDLE_ARM
        return self._class_in_body(entity, path, offset, expanded) if in_body else TokenClass.OPEN

    def _class_in_body(self, entity: Entity, path: str, offset: int, expanded: set[str]) -> TokenClass:
        macro = self.macros.holding(path, offset)
        if macro is not None and entity.name in macro.parameters:
            return TokenClass.HOMONYM
        if macro is None or expanded.isdisjoint(self.macros.expanding_to(macro.name)):
            return TokenClass.IDLE_BODY
        return TokenClass.EXPANDED

    def _report_token(self, entity: Entity, path: str, offset: int, of: TokenClass) -> None:
        scan = self.facts.scans[path]
        line, column = scan.location(offset)
        macro = self.macros.holding(path, offset)
        reason = _REASONS[of].format(macro=macro.name if macro else "")
        if of is TokenClass.IDLE_ARM and (condition := scan.condition(scan.arm_of(offset))):
            reason += f" ({condition})"
        self.findings.append(
            self._finding(
                entity, f"{entity.qualified} is named {reason}: seen as a token alone", (path, line, column), "token",
                None, tuple(sorted(self.facts.configurations)), (Evidence("token", path, line, entity.name),),
                # What only an unparsed configuration may take is no proof in a run over some of them.
                Severity.WARNING if of is TokenClass.IDLE_ARM and self._is_partial() else Severity.ERROR,
            )
        )  # fmt: skip

    def _is_partial(self) -> bool:
        """Whether the run leaves configurations out."""
        return any(s.name not in self.active_anywhere.configurations for s in self.context.settings.configurations)

    def _finding(  # noqa: PLR0913, PLR0917
        self, entity: Entity, message: str, place: tuple[str, int, int], role: str, enclosing: Enclosing | None,
        configurations: tuple[str, ...], evidence: tuple[Evidence, ...], severity: Severity = Severity.ERROR,
    ) -> Finding:  # fmt: skip
        path, line, column = place
        scope = enclosing.identity(path) if enclosing else (path,)
        return Finding(
            gate=self.context.spec.id, kind=self.context.spec.kind, severity=severity, message=message, help=_HELP,
            path=path, line=line, column=column, entity=entity.qualified,
            symbol=enclosing.signature if enclosing else None, identity=(*scope, entity.qualified, role),
            configurations=configurations, evidence=evidence,
        )  # fmt: skip
