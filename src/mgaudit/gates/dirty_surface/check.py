"""The check of the gate kind ``dirty-surface``: each mutator claims what is published on all of its mutating paths."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.mutators import State
from mgaudit.analysis.publication import Answer, Publication, Published
from mgaudit.analysis.publication_nodes import Signal
from mgaudit.analysis.sites_entities import FUNCTIONS, Entities
from mgaudit.config.log import nearest
from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.context import Verdict
from mgaudit.gates.coverage import Reporter, place_of
from mgaudit.gates.dirty_surface.owed import Owed, owed_mutators
from mgaudit.gates.dirty_surface.parameters import DirtySurfaceParameters
from mgaudit.gates.dirty_surface.reading import BackendReads, Filled
from mgaudit.gates.inference import effects_for, replaced_bodies
from mgaudit.gates.reach import reach_of
from mgaudit.gates.scopes import empty_zones, scope_of
from mgaudit.sources.records import DECL_DEFINITION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mgaudit.gates.context import GateContext
    from mgaudit.sources.catalogues import Catalogue, Row

IMMEDIATE: Final = "kImmediate"
NO_READ: Final = "kNoBackendRead"
PULLED: Final = "kPulledEveryVerb"
DECLARED: Final = ("kReverseChannel", "kPulledPartialShutter", "kExplicitDestroy", "kUnpublishedDestroy")
BUILT_IN: Final = (IMMEDIATE, NO_READ, PULLED, *DECLARED)


def check(context: GateContext) -> Verdict:
    """Judge the mutators that entry points reach against the catalogue of the dirty surface."""
    judged = context.once(judge)
    left = () if context.is_whole else ("stale rows",)
    return Verdict(tuple(judged.findings()), judged.examined(), left=left)


def judge(context: GateContext) -> Judged:
    """The mutators of a gate, what publishes each, and what the catalogue claims.

    Raises:
        UntrustedError: A zone is empty, or the catalogue or a name in it is wrong; every problem.
    """
    parameters = context.spec.parameters
    assert isinstance(parameters, DirtySurfaceParameters)
    problems = [*empty_zones(context, "entry", parameters.entry), *empty_zones(context, "of", parameters.of)]
    scope, unknown = scope_of(context, parameters.of)
    reach, unreached = reach_of(context, parameters.reach)
    signals, nameless = _signals(context, parameters)
    problems += [*unknown, *unreached, *nameless]
    allowed: Catalogue | None = None
    try:
        catalogue = context.catalogue(parameters.catalogue)
        if parameters.undecided_catalogue is not None:
            allowed = context.catalogue(parameters.undecided_catalogue)
    except UntrustedError as error:
        raise UntrustedError([*problems, *error.problems]) from None
    claimed = {term for row in catalogue.rows for term in row.union("publishers")}
    reads = BackendReads(context, scope)
    filled = Filled(context, reads)
    problems += _unfounded(context, claimed, reads, filled)
    if problems:
        raise UntrustedError(problems)
    counters = {symbol for signal in signals.values() for symbol in signal.counters}
    publishers = {symbol for signal in signals.values() for symbol in signal.functions}
    state = State(context.facts, effects_for(context), Entities.of(context.facts, scope), counters, publishers)
    owed = owed_mutators(context, state, parameters.entry)
    publication = Publication(state, signals, reach, IMMEDIATE)
    judged = Judged(context, parameters, catalogue, allowed, state, owed, publication, reads, filled)
    if ambiguous := list(judged.ambiguous()):
        raise UntrustedError(ambiguous)
    return judged


def _signals(context: GateContext, parameters: DirtySurfaceParameters) -> tuple[dict[str, Signal], list[Problem]]:
    """What publishes each bit, and a problem for each name that means nothing."""
    found: dict[str, Signal] = {}
    problems = []
    defined = {definition.name for scan in context.facts.scans.values() for definition in scan.macro_definitions}
    for bit, publisher in parameters.publishers.items():
        place = context.spec.place(f"publishers.{bit}")
        counters, functions = set[int](), set[int]()
        for names, kinds, meant in (
            (publisher.counters, _MEMBERS, counters),
            (publisher.functions, FUNCTIONS, functions),
        ):
            for name in names:
                symbols = {s.id for s in context.facts.symbols_named(name) if s.kind in kinds}
                if not symbols:
                    what = f'gate "{context.spec.id}": {bit}: no translation unit declares `{name}`'
                    problems.append(Problem(*place, what, "correct the name, or remove it"))
                meant.update(symbols)
        macros = frozenset(publisher.macros)
        for macro in sorted(macros - defined):
            what = f'gate "{context.spec.id}": {bit}: no file defines the macro `{macro}`'
            problems.append(Problem(*place, what, "correct the name, or remove it"))
        overriding = {m for function in functions for m in context.facts.overriding.get(function, ())}
        found[bit] = Signal(frozenset(counters), frozenset(functions | overriding), macros)
    return found, problems


def _unfounded(
    context: GateContext, claimed: set[str], reads: BackendReads, filled: Filled
) -> Iterator[Problem]:  # fmt: skip
    """Claims that nothing in the configuration can prove or refute."""
    place = context.spec.place("catalogue")
    if NO_READ in claimed and not reads.is_known:
        yield Problem(
            *place,
            f'gate "{context.spec.id}": {NO_READ} is claimed, and no gate of the kind `reads` tells what is read',
            "configure a gate of the kind `reads`",
        )  # fmt: skip
    if PULLED in claimed and not filled.is_known:
        yield Problem(
            *place,
            f'gate "{context.spec.id}": {PULLED} is claimed, and no gate of the kind `reads` has a fill table',
            "set `fill` of a gate of the kind `reads`",
        )  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """Mutators, what publishes them, and the rows that claim it.

    Attributes:
        context: The gate's context.
        parameters: The gate's parameters.
        catalogue: The dirty surface's catalogue.
        allowed: The pairs that may stay undecided, or None.
        state: The state and who changes it.
        owed: The mutators that owe a row.
        publication: Answers what is published.
        reads: What backends read.
        filled: What fill tables let verbs read.
    """

    context: GateContext
    parameters: DirtySurfaceParameters
    catalogue: Catalogue
    allowed: Catalogue | None
    state: State
    owed: Mapping[int, Owed]
    publication: Publication
    reads: BackendReads
    filled: Filled

    @property
    def report(self) -> Reporter:
        """Makes the findings."""
        return Reporter(self.context)

    @property
    def sites(self) -> tuple[int, ...]:
        """What owes a row."""
        return tuple(self.owed)

    @cached_property
    def published(self) -> Mapping[int, Published]:
        """What is known of each mutator that owes a row."""
        found = {}
        for number, owed in self.owed.items():
            is_function = self.state.facts.symbol(number).kind in FUNCTIONS
            found[number] = (
                self.publication.of(number)
                if is_function and self.state.is_function(number) and self.state.mutates(number)
                else self.publication.beside(owed.functions, number)
            )
        return found

    @cached_property
    def _meanings(self) -> Mapping[int, frozenset[int]]:
        """What each row means, by its identity: every entity of the name, whether it owes anything or not."""
        found: dict[int, frozenset[int]] = {}
        for row in (*self.catalogue.rows, *(self.allowed.rows if self.allowed is not None else ())):
            symbols = {s.id for s in self.context.facts.symbols_named(row.get("mutator") or "")}
            found[id(row)] = frozenset(s for s in symbols if self.state.entities.is_inside(s))
        return found

    def meant(self, row: Row) -> frozenset[int]:
        """What a row means: every entity of the name, whether it owes anything or not."""
        return self._meanings[id(row)]

    def ambiguous(self) -> Iterator[Problem]:
        """A problem for each row whose name means several mutators that owe a row."""
        for row in (*self.catalogue.rows, *(self.allowed.rows if self.allowed is not None else ())):
            meant = {number for number in self._meanings[id(row)] if number in self.owed}
            names = sorted({self.context.facts.symbol(min(n)).qualified for n in self.state.families(meant).values()})
            if len(names) > 1:
                what = f"`{row.get('mutator')}` means several mutators: {', '.join(f'::{name}' for name in names)}"
                yield Problem(row.path, row.line, f"column {row.column}: {what}", "qualify it with its class")

    def rows_of(self, mutator: int) -> list[Row]:
        """The rows that name a mutator, or the method that it overrides."""
        return self._rows.get(mutator, [])

    @cached_property
    def _rows(self) -> Mapping[int, list[Row]]:
        found: dict[int, list[Row]] = defaultdict(list)
        for row in self.catalogue.rows:
            for number in self._named[id(row)]:
                found[number].append(row)
        return found

    @cached_property
    def _named(self) -> Mapping[int, frozenset[int]]:
        """What each row names, by its identity: what it means, and what overrides that."""
        overriders = self.state.effects.overriders
        return {row: meant.union(*map(overriders, meant)) for row, meant in self._meanings.items()}

    def _owed_by(self, row: Row) -> list[int]:
        """The mutators that owe a row and that this one names, by name."""
        return sorted(self._named[id(row)] & self.owed.keys(), key=self._order.__getitem__)

    @cached_property
    def _order(self) -> Mapping[int, int]:
        return {number: index for index, number in enumerate(self.owed)}

    def holding(self, mutator: int) -> list[str]:
        """The signals that come with every write of a mutator."""
        return [name for name, answer in self.published[mutator].answers.items() if answer is Answer.HOLDS]

    def place(self, mutator: int) -> tuple[str, int, int]:
        """Where a mutator is defined, or at least declared: path, line and column."""
        declared = self.context.facts.declarations_of([mutator])
        place = next((row for row in declared if row.flags & DECL_DEFINITION), declared[0] if declared else None)
        return (place.path, place.line, place.column) if place is not None else self.owed[mutator].place

    def tainted(self, mutator: int) -> str:
        """What unknown thing may change state in a mutator as well; empty where nothing may."""
        for target in self.state.targets(mutator) if self.state.is_function(mutator) else ():
            summary = self.state.effects.of(target)
            for place, evidence in summary.taints.items() if summary is not None else ():
                if self.state.is_changed(place, target):
                    return self.state.effects.chain(evidence)[-1].text
        return ""

    def verdict(self, mutator: int) -> str:
        """What the catalogue claims of a mutator, or ``unmapped``."""
        claims = sorted({term for row in self.rows_of(mutator) for term in row.union("publishers")})
        return " | ".join(claims) if claims else "unmapped"

    def examined(self) -> dict[str, int]:
        """What was looked at."""
        undecided = sum(
            any(answer is Answer.UNDECIDED for answer in known.answers.values()) for known in self.published.values()
        )
        kinds = Counter(term for row in self.catalogue.rows for term in row.union("publishers") if term in DECLARED)
        return {
            "mutators": len(self.owed), "rows": len(self.catalogue.rows), "undecided": undecided,
            **({"declarations": kinds.total()} if kinds else {}),
            **replaced_bodies(self.context),
        }  # fmt: skip

    # ---- findings

    def findings(self) -> Iterator[Finding]:
        """Every mutator without a row, then what the rows claim and do not."""
        for number in self.owed:
            if not self.rows_of(number):
                yield self._unmapped(number)
        seen: dict[tuple[object, ...], Row] = {}
        for row in self.catalogue.rows:
            key = (row.definition, self._meanings[id(row)] or row.get("mutator"))
            if key in seen:
                yield self._row(row, f"{_name(row)} has two rows", "keep one of them", "double")
                continue
            seen[key] = row
            yield from self._judge(row)
        yield from self._undecided_rows()

    def suggestions(self) -> list[str]:
        """The rows that are missing, ready to paste, sorted."""
        return sorted({self._suggested(number) for number in self.owed if not self.rows_of(number)})

    def _suggested(self, number: int) -> str:
        name = self.state.facts.symbol(number).qualified
        return self.catalogue.suggest(mutator=name, publishers=" | ".join(self.holding(number)) or "…")

    def _unmapped(self, number: int) -> Finding:
        facts, owed = self.context.facts, self.owed[number]
        symbol = facts.symbol(number)
        path, line, column = self.place(number)
        steps = self.state.effects.chain(owed.evidence)
        return Finding(
            gate=self.context.spec.id, kind=self.context.spec.kind, severity=Severity.ERROR,
            message=f"{symbol.qualified} changes state, {owed.place[0]}:{owed.place[1]} calls it, and no row of "
            f"`{self.catalogue.name}` says what publishes the change",
            help=f"add `{self._suggested(number)}` to {place_of(self.catalogue)}",
            path=path, line=line, column=column, entity=symbol.qualified, symbol=facts.signature(symbol),
            identity=(symbol.qualified, "no row"), configurations=tuple(sorted(facts.configurations)),
            evidence=tuple(Evidence("write", step.path, step.line, step.text) for step in steps),
        )  # fmt: skip

    def _judge(self, row: Row) -> Iterator[Finding]:
        name = _name(row)
        meant = self._meanings[id(row)]
        owed = sorted(self._owed_by(row), key=lambda n: self.state.facts.symbol(n).usr)
        if not meant:
            yield self._row(
                row, f"no translation unit declares `{name}` in the state", "correct or remove the row", "gone"
            )
            return
        claims = row.union("publishers")
        known = [*self.parameters.publishers, *BUILT_IN]
        for claim in claims:
            if claim not in known:
                yield self._row(row, f"{name} claims `{claim}`, which is no publisher", nearest(claim, known), claim)
        if not owed:
            if self.context.is_whole:
                yield self._row(row, self._staleness(name, meant), "remove the row", "stale")
            return
        for claim in dict.fromkeys(claims):
            yield from self._claim(row, claim, owed)
        yield from self._unclaimed(row, claims, owed)

    def _staleness(self, name: str, meant: frozenset[int]) -> str:
        if any(self.state.is_function(n) and (self.state.mutates(n) or self.state.may_mutate(n)) for n in meant):
            return f"stale: no code outside of the state that an entry point reaches calls {name}"
        return f"stale: {name} changes nothing"

    def _claim(self, row: Row, claim: str, owed: list[int]) -> Iterator[Finding]:
        for number in owed:
            if claim in self.publication.names and self.published[number].answers[claim] is Answer.FAILS:
                yield self._missed(row, claim, number)
            elif fault := self._fault(claim, number):
                reads = self.reads.conflicts(self.state, number)[:1] if claim == NO_READ else ()
                proof = [Evidence("read", site.path, site.line, f"reads {site.entity}") for site in reads]
                yield self._row(row, *fault, claim, number=number, proof=proof)

    def _missed(self, row: Row, claim: str, number: int) -> Finding:
        """A mutator that does not always publish what its row claims, with a path on which it does not."""
        steps = self.publication.missed_path(self.published[number], claim)
        write, end = (f"{step.path}:{step.line}" for step in steps[-2:])
        name = self.state.facts.symbol(number).qualified
        return self._row(
            row,
            f"{name} claims {claim}, and some path writes without publishing it: the write at {write}, the way out "
            f"at {end}",
            f"publish on every path that writes, or take {claim} out of the row",
            claim, number=number, proof=[Evidence("path", step.path, step.line, step.text) for step in steps],
        )  # fmt: skip

    def _fault(self, claim: str, number: int) -> tuple[str, str] | None:
        """Why a claim does not hold of a mutator, and what to do."""
        name = self.state.facts.symbol(number).qualified
        if claim in self.publication.names:
            known = self.published[number]
            if known.answers[claim] is Answer.UNDECIDED and not self._is_allowed(number, claim):
                return (
                    f"undecided: whether {name} always publishes {claim} ({_why(known)})",
                    "write it so that the analysis follows, or list the pair in the undecided catalogue",
                )
        elif claim == NO_READ and (sites := self.reads.conflicts(self.state, number)):
            where = f"{sites[0].path}:{sites[0].line}"
            return (
                f"{name} claims {NO_READ}, and {where} reads what it writes by {sites[0].entity}",
                "claim what publishes the change, or let the backend read something else",
            )
        elif claim == PULLED and (why := self.filled.fault(self.state, number)):
            return f"{name} claims {PULLED}, and {why}", "extend the fill table, or take the claim out"
        return None

    def _unclaimed(self, row: Row, claims: tuple[str, ...], owed: list[int]) -> Iterator[Finding]:
        for name in self.parameters.publishers:
            if name in claims or not all(self.published[n].answers[name] is Answer.HOLDS for n in owed):
                continue
            yield self._row(
                row, f"{_name(row)} always publishes {name}, and the row does not say so", f"add {name} to the row",
                name,
                severity=Severity.ERROR if self.parameters.exact else Severity.WARNING,
            )  # fmt: skip

    # ---- what may stay undecided

    def _is_allowed(self, number: int, bit: str) -> bool:
        rows = self.allowed.rows if self.allowed is not None else ()
        return any(row.get("bit") == bit and number in self._named[id(row)] for row in rows)

    def _undecided_rows(self) -> Iterator[Finding]:
        for row in self.allowed.rows if self.allowed is not None else ():
            bit = row.get("bit") or ""
            owed = self._owed_by(row)
            if bit not in self.publication.names:
                yield self._row(row, f"`{bit}` is no publisher", nearest(bit, list(self.publication.names)), bit)
            elif not any(self.published[n].answers[bit] is Answer.UNDECIDED for n in owed):
                yield self._row(
                    row,
                    f"stale: whether {_name(row)} always publishes {bit} is decided",
                    "remove the row",
                    f"{bit} decided",
                )

    def _row(  # noqa: PLR0913
        self, row: Row, message: str, advice: str, what: str, *, number: int | None = None,
        severity: Severity = Severity.ERROR, proof: Iterable[Evidence] = (),
    ) -> Finding:  # fmt: skip
        entity = self.state.facts.symbol(number).qualified if number is not None else _name(row)
        return self.report.row(row, message, advice, severity, key=entity, identity=f"{entity} {what}", proof=proof)


def _name(row: Row) -> str:
    return row.get("mutator") or row.key


def _why(known: Published) -> str:
    path, line = known.place
    return f"{known.reason} at {path}:{line}" if path else known.reason


_MEMBERS: Final = frozenset({"field", "static-variable", "variable"})
