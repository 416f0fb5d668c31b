"""Run the acceptance cases and compare the outcome with ``ci/expected-failures.txt``.

A listed case that passes is an error, just as an unlisted one that fails: the list says what is true today.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

OUTCOME = re.compile(r"^(ok|FAIL)\s+(\S+)$")
TOTAL = re.compile(r"^\d+ passed, \d+ failed$")


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the outcome of a run differs from the list.

    Attributes:
        passed: How many cases hold.
        awaited: How many listed cases failed, as expected: neither passed nor failed.
        unexpected: Unlisted cases that failed.
        overdue: Listed cases that passed: their lines must go.
        unknown: Listed names that no case has.
    """

    passed: int
    awaited: int
    unexpected: tuple[str, ...]
    overdue: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def failed(self) -> int:
        """How many cases or lines are at fault."""
        return len(self.unexpected) + len(self.overdue) + len(self.unknown)


def read_expected(text: str) -> frozenset[str]:
    """The names of a list: one a line, ``#`` starts a comment."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return frozenset(line for line in lines if line)


def read_outcomes(text: str) -> dict[str, bool]:
    """What the runner says of each case: whether it holds."""
    found = (OUTCOME.match(line) for line in text.splitlines())
    return {match[2]: match[1] == "ok" for match in found if match}


def judge(outcomes: dict[str, bool], expected: frozenset[str]) -> Verdict:
    """Compare outcomes with the list of expected failures."""
    return Verdict(
        passed=sum(held and name not in expected for name, held in outcomes.items()),
        awaited=sum(not held and name in expected for name, held in outcomes.items()),
        unexpected=tuple(sorted(name for name, held in outcomes.items() if not held and name not in expected)),
        overdue=tuple(sorted(name for name, held in outcomes.items() if held and name in expected)),
        unknown=tuple(sorted(expected - outcomes.keys())),
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the cases; the last line of the output is ``N passed, N failed``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds run.py and cases/")
    parser.add_argument("--mgaudit", type=Path, required=True, help="the command under test")
    parser.add_argument("--expected", type=Path, default=Path(__file__).with_name("expected-failures.txt"))
    options = parser.parse_args(arguments)

    command = [
        sys.executable,
        str(options.folder / "run.py"),
        "--mgaudit",
        shlex.quote(str(options.mgaudit.absolute())),
    ]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    outcomes = read_outcomes(run.stdout)
    finished = any(TOTAL.match(line) for line in run.stdout.splitlines())
    print("\n".join(line for line in run.stdout.splitlines() if not TOTAL.match(line)))
    if not outcomes or not finished:
        print("The runner did not finish: no outcome can be trusted.")
        print("0 passed, 1 failed")
        return 1

    verdict = judge(outcomes, read_expected(options.expected.read_text(encoding="utf-8")))
    for text, names in (
        ("failed", verdict.unexpected),
        ("passed: remove the line from the list", verdict.overdue),
        ("listed, but there is no such case", verdict.unknown),
    ):
        for name in names:
            print(f"{options.expected.name}: {name}: {text}")
    if verdict.awaited:
        print(f"{verdict.awaited} failed as {options.expected.name} expects")
    print(f"{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
