"""``mgaudit citations``: what documents cite, and citations that moved."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from mgaudit.commands import options, workspace
from mgaudit.commands.output import write_atomically
from mgaudit.domain.problems import UntrustedError
from mgaudit.reports.escape import visible
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.commands.options import Place
    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.gates.doc_citations.parameters import DocCitationsParameters
    from mgaudit.gates.doc_citations.resolution import Defect
    from mgaudit.sources.library import Library


@click.command()
@click.argument("documents", nargs=-1, metavar="[DOCUMENT]...")
@click.option("--fix", is_flag=True, help="Rewrite the lines of citations whose identifier moved, where it is certain.")
@options.place
def citations(documents: tuple[str, ...], *, fix: bool, place: Place) -> int:
    """Judge the citations of documents, as the gates of the kind `doc-citations` do, without parsing any code.

    DOCUMENTs choose some of the documents that the gates name. Exits with 1 where a citation is wrong, and, with
    --fix, where one is left that cannot be mended with certainty. Only lines whose identifier is found again are
    rewritten, to the nearest place; of two equally near ones neither is chosen.
    """
    settings = workspace.load_settings(place)
    gates = workspace.gates_of_kind(settings, "doc-citations", ())
    chosen = {workspace.tree_path(settings, document) for document in documents}
    from mgaudit.sources.library import Library  # noqa: PLC0415  slow to import

    library = Library(settings.root)
    unknown = chosen.difference(*(library.matching(_parameters(gate).documents) for gate in gates))
    if unknown:
        raise UntrustedError.single(f"no gate names the document {min(unknown)}", path=settings.path)
    left = fixed = seen = 0
    for gate in gates:
        for document in library.matching(_parameters(gate).documents):
            if not chosen or document in chosen:
                number, defects = _judged(library, gate, document)
                seen += number
                mended = [d for d in defects if fix and d.replacement]
                if mended:
                    _rewrite(settings, document, mended)
                fixed += len(mended)
                left += len(defects) - len(mended)
                sys.stdout.write("".join(_line(document, defect, fixed=defect in mended) for defect in defects))
    mended_too = f", {fixed} corrected" if fix else ""
    sys.stdout.write(f"{counted(seen, 'citations')} looked at, {left} to correct{mended_too}\n")
    return 1 if left else 0


def _parameters(gate: GateSpec) -> DocCitationsParameters:
    return cast("DocCitationsParameters", gate.parameters)


def _judged(library: Library, gate: GateSpec, document: str) -> tuple[int, list[Defect]]:
    """How many citations a document has, and what is wrong with them."""
    from mgaudit.gates.doc_citations.citations import citations as cited  # noqa: PLC0415
    from mgaudit.gates.doc_citations.resolution import Cited  # noqa: PLC0415

    parameters = _parameters(gate)
    revision = parameters.revision
    files = Cited(library.listing(revision), lambda path: library.content(path, revision))
    text = _text(library, document)
    found = list(cited(text, code_blocks=parameters.code_blocks))
    return len(found), [defect for citation in found for defect in files.defects(citation, document)]


def _text(library: Library, document: str) -> str:
    try:
        return (library.content(document) or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise UntrustedError.single("it is no UTF-8 text", path=document, help="leave it out, or convert it") from None


def _rewrite(settings: Settings, document: str, defects: Sequence[Defect]) -> None:
    """Write a document with new lines in some citations."""
    path = Path(settings.root, document)
    text = path.read_bytes().decode("utf-8")
    for defect in sorted(defects, key=lambda d: d.lines.start if d.lines else 0, reverse=True):
        if defect.lines is not None:
            prefix = "L" if text[defect.lines.start] == "L" else ""
            new = "-".join(prefix + number for number in defect.replacement.split("-"))
            text = text[: defect.lines.start] + new + text[defect.lines.end :]
    write_atomically(path, text)


def _line(document: str, defect: Defect, *, fixed: bool) -> str:
    shown = defect.path if defect.lines is None else f"{defect.path}:{defect.lines.first}"
    place = f"{document}:{defect.citation.line}:{defect.citation.column}"
    answer = f" -> {defect.replacement}" if defect.replacement else ""
    return visible(f"{place}: {shown} {defect.what}{answer}{' (corrected)' if fixed else ''}") + "\n"
