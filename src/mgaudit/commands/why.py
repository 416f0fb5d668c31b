"""``mgaudit why``: the shortest proof that one thing leads to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, questions, workspace
from mgaudit.commands.ends import End, Resolver
from mgaudit.domain.problems import UntrustedError
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.facts.query import Edge, Facts
    from mgaudit.graphs.calls import CallEdge, CallGraph


@dataclass(frozen=True, slots=True)
class _Step:
    """One step: where it is written, and what it leads from and to."""

    kind: str
    path: str
    line: int
    source: str
    target: str
    text: str


@dataclass(frozen=True, slots=True)
class _Answer:
    """A chain, or none.

    Attributes:
        by: ``include`` or ``call``.
        steps: The shortest chain; empty where there is none.
        configurations: Those that have the chain.
        unresolved: Calls within reach of the start that lead nobody knows where.
    """

    by: str
    steps: tuple[_Step, ...]
    configurations: tuple[str, ...]
    unresolved: int = 0


@click.command()
@click.argument("start", metavar="A")
@click.argument("goal", metavar="B")
@click.option(
    "--by", type=click.Choice(["include", "call"]), help="Which graph; default: calls where A or B is an entity."
)
@questions.output_format
@options.execution
@options.place
@click.pass_obj
def why(  # noqa: PLR0913  one argument a set of options
    session: Session, *, start: str, goal: str, by: str | None, output_format: str, execution: Execution, place: Place
) -> int:
    """Print the shortest chain from A to B, with the place of each step.

    A and B are zones, files, or functions, methods and classes by qualified name. Between zones and files it is a chain
    of includes, else one of calls. That there is no chain is an answer, too: the exit code is 0. It is 2 where a name
    is unknown, where B is an entity that nothing can call, or where there seems to be no chain but files did not parse.
    """
    questions.begin(session, execution, output_format)
    settings = workspace.load_settings(place)
    with workspace.analysed(settings, execution) as analysis:
        resolver = Resolver(analysis)
        ends = resolver.ends([start, goal])
        answer = _answer(analysis, resolver, *ends, by=by)
        doubtful = questions.doubts(analysis)  # a chain is a proof all the same
        code = questions.UNTRUSTED if doubtful and not answer.steps else 0
        if output_format == "json":
            questions.print_value(_value(answer, ends), code)
        else:
            questions.print_lines(_lines(answer, ends))
        return code


def _answer(analysis: Analysis, resolver: Resolver, start: End, goal: End, *, by: str | None) -> _Answer:
    if by is None:
        by = "call" if "symbol" in {start.kind, goal.kind} else "include"
    elif by == "include" and "symbol" in {start.kind, goal.kind}:
        raise click.UsageError("--by include asks about zones and files, not about entities")
    return _by_includes(analysis.facts, start, goal) if by == "include" else _by_calls(analysis, resolver, start, goal)


def _by_includes(facts: Facts, start: End, goal: End) -> _Answer:
    from mgaudit.graphs.includes import IncludeGraph, chain_between, chain_order  # noqa: PLC0415

    chains: dict[str, list[Edge]] = {}
    for configuration in facts.configurations:
        chain = chain_between(IncludeGraph.of(facts, configuration), start.files, goal.files)
        if chain:
            chains[configuration] = chain
    if not chains:
        return _Answer("include", (), ())
    best = min(chains.values(), key=lambda chain: (len(chain), chain_order(chain)))
    names = tuple(sorted(name for name, chain in chains.items() if chain == best))
    return _Answer("include", tuple(map(_directive, best)), names)


def _directive(edge: Edge) -> _Step:
    spelling = f"<{edge.spelling}>" if edge.angled else f'"{edge.spelling}"'
    return _Step("include", edge.source, edge.line, edge.source, edge.target or "", f"#include {spelling}")


def _by_calls(analysis: Analysis, resolver: Resolver, start: End, goal: End) -> _Answer:
    from mgaudit.graphs.call_builder import call_graph  # noqa: PLC0415

    facts = analysis.facts
    graph = call_graph(facts)
    starts = resolver.callers_in(start) & graph.symbols.keys()
    goals = resolver.callers_in(goal) - starts
    chain = graph.chain(starts, goals)
    if chain is None:
        _check_callable(facts, goal)
        reached = graph.reachable(starts)
        return _Answer("call", (), (), sum(call.source in reached for call in graph.unresolved))
    mask = -1
    for edge in chain:
        mask &= edge.mask
    return _Answer("call", tuple(_call(facts, graph, edge) for edge in chain), facts.names_of(mask))


def _check_callable(facts: Facts, goal: End) -> None:
    """That nothing calls what is no function says nothing of who uses it.

    Raises:
        UntrustedError: The goal is an entity, and none that can be called.
    """
    kinds = {facts.symbol(number).kind for number in goal.symbols}
    if goal.kind == "symbol" and kinds.isdisjoint(FUNCTION_KINDS):
        raise UntrustedError.single(
            f"{goal.name}: calls lead to functions, and this is none ({', '.join(sorted(kinds))})",
            help="`mgaudit graph symbol --focus NAME` shows what uses it; or name a function, a class, a file or zone",
        )


def _call(facts: Facts, graph: CallGraph, edge: CallEdge) -> _Step:
    source, target = (facts.signature(graph.symbols[end]) for end in (edge.source, edge.target))
    through = f" through {graph.symbols[edge.through].qualified}" if edge.through is not None else ""
    return _Step(edge.kind.value, edge.path, edge.line, source, target, f"{edge.kind.value}{through}")


def _lines(answer: _Answer, ends: list[End]) -> list[str]:
    start, goal = (visible(end.name) for end in ends)
    noun = "includes" if answer.by == "include" else "calls"
    if not answer.steps:
        shared = sorted(set(ends[0].files) & set(ends[1].files))
        note = f"; both hold {visible(shared[0])}" if shared and answer.by == "include" else ""
        verb = "includes" if answer.by == "include" else "calls"
        lines = [f"nothing in {start} {verb} anything in {goal}, at any depth{note}"]
        if answer.unresolved:
            lines.append(f"{counted(answer.unresolved, 'calls')} within reach of {start} stay unresolved")
        return lines
    places = [visible(f"{step.path}:{step.line}") for step in answer.steps]
    width = max(map(len, places))
    texts = [visible(_text(step)) for step in answer.steps]
    names = ", ".join(map(visible, answer.configurations)) or "no single configuration"
    head = f"{start} leads to {goal} by {counted(len(places), noun)} [{names}]"
    return [head, *(f"  {place:{width}}  {text}" for place, text in zip(places, texts, strict=True))]


def _text(step: _Step) -> str:
    if step.kind == "include":
        return f"{step.text} is {step.target}"
    return f"{step.source} -> {step.target} ({step.text})"


def _value(answer: _Answer, ends: list[End]) -> dict[str, object]:
    return {
        "from": {"name": ends[0].name, "kind": ends[0].kind},
        "to": {"name": ends[1].name, "kind": ends[1].kind},
        "by": answer.by,
        "found": bool(answer.steps),
        "configurations": list(answer.configurations),
        "unresolved": answer.unresolved,
        "chain": [
            {
                "kind": step.kind,
                "path": step.path,
                "line": step.line,
                "from": step.source,
                "to": step.target,
                "text": step.text,
            }
            for step in answer.steps
        ],
    }
