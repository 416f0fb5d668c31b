"""The boundary census as a table for people, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from mgaudit.reports.escape import visible
from mgaudit.reports.json import site_value
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mgaudit.domain.census import Census, SurfaceSite

SCHEMA: Final = 1
_COLUMNS: Final = (
    "path", "line", "column", "symbol", "entity", "accessor", "kind", "via", "role", "verdict", "verbs", "gate",
    "configurations",
)  # fmt: skip
_UNPROVEN: Final = "in no configuration: syntactic, not proven"

GROUPS: Final[Mapping[str, Callable[[SurfaceSite], Sequence[str]]]] = {
    "accessor": lambda site: (site.accessor,),
    "file": lambda site: (site.path,),
    "function": lambda site: (site.symbol or "(outside of functions)",),
    "class": lambda site: (site.owner,),
    "kind": lambda site: (site.kind,),
    "configuration": lambda site: site.configurations or (_UNPROVEN,),
    "verb": lambda site: site.verbs or ("(no verb)",),  # a site counts for each of its verbs
}


def as_json(census: Census) -> str:
    """For scripts: one object a site."""
    value = {
        "schema": SCHEMA,
        "surface": census.name,
        "configurations": list(census.configurations),
        "examined": dict(census.examined),
        "references": census.references,
        "totals": [{"is": what, "kind": why, "references": count} for what, why, count in census.totals],
        "sites": [site_value(site) for site in census.sites],
    }
    return json.dumps(value, indent=2) + "\n"


def as_csv(census: Census, by: str | None) -> str:
    """For spreadsheets: one line a site, or one line a group and kind."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    if by is None:
        writer.writerow(_COLUMNS)
        for s in census.sites:
            writer.writerow(
                [s.path, s.line, s.column, s.symbol or "", s.entity, s.accessor, s.kind, " ".join(s.via), s.role,
                 s.verdict or "", " ".join(s.verbs), s.gate, " ".join(s.configurations)]
            )  # fmt: skip
    else:
        kinds, groups = _grouped(census.sites, by)
        writer.writerow([by, "sites", *kinds])
        for name, counts in groups:
            writer.writerow([name, counts.total(), *(counts[kind] for kind in kinds)])
    return buffer.getvalue()


def as_text(census: Census, by: str | None) -> str:
    """For people: every site on a line, or a table of groups; then what the references were."""
    lines = list(_listed(census) if by is None else _table(census.sites, by))
    if lines:
        lines.append("")
    files = len({site.path for site in census.sites})
    lines.append(f"{counted(len(census.sites), 'sites')} in {counted(files, 'files')}")
    lines += _partly(census)
    if census.totals:
        lines += _totals(census)
    return "\n".join(lines) + "\n"


def _totals(census: Census) -> Iterable[str]:
    """What the sites are out of: references, by what they are; mutators, by how far they are decided, by frequency."""
    if census.name == "mutators":
        totals = sorted(census.totals, key=lambda line: (line[0], -line[2], line[1]))
        what = f"{counted(census.references, 'mutators')} owe a row:"
    else:
        totals = list(census.totals)
        what = f"{counted(census.references, 'references')} lead into the observed zones:"
    width = len(f"{census.references:,}")
    return [
        "", what, *(f"  {count:{width},}  {name}: {why}" for name, why, count in totals),
        f"  {sum(count for _, _, count in totals):{width},}  in all",
    ]  # fmt: skip


def is_partial(site: SurfaceSite, census: Census) -> bool:
    """Whether not every configuration that was judged sees a site."""
    return set(site.configurations) != set(census.configurations)


def _partly(census: Census) -> Iterable[str]:
    """How many sites only some configurations see."""
    counts = Counter(_seen(site) for site in census.sites if is_partial(site, census))
    return (f"  {counts[words]:,} of them {words}" for words in sorted(counts))


def _seen(site: SurfaceSite) -> str:
    return f"only in: {', '.join(map(visible, site.configurations))}" if site.configurations else _UNPROVEN


def _listed(census: Census) -> Iterable[str]:
    for s in census.sites:
        way = f" via {', '.join(s.via)}" if s.via else ""
        verdict = f" -> {visible(s.verdict)}" if s.verdict else ""
        seen = f" [{_seen(s)}]" if is_partial(s, census) else ""
        yield f"{visible(s.path)}:{s.line}:{s.column}: {s.kind} {visible(s.accessor)} ({s.role}{way}){verdict}{seen}"


def _grouped(sites: Iterable[SurfaceSite], by: str) -> tuple[list[str], list[tuple[str, Counter[str]]]]:
    """The kinds that occur, and each group's sites by kind: largest first, equal ones by name."""
    group = GROUPS[by]
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for site in sites:
        for name in group(site):
            found[name][site.kind] += 1
    kinds = sorted({kind for counts in found.values() for kind in counts})
    return kinds, sorted(found.items(), key=lambda item: (-item[1].total(), item[0]))


def _table(sites: Sequence[SurfaceSite], by: str) -> Iterable[str]:
    kinds, groups = _grouped(sites, by)
    header = [by, "sites", *(() if by == "kind" else kinds)]
    rows = [
        [visible(name), f"{counts.total():,}", *(f"{counts[kind]:,}" if counts[kind] else "" for kind in header[2:])]
        for name, counts in groups
    ]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in (header, ["-" * width for width in widths], *rows):
        cells = [f"{row[0]:{widths[0]}}", *(f"{cell:>{w}}" for cell, w in zip(row[1:], widths[1:], strict=True))]
        yield "  ".join(cells).rstrip()
