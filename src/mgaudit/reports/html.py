"""The picture book of a run: one HTML file that needs nothing else, neither a network nor another file."""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING, Any, Final

from mgaudit.domain.findings import is_red
from mgaudit.reports import problems, tally, verdict
from mgaudit.reports.ranking import ranked
from mgaudit.reports.templating import page
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mgaudit.domain.dossier import Dossier, Neighbourhood, Point
    from mgaudit.domain.matrix import Matrix

_ROWS: Final = 2_000
_HEAT: Final = 6  # shades of the heat map
_BOX: Final = (250, 26)  # width and height of a node
_GAP: Final = (60, 12)
_LETTERS: Final = 34  # of a path that fit into a node
_CHART: Final = (560, 120)


def render(dossier: Dossier) -> str:
    """The dossier as HTML."""
    report = dossier.report
    findings = (*ranked(report.findings), *(f for f in report.findings if f.baselined))
    sites = report.sites or ()
    return page(
        "report.html.j2", report=report, dossier=dossier, word=verdict.word(report), sentence=verdict.sentence(report),
        findings=findings[:_ROWS], more_findings=max(0, len(findings) - _ROWS),
        sites=sites[:_ROWS], more_sites=max(0, len(sites) - _ROWS),
        place=lambda item: problems.place(item.path, item.line or 0).removesuffix(": "),
        weights=tally.weights, only_in=tally.only_in, evidence=tally.evidence(report),
        examined=tally.examined, counted=counted, heat=_heat, graph=_graph,
        columns=_columns, chart=_chart, errors=sum(map(is_red, report.findings)),
    )  # fmt: skip


# ---- the heat map


def _columns(matrix: Matrix) -> list[str]:
    """The columns in which anything is counted."""
    return [name for name in matrix.names if any(counts.get(name) for counts in matrix.counts.values())]


def _heat(matrix: Matrix, count: int) -> int:
    """The shade of a cell, 0 for none: logarithmic, since a few cells hold nearly everything."""
    largest = max((number for counts in matrix.counts.values() for number in counts.values()), default=0)
    return 0 if not count else max(1, round(_HEAT * log1p(count) / log1p(largest)))


# ---- include graphs


def _graph(view: Neighbourhood) -> Mapping[str, Any]:
    """Where the nodes and arrows of an include graph are drawn: a column of includers, the chain, what it leads to."""
    includers = [*view.includers, *([f"and {view.more_includers} more"] if view.more_includers else [])]
    includes = [*view.includes, *([f"and {view.more_includes} more"] if view.more_includes else [])]
    groups: list[tuple[str, Sequence[str]]] = [
        ("near", includers), *(("chain", [path]) for path in view.chain), ("near", includes),
    ]  # fmt: skip
    groups = [group for group in groups if group[1]]
    height = max(len(names) for _, names in groups)
    nodes, arrows = [], []
    before: list[tuple[int, int]] = []
    for column, (kind, names) in enumerate(groups):
        x = column * (_BOX[0] + _GAP[0])
        top = (height - len(names)) * (_BOX[1] + _GAP[1]) // 2
        places = []
        for row, name in enumerate(names):
            y = top + row * (_BOX[1] + _GAP[1])
            is_end = kind == "chain" and name == view.chain[-1]
            nodes.append({"x": x, "y": y, "name": _end_of(name), "title": name, "kind": "end" if is_end else kind})
            places.append((x, y + _BOX[1] // 2))
        arrows += [
            {"x1": left + _BOX[0], "y1": y1, "x2": right - 6, "y2": y2} for left, y1 in before for right, y2 in places
        ]
        before = places
    width = len(groups) * (_BOX[0] + _GAP[0]) - _GAP[0]
    return {
        "nodes": nodes, "arrows": arrows, "width": width, "height": height * (_BOX[1] + _GAP[1]), "box": _BOX,
    }  # fmt: skip


def _end_of(path: str) -> str:
    return path if len(path) <= _LETTERS else "…" + path[1 - _LETTERS :]


# ---- the trend


def _chart(points: Sequence[Point]) -> list[dict[str, str]]:
    """One line of the chart for each count that every run knows."""
    width, height = _CHART
    lines = []
    for name in ("errors", "accepted", "unmapped"):
        numbers = [getattr(point, name) for point in points]
        if any(number is None for number in numbers):
            continue
        largest = max(*numbers, 1)
        places = (
            f"{index * width / max(1, len(numbers) - 1):.1f},{height - number * (height - 10) / largest:.1f}"
            for index, number in enumerate(numbers)
        )
        lines.append({"name": name, "points": " ".join(places), "largest": str(largest)})
    return lines
