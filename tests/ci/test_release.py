from __future__ import annotations

import datetime as dt
import importlib.util
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("release", ROOT / "ci/release.py")
assert spec is not None
assert spec.loader is not None
release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(release)

DAY = dt.date(2026, 12, 1)


def test_the_unreleased_part_gets_its_number_and_date() -> None:
    before = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- b\n"
    after = before.replace("## [Unreleased]\n", "## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n")
    assert release.released(before, "0.2.0", DAY) == after


@pytest.mark.parametrize("text", ["# Changelog\n", "## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- b\n"])
def test_a_release_without_changes_is_none(text: str) -> None:
    with pytest.raises(release.ReleaseError, match="nothing under"):
        release.released(text, "0.2.0", DAY)


def test_the_projects_changelog_can_be_released() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [9.9.9] - 2026-12-01" in release.released(text, "9.9.9", DAY)


def test_a_version_must_be_one() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "ci/release.py"), "next"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "no release: next is no version: write 1.2.3, or 1.2.3rc1\n")


def test_what_is_built_holds_packs_and_examples(tmp_path: Path) -> None:
    wheel, sdist = release.build(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        assert set(release.WHEEL) <= set(archive.namelist())
    with tarfile.open(sdist) as archive:
        assert set(release.SDIST) <= {name.partition("/")[2] for name in archive.getnames()}


@pytest.mark.parametrize("workflow", ["ci.yml", "release.yml"])
def test_workflows_pass_their_linters(workflow: str) -> None:
    tools = Path(sys.executable).parent
    file = str(ROOT / ".github/workflows" / workflow)
    for words in (
        [str(tools / "check-jsonschema"), "--builtin-schema", "vendor.github-workflows", file],
        [str(tools / "zizmor"), "--offline", "--quiet", "--config", str(ROOT / ".github/zizmor.yml"), file],
    ):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
