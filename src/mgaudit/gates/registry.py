"""Every gate kind, in the order in which documentation lists them. A new gate is one folder and one entry here."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mgaudit.config.log import nearest
from mgaudit.domain.problems import Problem
from mgaudit.gates.catalogue.parameters import CatalogueParameters
from mgaudit.gates.closure_probe.parameters import ClosureProbeParameters
from mgaudit.gates.dirty_surface.parameters import DirtySurfaceParameters
from mgaudit.gates.doc_citations.parameters import DocCitationsParameters
from mgaudit.gates.forbidden_calls.parameters import ForbiddenCallsParameters
from mgaudit.gates.frozen.parameters import FrozenParameters
from mgaudit.gates.generated.parameters import GeneratedParameters
from mgaudit.gates.health.parameters import HealthParameters
from mgaudit.gates.include_purity.parameters import IncludePurityParameters
from mgaudit.gates.layers.parameters import LayersParameters
from mgaudit.gates.link_ratchet.parameters import LinkRatchetParameters
from mgaudit.gates.memo_keys.parameters import MemoKeysParameters
from mgaudit.gates.mutations.parameters import MutationsParameters
from mgaudit.gates.reads.parameters import ReadsParameters
from mgaudit.gates.symbol_purity.parameters import SymbolPurityParameters
from mgaudit.gates.test_names.parameters import TestNamesParameters
from mgaudit.gates.undeclared.parameters import UndeclaredParameters
from mgaudit.gates.upcalls.parameters import UpcallsParameters
from mgaudit.gates.writebacks.parameters import WritebacksParameters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mgaudit.config.fields import Parameters
    from mgaudit.config.model import Settings


@dataclass(frozen=True, slots=True)
class Kind:
    """One gate kind.

    Attributes:
        parameters: What it can be told.
        summary: Its promise, in one line.
        available: Whether `check` can run it.
        check: Where its check function is, as ``module:function``: imported when it is first needed, so that reading
            a configuration stays quick. The function may raise `UntrustedError`: its gate is then untrusted.
        quick: Whether what it says of a file rests on no more than what the file's units include, so that it can answer
            before a commit.
        within: The attribute of its parameters that names the zones in which every finding about code lies; empty where
            one may lie elsewhere.
        census: Where the function is that lists every site of a gate's boundary, likewise.
        local: Whether its check looks at no more than what bears on the chosen files, as `GateContext.near` says.
        plants: Where the function is that yields the controls of a gate (`mgaudit.gates.plants`), likewise.
    """

    parameters: type[Parameters]
    summary: str
    available: bool = False
    check: str | None = None
    quick: bool = False
    within: str = ""
    census: str | None = None
    local: bool = False
    plants: str | None = None

    def load_check(self) -> Callable[..., Any] | None:
        """The check function, or None where there is none."""
        return _loaded(self.check) if self.check else None

    def load_census(self) -> Callable[..., Any] | None:
        """The function that lists every site of a gate's boundary, or None where there is none."""
        return _loaded(self.census) if self.census else None

    def load_plants(self) -> Callable[..., Any] | None:
        """The function that yields the controls of a gate, or None where there is none."""
        return _loaded(self.plants) if self.plants else None


