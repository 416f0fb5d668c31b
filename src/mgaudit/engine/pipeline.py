"""The analysis of a tree: plan, parse what changed, merge, and hand out the facts."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.engine import manifest
from mgaudit.engine.audited import Wishes, audited_zones
from mgaudit.engine.contents import Contents, Stamps, key_of
from mgaudit.engine.headers import HeaderPlanner
from mgaudit.engine.heads import Heads
from mgaudit.engine.identity import identity
from mgaudit.engine.inquiry import Inquiry
from mgaudit.engine.jobs import Jobs
from mgaudit.engine.pool import AGAIN, Pool, doubts
from mgaudit.engine.preambles import Chooser, Group, Start
from mgaudit.engine.progress import Progress, Quiet, Statistics
from mgaudit.engine.scans import OUTLINE, SCAN, SYNTAX, Outlines, Views
from mgaudit.engine.shards import Share, cost, join, terms, warnings_of
from mgaudit.engine.sharing import Sharing, names
from mgaudit.engine.standing import Standing, Stood
from mgaudit.engine.store import Store
from mgaudit.engine.twins import Settled, Twins
from mgaudit.engine.verdicts import Verdicts, digest_of
from mgaudit.engine.worker import Preamble, Setup
from mgaudit.facts import bundles
from mgaudit.facts.bundles import Label
from mgaudit.facts.cache import Cache
from mgaudit.facts.merge import UnitId, UnitState
from mgaudit.facts.query import Facts
from mgaudit.sources.compile_commands import Plan, plan
from mgaudit.sources.toolchain import Toolchain, discover
from mgaudit.sources.tree import PathResolver, TreeFiles, list_files, selection_problems, selection_warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from mgaudit.config.model import Settings
    from mgaudit.domain.configurations import ParseCommand
    from mgaudit.engine.shards import Shard
    from mgaudit.engine.worker import Job, Outcome
    from mgaudit.facts.remote import Remote
    from mgaudit.sources.syntax import FileSyntax

_FEW: Final = 4  # one in so many units may follow the others


@dataclass(frozen=True, slots=True)
class Options:
    """How to run.

    Attributes:
        cache: The cache's directory.
        jobs: Worker processes at most; 0 works in this process, which no limit protects.
        preambles: Whether units may start from precompiled headers.
        configurations: The configurations to judge; empty for all.
        progress: Takes reports.
        bundles: What shards extracted, and folders of it; it must then be all shards of one run.
        remote: A cache that this machine shares with others.
        database: The file of the merged facts; default: the cache's own.
        pool: Makes the worker processes of a run; they end with it, unless this keeps them.
        brief: Whether only gates that answer at once will ask: a few sources that have to be parsed yield no more than
            these want, and are parsed again when a run wants all.
    """

    cache: Path
    jobs: int = 0
    preambles: bool = True
    configurations: tuple[str, ...] = ()
    progress: Progress = field(default_factory=Quiet)
    bundles: tuple[Path, ...] = ()
    remote: Remote | None = None
    database: Path | None = None
    pool: Callable[[Setup, int], AbstractContextManager[Pool]] = Pool
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a tree.

    Attributes:
        settings: The configuration.
        files: The selected files.
        plan: What was parsed how.
        toolchain: What parsed it.
        facts: The facts of the selected configurations.
        audited: Names of the zones that gates name.
        syntax: The syntax witness's view of the audited files.
        inquiry: Asks the front end about single places.
        verdicts: What checks said of this very state before.
        contents: Digests of the files.
        problems: Why the facts cannot be trusted; empty for a sound run.
        warnings: What the reader should know.
        statistics: What the run did.
    """

    settings: Settings
    files: TreeFiles
    plan: Plan
    toolchain: Toolchain
    facts: Facts
    audited: frozenset[str]
    syntax: Views[FileSyntax]
    inquiry: Inquiry
    verdicts: Verdicts
    contents: Contents
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    statistics: Statistics


def analyse(settings: Settings, options: Options) -> Analysis:
    """Bring the facts of a tree up to date.

    Raises:
        UntrustedError: Nothing can be said at all: an empty selection, no usable toolchain, bad compile commands.
            Problems of single units are in the result instead.
    """
    return _Run(settings, options).analyse()


