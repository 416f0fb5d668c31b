"""What a check of a few files says of them is what a check of everything says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.analysis.effects_body import Evaluation
from mgaudit.config.loader import load
from mgaudit.domain.findings import Status
from mgaudit.engine.judge import Selection, judge
from mgaudit.engine.pipeline import Analysis, Options, analyse
from mgaudit.gates.registry import KINDS, PARAMETERS
from mgaudit.gates.undeclared.check import check

if TYPE_CHECKING:
    from pathlib import Path

    from mgaudit.analysis.effects_calls import Surroundings
    from mgaudit.domain.findings import Finding
    from mgaudit.gates.context import GateContext, Verdict

HEAD = """
schema = 1
[tree]
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h"]
[[configuration]]
name = "only"
include-dirs = ["src"]
[zone.state]
paths = ["src/state/**"]
[zone.backend]
paths = ["src/backend/**"]
[[gate]]
id = "C"
kind = "undeclared"
zones = ["backend"]
entities = ["state::gWidth"]
"""
STATE = "#pragma once\nnamespace state { extern int gWidth; }\n"
USE = "int Draw() { return state::gWidth; }\n"


def analysed(root: Path, tmp_path: Path) -> Analysis:
    return analyse(load(root / "mgaudit.toml", PARAMETERS), Options(tmp_path / "cache", 1))


def local(analysis: Analysis) -> frozenset[str]:
    return frozenset(gate.id for gate in analysis.settings.gates if KINDS[gate.kind].local)


def in_part(analysis: Analysis, path: str) -> list[Finding]:
    report = judge(analysis, Selection(local(analysis), files=frozenset({path})))
    return list(report.findings)


def in_whole(analysis: Analysis, path: str, *, local_only: bool = True) -> list[Finding]:
    """Without what only the whole tree can tell."""
    report = judge(analysis, Selection(local(analysis)) if local_only else None)
    return [f for f in report.findings if f.path == path and "stale" not in f.message and "means no" not in f.message]


def tree(root: Path, settings: str, **files: str) -> None:
    for name, text in {"mgaudit.toml": HEAD + settings, "src/state/state.h": STATE, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


EVERY = """
baseline = "c.txt"
[[catalogue]]
name = "rows"
columns = ["entity", "verdict", "reason"]
rows = [{ entity = "impl::Kept", verdict = "deleted", reason = "soon" }]
[[catalogue]]
name = "reads"
columns = ["accessor", "call"]
rows = [{ accessor = "height", call = "LOCAL" }]
[zone.impl]
paths = ["src/impl/**"]
[[gate]]
id = "A"
kind = "include-purity"
from = ["backend"]
forbid = ["state", "impl"]
exempt = [{ edge = "src/backend/use.h -> src/impl/impl.h", reason = "old" }]
[[gate]]
id = "F"
kind = "forbidden-calls"
zones = ["backend"]
functions = ["Abort"]
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
[[gate]]
id = "U"
kind = "upcalls"
from = ["backend"]
into = ["impl"]
catalogue = "rows"
[[catalogue]]
name = "changes"
columns = ["entity", "verdict", "reason"]
rows = []
[[gate]]
id = "W"
kind = "writebacks"
from = ["backend"]
of = ["state"]
catalogue = "changes"
[[gate]]
id = "H"
kind = "health"
unresolved = "u.txt"
"""
FILES = {
    "c.txt": "Use(const state::Box &) | state::gWidth | read  # reason: old\n",
    "u.txt": "",
    "src/state/state.h": STATE
    + "namespace state { struct Box { int width; int height; void Grow() { ++width; } }; }\n",
    "src/impl/impl.h": "#pragma once\nnamespace impl { void Kept(); void Called(); }\n#define CALL() impl::Called()\n",
    "src/backend/use.h": '#pragma once\n#include "state/state.h"\n#include "impl/impl.h"\nvoid Abort();\n'
    "inline int Use(const state::Box& b) { Abort(); return b.width + b.height + state::gWidth; }\n"
    "template <class T> int Open(T& t) { return t.nothing().height; }\n#define IDLE state::gWidth\n",
    "src/backend/a.cpp": '#include "backend/use.h"\n'
    "int A(state::Box& b) { CALL(); impl::Kept(); return Use(b) + b.width; }\n",
    "src/backend/c.cpp": '#include "state/state.h"\nvoid C(state::Box& b) { b.Grow(); }\n',
    "src/backend/e.cpp": '#include "state/state.h"\nvoid E(state::Box& b) { auto grow = [&b] { b.Grow(); }; grow(); }\n'
    "int& Place(state::Box& b) { return b.width; }\nvoid Double(state::Box& b) { Place(b) *= 2; }\n",
    "src/backend/d.cpp": '#include "state/state.h"\nint D(state::Box& b) { return b.height; }\n',
    "src/backend/b.cpp": '#include "impl/impl.h"\n#include "backend/use.h"\n'
    "int B() { return IDLE; }\n#if 0\nint gWidth;\n#endif\n",
}  # fmt: skip


def test_each_file_is_judged_as_in_the_whole(tmp_path: Path) -> None:
    tree(tmp_path / "tree", EVERY, **FILES)
    analysis = analysed(tmp_path / "tree", tmp_path)
    red = {result.kind for result in judge(analysis).gates if result.status is Status.RED}
    assert red == {"writebacks", *(kind for kind, traits in KINDS.items() if traits.local)}
    for path in analysis.files.files:
        assert in_part(analysis, path) == in_whole(analysis, path), path


LEFT = """
[[catalogue]]
name = "reads"
columns = ["accessor", "call"]
rows = []
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "reads"
[[catalogue]]
name = "changes"
columns = ["entity", "verdict", "reason", "symbol", "ordinal"]
rows = [
    { entity = "state::Box::Grow", verdict = "server-local", reason = "r" },
    { entity = "state::Box::Size", verdict = "server-local", reason = "r" },
    { entity = "state::Box::Trim", verdict = "server-local", reason = "r", symbol = "One", ordinal = "1" },
]
[[gate]]
id = "W"
kind = "writebacks"
from = ["backend"]
of = ["state"]
catalogue = "changes"
"""
BOX = """#pragma once
namespace state {
struct Box {
    void Grow() { ++width; }
    int Size() const { return width; }
    void Trim() { --width; }
    void Fill();
    int Area() const { return width * width; }
    int width;
};
}
"""
SOURCE = """#include "state/box.h"
void One(state::Box& b) { b.Trim(); }
int Two(state::Box& b) { b.Grow(); return b.Size(); }
"""


def fast(analysis: Analysis, path: str) -> tuple[list[str], tuple[str, ...]]:
    """What a quick look at a file finds for the gate R, and what it leaves."""
    report = judge(analysis, Selection(frozenset({"R"}), files=frozenset({path}), fast=True))
    result = next(result for result in report.gates if result.gate == "R")
    return [f"{f.line}: {f.entity}" for f in result.findings], result.left


def test_a_fast_look_leaves_what_the_write_backs_map_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path / "tree", LEFT, **{"src/state/box.h": BOX, "src/backend/a.cpp": SOURCE})
    analysis = analysed(tmp_path / "tree", tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("mgaudit.gates.inference.changes", None)  # nothing has to be inferred
        found, left = fast(analysis, "src/backend/a.cpp")
    assert found == []
    said = "1 of state::Box::Grow, 1 of state::Box::Size, 1 of state::Box::Trim"
    assert left == ("stale rows", "fill pairs", f"uses that the write-backs map ({said})")
    assert [f"{f.line}: {f.entity}" for f in in_whole(analysis, "src/backend/a.cpp") if f.gate == "R"] == [
        "3: state::Box::Size"  # which only reads
    ]


def test_a_fast_look_decides_what_no_catalogue_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = (
        '#include "state/box.h"\nint One(state::Box& b) { b.Fill(); return b.Area(); }\n'
        "void Two(state::Box& b) { b.Trim(); }\nvoid Three(state::Box& b) { b.Grow(); }\n"
    )
    elsewhere = '#include "state/box.h"\nvoid state::Box::Fill() { width = 7; }\n'
    files = {"src/state/box.h": BOX, "src/state/box.cpp": elsewhere, "src/backend/a.cpp": here}
    tree(tmp_path / "tree", LEFT, **files, **{"src/backend/b.cpp": SOURCE.replace("One", "Far").replace("Two", "Away")})
    analysis = analysed(tmp_path / "tree", tmp_path)
    looked_at: set[str] = set()

    class Watched(Evaluation):
        def __init__(self, around: Surroundings, symbol: int, *others: Any) -> None:
            looked_at.add(around.symbol(symbol).name)
            super().__init__(around, symbol, *others)

    monkeypatch.setattr("mgaudit.analysis.effects.Evaluation", Watched)
    found, left = fast(analysis, "src/backend/a.cpp")
    assert found == ["2: state::Box::Area"]
    assert left[2:] == ("uses that the write-backs map (1 of state::Box::Grow)",)
    assert looked_at == {"One", "Two", "Fill", "Area", "Trim"}  # and no more than what these functions reach
    whole = {(f.gate, f.line, f.entity) for f in in_whole(analysis, "src/backend/a.cpp", local_only=False)}
    assert whole == {("R", 2, "state::Box::Area"), ("W", 2, "state::Box::Fill"), ("W", 3, "state::Box::Trim")}


TWO = {"src/backend/a.cpp": '#include "state/state.h"\n' + USE, "src/backend/b.cpp": '#include "state/state.h"\n' + USE}


@pytest.mark.parametrize(
    ("settings", "accepted", "files"),
    [
        pytest.param('baseline = "c.txt"\n', "Draw() | state::gWidth | read\n", TWO, id="one entry, two functions"),
        pytest.param(
            'exempt = [{ entity = "state::gWidth", reason = "old" }]\n', "", TWO, id="one exemption, two files"
        ),
        pytest.param(
            'exempt = [{ symbol = "Draw", entity = "state::gWidth", reason = "old" }]\n', "",
            {path: text.replace("int Draw", "static int Draw") for path, text in TWO.items()},
            id="one exemption of a name, two functions",
        ),
        pytest.param(
            'baseline = "c.txt"\n',
            "src/backend/gone.cpp | Draw() | state::gWidth | read\n",
            {path: text.replace("int Draw", "static int Draw") for path, text in TWO.items()},
            id="one file gone, two that are like it",
        ),
    ],
)  # fmt: skip
def test_what_is_accepted_elsewhere_is_not_accepted_twice(
    tmp_path: Path, settings: str, accepted: str, files: dict[str, str]
) -> None:
    tree(tmp_path / "tree", settings, **{"c.txt": accepted}, **files)
    analysis = analysed(tmp_path / "tree", tmp_path)
    found = [finding for path in files for finding in in_part(analysis, path)]
    assert found == [finding for path in files for finding in in_whole(analysis, path)]
    assert [f for f in found if f.path.endswith("b.cpp") and not f.baselined]


@pytest.mark.parametrize(
    ("exemption", "looks"),
    [
        ('path = "src/backend/a.cpp"', [True]),
        ('symbol = "Draw"', [True]),  # which is defined in that file alone
        ('entity = "state::gWidth"', [True, False]),
    ],
)
def test_a_gate_looks_elsewhere_only_where_an_exemption_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exemption: str, looks: list[bool]
) -> None:
    settings = f'exempt = [{{ {exemption}, reason = "old" }}]\n'
    tree(tmp_path / "tree", settings, **{"src/backend/a.cpp": TWO["src/backend/a.cpp"]})
    found: list[bool] = []

    def watched(context: GateContext) -> Verdict:
        found.append(context.is_local)
        return check(context)

    monkeypatch.setattr("mgaudit.gates.undeclared.check.check", watched)
    assert in_part(analysed(tmp_path / "tree", tmp_path), "src/backend/a.cpp") == []
    assert found == looks
