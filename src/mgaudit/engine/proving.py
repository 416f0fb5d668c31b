"""Proves that gates can go red: plants violations in memory, and demands exactly the expected finding and no other.

Nothing is written into the tree, nor into the facts that later runs rest on. Plants are judged together, a few in each
unit; where the answer is not exactly the expected one, each plant in doubt is judged again, in the end alone.
"""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mgaudit.domain.findings import Status
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.domain.proof import Control, GateProof, Proof, Standing, Verdict
from mgaudit.engine.judge import Selection, context_of, judge
from mgaudit.engine.pipeline import Analysis, Options, analyse
from mgaudit.engine.planted import Planting
from mgaudit.engine.pool import Pool
from mgaudit.engine.proof_answers import GateAnswers, errors_of, fresh_errors, key_of, places_of
from mgaudit.engine.verdicts import Verdicts
from mgaudit.facts.cache import Cache
from mgaudit.gates.inference import entries_over_bodies, rests_on_effects
from mgaudit.gates.registry import KINDS
from mgaudit.graphs.includes import IncludeGraph
from mgaudit.sources.tree import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.domain.findings import Finding
    from mgaudit.engine.worker import Setup
    from mgaudit.gates.plants import Plant

_REJECTED: Final = 3  # candidates that do not parse, before a control counts as one that this tree has no place for

_TOGETHER: Final = 4  # plants of one unit in a run: its parse is shared, but one that does not parse spoils the others

