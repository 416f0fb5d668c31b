"""What the server's objects still need from the frontend's.

The list is (undefined in server - defined in server - defined in shared) ∩ defined in frontend, by mangled name.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.sources.binaries_names import demangle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mgaudit.sources.binaries_model import Binary, ObjectFile

KIND = "link-ratchet"


class Side(enum.StrEnum):
    """Whom an object belongs to."""

    SERVER = "server"
    FRONTEND = "frontend"
    SHARED = "shared"


@dataclass(frozen=True, slots=True)
class Debt:
    """A symbol that the server needs and only the frontend defines.

    Attributes:
        name: The mangled name.
        users: The server's objects that leave it undefined, in their order.
        definers: The frontend's objects that define it, in their order.
    """

    name: str
    users: tuple[ObjectFile, ...]
    definers: tuple[ObjectFile, ...]


@dataclass(frozen=True, slots=True)
class LinkVerdict:
    """What the ratchet counts.

    Attributes:
        findings: One for each symbol and server binary, sorted by `Finding.sort_key`.
        debts: One for each symbol, sorted by mangled name.
        examined: How many objects each side has, and how many symbols the server leaves undefined.
    """

    findings: tuple[Finding, ...]
    debts: tuple[Debt, ...]
    examined: Mapping[str, int]


def classify(
    objects: Iterable[ObjectFile], partition: Mapping[Side, Sequence[str]]
) -> dict[Side, tuple[ObjectFile, ...]]:
    """Give each object its side, by the longest prefix of its path.

    Args:
        objects: Objects; an archive member is ``path(member)``, so that prefixes can tell members apart.
        partition: Path prefixes of each side.

    Raises:
        UntrustedError: An object has no side, two sides claim one prefix, a prefix fits no object, or the server or
            the frontend has no object.
    """
    owners: dict[str, Side] = {}
    problems: list[Problem] = []
    for side, prefixes in partition.items():
        for prefix in prefixes:
            if owners.setdefault(prefix, side) is not side:
                message = f"prefix {prefix!r} is claimed by both {owners[prefix]} and {side}"
                problems.append(Problem(None, 0, message, "give it to one side"))
    longest_first = sorted(owners, key=lambda prefix: (-len(prefix), prefix))
    sides: dict[Side, list[ObjectFile]] = {side: [] for side in Side}
    fitting: set[str] = set()
    for item in objects:
        fits = [prefix for prefix in longest_first if item.label.startswith(prefix)]
        fitting.update(fits)
        if fits:
            sides[owners[fits[0]]].append(item)
        else:
            message = f"{item.label} belongs to neither server, frontend nor shared"
            problems.append(Problem(item.path, 0, message, "add a prefix for it to the partition"))
    problems.extend(_empty_parts(longest_first, fitting, sides))
    if problems:
        raise UntrustedError(problems)
    return {side: tuple(found) for side, found in sides.items()}


def _empty_parts(
    prefixes: Iterable[str], fitting: set[str], sides: Mapping[Side, Sequence[ObjectFile]]
) -> Iterator[Problem]:
    for prefix in prefixes:
        if prefix not in fitting:
            yield Problem(None, 0, f"partition prefix {prefix!r} fits no object", "remove it, or correct its path")
    for side in (Side.SERVER, Side.FRONTEND):
        if not sides[side]:
            yield Problem(None, 0, f"no object belongs to the {side}", "correct the partition or the globs")


def link_debts(sides: Mapping[Side, Sequence[ObjectFile]]) -> tuple[Debt, ...]:
    """The symbols that server objects leave undefined and only frontend objects define, sorted by mangled name."""
    provided = _definers((*sides[Side.SERVER], *sides[Side.SHARED]))
    frontend = _definers(sides[Side.FRONTEND])
    users = _users(sides[Side.SERVER])
    return tuple(
        Debt(name, tuple(users[name]), tuple(frontend[name]))
        for name in sorted(users.keys() & frontend.keys() - provided.keys())
    )


def _definers(objects: Iterable[ObjectFile]) -> dict[str, list[ObjectFile]]:
    found: dict[str, list[ObjectFile]] = {}
    for item in objects:
        for name in {symbol.name for symbol in item.linkage if symbol.provides}:
            found.setdefault(name, []).append(item)
    return found


def _users(objects: Iterable[ObjectFile]) -> dict[str, list[ObjectFile]]:
    found: dict[str, list[ObjectFile]] = {}
    for item in objects:
        for name in {symbol.name for symbol in item.linkage if symbol.is_undefined and symbol.name}:
            found.setdefault(name, []).append(item)
    return found


def check_links(
    binaries: Sequence[Binary], partition: Mapping[Side, Sequence[str]], *, gate: str, severity: Severity
) -> LinkVerdict:
    """Judge what the server's objects need from the frontend's.

    Args:
        binaries: The parsed objects of one build.
        partition: Path prefixes of each side.
        gate: The gate's id.
        severity: Of every finding.

    Raises:
        UntrustedError: There are no objects, or `classify` refuses them.
    """
    objects = [item for binary in binaries for item in binary.objects]
    if not objects:
        raise UntrustedError.single("no object to judge", help="build first, or correct the globs")
    sides = classify(objects, partition)
    debts = link_debts(sides)
    findings = [finding for debt in debts for finding in _findings(debt, gate, severity)]
    examined = {f"{side}-objects": len(sides[side]) for side in Side}
    examined["undefined-symbols"] = len(_users(sides[Side.SERVER]))
    return LinkVerdict(tuple(sorted(findings, key=lambda finding: finding.sort_key)), debts, examined)


def _findings(debt: Debt, gate: str, severity: Severity) -> Iterator[Finding]:
    definitions = tuple(
        Evidence("definition", item.path, 0, f"{item.label}: defines {debt.name}") for item in debt.definers
    )
    for path in sorted({item.path for item in debt.users}):
        uses = tuple(
            Evidence("symbol", path, 0, f"{item.label}: undefined {debt.name}")
            for item in debt.users
            if item.path == path
        )
        yield Finding(
            gate=gate,
            kind=KIND,
            severity=severity,
            message=f"server object needs {demangle(debt.name)} ({debt.name}) of {debt.definers[0].label}",
            help="move the definition to the server or the shared part, or reach it through an interface",
            path=path,
            line=0,
            column=0,
            entity=debt.name,
            identity=(path, debt.name),
            evidence=(*uses, *definitions),
        )
