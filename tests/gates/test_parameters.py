"""The parameters of every kind are those of the public interface: keys, which are required, defaults."""

from __future__ import annotations

import dataclasses
import importlib
import pickle
from typing import TYPE_CHECKING

import pytest

from mgaudit.config.fields import fields_of, keys_of
from mgaudit.config.loader import load
from mgaudit.config.tables import GateTable
from mgaudit.domain.problems import UntrustedError
from mgaudit.gates.registry import KINDS, PARAMETERS, Kind, unavailable

if TYPE_CHECKING:
    from pathlib import Path

REQUIRED = {
    "include-purity": {"from", "forbid"},
    "closure-probe": {"header"},
    "symbol-purity": set(),
    "link-ratchet": {"objects", "partition"},
    "undeclared": {"zones", "entities"},
    "reads": {"from", "of", "catalogue"},
    "writebacks": {"from", "of", "catalogue"},
    "upcalls": {"from", "into", "catalogue"},
    "mutations": {"from", "of", "reach", "catalogue"},
    "dirty-surface": {"entry", "of", "catalogue", "publishers"},
    "memo-keys": {"zones", "frontend"},
    "catalogue": {"calls", "payload-namespace"},
    "forbidden-calls": {"zones"},
    "layers": set(),
    "frozen": {"reference"},
    "test-names": {"before", "after"},
    "doc-citations": {"documents"},
    "generated": {"file", "surface"},
    "health": set(),
}
OPTIONAL: dict[str, dict[str, object]] = {
    "include-purity": {"headers": True, "poison": False},
    "closure-probe": {"forbid": (), "allow": (), "self-contained": True, "token-limits": {}},
    "symbol-purity": {"binaries": (), "optional": False, "forbid": (), "require-exports": (), "sources": None},
    "undeclared": {"expect-declared": True},
    "reads": {
        "classes": (),
        "pseudo-calls": (),
        "calls-catalogue": None,
        "fill": None,
        "value-classes": (),
        "byte-accessors": (),
        "map-signatures": False,
        "constructions": False,
        "unresolved": "warning",
    },
    "writebacks": {"per-site": (), "value-classes": ()},
    "mutations": {"calls-catalogue": None},
    "dirty-surface": {"reach": (), "exact": False, "undecided-catalogue": None},
    "memo-keys": {
        "handle-types": (),
        "gl-name-types": (),
        "gl-name-functions": (),
        "lifetime-functions": (),
        "value-classes": (),
        "undecided": None,
        "narrow-counters": True,
    },
    "catalogue": {
        "documented-count": None,
        "fields": None,
        "classes": (),
        "flags": (),
        "append-only": None,
        "implies": (),
    },
    "forbidden-calls": {"functions": (), "retired": (), "wrappers": False, "expect-declared": True},
    "layers": {"layers": (), "independent": (), "acyclic": True, "exhaustive": False, "by": "include"},
    "frozen": {"regions": ()},
    "test-names": {"format": "auto", "renames": {}},
    "doc-citations": {"revision": None, "code-blocks": True},
    "health": {"floors": {}, "unresolved": None, "certificate": True},
}
HEAD = """\
schema = 1
[tree]
sources = ["a.cpp"]
[[configuration]]
name = "c"
[zone.a]
paths = ["a/**"]
[zone.b]
paths = ["b/**"]
[[catalogue]]
name = "c"
columns = ["accessor", "entity", "verdict", "mutator", "publishers", "bit", "name", "payload", "field", "verb", "class"]
rows = []
"""
COMPLETE = {
    "include-purity": 'from = ["a"]\nforbid = ["b"]',
    "closure-probe": 'header = "a/x.h"',
    "symbol-purity": 'binaries = ["../build/**/*.so"]\nforbid = ["mg::", "re:^glslang"]\noptional = true',
    "link-ratchet": 'objects = ["/b/*.o"]\npartition = { server = ["x/"], frontend = ["y/"], shared = ["z/"] }',
    "undeclared": 'zones = ["a"]\nentities = ["mg::p"]\nexpect-declared = false',
    "reads": 'from = ["a"]\nof = ["b"]\ncatalogue = "c"\nfill = { verbs = "c", fields = "c" }\nunresolved = "error"',
    "writebacks": 'from = ["a"]\nof = ["b"]\ncatalogue = "c"\nper-site = ["mg::B::Sync"]',
    "upcalls": 'from = ["a"]\ninto = ["b"]\ncatalogue = "c"',
    "mutations": 'from = ["a"]\nof = ["b"]\nreach = ["mg::g"]\ncatalogue = "c"\ncalls-catalogue = "c"',
    "dirty-surface": 'entry = ["a"]\nof = ["b"]\ncatalogue = "c"\nundecided-catalogue = "c"\nexact = true\n'
    'publishers = { BIT = { counters = ["m_v"], functions = ["Bump"], macros = ["NOTE"] } }',
    "memo-keys": 'zones = ["a"]\nfrontend = ["b"]\nhandle-types = ["mg::H"]\nlifetime-functions = ["GetId"]',
    "catalogue": 'calls = "c"\npayload-namespace = "mg"\nfields = "c"\nappend-only = "calls.txt"\n'
    'implies = [{ when = { flags = "kA" }, then = { payload-has = "B" }, both = true }]',
    "forbidden-calls": 'zones = ["a"]\nretired = ["old_name"]',
    "layers": 'layers = ["a", "b"]\nindependent = [["a", "b"]]\nby = "symbol"',
    "frozen": 'reference = "frozen.txt"\nregions = ["mg::f"]',
    "test-names": 'before = "tests.txt"\nafter = "build/tests.txt"',
    "doc-citations": 'documents = ["docs/**/*.md"]\nrevision = "v1"',
    "generated": 'file = "src/reads.inc"\nsurface = "reads"',
    "health": 'floors = { units = 1, headers = 2, sites = 3 }\nunresolved = "u.txt"\ncertificate = false',
}


