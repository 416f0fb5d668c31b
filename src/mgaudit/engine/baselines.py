"""Reads the baselines that gates name."""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mgaudit.baseline import files
from mgaudit.baseline.files import Baseline
from mgaudit.config.fields import Accepts
from mgaudit.domain.problems import Problem
from mgaudit.sources.tree import file_content

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.domain.findings import Finding


@dataclass(frozen=True, slots=True)
class Ledger:
    """A baseline that a gate names.

    Attributes:
        gate: The gate's id.
        file: Its name, of `Places`.
        place: Path and line of the key that names it.
        word: What the identities of its findings start with; empty for all that no other baseline takes.
    """

    gate: str
    file: str
    place: tuple[str, int]
    word: str = ""


def ledgers(gate: GateSpec) -> tuple[Ledger, ...]:
    """The baselines of a gate, the one of all other findings last."""
    named = [Ledger(gate.id, file, gate.place(key), word) for key, file, word in _special(gate)]
    if gate.baseline is not None:
        named.append(Ledger(gate.id, gate.baseline.value, (gate.baseline.path, gate.baseline.line)))
    return tuple(named)


def divided(gate: GateSpec, findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """A gate's findings by the word of the baseline that they belong to."""
    parts: dict[str, list[Finding]] = {ledger.word: [] for ledger in ledgers(gate)}
    parts.setdefault("", [])
    for finding in findings:
        first = finding.identity[0] if finding.identity else ""
        parts[first if first in parts else ""].append(finding)
    return parts


def read(
    settings: Settings, gates: Iterable[GateSpec], *, may_be_absent: bool = False
) -> tuple[Mapping[tuple[str, str], Baseline], Mapping[str, tuple[Problem, ...]]]:
    """The baselines of some gates.

    Returns:
        By the gate's id and the ledger's word, the baselines that can be read; by the gate's id, why others cannot.
    """
    found: dict[tuple[str, str], Baseline] = {}
    faults: dict[str, tuple[Problem, ...]] = {}
    first: dict[str, Ledger] = {}
    for ledger in (ledger for gate in settings.gates for ledger in ledgers(gate)):
        first.setdefault(ledger.file, ledger)
    for ledger in (ledger for gate in gates for ledger in ledgers(gate)):
        baseline, problems = _read(settings, ledger, first[ledger.file], may_be_absent=may_be_absent)
        if problems:
            faults[ledger.gate] = (*faults.get(ledger.gate, ()), *problems)
        else:
            found[ledger.gate, ledger.word] = baseline
    return found, faults


def _special(gate: GateSpec) -> Iterator[tuple[str, str, str]]:
    """Key, file and word of each parameter that names a baseline."""
    hints = typing.get_type_hints(type(gate.parameters), include_extras=True)
    for field in dataclasses.fields(gate.parameters):
        file = getattr(gate.parameters, field.name)
        for mark in getattr(hints[field.name], "__metadata__", ()):
            if isinstance(mark, Accepts) and file is not None:
                yield field.name.replace("_", "-"), file, mark.word


def _read(settings: Settings, ledger: Ledger, first: Ledger, *, may_be_absent: bool) -> tuple[Baseline, list[Problem]]:
    empty = Baseline(ledger.file)
    if first != ledger:
        who = f'gate "{ledger.gate}"' if first.gate == ledger.gate else f'gates "{first.gate}" and "{ledger.gate}"'
        message = f"{who}: {ledger.file} cannot be two baselines"
        return empty, [Problem(*ledger.place, message, "give each its own file")]
    try:
        return files.parse(ledger.file, file_content(settings.places.file(ledger.file)))
    except FileNotFoundError:
        advice = "`mgaudit baseline update --accept-new --reason TEXT` makes it"
        problem = Problem(*ledger.place, f"the baseline {ledger.file} does not exist", advice)
        return empty, [] if may_be_absent else [problem]
    except OSError as error:
        return empty, [Problem(*ledger.place, f"the baseline {ledger.file} cannot be read: {error.strerror}")]
