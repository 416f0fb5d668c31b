"""What the sources will need and must not, before anything is built."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.predictions import LinkReference, Prediction, predict
from mgaudit.analysis.sites_entities import CLASSES, Entities, Scope
from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.problems import Problem
from mgaudit.gates.context import Verdict
from mgaudit.gates.name_tokens import Macros
from mgaudit.gates.scopes import empty_zones
from mgaudit.gates.uses import enclosing_function
from mgaudit.sources.binaries_names import demangle
from mgaudit.sources.records import LinkPart

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.symbol_purity.parameters import SymbolZones


_COMPARE: Final = "compare with binaries, or "
_UNSEEN: Final = {
    LinkPart.LOOP: (
        "this range-based for may call free functions of {}, which the front end does not show",
        _COMPARE + "give the class begin(), end() and the operators as members",
    ),
    LinkPart.BINDING: (
        "this structured binding may call get<>() of {}, which the front end does not show",
        _COMPARE + "name the members instead",
    ),
    LinkPart.ELSEWHERE: (
        "an extern template may leave {} to another unit, if it names this instance",
        _COMPARE + "declare the whole class template's instance extern",
    ),
}


class SourceCheck:
    """The predicted form of one gate.

    Args:
        context: The gate's context.
        zones: The zones under guard and the forbidden ones.
    """

    def __init__(self, context: GateContext, zones: SymbolZones) -> None:
        self._context = context
        self._facts = context.facts
        self._zones = zones
        self._guarded = context.paths_in(zones.from_zones)
        forbidden = tuple(context.zone(name) for name in zones.forbid)
        self._entities = Entities.of(context.facts, Scope(context.paths_in(zones.forbid), forbidden))
        units = [u for u in self._facts.units if u.name.kind == "source" and u.name.path in self._guarded]
        self._macros = Macros(self._facts.scans)
        self.prediction: Prediction = predict(self._facts, units, self._guarded)

    def verdict(self) -> Verdict:
        """A finding for each reference that will need a forbidden symbol, a note for each that no linker sees."""
        problems = self._problems()
        if problems:
            return Verdict(problems=problems)
        findings = [self._needed(reference) for reference in self.forbidden]
        findings += [self._inline(r) for r in self.prediction.inline if self._entities.is_inside(r.symbol)]
        findings += [self._unseen(r) for r in self.prediction.unseen if self._entities.is_inside(r.symbol)]
        examined = {
            "units": self.prediction.units,
            "definitions": self.prediction.definitions,
            "predicted-symbols": len({reference.name for reference in self.prediction.needed}),
        }
        return Verdict(tuple(findings), examined)

    def concerns(self, own: str) -> bool:
        """Whether the own qualified name of a symbol is that of an entity of the forbidden zones."""
        return any(self._context.zone(name).has_name(own) for name in self._zones.forbid) or any(
            self._entities.is_inside(symbol.id) for symbol in self._facts.symbols_named("::" + own)
        )

    @property
    def place(self) -> tuple[str, int]:
        """Where the configuration asks for the prediction."""
        return self._context.spec.place("sources")

    @property
    def every_configuration(self) -> int:
        """The bits of all configurations that the gate judges."""
        return (1 << len(self._facts.configurations)) - 1

    def note(self, reference: LinkReference, text: str) -> Finding:
        """A note about a predicted symbol, at its reference."""
        advice = "see that the binaries are built from these sources; else nothing"
        return self._finding(reference, Severity.NOTE, f"{self._label(reference)} {text}", advice, what="unneeded")

    @cached_property
    def forbidden(self) -> list[LinkReference]:
        """The references that will need a symbol of the forbidden zones."""
        return [r for r in self.prediction.needed if self._entities.is_inside(r.symbol)]

    def _problems(self) -> tuple[Problem, ...]:
        found = [
            *empty_zones(self._context, "sources.from", self._zones.from_zones),
            *empty_zones(self._context, "sources.forbid", self._zones.forbid),
        ]
        if not found and not self.prediction.units:
            zones = ", ".join(self._zones.from_zones)
            message = f'gate "{self._context.spec.id}": no translation unit lies in {zones}'
            found.append(Problem(*self._context.spec.place("sources"), message, "name a zone that holds source files"))
        return tuple(found)

    def _needed(self, reference: LinkReference) -> Finding:
        return self._finding(
            reference, Severity.ERROR,
            f"the linker will need {self._label(reference)}{self._reason(reference)}",
            "remove the use, or move the definition to the side that may be linked", what="predicted",
        )  # fmt: skip

    def _reason(self, reference: LinkReference) -> str:
        """Why, where the place alone does not tell."""
        if reference.chain:
            return f" through {self._text(reference.chain[0].source)}"
        source = self._facts.symbol(reference.source)
        return f" for the tables of {source.qualified}" if source.kind in CLASSES else ""

    def _inline(self, reference: LinkReference) -> Finding:
        return self._finding(
            reference, Severity.NOTE,
            f"inline use of {self._label(reference)}: no linker sees it",
            "the gates over includes and reads judge such uses", what="inline",
        )  # fmt: skip

    def _unseen(self, reference: LinkReference) -> Finding:
        """A warning: the zones may or may not need something."""
        what, advice = _UNSEEN[LinkPart(reference.part)]
        return self._finding(
            reference, Severity.WARNING,
            f"{what.format(self._text(reference.symbol))}{self._reason(reference)}: unresolved",
            advice, what="unseen",
        )  # fmt: skip

    def _label(self, reference: LinkReference) -> str:
        """A symbol for people, and for the linker."""
        name = reference.name
        text = demangle(name)
        return f"{text} ({name})" if name and text != name else name or self._text(reference.symbol)

    def _text(self, symbol: int) -> str:
        return self._facts.signature(self._facts.symbol(symbol))

    def _finding(
        self, reference: LinkReference, severity: Severity, message: str, advice: str, *, what: str
    ) -> Finding:
        enclosing = enclosing_function(self._facts, [reference.source])
        scope = enclosing.identity(reference.path) if enclosing else (reference.path,)
        chain = [Evidence("reference", step.path, step.line, self._text(step.target)) for step in reference.chain]
        units = [Evidence("unit", path, 0, "needs it") for path in reference.units if path != reference.path]
        entity = reference.name or self._text(reference.symbol)
        return Finding(
            gate=self._context.spec.id, kind=self._context.spec.kind, severity=severity, message=message, help=advice,
            path=reference.path, line=reference.line, column=reference.column,
            entity=entity, symbol=enclosing.signature if enclosing else None,
            identity=(*scope, what, entity),
            configurations=self._facts.names_of(reference.mask), evidence=(*self._macro(reference), *chain, *units),
        )  # fmt: skip

    def _macro(self, reference: LinkReference) -> list[Evidence]:
        """The definitions of the macro that writes a reference; its place is where the macro is expanded."""
        scan = self._facts.scans.get(reference.path)
        name = scan.name_at(scan.offset_of(reference.line, reference.column)) if scan is not None else None
        return self._macros.evidence(name)
