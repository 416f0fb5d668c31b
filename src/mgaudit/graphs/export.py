"""Graphs as files: DOT, GraphML, JSON. The same graph always gives the same bytes."""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Value = str | int

FORMATS: Final = ("dot", "graphml", "json")


@dataclass(frozen=True, slots=True)
class Node:
    """A node to export.

    Attributes:
        id: Unique.
        label: What a reader sees.
        attributes: By name.
    """

    id: str
    label: str
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Link:
    """A directed edge to export; ``label`` tells parallel ones apart and may be empty."""

    source: str
    target: str
    label: str
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A graph to export: every link's ends are nodes.

    Attributes:
        name: Of the graph.
        nodes: Sorted by id.
        links: Sorted by ends and label.
    """

    name: str
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]

    @classmethod
    def of(cls, name: str, nodes: Iterable[Node], links: Iterable[Link]) -> Drawing:
        """A drawing in the order that makes it repeatable."""
        return cls(
            name,
            tuple(sorted(nodes, key=lambda n: n.id)),
            tuple(sorted(links, key=lambda e: (e.source, e.target, e.label, sorted(map(str, e.attributes.items()))))),
        )

    def around(self, focus: Iterable[str], depth: int) -> Drawing:
        """The part that is at most so many links away from some nodes, in either direction."""
        neighbours: dict[str, set[str]] = defaultdict(set)
        for link in self.links:
            neighbours[link.source].add(link.target)
            neighbours[link.target].add(link.source)
        kept = set(focus)
        rim = kept
        for _ in range(depth):
            rim = {other for node in rim for other in neighbours[node]} - kept
            kept = kept | rim
        return Drawing(
            self.name,
            tuple(n for n in self.nodes if n.id in kept),
            tuple(e for e in self.links if e.source in kept and e.target in kept),
        )


def render(drawing: Drawing, form: str) -> str:
    """The drawing in one of `FORMATS`."""
    return _RENDERERS[form](drawing)


def dot(drawing: Drawing) -> str:
    """Graphviz's language. Labels are escaped for it and for HTML, since graphviz passes them on into SVG."""
    lines = [f"digraph {_quoted(drawing.name)} {{", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];']
    lines += [f"  {_quoted(n.id)} [label={_quoted(n.label)}{_listed(n.attributes)}];" for n in drawing.nodes]
    lines += [
        f"  {_quoted(e.source)} -> {_quoted(e.target)} [label={_quoted(e.label)}{_listed(e.attributes)}];"
        for e in drawing.links
    ]
    return "\n".join([*lines, "}"]) + "\n"


def graphml(drawing: Drawing) -> str:
    """GraphML, by networkx: what yEd, Gephi and Cytoscape read."""
    import networkx as nx  # noqa: PLC0415  slow to import

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=_xml_text(drawing.name))
    for node in drawing.nodes:
        graph.add_node(_xml_text(node.id), label=_xml_text(node.label), **_xml_values(node.attributes))
    for number, link in enumerate(drawing.links):
        graph.add_edge(
            _xml_text(link.source), _xml_text(link.target), key=str(number), label=_xml_text(link.label),
            **_xml_values(link.attributes),
        )  # fmt: skip
    return "\n".join(nx.generate_graphml(graph, named_key_ids=True)) + "\n"


def node_link(drawing: Drawing) -> str:
    """JSON in the node-link form that networkx and d3 read, in ASCII."""
    data = {
        "schema": 1,
        "directed": True,
        "multigraph": True,
        "graph": {"name": drawing.name},
        "nodes": [{"id": n.id, "label": n.label, **n.attributes} for n in drawing.nodes],
        "links": [
            {"source": e.source, "target": e.target, "key": number, "label": e.label, **e.attributes}
            for number, e in enumerate(drawing.links)
        ],
    }
    return json.dumps(data, indent=2) + "\n"


_RENDERERS: Final = {"dot": dot, "graphml": graphml, "json": node_link}


def _quoted(text: str) -> str:
    escaped = html.escape(_xml_text(text), quote=False).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n") + '"'


def _listed(attributes: Mapping[str, Value]) -> str:
    return "".join(f", {name.replace('-', '_')}={_quoted(str(value))}" for name, value in sorted(attributes.items()))


# What XML 1.0 cannot hold in any spelling.
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _xml_text(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


def _xml_values(attributes: Mapping[str, Value]) -> dict[str, Value]:
    return {name: _xml_text(value) if isinstance(value, str) else value for name, value in attributes.items()}
