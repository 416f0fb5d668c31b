"""Every place where some files name an entity, by two witnesses, reconciled.

What the front end resolved to the entity counts wherever it stands. So does every token that reads like the entity,
unless it provably means something else.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.activity import Activity
from mgaudit.domain.findings import Evidence, Severity
from mgaudit.gates.name_tokens import FactPlaces, Macros, TokenClass, names_at
from mgaudit.gates.uses import enclosing_function, role_name
from mgaudit.sources.records import DECL_DEFINITION, DECL_IMPLICIT
from mgaudit.sources.scan_facts import TokenFlag

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from mgaudit.gates.context import GateContext
    from mgaudit.gates.names import Entity
    from mgaudit.gates.uses import Enclosing

_REASONS: Final = {
    TokenClass.IDLE_ARM: "in an arm that no configuration takes ({condition}): syntactic, not proven",
    TokenClass.IDLE_BODY: "in the body of the macro {macro}, which no code of the zone takes",
    TokenClass.OPEN: "in code that the front end resolves to nothing",
}


@dataclass(frozen=True, slots=True)
class NameUse:
    """One place that names an entity.

    Attributes:
        path: The file.
        line: 1-based.
        column: 1-based, in bytes.
        role: ``call``, ``address``, ``write``, ``read``, ``reference``, ``definition``, ``declaration`` or ``token``.
        how: For people: through which macro, or where a token stands that has no other witness; may be empty.
        witnesses: For people: who saw it.
        enclosing: The function around it, or None.
        configurations: The configurations in which it holds, sorted.
        evidence: What proves it.
        severity: `Severity.WARNING` where a run over some configurations alone cannot be sure.
    """

    path: str
    line: int
    column: int
    role: str
    how: str
    witnesses: str
    enclosing: Enclosing | None
    configurations: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    severity: Severity = Severity.ERROR

    @property
    def is_declaration(self) -> bool:
        """Whether it declares the entity, and does not use it."""
        return self.role in {"definition", "declaration"}

    def identity(self, qualified: str) -> tuple[str, ...]:
        """What tells it apart from other uses, under moves of lines."""
        scope = self.enclosing.identity(self.path) if self.enclosing else (self.path,)
        return (*scope, qualified, self.role)


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


class Naming:
    """Both witnesses' view of some files.

    Args:
        context: The gate's context.
        paths: The files.

    Attributes:
        scanned: The files that the token witness saw, sorted.
        macros: The macros of the tree.
        examined: How many references and tokens were met, at how many places both were, and how many tokens turned
            out to be something else.
    """

    def __init__(self, context: GateContext, paths: Collection[str]) -> None:
        self.context = context
        self.facts = context.facts
        self.paths = paths
        self.scanned = tuple(sorted(path for path in paths if path in self.facts.scans))
        self.macros = Macros(self.facts.scans)
        self.examined = dict.fromkeys(("references", "tokens", "agreements", "homonyms"), 0)
        self._places = FactPlaces(self.facts)
        self._wanted = tuple(path for path in self.scanned if context.wants(path))
        self._active = Activity(self.facts, self._wanted)
        self._active_anywhere = self._anywhere()

    def _anywhere(self) -> Activity:
        """What any configuration takes, also one that this gate does not judge."""
        every = tuple(spec.name for spec in self.context.settings.configurations)
        return (
            self._active if every == self.facts.configurations else Activity.anywhere(self.facts, self._wanted, every)
        )

    def uses_of(self, entity: Entity) -> Iterator[NameUse]:
        """Every place in the files that names an entity, and whose finding is wanted."""
        everywhere = self._uses(entity)
        uses = {place: use for place, use in everywhere.items() if self.context.wants(place[0])}
        tokens = {path: self.facts.scans[path].occurrences(entity.name) for path in self._files.get(entity.name, ())}
        offsets = {(path, offset) for path, found in tokens.items() for offset, _ in found}
        self.examined["references"] += len(uses)
        self.examined["tokens"] += len(offsets)
        self.examined["agreements"] += len(offsets & uses.keys())
        spelled = self._spellings(set(uses) - offsets)
        for (path, offset), use in sorted(uses.items()):
            macro = spelled.get((path, offset))
            yield self._reference(entity, path, use, is_token=(path, offset) in offsets, macro=macro)
        expanded = cache(lambda: frozenset(self._spellings(everywhere).values()))
        for path, found in tokens.items():
            rest = [(offset, flags) for offset, flags in found if (path, offset) not in uses]
            yield from self._tokens(entity, path, rest, expanded)

    @cached_property
    def _files(self) -> Mapping[str, Sequence[str]]:
        """The files in which a name stands, for whoever asks for many names."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._wanted:
            for name in self.facts.scans[path].names:
                found[name].append(path)
        return found

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

    def _spellings(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
        """The tokens that stand at some places; where it is not the entity's name, it is that of a macro, as a rule."""
        by_path: dict[str, set[int]] = defaultdict(set)
        for path, offset in places:
            if path in self.facts.scans:
                by_path[path].add(offset)
        return {
            (path, offset): name
            for path, offsets in by_path.items()
            for offset, name in names_at(self.facts.scans[path], offsets).items()
        }

    def _reference(self, entity: Entity, path: str, use: _Use, *, is_token: bool, macro: str | None) -> NameUse:
        definitions = self.macros.evidence(macro)
        evidence = [Evidence("reference", path, use.line, f"{entity.qualified} ({use.role})")]
        if is_token:
            evidence.append(Evidence("token", path, use.line, entity.name))
        evidence += definitions
        return NameUse(
            path, use.line, use.column, use.role, f"through the macro {macro}" if definitions else "",
            "seen by the front end and as a token" if is_token else "seen by the front end alone",
            enclosing_function(self.facts, use.parents), self.facts.names_of(use.mask), tuple(evidence),
        )  # fmt: skip

    # ---- tokens

    def _tokens(
        self, entity: Entity, path: str, found: list[tuple[int, TokenFlag]], expanded: Callable[[], frozenset[str]]
    ) -> Iterator[NameUse]:
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
                yield self._token(entity, path, offset, of)

    def _class_of(
        self, entity: Entity, path: str, offset: int, flags: TokenFlag, expanded: Callable[[], frozenset[str]]
    ) -> TokenClass:
        """What a token is where the front end reports no use of the entity.

        Args:
            entity: The entity that it reads like.
            path: One of the files.
            offset: The token's byte offset.
            flags: Its flags.
            expanded: Gives the macros at whose places in the files the front end reports the entity.
        """
        in_body = bool(flags & TokenFlag.IN_MACRO_BODY)
        if flags & TokenFlag.STRINGIFIED or (flags & TokenFlag.IN_DIRECTIVE and not in_body):
            return TokenClass.TEXT
        if entity.is_free and flags & TokenFlag.AFTER_MEMBER:
            return TokenClass.HOMONYM
        names = self._places.names_at(path, offset)
        if entity.name in names or (names and entity.name in self.macros.by_name):
            return TokenClass.HOMONYM
        if not self._active.is_active(path, offset):
            elsewhere = self._active_anywhere.is_active(path, offset)
            return TokenClass.ELSEWHERE if elsewhere else TokenClass.IDLE_ARM
        return self._class_in_body(entity, path, offset, expanded) if in_body else TokenClass.OPEN

    def _class_in_body(
        self, entity: Entity, path: str, offset: int, expanded: Callable[[], frozenset[str]]
    ) -> TokenClass:
        macro = self.macros.holding(path, offset)
        if macro is not None and entity.name in macro.parameters:
            return TokenClass.HOMONYM
        if macro is None or expanded().isdisjoint(self.macros.expanding_to(macro.name)):
            return TokenClass.IDLE_BODY
        return TokenClass.EXPANDED

    def _token(self, entity: Entity, path: str, offset: int, of: TokenClass) -> NameUse:
        scan = self.facts.scans[path]
        line, column = scan.location(offset)
        macro = self.macros.holding(path, offset)
        condition = scan.condition(scan.arm_of(offset)) or "always"
        reason = _REASONS[of].format(macro=macro.name if macro else "", condition=condition)
        # What only an unparsed configuration may take is no proof in a run over some of them.
        doubtful = of is TokenClass.IDLE_ARM and self._is_partial()
        return NameUse(
            path, line, column, "token", reason, "seen as a token alone", None,
            tuple(sorted(self.facts.configurations)), (Evidence("token", path, line, entity.name),),
            Severity.WARNING if doubtful else Severity.ERROR,
        )  # fmt: skip

    def _is_partial(self) -> bool:
        """Whether the run leaves configurations out."""
        return any(s.name not in self._active_anywhere.configurations for s in self.context.settings.configurations)
