"""Controls of the gate kind ``symbol-purity``: machine code that refers to a forbidden symbol, or will."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.sites_entities import Entities, Scope
from mgaudit.gates.plant_binaries import SORTS, Place, cut_short, grown, mangled
from mgaudit.gates.plant_forms import Planter
from mgaudit.gates.plant_uses import Cause, accessors, functions
from mgaudit.gates.plants import Ground, Plant
from mgaudit.gates.symbol_purity.check_binaries import exporting
from mgaudit.gates.symbol_purity.parameters import SymbolPurityParameters
from mgaudit.sources.binaries_editing import Addition, with_hidden
from mgaudit.sources.binaries_names import OwnNamePattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.gates.context import GateContext
    from mgaudit.gates.symbol_purity.parameters import SymbolZones
    from mgaudit.sources.binaries_model import Binary

_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
_FUNCTION: Final = "a function"
_FILES: Final = 2  # their contents are held in memory, once for each control
_HARMLESS: Final = {
    "only a parameter": "_Z14mgauditPlantedPN{scope}7PlantedE",
    "only a template's argument": "_Z14mgauditPlantedIN{scope}7PlantedEEvv",
}


def plants(context: GateContext) -> Iterator[Plant]:
    """In sources, calls of functions whose code lies in the forbidden zones, and calls that no linker sees.

    In binaries, undefined symbols of every sort that a pattern forbids, required exports that are hidden, and files cut
    short; harmless are symbols with such a name in their parameters, and those that the binary defines.
    """
    parameters = context.spec.parameters
    assert isinstance(parameters, SymbolPurityParameters)
    ground = Ground(context)
    if parameters.sources is not None:
        yield from _in_sources(ground, parameters.sources)
    yield from _in_binaries(ground, parameters)


def _in_sources(ground: Ground, zones: SymbolZones) -> Iterator[Plant]:
    context = ground.context
    forbidden = context.paths_in(zones.forbid)
    paths = context.paths_in(zones.from_zones)
    entities = Entities.of(context.facts, Scope(forbidden, tuple(context.zone(name) for name in zones.forbid)))
    every = [
        *functions(ground, forbidden),
        *accessors(ground, entities, is_const=True),
        *accessors(ground, entities, is_const=False),
    ]
    outside = ground.defined_in_sources([number for number, _ in every])
    uses = [use for number, use in every if number in outside]
    # An inline function that nobody uses has no code: neither is there any for what it calls.
    planter = Planter(ground, paths, uses, ", which the linker will look for", specifier="")
    yield from planter.red()
    yield from planter.green()
    yield from planter.dropped()


def _in_binaries(ground: Ground, parameters: SymbolPurityParameters) -> Iterator[Plant]:
    known = ground.context.binaries(ground.context.matching(parameters.binaries))
    found = sorted((b for b in known if b.objects), key=lambda b: (len(ground.text(b.path)), b.path))[:_FILES]
    places = [Place.of(binary.objects[-1]) for binary in found]
    if scope := _forbidden_scope(parameters.forbid):
        for sort in SORTS:
            name = mangled(sort, scope)
            yield from _needed(ground, places, Cause(f"a binary needs {sort}", f"{name} is forbidden"), Addition(name))
        weak = Addition(mangled(_FUNCTION, scope), is_weak=True)
        yield from _needed(ground, places, Cause("a binary needs it weakly", f"{weak.name} is forbidden"), weak)
        own = Addition(mangled(_FUNCTION, scope), is_defined=True)
        for place in places:
            cause = Cause("a binary has it itself", f"{own.name} is defined where it is needed")
            yield from grown(ground, cause, [(place, own), (place, Addition(own.name))], place.path)
        for control, form in _HARMLESS.items():
            name = form.format(scope="".join(f"{len(part)}{part}" for part in scope))
            for place in places:
                cause = Cause(control, "a symbol is judged by its own name")
                yield from grown(ground, cause, [(place, Addition(name))], place.path)
    for binary in found:
        yield from _hidden(ground, binary, parameters.require_exports)
        yield cut_short(ground, binary.path)


def _hidden(ground: Ground, binary: Binary, exports: Sequence[str]) -> Iterator[Plant]:
    """A required export that other components do not see any more."""
    for text in exports:
        names = {symbol.name for symbol in exporting(binary, text)}
        changed = with_hidden(ground.text(binary.path), names) if names else None
        if changed is not None:
            why = f"{text} has to be exported"
            yield Plant("a hidden export", why, {binary.path: changed}, binary.path, 0, text)


def _needed(ground: Ground, places: Sequence[Place], cause: Cause, addition: Addition) -> Iterator[Plant]:
    for place in places:
        yield from grown(ground, cause, [(place, addition)], place.path, addition.name)


def _forbidden_scope(patterns: Sequence[str]) -> tuple[str, ...]:
    """A namespace in which one of some patterns forbids every sort of symbol; empty where none surely does."""
    for text in patterns:
        pattern = OwnNamePattern.parse(text)
        for named in _NAME.findall(text.removeprefix("re:")):
            scope = tuple(named.split("::"))
            if all(pattern.matches(mangled(sort, scope)) for sort in SORTS):
                return scope
    return ()
