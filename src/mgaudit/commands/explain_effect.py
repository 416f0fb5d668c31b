"""``mgaudit explain-effect``: what a function may change, and why that is thought."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from mgaudit.commands import options, questions, workspace
from mgaudit.commands.ends import declared_names, nearby
from mgaudit.domain.problems import UntrustedError
from mgaudit.engine.audited import needs_bodies
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mgaudit.analysis.effects import Effects
    from mgaudit.analysis.effects_model import Evidence, Place
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution
    from mgaudit.commands.options import Place as Location
    from mgaudit.engine.pipeline import Analysis

_NAMES: Final = """`mgaudit query "SELECT qualified FROM symbol WHERE name LIKE '%part%'"` lists names"""


@dataclass(frozen=True, slots=True)
class _Effect:
    """One place that a function may change: its name, and the steps from the function to the write."""

    place: str
    steps: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one function does; ``has_body`` is False where nothing is known of it."""

    function: str
    has_body: bool
    writes: tuple[_Effect, ...]
    taints: tuple[_Effect, ...]
    returned: tuple[str, ...]


@click.command("explain-effect")
@click.argument("name", metavar="SYMBOL")
@questions.output_format
@options.execution
@options.place
@click.pass_obj
def explain_effect(
    session: Session, *, name: str, output_format: str, execution: Execution, place: Location
) -> int:  # fmt: skip
    """Say what a function may change, and prove it: the write, and the chain of calls that leads to it.

    SYMBOL is a function by qualified name, or the end of one; a signature in parentheses tells overloads apart. The
    exit code is 0 also where it changes nothing; 2 where no function has the name, or files did not parse.
    """
    questions.begin(session, execution, output_format)
    settings = workspace.load_settings(place)
    if not needs_bodies(settings.gates):
        raise UntrustedError.single(
            "no gate infers effects, so no bodies are extracted", path=settings.path,
            help="configure a gate of the kind writebacks, mutations, dirty-surface or memo-keys",
        )  # fmt: skip
    with workspace.analysed(settings, execution) as analysis:
        answers = _answers(analysis, name)
        code = questions.UNTRUSTED if questions.doubts(analysis) else 0
        if output_format == "json":
            questions.print_value({"functions": [_value(answer) for answer in answers]}, code)
        else:
            questions.print_lines([line for answer in answers for line in _lines(answer)])
        return code


def _answers(analysis: Analysis, name: str) -> list[_Answer]:
    from mgaudit.analysis.effects import Effects  # noqa: PLC0415  slow to import
    from mgaudit.config.library import library_effects  # noqa: PLC0415

    effects = Effects(analysis.facts, library_effects(analysis.settings))
    found = [s for s in analysis.facts.symbols_named(name) if s.kind in FUNCTION_KINDS]
    if not found:
        advice = nearby(name, declared_names(analysis.facts, FUNCTION_KINDS), _NAMES)
        raise UntrustedError.single(f"no function is named {name}", path="", help=advice)
    answers = []
    for symbol in found:
        summary = effects.of(symbol.id)
        function = analysis.facts.signature(symbol)
        if summary is None:
            answers.append(_Answer(function, False, (), (), ()))  # noqa: FBT003  the field's name is beside it
            continue
        returned = sorted(effects.name(place) for place in summary.returned | summary.led_to)
        answers.append(
            _Answer(
                function, True, _effects(effects, summary.writes), _effects(effects, summary.taints),  # noqa: FBT003
                tuple(returned),
            )
        )  # fmt: skip
    return answers


def _effects(effects: Effects, known: Mapping[Place, Evidence]) -> tuple[_Effect, ...]:
    found = [_Effect(effects.name(place), tuple(effects.chain(evidence))) for place, evidence in known.items()]
    return tuple(sorted(found, key=lambda effect: effect.place))


def _lines(answer: _Answer) -> Iterable[str]:
    name = visible(answer.function)
    if not answer.has_body:
        yield f"{name} has no body in the tree: its parameters' types and [effects] decide"
        return
    yield f"{name} {'writes' if answer.writes else 'writes nothing'}"
    for effect in answer.writes:
        yield f"  {visible(effect.place)}"
        yield from _steps(effect)
    for effect in answer.taints:
        yield f"  {visible(effect.place)} (undecided)"
        yield from _steps(effect)
    if answer.returned:
        yield f"  hands out {', '.join(map(visible, answer.returned))}"


def _steps(effect: _Effect) -> Iterable[str]:
    for step in effect.steps:
        yield f"    {visible(step.path)}:{step.line}: {visible(step.text)}"


def _value(answer: _Answer) -> dict[str, object]:
    return {
        "function": answer.function,
        "has-body": answer.has_body,
        "writes": [_effect_value(effect) for effect in answer.writes],
        "undecided": [_effect_value(effect) for effect in answer.taints],
        "hands-out": list(answer.returned),
    }


def _effect_value(effect: _Effect) -> dict[str, object]:
    return {
        "place": effect.place,
        "chain": [{"path": s.path, "line": s.line, "column": s.column, "text": s.text} for s in effect.steps],
    }
