from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.config import merge, places
from mgaudit.config.loader import load
from mgaudit.domain.problems import Problem, UntrustedError
from mgaudit.gates.memo_keys.parameters import MemoKeysParameters
from mgaudit.gates.registry import PARAMETERS
from mgaudit.gates.undeclared.parameters import UndeclaredParameters

if TYPE_CHECKING:
    from pathlib import Path

    from mgaudit.config.model import Settings

PACK = """\
schema = 1
[tree]
sources = ["src/**/*.cpp"]
exclude = ["gen/**"]
[[configuration]]
name = "split"
standard = "c++20"
defines = ["PACK"]
[zone.state]
paths = ["src/state/**"]
namespaces = ["mg::state"]
[zone.backend]
paths = ["src/backend/**"]
[[catalogue]]
name = "calls"
file = "calls.def"
list = "LIST"
columns = ["name"]
[[gate]]
id = "K"
kind = "memo-keys"
zones = ["backend"]
frontend = ["state"]
handle-types = ["Handle"]
[[gate]]
id = "C"
kind = "undeclared"
zones = ["backend"]
entities = ["pContext"]
[effects.memcpy]
writes = [0]
[effects.memset]
writes = [0]
"""


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def loaded(folder: Path, text: str) -> Settings:
    return load(write(folder / "mgaudit.toml", text), PARAMETERS)


def problems(folder: Path, text: str) -> tuple[Problem, ...]:
    with pytest.raises(UntrustedError) as caught:
        loaded(folder, text)
    return caught.value.problems


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write(tmp_path / "packs/base/mgaudit.toml", PACK)


def test_later_tables_override_key_by_key(tmp_path: Path, pack: Path) -> None:
    settings = loaded(
        tmp_path,
        """\
schema = 1
extends = ["packs/base"]
[tree]
name = "own"
exclude = []
[[configuration]]
name = "split"
defines = ["OWN"]
[zone.state]
paths = ["lib/state/**"]
[[gate]]
id = "K"
gl-name-types = ["GLName"]
[effects.memset]
writes = [1]
""",
    )

    assert (settings.tree.name, settings.tree.sources, settings.tree.exclude) == ("own", ("src/**/*.cpp",), ())
    (configuration,) = settings.configurations
    assert (configuration.standard, configuration.defines) == ("c++20", ("OWN",))
    assert settings.zones["state"].paths == ("lib/state/**",)
    assert settings.zones["state"].namespaces == ("mg::state",)
    assert [gate.id for gate in settings.gates] == ["K", "C", "health"]
    assert settings.gates[0].parameters == MemoKeysParameters(
        ("backend",), ("state",), handle_types=("Handle",), gl_name_types=("GLName",)
    )
    assert settings.effects == {"memcpy": {"writes": [0]}, "memset": {"writes": [1]}}
    assert settings.gates[0].place("zones") == ("packs/base/mgaudit.toml", 22)
    assert settings.gates[0].place("gl-name-types") == ("mgaudit.toml", 13)
    assert settings.origins["gate.K"] == ("mgaudit.toml", 11)
    assert settings.origins["gate.C"] == ("packs/base/mgaudit.toml", 25)


def test_a_gate_that_changes_its_kind_starts_anew(tmp_path: Path, pack: Path) -> None:
    text = 'schema = 1\nextends = ["packs/base"]\n[[gate]]\nid = "K"\nkind = "undeclared"\nzones = ["state"]\n'

    settings = loaded(tmp_path, text + 'entities = ["e"]\n')

    assert settings.gates[0].parameters == UndeclaredParameters(("state",), ("e",))


def test_an_error_in_a_pack_has_the_place_in_the_pack(tmp_path: Path, pack: Path) -> None:
    write(pack, PACK.replace('zones = ["backend"]', 'zones = ["bakend"]', 1))

    (problem,) = problems(tmp_path, 'schema = 1\nextends = ["packs/base"]\n')

    assert (problem.path, problem.line) == ("packs/base/mgaudit.toml", 22)


def test_packs_extend_packs_and_later_ones_win(tmp_path: Path, pack: Path) -> None:
    write(tmp_path / "packs/mid.toml", 'schema = 1\nextends = ["base"]\n[tree]\nname = "mid"\nexclude = ["m"]\n')
    write(tmp_path / "packs/top.toml", 'schema = 1\nextends = ["mid.toml"]\n[tree]\nname = "top"\n')

    settings = loaded(tmp_path, 'schema = 1\nextends = ["packs/mid.toml", "packs/top.toml"]\n')

    assert (settings.tree.name, settings.tree.exclude, settings.tree.sources) == ("top", ("m",), ("src/**/*.cpp",))


def test_the_digest_covers_the_packs(tmp_path: Path, pack: Path) -> None:
    text = 'schema = 1\nextends = ["packs/base"]\n'
    first = loaded(tmp_path, text).digest
    write(pack, PACK + "# more\n")

    assert loaded(tmp_path, text).digest != first


