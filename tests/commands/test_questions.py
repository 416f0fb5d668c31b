"""`why`, `cut` and `graph`, as a person calls them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mgaudit.cli import main

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATION = """
schema = 1
[tree]
name = "small"
sources = ["**/*.cpp"]
headers = ["**/*.h"]
[[configuration]]
name = "only"
standard = "c++20"
include-dirs = ["."]
[zone.state]
paths = ["state/**"]
namespaces = ["mg::state"]
[zone.back]
paths = ["back/**"]
[zone.util]
paths = ["util/**"]
"""
TREE = {
    "state/context.h": "#pragma once\nnamespace mg::state { int Get(); struct Buffer { int Size(); }; }\n",
    "util/a.h": '#pragma once\n#include "state/context.h"\ninline int Helper() { return mg::state::Get(); }\n',
    "back/draw.cpp": '#include "util/a.h"\nint Draw() { return Helper(); }\nint Idle() { return 1; }\n',
    "back/clear.cpp": '#include "util/a.h"\nint Clear(int (*f)()) { int (*g)() = f; return g(); }\n',
}


class Shell:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *words: str) -> tuple[int, str, str]:
        place = ("--config", str(self.folder / "mgaudit.toml"), "--cache-dir", str(self.folder / ".cache"))
        code = main([*words, *place, "-q", "-j", "1"])
        out, err = self._capsys.readouterr()
        return code, out, err

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    found = Shell(tmp_path, capsys)
    found.write("mgaudit.toml", CONFIGURATION)
    for name, text in TREE.items():
        found.write(name, text)
    monkeypatch.chdir(tmp_path)
    return found


def test_an_include_chain_with_the_place_of_each_step(shell: Shell) -> None:
    assert shell("why", "back", "state") == (
        0,
        (
            "back leads to state by 2 includes [only]\n"
            '  back/clear.cpp:1  #include "util/a.h" is util/a.h\n'
            '  util/a.h:2        #include "state/context.h" is state/context.h\n'
        ),
        "",
    )


@pytest.mark.parametrize("start", ["draw.cpp", "back/draw.cpp", "./back/draw.cpp"])
@pytest.mark.parametrize("goal", ["context.h", "state/context.h", "state/", "state"])
def test_files_folders_and_zones_are_ends(shell: Shell, start: str, goal: str) -> None:
    code, out, _ = shell("why", start, goal)
    assert (code, out.count("\n")) == (0, 3)
    assert '  back/draw.cpp:1  #include "util/a.h" is util/a.h\n' in out


def test_a_call_chain_with_the_place_of_each_step(shell: Shell) -> None:
    assert shell("why", "Draw", "mg::state::Get") == (
        0,
        (
            "Draw leads to mg::state::Get by 2 calls [only]\n"
            "  back/draw.cpp:2  Draw() -> Helper() (direct)\n"
            "  util/a.h:3       Helper() -> mg::state::Get() (direct)\n"
        ),
        "",
    )


@pytest.mark.parametrize("ends", [("back", "mg::state::Get"), ("draw.cpp", "Get"), ("Draw", "state")])
def test_an_entity_at_one_end_makes_it_a_question_of_calls(shell: Shell, ends: tuple[str, str]) -> None:
    code, out, _ = shell("why", *ends)
    assert code == 0
    assert "by 2 calls" in out


def test_calls_between_zones_on_demand(shell: Shell) -> None:
    assert "by 2 calls" in shell("why", "back", "state", "--by", "call")[1]


def test_that_there_is_no_chain_is_an_answer(shell: Shell) -> None:
    assert shell("why", "state", "back") == (0, "nothing in state includes anything in back, at any depth\n", "")
    assert shell("why", "Idle", "mg::state::Get")[:2] == (
        0, "nothing in Idle calls anything in mg::state::Get, at any depth\n",
    )  # fmt: skip


def test_that_nothing_calls_a_variable_is_no_answer(shell: Shell) -> None:
    shell.write("state/global.cpp", "namespace mg::state { int width = 1; int Width() { return width; } }\n")
    code, out, err = shell("why", "Width", "mg::state::width")
    assert (code, out) == (2, "")
    assert "mg::state::width: calls lead to functions, and this is none (variable)\n  help: `mgaudit graph" in err


def test_no_chain_is_no_answer_where_files_did_not_parse(shell: Shell) -> None:
    shell.write("back/broken.cpp", "int x = nothing;\n")
    code, out, err = shell("why", "state", "back", "--output-format", "json")
    assert code == 2
    assert json.loads(out)["trusted"] is False
    assert "warning" in err
    assert shell("why", "back", "state")[0] == 0


def test_why_in_json(shell: Shell) -> None:
    value = json.loads(shell("why", "draw.cpp", "state", "--output-format", "json")[1])
    assert value == {
        "schema": 1,
        "trusted": True,
        "exit-code": 0,
        "from": {"name": "back/draw.cpp", "kind": "file"},
        "to": {"name": "state", "kind": "zone"},
        "by": "include",
        "found": True,
        "configurations": ["only"],
        "unresolved": 0,
        "chain": [
            {
                "kind": "include", "path": "back/draw.cpp", "line": 1, "from": "back/draw.cpp", "to": "util/a.h",
                "text": '#include "util/a.h"',
            },
            {
                "kind": "include", "path": "util/a.h", "line": 2, "from": "util/a.h", "to": "state/context.h",
                "text": '#include "state/context.h"',
            },
        ],
    }  # fmt: skip


def test_unknown_names_are_all_reported_with_the_nearest_known(shell: Shell) -> None:
    code, out, err = shell("why", "bakc", "mg::state::Gett")
    assert (code, out) == (2, "")
    assert 'bakc: there is no such zone, file or entity\n  help: did you mean "back"' in err
    assert 'did you mean "mg::state::Get"' in err


def test_a_name_like_no_other_comes_with_where_names_are_found(shell: Shell) -> None:
    code, _, err = shell("why", "zzzzzz", "back")
    assert code == 2
    assert "zzzzzz: there is no such zone, file or entity\n  help: zones are named in the configuration" in err


def test_an_ambiguous_file_is_not_guessed(shell: Shell) -> None:
    shell.write("util/context.h", "#pragma once\n")
    code, _, err = shell("why", "back", "context.h")
    assert code == 2
    assert "say which one: state/context.h, util/context.h" in err


def test_failures_in_json(shell: Shell) -> None:
    code, out, _ = shell("cut", "nowhere", "state", "--output-format", "json")
    value = json.loads(out)
    assert (code, value["trusted"], value["exit-code"]) == (2, False, 2)
    assert "nowhere" in value["errors"][0]["message"]


def test_the_fewest_includes_to_cut(shell: Shell) -> None:
    assert shell("cut", "back", "state") == (
        0,
        (
            "1 include to remove: then none of the 2 files of back that include state still does\n"
            '  util/a.h:2  #include "state/context.h"  used by 2 files, alone frees 2\n'
        ),
        "",
    )
    value = json.loads(shell("cut", "back", "state", "--output-format", "json")[1])
    assert value["reaching"] == 2
    assert value["edges"] == [
        {
            "path": "util/a.h", "line": 2, "text": '#include "state/context.h"', "target": "state/context.h",
            "entries": 2, "freed": 2,
        }
    ]  # fmt: skip


def test_nothing_to_cut(shell: Shell) -> None:
    assert shell("cut", "state", "back")[:2] == (
        0, "nothing in state includes anything in back: there is nothing to cut\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ends", "reason"), [(("Draw", "state"), "between zones or files"), (("back", "draw.cpp"), "belongs to both")]
)
def test_what_cannot_be_cut(shell: Shell, ends: tuple[str, str], reason: str) -> None:
    code, _, err = shell("cut", *ends)
    assert code == 2
    assert reason in err


def test_one_end_alone_is_told_that_it_needs_another(shell: Shell) -> None:
    code, _, err = shell("cut", "back")
    assert code == 2
    assert err == (
        'error: one end alone must be a gate of the kind `link-ratchet`, and there is none "back"\n'
        "  help: name a second zone or file\n"
    )


def links(text: str) -> set[tuple[str, str, str]]:
    value = json.loads(text)
    labels = {node["id"]: node["label"] for node in value["nodes"]}
    return {(labels[link["source"]], link["label"], labels[link["target"]]) for link in value["links"]}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["include"],
            {
                ("back/draw.cpp", "", "util/a.h"),
                ("back/clear.cpp", "", "util/a.h"),
                ("util/a.h", "", "state/context.h"),
            },
        ),
        (["include", "--by", "zone"], {("back", "2", "util"), ("util", "1", "state")}),
        (["include", "--focus", "state"], {("util/a.h", "", "state/context.h")}),
        (
            ["call"],
            {
                ("Draw()", "direct", "Helper()"),
                ("Helper()", "direct", "mg::state::Get()"),
                (
                    "Clear(int (*)())",
                    "unresolved",
                    "unresolved: a local pointer is called, of which no function is seen",
                ),
            },
        ),
        (["call", "--by", "file"], {("back/draw.cpp", "1", "util/a.h"), ("util/a.h", "1", "state/context.h")}),
        (["call", "--by", "zone"], {("back", "1", "util"), ("util", "1", "state")}),
        (["call", "--focus", "Draw"], {("Draw()", "direct", "Helper()")}),
        (["call", "--focus", "Draw", "--depth", "0"], set()),
        (["symbol", "--by", "zone"], {("back", "1", "util"), ("util", "1", "state")}),
        (["symbol", "--by", "file"], {("back/draw.cpp", "1", "util/a.h"), ("util/a.h", "1", "state/context.h")}),
        (["symbol", "--focus", "Helper"], {("Draw()", "", "Helper()"), ("Helper()", "", "mg::state::Get()")}),
    ],
)
def test_graphs(shell: Shell, words: list[str], expected: set[tuple[str, str, str]]) -> None:
    code, out, _ = shell("graph", *words, "--output-format", "json")
    assert code == 0
    assert links(out) == expected


def test_the_symbol_table_tells_declarations_and_definitions(shell: Shell) -> None:
    value = json.loads(shell("graph", "symbol", "--output-format", "json")[1])
    nodes = {node["label"]: node for node in value["nodes"]}
    assert nodes["mg::state::Get()"]["declarations"] == "state/context.h:2:27"
    assert nodes["mg::state::Get()"]["definitions"] == ""
    assert nodes["Draw()"]["definitions"] == "back/draw.cpp:2:5"
    assert nodes["Draw()"]["zones"] == "back"


def test_a_graph_in_a_file(shell: Shell) -> None:
    target = shell.folder / "out.dot"
    assert shell("graph", "call", "-o", str(target)) == (0, "", "")
    assert target.read_text() == shell("graph", "call")[1]


@pytest.mark.parametrize("form", ["dot", "graphml", "json"])
def test_graphs_are_repeatable(shell: Shell, form: str) -> None:
    first = shell("graph", "symbol", "--output-format", form)[1]
    shell.write("back/draw.cpp", TREE["back/draw.cpp"] + "int Late();\n")
    shell("graph", "symbol")
    shell.write("back/draw.cpp", TREE["back/draw.cpp"])
    assert shell("graph", "symbol", "--output-format", form)[1] == first


def test_a_focus_must_be_in_the_graph(shell: Shell) -> None:
    code, _, err = shell("graph", "call", "--focus", "Idle")
    assert code == 2
    assert "no node" in err


def test_nodes_must_suit_the_graph(shell: Shell) -> None:
    assert shell("graph", "include", "--by", "symbol")[0] == 2
