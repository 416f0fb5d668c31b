"""``mgaudit cut``: the fewest includes that separate two zones, or the moves that shorten a link ratchet's list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, questions, workspace
from mgaudit.commands.ends import End, Resolver
from mgaudit.config.log import nearest
from mgaudit.domain.problems import UntrustedError
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.config.model import Settings
    from mgaudit.graphs.cuts import Cut, CutEdge


@click.command()
@click.argument("start", metavar="FROM")
@click.argument("goal", metavar="[TO]", required=False)
@questions.output_format
@options.execution
@options.place
@click.pass_obj
def cut(  # noqa: PLR0913  one argument a set of options
    session: Session, *, start: str, goal: str | None, output_format: str, execution: Execution, place: Place
) -> int:
    """Print the fewest includes without which no file of FROM includes one of TO, at any depth.

    FROM and TO are zones or files. Of equally small sets, it is the one closest to TO.

    Without TO, FROM is a gate of the kind `link-ratchet`: then print which frontend objects to give to the server, one
    after the other, and which classes to reach otherwise, so that its list shrinks most.
    """
    questions.begin(session, execution, output_format)
    settings = workspace.load_settings(place)
    if goal is None:
        return _links(settings, start, output_format)
    with workspace.analysed(settings, execution) as analysis:
        ends = Resolver(analysis).ends([start, goal])
        _check(ends)
        from mgaudit.graphs.cuts import minimum_cut  # noqa: PLC0415
        from mgaudit.graphs.includes import IncludeGraph  # noqa: PLC0415

        edges = {
            edge
            for name in analysis.facts.configurations
            for edge in IncludeGraph.of(analysis.facts, name).all_edges()
        }  # fmt: skip
        found = minimum_cut(edges, ends[0].files, ends[1].files)
        code = questions.UNTRUSTED if questions.doubts(analysis) else 0
        if output_format == "json":
            questions.print_value(_value(found, ends), code)
        else:
            questions.print_lines(_lines(found, ends))
        return code


def _links(settings: Settings, gate_id: str, output_format: str) -> int:
    """The answer for a link ratchet."""
    from mgaudit.analysis.links import classify, link_debts, moves, scopes  # noqa: PLC0415
    from mgaudit.gates.link_ratchet.parameters import LinkRatchetParameters  # noqa: PLC0415
    from mgaudit.reports import links as rendering  # noqa: PLC0415
    from mgaudit.sources.binaries import read_binaries  # noqa: PLC0415
    from mgaudit.sources.library import Library  # noqa: PLC0415

    ratchets = {g.id: g.parameters for g in settings.gates if isinstance(g.parameters, LinkRatchetParameters)}
    if gate_id not in ratchets:
        message = f'one end alone must be a gate of the kind `link-ratchet`, and there is none "{gate_id}"'
        advice = filter(None, ("name a second zone or file", nearest(gate_id, ratchets, "gates of that kind")))
        raise UntrustedError.single(message, help="; ".join(advice))
    parameters = ratchets[gate_id]
    paths = Library(settings.root).matching(parameters.objects)
    if not paths:
        raise UntrustedError.single(f'gate "{gate_id}": no file matches its objects', help="build first")
    binaries = read_binaries((settings.root / path, path) for path in paths)
    sides = classify((item for binary in binaries for item in binary.objects), parameters.partition.prefixes)
    debts, plan = link_debts(sides), moves(sides)
    if output_format == "json":
        questions.print_value(rendering.as_value(debts, plan, scopes(debts)), 0)
    else:
        questions.print_lines(rendering.as_lines(debts, plan, scopes(debts)))
    return 0


def _check(ends: list[End]) -> None:
    """Both ends need files, and none in common.

    Raises:
        UntrustedError: They have not.
    """
    for end in ends:
        if end.kind == "symbol":
            raise UntrustedError.single(f"{end.name}: a cut is between zones or files", help="name a zone or a file")
    shared = sorted(set(ends[0].files) & set(ends[1].files))
    if shared:
        raise UntrustedError.single(
            f"no include can be cut between {ends[0].name} and {ends[1].name}: {shared[0]} belongs to both",
            help="name zones that share no file",
        )


def _lines(found: Cut, ends: list[End]) -> list[str]:
    start, goal = (visible(end.name) for end in ends)
    if not found.edges:
        return [f"nothing in {start} includes anything in {goal}: there is nothing to cut"]
    head = (
        f"{counted(len(found.edges), 'includes')} to remove: then none of the "
        f"{counted(found.reaching, 'files')} of {start} that include {goal} still does"
    )
    places = [visible(f"{c.edge.source}:{c.edge.line}") for c in found.edges]
    texts = [visible(_directive(c)) for c in found.edges]
    place_width, text_width = max(map(len, places)), max(map(len, texts))
    rows = zip(places, texts, found.edges, strict=True)
    return [
        head,
        *(
            f"  {place:{place_width}}  {text:{text_width}}  "
            f"used by {counted(c.entries, 'files')}, alone frees {c.freed}"
            for place, text, c in rows
        ),
    ]


def _directive(cut_edge: CutEdge) -> str:
    edge = cut_edge.edge
    return f"#include <{edge.spelling}>" if edge.angled else f'#include "{edge.spelling}"'


def _value(found: Cut, ends: list[End]) -> dict[str, object]:
    return {
        "from": {"name": ends[0].name, "kind": ends[0].kind},
        "to": {"name": ends[1].name, "kind": ends[1].kind},
        "reaching": found.reaching,
        "edges": [
            {
                "path": c.edge.source,
                "line": c.edge.line,
                "text": _directive(c),
                "target": c.edge.target,
                "entries": c.entries,
                "freed": c.freed,
            }
            for c in found.edges
        ],
    }