def test_files_of_a_pack_lie_in_the_tree_or_beside_the_pack(tmp_path: Path, pack: Path) -> None:
    text = 'schema = 1\nextends = ["packs/base"]\n'
    write(pack.parent / "calls.def", "")
    assert loaded(tmp_path, text).catalogues["calls"].file == "packs/base/calls.def"

    write(tmp_path / "calls.def", "")
    assert loaded(tmp_path, text).catalogues["calls"].file == "calls.def"


def test_a_pack_outside_of_the_tree(tmp_path: Path, pack: Path) -> None:
    settings = loaded(tmp_path / "tree", 'schema = 1\nextends = ["../packs/base"]\n')

    assert settings.gates[0].path == "<configuration>/../packs/base/mgaudit.toml"
    assert settings.places.file(settings.gates[0].path) == pack.resolve()
    assert settings.root == (tmp_path / "tree").resolve()


def test_a_shipped_pack_is_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "rules/house/mgaudit.toml", PACK)
    monkeypatch.setattr(places, "rules_folder", lambda: tmp_path / "rules")
    text = 'schema = 1\nextends = ["house"]\n'

    settings = loaded(tmp_path / "tree", text)
    assert [gate.id for gate in settings.gates] == ["K", "C", "health"]

    (problem,) = problems(tmp_path / "tree", text.replace("house", "hose"))
    assert (problem.line, problem.help) == (2, 'did you mean "house"?')


def test_files_of_a_shipped_pack_have_the_same_names_on_every_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "rules/house/mgaudit.toml", PACK)
    write(tmp_path / "rules/house/calls.def", "")
    monkeypatch.setattr(places, "rules_folder", lambda: tmp_path / "rules")

    settings = loaded(tmp_path / "tree", 'schema = 1\nextends = ["house"]\n')

    assert settings.gates[0].path == "<packs>/house/mgaudit.toml"
    assert settings.catalogues["calls"].file == "<packs>/house/calls.def"
    assert settings.places.file("<packs>/house/calls.def") == tmp_path / "rules/house/calls.def"


def test_a_shipped_pack_knows_no_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "rules/house/mgaudit.toml", PACK.replace("[tree]", '[tree]\nroot = "."'))
    monkeypatch.setattr(places, "rules_folder", lambda: tmp_path / "rules")

    (problem,) = problems(tmp_path / "tree", 'schema = 1\nextends = ["house"]\n')

    assert "cannot know it" in problem.message
    assert problem.line == 3


def test_shipped_packs_load(tmp_path: Path) -> None:
    for name in merge.shipped_packs():
        loaded(tmp_path, f'schema = 1\nextends = ["{name}"]\n')


def test_cycles_are_named(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", 'schema = 1\n\nextends = ["b.toml"]\n')
    write(tmp_path / "b.toml", 'schema = 1\nextends = ["a.toml"]\n')

    found = problems(tmp_path, PACK.replace("schema = 1", 'schema = 1\nextends = ["a.toml"]'))

    assert [(p.path, p.line) for p in found] == [("b.toml", 2)]
    assert "a.toml -> b.toml -> a.toml" in found[0].message


def test_a_file_that_extends_itself(tmp_path: Path) -> None:
    found = problems(tmp_path, PACK.replace("schema = 1", 'schema = 1\nextends = ["."]'))

    assert [(p.path, p.line) for p in found] == [("mgaudit.toml", 2)]
    assert "a cycle" in found[0].message


def test_many_packs_that_share_packs_are_each_read_once(tmp_path: Path) -> None:
    write(tmp_path / "p0.toml", PACK)
    for n in range(1, 40):
        write(tmp_path / f"p{n}.toml", f'schema = 1\nextends = ["p{n - 1}.toml", "./p{n - 1}.toml"]\n')

    assert loaded(tmp_path, 'schema = 1\nextends = ["p39.toml"]\n').gates[0].id == "K"


@pytest.mark.parametrize("entry", ["nope", "./nope.toml", "/abs", "a\\\\b", "", " ", "a\\u0000b", "x" * 5000])
def test_a_missing_pack_has_the_line_of_its_entry(tmp_path: Path, pack: Path, entry: str) -> None:
    found = problems(tmp_path, f'schema = 1\nextends = [\n  "packs/base",\n  "{entry}",\n]\n')

    assert [(p.path, p.line) for p in found] == [("mgaudit.toml", 4)]


def test_a_broken_pack_is_one_of_the_problems(tmp_path: Path) -> None:
    write(tmp_path / "p.toml", "schema = 1\nx = \n")

    found = problems(
        tmp_path, PACK.replace("schema = 1", 'schema = 1\nextends = ["p.toml"]').replace("zones", "zonez", 1)
    )

    assert ("p.toml", 2) in [(p.path, p.line) for p in found]
    assert any('unknown key "zonez"' in p.message for p in found)


def test_extends_must_be_an_array(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, PACK.replace("schema = 1", 'schema = 1\nextends = "base"'))

    assert problem.line == 2
    assert "must be an array" in problem.message