def extract(settings: Settings, options: Options, shard: Shard, file: Path) -> Share:
    """Parse a shard's part of a tree, and write the facts into a bundle.

    Raises:
        UntrustedError: As of `analyse`; or the cache or the bundle cannot be written.
    """
    return _Run(settings, options).extract(shard, file)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A unit of the run: its command, and how it may start."""

    unit: UnitId
    command: ParseCommand
    directives_only: bool = False
    start: Start | None = None


class _Run:
    """One run: the state that its steps share."""

    def __init__(self, settings: Settings, options: Options) -> None:
        self.settings = settings
        self.options = options
        self.audited = audited_zones(settings.gates)
        self.files = list_files(settings)
        problems = selection_problems(settings, self.files)
        if problems:
            raise UntrustedError(problems)
        self.toolchain = discover()
        self.plan = plan(settings, self.files, self.toolchain)
        self.tracked = frozenset(self.files.files)
        self.cache = Cache(options.cache)
        name = key_of((str(settings.root), str(settings.file)))
        self.stamps = Stamps(self.cache, str(settings.root))
        self.contents = Contents(settings.root, self.stamps, settings.overlay)
        audited = {path for zone in self.audited for path in self.files.in_zone(zone)}
        self.scans = Views(SCAN, self.cache, self.contents, self.files.files)
        self.syntax = Views(SYNTAX, self.cache, self.contents, tuple(sorted(audited)))
        self.resolver = PathResolver(settings.root)
        self.outlines = Outlines(self.scans, Views(OUTLINE, self.cache, self.contents, ()))
        self.chooser = Chooser(self.resolver, self.outlines.of, self.contents, self.cache)
        self.names = [spec.name for spec in settings.configurations]
        chosen = options.configurations or tuple(self.names)
        self.configurations = tuple(name for name in self.names if name in chosen)
        self.identity = identity(self.toolchain, self.cache)
        self.wishes = Wishes.of(settings, self.files)
        self.maker = Jobs(settings, self.toolchain, self.identity, self.wishes, self.audited)
        self.store = Store(self.cache, name, options.database)
        self.statistics = Statistics()
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.states: dict[UnitId, UnitState] = {}
        self.jobs: dict[UnitId, Job] = {}
        self.heads = Heads(self.maker, self.chooser, self.contents, self._is_known, self._take_over)
        self.twins = Twins(self.cache, self.contents, self.tracked, self.identity)
        self.keys: dict[UnitId, str] = {}
        self.standing = Standing(self.cache, name, self.contents, self.tracked)
        self.kept: list[Stood] = []
        self.decided: dict[bytes, bool] = {}
        self.sharing = Sharing(options.remote, self.cache, self.contents, self.tracked) if options.remote else None

    def analyse(self) -> Analysis:
        setup = self._setup()
        if self.options.bundles:
            join(self.options.bundles, self._terms(), self.configurations, self.cache)
        with self.options.pool(setup, self.options.jobs) as pool:
            self._look(pool)
            wanted = self._wanted()
            for some in self._rounds(self._left(wanted), wanted):
                self._obtain(pool, "units", self._started(some, wanted))
            spared = [unit for unit in self.store.held if unit.kind == "header"]  # to take them out costs two commits
            facts = self._merge(spared)
            if (headers := self._headers(facts)) or spared:
                for some in self._rounds(self._left(headers), headers):
                    self._obtain(pool, "headers", self._following(some))
                facts = self._merge()
        self._leave()
        if self.sharing is not None:
            self.sharing.send(self._parses(self.statistics.parsed.keys() - self.store.unstored.keys()))
        warnings = (
            *self.plan.warnings, *selection_warnings(self.settings, self.files), *self.warnings,
            *self._cache_warnings(), *warnings_of(self.options.bundles, self.statistics.parsed),
        )  # fmt: skip
        return Analysis(
            self.settings, self.files, self.plan, self.toolchain, facts, self.audited, self.syntax,
            Inquiry(setup, self.jobs, self.options.jobs, self.contents), Verdicts(self.cache, self._state()),
            self.contents, tuple(dict.fromkeys(self.problems)), warnings, self.statistics,
        )  # fmt: skip

    def _state(self) -> str:
        """A digest of all that the facts and the scanners' views rest on; empty where something is amiss."""
        if self.problems or self.store.unstored or self.settings.overlay:
            return ""
        contents = [(key, self.contents.digest(key)) for key in self.files.files]
        views = [(witness.kind, witness.version) for witness in (SCAN, SYNTAX)]
        units = sorted((state.id, state.key, state.preamble) for state in self.states.values())
        return digest_of((self.identity, contents, views, units)).hex()

    def _look(self, pool: Pool, shard: Shard | None = None) -> None:
        """Let the scanners see what they have not seen; a file that they do not survive has no view."""
        for look, death in pool.look(self.scans.missing(shard), self.syntax.missing(shard)):
            path, *others = look.files
            if others:
                reason = f"read at the second attempt, like {len(others)} more files: {death.reason}"
                self.problems.append(Problem(path, 0, reason, AGAIN))
                continue
            self.problems.append(Problem(path, 0, f"no scanner can read it: {death.reason}", death.advice))
            self.scans.give_up(path)
            self.syntax.give_up(path)

    def extract(self, shard: Shard, file: Path) -> Share:
        views = [*self.scans.names(shard), *self.syntax.names(shard)]
        wanted = self._wanted()
        everything = self._started(wanted, wanted)
        everything.sort(key=lambda w: (w.unit.configuration, w.start.headers if w.start else (), w.unit))
        wanted = shard.part(everything, [cost(self.settings.root / w.unit.path) for w in everything])
        for item in wanted:
            self._unit_job(item, None)
        with self.options.pool(self._setup(), self.options.jobs) as pool:
            self._look(pool, shard)
            for some in self._rounds(wanted, wanted):
                self._obtain(pool, "units", some)
        if self.store.unstored:
            raise UntrustedError(self._cache_warnings())
        blobs = [name for parse in self._parses(self.states) for name in names(*parse)]
        label = Label(shard.number, shard.count, self._terms(), list(self.configurations), len(wanted))
        views = [name for name in views if self.cache.path(name.kind, name.key).exists()]
        bundles.write(file, label, self.cache, [*views, *blobs])
        return Share(len(wanted), len(everything), file, tuple(dict.fromkeys(self.problems)), self.statistics)

    def _setup(self) -> Setup:
        return Setup(
            str(self.settings.root), str(self.toolchain.library), str(self.cache.directory), self.tracked,
            self.wishes.observed, self.wishes.with_bodies, self.wishes.asked, self.wishes.keyed, self.settings.limits,
        )  # fmt: skip

    def _wanted(self) -> list[_Wanted]:
        """The units of the tree, headers alone aside, which only the facts of these tell."""
        return [
            _Wanted(UnitId(c.configuration, c.path, c.variant), c)
            for c in self.plan.commands
            if c.configuration in self.configurations
        ]

    def _parses(self, units: Iterable[UnitId]) -> list[tuple[str, str]]:
        """The keys of some units' commands, each with the key of its record."""
        return [(self.keys[unit], self.states[unit].key) for unit in units if unit in self.states]

    def _terms(self) -> dict[str, str]:
        return terms(self.settings, self.identity, preambles=self.options.preambles)

    def _cache_warnings(self) -> Iterator[Problem]:
        error = self.cache.write_error or self.store.write_error
        if error is not None or (self.store.unstored and not self.maker.planted):
            reason = getattr(error, "strerror", None) or str(error or "the disk refuses")
            yield Problem(
                None, 0, f"the cache cannot be written: {reason}",
                "free some space or choose another --cache-dir; until then every run parses anew",
            )  # fmt: skip
        if self.options.remote is not None and self.options.remote.failure is not None:
            yield self.options.remote.failure

    # ---- headers taken alone

    def _headers(self, facts: Facts) -> list[_Wanted]:
        planner = HeaderPlanner(
            self.settings, self.files, self.plan, self.outlines.of, self.audited, self.heads.settled, self._is_alike,
            self._basis, self.standing.decided, self.decided,
        )  # fmt: skip
        found = ((alone.command, alone.directives_only) for alone in planner.needed(facts))
        return [_Wanted(UnitId(c.configuration, c.path, c.variant, "header"), c, only) for c, only in found]

    def _is_alike(self, one: ParseCommand, other: ParseCommand, files: Collection[str]) -> bool:
        if one.directory != other.directory or "-include" in one.arguments:  # which is not among the files
            return False
        return self.twins.are_blind(one.arguments, other.arguments, files, self.maker.overlay(one.configuration))

    def _basis(self, unit: UnitId, command: ParseCommand) -> bytes:
        state = self.states[unit]
        preamble = self.states[state.preamble].key if state.preamble else ""
        head = self.heads.of(command)
        return digest_of((state.key, preamble, head.record if head else "", command))

    # ---- units that are like others

    def _rounds(self, some: list[_Wanted], wanted: list[_Wanted]) -> Iterator[list[_Wanted]]:
        """Some units in two parts: those that others may be like come first; then those that are like none of them."""
        families: dict[str, list[UnitId]] = defaultdict(list)
        for item in wanted if not self.maker.planted else ():
            families[self.jobs[item.unit].family].append(item.unit)
        left = [item for item in some if not self._is_like_any(item, families)]
        first = set({self.jobs[item.unit].family: item.unit for item in reversed(left)}.values())
        yield [item for item in left if item.unit in first]
        yield [item for item in left if item.unit not in first and not self._is_like_any(item, families)]
        self.twins.save()

    def _is_like_any(self, item: _Wanted, families: Mapping[str, list[UnitId]]) -> bool:
        """Whether a unit is like one that is known; takes its facts over if so."""
        own = self.jobs[item.unit]
        for other in families[own.family]:
            model = self._model(other) if other != item.unit and other not in self.store.unstored else None
            if model is not None and self.twins.are_equal(model, own, self._beneath(model)):
                like = model.job.preamble if model.variant.preamble_used else None
                own = self._unit_job(item, self.heads.like(like, Group.of(item.command)) if like else None)
                self._take_over(own.in_brief() if model.job.is_brief else own, model.variant)
                return True
        return False

    def _beneath(self, model: Settled) -> manifest.Variant | None:
        """What the precompiled header rests on that a unit started from."""
        preamble = model.job.preamble
        return self.heads.variants[preamble.unit] if preamble is not None and model.variant.preamble_used else None

    def _model(self, unit: UnitId) -> Settled | None:
        """A unit that is known, as others may be like it: from this run, or as the last one left it."""
        stood, plain = self.standing.last(unit), self.jobs[unit]
        known = self.twins.settled.get(unit)
        if known is not None or stood is None or unit not in self.states:
            return known
        group = Group(unit.configuration, plain.arguments, plain.directory)
        head = Preamble(stood.head, "", (), self.heads.job(group, stood.headers)) if stood.head else None
        job = self.maker.of(unit, group, head, directives_only=plain.directives_only)
        variant = manifest.find(self.cache, job.key, self.contents, self.tracked)
        return None if variant is None else Settled(job, variant)

    def _take_over(self, job: Job, variant: manifest.Variant) -> None:
        """Know of a job what is known of another one, of which everything is as it was."""
        self.keys[job.unit] = job.key
        manifest.remember(self.cache, job.key, variant)
        self.statistics.reused += 1
        self._settle(job, variant)

    # ---- what the last run left

    def _left(self, wanted: list[_Wanted]) -> list[_Wanted]:
        """Take over the units of which everything is as the last run left it; the others."""
        left = []
        for item in wanted:
            job = self._unit_job(item, None)
            stood = self.standing.last(item.unit) if self.options.preambles else None
            head = self.heads.unit(Group.of(item.command), stood.headers) if stood and stood.headers else None
            if stood is None or not self._still(stood, job.key, head):
                left.append(item)
                continue
            self.kept.append(stood)
            self.statistics.reused += 1
            self.states[item.unit] = UnitState(item.unit, stood.record, head if stood.head else None)
        return left

    def _still(self, stood: Stood, key: str, head: UnitId | None) -> bool:
        if stood.head and (head not in self.heads.variants or self.heads.variants[head].record != stood.head):
            return False
        return self.standing.holds(stood.unit, key) and self.store.held.get(stood.unit) == stood.record

    def _started(self, some: list[_Wanted], wanted: list[_Wanted]) -> list[_Wanted]:
        """Some units, with how each of them may start. A few of many follow the others: the facts are the same."""
        if not self.options.preambles or not some:
            return some
        following = self._following(some)
        is_lost = any((s := self.standing.last(w.unit)) is None or s.headers for w in following if w.start is None)
        if len(some) * _FEW <= len(wanted) and not is_lost:
            return following
        groups = {Group.of(item.command) for item in some}
        starts = self.chooser.choose(item.command for item in wanted if Group.of(item.command) in groups)
        self.stamps.save()  # what was read for that, no worker needs to read again
        return [replace(item, start=starts.get(item.command)) for item in some]

    def _following(self, some: list[_Wanted]) -> list[_Wanted]:
        return [replace(item, start=self.heads.known_start(item.command)) for item in some]

    def _leave(self) -> None:
        """Leave to the next run what this one found, if it is sound and whole."""
        if self.maker.planted:
            return
        if self.options.preambles and not self.problems and not self.store.unstored:
            self.standing.remember(self.kept, self.decided)
        self.stamps.save()

    # ---- parsing

    def _obtain(self, pool: Pool, label: str, wanted: list[_Wanted]) -> None:
        """Find or make the record of every wanted unit; each waits for its own precompiled headers alone."""
        heads = self._find_preambles(wanted)
        waiting: dict[UnitId, list[_Wanted]] = {job.unit: [] for job in heads}
        ready: list[_Wanted] = []
        for item in wanted:
            head = self.heads.unit(Group.of(item.command), item.start.headers) if item.start is not None else None
            (waiting.get(head, ready) if head is not None else ready).append(item)
        jobs = deque([*heads, *self._ready(ready, waiting)])
        if not jobs:
            return
        running = {job.unit: job for job in jobs}
        self.options.progress.begin(label, len(jobs) + sum(map(len, waiting.values())))
        for outcome in pool.run(jobs):
            self._take(outcome, running.pop(outcome.unit))
            self.options.progress.advance(outcome.unit.path)
            if behind := waiting.pop(outcome.unit, None):
                fresh = self._ready(behind, waiting)
                running |= {job.unit: job for job in fresh}
                jobs += fresh
        self.options.progress.end()

    def _ready(self, some: list[_Wanted], waiting: Mapping[UnitId, list[_Wanted]]) -> list[Job]:
        """The jobs of some units, beside others that wait: those in full, which take longest, come first."""
        some = sorted(some, key=lambda item: item.start is not None)
        shown = self.heads.shown((item.command, item.start) for item in some if item.start is not None)
        preambles = (self.heads.preamble(i.command, i.start, shown) if i.start is not None else None for i in some)
        jobs = [self._unit_job(*pair) for pair in zip(some, preambles, strict=True)]
        return self._stale(jobs, sum(map(len, waiting.values())))

    def _find_preambles(self, wanted: Iterable[_Wanted]) -> list[Job]:
        jobs = self.heads.missing((Group.of(w.command), w.start.headers) for w in wanted if w.start is not None)
        return self._stale([job for job in jobs if job.unit not in self.statistics.parsed])

    def _unit_job(self, wanted: _Wanted, preamble: Preamble | None) -> Job:
        job = self.maker.of(wanted.unit, Group.of(wanted.command), preamble, directives_only=wanted.directives_only)
        self.jobs.setdefault(wanted.unit, job)
        return job

    def _stale(self, jobs: list[Job], waiting: int = 0) -> list[Job]:
        """Those jobs whose record is at hand neither here nor in the shared cache; others may follow that wait."""
        stale = [job for job in jobs if not self._is_known(job)]
        if self.sharing is not None and stale:
            self.statistics.shared += self.sharing.bring(stale)
            stale = [job for job in stale if not self._is_known(job)]
        if self.options.brief and (len(stale) + waiting) * _FEW <= len(self.plan.commands):
            brief = [job.in_brief() if job.unit.kind == "source" else job for job in stale]
            stale = [job for job in brief if not (job.is_brief and self._is_known(job))]
        return stale

    def _is_known(self, job: Job) -> bool:
        """Whether a job's record is at hand, and can still be read where the database lacks it; counts it if so."""
        self.keys[job.unit] = job.key
        variant = manifest.find(self.cache, job.key, self.contents, self.tracked)
        if variant is None:
            return False
        if self.store.held.get(job.unit) != variant.record and self.cache.read("unit", variant.record) is None:
            return False
        self.statistics.reused += 1
        self._settle(job, variant)
        return True

    def _settle(self, job: Job, variant: manifest.Variant) -> None:
        link = job.preamble.unit if job.preamble is not None and variant.preamble_used else None
        self.states[job.unit] = UnitState(job.unit, variant.record, link)
        if job.unit.kind == "preamble":
            self.heads.variants[job.unit] = variant
            return
        self.twins.note(job, variant)
        headers, head = (job.preamble.headers, job.preamble.record if link else "") if job.preamble else ((), "")
        key = "" if job.is_brief else self.jobs[job.unit].key  # no run takes over a record that does not say all
        self.standing.note(Stood(job.unit, key, variant.record, headers, head), variant)

    def _take(self, outcome: Outcome, job: Job) -> None:
        self.statistics.parsed[outcome.unit] = outcome.seconds
        self.problems.extend(doubts(outcome))
        variant = outcome.variant
        if variant is None:
            return
        self.problems.extend(manifest.changed(outcome.unit.path, variant, self.contents))
        if outcome.record is not None:
            self.store.unstored[outcome.unit] = outcome.record
        self._settle(job, variant)
        self.statistics.with_preamble += variant.preamble_used

    # ---- merging

    def _merge(self, spared: Collection[UnitId] = ()) -> Facts:
        merged = self.store.merge(self.states, self.tracked, self.names, spared)
        return Facts(merged, self.configurations, self.scans, self.store.forked)
