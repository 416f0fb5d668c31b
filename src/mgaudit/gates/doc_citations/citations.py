# ruff: noqa: RUF001 - punctuation of every language counts
"""Citations in a document: a file and lines of it, and the identifier that stands beside them.

The forms are ``path:12``, ``path:12-20``, ``path:12,15-18``, ``path#L12-L20`` and, after a path, ``:30``. Documents are
Markdown in any language: nothing rests on the words around a citation, only on their length, and on punctuation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_RANGE: Final = r"L?\d+(?:[ ]?[-–—][ ]?L?\d+)?"
# Behind a comma and a blank, a number may be prose: "a.cpp:12, 3 times".
_MORE: Final = rf"(?:[,，、]{_RANGE}|[,，、][ ]{_RANGE}(?![\d.]|[ ]*[^\W\d]))*"
_NAME: Final = r"[A-Za-z0-9_+~@%.-]"
_PATH: Final = rf"(?:\.{{0,2}}/)?(?:{_NAME}+/)*{_NAME}*[A-Za-z0-9_+~@%-]"
_CITATION: Final = re.compile(
    rf"(?<![A-Za-z0-9_/.:])(?={_NAME[:-1]}/]*[A-Za-z])(?P<path>{_PATH})(?:(?::|#(?=L))(?P<lines>{_RANGE}{_MORE})(?![\w]))?"
    rf"|(?<![\w:.)\]>\"'/])(?P<colon>:)(?P<rest>{_RANGE}{_MORE})(?![\w:/.]*\w)"
)
_URL: Final = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s)>\]\"'`]+")
_SPAN: Final = re.compile(r"(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_FENCE: Final = re.compile(r"[ ]{0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_IDENTIFIER: Final = re.compile(r"~?[A-Za-z_]\w*(?:(?:::|\.|->)~?[A-Za-z_]\w*)*(?:<[^<>]*>)?(?:\([^()]*\))?")
_LAST_NAME: Final = re.compile(r"[A-Za-z_]\w*(?=\W*\Z)")
_BETWEEN: Final = re.compile(r"[^\w`]*(?:[^\W\d_]{1,4}[^\w`]+){0,2}[^\W\d_]{0,4}[^\w`]*")
_SENTENCE_END: Final = re.compile(r"[.!?;。！？；|](?:\s|\Z)|[。！？；|]|\n[ \t]*(?:\n|[-*+][ ]|\d+[.)][ ])")
_AFTER: Final = re.compile(r"[`\s]*[(（:：,，—–=-]?\s*\Z")


@dataclass(frozen=True, slots=True)
class Lines:
    """One cited line or range; ``start`` and ``end`` are the offsets of its text in the document."""

    first: int
    last: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation.

    Attributes:
        path: The file as written, or as written last before a bare ``:line``.
        lines: The cited lines.
        identifier: What the text names beside it, without qualifiers; empty where it names nothing.
        line: 1-based line of the document.
        column: 1-based, in characters.
        text: As written.
    """

    path: str
    lines: tuple[Lines, ...]
    identifier: str
    line: int
    column: int
    text: str


def citations(text: str, *, code_blocks: bool = True) -> Iterator[Citation]:
    """The citations of a document, in order.

    Args:
        text: The document.
        code_blocks: Whether fenced blocks are looked at.
    """
    masked = _URL.sub(_blank, text if code_blocks else _without_blocks(text))
    spans = [match for match in _SPAN.finditer(masked) if "\n\n" not in match[0]]
    found = [m for m in _CITATION.finditer(masked) if m["lines"] or m["rest"] or _is_path(m["path"])]
    current = ""
    after_heading = 0
    for index, match in enumerate(found):
        if heading := _last_heading(masked, after_heading, match.start()):
            current, after_heading = "", heading
        if match["path"]:
            current = match["path"] if _is_path(match["path"]) or match["lines"] else current
        if match["rest"] and not (current and _continues(masked, spans, found[index - 1] if index else None, match)):
            continue
        lines = tuple(_lines(match, "rest" if match["rest"] else "lines"))
        if lines and current:
            before = found[index - 1].end() if index else 0
            after = found[index + 1].start() if index + 1 < len(found) else len(masked)
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
            yield Citation(
                current, lines, _identifier(masked, spans, match, before, after), line, column, match[0].strip()
            )


def _is_path(text: str | None) -> bool:
    """Whether a word names a file by itself: it has a suffix that is no number."""
    return bool(text and re.search(r"\.[A-Za-z][A-Za-z0-9_+-]*\Z", text))


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _without_blocks(text: str) -> str:
    """The text with its fenced blocks blanked, offsets kept."""
    out: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        match = _FENCE.match(line)
        closing = match is not None and match["fence"].startswith(fence) and not match["info"].strip()
        inside = bool(fence)
        if match is not None and not fence:
            fence = match["fence"]
        elif fence and closing:
            fence = ""
        out.append(re.sub(r"[^\r\n]", " ", line) if inside or fence else line)
    return "".join(out)


def _last_heading(text: str, start: int, end: int) -> int:
    """Where the last heading between two offsets begins, or 0."""
    at = max(text.rfind("\n#", start, end), 0)
    return at + 1 if at and re.match(r"#{1,6} ", text[at + 1 : at + 8]) else 0


def _continues(text: str, spans: list[re.Match[str]], previous: re.Match[str] | None, match: re.Match[str]) -> bool:
    """Whether ``:12`` continues a path: as code, or directly behind another citation."""
    if any(span.start("code") == match.start() for span in spans):
        return True
    gap = text[previous.end() : match.start()] if previous else "x"
    return re.fullmatch(r"[`\s,，、/&+()（）]*(?:[^\W\d_]{1,3}\s)?", gap) is not None


def _lines(match: re.Match[str], group: str) -> Iterator[Lines]:
    if match[group] is None:
        return
    base = match.start(group)
    for item in re.finditer(_RANGE, match[group]):
        numbers = [int(number) for number in re.findall(r"\d+", item[0])]
        yield Lines(numbers[0], numbers[-1], base + item.start(), base + item.end())


def _identifier(text: str, spans: list[re.Match[str]], cited: re.Match[str], before: int, after: int) -> str:
    """The identifier beside a citation: code close before it, or in code or parentheses right behind it."""
    start, end = cited.start(), cited.end()
    own = next((span for span in spans if span.start() <= start and end <= span.end()), None)
    left, right = (own.start(), own.end()) if own else (start, end)
    for span in reversed([s for s in spans if before <= s.start() and s.end() <= left]):
        gap = text[span.end() : left]
        if _BETWEEN.fullmatch(gap) and not _SENTENCE_END.search(gap) and (name := _last_name(span["code"])):
            return name
        break
    following = next((s for s in spans if right <= s.start() and s.end() <= after), None)
    if following and _AFTER.fullmatch(text[right : following.start()]):
        return _last_name(following["code"])
    return ""


def _last_name(code: str) -> str:
    """The name that code stands for, or nothing where it is no name."""
    match = _IDENTIFIER.fullmatch(code.strip())
    if match is None or ("/" in code and re.search(r"\.\w+\Z", code)):
        return ""
    plain = re.sub(r"(?:<[^<>]*>)?(?:\([^()]*\))?\Z", "", match[0])
    last = _LAST_NAME.search(plain)
    return last[0] if last and len(last[0]) > 1 else ""
