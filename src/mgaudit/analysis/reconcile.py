"""What a regular expression counts, beside the sites that the front end proves, and why they differ.

A reason is found, never assumed: on the expression's side by what stands at the place (a comment, an arm that nothing
takes, an entity of another class), on the front end's by what in the spelling keeps the expression from matching: the
text with that changed must match. What has no reason stays unexplained.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.activity import Activity
from mgaudit.domain.names import selects
from mgaudit.domain.zones import matches_any
from mgaudit.sources import lexer
from mgaudit.sources.scan_facts import TokenFlag

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from mgaudit.config.model import LegacySpec
    from mgaudit.domain.census import SurfaceSite
    from mgaudit.facts.query import Facts

COUNTED: Final = "both"
EXPRESSION: Final = "expression"
FRONT_END: Final = "front end"


@dataclass(frozen=True, slots=True, order=True)
class Occurrence:
    """One occurrence on either side, or both.

    Attributes:
        path: The file.
        line: 1-based.
        column: 1-based, in bytes.
        name: What is counted.
        side: `COUNTED`, `EXPRESSION` or `FRONT_END`.
        reason: Why the other side does not count it; empty where that is unexplained, or nothing is to explain.
    """

    path: str
    line: int
    column: int
    name: str
    side: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """One regular expression against the sites.

    Attributes:
        name: As configured.
        files: How many files the expression was held against.
        occurrences: Everything that either side counts, by place.
    """

    name: str
    files: int
    occurrences: tuple[Occurrence, ...]

    def count(self, *sides: str) -> int:
        """How many occurrences some sides count."""
        return sum(item.side in sides for item in self.occurrences)

    @property
    def unexplained(self) -> tuple[Occurrence, ...]:
        """The differences without a reason."""
        return tuple(item for item in self.occurrences if item.side != COUNTED and not item.reason)

    def reasons(self) -> Counter[tuple[str, str]]:
        """How many differences have each reason, by side."""
        return Counter((item.side, item.reason) for item in self.occurrences if item.side != COUNTED)


def reconcile(
    facts: Facts, spec: LegacySpec, sites: Iterable[SurfaceSite], paths: Iterable[str],
    content: Callable[[str], bytes | None],
) -> Reconciliation:  # fmt: skip
    """Hold an expression against files and explain how its count differs from the sites'.

    Args:
        facts: The facts of the configurations that count.
        spec: The expression.
        sites: The sites of the gates that it names.
        paths: Every file of the tree.
        content: The bytes of a file.
    """
    return _Reconciler(facts, spec, sites, [p for p in paths if matches_any(p, spec.files)], content).run()


class _Reconciler:
    def __init__(
        self, facts: Facts, spec: LegacySpec, sites: Iterable[SurfaceSite], files: list[str],
        content: Callable[[str], bytes | None],
    ) -> None:  # fmt: skip
        self._facts = facts
        self._spec = spec
        self._pattern = re.compile(spec.pattern)
        self._files = frozenset(path for path in files if path in facts.scans)
        self._content = content
        self._texts: dict[str, str] = {}
        self._sites: dict[tuple[str, int], SurfaceSite] = {}
        for site in sites:
            if not spec.classes or any(selects(name, site.owner) for name in spec.classes):
                self._sites[site.path, self._facts.scans[site.path].offset_of(site.line, site.column)] = site

    @cached_property
    def _names(self) -> Collection[str]:
        return frozenset(self._spec.names or (_last(site.entity) for site in self._sites.values()))

    def run(self) -> Reconciliation:
        found: list[Occurrence] = []
        matched: set[tuple[str, int]] = set()
        for path in sorted(self._files):
            for offset, name in self._matches(path):
                matched.add((path, offset))
                is_site = (path, offset) in self._sites
                reason = "" if is_site else self._why_no_site(path, offset, name)
                found.append(self._occurrence(path, offset, name, COUNTED if is_site else EXPRESSION, reason))
        for (path, offset), site in self._sites.items():
            if (path, offset) not in matched:
                reason = self._why_no_match(path, offset, site)
                found.append(self._occurrence(path, offset, _last(site.entity), FRONT_END, reason))
        return Reconciliation(self._spec.name, len(self._files), tuple(sorted(found)))

    def _occurrence(self, path: str, offset: int, name: str, side: str, reason: str) -> Occurrence:
        return Occurrence(path, *self._facts.scans[path].location(offset), name, side, reason)

    def _text(self, path: str) -> str:
        """The bytes as characters, so that places are byte offsets."""
        if path not in self._texts:
            self._texts[path] = (self._content(path) or b"").decode("latin-1")
        return self._texts[path]

    def _matches(self, path: str) -> Iterator[tuple[int, str]]:
        for match in self._pattern.finditer(self._text(path)):
            if match["name"] in self._names:
                yield match.start("name"), match["name"]

    # ---- the expression matches, and there is no site

    def _why_no_site(self, path: str, offset: int, name: str) -> str:
        scan = self._facts.scans[path]
        written = self._lexed(path, offset)
        if written:
            return written
        flags = next((flags for at, flags in scan.occurrences(name) if at == offset), None)
        if flags is None:
            return ""
        if flags & TokenFlag.IN_MACRO_BODY:
            return "in the body of a macro: it counts where that is expanded"
        meant = self._meant(path).get(offset)
        if meant:
            return f"it means {meant}, which is not counted here"
        if not self._activity(path).is_active(path, offset):
            return "in an arm that no configuration takes"
        return ""

    def _lexed(self, path: str, offset: int) -> str:
        """Whether a place lies in a comment or in a literal."""
        data = self._text(path).encode("latin-1")
        tokens = lexer.tokenize(data)
        low, high = 0, len(tokens.starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if tokens.starts[middle] <= offset else (low, middle)
        return _LEXED.get(tokens.shape[low], "")

    def _meant(self, path: str) -> Mapping[int, str]:
        return self._references.setdefault(path, self._entities(path))

    @cached_property
    def _references(self) -> dict[str, Mapping[int, str]]:
        return {}

    def _entities(self, path: str) -> Mapping[int, str]:
        found: dict[int, str] = {}
        for declared in self._facts.declarations_in([path]):
            found[declared.offset] = self._facts.symbol(declared.symbol).qualified
        for used in self._facts.references_in([path]):
            found[used.offset] = self._facts.symbol(used.symbol).qualified
        return found

    def _activity(self, path: str) -> Activity:
        if path not in self._activities:
            self._activities[path] = Activity(self._facts, [path])
        return self._activities[path]

    @cached_property
    def _activities(self) -> dict[str, Activity]:
        return {}

    # ---- there is a site, and the expression does not match

    def _why_no_match(self, path: str, offset: int, site: SurfaceSite) -> str:
        name = _last(site.entity)
        if path not in self._files:
            return "in a file that the expression is not held against"
        if site.kind in _NO_ACCESS:
            return _NO_ACCESS[site.kind]
        if name not in self._names:
            return "the expression does not know the name"
        if "macro" in site.via:
            return "a macro's body writes it"
        if self._facts.scans[path].name_at(offset) != name:
            return "no token names it: an operator, a conversion, a copy, a loop"
        return self._spelled(path, offset, name) or next((_WAYS[way] for way in site.via if way in _WAYS), "")

    def _spelled(self, path: str, offset: int, name: str) -> str:
        """What has to change in the spelling for the expression to match."""
        text = self._text(path)
        before, after = text[max(0, offset - _NEAR) : offset], text[offset + len(name) : offset + len(name) + _NEAR]
        for count in range(1, len(_CHANGES) + 1):
            for changes in combinations(_CHANGES, count):
                head, tail = before, after
                for _, change in changes:
                    head, tail = change(head, tail)
                if any(
                    m.start("name") == len(head) and m["name"] == name
                    for m in self._pattern.finditer(head + name + tail)
                ):
                    return " and ".join(reason for reason, _ in changes)
        return ""


def _last(entity: str) -> str:
    return entity.rsplit("::", 1)[-1]


def _joined(head: str, tail: str) -> tuple[str, str]:
    return re.sub(r"\s+\Z", "", head), re.sub(r"\A\s+", "", tail)


def _with_arrow(head: str, tail: str) -> tuple[str, str]:
    return re.sub(r"\.(\s*)\Z", r"->\1", head), tail


def _as_member(head: str, tail: str) -> tuple[str, str]:
    return re.sub(r"(?:[A-Za-z_]\w*\s*::\s*)*\Z", "x->", head) if not head.rstrip().endswith(
        ("->", ".")
    ) else head, tail


def _called(head: str, tail: str) -> tuple[str, str]:
    return head, f"(){tail}" if not tail.lstrip().startswith("(") else tail


_NEAR: Final = 160
_CHANGES: Final = (
    ("white space stands around the name", _joined),
    ("`.` stands in the place of `->`", _with_arrow),
    ("no object is named", _as_member),
    ("it is not called", _called),
)
_LEXED: Final = {
    lexer.COMMENT: "in a comment",
    lexer.STRING: "in a string literal",
    lexer.CHARACTER: "in a character literal",
    lexer.HEADER_NAME: "in the name of a header",
}
_NO_ACCESS: Final = {
    "signature": "a type in a declaration, no access",
    "construct": "an object is made, no access",
}
_WAYS: Final = {
    "alias": "on an alias: a parameter, a local or another variable",
    "helper": "on what a helper returns",
    "lambda": "in a lambda, on what it captures",
    "arrow": "through an overloaded arrow",
}


def totals(found: Reconciliation) -> list[tuple[str, str, int]]:
    """(side, reason, how many) of the differences, largest first; those without a reason last."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for (side, reason), count in found.reasons().items():
        generic = re.sub(r"it means .*, which", "it means something else, which", reason)
        counts[side, generic] += count
    return sorted(
        ((side, reason, count) for (side, reason), count in counts.items()),
        key=lambda row: (row[0], not row[1], -row[2], row[1]),
    )
