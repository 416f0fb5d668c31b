"""Reads the baselines that gates name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mgaudit.baseline import files
from mgaudit.baseline.files import Baseline
from mgaudit.domain.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mgaudit.config.model import GateSpec, Settings


def read(
    settings: Settings, gates: Iterable[GateSpec], *, may_be_absent: bool = False
) -> tuple[Mapping[str, Baseline], Mapping[str, tuple[Problem, ...]]]:
    """The baselines of some gates.

    Returns:
        By the gate's id: the baselines that can be read, and why others cannot.
    """
    found: dict[str, Baseline] = {}
    faults: dict[str, tuple[Problem, ...]] = {}
    for gate in gates:
        if gate.baseline is None:
            continue
        baseline, problems = _read(settings, gate, may_be_absent=may_be_absent)
        if baseline is None or problems:
            faults[gate.id] = tuple(problems)
        else:
            found[gate.id] = baseline
    return found, faults


def file_of(settings: Settings, gate: GateSpec) -> Path:
    """Where a gate's baseline is."""
    assert gate.baseline is not None
    return Path(settings.root, gate.baseline.value)


def _read(settings: Settings, gate: GateSpec, *, may_be_absent: bool) -> tuple[Baseline | None, list[Problem]]:
    assert gate.baseline is not None
    name = gate.baseline.value
    place = (gate.baseline.path, gate.baseline.line)
    users = [other.id for other in settings.gates if other.baseline is not None and other.baseline.value == name]
    if users[0] != gate.id:
        return None, [Problem(*place, f'gates "{users[0]}" and "{gate.id}" name one baseline', "give each its own")]
    try:
        return files.parse(name, file_of(settings, gate).read_bytes())
    except FileNotFoundError:
        if may_be_absent:
            return Baseline(name), []
        advice = "`mgaudit baseline update --accept-new --reason TEXT` makes it"
        return None, [Problem(*place, f"the baseline {name} does not exist", advice)]
    except OSError as error:
        return None, [Problem(*place, f"the baseline {name} cannot be read: {error.strerror}")]
