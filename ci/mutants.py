"""Mutation testing of the code that judges: would a test notice if a gate judged otherwise?

usage: python ci/mutants.py [--sample N] [--seed S] [--jobs N] [--nice] MODULE...

A module is ``gates/exemptions`` or a pattern such as ``gates/reads/*``. mutmut changes one operator, number, name or
argument after the other and runs the tests that reach the changed function. Mutants that only change the words of a
message are left out; of the others a sample is taken, the same for the same seed. What survives is printed as a diff.
Everything happens in ``mutants/``, which later runs continue.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "mutants/src/mgaudit"
STRING = re.compile(r"""[rbf]*("([^"\\]|\\.)*"|'([^'\\]|\\.)*')""")
COMPARED = re.compile(r"==|!=|\bin\b|\[")
WORDS = re.compile(r"\s*(help|message|column|reason|title)=")
SURVIVED, UNTESTED = {0}, {5, 33}
KILLED, ENDED = {1, 3}, {-24, 24, 36, 152, 255}  # ended: it ran for much longer than the tests do


def mutmut(*words: str) -> str:
    """What mutmut says."""
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", *words], cwd=ROOT, text=True, check=False, stdout=subprocess.PIPE
    )
    return done.stdout


def results(patterns: list[str]) -> dict[str, int | None]:
    """The exit code of each mutant of some modules, None where it was never tried."""
    found: dict[str, int | None] = {}
    for pattern in patterns:
        for file in sorted(FOLDER.glob(f"{pattern}.py.meta")):
            found.update(json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"])
    return found


def change(name: str) -> list[str]:
    """The lines that a mutant takes out and puts in."""
    return [line for line in mutmut("show", name).splitlines() if re.match(r"[-+](?![-+])", line)]


def is_wording(lines: list[str]) -> bool:
    """Whether a mutant only says something else."""
    if all(WORDS.match(line[1:]) for line in lines):
        return True
    taken, put = (["".join(STRING.sub("''", line[1:])) for line in lines if line[0] == sign] for sign in "-+")
    return taken == put and not any(COMPARED.search(line) for line in taken)


def chosen(names: list[str], count: int, seed: int) -> list[str]:
    """A sample of the mutants that change what is judged."""
    random.Random(seed).shuffle(names)
    taken: list[str] = []
    for name in names:
        if len(taken) == count:
            break
        if not is_wording(change(name)):
            taken.append(name)
    return taken


def main() -> int:
    """Run; 1 where a mutant survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", metavar="MODULE")
    parser.add_argument("--sample", type=int, default=20, metavar="N", help="mutants of each module (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    if not FOLDER.exists():
        mutmut("run", "mgaudit.no_such_mutant")  # makes all mutants, and learns which tests reach what
    total: Counter[str] = Counter()
    for pattern in arguments.modules:
        names = chosen(sorted(results([pattern])), arguments.sample, arguments.seed)
        untried = [name for name in names if results([pattern])[name] is None]
        if untried:
            mutmut("run", "--max-children", str(arguments.jobs), *untried)
        codes = {name: results([pattern])[name] for name in names}
        count = Counter(
            "killed" if code in KILLED else "ended" if code in ENDED else "survived" if code in SURVIVED
            else "untested" if code in UNTESTED else "untried"
            for code in codes.values()
        )  # fmt: skip
        print(pattern, dict(sorted(count.items())))
        for name in sorted(name for name, code in codes.items() if code in SURVIVED | UNTESTED):
            print("", name.removeprefix("mgaudit."), *change(name), sep="\n    ")
        total.update(count)
    print("total", dict(sorted(total.items())))
    return 1 if total["survived"] or total["untested"] else 0


if __name__ == "__main__":
    sys.exit(main())
