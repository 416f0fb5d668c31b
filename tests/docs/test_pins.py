"""What documents and lanes tell people to install exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "ci/lane").glob("*.yml"))]
RELEASES = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
PIN = re.compile(
    r"rev: (?P<hook>\S+)|mgaudit(?:\[\w+\])? @ git\+\S+?@(?P<lane>\w\S*)"
    r"|pip install '?mgaudit(?:\[\w+\])?(?P<index>\S*)"
)


def pins(text: str) -> list[str]:
    """What of mgaudit a text installs: a commit, a tag, or what the package index has."""
    return [match["hook"] or match["lane"] or f"index{match['index']}" for match in PIN.finditer(text)]


@pytest.mark.parametrize(
    ("text", "pinned"),
    [
        ("  rev: v0.1.0   # a tag", "v0.1.0"),
        ("MGAUDIT: mgaudit @ git+https://git.example/mgaudit@COMMIT", "COMMIT"),
        ("- run: pip install mgaudit", "index"),
        ("python -m pip install 'mgaudit[dask]==1.2'", "index=="),
    ],
)
def test_a_pin_is_seen(text: str, pinned: str) -> None:
    (found,) = pins(text)
    assert found.startswith(pinned)


def test_only_what_was_released_is_named_and_until_then_a_commit() -> None:
    known = {"COMMIT", *(f"v{release}" for release in RELEASES)}
    found = {(page.name, pin) for page in PAGES for pin in pins(page.read_text(encoding="utf-8"))}
    assert {name for name, _ in found} >= {"README.md", "hook.md", "github.yml", "gitlab.yml", "scale.md"}
    assert [(name, pin) for name, pin in sorted(found) if pin not in known] == []
