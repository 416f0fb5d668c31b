"""Controls of the gate kind ``closure-probe``: the header includes a forbidden file, or names too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.domain.zones import matches_any
from mgaudit.gates.closure_probe.parameters import ClosureProbeParameters
from mgaudit.gates.plant_inclusions import WAYS, Inclusions, rotated
from mgaudit.gates.plants import Ground, Plant
from mgaudit.graphs.includes import IncludeGraph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Forbidden inclusions, also by what the header includes, and one token more than it may hold."""
    parameters = context.spec.parameters
    assert isinstance(parameters, ClosureProbeParameters)
    ground, header = Ground(context), parameters.header
    if header not in context.facts.scans:
        return
    allowed = {entry.path for entry in parameters.allow}
    forbidden = ground.includable(
        path for path in context.files.files if matches_any(path, parameters.forbid) and path not in allowed
    )
    # One finding for each forbidden file: a header that leads to others would be several.
    graph = [IncludeGraph.of(context.facts, name) for name in context.facts.configurations]
    forbidden = [h for h in forbidden if all(g.reachable_from_header(h).isdisjoint({*forbidden} - {h}) for g in graph)]
    inclusions = Inclusions(ground, lambda paths: rotated(paths, forbidden))
    for control, write in WAYS.items():
        yield from inclusions.offered(control, [header], write)
    yield from _tokens(ground, parameters)
    yield from inclusions.green([header])


def _tokens(ground: Ground, parameters: ClosureProbeParameters) -> Iterator[Plant]:
    """The header names a namespace once more than it may; and again in a comment, which does not count."""
    header = parameters.header
    scan = ground.facts.scans[header]
    for namespace, limit in parameters.token_limits.items():
        name = namespace.rsplit("::", 1)[-1]
        missing = limit + 1 - len(scan.occurrences(name))
        if missing <= 0:
            continue
        for control, line in (
            ("one token too many", f"namespace {name} {{}}"),
            ("one token too many, in a macro", f"#define MGAUDIT_PLANTED {name}"),
            ("one token too many, in an arm that nobody takes", f"#if 0\n{name}\n#endif"),
        ):
            lines = "\n".join([line] * missing).split("\n")
            text, first = ground.appended(header, lines)
            at = max(index for index, part in enumerate(lines) if name in part.split())
            yield Plant(control, f"the limit is {limit}", {header: text}, header, first + at, namespace)
        text, first = ground.appended(header, [f"// {name}"] * missing)
        yield Plant("a comment", "a comment names nothing", {header: text}, header, first)
