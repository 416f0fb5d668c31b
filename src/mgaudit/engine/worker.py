"""What one worker process does: parse one unit, extract its record, and put both record and manifest into the cache."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from filelock import FileLock

from mgaudit.config.model import LimitsSpec
from mgaudit.domain.zones import matches_any
from mgaudit.engine import manifest
from mgaudit.engine.absence import Absence, Listings
from mgaudit.engine.contents import Stamps, is_settled, key_of, stamp_of
from mgaudit.engine.garbage import no_collection
from mgaudit.engine.lookups import FileState, FileStates, Lookups, Search, system_folders
from mgaudit.facts.cache import Cache
from mgaudit.sources.clang_abi import SKIP_FUNCTION_BODIES
from mgaudit.sources.clang_binding import Library
from mgaudit.sources.files import FileTable
from mgaudit.sources.include_resolver import Resolver
from mgaudit.sources.indexer import FrontEndCrashError, ParseError, ParseRequest, TranslationUnit, index_unit
from mgaudit.sources.layouts import Asked
from mgaudit.sources.records import COMMAND_LINE, NONE, UnitRecord
from mgaudit.sources.tree import PathResolver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mgaudit.facts.merge import UnitId

_PREAMBLE_OPTIONS: Final = ("-fpch-instantiate-templates", "-Xclang", "-fno-pch-timestamp")
# What a precompiled header instantiates once, so that no unit does so again: the machinery of std::format takes half a
# second. The guards of both libraries' headers tell whether it is there.
INSTANTIATED: Final = """
#if defined __cpp_lib_format && (defined _LIBCPP_FORMAT || defined _GLIBCXX_FORMAT)
inline auto mgaudit_preamble(std::format_args arguments) { return std::vformat("{}", arguments); }
#endif
"""
QUIET: Final = ("-w", "-ferror-limit=0")
_MAX_STUBS: Final = 64
_LATELY: Final = 3600  # seconds: being dated anew, a file would have to be read again


@dataclass(frozen=True, slots=True)
class Setup:
    """What every job of a run shares."""

    root: str
    library: str
    cache: str
    tracked: frozenset[str]
    observed: frozenset[str] = frozenset()
    with_bodies: bool = False
    asked: Asked = Asked()  # noqa: RUF009  frozen
    keyed: frozenset[str] = frozenset()
    limits: LimitsSpec = LimitsSpec()  # noqa: RUF009  frozen


@dataclass(frozen=True, slots=True)
class Preamble:
    """A precompiled header that a unit may start from.

    Attributes:
        record: The key of the record with its facts.
        file: The key of the precompiled file: two that differ in macros which their headers do not see have one record,
            but each its own file.
        steps: The inclusions by which the unit gets there, those of the headers among them: (including, included file).
        head: What makes it.
    """

    record: str
    file: str
    steps: tuple[tuple[str, str], ...]
    head: Job

    @property
    def unit(self) -> UnitId:
        """The unit that holds its facts."""
        return self.head.unit

    @property
    def headers(self) -> tuple[str, ...]:
        """Keys of the precompiled headers, in order."""
        return self.head.headers


@dataclass(frozen=True, slots=True)
class Job:
    """One parse.

    Attributes:
        unit: What it yields.
        key: The command's key, of the manifest.
        directory: Absolute working directory.
        arguments: The front end's arguments.
        overlay: In-memory files that every run of the command has: (absolute path, text).
        preamble: What it may start from.
        directives_only: Whether only the inclusion directives count (a header taken alone).
        stub_folder: Where missing headers are stubbed, or empty.
        audited: Globs of the audited zones, whose headers are never stubbed.
        headers: Keys of the headers that a preamble precompiles, in order.
        with_demands: Whether some gate asks what its machine code will refer to.
        planted: What stands in for the content of files of the tree, in this run alone: (absolute path, text).
        is_brief: Whether what only gates over the whole tree ask is left out: memos, and what ``with_demands`` says.
        family: The key of what it has in common with jobs that differ from it in macros of the command line alone.
    """

    unit: UnitId
    key: str
    directory: str
    arguments: tuple[str, ...]
    overlay: tuple[tuple[str, str], ...]
    preamble: Preamble | None = None
    directives_only: bool = False
    stub_folder: str = ""
    audited: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    with_demands: bool = False
    planted: tuple[tuple[str, str], ...] = ()
    is_brief: bool = False
    family: str = ""

    def in_brief(self) -> Job:
        """The job with `is_brief`: its record is never taken for that of the whole job, since the key differs."""
        return replace(self, key=key_of((self.key, "brief")), is_brief=True)

    def in_memory(self) -> dict[str, str]:
        """All in-memory files of the parse: absolute path → text."""
        return dict((*self.overlay, *self.planted))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a job: the record's key, and the record itself where the cache could not take it or must not.

    Attributes:
        unit: What it yields.
        variant: What the record rests on; None where there is none.
        record: See above.
        failure: Why there is no record.
        advice: What to do then, where there is something special.
        death: How an attempt ended, the first of two, that cost a worker process.
        seconds: How long it took.
    """

    unit: UnitId
    variant: manifest.Variant | None
    record: UnitRecord | None = None
    failure: str = ""
    advice: str = ""
    death: str = ""
    seconds: float = 0.0


