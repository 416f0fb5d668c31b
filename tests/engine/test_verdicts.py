"""A kept verdict is what the check would say now, byte for byte, and nothing that a check may look at escapes it."""

from __future__ import annotations

import dataclasses
import subprocess
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.commands.demo import copy_example
from mgaudit.config.loader import load
from mgaudit.engine import verdicts
from mgaudit.engine.censuses import with_sites
from mgaudit.engine.judge import context_of, judge
from mgaudit.engine.pipeline import Analysis, Options, analyse
from mgaudit.engine.verdicts import Verdicts
from mgaudit.engine.worker import Worker
from mgaudit.gates.reads import census as reads_census
from mgaudit.gates.reads import check as reads
from mgaudit.gates.registry import KINDS, PARAMETERS, Kind
from mgaudit.reports import json
from mgaudit.sources import binaries
from mgaudit.sources.binaries_model import (
    Binary,
    Bind,
    ObjectFile,
    ObjectKind,
    Placement,
    Symbol,
    SymbolKind,
    Table,
    Visibility,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mgaudit.gates.context import GateContext

# What the example has no use for.
MORE = """
[[gate]]
id = "TESTS"
kind = "test-names"
before = "tests-before.txt"
after = "tests-after.txt"

[[gate]]
id = "CITE"
kind = "doc-citations"
documents = ["docs/*.md"]

[[gate]]
id = "CITE-REV"
kind = "doc-citations"
documents = ["docs/*.md"]
revision = "HEAD"

[[gate]]
id = "POISON"
kind = "include-purity"
from = ["backend"]
forbid = ["state"]
poison = true
"""
BESIDE = {
    "tests-before.txt": "one\ntwo\n",
    "tests-after.txt": "one\ntwo\n",
    "docs/design.md": "The handle is in `src/pipe/Handle.h:1`.\n",
}


@dataclass
class Example:
    """The example tree and its cache."""

    root: Path
    cache: Path
    checked: list[str]
    configurations: tuple[str, ...] = ()

    def analyse(self) -> Analysis:
        return analyse(
            load(self.root / "mgaudit.toml", PARAMETERS), Options(self.cache, configurations=self.configurations)
        )

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=self.root, check=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "m")

    def report(self) -> str:
        """What a run reports; `checked` then holds the gates whose checks ran."""
        analysis = self.analyse()
        self.checked.clear()
        try:
            return json.render(with_sites(judge(analysis), analysis))
        finally:
            analysis.facts.connection.close()

    def plain(self) -> str:
        """What a run reports that keeps no verdict."""
        analysis = self.analyse()
        try:
            analysis = replace(analysis, verdicts=Verdicts(analysis.verdicts._cache, ""))
            return json.render(with_sites(judge(analysis), analysis))
        finally:
            analysis.facts.connection.close()


def counting(monkeypatch: pytest.MonkeyPatch, checked: list[str]) -> None:
    def watched(load: Callable[[Kind], Callable[..., Any] | None]) -> Callable[[Kind], Callable[..., Any] | None]:
        def loaded(kind: Kind) -> Callable[..., Any] | None:
            function = load(kind)

            def run(context: GateContext) -> Any:
                assert function is not None
                checked.append(context.spec.id)
                return function(context)

            return run if function is not None else None

        return loaded

    monkeypatch.setattr(Kind, "load_check", watched(Kind.load_check))
    monkeypatch.setattr(Kind, "load_census", watched(Kind.load_census))


@pytest.mark.parametrize(("broken", "configuration"), [(False, "mono"), (True, "split")], ids=["sound", "broken"])
def test_a_second_run_says_the_same_without_a_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bool, configuration: str
) -> None:
    copy_example(tmp_path / "tree", broken=broken)
    example = Example(tmp_path / "tree", tmp_path / "cache", [], (configuration,))
    example.write(BESIDE | {"mgaudit.toml": (tmp_path / "tree/mgaudit.toml").read_text() + MORE})
    example.git("init", "-q")
    example.commit()
    counting(monkeypatch, example.checked)
    first = example.report()
    gates = load(example.root / "mgaudit.toml", PARAMETERS).gates
    assert {gate.kind for gate in gates} == set(KINDS)
    assert set(example.checked) == {gate.id for gate in gates}
    assert example.report() == first
    assert example.checked == []


SMALL = """
schema = 1
extends = ["pack.toml"]
[tree]
name = "small"
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h", "src/**/*.inc"]
[[configuration]]
name = "only"
include-dirs = ["src"]
defines = []
[zone.state]
paths = ["src/state/**"]
[zone.backend]
paths = ["src/backend/**"]
[[catalogue]]
name = "reads"
file = "reads.def"
list = "LIST"
columns = ["accessor", "call"]
[[gate]]
id = "C"
kind = "undeclared"
zones = ["backend"]
entities = ["state::gContext"]
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
[[gate]]
id = "B"
kind = "symbol-purity"
binaries = ["build/*.o"]
optional = true
forbid = ["state::"]
[[gate]]
id = "FROZEN"
kind = "frozen"
reference = "frozen.txt"
regions = ["state::Context"]
"""
FILES = {
    "mgaudit.toml": SMALL + MORE,
    "pack.toml": "schema = 1\n",
    "reads.def": "#define LIST(X) X(Width, kSet)\n",
    "frozen.txt": "",
    "src/state/context.h": "#pragma once\nnamespace state {\nstruct Context { int w; int Width() const { return w; } };"
    "\nextern Context gContext; }\n",
    "src/state/context.cpp": '#include "state/context.h"\nstate::Context state::gContext;\n',
    "src/backend/draw.cpp": '#include "state/context.h"\nint draw(state::Context& c) { return c.Width(); }\n',
    "build/use.o": "draw",
    "tests-before.txt": "one\ntwo\n",
    "tests-after.txt": "one\ntwo\n",
    "docs/design.md": "See `src/state/context.h:1`.\n",
}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Example:
    """A small tree whose gates ask for all that a check can ask for."""
    made = Example(tmp_path / "tree", tmp_path / "cache", [])
    made.write(FILES)
    made.git("init", "-q")
    made.commit()
    counting(monkeypatch, made.checked)
    monkeypatch.setattr(
        binaries, "read_binaries", lambda files, _: tuple(undefined(path, file.read_text()) for file, path in files)
    )
    return made


