"""``mgaudit explain``: what a gate means."""

from __future__ import annotations

import sys
from importlib import resources
from typing import TYPE_CHECKING

import click

from mgaudit.commands import options as shared
from mgaudit.commands import output, workspace
from mgaudit.config.fields import fields_of
from mgaudit.config.log import nearest
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.pages import controls, page
from mgaudit.gates.registry import KINDS
from mgaudit.reports import pages
from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.commands.options import Place
    from mgaudit.config.model import GateSpec, Settings

_TOPICS = {
    "exit-codes": "What 0, 1 and 2 mean, and what makes a run untrusted.",
    "baselines": "Accepted findings: files that may only shrink.",
    "certificate": "How far the two parsers agree, and the words for it.",
}


@click.command()
@click.argument("subject", required=False)
@output.color_option
@shared.place
def explain(subject: str | None, color: str, place: Place) -> None:
    """Explain a kind of gate, a configured gate by its id, or a topic; list them all without SUBJECT."""
    text = _listing(_settings(place)) if subject is None else _page(subject, place)
    sys.stdout.write(pages.render(text, output.style(color)) if subject else text)


def _settings(place: Place) -> Settings | None:
    """The configuration, if there is a sound one: an explanation does not depend on it."""
    try:
        return workspace.load_settings(place)
    except UntrustedError:
        if place.config is not None:
            raise
        return None


def _listing(settings: Settings | None) -> str:
    rows: list[tuple[str, str]] = [("Kinds of gates:", "")]
    rows += [(name, kind.summary + ("" if kind.available else " (not available yet)")) for name, kind in KINDS.items()]
    rows += [("Topics:", ""), *_TOPICS.items()]
    if settings is not None:
        rows += [(f"Gates of {visible(settings.tree.name)}:", "")]
        rows += [(visible(gate.id), f"{gate.kind}, {_where(gate, settings)}") for gate in settings.gates]
    width = max(len(name) for name, text in rows if text)
    return "".join(f"  {name:{width}}  {text}\n" if text else f"{name}\n" for name, text in rows)


def _where(gate: GateSpec, settings: Settings) -> str:
    known = f"gate.{gate.id}" in settings.origins
    return f"{visible(gate.path)}:{gate.line}" if known else "always there"


def _page(subject: str, place: Place) -> str:
    """The page of a subject.

    Raises:
        UntrustedError: There is no such subject, or none that can be known while the configuration cannot be read.
    """
    if subject in KINDS:
        return _kind_page(subject)
    if subject in _TOPICS:
        return resources.files("mgaudit.commands").joinpath("topics", f"{subject}.md").read_text(encoding="utf-8")
    try:
        settings = workspace.load_settings(place)
    except UntrustedError as error:
        unknown = f'there is no kind or topic "{subject}", and which gates there are cannot be told'
        raise UntrustedError(
            [Problem(None, 0, unknown, nearest(subject, [*KINDS, *_TOPICS])), *error.problems]
        ) from None
    gates = {gate.id: gate for gate in settings.gates}
    if subject not in gates:
        raise UntrustedError.single(
            f'there is no gate, kind or topic "{subject}"', help=nearest(subject, [*gates, *KINDS, *_TOPICS])
        )
    gate = gates[subject]
    return f"Gate `{visible(gate.id)}` of the kind `{gate.kind}`: {_where(gate, settings)}\n\n{_kind_page(gate.kind)}"


def _kind_page(kind: str) -> str:
    """The page that a gate brings along, its parameters, and what proves that it can go red."""
    parameters = "\n".join(_parameters(kind))
    return f"{page(kind)}\n## Parameters\n\n{parameters}\n\n{controls(kind)}".rstrip() + "\n"


def _parameters(kind: str) -> Iterator[str]:
    for spec in fields_of(KINDS[kind].parameters):
        default = "required" if spec.required else "optional"
        yield f"- `{spec.key}` ({default}): {spec.doc}" if spec.doc else f"- `{spec.key}` ({default})"
