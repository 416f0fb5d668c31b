"""The reader against binutils, on the machine's own libraries, objects, archives and executables."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from mgaudit.domain.problems import UntrustedError
from mgaudit.sources.binaries import read_binary
from mgaudit.sources.binaries_model import Binary, Table

WANTED = 240
LARGEST = 200 << 20
FOLDERS = ("/usr/lib", "/usr/local/lib", "/usr/bin", "/usr/sbin")

pytestmark = pytest.mark.skipif(
    shutil.which("nm") is None, reason="binutils is not installed: nothing compares the reader with nm"
)


@cache
def machine_files() -> list[Path]:
    """At least 200 files, the same on every run: spread over kinds and folders, the largest library among them."""
    kinds: dict[str, list[Path]] = {"library": [], "object": [], "archive": [], "executable": []}
    for folder in FOLDERS:
        for path in sorted(Path(folder).rglob("*")):
            kind = _kind(path)
            if kind and not path.is_symlink() and path.is_file() and path.stat().st_size < LARGEST and is_elf(path):
                kinds[kind].append(path)
    chosen = [max(kinds["library"], key=lambda path: (path.stat().st_size, str(path)))] if kinds["library"] else []
    for paths in kinds.values():
        step = max(1, len(paths) * len(kinds) // WANTED)
        chosen += paths[::step]
    left = sorted({*kinds["library"], *kinds["executable"]} - set(chosen))
    return list(dict.fromkeys([*chosen, *left[: max(0, WANTED - len(chosen))]]))


def _kind(path: Path) -> str:
    if path.suffix == ".o":
        return "object"
    if path.suffix == ".a":
        return "archive"
    if re.search(r"\.so(\.[0-9.]+)?$", path.name):
        return "library"
    return "executable" if path.parent.name in ("bin", "sbin") else ""


Listing = tuple[Counter[str], Counter[str]]


def listing(binary: Binary, table: Table) -> Listing:
    undefined: Counter[str] = Counter()
    defined: Counter[str] = Counter()
    for item in binary.objects:
        for symbol in item.table(table):
            (undefined if symbol.is_undefined else defined)[_without_base(symbol.label)] += 1
    return undefined, defined


def nm_listing(path: Path, table: Table, tool: str) -> Listing:
    """What ``nm`` says; a weak symbol without a definition has a small letter."""
    command = [tool, "--format=posix", "--special-syms", "--no-demangle", *(["-D"] if table is Table.DYNAMIC else [])]
    # The compiler's plugin would answer for objects that hold LTO sections beside their machine code.
    command += ["--plugin", "/dev/null"] if tool == "nm" else []
    result = subprocess.run(
        [*command, str(path)], capture_output=True, text=True, errors="backslashreplace", check=False
    )
    undefined: Counter[str] = Counter()
    defined: Counter[str] = Counter()
    for line in result.stdout.splitlines():
        match = re.fullmatch(r"(.*?) ([A-Za-z?-]) +([0-9a-f]*) *[0-9a-f]*", line)
        if match is not None:
            (undefined if match[2] in "Uwv" else defined)[_without_base(match[1])] += 1
    return undefined, defined


def _without_base(label: str) -> str:
    """``nm`` prints the base version of a library as a version of its symbols, ``llvm-nm`` a version's as its own."""
    return re.sub(r"^(.*)@@\1$", r"\1", re.sub(r"@@?Base$", "", label))


def is_elf(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(8).startswith((b"\x7fELF", b"!<arch>\n"))


@pytest.mark.parametrize(
    "tool",
    [
        "nm",
        pytest.param(
            "llvm-nm",
            marks=pytest.mark.skipif(shutil.which("llvm-nm") is None, reason="LLVM's tools are not installed"),
        ),
    ],
)
def test_undefined_and_defined_symbols_are_those_of_nm(tool: str) -> None:
    compared = 0
    symbols = 0
    refused = []
    for path in machine_files():
        try:
            binary = read_binary(path, str(path))
        except UntrustedError as error:
            refused.append(str(error))
            continue
        for table in Table:
            found = listing(binary, table)
            assert found == nm_listing(path, table, tool), f"{path}, {table} table"
            symbols += sum(map(Counter.total, found))
        compared += 1
    assert compared >= 200, f"only {compared} files on this machine; refused: {refused}"
    assert symbols > 10_000
    # Slim LTO members, and archives of something else than ELF, are refused by design; most files are neither.
    assert len(refused) <= compared // 20, refused


@pytest.mark.parametrize("flag", ["--dyn-syms", "--syms"])
def test_sizes_kinds_and_bindings_are_those_of_readelf(flag: str) -> None:
    if shutil.which("readelf") is None:
        pytest.skip("binutils is not installed: nothing compares the reader with readelf")
    libraries = [path for path in machine_files() if _kind(path) in ("library", "object")][:40]
    rows = 0
    for path in libraries:
        try:
            binary = read_binary(path, str(path))
        except UntrustedError:
            continue
        table = Table.DYNAMIC if flag == "--dyn-syms" else Table.STATIC
        found = [
            (symbol.label, symbol.size, _KINDS[symbol.kind], symbol.bind.upper(), symbol.visibility.upper())
            for symbol in binary.objects[0].table(table)
            if symbol.kind in _KINDS and symbol.name
        ]
        expected = _readelf_rows(path, flag)
        assert Counter(found) == Counter(expected), path
        rows += len(found)
    assert rows > 100


_KINDS = {"none": "NOTYPE", "object": "OBJECT", "function": "FUNC", "tls": "TLS", "ifunc": "IFUNC", "common": "COMMON"}


def _readelf_rows(path: Path, flag: str) -> list[tuple[str, int, str, str, str]]:
    result = subprocess.run(["readelf", flag, "--wide", str(path)], capture_output=True, text=True, check=False)
    rows = []
    heading = "Symbol table '.dynsym'" if flag == "--dyn-syms" else "Symbol table '.symtab'"
    for line in result.stdout.partition(heading)[2].partition("Symbol table")[0].splitlines():
        match = re.fullmatch(
            r" *\d+: [0-9a-f]+ +(\w+) (\w+) +(\w+) +(\w+) +(?:\[.*\] +)?(\w+) (\S+)(?: \(\d+\))?", line
        )
        if match is None or match[2] not in _KINDS.values():
            continue
        name = match[6]
        stem, _, version = name.partition("@")
        label = stem if version.strip("@") == stem else name
        rows.append((label, int(match[1], 0), match[2], match[3], match[4]))
    return rows
