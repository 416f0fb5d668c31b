"""What binaries need and must not, and what they must export and do not."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mgaudit.domain.names import selects
from mgaudit.domain.problems import Problem
from mgaudit.gates.binaries import mention, symbol_finding
from mgaudit.gates.context import Verdict
from mgaudit.sources.binaries_model import Binary, Bind, ObjectFile, Symbol, Table
from mgaudit.sources.binaries_names import OwnNamePattern, UnreadableNameError, demangle, own_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mgaudit.domain.findings import Finding

KIND = "symbol-purity"


@dataclass(frozen=True, slots=True)
class Needed:
    """A symbol that a binary leaves undefined, and the objects that refer to it."""

    name: str
    users: tuple[ObjectFile, ...]
    weak: bool


def check_binaries(
    binaries: Sequence[Binary], *, gate: str, forbid: Iterable[str] = (), require_exports: Iterable[str] = ()
) -> Verdict:
    """Judge what binaries leave undefined and what they export.

    It has problems where there is nothing to judge, a pattern is invalid, or a symbol's name cannot be read.

    Args:
        binaries: Parsed binaries.
        gate: The gate's id.
        forbid: Patterns on the own qualified names of undefined symbols: substrings, or expressions after ``re:``.
        require_exports: Symbols that the dynamic table of every linked binary must show: a mangled, a demangled or a
            qualified name, or an expression after ``re:`` on the own qualified name.
    """
    problems = list(_selection_problems(binaries))
    patterns = _patterns(forbid, problems)
    exports = tuple(dict.fromkeys(require_exports))
    _patterns((text for text in exports if text.startswith("re:")), problems)
    linked = [binary for binary in binaries if any(_is_linked(found) for found in binary.objects)]
    if exports and binaries and not linked:
        message = "exports are required of binaries that are not linked: objects and archives have no dynamic table"
        problems.append(Problem(binaries[0].path, 0, message, "name the shared library"))
    if problems:
        return Verdict(problems=tuple(problems))
    findings: list[Finding] = []
    undefined = 0
    for binary in binaries:
        names = needed_names(binary)
        undefined += len(names)
        for need, pattern in _forbidden(binary, names, patterns, problems):
            findings.append(_forbidden_finding(binary.path, need, pattern, gate))
    findings += [_missing(binary, text, gate) for binary in linked for text in _absent(binary, exports)]
    return Verdict(tuple(findings), {"undefined-symbols": undefined}, tuple(problems))


def _selection_problems(binaries: Sequence[Binary]) -> Iterator[Problem]:
    if not binaries:
        yield Problem(None, 0, "no binary to judge", "build first, or correct the globs")
    for binary in binaries:
        if not binary.objects:
            yield Problem(binary.path, 0, "an archive without members: nothing to judge", "rebuild the archive")


def _patterns(texts: Iterable[str], problems: list[Problem]) -> tuple[OwnNamePattern, ...]:
    patterns = []
    for text in texts:
        try:
            patterns.append(OwnNamePattern.parse(text))
        except ValueError as error:
            problems.append(Problem(None, 0, f"symbol pattern {text!r}: {error}"))
    return tuple(patterns)


def needed_names(binary: Binary) -> tuple[str, ...]:
    """The mangled names of the symbols that a binary leaves undefined, sorted.

    An archive is taken whole, as its members are linked together: what one member leaves undefined and another
    provides is not needed from outside. Versions of one symbol are one symbol.
    """
    undefined: set[str] = set()
    provided: set[str] = set()
    for found in binary.objects:
        for symbol in found.linkage:
            if symbol.is_undefined:
                undefined.add(symbol.name)
            elif symbol.provides:
                provided.add(symbol.name)
    return tuple(sorted(undefined - provided - {""}))


def needed(binary: Binary, names: Iterable[str]) -> Iterator[Needed]:
    """What is known of some of the names that a binary leaves undefined, in their order."""
    users: dict[str, list[ObjectFile]] = {name: [] for name in names}
    strong: set[str] = set()
    for found in binary.objects if users else ():
        for symbol in found.linkage:
            known = users.get(symbol.name)
            if known is None or not symbol.is_undefined:
                continue
            if not known or known[-1] is not found:
                known.append(found)
            if symbol.bind is not Bind.WEAK:
                strong.add(symbol.name)
    return (Needed(name, tuple(items), name not in strong) for name, items in users.items())


def _forbidden(
    binary: Binary, names: Iterable[str], patterns: tuple[OwnNamePattern, ...], problems: list[Problem]
) -> Iterator[tuple[Needed, OwnNamePattern]]:
    """The forbidden ones of a binary's undefined symbols, and the first pattern that each matches."""
    matched: dict[str, OwnNamePattern] = {}
    for name in names:
        try:
            pattern = next((pattern for pattern in patterns if pattern.matches(name)), None)
        except UnreadableNameError:
            message = f"undefined symbol {name} may be forbidden, but its name cannot be read"
            problems.append(Problem(binary.path, 0, message, "it is malformed, or newer than this version's mangling"))
            continue
        if pattern is not None:
            matched[name] = pattern
    return ((need, matched[need.name]) for need in needed(binary, matched))


def _forbidden_finding(path: str, need: Needed, pattern: OwnNamePattern, gate: str) -> Finding:
    weakly = "weak undefined" if need.weak else "undefined"
    return symbol_finding(
        gate, KIND, path, need.name,
        message=f"{weakly} symbol {demangle(need.name)} ({need.name}) matches the forbidden {pattern.text!r}",
        advice="remove the use that causes it, or move the definition to the side that may be linked",
        evidence=(mention("symbol", user, f"{weakly} {need.name}") for user in need.users),
    )  # fmt: skip


def _is_linked(found: ObjectFile) -> bool:
    return bool(found.table(Table.DYNAMIC))


def _absent(binary: Binary, exports: tuple[str, ...]) -> list[str]:
    if not exports:
        return []
    exported = [symbol for found in binary.objects for symbol in found.symbols if symbol.is_exported]
    names = {symbol.name for symbol in exported}
    return [text for text in exports if text not in names and not any(_is_export(text, symbol) for symbol in exported)]


def exporting(binary: Binary, text: str) -> list[Symbol]:
    """The symbols of a binary by which it shows a required export."""
    symbols = (symbol for found in binary.objects for symbol in found.symbols if symbol.is_exported)
    return [symbol for symbol in symbols if symbol.name == text or _is_export(text, symbol)]


def _is_export(text: str, symbol: Symbol) -> bool:
    own = own_name(symbol.name)
    if text.startswith("re:"):
        return re.search(text[3:], own) is not None
    return selects(text, own) or text == demangle(symbol.name)


def _missing(binary: Binary, text: str, gate: str) -> Finding:
    finding = symbol_finding(
        gate, KIND, binary.path, text,
        message=f"required export {text!r} is not in the dynamic table: {_whereabouts(binary, text)}",
        advice="export it: default visibility, and no version script or linker option that hides it",
    )  # fmt: skip
    return replace(finding, identity=(binary.path, "export", text))


def _whereabouts(binary: Binary, text: str) -> str:
    """What became of a symbol that should be exported."""
    symbols = (symbol for item in binary.objects for symbol in item.symbols)
    found = [symbol for symbol in symbols if symbol.name == text or _is_export(text, symbol)]
    if any(symbol.is_undefined for symbol in found):
        return "it is undefined there"
    if found:
        return f"it is defined with {found[0].bind} binding and {found[0].visibility} visibility"
    return "no table of the binary knows it"
