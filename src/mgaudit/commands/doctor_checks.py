"""What ``mgaudit doctor`` looks at. Each check yields what it found, good or bad."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.reports.words import counted
from mgaudit.sources import clang_binding, indexer
from mgaudit.sources.toolchain import HeaderRequest, Toolchain, discover

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mgaudit.config.model import Settings
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.facts.query import Diagnostic, Unit
    from mgaudit.sources.arguments import Dropped

_MISSING: Final = re.compile(r"'([^'\n]+)' file not found")
_LISTED: Final = 20


class Level(StrEnum):
    """How a check came out."""

    OK = "ok"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Check:
    """One result: a line, and details that are listed below it."""

    level: Level
    text: str
    details: tuple[str, ...] = ()


@dataclass(slots=True)
class Section:
    """Checks under a title."""

    title: str
    checks: list[Check] = field(default_factory=list)


def toolchain() -> tuple[Section, Toolchain | None]:
    """The parsers and what they bring along."""
    section = Section("toolchain")
    try:
        found = discover()
        versions = found.versions
    except UntrustedError as error:
        section.checks += [_bad(problem) for problem in error.problems]
        return section, None
    origin = "bundled" if found.bundled else "chosen by MGAUDIT_LIBCLANG"
    section.checks += [
        Check(Level.OK, f"libclang {versions.libclang}, {origin}: {found.library}"),
        _folder("the compiler's built-in headers", found.resource / "include"),
        _folder("headers of the C++ standard library", found.libcxx),
        Check(Level.OK, f"C++ grammar of the syntax scanner: {versions.tree_sitter_cpp}"),
        _binding(),
        _extraction(),
    ]
    return section, found


def _binding() -> Check:
    if clang_binding.is_native():
        return Check(Level.OK, "libclang is called from C")
    advice = (
        f"unset {clang_binding.SWITCH}"
        if clang_binding.is_built()
        else "reinstall mgaudit where there is a C compiler and Python's headers (Debian: gcc python3-dev)"
    )
    return Check(Level.NOTE, "libclang is called through ctypes: the same facts, more slowly", (advice,))


def _extraction() -> Check:
    if is_compiled():
        return Check(Level.OK, "the extraction is compiled")
    advice = "install a wheel, which is not editable, or mgaudit where there is a C compiler and Python's headers"
    return Check(Level.NOTE, "the extraction is interpreted: the same facts, more slowly", (advice,))


def is_compiled() -> bool:
    """Whether the walks over syntax trees run as machine code."""
    return Path(indexer.__file__).suffix != ".py"


def _folder(what: str, path: Path | None) -> Check:
    if path is not None and path.is_dir():
        return Check(Level.OK, f"{what}: {path}")
    return Check(Level.BAD, f"{what} are not there" + (f": {path}" if path else ""), ("reinstall mgaudit",))


def libraries(found: Toolchain, settings: Settings | None) -> Iterator[Check]:
    """The C library's headers, for this machine and for the targets that configurations name."""
    requests = {
        (spec.target or None, spec.sysroot or None) for spec in (settings.configurations if settings else ())
    } or {(None, None)}
    for target, sysroot in sorted(requests, key=str):
        advice = found.headers(HeaderRequest(target=target, sysroot=sysroot)).advice
        yield from (Check(Level.NOTE, item.message, (item.help,) if item.help else ()) for item in advice)
        if not advice:
            yield Check(Level.OK, f"headers of the C library for {target or 'this machine'}")


def cache(folder: Path) -> Check:
    """Whether facts can be kept."""
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        return Check(Level.OK, f"cache: {folder}")
    return Check(
        Level.NOTE, f"the cache cannot be written: {folder}", ("every run parses anew; choose another --cache-dir",)
    )


def baselines(settings: Settings) -> Iterator[Check]:
    """What keeps gates from reading the baselines that they name."""
    from mgaudit.engine import baselines as engine  # noqa: PLC0415  slow to import

    _, faults = engine.read(settings, settings.gates)
    yield from (_bad(problem) for problems in faults.values() for problem in problems)


def tree(analysis: Analysis) -> Section:
    """What the configuration selects."""
    settings, files = analysis.settings, analysis.files
    section = Section(f"tree {settings.tree.name}: {settings.root}")
    section.checks.append(
        Check(Level.OK, f"{counted(len(files.sources), 'sources')}, {counted(len(files.headers), 'headers')}")
    )
    for name in sorted(files.zones):
        number = len(files.in_zone(name))
        audited = "" if name in analysis.audited else ", named by no gate"
        level = Level.OK if number or files.zones[name].namespaces else Level.NOTE
        section.checks.append(Check(level, f"zone {name}: {counted(number, 'files')}{audited}"))
    section.checks += [Check(Level.NOTE, str(problem)) for problem in analysis.warnings]
    section.checks += [_bad(problem) for problem in analysis.problems]
    orphans = sorted(set(files.files) - _seen(analysis))
    if orphans:
        zoned = {path for path in orphans if set(files.zones_of(path)) & analysis.audited}
        details = _some([path + (" (in an audited zone)" if path in zoned else "") for path in orphans])
        section.checks.append(Check(Level.NOTE, f"{counted(len(orphans), 'files')} in no unit's closure", details))
    return section


