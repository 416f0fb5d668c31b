"""The certificate of a tree, as text or JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mgaudit.domain.certificate import Standing
from mgaudit.reports.escape import visible
from mgaudit.reports.tally import VOUCHING, sized, vouched
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mgaudit.analysis.certificate import FileCertificate, Stretch, Unread
    from mgaudit.facts.query import Facts

_SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class _Range:
    """A range of one file as one configuration has it; lines are 1-based."""

    start: int
    end: int
    first: int
    last: int
    by: Standing
    reason: str


def as_text(facts: Facts, files: Sequence[FileCertificate], absent: Sequence[Unread] = ()) -> str:
    """For people: what is not vouched for by both, by file and reason; then the sums."""
    lines: list[str] = []
    whole = 0
    for file in files:
        views = list(_views(facts, file))
        if all(item.by is Standing.BOTH for _, ranges in views for item in ranges):
            whole += 1
            continue
        lines.append(f"{visible(file.path)}: {sized(file.size)}")
        for names, ranges in views:
            lines.append(f"  {', '.join(map(visible, names))}: {vouched(_sums(ranges))}")
            lines += _reasons(ranges)
    if absent:
        lines.append(f"{counted(len(absent), 'headers')} that nobody has read: what they hold is seen by no parser")
        lines += [f"  {visible(item.spelling)}: {_absence(item)}" for item in absent]
    if lines:
        lines.append("")
    size = sum(file.size for file in files)
    lines.append(f"{sized(size)} in {counted(len(files), 'files')}, {whole} of them vouched for whole by both")
    for number, name in enumerate(facts.configurations):
        lines.append(f"configuration {visible(name)}: {vouched(_total(files, 1 << number))}")
    if len(facts.configurations) > 1:
        lines.append(f"in any configuration: {vouched(_total(files, (1 << len(facts.configurations)) - 1))}")
    return "\n".join(lines) + "\n"


def as_json(facts: Facts, files: Sequence[FileCertificate], absent: Sequence[Unread] = ()) -> str:
    """For scripts: every byte of every file in exactly one range a configuration."""
    value = {
        "schema": 1,
        "census": "certificate",
        "examined": {"files": len(files), "bytes": sum(file.size for file in files)},
        "configurations": [
            {"name": name, "bytes": _total(files, 1 << number)} for number, name in enumerate(facts.configurations)
        ],
        "files": [_file(facts, file) for file in files],
        "unread-headers": [
            {
                "spelling": item.spelling,
                "stands-in": item.stands_in,
                "configurations": list(item.configurations),
            }
            for item in absent
        ],
    }
    return json.dumps(value, indent=2) + "\n"


def _absence(item: Unread) -> str:
    how = "a stand-in is read in its place" if item.stands_in else "it was not found"
    return f"{how} ({', '.join(map(visible, item.configurations))})"


def _file(facts: Facts, file: FileCertificate) -> dict[str, Any]:
    return {
        "path": file.path,
        "size": file.size,
        "views": [
            {
                "configurations": names,
                "bytes": _sums(ranges),
                "ranges": [
                    {
                        "start": item.start, "end": item.end, "first-line": item.first, "last-line": item.last,
                        "by": str(item.by), "reason": item.reason or None,
                    }
                    for item in ranges
                ],
            }
            for names, ranges in _views(facts, file)
        ],
    }  # fmt: skip


def _views(facts: Facts, file: FileCertificate) -> Iterator[tuple[list[str], list[_Range]]]:
    """The file as each configuration has it; configurations that have it alike share a view."""
    found: dict[tuple[_Range, ...], list[str]] = defaultdict(list)
    for number, name in enumerate(facts.configurations):
        found[tuple(_ranges(facts, file, 1 << number))].append(name)
    for ranges, names in found.items():
        yield names, list(ranges)


def _ranges(facts: Facts, file: FileCertificate, configuration: int) -> Iterator[_Range]:
    """The file's stretches, those joined that do not differ in one configuration."""
    scan = facts.scans[file.path]
    joined: list[list[Stretch]] = []
    for stretch in file.stretches:
        said = (stretch.standing(configuration), stretch.reason(configuration))
        before = joined[-1][0] if joined else None
        if before is not None and (before.standing(configuration), before.reason(configuration)) == said:
            joined[-1].append(stretch)
        else:
            joined.append([stretch])
    for group in joined:
        start, end = group[0].start, group[-1].end
        yield _Range(
            start, end, scan.location(start)[0], scan.location(end - 1)[0], group[0].standing(configuration),
            group[0].reason(configuration),
        )  # fmt: skip


def _reasons(ranges: Sequence[_Range]) -> Iterator[str]:
    """One line for each reason why not both vouch, the largest first."""
    groups: dict[tuple[Standing, str], list[_Range]] = defaultdict(list)
    for item in ranges:
        if item.by is not Standing.BOTH:
            groups[item.by, item.reason].append(item)
    sizes = {key: sum(item.end - item.start for item in group) for key, group in groups.items()}
    for key in sorted(groups, key=lambda key: (-sizes[key], key)):
        places = [f"{item.first}-{item.last}" if item.first < item.last else f"{item.first}" for item in groups[key]]
        more = f" and {len(places) - _SHOWN} more ranges" if len(places) > _SHOWN else ""
        word = "line" if places == [str(groups[key][0].first)] else "lines"
        where = f"{word} {', '.join(places[:_SHOWN])}{more}"
        yield f"    {sized(sizes[key])} by {VOUCHING[key[0]]}, {where}: {visible(key[1])}"


def _sums(ranges: Iterable[_Range]) -> dict[Standing, int]:
    counts = dict.fromkeys(Standing, 0)
    for item in ranges:
        counts[item.by] += item.end - item.start
    return counts


def _total(files: Iterable[FileCertificate], configurations: int) -> dict[Standing, int]:
    counts = dict.fromkeys(Standing, 0)
    for file in files:
        for by, number in file.bytes_by(configurations).items():
            counts[by] += number
    return counts
