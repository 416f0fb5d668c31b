"""Controls of the gate kind ``mutations``: a function reaches the backend and changes state, and no row says why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mgaudit.facts.bodies import bodies_of
from mgaudit.facts.rows import symbols_within
from mgaudit.gates.mutations.check import judge
from mgaudit.gates.mutations.parameters import MutationsParameters
from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_rows import Rows
from mgaudit.gates.plant_uses import Use, accessors, use_of
from mgaudit.gates.plants import Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext

# Of a template the pair lies at its call; a function of the tree hands what it does on to its callers.
_ELSEWHERE: Final = ("in a template", "in a function of the tree", "in a function of a fragment")


def plants(context: GateContext) -> Iterator[Plant]:
    """Mutations beside a call of the backend, each of the two alone, and rows that are wrong."""
    parameters = context.spec.parameters
    assert isinstance(parameters, MutationsParameters)
    ground, judged = Ground(context), judge(context)
    paths = context.paths_in(parameters.from_zones)
    every = accessors(ground, judged.state.entities, is_const=False)
    changing = [use for number, use in every if judged.state.mutates(number)]
    const = accessors(ground, judged.state.entities, is_const=True)
    reading = [use for number, use in const if not judged.state.mutates(number) and not judged.state.may_mutate(number)]
    reaching = [use for name in parameters.reach for use in _reaching(ground, name)]
    if reaching:
        both = [use.beside(reaching[0]) for use in changing]
        planter = Planter(ground, paths, both, " beside a call of the backend", without=_ELSEWHERE)
        yield from planter.red()
        yield from planter.green()
        read = Planter(ground, paths, [use.beside(reaching[0]) for use in reading], "")
        yield from read.accepted("a read beside a call of the backend")
    alone = Planter(ground, paths, changing, "")
    yield from alone.accepted("a mutation alone")
    catalogue = Rows(ground, judged.catalogue, lambda row: f"{row.get('function')}, {row.get('mutator')}")
    yield from catalogue.doubled()
    if "verdict" in judged.catalogue.columns:
        yield from catalogue.answered(judged.catalogue.columns.index("verdict"))
    paths_of = bodies_of(context.facts)
    yield from catalogue.taken(
        (row, (paths_of.path(pair.node.file), pair.node.line, judged.mutator(pair)))
        for pair in judged.pairs
        if pair.is_certain
        for row in judged.rows_of(pair)
    )
    yield from catalogue.commented()


def _reaching(ground: Ground, name: str) -> Iterator[Use]:
    """How to reach the backend by a variable: a call of a slot of its, or of a method."""
    facts = ground.facts
    for variable in facts.symbols_named(name):
        headers = tuple(ground.declaring(variable.id))
        declared = next((row.type for row in facts.declarations_of([variable.id]) if row.type), "")
        bare = declared.replace("const ", "").rstrip(" *&")
        if variable.kind not in {"variable", "static-variable"} or not headers or not bare:
            continue
        arrow = "->" if declared.endswith("*") else "."
        for owner in facts.symbols_named("::" + bare):
            for member in symbols_within(facts, {owner.id}):
                use = use_of(ground, member, calls_fields=True) if member.kind in {"field", "method"} else None
                if use is not None and use.is_call:
                    text = f"::{variable.qualified}{arrow}{member.name}({{arguments}})"
                    yield replace(use, receiver="", headers=(headers,), expression=text)
