"""What `mgaudit prove` found, as text, JSON or JUnit XML."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from mgaudit.domain.proof import Standing, Verdict
from mgaudit.reports import problems, tally
from mgaudit.reports.escape import visible
from mgaudit.reports.json import evidence
from mgaudit.reports.junit import doubts, rendered, totalled
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mgaudit.domain.proof import Control, GateProof, Proof


def as_text(proof: Proof) -> str:
    """A table a gate: what was planted where, and what came of it."""
    lines = [line for gate in proof.gates for line in (*_gate(gate), "")]
    lines += problems.render(proof.errors, "error").splitlines()
    return "\n".join([*lines, *tally.evidence(proof.report), _verdict(proof)]) + "\n"


def _gate(gate: GateProof) -> Iterator[str]:
    reason = f": {visible(gate.reason)}" if gate.reason else ""
    yield f"{visible(gate.gate)} ({gate.kind}) {gate.standing}{reason}"
    rows = [(control.verdict, _sort(control), visible(_place(control))) for control in gate.controls]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(2)]
    for control, row in zip(gate.controls, rows, strict=True):
        yield f"  {row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]}"
        if control.verdict is not Verdict.PROVED:
            yield f"      {visible(control.why)}; {visible(control.answer)}"
    yield from (f"  assumed  {visible(text)}" for text in gate.assumptions)


def _sort(control: Control) -> str:
    """The kind of a control; one that must stay green says so."""
    return f"green: {control.kind}" if control.stays_green else control.kind


def _place(control: Control) -> str:
    return f"{control.path}:{control.line}" if control.line else control.path


def _verdict(proof: Proof) -> str:
    standings = Counter(gate.standing for gate in proof.gates)
    controls = [control for gate in proof.gates for control in gate.controls]
    red = sum(control.verdict is Verdict.PROVED and not control.stays_green for control in controls)
    green = sum(control.verdict is Verdict.PROVED and control.stays_green for control in controls)
    gates = ", ".join(f"{counted(count, 'gates')} {standing}" for standing, count in sorted(standings.items()))
    summary = (
        f"{gates or 'no gate'}; {counted(red, 'violations')} found, {counted(green, 'harmless changes')} accepted, "
        f"{sum(control.has_failed for control in controls)} failed, in {counted(proof.runs, 'runs')}"
    )
    assumed = {text for gate in proof.gates for text in gate.assumptions}
    if assumed:
        summary += f"; {counted(len(assumed), 'assumptions')} that no control can prove"
    trust = "" if not proof.errors else f"untrusted: {counted(len(proof.errors), 'reasons')} not to trust this run; "
    return f"{trust}{summary} (exit code {proof.exit_code})"


def as_json(proof: Proof) -> str:
    """For programs."""
    return json.dumps(_value(proof), indent=2) + "\n"


def _value(proof: Proof) -> dict[str, Any]:
    tool = proof.report.tool
    return {
        "schema": 1,
        "tool": {
            "name": "mgaudit", "version": tool.mgaudit, "libclang": tool.libclang,
            "tree-sitter-cpp": tool.tree_sitter_cpp,
        },
        "tree": proof.report.tree,
        "trusted": not proof.errors,
        "exit-code": proof.exit_code,
        "gates": [
            {
                "id": gate.gate, "kind": gate.kind, "status": str(gate.standing), "reason": gate.reason or None,
                "controls": [
                    {
                        "control": control.kind, "expected": "green" if control.stays_green else "red",
                        "path": control.path, "line": control.line, "entity": control.entity or None,
                        "why": control.why, "verdict": str(control.verdict), "answer": control.answer or None,
                    }
                    for control in gate.controls
                ],
                "assumptions": list(gate.assumptions),
            }
            for gate in proof.gates
        ],
        "errors": [
            {"path": error.path, "line": error.line, "message": error.message, "help": error.help}
            for error in proof.errors
        ],
        **evidence(proof.report),
    }  # fmt: skip


def as_junit(proof: Proof) -> str:
    """One suite a gate, one case a control."""
    suites = [_suite(gate) for gate in proof.gates]
    if proof.errors:
        suites.append(doubts(proof.errors))
    return rendered(f"mgaudit prove {proof.report.tree}", suites, proof.report)


def _suite(gate: GateProof) -> ET.Element:
    suite = ET.Element("testsuite", name=visible(gate.gate))
    for control in gate.controls:
        name = f"{_sort(control)} at {_place(control)}"
        case = ET.SubElement(suite, "testcase", classname=gate.kind, name=visible(name))
        if control.verdict is Verdict.UNPLANTED:
            ET.SubElement(case, "skipped", message=visible(control.answer))
        elif control.has_failed:
            failure = ET.SubElement(case, "failure", message=visible(control.answer), type=str(control.verdict))
            failure.text = visible(control.why)
    if gate.standing is not Standing.PROVED:
        case = ET.SubElement(suite, "testcase", classname=gate.kind, name=visible(f"gate {gate.gate}"))
        tag = {Standing.SKIPPED: "skipped", Standing.UNTRUSTED: "error"}.get(gate.standing, "failure")
        ET.SubElement(case, tag, message=visible(gate.reason))
    if gate.assumptions:
        ET.SubElement(suite, "system-out").text = "\n".join(f"assumed: {visible(text)}" for text in gate.assumptions)
    return totalled(suite)


RENDERERS: Final[Mapping[str, Callable[[Proof], str]]] = {"text": as_text, "json": as_json, "junit": as_junit}
