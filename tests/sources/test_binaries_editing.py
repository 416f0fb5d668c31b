"""Symbols that are put into binaries in memory are read like any others, and change nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.sources.binaries_editing import Addition, with_hidden, with_symbols
from mgaudit.sources.binaries_model import Bind
from tests.sources.test_binaries import (
    EXTENDED_SECTION,
    OBJECT_ENTRIES,
    TARGETS,
    Entry,
    archive,
    build_elf,
    read,
    version_chunks,
)

if TYPE_CHECKING:
    from pathlib import Path

ADDED = [
    Addition("_ZN2mg5state1fEv"),
    Addition("_ZN2mg5state1wEv", is_weak=True),
    Addition("_ZN2mg1dEv", is_defined=True),
    Addition("hidden", is_defined=True, is_local=True),
]


def added_to(folder: Path, data: bytes, member: str | None = None) -> None:
    """The symbols are there, in the object that is asked for, and all others as they were."""
    before = read(folder, data).objects
    changed = with_symbols(data, ADDED, member)
    assert changed is not None
    *others, own = read(folder, changed).objects
    assert len(own.linkage) == len(before[-1].linkage) + len(ADDED)
    assert own.linkage[: -len(ADDED)] == before[-1].linkage
    assert others == ([] if member is None else list(before))
    assert [(s.name, s.is_undefined, s.bind, s.version) for s in own.linkage[-len(ADDED) :]] == [
        ("_ZN2mg5state1fEv", True, Bind.GLOBAL, ""),
        ("_ZN2mg5state1wEv", True, Bind.WEAK, ""),
        ("_ZN2mg1dEv", False, Bind.GLOBAL, ""),
        ("hidden", False, Bind.LOCAL, ""),
    ]


@pytest.mark.parametrize("label", TARGETS)
def test_every_machine_class_and_byte_order_is_written_alike(tmp_path: Path, label: str) -> None:
    added_to(tmp_path, build_elf(OBJECT_ENTRIES, target=TARGETS[label]))


def test_what_belongs_to_a_table_grows_with_it(tmp_path: Path) -> None:
    added_to(tmp_path, build_elf([Entry("far", EXTENDED_SECTION)]))
    extra = version_chunks({1: "libself.so", 2: "V_2"}, {5: "GLIBC_2.14"})
    dynamic = [Entry("memcpy", version=5), Entry("Current", ".text", version=2)]
    added_to(tmp_path, build_elf([Entry("inner", ".text")], dynamic, kind=3, extra=tuple(extra)))


@pytest.mark.parametrize("name", ["one.o", "odd", "a member with a long name.o"])
def test_an_archive_gets_one_more_member(tmp_path: Path, name: str) -> None:
    one = build_elf([Entry("f", ".text"), Entry("g")])
    first, second = build_elf([Entry("h")]), one + b"x" * (len(one) % 2 == 0)
    long = f"{name}/\n".encode()
    data = archive(("//", long), ("/0" if len(name) > 15 else f"{name}/", first), ("last.o/", second))
    added_to(tmp_path, data, "last.o")
    changed = with_symbols(data, ADDED, name)
    assert changed is not None
    assert read(tmp_path, changed).objects[-1].label == f"input({name}#2)"


@pytest.mark.parametrize(
    ("data", "member"),
    [
        (b"", None),
        (b"no object", None),
        (build_elf(), None),
        (build_elf([Entry("f")])[:40], None),
        (archive(("a.o/", build_elf([Entry("f")]))), "b.o"),
        (archive(("a.o/", b"no object")), "a.o"),
        (archive(("a.o/", b""), magic=b"!<thin>\n"), "a.o"),
    ],
)
def test_what_has_no_table_of_symbols_cannot_get_any(data: bytes, member: str | None) -> None:
    assert with_symbols(data, ADDED, member) is None


@pytest.mark.parametrize("label", TARGETS)
def test_an_export_is_hidden_and_nothing_else(tmp_path: Path, label: str) -> None:
    entries = [Entry("f", ".text"), Entry("g", ".text"), Entry("ff")]
    data = build_elf([Entry("f", ".text")], entries, kind=3, target=TARGETS[label])
    changed = with_hidden(data, {"f"})
    assert changed is not None
    before, after = (read(tmp_path, text).objects[0].symbols for text in (data, changed))
    assert [s.name for s in before if s.is_exported] == ["f", "g"]
    assert [s.name for s in after if s.is_exported] == ["g"]
    assert len(before) == len(after)
    assert with_hidden(build_elf([Entry("f", ".text")]), {"f"}) is None
    assert with_hidden(b"no object", {"f"}) is None
