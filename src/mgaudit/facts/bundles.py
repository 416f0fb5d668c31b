"""Bundles: what one shard of a run extracted, in one file that another machine takes into its cache."""

from __future__ import annotations

import re
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.facts import parcels
from mgaudit.facts.parcels import Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mgaudit.facts.cache import Cache

_LABEL: Final = "shard.json"
_NAME: Final = re.compile(r"mgaudit-shard-\d+-of-\d+\.zip")
_UNDATED: Final = (1980, 1, 1, 0, 0, 0)
_AGAIN: Final = "run that shard again"


class Label(msgspec.Struct, frozen=True):
    """What a bundle is.

    Attributes:
        shard: Which shard, from 1.
        of: How many shards there are.
        terms: What all shards and their judge must have in common: what it is → a digest or a word.
        configurations: Names of the configurations that were extracted.
        units: How many units the shard extracted.
        schema: The version of this form.
    """

    shard: int
    of: int
    terms: dict[str, str]
    configurations: list[str]
    units: int
    schema: int = 1

    def __str__(self) -> str:
        return f"shard {self.shard}/{self.of}"


def file_name(shard: int, of: int) -> str:
    """How a bundle is called unless its maker says otherwise."""
    return f"mgaudit-shard-{shard}-of-{of}.zip"


def write(file: Path, label: Label, cache: Cache, names: Iterable[Name]) -> None:
    """Write a bundle: all of it or nothing.

    Raises:
        UntrustedError: The file cannot be written, or the cache has lost a blob.
    """
    temporary = file.with_name(file.name + ".tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(temporary, "w") as bundle:  # stored: blobs are compressed
            bundle.writestr(zipfile.ZipInfo(_LABEL, _UNDATED), msgspec.json.encode(label))
            for name in sorted(set(names)):
                parcel = parcels.pack(cache, name)
                if parcel is None:
                    raise UntrustedError.single("a cached record vanished while it was needed", help="run again")
                bundle.writestr(zipfile.ZipInfo(str(name), _UNDATED), parcel)
        temporary.replace(file)
    except OSError as error:
        raise UntrustedError.single(f"{file}: the bundle cannot be written: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle on disk."""

    file: Path
    label: Label

    def take_into(self, cache: Cache) -> bool:
        """Put its blobs into a cache; False where the disk refuses one.

        Raises:
            UntrustedError: It is damaged.
        """
        with _opened(self.file) as archive:
            for entry in archive.namelist():
                name = Name.parse(entry)
                if entry == _LABEL or (name is not None and cache.path(name.kind, name.key).exists()):
                    continue
                if name is None or parcels.unpack(name, parcel := archive.read(entry)) is None:
                    raise UntrustedError.single(f"{self.file}: {entry} is damaged", help=_AGAIN)
                if not parcels.store(cache, name, parcel):
                    return False
        return True


def read(file: Path) -> Bundle:
    """A bundle, with its label.

    Raises:
        UntrustedError: It is no bundle, damaged, or of another version of mgaudit.
    """
    with _opened(file) as archive:
        try:
            label = msgspec.json.decode(archive.read(_LABEL), type=Label)
        except (KeyError, msgspec.DecodeError):
            raise UntrustedError.single(
                f"{file}: this is not what `mgaudit check --shard` wrote", help="name its bundles, or their folder"
            ) from None
    return Bundle(file, label)


@contextmanager
def _opened(file: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    except OSError as error:
        raise UntrustedError.single(f"{file}: the bundle cannot be read: {error.strerror}", help=_AGAIN) from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError):
        raise UntrustedError.single(f"{file}: the bundle is damaged", help=_AGAIN) from None


def found(places: Iterable[Path]) -> list[Path]:
    """The bundles that are named, and those in the folders that are."""
    files: list[Path] = []
    for place in places:
        inside = place.rglob("*") if place.is_dir() else [place]
        files += sorted(path for path in inside if path == place or _NAME.fullmatch(path.name))
    return list(dict.fromkeys(files))


def complete(places: Iterable[Path]) -> list[Bundle]:
    """The bundles of all shards of one run.

    Raises:
        UntrustedError: A shard is missing or there twice, or they are of several runs; all that is wrong.
    """
    bundles: list[Bundle] = []
    problems: list[Problem] = []
    for file in found(places):
        try:
            bundles.append(read(file))
        except UntrustedError as error:
            problems += error.problems
    if not bundles and not problems:
        problems.append(Problem(None, 0, "there is no bundle", "`mgaudit check --shard i/n` writes one for each shard"))
    if problems:
        raise UntrustedError(problems)
    problems = [*_strangers(bundles), *_gaps(bundles)]
    if problems:
        raise UntrustedError(problems)
    return sorted(bundles, key=lambda bundle: bundle.label.shard)


def _strangers(bundles: list[Bundle]) -> Iterator[Problem]:
    first = bundles[0]
    for bundle in bundles[1:]:
        if bundle.label.of != first.label.of:
            yield Problem(None, 0, f"{bundle.file} is {bundle.label}, {first.file} is {first.label}", "of one run only")
        elif bundle.label.configurations != first.label.configurations:
            yield Problem(
                None, 0, f"{bundle.label} and {first.label} extracted different configurations",
                "give --configuration to all of them, or to none",
            )  # fmt: skip


def _gaps(bundles: list[Bundle]) -> Iterator[Problem]:
    seen: dict[int, Bundle] = {}
    for bundle in bundles:
        other = seen.setdefault(bundle.label.shard, bundle)
        if other is not bundle:
            yield Problem(None, 0, f"{bundle.label} is there twice: {other.file}, {bundle.file}", "name one of them")
    of = bundles[0].label.of
    for shard in range(1, of + 1):
        if shard not in seen:
            message = f"shard {shard}/{of} is missing"
            yield Problem(None, 0, message, f"run `mgaudit check --shard {shard}/{of}`, and name its bundle, too")
