"""The check of the gate kind ``mutations``: a function that reaches the backend and changes state owes a verdict.

Each pair of such a function and what it changes is answered by exactly one row.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.meetings import Meetings, Pair
from mgaudit.analysis.mutators import State
from mgaudit.analysis.sites_entities import FUNCTIONS, Entities
from mgaudit.config.log import nearest
from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.names import selects
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.facts.bodies import bodies_of
from mgaudit.gates.context import Verdict
from mgaudit.gates.coverage import Reporter, place_of
from mgaudit.gates.inference import effects_for, replaced_bodies
from mgaudit.gates.mutations.parameters import MutationsParameters
from mgaudit.gates.reach import reach_of
from mgaudit.gates.scopes import empty_zones, scope_of
from mgaudit.gates.uses import Enclosing, enclosing_function
from mgaudit.gates.verdicts import says_why

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext
    from mgaudit.sources.catalogues import Catalogue, Row


def check(context: GateContext) -> Verdict:
    """Judge what the frontend changes beside its calls of the backend against the catalogue of mutations."""
    judged = context.once(judge)
    left = () if context.is_whole else ("stale rows",)
    return Verdict(tuple(judged.findings()), judged.examined(), left=left)


def judge(context: GateContext) -> Judged:
    """The pairs of a gate and what its catalogue makes of them.

    Raises:
        UntrustedError: A zone is empty, or the catalogue or a name in it is wrong; every problem.
    """
    parameters = context.spec.parameters
    assert isinstance(parameters, MutationsParameters)
    problems = [*empty_zones(context, "from", parameters.from_zones), *empty_zones(context, "of", parameters.of)]
    scope, unknown = scope_of(context, parameters.of, (), parameters.value_classes)
    reach, unreached = reach_of(context, parameters.reach)
    problems += [*unknown, *unreached]
    calls: Catalogue | None = None
    try:
        catalogue = context.catalogue(parameters.catalogue)
        calls = context.catalogue(parameters.calls_catalogue) if parameters.calls_catalogue else None
    except UntrustedError as error:
        raise UntrustedError([*problems, *error.problems]) from None
    if problems:
        raise UntrustedError(problems)
    facts = context.facts
    paths = context.paths_in(parameters.from_zones)
    rows = bodies_of(facts).rows
    state = State(facts, effects_for(context), Entities.of(facts, scope))
    owing = {symbol for symbol, bodies in rows.items() if any(row.path in paths for row in bodies)}
    pairs = Meetings(state, reach, owing.__contains__).find()
    judged = Judged(context, catalogue, calls, state, tuple(_sorted(context, pairs)), len(owing))
    if ambiguous := list(judged.ambiguous()):
        raise UntrustedError(ambiguous)
    return judged


def _sorted(context: GateContext, pairs: list[Pair]) -> Iterator[Pair]:
    """By place; of the instantiations of a template, one."""
    paths = bodies_of(context.facts)
    ordered = sorted(
        pairs,
        key=lambda p: (
            paths.path(p.node.file), p.node.line, p.node.column, context.facts.symbol(p.mutator).qualified,
            context.facts.symbol(p.function).usr,
        ),
    )  # fmt: skip
    seen = set()
    for pair in ordered:
        function = context.facts.symbol(pair.function)
        key = (function.origin, pair.mutator)
        if key not in seen:
            seen.add(key)
            yield pair


@dataclass(frozen=True)
class Judged:
    """Pairs, and the rows that answer them.

    Attributes:
        context: The gate's context.
        catalogue: The mutation catalogue.
        calls: The calls that a verdict may name, or None.
        state: The state and who changes it.
        pairs: By place.
        functions: How many functions were looked at.
    """

    context: GateContext
    catalogue: Catalogue
    calls: Catalogue | None
    state: State
    pairs: tuple[Pair, ...]
    functions: int

    @property
    def sites(self) -> tuple[Pair, ...]:
        """What owes a row."""
        return self.pairs

    def enclosing(self, pair: Pair) -> Enclosing:
        """The function of a pair, or the variable that holds it."""
        return self._enclosing[pair.function]

    @cached_property
    def _enclosing(self) -> dict[int, Enclosing]:
        facts = self.context.facts
        return {
            number: enclosing_function(facts, [number]) or Enclosing(facts.symbol(number).qualified, is_internal=False)
            for number in {pair.function for pair in self.pairs}
        }

    def mutator(self, pair: Pair) -> str:
        """The qualified name of what is changed."""
        return self.context.facts.symbol(pair.mutator).qualified

    def rows_of(self, pair: Pair) -> list[Row]:
        """The rows that answer a pair."""
        return [row for row in self.catalogue.rows if self._answers(row, pair)]

    def _answers(self, row: Row, pair: Pair) -> bool:
        return _means(row.get("function"), self.enclosing(pair).signature) and _means(
            row.get("mutator"), self._signatures[pair.mutator]
        )

    @cached_property
    def _signatures(self) -> dict[int, str]:
        facts = self.context.facts
        return {pair.mutator: facts.signature(facts.symbol(pair.mutator)) for pair in self.pairs}

    def ambiguous(self) -> Iterator[Problem]:
        """A problem for each row whose mutator means several that some function owes a verdict for."""
        for row in self.catalogue.rows:
            meant = {pair.mutator for pair in self.pairs if self._answers(row, pair)}
            names = sorted({self.context.facts.symbol(min(n)).qualified for n in self.state.families(meant).values()})
            if len(names) > 1:
                what = f"`{row.get('mutator')}` means several mutators: {', '.join(f'::{name}' for name in names)}"
                yield Problem(row.path, row.line, f"column {row.column}: {what}", "qualify it with its class")

    def verdict(self, pair: Pair) -> str:
        """What the catalogue says of a pair."""
        answers = sorted({row.get("verdict") or "" for row in self.rows_of(pair)})
        if answers:
            return ", ".join(answers)
        return "unmapped" if pair.is_certain else "undecided"

    def examined(self) -> dict[str, int]:
        """What was looked at."""
        kinds = Counter(pair.is_certain for pair in self.pairs)
        return {
            "functions": self.functions, "pairs": kinds[True], "undecided": kinds[False],
            "rows": len(self.catalogue.rows), **replaced_bodies(self.context),
        }  # fmt: skip

    # ---- findings

    def findings(self) -> Iterator[Finding]:
        """Every pair without a row, then the defects of the catalogue."""
        used: set[int] = set()
        for pair in self.pairs:
            rows = self.rows_of(pair)
            used.update(map(id, rows))
            if not rows:
                yield self._unmapped(pair)
        yield from self._rows(used)

    def suggestions(self) -> list[str]:
        """The rows that are missing, ready to paste, once each and sorted."""
        return sorted({self._suggested(pair) for pair in self.pairs if pair.is_certain and not self.rows_of(pair)})

    def _suggested(self, pair: Pair) -> str:
        return self.catalogue.suggest(
            function=_bare(self.enclosing(pair).signature), mutator=self.mutator(pair), verdict='NA("…")'
        )

    def _unmapped(self, pair: Pair) -> Finding:
        facts, bodies = self.context.facts, bodies_of(self.context.facts)
        enclosing, name = self.enclosing(pair), self.mutator(pair)
        path = bodies.path(pair.node.file)
        reached = f"{bodies.path(pair.reached.file)}:{pair.reached.line}"
        if pair.is_certain:
            deed = "changes state by" if facts.symbol(pair.mutator).kind in FUNCTIONS else "writes"
            message = f"{enclosing.signature} reaches the backend ({reached}) and {deed} {name}: no row says what "
            message += "becomes of the change"
            advice = f"add `{self._suggested(pair)}` to {place_of(self.catalogue)}, with its verdict"
        else:
            message = f"undecided: {enclosing.signature} reaches the backend ({reached}) and may change state by {name}"
            advice = "say in [effects] what the unknown function writes, or add a row"
        steps = self.state.effects.chain(pair.evidence)
        return Finding(
            gate=self.context.spec.id, kind=self.context.spec.kind,
            severity=Severity.ERROR if pair.is_certain else Severity.WARNING, message=message, help=advice,
            path=path, line=pair.node.line, column=pair.node.column, entity=name, symbol=enclosing.signature,
            identity=(*enclosing.identity(path), name, "pair"), configurations=facts.names_of(pair.mask),
            evidence=(
                *(Evidence("write", step.path, step.line, step.text) for step in steps),
                Evidence("reach", bodies.path(pair.reached.file), pair.reached.line, "reaches the backend"),
            ),
        )  # fmt: skip

    # ---- rows

    def _rows(self, used: set[int]) -> Iterator[Finding]:
        report = Reporter(self.context)
        seen: dict[tuple[object, ...], Row] = {}
        for row in self.catalogue.rows:
            name = f"{row.get('function')}, {row.get('mutator')}"
            if fault := self._fault(row):
                yield report.row(row, *fault, key=name)
            key = (row.definition, row.get("function"), row.get("mutator"))
            if key in seen:
                yield report.row(row, f"{name} is answered twice", "keep one of the rows", key=name)
            elif self.context.is_whole and id(row) not in used:
                yield report.row(row, self._staleness(row), "correct or remove the row", key=name)
            seen.setdefault(key, row)

    def _staleness(self, row: Row) -> str:
        facts = self.context.facts
        function, mutator = row.get("function") or "", row.get("mutator") or ""
        for name, column in ((function, "function"), (mutator, "mutator")):
            if not name or not facts.symbols_named(name):
                return f"no translation unit declares the {column} `{name}`"
        return f"stale: {function} does not both reach the backend and change state by {mutator}"

    def _fault(self, row: Row) -> tuple[str, str] | None:
        """What is wrong with a row's verdict, and what to do."""
        verdict = row.get("verdict") or ""
        match = _VERDICT.fullmatch(verdict)
        if match is None:
            return f"`{verdict}` is no verdict", nearest(verdict, _VERDICTS, "verdicts")
        word, text = match["word"], (match["reason"] or match["name"] or "").strip()
        if word in _REASONED:
            if says_why(match["reason"] or ""):
                return None
            return f"{row.get('mutator')} is `{word}` without a reason", f'write `{word}("why")`'
        if not text:
            return f"`{verdict}` names nothing", f"write `{word}(name)`"
        if word == "REPLAYED_BY" and self.calls is not None and text not in self.calls.by_key():
            known = sorted(self.calls.by_key())
            return f"`{verdict}` names no call of `{self.calls.name}`", nearest(text, known, "calls")
        return None


def _means(name: str | None, signature: str) -> bool:
    return bool(name) and selects(name or "", signature if "(" in (name or "") else _bare(signature))


def _bare(signature: str) -> str:
    return signature if signature.startswith("operator") else re.sub(r"(?<!operator)\(.*\)\Z", "", signature)


_VERDICT: Final = re.compile(
    r'(?P<word>REPLAYED_BY|SHARED_HELPER|CLIENT_ONLY|NA)\(\s*(?:"(?P<reason>.*)"|(?P<name>[\w:]*))\s*\)', re.DOTALL
)
_VERDICTS: Final = ("REPLAYED_BY(record)", "SHARED_HELPER(name)", 'CLIENT_ONLY("reason")', 'NA("reason")')
_REASONED: Final = frozenset({"CLIENT_ONLY", "NA"})