def undefined(path: str, name: str) -> Binary:
    """What would be read of an object that refers to one symbol."""
    symbol = Symbol(
        name, "", False, Bind.GLOBAL, SymbolKind.NONE, Visibility.DEFAULT, Placement.UNDEFINED, "", 0, Table.STATIC
    )
    return Binary(path, False, (ObjectFile(path, None, 1, ObjectKind.RELOCATABLE, "EM_X86_64", (symbol,)),))


CONFIGURATION, CONTEXT = FILES["mgaudit.toml"], FILES["src/state/context.h"]
EDITS: dict[str, dict[str, str]] = {
    "a source": {"src/backend/draw.cpp": '#include "state/context.h"\nint draw() { return state::gContext.w; }\n'},
    "a header": {"src/state/context.h": CONTEXT.replace("int w;", "int w; long more;")},
    "a header that appears before another": {"src/backend/state/context.h": CONTEXT + "int n;\n"},
    "a frozen reference": {"frozen.txt": "0" * 32 + "\t17\tclass\tstate::Context\n"},
    "a catalogue": {"reads.def": "#define LIST(X) X(Height, kSet)\n"},
    "a file that only scanners read": {"src/backend/unused.inc": "int f() { return gContext.w; }\n"},
    "a parameter": {"mgaudit.toml": CONFIGURATION.replace("state::gContext", "state::Context")},
    "an exemption": {
        "mgaudit.toml": CONFIGURATION.replace('id = "R"\n', 'id = "R"\nexempt = [{ path = "a", reason = "b" }]\n')
    },
    "a rule pack": {
        "pack.toml": 'schema = 1\n[[gate]]\nid = "S"\nkind = "forbidden-calls"\nzones = ["backend"]\n'
        'functions = ["draw"]\n'
    },
    "a macro of the configuration": {"mgaudit.toml": CONFIGURATION.replace("defines = []", 'defines = ["draw=Draw"]')},
    "a list of tests": {"tests-after.txt": "one\n"},
    "a document": {"docs/design.md": "See `src/state/gone.h:1`.\n"},
    "a new document": {"docs/new.md": "See `src/state/gone.h:1`.\n"},
    "a binary": {"build/use.o": "_ZN5state8gContextE"},
    "a new binary": {"build/new.o": "_ZN5state8gContextE"},
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edit_is_never_missed(small: Example, edit: Mapping[str, str]) -> None:
    before = small.report()
    assert small.report() == before
    assert small.checked == []
    small.write(edit)
    after = small.report()
    assert small.checked
    assert after == small.plain() != before
    small.write(FILES)
    for name in edit.keys() - FILES.keys():
        (small.root / name).unlink()
    assert small.report() == before


def test_check_and_census_judge_once(small: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    judged, judge_reads = [], reads.judge

    def counted(context: GateContext) -> reads.Judged:
        judged.append(context.spec.id)
        return judge_reads(context)

    monkeypatch.setattr(reads, "judge", counted)
    monkeypatch.setattr(reads_census, "judge", counted)
    small.report()
    assert judged == ["R"]


def test_a_revision_that_becomes_another_commit(small: Example) -> None:
    before = small.report()
    (small.root / "src/state/context.h").rename(small.root / "src/state/moved.h")
    small.commit()
    (small.root / "src/state/moved.h").rename(small.root / "src/state/context.h")
    after = small.report()
    assert small.checked == ["CITE-REV"]
    assert after == small.plain() != before


def test_baselines_and_the_choice_of_files_are_applied_to_what_is_kept(small: Example) -> None:
    small.write(
        {"mgaudit.toml": FILES["mgaudit.toml"].replace('id = "POISON"\n', 'id = "POISON"\nbaseline = "P.txt"\n')}
    )
    small.write({"P.txt": ""})
    red = small.report()
    small.write({"P.txt": "not a line of a baseline\n"})
    after = small.report()
    assert small.checked == []
    assert after == small.plain() != red


def test_a_damaged_verdict_is_made_again(small: Example) -> None:
    first = small.report()
    for path in (small.cache / "verdict").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert small.report() == first
    assert set(small.checked) == {spec.id for spec in small.analyse().settings.gates}


def test_nothing_is_kept_where_the_facts_are_in_doubt(small: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Worker, "_attempt", lambda *_: None)
    assert "keep changing" in small.report()
    assert not (small.cache / "verdict").exists()


def test_other_code_means_other_verdicts(small: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    first = small.report()
    monkeypatch.setattr(verdicts, "_code", lambda: b"other")
    assert small.report() == first
    assert small.checked


def test_each_part_of_a_context_is_accounted_for(small: Example) -> None:
    """A new field of `GateContext` is digested by content, or its answers are noted; else this fails."""
    analysis = small.analyse()
    context = context_of(analysis, analysis.settings.gates[0])
    for field in dataclasses.fields(context):
        if field.name not in verdicts._IDENTIFIED | verdicts._NOTED:
            assert verdicts.digest_of(getattr(context, field.name))
    with pytest.raises(TypeError, match="how would a kept verdict know"):
        verdicts.digest_of({"field": lambda: None})
