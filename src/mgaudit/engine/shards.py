"""Shards: a run's parses divided among machines that know nothing of each other, and joined by bundles of facts.

Each machine plans the whole run and parses its own part of it. The machine that judges takes all parts into its cache
and runs as ever: whatever a bundle lacks, it parses itself. The answer is therefore that of one process, whoever did
the work.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.facts import bundles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mgaudit.config.model import Settings
    from mgaudit.engine.progress import Statistics
    from mgaudit.facts.bundles import Bundle
    from mgaudit.facts.cache import Cache
    from mgaudit.facts.merge import UnitId

T = TypeVar("T")

_UNIT_COST: Final = 20_000  # bytes of source that cost about as much as what every parse costs


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of a run: ``number`` of ``count``, from 1."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that ``i/n`` spells.

        Raises:
            ValueError: It spells none.
        """
        number, slash, count = text.partition("/")
        if not slash or not number.isdecimal() or not count.isdecimal() or not 1 <= int(number) <= int(count):
            message = f"{text!r} is no shard: write 1/4 for the first of four"
            raise ValueError(message)
        return cls(int(number), int(count))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def part(self, items: Sequence[T], costs: Sequence[int] | None = None) -> list[T]:
        """This shard's part of some items: neighbours stay together, and each shard has about the same cost."""
        costs = costs or [1] * len(items)
        total, before = sum(costs) or 1, 0
        chosen = []
        for item, cost in zip(items, costs, strict=True):
            if (2 * before + cost) * self.count // (2 * total) == self.number - 1:
                chosen.append(item)
            before += cost
        return chosen


@dataclass(frozen=True, slots=True)
class Share:
    """What a shard did: ``units`` of the run's ``total`` translation units, and the bundle with their facts.

    ``problems`` say what could not be extracted, and ``statistics`` what was parsed.
    """

    units: int
    total: int
    file: Path
    problems: tuple[Problem, ...]
    statistics: Statistics


def cost(path: Path) -> int:
    """About what parsing a source costs, in bytes; a wrong guess costs time only."""
    try:
        return _UNIT_COST + os.path.getsize(path)  # noqa: PTH202  called for every unit
    except OSError:
        return _UNIT_COST


def terms(settings: Settings, identity: str, *, preambles: bool) -> dict[str, str]:
    """What the shards of a run and their judge must have in common: what it is → a digest or a word."""
    return {
        "version of mgaudit or its front end": hashlib.blake2b(identity.encode(), digest_size=16).hexdigest(),
        "configuration": settings.digest,
        "--no-pch": str(not preambles),
    }


def warnings_of(places: Sequence[Path], parsed: Iterable[UnitId]) -> Iterator[Problem]:
    """What the reader should know where a run that was given bundles still had to parse units of the tree."""
    count = sum(unit.kind == "source" for unit in parsed)
    if places and count:
        yield Problem(
            None, 0, f"units parsed here, for the bundles do not hold them as they are: {count}",
            "let the shards and the merge check out the same revision, to the same folder",
        )  # fmt: skip


def join(places: Sequence[Path], common: Mapping[str, str], configurations: Collection[str], cache: Cache) -> None:
    """Take the bundles of all shards of a run into the cache.

    Args:
        places: Bundles, and folders that hold them.
        common: What the bundles must have in common with this run.
        configurations: Names of the configurations that this run judges.
        cache: Takes the facts.

    Raises:
        UntrustedError: A shard is missing, damaged, or of another run; all that is wrong.
    """
    found = bundles.complete(places)
    problems = [problem for bundle in found for problem in _differences(bundle, common, configurations)]
    if problems:
        raise UntrustedError(problems)
    for bundle in found:
        if not bundle.take_into(cache):
            return  # the run says that the cache cannot be written, and parses by itself


def _differences(bundle: Bundle, common: Mapping[str, str], configurations: Collection[str]) -> list[Problem]:
    label = bundle.label
    problems = [
        Problem(None, 0, f"{label} was made with another {what}", "let all shards and the merge use the same")
        for what, value in common.items()
        if label.terms.get(what) != value
    ]
    if lacking := [name for name in configurations if name not in label.configurations]:
        message = f"{label} extracted no facts of the configuration {lacking[0]}"
        problems.append(Problem(None, 0, message, "give the same --configuration to the merge as to the shards"))
    return problems
