from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import pytest

from mgaudit.config.fields import Key, Parameters, ZoneName
from mgaudit.config.loader import load
from mgaudit.config.model import LimitsSpec
from mgaudit.domain.findings import Severity
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.closure_probe.parameters import ClosureProbeParameters
from mgaudit.gates.dirty_surface.parameters import DirtySurfaceParameters, Publisher
from mgaudit.gates.health.parameters import HealthParameters
from mgaudit.gates.include_purity.parameters import IncludePurityParameters
from mgaudit.gates.reads.parameters import Fill, ReadsParameters
from mgaudit.gates.registry import PARAMETERS

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
schema = 1
[tree]
sources = ["src/**/*.cpp"]
[[configuration]]
name = "split"
[zone.state]
paths = ["src/state/**"]
[zone.backend]
paths = ["src/backend/**"]
"""
HEAD_LINES = HEAD.count("\n")
GATE = """\
[[gate]]
id = "A"
kind = "include-purity"
from = ["backend"]
forbid = ["state"]
"""


def write(folder: Path, text: str, name: str = "mgaudit.toml") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="")
    return file


def problems(folder: Path, text: str, root: Path | None = None) -> tuple[Problem, ...]:
    with pytest.raises(UntrustedError) as caught:
        load(write(folder, text), PARAMETERS, root=root)
    return caught.value.problems


def only(folder: Path, text: str) -> Problem:
    found = problems(folder, text)
    assert len(found) == 1, found
    assert found[0].path == "mgaudit.toml"
    return found[0]


def test_a_whole_configuration(tmp_path: Path) -> None:
    text = """\
schema = 1
required-version = "0.0.1"
[tree]
name = "t"
sources = ["./src/**/*.cpp"]
headers = ["src/**/*.h"]
exclude = ["src/gen/**"]
[[configuration]]
name = "split"
required = false
compile-commands = "/elsewhere/compile_commands.json"
standard = "c++20"
include-dirs = ["src", "../shared"]
system-include-dirs = ["/usr/include/x"]
defines = ["A=1"]
undefines = ["B"]
force-includes = [
    "a.h",
    "b.h",
]
extra-args = ["-fno-rtti"]
stub-headers = { "cxxabi.h" = "" }
target = "aarch64-linux-android"
sysroot = "/ndk"
missing-headers = "stub"
[zone.state]
paths = ["src/state/**"]
namespaces = ["mg::state"]
[zone.backend.gles]
paths = ["src/backend/gles/**"]
[verbs]
tables = ["mg::Table"]
functions = ["mg::backend::Draw*"]
[[catalogue]]
name = "reads"
columns = ["accessor", "call"]
rows = [
    { accessor = "A", call = "B" },
    { accessor = "C", call = 2 },
]
[[catalogue]]
name = "calls"
file = "src/calls.def"
list = "LIST"
columns = ["name"]
[[gate]]
id = "R"
kind = "reads"
severity = "warning"
configurations = ["split"]
baseline = "baselines/R.txt"
from = ["backend.gles"]
of = ["state"]
catalogue = "reads"
calls-catalogue = "calls"
exempt = [
    { path = "src/a.cpp", symbol = "mg::f(int)", entity = "mg::T *", count = 2, reason = "why" },
    { edge = "a.h -> b.h", reason = "why" },
]
[effects.memcpy]
writes = [0]
[containers."std::map"]
key = 0
[limits]
unit-seconds = 60
"""
    settings = load(write(tmp_path, text), PARAMETERS)

    assert settings.root == tmp_path.resolve()
    assert (settings.path, settings.required_version) == ("mgaudit.toml", "0.0.1")
    assert settings.tree.sources == ("src/**/*.cpp",)
    (configuration,) = settings.configurations
    assert not configuration.required
    assert configuration.include_dirs == ("src", "../shared")
    assert [(item.value, item.line) for item in configuration.force_includes] == [("a.h", 18), ("b.h", 19)]
    assert configuration.stub_headers == {"cxxabi.h": ""}
    assert (configuration.missing_headers, configuration.line) == ("stub", 8)
    assert list(settings.zones) == ["state", "backend.gles"]
    assert settings.zones["backend.gles"].line == 29
    assert settings.verbs.functions == ("mg::backend::Draw*",)
    reads = settings.catalogues["reads"]
    assert [(row.columns["call"], row.line) for row in reads.rows] == [("B", 38), (2, 39)]
    assert (settings.catalogues["calls"].file, settings.catalogues["calls"].list_macro) == ("src/calls.def", "LIST")
    assert settings.limits == LimitsSpec(unit_seconds=60, unit_megabytes=4096)
    gate = settings.gates[0]
    assert gate.severity is Severity.WARNING
    assert gate.baseline is not None
    assert (gate.baseline.value, gate.baseline.line) == ("baselines/R.txt", 51)
    assert gate.parameters == ReadsParameters(("backend.gles",), ("state",), "reads", calls_catalogue="calls")
    first, second = gate.exempt
    assert (first.entry_path, first.symbol, first.entity, first.count) == ("src/a.cpp", "mg::f(int)", "mg::T *", 2)
    assert (second.edge, second.line, second.count) == (("a.h", "b.h"), 58, 1)
    assert gate.place("exempt[1]") == ("mgaudit.toml", 58)
    assert gate.place("fill") == ("mgaudit.toml", 46)
    assert settings.effects == {"memcpy": {"writes": [0]}}
    assert settings.containers == {"std::map": {"key": 0}}
    assert settings.origins["catalogue.calls"] == ("mgaudit.toml", 41)


def test_nested_parameters(tmp_path: Path) -> None:
    text = (
        HEAD
        + """\
