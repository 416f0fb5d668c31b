"""Controls of the gate kind ``doc-citations``: citations that lead nowhere, or to a line that holds something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.gates.doc_citations.parameters import DocCitationsParameters
from mgaudit.gates.plants import OFFERED, Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def plants(context: GateContext) -> Iterator[Plant]:
    """Citations at the end of each document, wrong and right ones."""
    parameters = context.spec.parameters
    assert isinstance(parameters, DocCitationsParameters)
    ground = Ground(context)
    listed = frozenset(context.listing(parameters.revision))
    sources = [path for path in context.files.sources if path in listed][:OFFERED]
    for document in context.matching(parameters.documents)[:OFFERED]:
        for path in sources:
            count = (context.content(path, parameters.revision) or b"").count(b"\n")
            gone = f"{path}.planted.cpp"
            for control, text, entity in (
                ("a line that is not there", f"{path}:{count + 1000}", f"{path}:{count + 1000}"),
                ("a range that ends too late", f"{path}:1-{count + 1000}", f"{path}:1-{count + 1000}"),
                ("a range that begins too late", f"{path}:{count + 1000}-{count + 1001}", f"{path}:{count + 1000}"),
                ("one of several lines", f"{path}:1,{count + 1000}", f"{path}:{count + 1000}"),
                ("a range in the form of a web address", f"{path}#L1-L{count + 1000}", f"{path}:1-{count + 1000}"),
                ("the form of a web address", f"{path}#L{count + 1000}", f"{path}:{count + 1000}"),
                ("a file that is not there", f"{gone}:1", gone),
                ("a name that the line does not hold", f"`mgauditPlanted` ({path}:1)", f"{path}:1"),
            ):
                changed, line = _ended(ground, document, text)
                yield Plant(control, f"{document} cites {text}", {document: changed}, document, line, entity)
            changed, line = _ended(ground, document, f"{path}:1")
            yield Plant("a right citation", "the line is there", {document: changed}, document, line)


def _ended(ground: Ground, document: str, text: str) -> tuple[bytes, int]:
    """A document with a paragraph at its end, and that one's line."""
    data = ground.text(document)
    data += b"\n\n" if data.endswith(b"\n") else b"\n\n\n"
    return data + f"See {text}.\n".encode(), data.count(b"\n") + 1
