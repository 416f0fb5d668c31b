"""Controls of the gate kind ``link-ratchet``: the server's objects need what only the frontend's define."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.analysis.links import Side, classify
from mgaudit.gates.link_ratchet.parameters import LinkRatchetParameters
from mgaudit.gates.plant_binaries import SORTS, Place, cut_short, grown, mangled
from mgaudit.gates.plant_uses import Cause
from mgaudit.gates.plants import Ground, Plant
from mgaudit.sources.binaries_editing import Addition

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.gates.context import GateContext

_PAIRS: Final = 2  # their contents are held in memory, once for each control
_SCOPE: Final = ("mgaudit",)
_NAME: Final = mangled("a function", _SCOPE)
_NEEDED, _DEFINED = Addition(_NAME), Addition(_NAME, is_defined=True)


def plants(context: GateContext) -> Iterator[Plant]:
    """Symbols of every sort that an object of the server needs and one of the frontend defines, and objects cut short.

    Harmless are symbols that somebody else defines, too, that nobody defines, or that the frontend needs.
    """
    parameters = context.spec.parameters
    assert isinstance(parameters, LinkRatchetParameters)
    ground = Ground(context)
    found = context.binaries(context.matching(parameters.objects))
    if not found:
        return
    sides = classify((item for binary in found for item in binary.objects), parameters.partition.prefixes)
    server, frontend, shared = ([Place.of(item) for item in sides[side]] for side in Side)
    for index, sort in enumerate(SORTS):
        name = mangled(sort, _SCOPE)
        both = Addition(name), Addition(name, is_defined=True)
        yield from _owed(ground, f"the server needs {sort}", both, _pairs(server, frontend, index))
    weakly = Addition(_NAME, is_weak=True), _DEFINED
    yield from _owed(ground, "the server needs it weakly", weakly, _pairs(server, frontend, len(SORTS)))
    weak = _NEEDED, Addition(_NAME, is_defined=True, is_weak=True)
    yield from _owed(ground, "the frontend defines it weakly", weak, _pairs(server, frontend, len(SORTS) + 1))
    for user, definer in _pairs(server, frontend, 0):
        local = Addition(_NAME, is_defined=True, is_local=True)
        for control, additions in (
            ("nobody defines it", [(user, _NEEDED)]),
            ("only the frontend sees its definition", [(user, _NEEDED), (definer, local)]),
            ("the frontend needs the server", [(definer, _NEEDED), (user, _DEFINED)]),
        ):
            yield from grown(ground, Cause(control, "the server owes the frontend nothing"), additions, user.path)
        for control, others in (("the server has it, too", server), ("the shared part has it, too", shared)):
            for other in [place for place in others if place != user][:1]:
                more = [(user, _NEEDED), (definer, _DEFINED), (other, _DEFINED)]
                yield from grown(ground, Cause(control, "the frontend is not needed for it"), more, user.path)
    yield from (cut_short(ground, place.path) for place in server[:_PAIRS])


def _owed(
    ground: Ground, control: str, additions: tuple[Addition, Addition], pairs: Sequence[tuple[Place, Place]]
) -> Iterator[Plant]:
    needed, defined = additions
    for user, definer in pairs:
        cause = Cause(control, f"only the frontend defines {needed.name}")
        yield from grown(ground, cause, [(user, needed), (definer, defined)], user.path, needed.name)


def _pairs(server: Sequence[Place], frontend: Sequence[Place], turn: int) -> list[tuple[Place, Place]]:
    """Objects of both sides, at each turn others first: what different files get can be judged in one run."""
    indices = range(turn, turn + min(_PAIRS, max(len(server), len(frontend))))
    return [(server[index % len(server)], frontend[index % len(frontend)]) for index in indices]