class Worker:
    """The state of one worker process."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.cache = Cache(Path(setup.cache))
        self.library = Library(Path(setup.library))
        self.resolver = PathResolver(Path(setup.root))
        self._verified: set[str] = set()
        self._searches: dict[tuple[str, ...], Resolver] = {}
        self._listings = Listings()
        self._rules: dict[tuple[tuple[str, ...], str, frozenset[str]], Search] = {}
        self._states = FileStates(setup.root, Stamps(self.cache, setup.root))

    def run(self, job: Job) -> Outcome:
        """Parse and extract; what a source file can cause is in the outcome.

        Raises:
            FrontEndCrashError: libclang crashed, so that this process is of no use any more.
        """
        started = time.perf_counter()
        try:
            with no_collection():
                outcome = self._attempt(job)
                if outcome is None:  # a file changed while it was read
                    outcome = self._attempt(job)
            if outcome is None:
                outcome = Outcome(job.unit, None, failure="its files keep changing while they are read")
        except FrontEndCrashError:
            raise
        except (ParseError, OSError, RecursionError) as error:
            outcome = Outcome(job.unit, None, failure=str(error))
        return replace(outcome, seconds=time.perf_counter() - started)

    def _attempt(self, job: Job) -> Outcome | None:
        started = time.time_ns()
        if job.unit.kind == "preamble":
            return self._preamble(job, started)
        if job.preamble is not None:
            record = self._with_preamble(job, job.preamble)
            if record is not None:
                return self._store(job, record, started, used=True)
        return self._store(job, self._plain(job), started, used=False)

    # ---- parsing

    def _parse(
        self, job: Job, main: str, extra: Iterable[str], overlay: dict[str, str], use: Callable[[TranslationUnit], None]
    ) -> UnitRecord:
        options = SKIP_FUNCTION_BODIES if job.directives_only else 0
        arguments = (*job.arguments, *QUIET, "-working-directory", job.directory, *extra)
        with TranslationUnit(self.library, ParseRequest(main, arguments, overlay, options)) as unit:
            use(unit)
            files = FileTable(
                self.library, self.resolver, self.setup.tracked, overlay, self.setup.observed,
                keyed=frozenset() if job.is_brief else self.setup.keyed,
            )  # fmt: skip
            files.of_path(self.resolver.key(main))
            return index_unit(
                unit, files, directives_only=job.directives_only, with_bodies=self.setup.with_bodies,
                with_demands=job.with_demands and not job.is_brief, asked=self.setup.asked,
            )  # fmt: skip

    def _plain(self, job: Job) -> UnitRecord:
        main = str(Path(self.setup.root, job.unit.path))
        overlay = job.in_memory()
        extra = ["-idirafter", job.stub_folder] if job.stub_folder else []
        for _ in range(_MAX_STUBS):
            record = self._parse(job, main, extra, overlay, _nothing)
            fresh = {f"{job.stub_folder}/{name}": "" for name in self._stubbable(job, record)}
            if not job.stub_folder or fresh.keys() <= overlay.keys():
                break
            overlay.update(fresh)
        return record

    def _stubbable(self, job: Job, record: UnitRecord) -> Iterator[str]:
        """Spellings of missing headers that would fall into no audited zone."""
        search = self._search(job)
        for include in record.includes:
            if include.target == NONE and _is_plain(include.spelling):
                source = str(Path(self.setup.root, record.files[include.file]))
                places = search.candidates(include.spelling, angled=include.angled, including_file=source)
                if not any(matches_any(self.resolver.key(place), job.audited) for place in places):
                    yield include.spelling

    def _search(self, job: Job) -> Resolver:
        known = self._searches.get(job.arguments)
        if known is None:
            known = self._searches[job.arguments] = Resolver.from_arguments(job.arguments, job.directory)
        return known

    def _lookup_rules(self, job: Job) -> Search:
        overlay = frozenset(path for path, _ in job.overlay)
        key = job.arguments, job.directory, overlay
        known = self._rules.get(key)
        if known is None:
            system = system_folders(job.arguments)
            known = Search(self.resolver, self._search(job), job.directory, system, overlay, self._listings)
            self._rules[key] = known
        return known

    def _with_preamble(self, job: Job, preamble: Preamble) -> UnitRecord | None:
        """The record on top of a precompiled header, or None where a plain parse is the safe answer."""
        path = self.cache.path("preamble", preamble.file, ".pch")
        if not self._is_whole(path) and not self._is_remade(path, preamble.head):
            return None
        main = str(Path(self.setup.root, job.unit.path))
        try:
            record = self._parse(job, main, ["-include-pch", str(path)], job.in_memory(), _nothing)
        except FrontEndCrashError:
            raise
        except ParseError:
            return None
        missing = any(include.target == NONE for include in record.includes)
        # The precompiled header may be the cause of errors; a missing header is its own, but may want a stub.
        if record.diagnostics and (job.stub_folder or not missing):
            return None
        return record if _leads_to(record, preamble) else None

    def _preamble(self, job: Job, started: int) -> Outcome | None:
        with self._precompiled(job) as (record, saved):
            outcome = self._store(job, record, started, used=False, ignore=self._main_of(job))
            if outcome is not None and outcome.variant is not None:
                self._publish(saved, job, outcome.variant)
            return outcome

    @contextlib.contextmanager
    def _precompiled(self, job: Job) -> Iterator[tuple[UnitRecord, Path]]:
        """Precompile headers; their record, and the file, which is gone at the end of the block.

        A main file in memory includes them: ``#pragma once`` means nothing in a main file.
        """
        main = self._main_of(job)
        text = "".join(f'#include "{Path(self.setup.root, header)}"\n' for header in job.headers)
        saved = self.cache.path("preamble", f"{job.key}-{os.getpid()}", ".tmp")
        try:
            saved.parent.mkdir(parents=True, exist_ok=True)
            for content in (text + INSTANTIATED, text):
                overlay = {**job.in_memory(), main: content}
                record = self._parse(job, main, _PREAMBLE_OPTIONS, overlay, lambda unit: unit.save(str(saved)))
                if not record.diagnostics:
                    break  # else the headers are at fault, or a library that is not what it says
            yield _without_main(record, self.resolver.key(main)), saved
        finally:
            saved.unlink(missing_ok=True)

    def _main_of(self, head: Job) -> str:
        """The main file that includes the headers of a preamble; it exists in memory alone."""
        return str(Path(self.setup.root, head.unit.path)) + ".mgaudit-preamble.h"

    def _publish(self, saved: Path, head: Job, variant: manifest.Variant) -> None:
        if not variant.clean:
            return
        path = self.cache.path("preamble", file_of(head, variant), ".pch")
        with self.cache.replacing(path.with_suffix(".sum")) as temporary:
            temporary.write_bytes(_seal(saved, path.name))
        with self.cache.replacing(path) as temporary:
            shutil.move(saved, temporary)
        self._verified.add(str(path))

    def _is_remade(self, path: Path, head: Job) -> bool:
        """Make a precompiled file that is gone, or that another machine has; once for all that wait for it."""
        with contextlib.suppress(ParseError, OSError), FileLock(path.with_suffix(".lock")):
            if not self._is_whole(path):
                started = time.time_ns()
                with self._precompiled(head) as (record, saved):
                    variant = self._variant(head, record, started, self._main_of(head), used=False)
                    if variant is not None:
                        self._publish(saved, head, variant)
            return self._is_whole(path)
        return False

    def _is_whole(self, path: Path) -> bool:
        """Whether a precompiled file is what was written: a damaged one, which goes away, may crash the front end."""
        if str(path) in self._verified:
            return True
        checksum = path.with_suffix(".sum")
        try:
            for file in (path, checksum):
                if time.time() - file.stat().st_mtime > _LATELY:
                    self.cache.touch(file)
            stamp = stamp_of(path.stat())
            said = msgspec.msgpack.encode(stamp)
            is_known = self.cache.read("stamps", path.stem) == said
            if is_known or checksum.read_bytes() == _seal(path, path.name):
                self._verified.add(str(path))
                if not is_known and is_settled(stamp):
                    self.cache.write("stamps", path.stem, said)
                return True
            path.unlink()
        except OSError:
            pass
        return False

    # ---- storing

    def _store(self, job: Job, record: UnitRecord, started: int, *, used: bool, ignore: str = "") -> Outcome | None:
        variant = self._variant(job, record, started, ignore, used=used)
        if variant is None:
            return None
        if job.planted:  # what is in no file is nothing to remember
            return Outcome(job.unit, variant, record)
        data = msgspec.msgpack.encode(record)
        stored = self.cache.write("unit", variant.record, data) and manifest.remember(self.cache, job.key, variant)
        return Outcome(job.unit, variant, None if stored else record)

    def _variant(
        self, job: Job, record: UnitRecord, started: int, ignore: str, *, used: bool
    ) -> manifest.Variant | None:
        """What the record rests on, or None where a file changed after the parse began."""
        in_memory = {self.resolver.key(path) for path, _ in job.overlay} | {self.resolver.key(ignore)}
        if job.preamble is not None:
            in_memory.add(self.resolver.key(self._main_of(job.preamble.head)))
        stubs = self.resolver.key(job.stub_folder) + "/" if job.stub_folder else ""
        planted = {self.resolver.key(path): FileState.of(text.encode()) for path, text in job.planted}
        lookups = Lookups(self._lookup_rules(job))
        lookups.of_inclusions(record)
        files: dict[str, bytes] = {}
        for key in record.files:
            if key == COMMAND_LINE or key in in_memory or (stubs and key.startswith(stubs)):
                continue
            state = planted.get(key) or self._states.of(key, started)
            if state is None:
                return None
            files[key] = state.digest
            lookups.of_questions(key, state.questions)
        for key in sorted(lookups.present - files.keys()):
            state = planted.get(key) or self._states.of(key, started)
            if state is None:
                return None
            files[key] = state.digest
        tracked = "".join("1" if key in self.setup.tracked else "0" for key in files)
        absent, links = sorted(lookups.absent), sorted(lookups.links.items())
        parts = (
            job.key, str(used), *files, *(d.hex() for d in files.values()), tracked, *absent,
            *(part for link in links for part in link),
        )  # fmt: skip
        key = key_of(parts)
        return manifest.Variant(
            key, list(files), b"".join(files.values()), tracked, Absence.of(absent), links, not record.diagnostics, used
        )


def file_of(head: Job, variant: manifest.Variant) -> str:
    """The key of a precompiled file: of the command that makes it, and of what it rests on."""
    return key_of((head.key, variant.content))


def _nothing(_unit: TranslationUnit) -> None:
    pass


def _is_plain(name: str) -> bool:
    """Whether a spelling can be stubbed below a folder without leaving it."""
    return bool(name) and not name.startswith("/") and ".." not in name.split("/") and ":" not in name


def _leads_to(record: UnitRecord, preamble: Preamble) -> bool:
    """Whether the unit met first what its preamble presupposes; inclusions that found nothing do not count."""
    met = ((record.files[i.file], record.files[i.target]) for i in record.includes if i.target != NONE)
    return tuple(islice(met, len(preamble.steps))) == preamble.steps


def _without_main(record: UnitRecord, main: str) -> UnitRecord:
    """A preamble's record without the edge of the file that only exists to include it."""
    index = record.files.index(main)
    return msgspec.structs.replace(record, includes=[i for i in record.includes if i.file != index])


def _seal(path: Path, name: str) -> bytes:
    """A digest of a file's content and of the name that it has in the cache."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")  # the fastest one where the processor knows it
    digest.update(name.encode())
    return digest.digest()
