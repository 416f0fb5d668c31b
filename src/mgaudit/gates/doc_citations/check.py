"""The check of the gate kind ``doc-citations``: cited lines exist and hold what the text names beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.context import Verdict
from mgaudit.gates.doc_citations.citations import citations
from mgaudit.gates.doc_citations.parameters import DocCitationsParameters
from mgaudit.gates.doc_citations.resolution import Cited

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.doc_citations.resolution import Defect


def check(context: GateContext) -> Verdict:
    """Judge every citation of every document."""
    parameters = context.spec.parameters
    assert isinstance(parameters, DocCitationsParameters)
    gate, revision = context.spec.id, parameters.revision
    problems = [
        Problem(
            *context.spec.place(f"documents[{index}]"), f'gate "{gate}": no document matches `{glob}`', "correct it"
        )
        for index, glob in enumerate(parameters.documents)
        if not context.matching([glob])
    ]
    documents = context.matching(parameters.documents)
    try:
        cited = Cited(context.listing(revision), lambda path: context.content(path, revision))
    except UntrustedError as error:
        place = context.spec.place("revision")
        return Verdict(problems=tuple(Problem(*place, f'gate "{gate}": {p.message}', p.help) for p in error.problems))
    findings: list[Finding] = []
    count = 0
    for document in documents:
        try:
            text = (context.content(document, None) or b"").decode("utf-8")
        except UnicodeDecodeError:
            problems.append(Problem(document, 0, "it is no UTF-8 text", "leave it out, or convert it"))
            continue
        for citation in citations(text, code_blocks=parameters.code_blocks):
            count += len(citation.lines)
            findings += [_finding(context, document, defect) for defect in cited.defects(citation, document)]
    if not count and not problems:
        problems.append(
            Problem(*context.spec.place("documents"), f'gate "{gate}": its documents cite nothing', "name others")
        )
    return Verdict(tuple(findings), {"documents": len(documents), "citations": count}, tuple(problems))


def _finding(context: GateContext, document: str, defect: Defect) -> Finding:
    lines = defect.lines
    shown = defect.path if lines is None else f"{defect.path}:{lines.first}"
    if lines is not None and lines.last != lines.first:
        shown += f"-{lines.last}"
    where = ", ".join(map(str, defect.moved_to[:3])) + (", ..." if len(defect.moved_to) > 3 else "")
    moved = f"; `{defect.citation.identifier}` is in line {where}" if where else ""
    advice = "correct the citation" + (", or let `mgaudit citations --fix` do it" if defect.replacement else "")
    at = defect.moved_to[0] if defect.moved_to else 0
    return Finding(
        gate=context.spec.id, kind=context.spec.kind, severity=Severity.ERROR,
        message=f"{shown} {defect.what}{moved}", help=advice, path=document, line=defect.citation.line,
        column=defect.citation.column, entity=shown,
        identity=(document, defect.path, defect.citation.identifier, defect.what.split(":")[0]),
        configurations=tuple(sorted(context.facts.configurations)),
        evidence=(Evidence("line", defect.path, at, defect.citation.identifier),) if at else (),
    )  # fmt: skip
