"""The check of the gate kind ``test-names``: what the list before has and the list after lacks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mgaudit.config.log import nearest
from mgaudit.domain.findings import Finding, Severity
from mgaudit.domain.problems import Problem
from mgaudit.gates.context import Verdict
from mgaudit.gates.test_names.lists import ListError, Test, read
from mgaudit.gates.test_names.parameters import TestNamesParameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext

_REMADE: Final = "make the list anew, whole: with `ctest -N`, --gtest_list_tests or `pytest --collect-only -q`"


def check(context: GateContext) -> Verdict:
    """Find every test of the list before that the list after does not hold under its name or its new one."""
    parameters = context.spec.parameters
    assert isinstance(parameters, TestNamesParameters)
    problems: list[Problem] = []
    before = _tests(context, parameters, "before", parameters.before, problems)
    after = _tests(context, parameters, "after", parameters.after, problems)
    if problems:
        return Verdict(problems=tuple(problems))
    findings = (*_missing(context, parameters, before, after), *_stale(context, parameters, before))
    return Verdict(findings, {"tests before": len(before), "tests after": len(after)})


def _tests(
    context: GateContext, parameters: TestNamesParameters, key: str, path: str, problems: list[Problem]
) -> list[Test]:
    """The tests of a list; what makes it useless is a problem."""
    text = context.texts.get(path)
    if text is None:
        place = context.spec.place(key)
        problems.append(Problem(*place, f'gate "{context.spec.id}": the list {path} cannot be read', _REMADE))
        return []
    try:
        form, tests = read(text, parameters.format)
    except ListError as error:
        problems.append(Problem(path, error.line, str(error), _REMADE))
        return []
    if not tests:
        problems.append(Problem(path, 0, f"it lists no test (read as {form})", _REMADE))
    return tests


def _missing(
    context: GateContext, parameters: TestNamesParameters, before: list[Test], after: list[Test]
) -> Iterator[Finding]:
    left = Counter(test.name for test in after)
    for test in before:
        # A test that kept its name is there, whatever the renames say.
        wanted = test.name if left[test.name] else parameters.renames.get(test.name, test.name)
        if left[wanted]:
            left[wanted] -= 1
            continue
        renamed = "" if wanted == test.name else f", which is said to be {wanted} now,"
        advice = nearest(wanted, [name for name, count in left.items() if count]) if len(left) < 20000 else ""
        hint = f"; {advice}" if advice.startswith("did you mean") else ""
        yield _finding(
            context, (parameters.before, test.line), test.name,
            f"the test {test.name}{renamed} is not in {parameters.after}",
            f"bring it back, declare its new name in `renames`, or exempt it with a reason{hint}",
        )  # fmt: skip


def _stale(context: GateContext, parameters: TestNamesParameters, before: list[Test]) -> Iterator[Finding]:
    known = {test.name for test in before}
    for old, new in sorted(parameters.renames.items()):
        if old not in known:
            message = f"stale rename: {parameters.before} lists no test {old}"
            place = context.spec.place(f"renames.{old}")
            yield _finding(context, place, old, message, "remove it", identity=("stale rename", old, new))


def _finding(  # noqa: PLR0913
    context: GateContext, place: tuple[str, int], entity: str, message: str, advice: str, *,
    identity: tuple[str, ...] = (),
) -> Finding:  # fmt: skip
    return Finding(
        gate=context.spec.id, kind=context.spec.kind, severity=Severity.ERROR, message=message, help=advice,
        path=place[0], line=place[1], column=1, entity=entity, identity=identity or ("missing", entity),
        configurations=tuple(sorted(context.facts.configurations)),
    )  # fmt: skip
