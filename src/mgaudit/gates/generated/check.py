"""The check of the gate kind ``generated``: a file holds what would be generated now."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates import registry
from mgaudit.gates.context import Verdict
from mgaudit.gates.generated.parameters import GeneratedParameters
from mgaudit.gates.generated.render import KIND_OF, as_fragment

if TYPE_CHECKING:
    from mgaudit.domain.census import SurfaceSite
    from mgaudit.gates.context import GateContext


def check(context: GateContext) -> Verdict:
    """Compare a generated file with the surface; nothing is written."""
    parameters = context.spec.parameters
    assert isinstance(parameters, GeneratedParameters)
    if not context.is_whole:
        return Verdict(skipped="only a run over the whole tree can tell whether the file is fresh")
    sites = _sites(context, parameters.surface)
    wanted = as_fragment(parameters.surface, sites)
    data = context.content(parameters.file, None)
    held = None if data is None else data.decode(errors="replace").replace("\r\n", "\n")
    examined = {"sites": len(sites), "lines": wanted.count("\n")}
    if held == wanted:
        return Verdict(examined=examined)
    return Verdict((_stale(context, parameters, held, wanted),), examined)


def _sites(context: GateContext, surface: str) -> list[SurfaceSite]:
    """The sites of every gate that has such a surface, in the gate's own configurations.

    Raises:
        UntrustedError: No gate has it, or a boundary cannot be told.
    """
    kind = KIND_OF[surface]
    gates = [gate for gate in context.settings.gates if gate.kind == kind]
    census = registry.KINDS[kind].load_census()
    if not gates or census is None:
        message = f'gate "{context.spec.id}": no gate of the kind `{kind}` says which boundary to list'
        raise UntrustedError([Problem(*context.spec.place("surface"), message, f'configure one of the kind "{kind}"')])
    found: list[SurfaceSite] = []
    for gate in gates:
        with context.facts.within(gate.configurations) as facts:
            found += census(replace(context, spec=gate, facts=facts)).sites
    return found


def _stale(context: GateContext, parameters: GeneratedParameters, held: str | None, wanted: str) -> Finding:
    command = f"mgaudit surface {parameters.surface} --output-format inc --output {parameters.file}"
    line, evidence = 0, tuple[Evidence, ...]()
    if held is None:
        message = f"{parameters.file} does not exist, and is to hold the surface `{parameters.surface}`"
    else:
        pairs = enumerate(zip_longest(held.split("\n"), wanted.split("\n")), 1)
        line, (old, new) = next((number, pair) for number, pair in pairs if pair[0] != pair[1])
        message = f"{parameters.file} is not what the surface `{parameters.surface}` is now"
        evidence = tuple(
            Evidence(kind, parameters.file, line, text)
            for kind, text in (("held", old), ("wanted", new))
            if text is not None
        )
    return Finding(
        gate=context.spec.id, kind=context.spec.kind, severity=Severity.ERROR, message=message,
        help=f"`{command}` writes it anew", path=parameters.file, line=line, column=1 if line else 0,
        entity=parameters.file, identity=("generated", parameters.file),
        configurations=tuple(sorted(context.facts.configurations)), evidence=evidence,
    )  # fmt: skip
