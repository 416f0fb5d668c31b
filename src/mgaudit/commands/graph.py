"""``mgaudit graph``: the include graph, the call graph and the symbol table as files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options, questions, workspace
from mgaudit.commands.ends import End, Resolver
from mgaudit.commands.output import write_atomically
from mgaudit.domain.problems import UntrustedError
from mgaudit.graphs import drawings
from mgaudit.graphs.export import FORMATS, Drawing, render

if TYPE_CHECKING:
    from mgaudit.commands.boundary import Session
    from mgaudit.commands.options import Execution, Place
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.graphs.symbols import Entry

_MEMBERS = {"include": "file", "call": "function", "symbol": "symbol"}


@click.command()
@click.argument("kind", type=click.Choice(list(_MEMBERS)))
@click.option(
    "--by",
    type=click.Choice(["zone", "file", "function", "symbol"]),
    help="What the nodes are; default: files of includes, functions of calls, symbols of symbols.",
)
@click.option("--focus", multiple=True, metavar="NODE", help="Only what is near this zone, file or entity; repeatable.")
@click.option(
    "--depth", type=click.IntRange(0), default=1, show_default=True, help="How many edges from --focus, both ways."
)
@click.option("--all", "everything", is_flag=True, help="Also files and functions outside of the tree.")
@click.option(
    "--output-format", type=click.Choice(list(FORMATS)), default="dot", show_default=True, help="The graph's form."
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write it to a file."
)
@options.execution
@options.place
@click.pass_obj
def graph(  # noqa: PLR0913  one argument an option
    session: Session,
    *,
    kind: str,
    by: str | None,
    focus: tuple[str, ...],
    depth: int,
    everything: bool,
    output_format: str,
    output: Path | None,
    execution: Execution,
    place: Place,
) -> int:
    """Export the include graph, the call graph or the symbol table.

    DOT is for graphviz (`dot -Tsvg`), GraphML for yEd, Gephi and the like, JSON is in node-link form.
    """
    questions.begin(session, execution, output_format)
    by = by or _MEMBERS[kind]
    if by not in {"zone", "file", _MEMBERS[kind]}:
        raise click.UsageError(f"the {kind} graph has no nodes by {by}")
    settings = workspace.load_settings(place)
    with workspace.analysed(settings, execution) as analysis:
        drawer = _Drawer(analysis, by, everything=everything)
        ends = drawer.resolver.ends(focus)
        drawing: Drawing = {"include": drawer.includes, "call": drawer.calls, "symbol": drawer.symbols}[kind]()
        if ends:
            drawing = drawing.around(drawer.nodes_of(drawing, ends), depth)
        text = render(drawing, output_format)
        if output is None:
            sys.stdout.write(text)
        else:
            write_atomically(output, text)
        return questions.UNTRUSTED if questions.doubts(analysis) else 0


class _Drawer:
    """Draws one analysis."""

    def __init__(self, analysis: Analysis, by: str, *, everything: bool) -> None:
        self.resolver = Resolver(analysis)
        self._facts = analysis.facts
        self._tracked = frozenset(analysis.files.files)
        self._by = by
        self._everything = everything

    def includes(self) -> Drawing:
        from mgaudit.graphs.includes import IncludeGraph  # noqa: PLC0415

        names = self._facts.configurations
        edges = {edge for name in names for edge in IncludeGraph.of(self._facts, name).all_edges()}
        if self._by == "zone":
            inner = (e for e in edges if self._everything or not (self._is_outside(e.source, e.target)))
            return drawings.between_zones("includes", drawings.include_zones(inner, self.resolver.membership))
        return drawings.include_files(edges, self.resolver.membership, outside=self._is_outside)

    def _is_outside(self, *paths: str | None) -> bool:
        return not self._everything and any(path not in self._tracked for path in paths)

    def calls(self) -> Drawing:
        from mgaudit.graphs.call_builder import call_graph  # noqa: PLC0415

        graph = call_graph(self._facts)
        membership = self.resolver.membership
        if self._by == "zone":
            return drawings.between_zones("calls", drawings.call_zones(graph, membership))
        table = self._table()
        if self._by == "file":
            pairs = (
                (table[e.source].place.path, table[e.target].place.path, e.path, e.line)
                for e in graph.edges
                if e.source in table and e.target in table
            )
            return drawings.between_files("calls", pairs, membership)
        return drawings.calls(graph, self._facts, membership, table, everything=self._everything)

    def symbols(self) -> Drawing:
        from mgaudit.facts.rows import symbol_uses  # noqa: PLC0415
        from mgaudit.graphs.symbols import uses, zone_dependencies  # noqa: PLC0415

        membership = self.resolver.membership
        if self._by == "zone":
            return drawings.between_zones("symbols", zone_dependencies(uses(self._facts), membership))
        table = self._table()
        if self._by == "file":
            pairs = (
                (use.path, table[use.symbol].place.path, use.path, use.line)
                for use in uses(self._facts)
                if use.symbol in table
            )
            return drawings.between_files("symbols", pairs, membership)
        return drawings.symbols(table, symbol_uses(self._facts))

    def _table(self) -> dict[int, Entry]:
        from mgaudit.graphs.symbols import symbol_table  # noqa: PLC0415

        return {entry.symbol.id: entry for entry in symbol_table(self._facts, self.resolver.membership)}

    def nodes_of(self, drawing: Drawing, ends: list[End]) -> set[str]:
        """The nodes that some names stand for.

        Raises:
            UntrustedError: A name stands for none of them.
        """
        known = {node.id for node in drawing.nodes}
        found: set[str] = set()
        for end in ends:
            if self._by == "zone":
                named = {end.name}
            elif self._by == "file":
                named = set(end.files)
            else:
                symbols = map(self._facts.symbol, self.resolver.callers_in(end))
                named = {drawings.symbol_id(symbol.usr, symbol.place) for symbol in symbols}
            if not named & known:
                raise UntrustedError.single(f"--focus: {end.name} has no node in this graph", help="see --by and --all")
            found |= named & known
        return found
