"""What differs between two runs, as Markdown that fits a pull request's comment, and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from mgaudit.domain.delta import Cause, Change
from mgaudit.domain.findings import is_red, weight_of
from mgaudit.reports import problems
from mgaudit.reports.json import SCHEMA
from mgaudit.reports.markdown import cell, code
from mgaudit.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mgaudit.domain.delta import Coverage, Delta, Difference, Share
    from mgaudit.domain.runs import RunProblem

MARK: Final = "<!-- mgaudit-delta -->"
"""The first line, by which a lane finds its own comment again."""

_DIGITS: Final = 16  # of a digest
_LARGEST: Final = 60_000  # characters; a comment on GitHub holds 65,536
_ROWS: Final = 2_000  # of a table in HTML
_LIMITS: Final = (100, 30, 10, 3)
_ELSEWHERE: Final = frozenset({Cause.TOOL, Cause.UNKNOWN})
_WORDS: Final = {
    Change.APPEARED: "new",
    Change.VANISHED: "gone",
    Change.MOVED: "moved",
    Change.CHANGED: "changed",
}
_CAUSES: Final = {
    Cause.CODE: "by the code",
    Cause.CATALOGUE: "by a catalogue",
    Cause.CONFIGURATION: "by the configuration or a baseline",
    Cause.TOOL: "by another version of mgaudit",
    Cause.UNKNOWN: "by the code or by what it is judged by: saved runs do not tell",
}


def as_markdown(delta: Delta) -> str:
    """The delta for a reviewer: above the fold what this change did, below it the rest."""
    for limit in _LIMITS:
        text = "\n".join(_Page(delta, limit).lines()).rstrip() + "\n"
        if len(text) <= _LARGEST:
            break
    return text


def as_html(delta: Delta) -> str:
    """The delta as one HTML file that needs nothing else."""
    from mgaudit.reports.templating import page  # noqa: PLC0415  slow to import

    return page(
        "delta.html.j2", delta=delta, new_errors=new_errors(delta), mended=_mended(delta), counted=counted,
        doubts=[(name, errors) for name, errors in _doubted(delta) if errors], words=_WORDS, causes=_CAUSES,
        share=_share, place=lambda item: problems.place(item.path, item.line or 0).removesuffix(": "), rows=_ROWS,
    )  # fmt: skip


def as_json(delta: Delta) -> str:
    """The delta for scripts: ``docs/schema/delta.schema.json``."""
    value = {
        "schema": SCHEMA,
        "trusted": delta.trusted,
        "before": _run(delta, 0),
        "after": _run(delta, 1),
        "changed-inputs": list(delta.changed_inputs),
        "evidence": [asdict(proof) for proof in delta.evidence],
        "findings": [_difference(difference) for difference in delta.findings],
        "sites": None if delta.sites is None else [_difference(difference) for difference in delta.sites],
        "coverage": [
            {
                "gate": c.gate, "zone": c.zone or None,
                **{name: {"mapped": s.mapped, "owed": s.owed, "percent": s.percent and round(s.percent, 2)}
                   for name, s in (("before", c.before), ("after", c.after), ("change", c.own))},
            }
            for c in delta.coverage
        ],
    }  # fmt: skip
    return json.dumps(value, indent=2) + "\n"


def _run(delta: Delta, number: int) -> dict[str, Any]:
    run = (delta.before, delta.after)[number]
    return {
        "name": delta.names[number],
        "trusted": run.trusted,
        "gates": {gate.id: gate.status for gate in run.gates},
        "errors": [asdict(error) for error in run.errors],
    }


def _difference(difference: Difference[Any]) -> dict[str, Any]:
    return {
        "change": str(difference.change),
        "cause": str(difference.cause),
        "zone": difference.zone or None,
        "before": difference.before and asdict(difference.before),
        "after": difference.after and asdict(difference.after),
    }


def new_errors(delta: Delta) -> int:
    """Errors that nobody accepted, and that were not there or weighed less before."""
    return sum(_is_red(d.after) and not _is_red(d.before) for d in delta.findings)


def _mended(delta: Delta) -> int:
    return sum(_is_red(d.before) and not _is_red(d.after) for d in delta.findings)


def _is_red(finding: Any) -> bool:
    return finding is not None and is_red(finding)


def _doubted(delta: Delta) -> tuple[tuple[str, list[RunProblem]], ...]:
    """Why runs cannot be trusted: the one, the other, and what both share."""
    before, after = delta.before.errors, delta.after.errors
    shared = [error for error in after if error in before]
    return (
        (delta.names[0], [error for error in before if error not in shared]),
        (delta.names[1], [error for error in after if error not in shared]),
        ("both runs", shared),
    )


class _Page:
    """A delta as lines of Markdown.

    Args:
        delta: The delta.
        limit: How many differences a list holds.
    """

    def __init__(self, delta: Delta, limit: int) -> None:
        self._delta = delta
        self._limit = limit

    def lines(self) -> Iterator[str]:
        delta = self._delta
        yield from (MARK, "## mgaudit: what this change does to the boundary", "")
        yield f"{self._headline()} ({code(delta.names[0])} → {code(delta.names[1])})"
        yield ""
        yield from self._doubts()
        yield from self._findings(d for d in delta.findings if d.cause not in _ELSEWHERE)
        yield from self._sites([d for d in delta.sites or () if d.cause not in _ELSEWHERE])
        yield from self._coverage()
        yield from self._elsewhere()

    def _headline(self) -> str:
        new, mended, sites = new_errors(self._delta), _mended(self._delta), self._delta.sites
        parts = [f"{'🔴 ' if new else ''}**{counted(new, 'new errors')}**, {mended} mended"]
        if sites is not None:
            counts = Counter(difference.change for difference in sites)
            said = ", ".join(f"{counts[change]} {change}" for change in Change if counts[change])
            parts.append(f"sites: {said}" if said else "no site changed")
        return "; ".join(parts)

    def _doubts(self) -> Iterator[str]:
        """Why a run cannot be trusted; reasons that both share are told once."""
        for name, errors in _doubted(self._delta):
            if errors:
                reasons = counted(len(errors), "reasons")
                yield f"🟣 Not to be trusted, {code(name)}: {reasons}. What is missing here proves nothing."
                yield ""
                yield from (f"- {_placed(error)}{code(error.message)}" for error in errors[:3])
                yield from ([f"- and {len(errors) - 3} more"] if len(errors) > 3 else [])
                yield ""

    # ---- findings

    def _findings(self, differences: Iterable[Difference[Any]]) -> Iterator[str]:
        found = sorted(differences, key=lambda d: (not (_is_red(d.after) and not _is_red(d.before)), d.change))
        if found:
            yield from ("### Findings", "")
        for difference in found[: self._limit]:
            subject = difference.subject
            where = f"{_placed(subject)}{code(subject.gate)} {subject.severity}"
            yield f"- **{_WORDS[difference.change]}** {where}: {code(subject.message)}"
            if difference.change is Change.MOVED:
                yield f"  - before: {_placed(difference.before)}".rstrip()
            if difference.change is Change.CHANGED:
                yield "  - " + " → ".join(weight_of(item) for item in (difference.before, difference.after) if item)
            if difference.cause is not Cause.CODE:
                yield f"  - {_CAUSES[difference.cause]}"
            if difference.change is Change.APPEARED and subject.help:
                yield f"  - help: {code(subject.help)}"
        yield from self._rest(len(found), "findings")

    # ---- sites

    def _sites(self, found: Sequence[Difference[Any]]) -> Iterator[str]:
        if not found:
            return
        yield from ("### Sites", "")
        yield from ("| gate | zone | accessor | new | gone | moved | changed |", "|---|---|---|---|---|---|---|")
        groups: dict[tuple[str, str, str], Counter[Change]] = {}
        for d in found:
            groups.setdefault((d.subject.gate, d.zone, d.subject.accessor), Counter())[d.change] += 1
        for key, counts in sorted(groups.items())[: self._limit]:
            numbers = (str(counts[change] or "") for change in _WORDS)
            yield f"| {' | '.join((*map(cell, key), *numbers))} |"
        yield ""
        yield from self._rest(len(groups), "rows")
        yield from ("<details><summary>Site by site</summary>", "")
        for d in found[: self._limit]:
            subject = d.subject
            way = f" (before: {_placed(d.before).rstrip()})" if d.change is Change.MOVED else ""
            verdict = f": {_verdict(d)}" if subject.verdict is not None or d.change is Change.CHANGED else ""
            cause = f" ({_CAUSES[d.cause]})" if d.cause is not Cause.CODE else ""
            what = f"{_placed(subject)}{subject.kind} {code(subject.entity)}"
            yield f"- **{_WORDS[d.change]}** {what}{verdict}{way}{cause}"
        yield from self._rest(len(found), "sites")
        yield from ("", "</details>", "")

    # ---- the rest

    def _coverage(self) -> Iterator[str]:
        rows = [c for c in self._delta.coverage if c.own.owed or c.before != c.after] if self._delta.sites else []
        if rows:
            yield from ("### Coverage", "", "Mapped sites of those that owe a row:", "")
            yield from ("| gate | zone | before | after | of this change |", "|---|---|---|---|---|")
            yield from (_coverage_row(row) for row in rows[: self._limit])
            yield ""

    def _elsewhere(self) -> Iterator[str]:
        findings = [d for d in self._delta.findings if d.cause in _ELSEWHERE]
        sites = [d for d in self._delta.sites or () if d.cause in _ELSEWHERE]
        if findings or sites:
            causes = {d.cause for d in findings} | {d.cause for d in sites}
            said = "; ".join(_CAUSES[cause] for cause in sorted(causes))
            number = counted(len(findings) + len(sites), "further differences")
            yield from (f"<details><summary>{number}, {said}</summary>", "")
            yield from self._findings(findings)
            yield from self._sites(sites)
            yield from ("</details>", "")
        if self._delta.changed_inputs:
            yield f"Changed beside the code: {', '.join(map(code, self._delta.changed_inputs))}."
            yield ""
        yield from self._evidence()

    def _evidence(self) -> Iterator[str]:
        """What the runs rest on and differs, digests cut short."""
        found = self._delta.evidence
        if found:
            yield from (f"<details><summary>{counted(len(found), 'parts')} of the evidence differ</summary>", "")
            yield from ("| part | name | before | after |", "|---|---|---|---|")
            for proof in found[: self._limit]:
                values = ("none" if value is None else str(value)[:_DIGITS] for value in (proof.before, proof.after))
                yield f"| {' | '.join(map(cell, (proof.part, proof.name, *values)))} |"
            yield from self._rest(len(found), "parts")
            yield from ("", "</details>")

    def _rest(self, number: int, what: str) -> Iterator[str]:
        if number > self._limit:
            yield f"- and {number - self._limit} more of {counted(number, what)}"
        if number and what == "findings":
            yield ""


def _coverage_row(row: Coverage) -> str:
    zone = cell(row.zone) if row.zone else "all"
    return f"| {cell(row.gate)} | {zone} | {_share(row.before)} | {_share(row.after)} | {_share(row.own)} |"


def _share(share: Share) -> str:
    return "none owed" if share.percent is None else f"{share.percent:.1f} % ({share.mapped} of {share.owed})"


def _verdict(difference: Difference[Any]) -> str:
    verdicts = [code(item.verdict or "nothing owed") for item in (difference.before, difference.after) if item]
    return " → ".join(dict.fromkeys(verdicts)) if difference.change is Change.CHANGED else verdicts[-1]


def _placed(item: Any) -> str:
    place = problems.place(item.path, item.line or 0, getattr(item, "column", 0) or 0).removesuffix(": ")
    return f"{code(place)} " if place else ""