def _seen(analysis: Analysis) -> set[str]:
    """Every file that a translation unit enters."""
    facts = analysis.facts
    seen: set[str] = set()
    for unit in facts.units:
        if unit.name.kind == "source":
            seen.add(unit.name.path)
            seen.update(target for number in facts.edges_of(unit) if (target := facts.edges[number].target))
    return seen


def configuration(analysis: Analysis, name: str) -> Section:
    """How one configuration parses."""
    section = Section(f"configuration {name}")
    number = analysis.facts.configurations.index(name)
    errors: dict[int, list[Diagnostic]] = {}
    for diagnostic in analysis.facts.diagnostics():
        errors.setdefault(diagnostic.unit, []).append(diagnostic)
    units = [unit for unit in analysis.facts.units if unit.configuration == number]
    required = all(spec.required for spec in analysis.settings.configurations if spec.name == name)
    section.checks += _units([u for u in units if u.name.kind == "source"], errors, required=required)
    section.checks += _headers([u for u in units if u.name.kind == "header"], errors)
    section.checks += _flags(analysis, name)
    section.checks += _folders(analysis, name)
    return section


def _units(units: list[Unit], errors: dict[int, list[Diagnostic]], *, required: bool) -> Iterator[Check]:
    failing = [unit for unit in units if unit.id in errors]
    good = len(units) - len(failing)
    level = Level.OK if units and not failing else Level.BAD if required else Level.NOTE
    details = [f"{unit.name.path}: {_first(errors[unit.id])}" for unit in failing]
    yield Check(level, f"{good} of {counted(len(units), 'units')} parse without errors", tuple(details))
    missing = Counter(header for unit in failing for header in _missing(errors[unit.id]))
    if missing:
        details = [f"{header}: {counted(number, 'units')}" for header, number in sorted(missing.items())]
        advice = "name their folders in `include-dirs`, install what they belong to, or write `stub-headers`"
        yield Check(Level.NOTE, "missing headers", (*details, advice))


def _headers(units: list[Unit], errors: dict[int, list[Diagnostic]]) -> Iterator[Check]:
    if not units:
        return
    failing = [unit for unit in units if unit.id in errors]
    details = _some([f"{unit.name.path}: {_first(errors[unit.id])}" for unit in failing])
    level = Level.NOTE if failing else Level.OK
    good = len(units) - len(failing)
    yield Check(level, f"{good} of {counted(len(units), 'headers')} taken alone parse without errors", details)


def _first(errors: list[Diagnostic]) -> str:
    """The error that explains the others: a missing header, if any."""
    worst = next((item for item in errors if _MISSING.search(item.message)), errors[0])
    where = f"{worst.path}:{worst.line}: " if worst.path else ""
    more = f" (and {counted(len(errors) - 1, 'more errors')})" if len(errors) > 1 else ""
    return f"{where}{worst.message}{more}"


def _missing(errors: list[Diagnostic]) -> set[str]:
    return {match[1] for item in errors if (match := _MISSING.search(item.message))}


def _flags(analysis: Analysis, name: str) -> Iterator[Check]:
    plan = analysis.plan.of(name)
    yield from (_bad(problem) for problem in plan.problems)
    if plan.dropped:
        details = list(_dropped(plan.dropped))
        yield Check(Level.NOTE, f"{counted(len(details), 'flags')} of compile commands are left out", _some(details))
    if plan.unlisted:
        text = f"{counted(len(plan.unlisted), 'sources')} that the compile database lacks; parsed with the own flags"
        yield Check(Level.NOTE, text, _some(plan.unlisted))
    if plan.outside:
        text = f"{counted(len(plan.outside), 'files')} of the compile database outside of the audit"
        yield Check(Level.NOTE, text, _some(plan.outside))


def _folders(analysis: Analysis, name: str) -> Iterator[Check]:
    """Include folders that are not there: a typo, or nothing has generated them yet."""
    root = analysis.settings.root
    (spec,) = (spec for spec in analysis.settings.configurations if spec.name == name)
    keys = {"include-dirs": spec.include_dirs, "system-include-dirs": spec.system_include_dirs}
    absent = [f"{path} ({key})" for key, paths in keys.items() for path in paths if not (root / path).is_dir()]
    if absent:
        yield Check(Level.NOTE, f"absent include folders: {len(absent)}", _some(absent))


def _dropped(dropped: Iterable[tuple[Dropped, int]]) -> Iterator[str]:
    """The flags that are left out; one whose value differs from file to file is one flag."""
    alike: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for item, number in dropped:
        alike[item.text.partition(" ")[0], item.reason].append((item.text, number))
    for (option, reason), found in alike.items():
        text = found[0][0] if len(found) == 1 else f"{option} ..."
        yield f"{text}: {reason} ({counted(sum(number for _, number in found), 'commands')})"


def _some(items: Iterable[str]) -> tuple[str, ...]:
    """The first items, and how many more there are."""
    listed = list(items)
    rest = len(listed) - _LISTED
    return (*listed[:_LISTED], f"... and {rest} more") if rest > 0 else tuple(listed)


def problems(title: str, found: Iterable[Problem]) -> Section:
    """A section that holds nothing but problems."""
    return Section(title, [_bad(problem) for problem in found])


def _bad(problem: Problem) -> Check:
    place = f"{problem.path}:{problem.line}: " if problem.path and problem.line else ""
    place = place or (f"{problem.path}: " if problem.path else "")
    return Check(Level.BAD, f"{place}{problem.message}", (problem.help,) if problem.help else ())
