"""Binaries made byte by byte: what is read from them, and that nothing hostile gets through."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mgaudit.domain.problems import UntrustedError
from mgaudit.sources.binaries import read_binaries, read_binary
from mgaudit.sources.binaries_model import Binary, Bind, ObjectKind, Placement, Symbol, SymbolKind, Table, Visibility

if TYPE_CHECKING:
    from pathlib import Path

LOCAL, GLOBAL, WEAK, UNIQUE = 0, 1, 2, 10
OBJECT, FUNCTION, SECTION, FILE, TLS, IFUNC = 1, 2, 3, 4, 6, 10
COMMON_SECTION, ABSOLUTE_SECTION, EXTENDED_SECTION = 0xFFF2, 0xFFF1, 0xFFFF


@dataclass(frozen=True)
class Target:
    """An ELF machine, class and byte order."""

    machine: int
    bits: int = 64
    order: str = "<"


X86_64 = Target(62)
TARGETS = {
    "EM_X86_64": X86_64,
    "EM_AARCH64": Target(183),
    "EM_ARM": Target(40, 32),
    "EM_ARM-big-endian": Target(40, 32, ">"),
}


@dataclass(frozen=True)
class Entry:
    """A symbol to be; ``section`` is a name, a reserved index, or None where undefined."""

    name: str
    section: str | int | None = None
    bind: int = GLOBAL
    kind: int = FUNCTION
    size: int = 0
    visibility: int = 0
    version: int = 1


@dataclass(frozen=True)
class Chunk:
    """A section to be."""

    name: str
    kind: int
    data: bytes
    link: str = ""
    info: int = 0
    entry: int = 0


class Strings:
    """A string table."""

    def __init__(self) -> None:
        self.data = b"\0"

    def add(self, text: str) -> int:
        offset = len(self.data)
        self.data += text.encode() + b"\0"
        return offset if text else 0


def table_chunks(entries: list[Entry], names: list[str], target: Target, *, dynamic: bool) -> list[Chunk]:
    """The sections of one symbol table, indices into ``names`` and versions included."""
    strings = Strings()
    rows = [bytes(24 if target.bits == 64 else 16)]
    extended = [0]
    for entry in entries:
        place = entry.section
        index = 0 if place is None else place if isinstance(place, int) else names.index(place) + 1
        extended.append(names.index(".text") + 1 if index == EXTENDED_SECTION else 0)
        info, name = entry.bind << 4 | entry.kind, strings.add(entry.name)
        if target.bits == 64:
            rows.append(struct.pack(target.order + "IBBHQQ", name, info, entry.visibility, index, 0, entry.size))
        else:
            rows.append(struct.pack(target.order + "IIIBBH", name, 0, entry.size, info, entry.visibility, index))
    stem = ".dyn" if dynamic else "."
    table = f"{stem}{'sym' if dynamic else 'symtab'}"
    chunks = [
        Chunk(table, 11 if dynamic else 2, b"".join(rows), f"{stem}str", 1, len(rows[0])),
        Chunk(f"{stem}str", 3, strings.data),
    ]
    if any(extended):
        chunks.append(Chunk(".symtab_shndx", 18, struct.pack(f"{target.order}{len(extended)}I", *extended), table))
    if any(entry.version != 1 for entry in entries):
        versions = struct.pack(f"{target.order}{len(entries) + 1}H", 0, *(entry.version for entry in entries))
        chunks.append(Chunk(".gnu.version", 0x6FFFFFFF, versions, table))
    return chunks


def version_chunks(defined: dict[int, str], needed: dict[int, str], order: str = "<") -> list[Chunk]:
    """Version definitions and needs by index, and their strings."""
    strings = Strings()
    definitions = b""
    for number, (index, name) in enumerate(defined.items(), 1):
        more = 28 if number < len(defined) else 0
        definitions += struct.pack(order + "HHHHIII", 1, int(index == 1), index, 1, 0, 20, more)
        definitions += struct.pack(order + "II", strings.add(name), 0)
    needs = struct.pack(order + "HHIII", 1, len(needed), strings.add("libneeded.so"), 16, 0)
    for number, (index, name) in enumerate(needed.items(), 1):
        more = 16 if number < len(needed) else 0
        needs += struct.pack(order + "IHHII", 0, 0, index, strings.add(name), more)
    chunks = [Chunk(".verstr", 3, strings.data)]
    if defined:
        chunks.append(Chunk(".gnu.version_d", 0x6FFFFFFD, definitions, ".verstr", len(defined)))
    if needed:
        chunks.append(Chunk(".gnu.version_r", 0x6FFFFFFE, needs, ".verstr", 1))
    return chunks


def build_elf(
    static: list[Entry] | None = None,
    dynamic: list[Entry] | None = None,
    *,
    target: Target = X86_64,
    kind: int = 1,
    extra: tuple[Chunk, ...] = (),
) -> bytes:
    """An ELF file with a ``.text``, a ``.data`` and the given symbol tables and sections."""
    chunks = [Chunk(".text", 1, b"\x90" * 16), Chunk(".data", 1, b"data"), *extra]
    names = [chunk.name for chunk in chunks]
    for entries, is_dynamic in ((static, False), (dynamic, True)):
        if entries is not None:
            chunks += table_chunks(entries, names, target, dynamic=is_dynamic)
    strings = Strings()
    chunks.append(Chunk(".shstrtab", 3, b""))
    named = [(chunk, strings.add(chunk.name)) for chunk in chunks]
    order = [chunk.name for chunk in chunks]
    header_size, entry_size = (64, 64) if target.bits == 64 else (52, 40)
    headers, body = bytes(entry_size), b""
    for chunk, name in named:
        data = strings.data if chunk.name == ".shstrtab" else chunk.data
        link = order.index(chunk.link) + 1 if chunk.link else 0
        form = target.order + ("IIQQQQIIQQ" if target.bits == 64 else "10I")
        offset = header_size + len(body)
        headers += struct.pack(form, name, chunk.kind, 0, 0, offset, len(data), link, chunk.info, 1, chunk.entry)
        body += data
    ident = b"\x7fELF" + bytes([2 if target.bits == 64 else 1, 1 if target.order == "<" else 2, 1]) + bytes(9)
    form = target.order + ("HHIQQQIHHHHHH" if target.bits == 64 else "HHIIIIIHHHHHH")
    fields = (kind, target.machine, 1, 0, 0, header_size + len(body), 0, header_size, 0, 0, entry_size)
    return ident + struct.pack(form, *fields, len(chunks) + 1, len(chunks)) + body + headers


def archive_header(name: str, size: int) -> bytes:
    return f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{size:<10}`\n".encode()


def archive(*members: tuple[str, bytes], magic: bytes = b"!<arch>\n") -> bytes:
    """An archive of members under their raw header names."""
    return magic + b"".join(archive_header(name, len(data)) + data + b"\n" * (len(data) % 2) for name, data in members)


def read(folder: Path, data: bytes, name: str = "input") -> Binary:
    file = folder / name
    file.write_bytes(data)
    return read_binary(file, name)


def only(binary: Binary) -> dict[str, Symbol]:
    return {symbol.label: symbol for symbol in binary.objects[0].symbols}


def message_of(folder: Path, data: bytes) -> str:
    with pytest.raises(UntrustedError) as caught:
        read(folder, data)
    assert {problem.path for problem in caught.value.problems} == {"input"}
    return str(caught.value)


OBJECT_ENTRIES = [
    Entry("main.cpp", ABSOLUTE_SECTION, LOCAL, FILE),
    Entry("", ".text", LOCAL, SECTION),
    Entry("helper", ".text", LOCAL, size=3),
    Entry("_ZN2mg3RunEv", ".text", size=5),
    Entry("_ZN2mg4dataE", ".data", UNIQUE, OBJECT, size=4, visibility=3),
    Entry("_ZN2mg4weakEv", ".text", WEAK, visibility=2),
    Entry("shared_block", COMMON_SECTION, kind=OBJECT, size=32),
    Entry("version_number", ABSOLUTE_SECTION, kind=0),
    Entry("_ZN2mg5state6AttachEi"),
    Entry("__gmon_start__", bind=WEAK, kind=0),
]


@pytest.mark.parametrize("label", TARGETS)
def test_every_machine_class_and_byte_order_is_read_alike(tmp_path: Path, label: str) -> None:
    found = read(tmp_path, build_elf(OBJECT_ENTRIES, target=TARGETS[label])).objects[0]
    assert found.kind is ObjectKind.RELOCATABLE
    assert found.machine == label.removesuffix("-big-endian")
    assert [(s.name, s.bind, s.kind, s.visibility, s.placement, s.section, s.size) for s in found.symbols] == [
        ("helper", Bind.LOCAL, SymbolKind.FUNCTION, Visibility.DEFAULT, Placement.DEFINED, ".text", 3),
        ("_ZN2mg3RunEv", Bind.GLOBAL, SymbolKind.FUNCTION, Visibility.DEFAULT, Placement.DEFINED, ".text", 5),
        ("_ZN2mg4dataE", Bind.UNIQUE, SymbolKind.OBJECT, Visibility.PROTECTED, Placement.DEFINED, ".data", 4),
        ("_ZN2mg4weakEv", Bind.WEAK, SymbolKind.FUNCTION, Visibility.HIDDEN, Placement.DEFINED, ".text", 0),
        ("shared_block", Bind.GLOBAL, SymbolKind.OBJECT, Visibility.DEFAULT, Placement.COMMON, "", 32),
        ("version_number", Bind.GLOBAL, SymbolKind.NONE, Visibility.DEFAULT, Placement.ABSOLUTE, "", 0),
        ("_ZN2mg5state6AttachEi", Bind.GLOBAL, SymbolKind.FUNCTION, Visibility.DEFAULT, Placement.UNDEFINED, "", 0),
        ("__gmon_start__", Bind.WEAK, SymbolKind.NONE, Visibility.DEFAULT, Placement.UNDEFINED, "", 0),
    ]


def test_versions_are_told_from_names(tmp_path: Path) -> None:
    dynamic = [
        Entry("memcpy", version=5),
        Entry("Current", ".text", version=2),
        Entry("Old", ".text", version=0x8003),
        Entry("Plain", ".text"),
        Entry("V_2", ABSOLUTE_SECTION, kind=OBJECT, version=2),
        Entry("stderr", ".data", kind=OBJECT, version=5),
    ]
    extra = version_chunks({1: "libself.so", 2: "V_2", 3: "V_1"}, {5: "GLIBC_2.14", 6: "GLIBC_2.2.5"})
    symbols = only(read(tmp_path, build_elf(None, dynamic, kind=3, extra=tuple(extra))))
    assert list(symbols) == ["memcpy@GLIBC_2.14", "Current@@V_2", "Old@V_1", "Plain", "V_2", "stderr@GLIBC_2.14"]
    assert symbols["Current@@V_2"].name == "Current"
    assert all(symbol.table is Table.DYNAMIC for symbol in symbols.values())


def test_a_static_table_spells_versions_in_its_names(tmp_path: Path) -> None:
    symbols = only(
        read(tmp_path, build_elf([Entry("puts@GLIBC_2.2.5"), Entry("f@@V1", ".text"), Entry("@at", ".text")]))
    )
    assert [(s.name, s.version, s.default_version) for s in symbols.values()] == [
        ("puts", "GLIBC_2.2.5", False),
        ("f", "V1", True),
        ("@at", "", False),
    ]


def test_a_linked_file_answers_from_its_dynamic_table(tmp_path: Path) -> None:
    data = build_elf([Entry("inner", ".text", LOCAL)], [Entry("outer", ".text"), Entry("needed")], kind=3)
    found = read(tmp_path, data).objects[0]
    assert found.kind is ObjectKind.SHARED
    assert [symbol.name for symbol in found.linkage] == ["outer", "needed"]
    assert [symbol.name for symbol in found.layout] == ["inner"]


def test_a_stripped_library_still_shows_what_it_needs(tmp_path: Path) -> None:
    found = read(tmp_path, build_elf(None, [Entry("needed")], kind=3)).objects[0]
    assert [symbol.name for symbol in found.layout] == ["needed"]


def test_many_sections_use_extended_indices(tmp_path: Path) -> None:
    assert only(read(tmp_path, build_elf([Entry("far", EXTENDED_SECTION)])))["far"].section == ".text"


def test_an_object_without_symbols_and_relocations_needs_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, build_elf()).objects[0].symbols == ()


def test_a_stripped_object_is_refused(tmp_path: Path) -> None:
    assert "stripped" in message_of(tmp_path, build_elf(extra=(Chunk(".rela.text", 4, bytes(24)),)))


def test_slim_lto_objects_are_refused_and_fat_ones_are_read(tmp_path: Path) -> None:
    def with_lto(*, slim: bool) -> bytes:
        header = struct.pack("<HHBBH", 12, 0, slim, 0, 0)
        return build_elf([Entry("f", ".text")], extra=(Chunk(".gnu.lto_.lto.1f", 1, header),))

    assert "link-time optimised" in message_of(tmp_path, with_lto(slim=True))
    assert list(only(read(tmp_path, with_lto(slim=False)))) == ["f"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "an empty file"),
        (b"BC\xc0\xde" + bytes(60), "LLVM bitcode"),
        (b"\xde\xc0\x17\x0b" + bytes(60), "LLVM bitcode (with wrapper)"),
        (b"\xcf\xfa\xed\xfe" + bytes(60), "Mach-O"),
        (b"MZ" + bytes(60), "a PE file"),
        (b"/* GNU ld script */\nGROUP ( libc.so.6 )", "a linker script"),
        (b"\x7fEL", "truncated"),
        (b"int main() {}", "not an object file"),
        (build_elf([], kind=4), "neither an object nor a linked file"),
        (b"\x7fELF\x02\x01\x01" + bytes(57), "neither an object"),
    ],
)
def test_what_is_no_binary_is_named(tmp_path: Path, data: bytes, expected: str) -> None:
    assert expected in message_of(tmp_path, data)


def patched(data: bytes, offset: int, form: str, value: int) -> bytes:
    size = struct.calcsize(form)
    return data[:offset] + struct.pack(form, value) + data[offset + size :]


def test_corrupt_fields_are_named(tmp_path: Path) -> None:
    data = build_elf([Entry("f", ".text"), Entry("g")])
    entries = data.index(struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0, 0))
    assert "no section headers" in message_of(tmp_path, patched(data, 40, "<Q", 0))
    assert "section headers of 0 bytes" in message_of(tmp_path, patched(data, 58, "<H", 0))
    assert "truncated" in message_of(tmp_path, patched(data, 60, "<H", 0xFFF0))
    assert "leaves its string table" in message_of(tmp_path, patched(data, entries, "<I", 1 << 30))
    assert "unknown binding 15" in message_of(tmp_path, patched(data, entries + 4, "<B", 0xF2))
    assert "section 512 of" in message_of(tmp_path, patched(data, entries + 6, "<H", 512))
    assert "extended section index" in message_of(tmp_path, patched(data, entries + 6, "<H", 0xFFFF))


def test_version_records_are_cross_checked(tmp_path: Path) -> None:
    dynamic = [Entry("f", version=7), Entry("g", version=5)]
    assert "unknown version 7" in message_of(
        tmp_path, build_elf(None, dynamic, kind=3, extra=tuple(version_chunks({}, {5: "V"})))
    )
    short = Chunk(".gnu.version", 0x6FFFFFFF, b"\1\0")
    data = build_elf(None, [Entry("f"), Entry("g")], kind=3, extra=(short,))
    assert "3 dynamic symbols, but 1 symbol versions" in message_of(tmp_path, data)


def test_circular_version_records_end(tmp_path: Path) -> None:
    needs = version_chunks({}, {5: "V_5", 6: "V_6"})
    record = needs[1].data
    # The first auxiliary record claims a thousand successors and points to itself.
    circular = struct.pack("<HHIII", 1, 0xFFFF, 1, 16, 0) + record[16:28] + struct.pack("<I", 0) + record[32:]
    extra = (needs[0], Chunk(".gnu.version_r", 0x6FFFFFFE, circular, ".verstr", 0xFFFFFFF))
    assert "circle" in message_of(tmp_path, build_elf(None, [Entry("f", version=5)], kind=3, extra=extra))


def test_overlapping_names_do_not_multiply(tmp_path: Path) -> None:
    data = bytearray(build_elf([Entry("x" * 4000)] + [Entry("y") for _ in range(4000)]))
    rows = bytes(data).index(struct.pack("<IBBHQQ", 1, 0x12, 0, 0, 0, 0))
    for number in range(4001):
        struct.pack_into("<I", data, rows + 24 * number, 1 + number % 4000)
    assert "overlap" in message_of(tmp_path, bytes(data))


def test_archives_name_their_members_in_gnu_and_bsd_style(tmp_path: Path) -> None:
    one, two = build_elf([Entry("one", ".text")]), build_elf([Entry("two")])
    long_names = b"a_rather_long_member_name.o/\n"
    gnu = archive(("/", bytes(8)), ("//", long_names), ("/0", one), ("two.o/", two))
    assert [item.label for item in read(tmp_path, gnu).objects] == [
        "input(a_rather_long_member_name.o)",
        "input(two.o)",
    ]
    bsd_name = b"name with blanks.o\0\0"
    bsd = archive(("__.SYMDEF", bytes(8)), (f"#1/{len(bsd_name)}", bsd_name + one), ("two.o", two))
    assert [item.label for item in read(tmp_path, bsd).objects] == ["input(name with blanks.o)", "input(two.o)"]
    assert [s.name for item in read(tmp_path, bsd).objects for s in item.symbols] == ["one", "two"]


def test_members_of_one_name_are_all_read(tmp_path: Path) -> None:
    data = archive(("draw.o/", build_elf([Entry("first")])), ("draw.o/", build_elf([Entry("second")])))
    objects = read(tmp_path, data).objects
    assert [(item.label, item.symbols[0].name) for item in objects] == [
        ("input(draw.o)", "first"),
        ("input(draw.o#2)", "second"),
    ]


def test_every_bad_member_is_a_problem(tmp_path: Path) -> None:
    data = archive(
        ("good.o/", build_elf([Entry("f")])),
        ("lto.o/", b"BC\xc0\xde" + bytes(8)),
        ("cut.o/", b"\x7fELF"),
        ("in.a/", archive()),
    )
    text = message_of(tmp_path, data + b"rubbish that is no header")
    assert "member 'lto.o': LLVM bitcode" in text
    assert "member 'cut.o': truncated" in text
    assert "member 'in.a': an archive within an archive" in text
    assert "an archive member's header" in text
    assert "good.o" not in text


def test_thin_archives_find_members_beside_them(tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / "a.o").write_bytes(build_elf([Entry("needed")]))
    names = b"objects/a.o/\n"
    table = archive(("//", names), magic=b"!<thin>\n")
    binary = read(tmp_path, table + archive_header("/0", 999) * 2)
    assert [item.label for item in binary.objects] == ["input(objects/a.o)", "input(objects/a.o#2)"]
    assert [symbol.name for symbol in binary.objects[1].symbols] == ["needed"]


@pytest.mark.parametrize("name", ["../outside.o", "/outside.o", "link/outside.o", "absent.o"])
def test_thin_archives_reach_nothing_else(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "lib"
    folder.mkdir()
    (tmp_path / "outside.o").write_bytes(build_elf([Entry("needed")]))
    (folder / "link").symlink_to(tmp_path)
    text = name.replace("/outside.o", str(tmp_path / "outside.o")) if name.startswith("/") else name
    table = archive(("//", text.encode() + b"/\n"), magic=b"!<thin>\n")
    assert name.rpartition("/")[2] in message_of(folder, table + archive_header("/0", 999))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UntrustedError, match="not a regular file"):
        read_binary(tmp_path / "pipe", "pipe")


def test_problems_of_all_files_are_collected(tmp_path: Path) -> None:
    (tmp_path / "bad.o").write_bytes(b"BC\xc0\xde")
    (tmp_path / "good.o").write_bytes(build_elf([Entry("f")]))
    with pytest.raises(UntrustedError) as caught:
        read_binaries((tmp_path / name, name) for name in ("absent.o", "bad.o", "good.o"))
    assert [problem.path for problem in caught.value.problems] == ["absent.o", "bad.o"]


VERSIONED = build_elf(
    OBJECT_ENTRIES,
    [Entry("f", ".text", version=2), Entry("g", version=5)],
    kind=3,
    extra=tuple(version_chunks({1: "libself.so", 2: "V_2"}, {5: "V_5"})),
)
SAMPLES = (
    VERSIONED,
    archive(("//", b"a long name of a member.o/\n"), ("/0", build_elf(OBJECT_ENTRIES)), ("b.o/", VERSIONED)),
)


@pytest.mark.parametrize("sample", SAMPLES, ids=["library", "archive"])
def test_no_truncation_passes_for_the_whole(tmp_path: Path, sample: bytes) -> None:
    whole = read(tmp_path, sample)
    for size in range(0, len(sample), 7):
        try:
            cut = read(tmp_path, sample[:size])
        except UntrustedError:
            continue
        # An archive cut between members, or before its padding, is an archive.
        assert whole.is_archive
        assert len(cut.objects) <= len(whole.objects)
        assert cut.objects == whole.objects[: len(cut.objects)]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sample=st.sampled_from(SAMPLES), changes=st.lists(st.tuples(st.integers(0), st.binary(min_size=1, max_size=8))))
def test_mutated_bytes_are_read_or_refused(tmp_path: Path, sample: bytes, changes: list[tuple[int, bytes]]) -> None:
    data = bytearray(sample)
    for position, replacement in changes:
        start = position % len(sample)
        data[start : start + len(replacement)] = replacement
    with contextlib.suppress(UntrustedError):
        assert sum(len(item.symbols) for item in read(tmp_path, bytes(data)).objects) <= len(data) // 16


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    prefix=st.sampled_from([b"", b"\x7fELF\x02\x01\x01", b"\x7fELF\x01\x02\x01", b"!<arch>\n", b"!<thin>\n"]),
    tail=st.binary(),
)
def test_arbitrary_bytes_are_read_or_refused(tmp_path: Path, prefix: bytes, tail: bytes) -> None:
    with contextlib.suppress(UntrustedError):
        assert read(tmp_path, prefix + tail).objects == ()


def test_values_do_not_depend_on_the_process(tmp_path: Path) -> None:
    """String hashing differs between processes; what is read must not."""
    (tmp_path / "input").write_bytes(VERSIONED)
    script = "import sys; from pathlib import Path; from mgaudit.sources.binaries import read_binary\n"
    script += "print(read_binary(Path(sys.argv[1]), 'input').objects[0].symbols)"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "input")],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
