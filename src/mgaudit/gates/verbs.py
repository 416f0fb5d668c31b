"""The configured verbs, for gates and censuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.analysis.verb_reach import VerbReach
from mgaudit.analysis.verbs import find_verbs
from mgaudit.config.model import VerbsSpec
from mgaudit.domain.problems import UntrustedError
from mgaudit.graphs.call_builder import call_graph

if TYPE_CHECKING:
    from mgaudit.gates.context import GateContext


def verb_reach(context: GateContext) -> VerbReach | None:
    """What each configured verb may reach, one for all who ask these facts; None where no verb is configured.

    Raises:
        UntrustedError: A name of the configuration yields no verb; every problem.
    """
    spec = context.settings.verbs
    if spec == VerbsSpec():
        return None
    facts = context.facts
    if verb_reach not in facts.derived:
        graph = call_graph(facts)
        place = context.settings.origins.get("verbs", (context.settings.path, 0))
        verbs, problems = find_verbs(facts, graph.symbols, spec, place)
        if problems:
            raise UntrustedError(problems)
        facts.derived[verb_reach] = VerbReach(facts, graph, verbs)
    reach: VerbReach = facts.derived[verb_reach]
    return reach
