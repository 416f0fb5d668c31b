from __future__ import annotations

import contextlib
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import sync_playwright

from mgaudit.domain.census import Memo, MemoCensus, MemoComponent, SurfaceSite
from mgaudit.domain.dossier import Dossier, Neighbourhood, Point, VerbView
from mgaudit.domain.matrix import Matrix
from mgaudit.domain.problems import Problem
from mgaudit.domain.report import Report, ToolVersions
from mgaudit.reports import html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOSTILE = "</td></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{ 7 * 7 }}\u202e\x1b"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NOTHING = Matrix("references", "from", "to", (), {})


def site(text: str = "Get", line: int = 1) -> SurfaceSite:
    return SurfaceSite("R", text, line, 1, text, text, text, text, "value", (), "read", "unmapped", (), ("c",))


def dossier(report: Any, finding: Any, text: str, number: int = 1) -> Dossier:
    """A dossier in which everything that comes from a tree is one text."""
    found = [finding(path=text, message=f"{text}{n}", help=text, entity=text, line=n + 1) for n in range(number)]
    made: Report = report(*found, errors=(Problem(text, 1, text, text),))
    made = replace(made, tree=text, sites=tuple(site(text, n + 1) for n in range(number)))
    matrix = Matrix("references", "from", "to", ("a", text), {text: {"a": 3, text: 100}, "b": {}})
    component = MemoComponent(text, 1, 1, text, text, "key", "forbidden", text, (), ())
    return Dossier(
        made, matrix, matrix, (Neighbourhood(made.findings[0], (text,), (text, "b"), (text,), 3, 0),),
        (VerbView("R", text, 2, 1, text, ((text, 1, text), ("", 0, text))),),
        MemoCensus((Memo("K", text, 1, 1, text, text, (component,)),), {}),
        (Point(text, trusted=False, errors=3, accepted=0, sites=None, unmapped=None),
         Point("this run", trusted=True, errors=1, accepted=2, sites=5, unmapped=1)),
    )  # fmt: skip


class Page(HTMLParser):
    """What a browser would make of a page: its elements, and whether they nest."""

    VOID = frozenset({"meta", "input", "br", "rect", "path", "polyline"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def test_text_of_the_tree_is_never_markup(report: Any, finding: Any) -> None:
    text = html.render(dossier(report, finding, HOSTILE))
    page = Page(text)
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert "img" not in {tag for tag, _ in page.elements}
    assert "49" not in text.replace("490", "")
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)


def test_the_page_needs_nothing_else(report: Any, finding: Any) -> None:
    page = Page(html.render(dossier(report, finding, "a.cpp")))
    for tag, attributes in page.elements:
        assert tag not in {"link", "img", "iframe"}
        assert not {"src", "srcset", "action"} & attributes.keys()
        assert (attributes.get("href") or "#").startswith("#")


def test_the_page_can_be_read_aloud_and_by_keyboard(report: Any, finding: Any) -> None:
    page = Page(html.render(dossier(report, finding, "a.cpp")))
    identifiers = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(identifiers)) == len(identifiers)
    for tag, attributes in page.elements:
        if tag == "th":
            assert attributes["scope"] in {"row", "col"}
        if tag == "svg":
            assert attributes["role"] == "img"
            assert attributes.keys() & {"aria-label", "aria-labelledby"}
        if tag == "label":
            assert attributes["for"] in identifiers
        if tag == "section":
            assert attributes["aria-labelledby"] in identifiers
        if tag == "a":
            assert (attributes["href"] or "").removeprefix("#") in identifiers
    assert dict(page.elements)["html"] == {"lang": "en"}


def test_an_untrusted_and_an_empty_run_are_told(report: Any) -> None:
    text = html.render(Dossier(report(errors=(Problem(None, 0, "nothing parses"),)), NOTHING, None))
    assert "Why this run cannot be trusted" in text
    assert "nothing parses" in text
    empty = html.render(Dossier(Report(ToolVersions("1", "2", "3"), "t", trusted=True, exit_code=0), NOTHING, None))
    assert "There are none." in empty


def test_very_many_rows_are_cut_and_counted(report: Any, finding: Any) -> None:
    text = html.render(dossier(report, finding, "a.cpp", 2500))
    assert "500 further findings are not listed" in text
    assert "500 further sites are not listed" in text


def test_the_same_run_is_the_same_page(report: Any, finding: Any) -> None:
    assert html.render(dossier(report, finding, "a")) == html.render(dossier(report, finding, "a"))


# ---- in a browser


@contextlib.contextmanager
def browsing(file: Path, **options: Any) -> Iterator[Any]:
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(**options)
        trouble: list[str] = []
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: None if request.url.startswith("file:") else trouble.append(request.url))
        page.goto(file.as_uri())
        yield page
        browser.close()
    assert trouble == []


@pytest.fixture
def file(tmp_path: Path, report: Any, finding: Any) -> Path:
    path = tmp_path / "report.html"
    path.write_text(html.render(dossier(report, finding, HOSTILE, 30)), encoding="utf-8")
    return path


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_tables_are_filtered_and_sorted_by_keyboard(file: Path) -> None:
    with browsing(file) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.get_by_label("Filter findings").fill("onerror 17")
        rows = page.locator("#findings-table tbody tr:visible")
        assert rows.count() == 2  # a line and a message
        assert page.locator("output[for=findings-table-filter]").inner_text() == "2 of 30"
        page.get_by_label("Filter findings").fill("")
        header = page.locator("#findings-table thead button").nth(3)
        header.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        assert page.locator("#findings-table thead th").nth(3).get_attribute("aria-sort") == "descending"
        assert "29" in rows.first.inner_text()


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_colours_of_the_system_and_the_button(file: Path, scheme: str) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    with browsing(file, color_scheme=scheme) as page:
        before = page.evaluate(colour)
        assert before == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[scheme]
        page.get_by_role("button", name="Dark or light").click()
        assert page.evaluate(colour) != before
        for verdict in ("td.red", "td.error", "code"):  # readable: the contrast that WCAG asks for
            assert page.evaluate(CONTRAST, verdict) >= 4.5


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_a_print_shows_proofs_and_no_controls(file: Path) -> None:
    with browsing(file) as page:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        assert page.locator("details:not([open])").count() == 0
        assert not page.locator("nav").is_visible()
        assert not page.locator(".theme").is_visible()


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_a_narrow_screen_scrolls_tables_and_not_the_page(file: Path) -> None:
    with browsing(file, viewport={"width": 380, "height": 800}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 380


CONTRAST = """selector => {
  const light = text => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const element = document.querySelector(selector);
  const [a, b] = [light(getComputedStyle(element).color), light(getComputedStyle(document.body).backgroundColor)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""