def write(folder: Path, kind: str, parameters: str) -> Path:
    file = folder / "mgaudit.toml"
    file.write_text(f'{HEAD}[[gate]]\nid = "G"\nkind = "{kind}"\n{parameters}\n', encoding="utf-8")
    return file


def test_the_kinds_are_those_of_the_interface() -> None:
    assert list(KINDS) == list(REQUIRED)


@pytest.mark.parametrize("kind", KINDS)
def test_required_and_optional_keys(kind: str) -> None:
    specs = {spec.key: spec for spec in fields_of(PARAMETERS[kind])}

    assert {key for key, spec in specs.items() if spec.required} == REQUIRED[kind]
    for key, default in OPTIONAL.get(kind, {}).items():
        assert specs[key].default == default, key


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_is_described_and_none_is_a_common_one(kind: str) -> None:
    assert all(spec.doc for spec in fields_of(PARAMETERS[kind]))
    assert not set(keys_of(PARAMETERS[kind])) & set(keys_of(GateTable))


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_a_folder_of_its_own(kind: str) -> None:
    package = "mgaudit.gates." + kind.replace("-", "_")

    assert PARAMETERS[kind].__module__ == f"{package}.parameters"
    assert importlib.import_module(package).__doc__
    assert KINDS[kind].summary.endswith(".")


@pytest.mark.parametrize("kind", KINDS)
def test_complete_parameters_load_and_are_plain_values(tmp_path: Path, kind: str) -> None:
    parameters = load(write(tmp_path, kind, COMPLETE[kind]), PARAMETERS).gates[0].parameters

    assert type(parameters) is PARAMETERS[kind]
    assert pickle.loads(pickle.dumps(parameters)) == parameters
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(parameters, dataclasses.fields(parameters)[0].name, None)


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, keys in REQUIRED.items() for key in sorted(keys)])
def test_a_required_key_is_missed(tmp_path: Path, kind: str, key: str) -> None:
    lines = [line for line in COMPLETE[kind].splitlines() if not line.startswith(f"{key} =")]
    with pytest.raises(UntrustedError) as caught:
        load(write(tmp_path, kind, "\n".join(lines)), PARAMETERS)

    (problem,) = caught.value.problems
    assert f'lacks the required key "{key}"' in problem.message
    assert problem.line == HEAD.count("\n") + 1


@pytest.mark.parametrize(
    ("kind", "more", "expected"),
    [
        ("dirty-surface", "publishers = { BIT = {} }", "nothing publishes BIT"),
        ("dirty-surface", "publishers = {}", "must not be empty"),
        ("link-ratchet", 'partition = { server = ["x/"] }', 'lacks the required key "frontend"'),
        ("reads", 'fill = { verbs = "c" }', 'lacks the required key "fields"'),
        ("layers", 'layers = ["a", "b", "a"]', 'zone "a" is in two layers'),
        ("reads", 'unresolved = "note"', "is not one of warning, error"),
        ("layers", 'by = "call"', "is not one of include, symbol"),
        ("generated", 'surface = "read"', "is not one of reads"),
        ("catalogue", "implies = [{ when = {}, then = { a = 'b' } }]", "must not be empty"),
        ("health", "floors = { units = 0 }", "must be at least 1"),
        ("health", "floors = { units = true }", "must be an integer, not a boolean"),
        ("undeclared", 'entities = ["mg::*"]', "holds a wildcard"),
        ("writebacks", 'per-site = ["mg::B::*"]', "holds a wildcard"),
    ],
)
def test_wrong_parameters(tmp_path: Path, kind: str, more: str, expected: str) -> None:
    key = more.split(" =", maxsplit=1)[0]
    lines = [line for line in COMPLETE[kind].splitlines() if not line.startswith(f"{key} =")]
    with pytest.raises(UntrustedError) as caught:
        load(write(tmp_path, kind, "\n".join([*lines, more])), PARAMETERS)

    assert [expected in problem.message for problem in caught.value.problems] == [True]
    assert caught.value.problems[0].line == HEAD.count("\n") + 4 + len(lines)


def test_a_probe_that_asks_nothing_cannot_be_green(tmp_path: Path) -> None:
    with pytest.raises(UntrustedError, match="nothing is asked of the header"):
        load(write(tmp_path, "closure-probe", 'header = "a/x.h"\nself-contained = false'), PARAMETERS)


def test_a_kind_that_cannot_run_is_a_problem_of_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load(write(tmp_path, "layers", COMPLETE["layers"]), PARAMETERS)
    kind = KINDS["layers"]
    monkeypatch.setitem(KINDS, "layers", dataclasses.replace(kind, available=False))

    (problem,) = unavailable(settings)

    assert (problem.path, problem.line) == ("mgaudit.toml", HEAD.count("\n") + 3)
    assert 'the kind "layers" is not available yet' in problem.message
    monkeypatch.setitem(KINDS, "layers", dataclasses.replace(kind, available=True))
    assert unavailable(settings) == ()


def test_a_check_is_imported_by_its_name() -> None:
    assert Kind(PARAMETERS["layers"], "x", check="os.path:join").load_check() is not None
    assert Kind(PARAMETERS["layers"], "x").load_check() is None