_NOTHING: Final = "it has no red control in this tree: nothing shows that it can go red"
_NO_KIND: Final = "no control of its kind exists yet: nothing shows that it can go red"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be proved.

    Attributes:
        gates: Ids of gates; empty for all.
        kinds: Kinds of gates; empty for all.
        most: How many plants at most of each kind of control of a gate.
    """

    gates: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    most: int = 1

    def has(self, gate: GateSpec) -> bool:
        """Whether a gate is to be proved."""
        return (not self.gates or gate.id in self.gates) and (not self.kinds or gate.kind in self.kinds)


def prove(settings: Settings, options: Options, wanted: Wanted) -> Proof:
    """Plant, judge, and take away again, until every control of every gate has its answer.

    Raises:
        UntrustedError: See `mgaudit.engine.pipeline.analyse`.
    """
    with contextlib.ExitStack() as stack:
        options = replace(options, pool=_Kept(stack))
        analysis = analyse(settings, options)
        stack.callback(analysis.facts.connection.close)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mgaudit-", ignore_cleanup_errors=True))
        database = Path(folder, "facts.sqlite")
        with contextlib.closing(sqlite3.connect(database)) as copy:
            analysis.facts.connection.backup(copy)
        return _Proving(analysis, replace(options, database=database), wanted).proof()


class _Kept:
    """Keeps the worker processes of one run for the next.

    Args:
        stack: Ends them.
    """

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._pools: dict[Setup, Pool] = {}

    def __call__(self, setup: Setup, jobs: int) -> contextlib.AbstractContextManager[Pool]:
        """The pool of a setup, for one run."""
        if setup not in self._pools:
            self._pools[setup] = self._stack.enter_context(Pool(setup, jobs))
        return contextlib.nullcontext(self._pools[setup])


@dataclass(eq=False)
class _Task:
    """One control of a gate: candidates that stand for one another, and what came of them."""

    gate: GateSpec
    kind: str
    stays_green: bool
    candidates: deque[Plant]
    left: int
    results: list[Control] = field(default_factory=list)
    rejected: list[tuple[Plant, str]] = field(default_factory=list)
    planted: set[str] = field(default_factory=set)

    @property
    def is_open(self) -> bool:
        return self.left > 0 and bool(self.candidates) and len(self.rejected) < _REJECTED


@dataclass(frozen=True, slots=True)
class _Trial:
    """A plant that is judged in a run."""

    task: _Task
    plant: Plant


class _Proving:
    def __init__(self, analysis: Analysis, options: Options, wanted: Wanted) -> None:
        self.analysis = analysis
        self.settings = analysis.settings
        self.options = options
        self.wanted = wanted
        self.gates = [gate for gate in analysis.settings.gates if wanted.has(gate)]
        self.runs = 1
        self.errors: list[Problem] = []
        self.base = GateAnswers(judge(analysis, self._selection(self.gates)))
        self.diagnostics = errors_of(analysis)
        self.suspects: set[int] = set()
        self.main_files = {unit.name.path for unit in analysis.facts.units}

    @staticmethod
    def _selection(gates: Iterable[GateSpec]) -> Selection:
        return Selection(frozenset(gate.id for gate in gates))

    def proof(self) -> Proof:
        tasks = [task for gate in self.gates for task in self._tasks(gate)]
        while batch := self._batch(tasks):
            doubtful = self._judge(batch)
            while doubtful:
                doubtful = self._resolve(doubtful)
        self._demand_the_old_answer()
        proofs = tuple(self._of_gate(gate, [t for t in tasks if t.gate is gate]) for gate in self.gates)
        report = self.base.report
        errors = (*report.errors, *self.errors)
        return Proof(report, proofs, errors, self.runs)

    # ---- what to plant

    def _tasks(self, gate: GateSpec) -> list[_Task]:
        planter = KINDS[gate.kind].load_plants()
        if planter is None or (
            self.base.of(gate).status in {Status.SKIPPED, Status.UNTRUSTED} and not self._may_plant(gate)
        ):
            return []
        found: dict[tuple[bool, str], list[Plant]] = defaultdict(list)
        with self.analysis.facts.within(gate.configurations) as facts:
            for plant in planter(context_of(self.analysis, gate, facts)):
                found[plant.stays_green, plant.control].append(plant)
        return [
            _Task(gate, control, green, deque(plants), self.wanted.most) for (green, control), plants in found.items()
        ]

    def _may_plant(self, gate: GateSpec) -> bool:
        """Whether a gate answers although what it rests on cannot be trusted."""
        return gate.kind == "health" and self.base.of(gate).status is not Status.SKIPPED

    def _batch(self, tasks: Sequence[_Task]) -> list[_Trial]:
        """Candidates of as many controls as can be judged in one run."""
        batch: list[_Trial] = []
        taken: dict[str, list[_Trial]] = defaultdict(list)
        for task in tasks:
            for plant in task.candidates if task.is_open else ():
                touched = self._touched(plant)
                near = [trial for path in sorted(touched) for trial in taken[path]]
                is_full = any(len(taken[path]) >= _TOGETHER for path in touched)
                is_new = task.planted.isdisjoint(plant.texts)
                if is_new and not is_full and self._can_share(task, plant, near, batch):
                    task.candidates.remove(plant)
                    trial = _Trial(task, plant)
                    batch.append(trial)
                    for path in touched:
                        taken[path].append(trial)
                    break
        if not batch:  # a second plant of a control may have to share its file with the first
            repeated = next((task for task in tasks if task.is_open and not task.results), None)
            if repeated is not None:
                batch = [_Trial(repeated, repeated.candidates.popleft())]
        return batch

    def _can_share(self, task: _Task, plant: Plant, near: Sequence[_Trial], batch: Sequence[_Trial]) -> bool:
        """Whether a plant can be judged together with others.

        Args:
            task: Its control.
            plant: The plant.
            near: Those that share a unit with it.
            batch: All of them.
        """
        # Where one of them does not parse, the others prove nothing.
        if near and any(p.is_doubt or id(p) in self.suspects for p in (plant, *(trial.plant for trial in near))):
            return False
        own = [trial.plant for trial in batch if trial.task.gate is task.gate]
        # Of a gate that is in doubt, nothing else can be told; and one finding proves one plant.
        if any(p.is_doubt != plant.is_doubt or (p.entity and _place(p) == _place(plant)) for p in own):
            return False
        beside = [trial.plant for trial in batch if not trial.plant.texts.keys().isdisjoint(plant.texts)]
        together = self._planting(enumerate((*beside, plant)))
        # A list that no unit holds can have several changes, each in a line of its own.
        return not beside or (together.texts is not None if near else together.are_apart)

    def _planting(self, plants: Iterable[tuple[int, Plant]]) -> Planting:
        return Planting(tuple(plants), lambda name: read_file(self.settings, name))

    def _touched(self, plant: Plant) -> frozenset[str]:
        """The main files of the units that hold a changed file, headers taken alone among them."""
        found = self.main_files & plant.texts.keys()
        for name in self.analysis.facts.configurations:
            graph = IncludeGraph.of(self.analysis.facts, name)
            for path in plant.texts:
                found.update(unit.name.path for unit in graph.including_units(path))
        return frozenset(found)

    # ---- judging

    def _resolve(self, doubtful: list[_Trial]) -> list[_Trial]:
        """Judge one trial of each gate, and alone what is in doubt even then; returns the others.

        The gates' own work is shared, and what one of them says of the plant of another is told apart by its place.
        """
        chosen: list[_Trial] = []
        for trial in doubtful:
            is_first = all(other.task.gate is not trial.task.gate for other in chosen)
            is_apart = not self._has_neighbours(trial, chosen)
            if is_first and is_apart and self._can_share(trial.task, trial.plant, (), chosen):
                chosen.append(trial)
        for trial in self._judge(chosen):
            if len(chosen) > 1:
                self._judge([trial])
        return [trial for trial in doubtful if trial not in chosen]

    def _judge(self, batch: list[_Trial]) -> list[_Trial]:
        """Judge a run; returns the trials about which it leaves doubts. Of a single one, what it says is final."""
        planting = self._planting(enumerate(trial.plant for trial in batch))
        if planting.texts is None:
            return batch
        gates = [gate for gate in self.gates if any(trial.task.gate is gate for trial in batch)]
        self.runs += 1
        try:
            analysis = analyse(replace(self.settings, overlay=planting.texts), self.options)
        except UntrustedError as error:
            return self._settle_all(batch, str(error).splitlines()[0])
        try:
            fit = self._fit(batch, planting, analysis)
            answers = GateAnswers(judge(analysis, self._selection(gates)))
        finally:
            analysis.facts.connection.close()
        doubtful = []
        for gate in gates:
            own = [trial for trial in fit if trial.task.gate is gate]
            doubtful += self._compare(gate, own, planting, answers, is_final=len(batch) == 1)
        return doubtful

    def _settle_all(self, batch: list[_Trial], reason: str) -> list[_Trial]:
        if len(batch) > 1:
            return batch
        _settle(batch[0], Verdict.UNTRUSTED, reason)
        return []

    def _fit(self, batch: list[_Trial], planting: Planting, analysis: Analysis) -> list[_Trial]:
        """The plants that parse. Of another, the next candidate takes its place: what does not parse proves nothing.

        A plant that shares a unit with one that does not parse is a candidate again, for no unit that fails is whole.
        """
        fresh = fresh_errors(self.diagnostics, errors_of(analysis))
        fit = []
        for trial in batch:
            touched = self._touched(trial.plant)
            near = [] if trial.plant.is_doubt else [error for error in fresh if error.unit in touched]
            due = [e for e in near if planting.is_due_to([(e.path, e.line)], trial.plant)]
            own = next((e for e in due if planting.owner(e.path, e.line) is trial.plant), None)
            if due and own is None and self._has_neighbours(trial, batch):
                self.suspects.add(id(trial.plant))  # whose fault it is shows when each has a unit to itself
            elif due:
                guilty = own or due[0]
                trial.task.rejected.append((trial.plant, f"{guilty.path}: {guilty.message}"))
                continue
            if near:
                trial.task.candidates.appendleft(trial.plant)
            else:
                fit.append(trial)
        return fit

    def _has_neighbours(self, trial: _Trial, batch: Iterable[_Trial]) -> bool:
        """Whether another trial shares a unit with one."""
        touched = self._touched(trial.plant)
        return any(not touched.isdisjoint(self._touched(other.plant)) for other in batch if other is not trial)

    def _compare(
        self, gate: GateSpec, trials: list[_Trial], planting: Planting, answers: GateAnswers, *, is_final: bool
    ) -> list[_Trial]:
        """Hold what a gate says now against what it said before, and is expected to."""
        doubts = [trial for trial in trials if trial.plant.is_doubt]
        trials = [trial for trial in trials if not trial.plant.is_doubt]
        self._weigh_doubts(gate, doubts, answers)
        result = answers.of(gate)
        if result.status is Status.UNTRUSTED and self.base.of(gate).status is not Status.UNTRUSTED:
            for trial in trials if is_final else ():
                _settle(trial, Verdict.UNTRUSTED, result.reason)
            return [] if is_final else trials
        fresh = answers.keys(gate) - self.base.keys(gate)
        gone = self.base.keys(gate) - answers.keys(gate)
        hits: dict[int, Finding] = {}
        for trial in trials:
            finding = answers.hit(gate, trial.plant, planting.line(trial.plant), fresh)
            if finding is not None:
                hits[id(trial)] = finding
                fresh -= Counter([key_of(finding)])
        more = [answers.example(gate, key) for key in sorted(fresh, key=str)]
        less = [self.base.example(gate, key) for key in sorted(gone, key=str)]
        doubtful = []
        for trial in trials:
            # What other plants cause is theirs to answer for.
            surplus = [f for f in more if planting.is_due_to(places_of(f), trial.plant)] + less
            if not surplus and (trial.plant.stays_green or id(trial) in hits):
                _settle(trial, Verdict.PROVED, hits[id(trial)].message if id(trial) in hits else "")
            elif not is_final:
                doubtful.append(trial)
            elif surplus:
                _settle(trial, Verdict.UNEXPECTED, f"{surplus[0].path}:{surplus[0].line}: {surplus[0].message}")
            else:
                _settle(trial, Verdict.MISSED, "the gate says nothing of it")
        return doubtful

    def _weigh_doubts(self, gate: GateSpec, trials: list[_Trial], answers: GateAnswers) -> None:
        """Hold the reasons not to trust a gate against those that are expected."""
        fresh = set(answers.report.errors) - set(self.base.report.errors)
        for trial in trials:
            plant = trial.plant
            problem = next((p for p in sorted(fresh, key=str) if (p.path, p.line) == (plant.path, plant.line)), None)
            is_open = answers.of(gate).status is Status.UNTRUSTED
            if problem is not None and is_open:
                _settle(trial, Verdict.PROVED, problem.message)
            else:
                _settle(trial, Verdict.MISSED, "the gate trusts what cannot be trusted")

    def _demand_the_old_answer(self) -> None:
        """With nothing planted any more, every gate must say what it said at first."""
        if self.runs == 1:
            return
        self.runs += 1
        analysis = analyse(self.settings, self.options)
        try:
            # What was said at first is not believed here, but judged again.
            fresh = replace(analysis, verdicts=Verdicts(Cache(self.options.cache), ""))
            answers = GateAnswers(judge(fresh, self._selection(self.gates)))
        finally:
            analysis.facts.connection.close()
        for gate in self.gates:
            if answers.keys(gate) != self.base.keys(gate):
                self.errors.append(
                    Problem(
                        None, 0, f'gate "{gate.id}": with nothing planted, it no longer says what it said',
                        "report this: a run must not depend on the one before",
                    )
                )  # fmt: skip

    # ---- summing up

    def _of_gate(self, gate: GateSpec, tasks: list[_Task]) -> GateProof:
        result = self.base.of(gate)
        controls = tuple(control for task in tasks for control in _controls(task))
        failed = [control for control in controls if control.has_failed]
        red = [c for c in controls if not c.stays_green and c.verdict is Verdict.PROVED]
        if result.status is Status.SKIPPED:
            standing, reason = Standing.SKIPPED, result.reason
        elif failed:
            standing, reason = Standing.FAILED, f"{len(failed)} of its controls failed"
        elif result.status is Status.UNTRUSTED and not red:
            standing, reason = Standing.UNTRUSTED, result.reason
        elif not red:
            standing, reason = Standing.FAILED, _NO_KIND if KINDS[gate.kind].plants is None else _NOTHING
        else:
            standing, reason = Standing.PROVED, ""
        return GateProof(gate.id, gate.kind, standing, reason, controls, tuple(self._assumptions(gate)))

    def _assumptions(self, gate: GateSpec) -> Iterator[str]:
        """The bodies that a gate takes the configuration's word for."""
        if not rests_on_effects(gate.kind):
            return
        for entry in entries_over_bodies(self.settings, self.analysis.facts):
            bodies = " and ".join(f"{path}:{line}" for path, line in entry.bodies)
            if entry.reason and bodies:
                path, line = entry.place
                yield f"what {entry.name} does: {path}:{line} in the place of {bodies}: {entry.reason}"


def _place(plant: Plant) -> tuple[str, int, str]:
    return plant.path, plant.line, plant.entity


def _controls(task: _Task) -> Iterator[Control]:
    yield from task.results
    if not task.results and task.rejected:
        plant, reason = task.rejected[0]
        yield _control(plant, Verdict.UNPLANTED, f"none of {len(task.rejected)} candidates parses: {reason}")


def _control(plant: Plant, verdict: Verdict, answer: str) -> Control:
    return Control(
        plant.control, plant.stays_green, plant.path, plant.line, plant.entity, plant.why, verdict, answer
    )  # fmt: skip


def _settle(trial: _Trial, verdict: Verdict, answer: str) -> None:
    trial.task.left -= 1
    trial.task.planted.update(trial.plant.texts)
    trial.task.results.append(_control(trial.plant, verdict, answer))
