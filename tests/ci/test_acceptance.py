from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]

RUNNER = """
import sys
print(sys.argv[sys.argv.index("--mgaudit") + 1], file=sys.stderr)
{body}
"""


@pytest.fixture(scope="module")
def acceptance() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ci_acceptance", ROOT / "ci" / "acceptance.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def run(acceptance: Any, folder: Path, *, expected: str, output: str) -> int:
    (folder / "run.py").write_text(RUNNER.format(body=f"print({output!r})"))
    (folder / "expected.txt").write_text(expected)
    return int(acceptance.main([str(folder), "--mgaudit", "mgaudit", "--expected", str(folder / "expected.txt")]))


@pytest.mark.parametrize(
    ("expected", "output", "code", "total"),
    [
        ("", "ok   a\nok   b\n2 passed, 0 failed", 0, "2 passed, 0 failed"),
        ("b # not yet\n", "ok   a\nFAIL b\n     - missing\n1 passed, 1 failed", 0, "1 passed, 0 failed"),
        ("", "ok   a\nFAIL b\n1 passed, 1 failed", 1, "1 passed, 1 failed"),
        ("a\n", "ok   a\n1 passed, 0 failed", 1, "0 passed, 1 failed"),
        ("gone\n", "ok   a\n1 passed, 0 failed", 1, "1 passed, 1 failed"),
    ],
    ids=[
        "all hold",
        "a listed one fails",
        "an unlisted one fails",
        "a listed one holds",
        "a listed one does not exist",
    ],
)
def test_the_list_and_the_outcome_must_agree(
    acceptance: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    expected: str,
    output: str,
    code: int,
    total: str,
) -> None:
    assert run(acceptance, tmp_path, expected=expected, output=output) == code
    assert capsys.readouterr().out.splitlines()[-1] == total


@pytest.mark.parametrize("output", ["", "ok   a", "Traceback (most recent call last):"])
def test_a_runner_that_does_not_finish_is_never_green(
    acceptance: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], output: str
) -> None:
    assert run(acceptance, tmp_path, expected="", output=output) == 1
    assert "did not finish" in capsys.readouterr().out


def test_comments_and_blank_lines_name_no_case(acceptance: ModuleType) -> None:
    assert acceptance.read_expected("# a\n\n  b-case  # why\n") == {"b-case"}
