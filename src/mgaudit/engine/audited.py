"""Which zones the configured gates name: those are audited, and must be seen whole."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import TYPE_CHECKING, Any, Final

from mgaudit.config.fields import Content, File, NameOf
from mgaudit.gates.catalogue.parameters import CatalogueParameters
from mgaudit.sources.layouts import Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mgaudit.config.fields import Parameters
    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.sources.tree import TreeFiles


_OBSERVING: Final = frozenset({"reads", "writebacks", "upcalls"})
_INFERRING: Final = frozenset({"writebacks", "mutations", "dirty-surface"})


@dataclasses.dataclass(frozen=True, slots=True)
class Wishes:
    """What the configured gates want of every parse.

    Attributes:
        observed: Files whose uses of others are told apart by kind.
        keyed: Files whose memos, and whose types in memos' keys, are judged.
        linked: Sources of which is predicted what the linker will see.
        with_bodies: Whether bodies are extracted.
        asked: What is laid out and computed.
        words: All of it but the linked sources in words, for keys of caches.
    """

    observed: frozenset[str]
    keyed: frozenset[str]
    linked: frozenset[str]
    with_bodies: bool
    asked: Asked
    words: tuple[str, ...]

    @classmethod
    def of(cls, settings: Settings, files: TreeFiles) -> Wishes:
        """The wishes of a configuration over its files."""
        gates = settings.gates
        observed, keyed = observed_zones(gates), keyed_zones(gates)
        with_bodies, asked = needs_bodies(gates), asked_layouts(gates)

        def within(zones: Iterable[str]) -> frozenset[str]:
            return frozenset(path for name in zones for path in files.in_zone(name))

        words = (
            "observed", *globs(settings, observed), "bodies", str(with_bodies), "asked", str(asked),
            "keyed", *globs(settings, keyed),
        )  # fmt: skip
        return cls(within(observed), within(keyed), within(linked_zones(gates)), with_bodies, asked, words)


def globs(settings: Settings, zones: Iterable[str]) -> tuple[str, ...]:
    """The globs of some zones, sorted."""
    return tuple(sorted({glob for name in zones for glob in settings.zones[name].paths}))


def audited_zones(gates: Iterable[GateSpec]) -> frozenset[str]:
    """The zones that any of the gates names."""
    return frozenset(name for gate in gates for name in zones_of(gate.parameters))


def observed_zones(gates: Iterable[GateSpec]) -> frozenset[str]:
    """The zones whose uses of others some gate tells apart by kind."""
    return frozenset(name for gate in gates if gate.kind in _OBSERVING for name in gate.parameters.from_zones)  # type: ignore[attr-defined]


def linked_zones(gates: Iterable[GateSpec]) -> frozenset[str]:
    """The zones of whose sources some gate predicts what the linker will see."""
    chosen = (getattr(gate.parameters, "sources", None) for gate in gates if gate.kind == "symbol-purity")
    return frozenset(name for sources in chosen if sources is not None for name in sources.from_zones)


def needs_bodies(gates: Iterable[GateSpec]) -> bool:
    """Whether some gate infers what functions do: only then are their bodies extracted."""
    return any(gate.kind in _INFERRING for gate in gates)


def asked_layouts(gates: Iterable[GateSpec]) -> Asked:
    """The namespaces whose classes some gate wants laid out, and the constants whose values it wants."""
    namespaces, constants = set[str](), set[str]()
    for gate in gates:
        if isinstance(gate.parameters, CatalogueParameters):
            namespaces.add(gate.parameters.payload_namespace.removeprefix("::"))
            constants.update(filter(None, (gate.parameters.documented_count,)))
    return Asked(tuple(sorted(namespaces)), tuple(sorted(constants)))


def keyed_zones(gates: Iterable[GateSpec]) -> frozenset[str]:
    """The zones whose memos, and those whose types in their keys, some gate judges."""
    return frozenset(name for gate in gates if gate.kind == "memo-keys" for name in zones_of(gate.parameters))


def zones_of(parameters: Parameters) -> Iterator[str]:
    """The zones that a gate's parameters name, found by the types of their fields."""
    return _marked_fields(parameters, lambda mark: isinstance(mark, NameOf) and mark.kind == "zone")


def named_files(parameters: Parameters) -> Iterator[str]:
    """The files that a gate's parameters name by path, found likewise."""
    return _marked_fields(parameters, lambda mark: isinstance(mark, File | Content))


def _marked_fields(record: Any, is_wanted: Callable[[Any], bool]) -> Iterator[str]:
    hints = typing.get_type_hints(type(record), include_extras=True)
    for field in dataclasses.fields(record):
        yield from _marked(hints[field.name], getattr(record, field.name), is_wanted)


def _marked(hint: Any, value: Any, is_wanted: Callable[[Any], bool]) -> Iterator[str]:
    """The values below a value whose annotation carries a mark."""
    if value is None:
        return
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        if any(is_wanted(mark) for mark in arguments[1:]):
            yield value
        else:
            yield from _marked(arguments[0], value, is_wanted)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from _marked_fields(value, is_wanted)
    elif origin in (typing.Union, types.UnionType):
        yield from _marked(next(a for a in arguments if a is not type(None)), value, is_wanted)
    elif isinstance(value, tuple):
        for item in value:
            yield from _marked(arguments[0], item, is_wanted)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _marked(arguments[1], item, is_wanted)