def _loaded(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    return getattr(importlib.import_module(module), function)  # type: ignore[no-any-return]


KINDS: Mapping[str, Kind] = {
    "include-purity": Kind(
        IncludePurityParameters,
        "The backend's include closures hold no file of the frontend.",
        available=True,
        check="mgaudit.gates.include_purity.check:check",
        plants="mgaudit.gates.include_purity.plants:plants",
        quick=True,
        within="from_zones",
        local=True,
    ),
    "closure-probe": Kind(
        ClosureProbeParameters,
        "A named header includes nothing forbidden and stands by itself.",
        available=True,
        check="mgaudit.gates.closure_probe.check:check",
        plants="mgaudit.gates.closure_probe.plants:plants",
        quick=True,
    ),
    "symbol-purity": Kind(
        SymbolPurityParameters,
        "The server links without the frontend.",
        available=True,
        check="mgaudit.gates.symbol_purity.check:check",
        plants="mgaudit.gates.symbol_purity.plants:plants",
    ),
    "link-ratchet": Kind(
        LinkRatchetParameters,
        "What server objects need of the frontend only shrinks.",
        available=True,
        check="mgaudit.gates.link_ratchet.check:check",
        plants="mgaudit.gates.link_ratchet.plants:plants",
    ),
    "undeclared": Kind(
        UndeclaredParameters,
        "The backend does not name the context.",
        available=True,
        check="mgaudit.gates.undeclared.check:check",
        plants="mgaudit.gates.undeclared.plants:plants",
        quick=True,
        within="zones",
        local=True,
    ),
    "reads": Kind(
        ReadsParameters,
        "Every read of frontend state is mapped to a catalogue entry.",
        available=True,
        check="mgaudit.gates.reads.check:check",
        plants="mgaudit.gates.reads.plants:plants",
        census="mgaudit.gates.reads.census:census_of",
        quick=True,
        within="from_zones",
        local=True,
    ),
    "writebacks": Kind(
        WritebacksParameters,
        "Every change of a frontend object by the backend is mapped.",
        available=True,
        check="mgaudit.gates.writebacks.check:check",
        plants="mgaudit.gates.writebacks.plants:plants",
        census="mgaudit.gates.writebacks.census:census_of",
    ),
    "upcalls": Kind(
        UpcallsParameters,
        "Every call from the backend into the frontend is mapped.",
        available=True,
        check="mgaudit.gates.upcalls.check:check",
        plants="mgaudit.gates.upcalls.plants:plants",
        census="mgaudit.gates.upcalls.census:census_of",
        quick=True,
        within="from_zones",
        local=True,
    ),
    "mutations": Kind(
        MutationsParameters,
        "Every mutation beside a backend call has a verdict.",
        available=True,
        check="mgaudit.gates.mutations.check:check",
        plants="mgaudit.gates.mutations.plants:plants",
        census="mgaudit.gates.mutations.census:census_of",
    ),
    "dirty-surface": Kind(
        DirtySurfaceParameters,
        "Every mutator's publishers fire on each mutating path.",
        available=True,
        check="mgaudit.gates.dirty_surface.check:check",
        census="mgaudit.gates.dirty_surface.census:census_of",
        plants="mgaudit.gates.dirty_surface.plants:plants",
    ),
    "memo-keys": Kind(
        MemoKeysParameters,
        "A cache key is a handle or a value.",
        available=True,
        check="mgaudit.gates.memo_keys.check:check",
        plants="mgaudit.gates.memo_keys.plants:plants",
    ),
    "catalogue": Kind(
        CatalogueParameters,
        "Catalogues agree with themselves, each other and the code.",
        available=True,
        check="mgaudit.gates.catalogue.check:check",
        plants="mgaudit.gates.catalogue.plants:plants",
    ),
    "forbidden-calls": Kind(
        ForbiddenCallsParameters,
        "The zones call no forbidden function and use no retired name.",
        available=True,
        check="mgaudit.gates.forbidden_calls.check:check",
        plants="mgaudit.gates.forbidden_calls.plants:plants",
        quick=True,
        within="zones",
        local=True,
    ),
    "layers": Kind(
        LayersParameters,
        "Each zone uses only the zones below it.",
        available=True,
        check="mgaudit.gates.layers.check:check",
        plants="mgaudit.gates.layers.plants:plants",
        quick=True,
    ),
    "frozen": Kind(
        FrozenParameters,
        "Named functions and regions equal their reference.",
        available=True,
        check="mgaudit.gates.frozen.check:check",
        plants="mgaudit.gates.frozen.plants:plants",
        quick=True,
    ),
    "test-names": Kind(
        TestNamesParameters,
        "No test name disappears.",
        available=True,
        check="mgaudit.gates.test_names.check:check",
        plants="mgaudit.gates.test_names.plants:plants",
    ),
    "doc-citations": Kind(
        DocCitationsParameters,
        "Every line that a document cites holds what it says.",
        available=True,
        check="mgaudit.gates.doc_citations.check:check",
        plants="mgaudit.gates.doc_citations.plants:plants",
        quick=True,
    ),
    "generated": Kind(
        GeneratedParameters,
        "A generated file is what would be generated now.",
        available=True,
        check="mgaudit.gates.generated.check:check",
        plants="mgaudit.gates.generated.plants:plants",
    ),
    "health": Kind(
        HealthParameters,
        "The answer can be trusted.",
        available=True,
        check="mgaudit.gates.health.check:check",
        plants="mgaudit.gates.health.plants:plants",
        quick=True,
        local=True,
    ),
}

PARAMETERS: Mapping[str, type[Parameters]] = {name: kind.parameters for name, kind in KINDS.items()}
"""What `mgaudit.config.loader.load` wants to know."""


def unavailable(settings: Settings) -> tuple[Problem, ...]:
    """A problem for each configured gate whose kind cannot be run: it must not pass for green."""
    running = [name for name, kind in KINDS.items() if kind.available]
    return tuple(
        Problem(
            *gate.place("kind"),
            f'gate "{gate.id}": the kind "{gate.kind}" is not available yet',
            nearest("", running, "available"),
        )
        for gate in settings.gates
        if not KINDS[gate.kind].available
    )
