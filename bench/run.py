"""Measures everything that has a target, side by side in one run with the same jobs, over a copy of a tree.

usage: python bench/run.py MGAUDIT_TOML [--jobs N] [--sample N] [--hot HEADER] [--only WORD,…] [--note TEXT]

What is measured: a cold and a warm run, one changed source, the fast hook on it, one changed hot header, a second
configuration with a macro that no file names, with one that the median number of units see, of those that the tree's
conditionals test, and with one that most see, the include graph of the scanner alone, `diff` of a change and `prove`.
Beside it, as far as they are installed: `clang++ -fsyntax-only` (of a sample, scaled), `clang-scan-deps`, and
`clang-tidy` with the checks that look at includes (of one unit, scaled). The configuration must lie at or above the
tree's root. Wall-clock and processor seconds, the peak memory of the largest process so far, the size of the cache, and
bytes for each reference. Appends a line to bench/history.jsonl, and draws bench/history.svg anew.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from history import record
from measure import Timing, Tree, mgaudit, scan_deps, syntax_only, timed
from plot import draw
from rich.console import Console
from rich.table import Table

from mgaudit.config.loader import load
from mgaudit.engine.contents import Contents
from mgaudit.engine.preambles import Group
from mgaudit.facts.cache import Cache
from mgaudit.gates.registry import PARAMETERS
from mgaudit.sources.compile_commands import plan
from mgaudit.sources.include_resolver import Resolver
from mgaudit.sources.scanner import scan
from mgaudit.sources.toolchain import discover
from mgaudit.sources.tree import list_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mgaudit.config.model import ConfigurationSpec, Settings
    from mgaudit.domain.configurations import ParseCommand

_MACRO = re.compile(r"\b[A-Za-z]\w*+(?!\s*\()")
_HEADER = re.compile(r"<[^>]*>|\"[^\"]*\"")
TIDY_CHECKS = "-*,misc-include-cleaner,misc-header-include-cycle"


@dataclass
class Bench:
    """A copy of a tree, and how mgaudit is called on it."""

    settings: Settings
    folder: Path
    jobs: int

    @property
    def options(self) -> list[str]:
        place = ["--config", str(self.settings.file), "--root", str(self.settings.root)]
        return [*place, "--cache-dir", str(self.folder / "cache"), "-j", str(self.jobs)]

    def check(self, *words: str) -> Callable[[], None]:
        return lambda: mgaudit("check", *self.options, "--output-format", "json", *words)

    def changed(self, path: str, number: int) -> None:
        with (self.settings.root / path).open("a") as file:
            file.write(f"\n// measured {number}\n")

    def git(self, *words: str) -> None:
        identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *words], cwd=self.settings.root, capture_output=True, check=True)


def copied(config: Path, folder: Path) -> Settings:
    """The configuration of a copy of its tree, under git."""
    original = load(config, PARAMETERS)
    root = folder / "tree"
    shutil.copytree(original.root, root, symlinks=True, ignore=shutil.ignore_patterns(".git", ".mgaudit-cache"))
    copy = folder / config.name
    shutil.copy(config, copy)
    if config.resolve().parent == original.root:
        copy = root / config.name
    return load(copy, PARAMETERS, root=root)


def tested(settings: Settings, cache: Path) -> list[tuple[int, str]]:
    """The macros that conditionals of the tree's files test, each with the number of units that see it, by that number.

    A unit sees what a file of its include closure tests. Macros that the front end or the configuration defines, and
    include guards, are left out.
    """
    spec, closures = settings.configurations[0], defaultdict[str, set[int]](set)
    file = max((cache / "facts").glob("*.sqlite"), key=lambda path: path.stat().st_mtime)
    with sqlite3.connect(file) as database:
        targets = dict(database.execute("SELECT e.id, f.path FROM edge e JOIN file f ON f.id = e.target"))
        rows = database.execute("SELECT id, path, edges, preamble, kind FROM unit").fetchall()
    own = {row[0]: {targets.get(number, "") for number in memoryview(row[2]).cast("I")} for row in rows}
    for number, path, _, preamble, kind in rows:
        for name in own[number] | own.get(preamble, set()) | {path} if kind == "source" else ():
            closures[name].add(number)
    seeing = defaultdict[str, set[int]](set)
    for path in list_files(settings).files:
        for arm in scan((settings.root / path).read_bytes()).conditionals:
            for name in _MACRO.findall(_HEADER.sub("", "" if arm.guard else arm.condition)):
                seeing[name] |= closures[path]
    known = {
        "defined",
        "or",
        "and",
        "not",
        "true",
        "false",
        *(macro.partition("=")[0] for macro in (*spec.defines, *spec.undefines)),
    }
    return sorted((len(units), name) for name, units in seeing.items() if units and name not in known)


def second(spec: ConfigurationSpec, macro: str) -> str:
    """A configuration like another one, with a macro more."""
    values: dict[str, object] = {
        "name": "measured-second", "compile-commands": spec.compile_commands, "standard": spec.standard,
        "include-dirs": spec.include_dirs, "system-include-dirs": spec.system_include_dirs,
        "defines": (*spec.defines, f"{macro}=1"), "undefines": spec.undefines,
        "force-includes": tuple(item.value for item in spec.force_includes), "extra-args": spec.extra_args,
        "target": spec.target, "sysroot": spec.sysroot, "missing-headers": spec.missing_headers,
    }  # fmt: skip
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items() if value]
    stubs = ", ".join(f"{json.dumps(name)} = {json.dumps(text)}" for name, text in spec.stub_headers.items())
    return "\n".join(["\n[[configuration]]", *lines, f"stub-headers = {{ {stubs} }}", ""])


def hottest(settings: Settings, commands: tuple[ParseCommand, ...]) -> str:
    """The header of the tree that most sources include themselves."""
    headers = {Path(path).name: path for path in list_files(settings).files if path.endswith((".h", ".hpp"))}
    counts: Counter[str] = Counter()
    for command in commands:
        for directive in scan((settings.root / command.path).read_bytes()).directives:
            counts[headers.get(Path(directive.spelling).name, "")] += 1
    del counts[""]
    return max(counts, key=lambda path: (counts[path], path))


def include_graph(config: Path, root: Path) -> None:
    """The inclusions of all files, in all arms, by the scanner and the search paths alone."""
    settings = load(config, PARAMETERS, root=root)
    commands = plan(settings, list_files(settings), discover()).commands
    searches = {group: Resolver.from_arguments(group.arguments, group.directory) for group in map(Group.of, commands)}
    contents = Contents(settings.root)
    edges = set()
    for path in list_files(settings).files:
        directives = scan(contents.read(path) or b"").directives
        for search in searches.values():
            for item in directives:
                if item.kind.startswith("include") and not item.computed:
                    including = str(settings.root / path)
                    found = search.resolve(item.spelling, angled=item.angled, including_file=including)
                    edges.add((path, item.offset, found))
    print(f"{len(edges)} inclusions in all arms, by the scanner")


def tidy(tree: Tree, jobs: int) -> Timing | None:
    """The checks of clang-tidy that look at includes, on one unit, scaled."""
    program = shutil.which("clang-tidy") or shutil.which("clang-tidy-19")
    if program is None:
        return None
    command = tree.commands[len(tree.commands) // 2]
    words = [program, f"--checks={TIDY_CHECKS}", str(tree.settings.root / command.path), "--"]
    words += tree.words("clang++", command)[1:-1]
    timing = timed(lambda: subprocess.run(words, capture_output=True, check=False))
    return timing.times(len(tree.commands) / jobs)


def measures(bench: Bench, arguments: argparse.Namespace) -> Iterator[tuple[str, Timing | None]]:
    """What was measured, in the order in which each one finds what it needs."""
    only = set(filter(None, arguments.only.split(",")))

    def wanted(word: str) -> bool:
        return not only or word in only

    tree = Tree(bench.settings, bench.folder)
    source = tree.commands[len(tree.commands) // 2].path
    hot = arguments.hot or hottest(bench.settings, tree.commands)
    yield "cold", timed(bench.check())
    yield "warm", timed(bench.check())
    shutil.rmtree(bench.folder / "cache/verdict")
    yield "judged afresh", timed(bench.check())
    if wanted("source"):
        bench.changed(source, 1)
        yield "one changed source", timed(bench.check())
    if wanted("diff") or wanted("hook"):
        bench.git("init", "-q")
        bench.git("add", "-A")
        bench.git("commit", "-qm", "before")
    if wanted("hook"):
        bench.changed(source, 2)
        hook = timed(bench.check("--changed", "--fast"))
        yield "hook on one changed source", hook
        clang = shutil.which(arguments.clang)
        if clang:
            command = next(c for c in tree.commands if c.path == source)
            words = [*tree.words(clang, command), "-fsyntax-only"]
            yield "syntax of that source", timed(lambda: subprocess.run(words, capture_output=True, check=False))
    if wanted("diff"):
        bench.git("commit", "-qam", "after", "--allow-empty")
        mgaudit("diff", "HEAD~1", "HEAD~1", *bench.options)
        yield "diff", timed(lambda: mgaudit("diff", "HEAD~1", "HEAD", *bench.options))
    if wanted("header"):
        bench.changed(hot, 3)
        yield f"one changed hot header, {hot}", timed(bench.check())
    if wanted("prove"):
        yield "prove", timed(lambda: mgaudit("prove", *bench.options))
    if wanted("includes"):
        words = [sys.executable, __file__, str(bench.settings.file), "--include-graph", str(bench.settings.root)]
        yield "include graph of the scanner", timed(lambda: subprocess.run(words, capture_output=True, check=True))
    if wanted("clang"):
        yield from others(bench, tree, arguments)
    yield "python -c pass", timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    yield "--help", timed(lambda: mgaudit("--help"))


def others(bench: Bench, tree: Tree, arguments: argparse.Namespace) -> Iterator[tuple[str, Timing | None]]:
    """The other tools, over the same units."""
    if clang := shutil.which(arguments.clang):
        yield "syntax only", syntax_only(tree, clang, bench.jobs, arguments.sample)[0]
        if scanner := shutil.which(arguments.scan_deps):
            yield "scan-deps", scan_deps(tree, scanner, clang, bench.jobs, bench.folder)
    yield "clang-tidy, includes", tidy(tree, bench.jobs)


def second_configurations(bench: Bench) -> Iterator[tuple[str, Timing]]:
    """Runs over two configurations, where the facts of the first are in the cache."""
    text, spec = bench.settings.file.read_text(), bench.settings.configurations[0]
    macros = tested(bench.settings, bench.folder / "cache")
    for count, macro in ((0, "MGAUDIT_MEASURED"), *(macros and (macros[len(macros) // 2], macros[-1]))):
        bench.settings.file.write_text(text + second(spec, macro))
        yield f"second configuration, {macro}: {count} units see it", timed(bench.check())


def ratios(rows: dict[str, Timing]) -> list[tuple[str, float, float, float]]:
    """(what, measured, must, aim): processor time for what takes long, wall-clock time for what is quick."""
    header = next((name for name in rows if name.startswith("one changed hot header")), "")
    second = [*(name for name in rows if name.startswith("second configuration")), "", "", ""]
    wanted = [
        ("cold / syntax only", "cold", "syntax only", "cpu", 0.20, 0.10),
        ("warm / scan-deps", "warm", "scan-deps", "wall", 1.0, 0.3),
        ("hook / syntax of that source", "hook on one changed source", "syntax of that source", "cpu", 0.6, 0.3),
        ("include graph / scan-deps", "include graph of the scanner", "scan-deps", "wall", 1.0, 0.3),
        ("second configuration / first, macro unseen", second[0], "cold", "cpu", 1.0, 0.6),
        ("second configuration / first, seen by the median", second[1], "cold", "cpu", 1.0, 0.6),
        ("second configuration / first, seen by most", second[2], "cold", "cpu", 1.0, 0.6),
        ("diff / cold", "diff", "cold", "cpu", 0.2, 0.1),
        ("prove / cold", "prove", "cold", "cpu", 1.0, 0.5),
        ("changed hot header / cold", header, "cold", "cpu", 1.0, 1.0),
        ("--help / python -c pass", "--help", "python -c pass", "wall", 2.5, 2.5),
    ]
    found = [
        (what, getattr(rows[ours], kind) / getattr(rows[theirs], kind), must, aim)
        for what, ours, theirs, kind, must, aim in wanted
        if ours in rows and theirs in rows
    ]
    return [*found, ("peak memory of one process, MiB", rows["cold"].peak, 700, 450)]


def sizes(bench: Bench) -> dict[str, float]:
    """Bytes of the cache without precompiled headers, references in the database, and bytes for each reference."""
    usage = {item.kind: item.size for item in Cache(bench.folder / "cache").usage()}
    references = 0
    for file in (bench.folder / "cache/facts").glob("*.sqlite"):
        with sqlite3.connect(file) as database:
            references += database.execute("SELECT COUNT(*) FROM reference_row").fetchone()[0]
    kept = sum(size for kind, size in usage.items() if kind != "preamble")
    return {
        "cache, MB": round(kept / 1e6, 1), "precompiled, MB": round(usage.get("preamble", 0) / 1e6, 1),
        "references": references, "bytes a reference": round(kept / max(1, references), 1),
    }  # fmt: skip


def show(rows: dict[str, Timing], found: list[tuple[str, float, float, float]], sized: dict[str, float]) -> None:
    table = Table("measure", "wall s", "processor s", "peak MiB")
    for name, timing in rows.items():
        table.add_row(name, f"{timing.wall:.2f}", f"{timing.cpu:.2f}", f"{timing.peak:.0f}")
    verdicts = Table("ratio", "measured", "must", "aim")
    for what, measured, must, aim in found:
        style = "red" if measured > must else "green" if measured <= aim else None
        verdicts.add_row(what, f"{measured:.3g}", f"{must:g}", f"{aim:g}", style=style)
    console = Console(width=110)
    console.print(table, verdicts)
    console.print(", ".join(f"{name}: {value:,}" for name, value in sized.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sample", type=int, default=8)
    parser.add_argument("--hot", default="")
    parser.add_argument("--only", default="", help="of source, hook, diff, header, prove, includes, second, clang")
    parser.add_argument("--clang", default="clang++")
    parser.add_argument("--scan-deps", default="clang-scan-deps")
    parser.add_argument("--note", default="")
    parser.add_argument("--include-graph", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.include_graph:
        include_graph(arguments.config, arguments.include_graph)
        return
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(copied(arguments.config.absolute(), Path(name)), Path(name), arguments.jobs)
        rows = {}
        for what, timing in measures(bench, arguments):
            if timing is not None:
                rows[what] = timing
                print(f"{timing.wall:8.2f} s  {what}", file=sys.stderr)
        sized = sizes(bench)
        if not arguments.only or "second" in arguments.only.split(","):
            for what, timing in second_configurations(bench):
                rows[what] = timing
                print(f"{timing.wall:8.2f} s  {what}", file=sys.stderr)
    found = ratios(rows)
    show(rows, found, sized)
    record({
        "tree": bench.settings.tree.name, "jobs": arguments.jobs, "sample": arguments.sample, "note": arguments.note,
        "seconds": {what: [round(t.wall, 2), round(t.cpu, 2), round(t.peak)] for what, t in rows.items()},
        "sizes": sized, "ratios": {what: round(measured, 3) for what, measured, _, _ in found},
        "targets": {what: [must, aim] for what, _, must, aim in found},
    })  # fmt: skip
    draw()


if __name__ == "__main__":
    main()
