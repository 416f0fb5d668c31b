from __future__ import annotations

import io

import pytest

from mgaudit.commands.progress import watching
from mgaudit.commands.terminal import is_interactive
from mgaudit.engine.progress import Quiet


class Screen(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("CI", raising=False)
    return Screen()


def test_a_terminal_is_watched_by_a_person(screen: Screen) -> None:
    assert is_interactive(screen)
    assert not is_interactive(io.StringIO())


@pytest.mark.parametrize(
    ("name", "value", "interactive"),
    [("CI", "true", False), ("CI", "1", False), ("CI", "false", True), ("CI", "", True), ("TERM", "dumb", False)],
)
def test_neither_ci_nor_a_dumb_terminal_is(
    screen: Screen, monkeypatch: pytest.MonkeyPatch, name: str, value: str, interactive: bool
) -> None:
    monkeypatch.setenv(name, value)
    assert is_interactive(screen) is interactive


def test_progress_is_shown_to_a_person_without_what_could_drive_the_terminal(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", screen)
    with watching(quiet=False) as progress:
        progress.begin("units", 2)
        progress.advance("src/\x1b[5mblink.cpp")
        progress.end()
        progress.begin("headers", 1)
        progress.end()
    assert "units" in screen.getvalue()
    assert "\\x1b[5mblink.cpp" in screen.getvalue()
    assert "\x1b[5m" not in screen.getvalue()


def test_progress_is_silent_elsewhere(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", screen)
    with watching(quiet=True) as progress:
        assert isinstance(progress, Quiet)
    monkeypatch.setenv("CI", "1")
    with watching(quiet=False) as progress:
        assert isinstance(progress, Quiet)
    assert screen.getvalue() == ""
