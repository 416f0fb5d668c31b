"""The report as JUnit XML: one suite a gate, one case for each error, or one that passes.

Source: the Ant JUnit task's schema as Jenkins and GitLab read it. Findings that are accepted, and those that make
nothing red, are named in the suite's output and are no failed case.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from mgaudit.domain.findings import Status, is_red, weight_of
from mgaudit.reports import problems, tally
from mgaudit.reports.escape import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mgaudit.domain.findings import Finding, GateResult
    from mgaudit.domain.problems import Problem
    from mgaudit.domain.report import Report


def render(report: Report) -> str:
    """The report as JUnit XML. No times stand in it: a run is repeatable."""
    suites = [_suite(result, report) for result in report.gates]
    if report.errors:
        suites.append(doubts(report.errors))
    return rendered(f"mgaudit {report.tree}".strip(), suites, report)


def rendered(name: str, suites: Sequence[ET.Element], report: Report) -> str:
    """Some suites as a document, with what the report rests on."""
    evidence = [line.partition(": ") for line in tally.evidence(report)]
    for suite in suites:  # each by itself: readers take suites apart, and the schema knows no properties of all
        properties = ET.Element("properties")
        for item, _, value in evidence:
            ET.SubElement(properties, "property", name=item, value=value)
        suite.insert(0, properties)
    root = ET.Element("testsuites", name=visible(name))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    root.extend(suites)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(result: GateResult, report: Report) -> ET.Element:
    red = [finding for finding in result.findings if is_red(finding)]
    suite = ET.Element("testsuite", name=visible(result.gate))
    if result.status is Status.UNTRUSTED or result.status is Status.SKIPPED or not red:
        case = ET.SubElement(suite, "testcase", classname=result.kind, name=visible(f"gate {result.gate}"))
        if result.status is Status.UNTRUSTED:
            ET.SubElement(case, "error", message=visible(result.reason), type="untrusted")
        elif result.status is Status.SKIPPED:
            ET.SubElement(case, "skipped", message=visible(result.reason))
    for finding in red:
        _failure(suite, finding, report)
    others = [_line(finding, weight_of(finding)) for finding in result.findings if not is_red(finding)]
    others += [_line(finding, "exempt") for finding in result.exempted]
    text = "\n".join([f"{tally.weights(result)}; {tally.examined(result)}", *others])
    ET.SubElement(suite, "system-out").text = text
    return totalled(suite)


def _failure(suite: ET.Element, finding: Finding, report: Report) -> None:
    place = problems.place(finding.path, finding.line, finding.column)
    case = ET.SubElement(
        suite, "testcase", classname=visible(finding.path) or finding.kind, name=place + visible(finding.message)
    )
    if finding.path:
        case.set("file", visible(finding.path))
    if finding.line:
        case.set("line", str(finding.line))
    steps = [problems.place(step.path, step.line) + visible(step.text) for step in finding.evidence]
    failure = ET.SubElement(case, "failure", message=visible(finding.message), type=finding.kind)
    seen = filter(None, [tally.only_in(finding, report)])
    failure.text = "\n".join([place + visible(finding.message), *steps, *seen, f"help: {visible(finding.help)}"])


def doubts(errors: Sequence[Problem]) -> ET.Element:
    """The suite of the reasons not to trust a run."""
    suite = ET.Element("testsuite", name="trust")
    for problem in errors:
        place = problems.place(problem.path, problem.line)
        case = ET.SubElement(suite, "testcase", classname="trust", name=place + visible(problem.message))
        error = ET.SubElement(case, "error", message=visible(problem.message), type="untrusted")
        error.text = "\n".join(problems.lines(problem, "error"))
    return totalled(suite)


def totalled(suite: ET.Element) -> ET.Element:
    """A suite that says how many cases it has, and how they ended."""
    suite.set("tests", str(len(suite.findall("testcase"))))
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def _line(finding: Finding, weight: str) -> str:
    place = problems.place(finding.path, finding.line, finding.column)
    return f"{place}{weight}: {visible(finding.message)}"
