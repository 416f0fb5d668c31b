"""What a gate's check gets and gives: facts and parameters in, a verdict out. It prints nothing and reads no file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from mgaudit.graphs.includes import surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from mgaudit.config.model import GateSpec, Settings
    from mgaudit.domain.findings import Finding
    from mgaudit.domain.problems import Problem
    from mgaudit.domain.zones import Zone
    from mgaudit.facts.query import Facts
    from mgaudit.sources.binaries_model import Binary
    from mgaudit.sources.catalogues import Catalogue
    from mgaudit.sources.syntax import FileSyntax
    from mgaudit.sources.tree import TreeFiles

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Resolution:
    """What the front end says of a token for which there is no fact, when it is asked for that very place.

    Attributes:
        name: The spelling of the entity, label or macro.
        qualified: The entity's qualified name; of a local entity, its spelling.
        is_macro: Whether the token is an argument that a macro's expansion drops or turns into text; ``name`` is then
            the macro's.
    """

    name: str
    qualified: str
    is_macro: bool = False


def _resolve_nothing(_path: str, _offsets: Sequence[int]) -> Mapping[int, Resolution]:
    return {}


def _poison_nothing(_entries: Collection[str], _forbidden: Collection[str]) -> Mapping[tuple[str, str], frozenset[str]]:
    return {}


def _no_content(_path: str, _revision: str | None = None) -> bytes | None:
    return None


def _no_match(_globs: Iterable[str]) -> tuple[str, ...]:
    return ()


def _no_listing(_revision: str | None = None) -> tuple[str, ...]:
    return ()


def _no_binaries(_paths: Iterable[str]) -> tuple[Binary, ...]:
    return ()


def _no_catalogue(name: str) -> Catalogue:
    raise KeyError(name)


@dataclass(frozen=True, slots=True)
class GateContext:
    """Everything that a check may look at.

    Attributes:
        spec: The gate as configured.
        settings: The whole configuration, for zones, verbs and catalogues.
        files: The files of the tree and their zones.
        facts: The facts of the configurations that the gate judges.
        audited: Names of the zones that any configured gate names.
        resolve: Asks the front end about byte offsets of a file, in a unit that takes them; what it cannot resolve to
            an entity named there has no answer. It may cost a parse.
        poisoned: Which of some forbidden files each of some entries includes, by (configuration, entry), when all of
            them hold nothing but an error; costs a parse for each entry.
        syntax: The syntax witness's view of every tracked file, by path.
        texts: The content of the files that the gate's parameters name, by path as written; absent files are not in it.
        examined: What the other gates looked at, summed by name; for the health gate, which is judged last.
        content: The content of any file below the root, by path and revision (None: as it is); None where there is
            none. It raises `UntrustedError` where git does not know the revision.
        matching: The files that globs select, sorted; they may lie outside of the root.
        listing: All files below the root, at a revision (None: as they are), sorted.
        chosen: The files whose findings are wanted, or None for all. A check may then look at less, and leaves out what
            only the whole tree can tell: stale rows, floors and the like (`Verdict.left`).
        is_local: Whether the findings in other files have no bearing on what becomes of those in the chosen ones. Where
            they have, since an exemption or baseline counts them together, a check finds them, too.
        is_fast: Whether a quick answer is wanted: a check may leave, by name, what another gate's rows stand for.
        catalogue: Reads a configured catalogue by name; it raises `UntrustedError` where the catalogue is malformed.
        binaries: Reads object files, libraries and archives by path; it raises `UntrustedError` with every reason.
        made: What `once` made. Contexts whose questions the same object answers may share it.
    """

    spec: GateSpec
    settings: Settings
    files: TreeFiles
    facts: Facts
    audited: frozenset[str] = frozenset()
    resolve: Callable[[str, Sequence[int]], Mapping[int, Resolution]] = _resolve_nothing
    poisoned: Callable[[Collection[str], Collection[str]], Mapping[tuple[str, str], frozenset[str]]] = _poison_nothing
    syntax: Mapping[str, FileSyntax] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    examined: Mapping[str, int] = field(default_factory=dict)
    catalogue: Callable[[str], Catalogue] = _no_catalogue
    content: Callable[[str, str | None], bytes | None] = _no_content
    matching: Callable[[Iterable[str]], tuple[str, ...]] = _no_match
    listing: Callable[[str | None], tuple[str, ...]] = _no_listing
    binaries: Callable[[Iterable[str]], tuple[Binary, ...]] = _no_binaries
    chosen: frozenset[str] | None = None
    is_local: bool = True
    is_fast: bool = False
    made: dict[object, Any] = field(default_factory=dict)

    def once(self, make: Callable[[GateContext], T]) -> T:
        """What a function makes of this context, for the check and the census of its gate alike."""
        key = (make, self.spec.id, self.facts.configurations, self.chosen, self.looked_at, self.is_fast)
        if key not in self.made:
            self.made[key] = make(self)
        made: T = self.made[key]
        return made

    @property
    def is_whole(self) -> bool:
        """Whether all that the gate judges is looked at."""
        return self.chosen is None

    @property
    def looked_at(self) -> frozenset[str] | None:
        """The files whose findings a check has to find, or None for all."""
        return self.chosen if self.is_local else None

    def wants(self, path: str) -> bool:
        """Whether the findings in a file have to be found."""
        return self.looked_at is None or path in self.looked_at

    def near(self, paths: frozenset[str]) -> frozenset[str]:
        """Those of some files whose uses can bear on the findings that have to be found."""
        return paths if self.looked_at is None else paths & surroundings(self.facts, self.looked_at)

    def zone(self, name: str) -> Zone:
        """The zone of a name; the configuration has checked that it exists."""
        return self.settings.zones[name]

    def paths_in(self, zones: tuple[str, ...]) -> frozenset[str]:
        """The files of some zones."""
        return frozenset(path for name in zones for path in self.files.in_zone(name))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found.

    Attributes:
        findings: With `Finding.identity` set and without fingerprints, in any order, before exemptions.
        examined: What was looked at, by name; a check that looked at nothing must say so in `problems`.
        problems: Reasons why this gate cannot be trusted.
        stale: Index of each of the gate's exemptions that the check handled itself and found to cover nothing.
        handled: Index of each exemption that the check handled itself; the others are matched with the findings.
        skipped: Why the gate was not judged; empty where it was.
        left: What was left to a run over the whole tree: names of kinds of findings.
    """

    findings: tuple[Finding, ...] = ()
    examined: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    stale: frozenset[int] = frozenset()
    handled: frozenset[int] = frozenset()
    skipped: str = ""
    left: tuple[str, ...] = ()
