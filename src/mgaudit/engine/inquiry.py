"""Questions that need the front end again, after the facts: what a token is, and what poisoned entries include."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.domain.problems import UntrustedError
from mgaudit.engine import manifest
from mgaudit.engine.contents import key_of
from mgaudit.engine.pool import Pool
from mgaudit.engine.worker import QUIET, Job, Outcome, Setup
from mgaudit.facts.cache import Cache
from mgaudit.gates.context import Resolution
from mgaudit.graphs.includes import IncludeGraph
from mgaudit.sources.clang_binding import Library
from mgaudit.sources.cursors import TRANSLATION_UNIT, Cursors
from mgaudit.sources.indexer import ParseError, ParseRequest, TranslationUnit
from mgaudit.sources.records import NONE, UnitRecord

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mgaudit.engine.contents import Contents
    from mgaudit.facts.merge import UnitId
    from mgaudit.facts.query import Facts
    from mgaudit.sources import clang_abi as abi

_UNITS_ASKED: Final = 3  # a configuration: a token that three units do not take is taken by hardly any
_LABEL: Final = 201
_MACRO_EXPANSION: Final = 502
_SCOPES: Final = frozenset({2, 3, 4, 5, 22, 31, 32, 33})  # struct, union, class, enum, namespace, class templates
_INVALID: Final = range(70, 74)


def _expansions(unit: TranslationUnit, file: int) -> list[tuple[int, int, str]]:
    """The macro expansions that a file writes: start and end offset of the whole invocation, and the macro."""
    found: list[tuple[int, int, str]] = []

    def see(cursor: abi.CXCursor) -> bool:
        if cursor.kind == _MACRO_EXPANSION:
            extent = unit.cdll.clang_getCursorExtent(cursor)
            start = _offset(unit, unit.cdll.clang_getRangeStart(extent))
            end = _offset(unit, unit.cdll.clang_getRangeEnd(extent))
            if start[0] == end[0] == file:
                found.append((start[1], end[1], unit.cdll.clang_getCursorSpelling(cursor)))
        return False

    Cursors(unit.library).visit(unit.cdll.clang_getTranslationUnitCursor(unit.handle), see)
    return found


def _offset(unit: TranslationUnit, location: abi.CXSourceLocation) -> tuple[int | None, int]:
    file, _, _, offset = unit.cdll.clang_getFileLocation(location)
    return file, offset


def _poison_key(job: Job, poison: tuple[tuple[str, str], ...]) -> str:
    parts = (job.key, "poison", *(text for file in poison for text in file))
    return key_of(parts)


class Inquiry:
    """Asks the front end about single places.

    Args:
        setup: What worker processes share.
        jobs: How each unit was parsed.
        processes: How many processes may parse at once.
        contents: The files as this run knows them.
    """

    def __init__(self, setup: Setup, jobs: Mapping[UnitId, Job], processes: int, contents: Contents) -> None:
        self._setup = setup
        self._jobs = jobs
        self._processes = processes
        self._contents = contents
        self._cache = Cache(Path(setup.cache))
        self._library: Library | None = None

    def confine(self) -> None:
        """Parse in no more than one process from now on: others ask at the same time."""
        self._processes = min(1, self._processes)

    def resolve(self, facts: Facts, path: str, offsets: Sequence[int]) -> Mapping[int, Resolution]:
        """What stands at byte offsets of a file, in the first units that include it and take them.

        An offset at which no entity is named has no answer. Costs a parse for each unit asked.
        """
        answers: dict[int, Resolution] = {}
        for configuration in facts.configurations:
            graph = IncludeGraph.of(facts, configuration)
            own = [unit for unit in graph.units if unit.name.path == path and unit.name.kind != "preamble"]
            for unit in (*own, *graph.including_units(path))[:_UNITS_ASKED]:
                left = [offset for offset in offsets if offset not in answers]
                if left and unit.name in self._jobs:
                    answers.update(self._ask(self._jobs[unit.name], path, left))
        return answers

    def poisoned(
        self, facts: Facts, entries: Collection[str], forbidden: Collection[str]
    ) -> dict[tuple[str, str], frozenset[str]]:
        """Which forbidden files each entry runs into, by (configuration, entry), when an error stands in their place.

        A second witness of the include closure: each entry is parsed anew, without a precompiled header.

        Raises:
            UntrustedError: An entry could not be parsed so.
        """
        text = "#error forbidden\n"
        poison = tuple((str(Path(self._setup.root, path)), text) for path in sorted(forbidden))
        jobs = [
            replace(
                self._jobs[unit.name], unit=replace(unit.name, kind="poison"), preamble=None, directives_only=True,
                overlay=(*self._jobs[unit.name].overlay, *poison), key=_poison_key(self._jobs[unit.name], poison),
            )
            for unit in facts.units
            if unit.name.kind in {"source", "header"} and unit.name.path in entries
        ]  # fmt: skip
        found: dict[tuple[str, str], frozenset[str]] = {}
        for unit, record in self._records(jobs):
            hit = frozenset(record.files[i.target] for i in record.includes if i.target != NONE)
            place = (unit.configuration, unit.path)
            found[place] = found.get(place, frozenset()) | (hit & frozenset(forbidden))
        return found

    def _records(self, jobs: Iterable[Job]) -> Iterator[tuple[UnitId, UnitRecord]]:
        """The records of some jobs, from the cache where their files are as they were."""
        stale: deque[Job] = deque()
        for job in jobs:
            variant = manifest.find(self._cache, job.key, self._contents, self._setup.tracked)
            record = self._stored(variant) if variant is not None else None
            if record is None:
                stale.append(job)
            else:
                yield job.unit, record
        with Pool(self._setup, self._processes) as pool:
            for outcome in pool.run(stale):
                yield outcome.unit, self._record(outcome)

    def _record(self, outcome: Outcome) -> UnitRecord:
        record = outcome.record or (self._stored(outcome.variant) if outcome.variant else None)
        if record is None or outcome.death:
            raise UntrustedError.single(
                outcome.failure or outcome.death or "a cached record vanished while it was needed",
                path=outcome.unit.path,
                help="run again, or set `poison = false`",
            )
        return record

    def _stored(self, variant: manifest.Variant) -> UnitRecord | None:
        data = self._cache.read("unit", variant.record)
        return None if data is None else msgspec.msgpack.decode(data, type=UnitRecord)

    def _ask(self, job: Job, path: str, offsets: Sequence[int]) -> dict[int, Resolution]:
        self._library = self._library or Library(Path(self._setup.library))
        main = str(Path(self._setup.root, job.unit.path))
        arguments = (*job.arguments, *QUIET, "-working-directory", job.directory)
        try:
            with TranslationUnit(self._library, ParseRequest(main, arguments, job.in_memory())) as unit:
                file = unit.cdll.clang_getFile(unit.handle, os.fsencode(Path(self._setup.root, path)))
                found = {offset: self._at(unit, file, offset) for offset in offsets} if file else {}
        except ParseError:
            return {}
        return {offset: resolution for offset, resolution in found.items() if resolution is not None}

    def _at(self, unit: TranslationUnit, file: int, offset: int) -> Resolution | None:
        cdll = unit.cdll
        cursor = cdll.clang_getCursor(unit.handle, cdll.clang_getLocationForOffset(unit.handle, file, offset))
        name = cdll.clang_getCursorSpelling(cursor)
        if cursor.kind == _MACRO_EXPANSION:
            return Resolution(name, "", is_macro=True)
        if name and self._stands_at(unit, cursor, file, offset):
            if cursor.kind == _LABEL:  # the front end knows no entity for it
                return Resolution(name, name)
            entity = cdll.clang_getCursorReferenced(cursor)
            return None if entity.kind in _INVALID else Resolution(name, self._qualified(unit, entity, name))
        around = [e for e in _expansions(unit, file) if e[0] <= offset < e[1]]
        return Resolution(min(around, key=lambda e: e[1] - e[0])[2], "", is_macro=True) if around else None

    @staticmethod
    def _stands_at(unit: TranslationUnit, cursor: abi.CXCursor, file: int, offset: int) -> bool:
        return _offset(unit, unit.cdll.clang_getCursorLocation(cursor)) == (file, offset)

    @staticmethod
    def _qualified(unit: TranslationUnit, entity: abi.CXCursor, name: str) -> str:
        """The qualified name, or the bare one of a local entity."""
        parts = [name]
        parent = unit.cdll.clang_getCursorSemanticParent(entity)
        while parent.kind != TRANSLATION_UNIT and parent.kind not in _INVALID:
            if parent.kind not in _SCOPES:
                return name
            transparent = unit.cdll.clang_Cursor_isAnonymous(parent) or unit.cdll.clang_Cursor_isInlineNamespace(parent)
            if not transparent:
                parts.append(unit.cdll.clang_getCursorSpelling(parent))
            parent = unit.cdll.clang_getCursorSemanticParent(parent)
        return "::".join(reversed(parts))
