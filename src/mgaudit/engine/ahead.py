"""Verdicts made ahead by several processes, for one that asks for them in order.

A process leaves its verdicts where kept ones are (`mgaudit.engine.verdicts`), and the one that sums up finds them there
as those of an earlier run. It judges itself what it does not find, so that nothing hangs on the other processes.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from mgaudit.domain.problems import UntrustedError
from mgaudit.engine.crew import Crew
from mgaudit.engine.pool import start_method
from mgaudit.gates.inference import asks_for_all_effects, effects_for, shares_effects
from mgaudit.gates.registry import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from mgaudit.config.model import GateSpec
    from mgaudit.engine.answers import Answers
    from mgaudit.engine.pipeline import Analysis
    from mgaudit.gates.context import GateContext

    Asked = Callable[[GateSpec], AbstractContextManager[tuple[GateContext, Answers]]]


def judge_ahead(analysis: Analysis, gates: Sequence[GateSpec], asked: Asked, jobs: int) -> None:
    """Have verdicts at hand, if there are several to be made and forking is safe.

    Gates that find out much in common are judged by one process. Where there are both such that ask for the effects of
    all functions and such that ask for those of some zones, this process infers these first, while others judge what
    has no need of them.

    Args:
        analysis: The analysis.
        gates: Gates whose checks will be asked, each by itself.
        asked: What their checks get, and what answers that.
        jobs: How many processes at most; more by one when the first ones still judge after the inference.
    """
    if jobs < 2 or not (analysis.verdicts.are_kept and analysis.facts.survive_forks and start_method() == "fork"):
        return
    left = [gate for gate in gates if not _is_known(analysis, gate, asked)]
    if len(left) < 2:
        return
    related = [gate for gate in left if shares_effects(gate.kind) and not gate.configurations]
    others = [[gate] for gate in left if gate not in related]
    groups = [[g for g in related if asks_for_all_effects(g.kind) is is_wide] for is_wide in (True, False)]

    def crew(some: Sequence[Sequence[GateSpec]], count: int) -> Crew:
        tasks = [partial(_judge, analysis, gates, asked) for gates in some]
        return Crew(tasks, min(jobs - 1, count), partial(_prepare, analysis))

    if not all(groups):
        tasks = [*filter(None, groups), *others]
        with crew(tasks, len(tasks) - 1) as one:
            one.help()
        return
    with crew(others, len(others)) as first:
        with contextlib.suppress(UntrustedError), asked(related[0]) as (context, _):  # whoever asks meets it again
            effects_for(context).infer()
        with crew(groups, 1) as second:
            second.help()
        first.help()


def _prepare(analysis: Analysis) -> bool:
    """Make a forked process fit to judge; False where it cannot be."""
    analysis.inquiry.confine()
    return analysis.facts.reopen()


def _is_known(analysis: Analysis, gate: GateSpec, asked: Asked) -> bool:
    with asked(gate) as (context, answers):
        return analysis.verdicts.knows(context, answers)


def _judge(analysis: Analysis, gates: Sequence[GateSpec], asked: Asked) -> None:
    for gate in gates:
        check = KINDS[gate.kind].load_check()
        assert check is not None
        # Whoever asks meets it again. Any other error may leave half of an inference behind: it ends the process.
        with contextlib.suppress(UntrustedError), asked(gate) as (context, answers):
            analysis.verdicts.prepare(check, context, answers)
