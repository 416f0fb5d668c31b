"""The check of the gate kind ``memo-keys``: what identifies the entries of caches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.memo_containers import ContainerError, Containers, template
from mgaudit.analysis.memo_origins import Names
from mgaudit.analysis.memo_walk import Terms
from mgaudit.analysis.memo_world import World
from mgaudit.analysis.memos import Answer, Census, Component, Role, totals
from mgaudit.analysis.sites_entities import CLASSES
from mgaudit.config.knowledge import containers
from mgaudit.domain.findings import Evidence, Finding, Severity
from mgaudit.domain.names import Patterns
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.facts.query import FUNCTION_KINDS
from mgaudit.gates.context import Verdict
from mgaudit.gates.memo_keys.parameters import MemoKeysParameters
from mgaudit.gates.scopes import empty_zones

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mgaudit.gates.context import GateContext


def check(context: GateContext) -> Verdict:
    """Find the components of memo keys that may be used again behind the memo's back."""
    judged = context.once(judge)
    return Verdict(tuple(judged.findings()), judged.examined(), ())


@dataclass(frozen=True, slots=True)
class Judged:
    """The memos of a gate's zones.

    Attributes:
        context: The gate's context.
        components: What they are made of.
        files: How many files were looked at.
        is_ratcheted: Whether a baseline holds the undecided ones that are known.
    """

    context: GateContext
    components: tuple[Component, ...]
    files: int
    is_ratcheted: bool

    def examined(self) -> dict[str, int]:
        """What was looked at."""
        memos = {component.container.key for component in self.components}
        roles = {f"{role} components": count for role, count in sorted(totals(self.components).items())}
        return {"files": self.files, "memos": len(memos), **roles}

    def findings(self) -> list[Finding]:
        """One finding for each component that fails, or that nobody can judge."""
        return [self._finding(c) for c in self.components if c.answer is not Answer.ALLOWED]

    def _finding(self, component: Component) -> Finding:
        place, container = component.place, component.container
        is_undecided = component.answer is Answer.UNDECIDED
        mark = ("undecided",) if is_undecided else ()
        if component.role is Role.REVERSE:
            message = f"{place.name}: {component.why}"
        else:
            inside = "" if container.key == place.key else f" of {container.name}"
            verb = "may be unsound" if is_undecided else "is unsound"
            message = (
                f"{place.name} ({component.type.text}), a {component.role} component{inside}, {verb}: {component.why}"
            )
        return Finding(
            gate=self.context.spec.id, kind=self.context.spec.kind,
            severity=Severity.WARNING if is_undecided and not self.is_ratcheted else Severity.ERROR, message=message,
            help=_HELP_UNDECIDED if is_undecided else _HELP[component.role],
            path=place.path, line=place.line, column=place.column, entity=component.type.text, symbol=place.name,
            identity=(*mark, place.path, place.name, container.name, component.type.text, component.role),
            configurations=self.context.facts.names_of(component.mask),
            evidence=tuple(Evidence("type walk", place.path, place.line, step) for step in component.evidence),
        )  # fmt: skip


def judge(context: GateContext) -> Judged:
    """Find the memos.

    Raises:
        UntrustedError: A zone holds no file, or an entry of ``[containers]`` means nothing.
    """
    parameters = context.spec.parameters
    assert isinstance(parameters, MemoKeysParameters)
    known, problems = _containers(context)
    problems += empty_zones(context, "zones", parameters.zones)
    problems += empty_zones(context, "frontend", parameters.frontend)
    problems += _unknown_names(context, parameters)
    if problems:
        raise UntrustedError(problems)
    world = World.of(context.facts)
    census = Census(
        world, known, _terms(context, parameters),
        Names(Patterns(parameters.lifetime_functions), Patterns(parameters.gl_name_functions)), _overriding(context),
        narrow=parameters.narrow_counters,
    )  # fmt: skip
    files = len(context.paths_in(parameters.zones))
    return Judged(context, tuple(census.components()), files, parameters.undecided is not None)


def _containers(context: GateContext) -> tuple[Containers, list[Problem]]:
    entries, problems = {}, []
    for name, entry in containers(context.settings).items():
        try:
            entries[name] = template(entry)
        except ContainerError as error:
            place = context.settings.origins.get(f"containers.{name}", (context.settings.path, 0))
            problems.append(Problem(*place, f'container "{name}": {error}', "see docs/configuration.md"))
    return Containers(entries), problems


def _unknown_names(context: GateContext, parameters: MemoKeysParameters) -> Iterator[Problem]:
    """A problem for each name that no unit declares: a misspelt one would forbid or allow nothing."""
    named = (
        ("handle-types", "type", parameters.handle_types, _TYPES),
        ("gl-name-types", "type", parameters.gl_name_types, _TYPES),
        ("value-classes", "class", parameters.value_classes, CLASSES),
        ("gl-name-functions", "function", parameters.gl_name_functions, FUNCTION_KINDS),
        ("lifetime-functions", "function", parameters.lifetime_functions, FUNCTION_KINDS),
    )
    for key, what, patterns, kinds in named:
        for index, pattern in enumerate(patterns):
            if not any(symbol.kind in kinds for symbol in context.facts.symbols_named(pattern)):
                yield Problem(
                    *context.spec.place(f"{key}[{index}]"),
                    f'gate "{context.spec.id}": no translation unit declares the {what} `{pattern}`',
                    "correct the name, or remove it",
                )


def _terms(context: GateContext, parameters: MemoKeysParameters) -> Terms:
    zones = [context.zone(name) for name in parameters.frontend]
    frontend, inside = context.paths_in(parameters.frontend), context.paths_in(parameters.zones)
    return Terms(
        lambda path, name: path in frontend or any(zone.has_name(name) for zone in zones),
        lambda path: path in inside,
        *map(Patterns, (parameters.handle_types, parameters.gl_name_types, parameters.value_classes)),
    )  # fmt: skip


def _overriding(context: GateContext) -> dict[str, list[str]]:
    """The overriding functions of each virtual function, by USR."""
    found: dict[str, list[str]] = {}
    for method, overridden in context.facts.overrides:
        names = found.setdefault(context.facts.symbol(overridden).usr, [])
        names.append(context.facts.symbol(method).usr)
    return {key: sorted(set(names)) for key, names in found.items()}


_TYPES: Final = CLASSES | {"enum", "typedef", "type-alias"}
_HELP: Final = {
    Role.KEY: "key the memo on the handle, or on a hash of the content; name a table that must start from the object "
    "in `exempt`",
    Role.FRESHNESS: "compare a handle beside it, or a counter that does not wrap",
    Role.REVERSE: "keep the backend's objects in a table of the backend, keyed on the handle",
}
_HELP_UNDECIDED: Final = "store a handle or a value whose origin can be followed, or name the component in `exempt`"