[[catalogue]]
name = "c"
columns = ["accessor", "verb", "class", "field", "mutator", "publishers"]
rows = []
[[gate]]
id = "R"
kind = "reads"
from = ["backend"]
of = ["state"]
catalogue = "c"
fill = { verbs = "c", fields = "c" }
[[gate]]
id = "M"
kind = "dirty-surface"
entry = ["backend"]
of = ["state"]
catalogue = "c"
[gate.publishers]
NEW = { counters = ["m_version"], macros = ["NOTE"] }
[[gate]]
id = "P"
kind = "closure-probe"
header = "src/p.h"
allow = [{ path = "src/q.h", reason = "why" }]
token-limits = { glslang = 2 }
self-contained = false
"""
    )
    reads, dirty, probe, _ = (gate.parameters for gate in load(write(tmp_path, text), PARAMETERS).gates)

    assert isinstance(reads, ReadsParameters)
    assert reads.fill == Fill("c", "c")
    assert isinstance(dirty, DirtySurfaceParameters)
    assert dirty.publishers == {"NEW": Publisher(counters=("m_version",), macros=("NOTE",))}
    assert isinstance(probe, ClosureProbeParameters)
    assert [(item.path, item.reason) for item in probe.allow] == [("src/q.h", "why")]
    assert (probe.token_limits, probe.self_contained) == ({"glslang": 2}, False)


def test_a_health_gate_is_always_there(tmp_path: Path) -> None:
    settings = load(write(tmp_path, HEAD + GATE), PARAMETERS)

    assert [gate.id for gate in settings.gates] == ["A", "health"]
    assert settings.gates[-1].parameters == HealthParameters()


def test_a_configured_health_gate_is_the_only_one(tmp_path: Path) -> None:
    text = HEAD + '[[gate]]\nid = "H"\nkind = "health"\nfloors = { units = 3 }\n' + GATE

    settings = load(write(tmp_path, text), PARAMETERS)

    assert [gate.id for gate in settings.gates] == ["H", "A"]


def test_parameters_of_other_kinds_can_be_loaded(tmp_path: Path) -> None:
    @dataclass(frozen=True, slots=True)
    class OwnParameters(Parameters):
        """A kind that only this test knows."""

        level: Annotated[int, Key("at-level")] = 3
        zones: tuple[ZoneName, ...] = ()

    text = HEAD + '[[gate]]\nid = "X"\nkind = "own"\nat-level = 4\nzones = ["state"]\n'
    (gate,) = load(write(tmp_path, text), {"own": OwnParameters}).gates

    assert gate.parameters == OwnParameters(4, ("state",))


def test_the_root_is_relative_to_the_file(tmp_path: Path) -> None:
    text = HEAD.replace("[tree]", '[tree]\nroot = "../.."')

    settings = load(write(tmp_path, text, "ci/audit/mgaudit.toml"), PARAMETERS)

    assert (settings.root, settings.path) == (tmp_path.resolve(), "ci/audit/mgaudit.toml")


def test_the_root_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    file = write(tmp_path, HEAD.replace("[tree]", '[tree]\nroot = "nowhere"'), "here/mgaudit.toml")

    settings = load(file, PARAMETERS, root=tmp_path / "tree")

    assert settings.root == (tmp_path / "tree").resolve()
    assert settings.path == "<configuration>/mgaudit.toml"
    assert settings.places.file(settings.path) == file.resolve()


def test_files_are_looked_up_from_the_root_then_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "tree/baselines").mkdir(parents=True)
    (tmp_path / "tree/baselines/A.txt").touch()
    text = HEAD.replace("[tree]", '[tree]\nroot = "../tree"') + GATE + 'baseline = "baselines/A.txt"\n'
    file = write(tmp_path, text, "rules/mgaudit.toml")

    def baseline() -> str:
        located = load(file, PARAMETERS).gates[0].baseline
        assert located is not None
        return located.value

    assert baseline() == "baselines/A.txt"
    (tmp_path / "tree/baselines/A.txt").unlink()
    assert baseline() == "<configuration>/baselines/A.txt"


def test_a_linked_folder_is_the_same_tree(tmp_path: Path) -> None:
    write(tmp_path / "real", HEAD)
    (tmp_path / "link").symlink_to("real")

    settings = load(tmp_path / "link/mgaudit.toml", PARAMETERS)

    assert (settings.root, settings.path) == ((tmp_path / "real").resolve(), "mgaudit.toml")


def test_the_digest_follows_the_content(tmp_path: Path) -> None:
    first = load(write(tmp_path, HEAD), PARAMETERS).digest
    assert load(write(tmp_path, HEAD), PARAMETERS).digest == first
    assert load(write(tmp_path, HEAD + "# more\n"), PARAMETERS).digest != first


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    text = HEAD + GATE.replace("from", "form") + 'severity = "fatal"\n[zone.extra]\npaths = ["/x"]\n'

    found = problems(tmp_path, text)

    assert [problem.line for problem in found] == [HEAD_LINES + n for n in (4, 6, 8)]


def test_an_unknown_key_names_the_nearest(tmp_path: Path) -> None:
    problem = only(tmp_path, HEAD + GATE + "poisson = true\n")

    assert problem.line == HEAD_LINES + 6
    assert 'unknown key "poisson"' in problem.message
    assert problem.help == 'did you mean "poison"?'


@pytest.mark.parametrize(
    ("old", "new", "help_"),
    [
        ("schema = 1", "shema = 1", "schema"),
        ('name = "split"', 'nam = "split"', "name"),
        ("forbid = ", "forbids = ", "forbid"),
        ('id = "A"', 'ident = "A"', "id"),
        ('kind = "', 'knd = "', "kind"),
        ('columns = ["a"]', 'column = ["a"]', "columns"),
        ('reason = "r"', 'resaon = "r"', "reason"),
        ("functions = ", "function = ", "functions"),
        ("exempt = [{ path", "exempt = [{ pth", "path"),
    ],
)
def test_a_misspelled_key_that_is_required_is_told_once(tmp_path: Path, old: str, new: str, help_: str) -> None:
    more = '[[catalogue]]\nname = "c"\nfile = "x.def"\nlist = "L"\ncolumns = ["a"]\n'
    more += '[[gate]]\nid = "S"\nkind = "forbidden-calls"\nzones = ["state"]\nfunctions = ["f"]\n'
    text = HEAD + GATE + 'exempt = [{ path = "a", reason = "r" }]\n' + more

    problem = only(tmp_path, text.replace(old, new, 1))

    assert problem.message.startswith("unknown key")
    assert problem.help == f'did you mean "{help_}"?'


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("colour = 1\n", 1),
        ('[tree]\nsources = ["a"]\nsource = ["b"]\n', 3),
        ('[[configuration]]\nname = "b"\ndefine = ["X"]\n', 3),
        ('[zone.x]\npath = ["a"]\n', 2),
        ('[verbs]\ntable = ["T"]\n', 2),
        ("[limits]\nseconds = 1\n", 2),
        ('[[catalogue]]\nname = "c"\ncolumns = ["a"]\nrows = [\n  { a = 1 },\n  { b = 1 },\n]\n', 6),
        (GATE + 'exempt = [\n  { entity = "e", resaon = "x", reason = "x" },\n]\n', 7),
    ],
)
def test_an_unknown_key_of_any_table_has_its_line(tmp_path: Path, more: str, line: int) -> None:
    head = HEAD
    if more.startswith("[tree]"):
        head = HEAD.replace('[tree]\nsources = ["src/**/*.cpp"]\n', "")
    elif more.startswith("colour"):
        more, head = HEAD.replace("schema", more + "schema"), ""

    found = problems(tmp_path, head + more)

    assert any("unknown key" in p.message and p.line == head.count("\n") + line for p in found), found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("headers = 1", "must be a boolean, not an integer"),
        ('headers = "true"', "must be a boolean, not a string"),
        ("configurations = {}", "must be an array, not a table"),
        ("configurations = [1]", "must be a string, not an integer"),
        ("severity = true", "must be a string, not a boolean"),
        ("exempt = [1]", "must be a table, not an integer"),
        ("baseline = 1979-05-27", "must be a string, not a date or time"),
        ('exempt = [{ path = "a", reason = "r", count = true }]', "must be an integer, not a boolean"),
        ('exempt = [{ path = "a", reason = "r", count = 1.0 }]', "must be an integer, not a float"),
        ('exempt = [{ path = "a", reason = "r", count = 0 }]', "must be at least 1, not 0"),
        ('exempt = [{ path = "a", reason = "r", count = -1 }]', "must be at least 1, not -1"),
        ('exempt = [{ path = "a" }]', 'lacks the required key "reason"'),
        ('exempt = [{ path = "a", reason = " " }]', "must not be empty"),
        ('exempt = [{ reason = "r" }]', "only a reason"),
        ('exempt = [{ count = 2, reason = "r" }]', "only a reason"),
        ('exempt = [{ path = "src/*", reason = "r" }]', "wildcard"),
        ('exempt = [{ symbol = "mg::*", reason = "r" }]', "wildcard"),
        ('exempt = [{ entity = "*", reason = "r" }]', "wildcard"),
        ('exempt = [{ edge = "a/* -> b", reason = "r" }]', "wildcard"),
        ('exempt = [{ edge = "a.h", reason = "r" }]', "no edge"),
        ('severity = "fatal"', "is not one of error, warning, note"),
        ('configurations = ["spilt"]', 'there is no configuration "spilt"'),
        ('baseline = "../A.txt"', "leaves the tree"),
        ('baseline = "/A.txt"', "is absolute"),
        ('baseline = ""', "must not be empty"),
    ],
)
def test_a_wrong_value_has_its_line(tmp_path: Path, line: str, expected: str) -> None:
    problem = only(tmp_path, HEAD + GATE + "\n" + line + "\n")

    assert expected in problem.message
    assert problem.line == HEAD_LINES + 7


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("schema = 1", "schema = 2", 1, "must be 1, not 2"),
        ("schema = 1", "schema = true", 1, "not a boolean"),
        ("schema = 1", 'schema = "1"', 1, "not a string"),
        ("schema = 1", "", 1, 'lacks the required key "schema"'),
        ("schema = 1", 'schema = 1\nrequired-version = ">99"', 2, "requires >99"),
        ("schema = 1", 'schema = 1\nrequired-version = "new"', 2, "no version specifier"),
        ('["src/**/*.cpp"]', '["src/**/*.cpp",\n"/abs/*.cpp"]', 4, "is absolute"),
        ('["src/**/*.cpp"]', '["src/**/*.cpp",\n"../x.cpp"]', 4, "leaves the tree"),
        ('["src/**/*.cpp"]', '["src/**/*.cpp",\n"src/[x"]', 4, "no glob"),
        ('["src/**/*.cpp"]', '["src/**/*.cpp",\n""]', 4, "must not be empty"),
        ('sources = ["src/**/*.cpp"]', "sources = []", 2, "nothing to parse"),
        ("[tree]", '[tree]\nroot = "nowhere"', 3, '"nowhere" is no folder'),
        ("[tree]", '[tree]\nname = ""', 3, "must not be empty"),
        ('name = "split"', 'name = "split"\n[[configuration]]\nname = "split"', 7, 'duplicate configuration "split"'),
        ('name = "split"', 'name = "split"\n[[configuration]]', 6, 'lacks the required key "name"'),
        ('name = "split"', 'name = ""', 5, "must not be empty"),
        ('[[configuration]]\nname = "split"\n', "", 1, "no configuration"),
        ("[[configuration]]", "[configuration]", 4, "must be an array of tables, [[configuration]]"),
        ('name = "split"', 'name = "split"\nstandard = "c+20"', 6, "no language standard"),
        ('name = "split"', 'name = "split"\nmissing-headers = "ignore"', 6, "is not one of error, stub"),
        ('name = "split"', 'name = "split"\nstub-headers = { "a.h" = 1 }', 6, "must be a string, not an integer"),
        ('[zone.backend]\npaths = ["src/backend/**"]', "[zone.backend]", 8, "selects nothing"),
        ('[zone.state]\npaths = ["src/state/**"]', '[zone]\nstate = "x"', 7, "must be a table, not a string"),
        ("[zone.backend]", '[zone."state"]', 8, "TOML syntax error"),
        ("[zone.backend]", '[zone.a."b"]\npaths = ["x"]\n[zone."a.b"]', 10, 'duplicate zone "a.b"'),
        ("[zone.backend]", '[zone.""]', 8, "a name must not be empty"),
    ],
)
def test_a_wrong_head_has_its_line(tmp_path: Path, old: str, new: str, line: int, expected: str) -> None:
    assert old in HEAD

    found = problems(tmp_path, HEAD.replace(old, new, 1))

    assert [problem.line for problem in found if expected in problem.message] == [line], found


@pytest.mark.parametrize(
    ("gate", "line", "expected"),
    [
        ('id = "A"\nid2 = 1\nkind = "include-purity"\nfrom = ["state"]', 1, 'lacks the required key "forbid"'),
        ('kind = "include-purity"\nfrom = ["state"]\nforbid = ["state"]', 1, 'lacks the required key "id"'),
        ('id = "A"', 1, 'lacks the required key "kind"'),
        ('id = "A"\nkind = "include-purty"', 3, 'there is no kind "include-purty"'),
        ('id = "A"\nkind = "include-purity"\nfrom = []\nforbid = ["state"]', 4, "must not be empty"),
        ('id = "A"\nkind = "include-purity"\nfrom = ["backend",\n"sate"]\nforbid = ["state"]', 5, 'no zone "sate"'),
        ('id = "A"\nkind = "include-purity"\nfrom = [""]\nforbid = ["state"]', 4, "must not be empty"),
        ('id = "A"\nkind = "undeclared"\nzones = ["state"]\nentities = ["mg::"]', 5, "is a prefix"),
        ('id = "A"\nkind = "upcalls"\nfrom = ["state"]\ninto = ["state"]\ncatalogue = "c"', 6, 'no catalogue "c"'),
        ('id = "A"\nkind = "closure-probe"\nheader = "/x.h"', 4, "is absolute"),
        ('id = "A"\nkind = "closure-probe"\nheader = "x.h"\nforbid = ["/x"]', 5, "is absolute"),
        ('id = "A"\nkind = "closure-probe"\nheader = "x.h"\nallow = [{ path = "y.h" }]', 5, 'required key "reason"'),
        ('id = "A"\nkind = "closure-probe"\nheader = "x.h"\ntoken-limits = { a = -1 }', 5, "must be at least 0"),
        ('id = "A"\nkind = "symbol-purity"', 1, 'one of "binaries" and "sources" is required'),
        ('id = "A"\nkind = "symbol-purity"\nbinaries = ["x.so"]', 4, "nothing is asked of the binaries"),
        ('id = "A"\nkind = "forbidden-calls"\nzones = ["state"]', 1, 'lacks the required key "functions"'),
        ('id = "A"\nkind = "layers"\nindependent = [["state"]]', 4, "needs two zones"),
        ('id = "health"\nkind = "layers"\nlayers = ["state"]', 2, 'the id "health"'),
        ('id = "A"\nkind = "health"\n[[gate]]\nid = "B"\nkind = "health"', 4, "a second gate of the kind health"),
        ('id = "A"\nkind = "health"\n[[gate]]\nid = "A"\nkind = "layers"\nlayers = ["state"]', 5, 'duplicate gate "A"'),
    ],
)  # fmt: skip
def test_a_wrong_gate_has_its_line(tmp_path: Path, gate: str, line: int, expected: str) -> None:
    found = problems(tmp_path, HEAD + "[[gate]]\n" + gate + "\n")

    assert [p.line - HEAD_LINES for p in found if expected in p.message] == [line], found


@pytest.mark.parametrize(
    ("catalogue", "line", "expected"),
    [
        ('name = "c"', 1, 'lacks the required key "file"'),
        ('name = "c"\nfile = "x.def"\ncolumns = ["a"]', 1, 'lacks the required key "list"'),
        ('name = "c"\nfile = "x.def"\nlist = "L"', 1, 'lacks the required key "columns"'),
        ('name = "c"\nfile = "x.def"\nlist = "L-M"\ncolumns = ["a"]', 4, "no identifier"),
        ('name = "c"\nfile = "/x.def"\nlist = "L"\ncolumns = ["a"]', 3, "is absolute"),
        ('name = "c"\nfile = "../x.def"\nlist = "L"\ncolumns = ["a"]', 3, "leaves the tree"),
        ('name = "c"\nfile = "x.def"\nrows = [{ a = 1 }]', 3, 'both "file" and "rows"'),
        ('name = "c"\ncolumns = ["a", "a"]\nrows = []', 3, 'duplicate column "a"'),
        ('name = "c"\ncolumns = ["a"]\nrows = [\n{ a = true }]', 5, "a string or an integer, not a boolean"),
        ('name = "c"\ncolumns = ["a"]\nrows = [\n{}]', 5, "must not be empty"),
        ('name = "c"\ncolumns = ["a"]\nrows = [\n3]', 5, "must be a table"),
        ('name = "c"\ncolumns = ["a"]\nrows = 3', 4, "must be an array of tables"),
        ('name = "c"\nrows = []', 1, 'lacks the required key "columns"'),
        ('name = "c"\nrows = [{ a = 1 }]\n[[catalogue]]\nname = "c"\nrows = [{ a = 1 }]', 5, 'duplicate catalogue "c"'),
    ],
)  # fmt: skip
def test_a_wrong_catalogue_has_its_line(tmp_path: Path, catalogue: str, line: int, expected: str) -> None:
    found = problems(tmp_path, HEAD + "[[catalogue]]\n" + catalogue + "\n")

    assert [p.line - HEAD_LINES for p in found if expected in p.message] == [line], found


def test_empty_rows_are_told_why_they_need_columns(tmp_path: Path) -> None:
    assert "the row that is missing" in only(tmp_path, HEAD + '[[catalogue]]\nname = "c"\nrows = []\n').help


def test_a_gate_needs_the_columns_that_it_reads(tmp_path: Path) -> None:
    text = HEAD + '[[catalogue]]\nname = "c"\nrows = [{ entity = "e" }]\n[[gate]]\nid = "U"\nkind = "upcalls"\n'

    problem = only(tmp_path, text + 'from = ["backend"]\ninto = ["state"]\ncatalogue = "c"\n')

    assert "lacks what is read from it here: verdict" in problem.message
    assert problem.line == HEAD_LINES + 9


def test_columns_of_rows_need_no_declaration(tmp_path: Path) -> None:
    text = HEAD + '[[catalogue]]\nname = "c"\nrows = [{ b = 1 }, { b = 2, a = 3 }]\n'

    assert load(write(tmp_path, text), PARAMETERS).catalogues["c"].columns == ("b", "a")


def test_a_syntax_error_has_its_line(tmp_path: Path) -> None:
    problem = only(tmp_path, HEAD + GATE + "poison = yes\n")

    assert problem.line == HEAD_LINES + 6
    assert problem.message.startswith("TOML syntax error")


def test_what_is_not_utf_8_has_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mgaudit.toml"
    file.write_bytes(b"schema = 1\n# caf\xe9\n")
    with pytest.raises(UntrustedError) as caught:
        load(file, PARAMETERS)

    (problem,) = caught.value.problems
    assert (problem.path, problem.line) == ("mgaudit.toml", 2)
    assert "not UTF-8" in problem.message


@pytest.mark.parametrize("name", ["absent.toml", ".", "x\0y", "n" * 5000])
def test_what_cannot_be_read_is_a_problem(tmp_path: Path, name: str) -> None:
    with pytest.raises(UntrustedError, match="cannot read the configuration"):
        load(tmp_path / name, PARAMETERS)


def test_a_root_that_is_no_folder_is_a_problem(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, HEAD, root=tmp_path / "nowhere")

    assert "is no folder" in problem.message


def test_parameters_are_a_plain_value(tmp_path: Path) -> None:
    gate = load(write(tmp_path, HEAD + GATE), PARAMETERS).gates[0]

    assert gate.parameters == IncludePurityParameters(("backend",), ("state",), headers=True, poison=False)


def test_what_a_message_quotes_stays_on_one_line(tmp_path: Path) -> None:
    problem = only(tmp_path, HEAD + GATE + '"a\\nb\\u202e" = 1\n')

    assert 'unknown key "a\\nb\\u202e"' in problem.message


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("[0]", "not a table"),
        ("{ write = [0] }", "unknown key `write`"),
        ('{ writes = ["me"] }', "`writes` lists positions"),
        ("{ returns = [-1] }", "`returns` lists positions"),
        ("{ keeps = 1 }", "`keeps` is true or false"),
        ("{ instead-of-body = true }", "`instead-of-body` states the reason"),
        ('{ instead-of-body = " " }', "`instead-of-body` states the reason"),
    ],
)
def test_an_effect_that_is_none_has_its_line(tmp_path: Path, entry: str, fault: str) -> None:
    with pytest.raises(UntrustedError) as caught:
        load(write(tmp_path, HEAD + f"[effects]\nf = {entry}\n"), PARAMETERS)
    (problem,) = caught.value.problems
    assert fault in problem.message
    assert problem.line == HEAD.count("\n") + 2


def test_only_one_function_s_bodies_are_replaced(tmp_path: Path) -> None:
    problem = only(tmp_path, HEAD + '[effects]\n"*::f" = { instead-of-body = "any f" }\n')
    assert "needs the function's own qualified name" in problem.message


def test_a_limit_is_at_least_one(tmp_path: Path) -> None:
    problem = only(tmp_path, HEAD + "[limits]\nunit-seconds = 0\n")
    assert problem.line == HEAD_LINES + 2
    assert "unit-seconds" in problem.message
