"""Verdicts that the cache keeps: what a check said once is said again where all that it may look at is as it was.

So are censuses, which see as much.

A check sees its `GateContext` and nothing else. The key of its verdict is a digest of every part of that: of the facts
by the records that they are made of, of the sources, the configuration and mgaudit's own code, coarse on purpose. What
the check asked for while it ran is not known before it; those readings are kept with the verdict and taken again
(`mgaudit.engine.answers`). A part of the context of which neither is true cannot be encoded, which fails at once.

Only what a check said is kept: exemptions, baselines and the choice of files are applied to it in every run.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import os
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

import mgaudit
from mgaudit.domain.census import Census, SurfaceSite
from mgaudit.domain.findings import Finding
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.engine.answers import Reading
from mgaudit.engine.evidence import LIBRARIES
from mgaudit.gates.context import Verdict
from mgaudit.sources.toolchain import version_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.engine.answers import Answers
    from mgaudit.facts.cache import Cache
    from mgaudit.gates.context import GateContext

# The fields of a context that are made of what `identity` digests, and those whose answers are noted.
_IDENTIFIED: Final = frozenset({"facts", "syntax", "resolve", "made"})
_NOTED: Final = frozenset({"content", "matching", "listing", "poisoned", "catalogue", "binaries"})
_CODE: Final = (".py", ".toml", ".json", ".def")


class _KeptVerdict(msgspec.Struct, frozen=True, array_like=True):
    readings: list[Reading]
    findings: tuple[Finding, ...]
    examined: dict[str, int]
    problems: tuple[Problem, ...]
    stale: frozenset[int]
    handled: frozenset[int]
    skipped: str
    left: tuple[str, ...]


class _KeptCensus(msgspec.Struct, frozen=True, array_like=True):
    readings: list[Reading]
    name: str
    sites: tuple[SurfaceSite, ...]
    examined: dict[str, int]
    totals: tuple[tuple[str, str, int], ...]
    references: int
    configurations: tuple[str, ...]


_KEPT: Final[dict[type, type]] = {Verdict: _KeptVerdict, Census: _KeptCensus}
_Said = TypeVar("_Said", Verdict, Census)


class Verdicts:
    """The kept verdicts and censuses of one state of a tree.

    Args:
        cache: Where they are kept.
        identity: A digest of the facts, of what they rest on, and of all tracked files; empty where verdicts must
            neither be kept nor believed.
    """

    def __init__(self, cache: Cache, identity: str) -> None:
        self._cache = cache
        self._identity = identity
        self._ready: dict[str, Any] = {}  # what was found or made before it was asked for

    @property
    def are_kept(self) -> bool:
        """Whether what a check says is there for the next one who asks, in whatever process."""
        return bool(self._identity)

    def knows(self, context: GateContext, answers: Answers) -> bool:
        """Whether a kept verdict is still what the check would say."""
        key = self._key(Verdict, context)
        known = self._known(Verdict, key, answers)
        if known is not None:
            self._ready[key] = known
        return known is not None

    def prepare(self, check: Callable[[GateContext], Verdict], context: GateContext, answers: Answers) -> None:
        """Let a check say now what it will be asked for.

        Raises:
            UntrustedError: Whatever the check raises.
        """
        self._ready[self._key(Verdict, context)] = self.of(check, context, answers)

    def of(self, check: Callable[[GateContext], Verdict], context: GateContext, answers: Answers) -> Verdict:
        """What a check says: what it said before, or what it says now.

        Args:
            check: The check.
            context: What it gets.
            answers: What answers the context's questions.

        Raises:
            UntrustedError: Whatever the check raises.
        """
        return self._of(Verdict, check, context, answers)

    def census(self, census: Callable[[GateContext], Census], context: GateContext, answers: Answers) -> Census:
        """What a census lists, likewise."""
        return self._of(Census, census, context, answers)

    def _of(
        self, type_: type[_Said], say: Callable[[GateContext], _Said], context: GateContext, answers: Answers
    ) -> _Said:  # fmt: skip
        if not self._identity:
            return say(context)
        key = self._key(type_, context)
        known: _Said | None = self._ready.pop(key, None) or self._known(type_, key, answers)
        if known is not None:
            return known
        said = say(context)
        if (readings := answers.readings) is not None:
            self._cache.write("verdict", key, msgspec.msgpack.encode(_KEPT[type_](readings, **_parts(type_, said))))
        return said

    def _known(self, type_: type[_Said], key: str, answers: Answers) -> _Said | None:
        data = self._cache.read("verdict", key)
        if data is None:
            return None
        with contextlib.suppress(msgspec.DecodeError, UntrustedError, OSError):
            kept: Any = msgspec.msgpack.decode(data, type=_KEPT[type_])
            if all(map(answers.repeat, kept.readings)):
                return type_(**_parts(type_, kept))
        return None

    def _key(self, type_: type, context: GateContext) -> str:
        digest = hashlib.blake2b(f"{type_.__name__} {self._identity}".encode(), digest_size=20)
        digest.update(_code())
        digest.update(msgspec.msgpack.encode(context.facts.configurations))
        for field in dataclasses.fields(context):
            if field.name not in _IDENTIFIED | _NOTED:
                digest.update(digest_of(getattr(context, field.name)))
        return digest.hexdigest()


def _parts(type_: type[_Said], value: object) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(type_)}


def digest_of(value: object) -> bytes:
    """A digest of a value that is made of dataclasses, collections, paths and plain values.

    Raises:
        TypeError: Something in it cannot be compared by content, such as a function.
    """
    return hashlib.blake2b(_encoder.encode(value), digest_size=20).digest()


def _path_as_text(value: object) -> str:
    if isinstance(value, PurePath):
        return str(value)
    message = f"{type(value).__name__} cannot be compared by content: how would a kept verdict know of a change?"
    raise TypeError(message)


_encoder: Final = msgspec.msgpack.Encoder(enc_hook=_path_as_text, order="deterministic")


@functools.cache
def _code() -> bytes:
    """A digest of the code that judges: mgaudit's files and the versions of what it uses."""
    digest = hashlib.blake2b(f"{mgaudit.__version__} {sys.version}".encode(), digest_size=20)
    for library in LIBRARIES:
        digest.update(f"{library} {version_of(library)}\0".encode())
    root = os.path.dirname(mgaudit.__file__)  # noqa: PTH120  strings: there are hundreds of files
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(name for name in names if name.endswith(_CODE)):
            path = os.path.join(folder, name)  # noqa: PTH118
            with open(path, "rb") as file:  # noqa: PTH123
                digest.update(f"{os.path.relpath(path, root)}\0".encode() + digest_of(file.read()))
    return digest.digest()
