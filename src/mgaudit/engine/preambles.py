"""Which headers to precompile for which units, and the proof that nothing changes by it.

A unit may start from precompiled headers only where it would have met those very headers first, in their order: on the
way from the main file to them, files begin with nothing but comments, ``#pragma once``, an include guard whose macro no
file of the headers' closure names, and inclusions, one after the other: of the headers themselves, and in their place
of the next file on the way. A header that cannot be found contributes nothing, one that was met before no second time.
It looks for its own inclusions where a unit's would: it is no link, and asks for no next header.
A header of scoped enumerations may stand before the others and come after them nevertheless, where no file of their
closure names one of these or does anything else that `mgaudit.sources.enumerations` knows to matter.
How much headers save is estimated from the sizes of what they include; the estimate decides only what is worth it,
never what is right.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from mgaudit.engine.lookups import system_folders
from mgaudit.engine.weights import Texts, Weights
from mgaudit.sources.enumerations import GAP, meddling, read_enumerations, readings
from mgaudit.sources.include_resolver import Resolver

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from mgaudit.domain.configurations import ParseCommand
    from mgaudit.engine.contents import Contents
    from mgaudit.engine.weights import Closure
    from mgaudit.facts.cache import Cache
    from mgaudit.sources.enumerations import Enumerations
    from mgaudit.sources.scan_facts import Inclusion, Outline
    from mgaudit.sources.tree import PathResolver

_MIN_UNITS: Final = 2
_MIN_CLOSURE: Final = 500_000  # bytes: below, precompiling costs more than it saves
_MAX_DEPTH: Final = 24
_LINK: Final = ""  # in place of a header's key: what it includes may lie beside the link
_BETWEEN: Final = re.compile(rb"(?:[ \t\r\n]|//[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_SPLICE: Final = re.compile(rb"(?:\\|\?\?/)[ \t\v\f]*[\r\n]")  # may end a comment, or go on with one
_PLAIN: Final = re.compile(r"\w+", re.ASCII)  # other names have more than one spelling
# What tells a file how deep, or for which main file, it is read.
_TELLING: Final = (b"__INCLUDE_LEVEL__", b"__BASE_FILE__")
_COMPOSED: Final = re.compile(rb"pop_macro" + GAP + rb"\(" + GAP + rb'[^"]')  # of which macro is not to be seen
_MICROSOFT: Final = re.compile(r"-fms-compatibility|--target=[\w.-]+-win(?:32|dows)(?:-msvc[\d.]*)?")
_NAMED: Final = re.compile(rb'#[ \t]*include[ \t]*(?:<[^>\r\n]*>|"[^"\r\n]*")')


@dataclass(frozen=True, slots=True)
class Group:
    """Commands whose flags are the same, so that they may share a precompiled header."""

    configuration: str
    arguments: tuple[str, ...]
    directory: str

    @classmethod
    def of(cls, command: ParseCommand) -> Group:
        """The group of a command."""
        return cls(command.configuration, command.arguments, command.directory)


@dataclass(frozen=True, slots=True)
class Start:
    """How a unit reaches headers that it may start from.

    Attributes:
        headers: The headers' keys, in the order of their inclusion.
        steps: The inclusions on the way, those of the headers among them, in order: (including file, included file).
        names: What no file of the headers' closure may name: macros that the files on the way define as include guards,
            and enumerations that are declared before the headers.
        once: The guards that keep the headers from taking effect twice, which nothing in their closure may undo.
        words: Which words mean what they meant without the headers, so that none of these may be a macro in them.
    """

    headers: tuple[str, ...]
    steps: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    once: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """What the closure of some headers does of what starts from them forbid it.

    Attributes:
        names: As of `Start`; so are the next two.
        once: See above.
        words: See above.
        is_odd: Whether it asks where it is read, takes back macros that nobody sees named, or leaves macros pushed,
            which no precompiled file remembers.
    """

    names: frozenset[str]
    once: frozenset[str]
    words: frozenset[str]
    is_odd: bool

    @classmethod
    def of(cls, contents: Contents | Texts, files: Collection[str], starts: Collection[Start]) -> Shown:
        """Look for it all in one go, comments included: the safe side."""
        kinds = (("names", naming), ("once", undoing), ("words", meddling))
        asked = [({word for start in starts for word in getattr(start, kind)}, finding) for kind, finding in kinds]
        searches = [(set[bytes](), finding(words) if words else None) for words, finding in asked]
        tells, pushed = False, 0
        for key in files if starts else ():
            for data in readings(contents.read(key) or b""):
                tells = tells or any(word in data for word in _TELLING) or _COMPOSED.search(data) is not None
                for found, find in searches:
                    found.update(find(data) if find else ())
            pushed += data.count(b"push_macro") - data.count(b"pop_macro")
        names, once, words = (frozenset(map(bytes.decode, found)) for found, _ in searches)
        return cls(names, once, words, tells or pushed != 0)

    def allows(self, start: Start) -> bool:
        """Whether a start is a proven one."""
        return (
            not self.is_odd
            and self.names.isdisjoint(start.names)
            and self.once.isdisjoint(start.once)
            and self.words.isdisjoint(start.words)
        )


class Choice(NamedTuple):
    """Headers to precompile, and whether enumerations before them may come after them."""

    headers: tuple[str, ...]
    with_delay: bool

    def takes(self, start: Start) -> bool:
        """Whether a start is from these."""
        return start.headers == self.headers and (self.with_delay or not start.words)


class Chooser:
    """Finds leading inclusions and chooses headers.

    Args:
        resolver: Paths to keys.
        outline: What a file includes by key, or None where it cannot be read.
        contents: Contents by key.
        cache: Where choices are kept: weighing headers takes longer than finding them.
    """

    def __init__(
        self,
        resolver: PathResolver,
        outline: Callable[[str], Outline | None],
        contents: Contents,
        cache: Cache | None = None,
    ) -> None:
        self._cache = cache
        self._resolver = resolver
        self._outline = outline
        self._contents = contents
        self._searches: dict[tuple[str, ...], Resolver] = {}
        self._texts = Texts(resolver, contents)
        self._weights: dict[tuple[str, ...], Weights] = {}
        self._enumerations: dict[str, Enumerations | None] = {}
        self._runs: dict[tuple[str, int], tuple[Inclusion, ...]] = {}

    def _search(self, group: Group) -> Resolver:
        known = self._searches.get(group.arguments)
        if known is None:
            system = [word for folder in system_folders(group.arguments) for word in ("-idirafter", folder)]
            known = Resolver.from_arguments((*group.arguments, *system), group.directory)
            self._searches[group.arguments] = known
        return known

    def choose(self, commands: Iterable[ParseCommand]) -> dict[ParseCommand, Start]:
        """What each command should start from; commands that are better parsed in full are left out."""
        groups: dict[Group, list[ParseCommand]] = defaultdict(list)
        for command in commands:
            # Microsoft's compilers look for a header beside each file on the way to it, too.
            if "-include" not in command.arguments and not any(map(_MICROSOFT.fullmatch, command.arguments)):
                groups[Group.of(command)].append(command)
        chosen: dict[ParseCommand, Start] = {}
        for group, members in groups.items():
            starts = {command: self.starts(command) for command in members}
            for best in self._known_order(group, starts):
                for command, found in starts.items():
                    start = next((s for s in found if best.takes(s)), None)
                    if start is not None:
                        chosen.setdefault(command, start)
        self._texts.let_go()
        return chosen

    def _known_order(self, group: Group, starts: dict[ParseCommand, list[Start]]) -> list[Choice]:
        """`_order`, as it was for the same starts.

        Sizes may have changed since; that costs time at worst, for what a unit starts from changes no fact.
        """
        if self._cache is None:
            return self._order(group, starts)
        shape = repr((group, [[start.headers for start in found] for found in starts.values()]))
        key = hashlib.blake2b(shape.encode(errors="backslashreplace"), digest_size=20).hexdigest()
        data = self._cache.read("choice", key)
        if data is not None:
            with contextlib.suppress(msgspec.DecodeError):
                return msgspec.msgpack.decode(data, type=list[Choice])
        order = self._order(group, starts)
        self._cache.write("choice", key, msgspec.msgpack.encode(order))
        return order

    def _order(self, group: Group, starts: dict[ParseCommand, list[Start]]) -> list[Choice]:
        """Which headers to precompile, those that save most first."""
        order: list[Choice] = []
        denied: set[tuple[str, ...]] = set()
        while best := self._best(group, starts):
            delayed = [s for found in starts.values() for s in found if s.headers == best and s.words]
            shown = Shown.of(self._texts, self._weigh(group, best).files, delayed)
            if all(map(shown.allows, delayed)):
                choice = Choice(best, best not in denied)
                order.append(choice)
                starts = {c: found for c, found in starts.items() if not any(map(choice.takes, found))}
            else:
                denied.add(best)
                starts = {c: [s for s in found if s not in delayed] for c, found in starts.items()}
        return order

    def _best(self, group: Group, starts: dict[ParseCommand, list[Start]]) -> tuple[str, ...] | None:
        counts: dict[tuple[str, ...], int] = defaultdict(int)
        for found in starts.values():
            for start in found:
                counts[start.headers] += 1
        gains = {
            headers: (count - 1) * size
            for headers, count in counts.items()
            if count >= _MIN_UNITS and (size := self._weigh(group, headers).size) >= _MIN_CLOSURE
        }
        return max(gains, key=lambda headers: (gains[headers], headers), default=None)

    def _weigh(self, group: Group, headers: tuple[str, ...]) -> Closure:
        weights = self._weights.get(group.arguments)
        if weights is None:
            weights = self._weights[group.arguments] = Weights(self._texts, self._search(group))
        return weights.closure(headers)

    def starts(self, command: ParseCommand) -> list[Start]:
        """What a command meets first, nearest first.

        The way goes on into the first header that includes anything: those before it, which do not, are part of each
        start from there.
        """
        search = self._search(Group.of(command))
        file, way = command.path, {command.path}
        guards: list[str] = []
        run: list[str] = []
        steps: list[tuple[str, str]] = []
        found: list[Start] = []
        while len(way) < _MAX_DEPTH:
            outline = self._outline(file)
            leading = outline.leading_include() if outline else None
            if outline is None or leading is None or not all(map(_PLAIN.fullmatch, leading.guard_macros)):
                break
            guards += leading.guard_macros
            further: tuple[str, int, int] | None = None
            place = file, leading.directive
            if place not in self._runs:
                self._runs[place] = tuple(self._run(file, outline, leading.directive))
            for directive in self._runs[place]:
                key = self._found(search, file, directive)
                if key is None:
                    continue
                if key not in run:
                    if key in way or not self._may_be_first(key):
                        break
                    if further is None and self._includes(key):
                        further = key, len(run), len(steps)
                    run.append(key)
                    found += self._starts_from(command, run, (*steps, (file, key)), guards)
                steps.append((file, key))
            if further is None:
                break
            key, taken, gone = further
            del run[taken:]
            steps[gone:] = [(file, key)]
            way.add(key)
            file = key
        return found

    def _starts_from(
        self, command: ParseCommand, run: list[str], steps: tuple[tuple[str, str], ...], guards: list[str]
    ) -> Iterator[Start]:
        """The start from some headers in their order, and the one that leaves enumerations for later.

        Where the command makes a macro of a word in these, headers may change the meaning of what it stands for.
        """
        once = tuple(guard for header in run if (guard := self._only_guard(header)))
        yield Start(tuple(run), steps, tuple(guards), once)
        later = {key: known for key in run[:-1] if (known := self._enumerations_of(key))}
        words = {word for known in later.values() for word in known.words}
        if later and "-imacros" not in command.arguments and words.isdisjoint(_macros(command.arguments)):
            names = (name for known in later.values() for name in known.names)
            rest = tuple(key for key in run if key not in later)
            yield Start(rest, steps, (*guards, *names), once, tuple(sorted(words)))

    def _enumerations_of(self, header: str) -> Enumerations | None:
        if header not in self._enumerations:
            outline, data = self._outline(header), self._contents.read(header)
            found = read_enumerations(data, outline) if outline is not None and data is not None else None
            self._enumerations[header] = found
        return self._enumerations[header]

    def _found(self, search: Resolver, file: str, directive: Inclusion) -> str | None:
        including = os.path.join(self._resolver.root, file)  # noqa: PTH118  a hot path
        target = search.resolve(directive.spelling, angled=directive.angled, including_file=including)
        if target is None:
            return None
        return _LINK if os.path.islink(target) else self._resolver.key(target)  # noqa: PTH114  a hot path

    def _includes(self, header: str) -> bool:
        outline = self._outline(header)
        return outline is not None and bool(outline.directives)

    def _run(self, key: str, outline: Outline, first: int) -> Iterator[Inclusion]:
        """A file's inclusions from one on, as long as only white space and comments lie between them."""
        data = self._contents.read(key) or b""
        end = None
        for directive in outline.directives[first:]:
            named = _NAMED.match(data, directive.offset)
            between = data[end : directive.offset] if end is not None else b""
            is_gap = _BETWEEN.fullmatch(between) and not _SPLICE.search(between)
            if directive.kind != "include" or named is None or not is_gap:
                return
            yield directive
            end = named.end()

    def _only_guard(self, header: str) -> str | None:
        """The macro that alone keeps a header from taking effect twice, where one does."""
        outline = self._outline(header)
        return outline.guard_macro if outline is not None and not outline.pragma_once else None

    def _may_be_first(self, header: str) -> bool:
        """Whether a header is the same under its own path, and the unit's inclusion of it finds nothing left to do."""
        outline = self._outline(header) if header != _LINK else None
        return (
            outline is not None
            and (outline.pragma_once or _PLAIN.fullmatch(outline.guard_macro or "") is not None)
            and not any(directive.kind.endswith("_next") for directive in outline.directives)
        )


def naming(names: Collection[str]) -> Callable[[bytes], list[bytes]]:
    """Finds in a file which of some names stand in it as whole words."""
    # The lookbehind comes second: a search for letters is fast.
    return re.compile(b"|".join(word + rb"(?<!\w" + word + rb")(?!\w)" for word in _escaped(names))).findall


def undoing(names: Collection[str]) -> Callable[[bytes], list[bytes]]:
    """Finds in a file which of some macros may no longer be defined behind it."""
    undone = rb"(?:undef|pop_macro" + GAP + rb"\(" + GAP + rb'\\?")' + GAP
    return re.compile(undone + rb"(" + b"|".join(_escaped(names)) + rb")(?!\w)").findall


def _escaped(names: Collection[str]) -> list[bytes]:
    """Names as parts of an expression, the longer ones first: with $, one may begin with another."""
    return [re.escape(name.encode()) for name in sorted(names, reverse=True)]


def _macros(arguments: Iterable[str]) -> frozenset[str]:
    """The macros that a command line defines."""
    return frozenset(match[1] for word in arguments if (match := re.match(r"-D(\w+)", word)))
