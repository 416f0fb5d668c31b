"""The catalogues of the rule pack for MobileGL agree with each other; the tree itself is not at hand here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mgaudit.config.loader import load
from mgaudit.engine.catalogues import CatalogueReader
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.gates.reads.parameters import ReadsParameters
from mgaudit.gates.registry import PARAMETERS
from mgaudit.gates.writebacks.parameters import WritebacksParameters

if TYPE_CHECKING:
    from pathlib import Path

TREE = {
    "mgaudit.toml": 'schema = 1\nextends = ["mobilegl"]\n',
    "MobileGL/MG_State/State.h": "#pragma once\n",
    "MobileGL/MG_Impl/Impl.h": "#pragma once\n",
    "MobileGL/MG_Util/Util.h": "#pragma once\n",
    "MobileGL/MG_Backend/DirectGLES/Draw.cpp": "int Draw() { return 0; }\n",
    "MobileGL/MG_Backend/DirectVulkan/Draw.cpp": "int Paint() { return 0; }\n",
}


def test_every_row_names_a_call_and_no_accessor_has_two(tmp_path: Path) -> None:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    settings = load(tmp_path / "mgaudit.toml", PARAMETERS)
    (gate,) = (gate for gate in settings.gates if gate.kind == "reads")
    assert isinstance(gate.parameters, ReadsParameters)
    analysis = analyse(settings, Options(cache=tmp_path / "cache"))
    try:
        reader = CatalogueReader(settings, analysis.facts)
        calls = {row.key for row in reader.read("calls").rows} | {*gate.parameters.pseudo_calls}
        rows = reader.read("reads").rows
        upcalls = reader.read("upcalls").rows
        write_backs = reader.read("writebacks").rows
        mutations = reader.read("mutations").rows
        dirty = reader.read("dirty").rows
        undecided = reader.read("dirty-undecided").rows
    finally:
        analysis.facts.connection.close()
    assert len(rows) == 171
    assert len({row.key for row in rows}) == len(rows)
    assert [
        row.key for row in rows if (row.get("call") or "") not in calls and "NA(" not in (row.get("call") or "")
    ] == []
    assert [row.key for row in rows if "*" in row.key] == []
    assert len(upcalls) == 4
    assert {row.get("verdict") for row in upcalls} == {"deleted", "kReverseChannel"}
    assert all(row.get("reason") for row in upcalls)
    assert len(write_backs) == 25
    assert {row.get("verdict") for row in write_backs} == {"deleted", "kReverseChannel", "server-local"}
    assert all(row.get("reason") for row in write_backs)
    assert [
        row.key for row in write_backs if "*" in row.key or bool(row.get("symbol")) != bool(row.get("ordinal"))
    ] == []
    (gate,) = (gate for gate in settings.gates if gate.kind == "writebacks")
    assert isinstance(gate.parameters, WritebacksParameters)
    assert {row.key for row in write_backs if row.get("symbol")} == {*gate.parameters.per_site}
    assert {name for legacy in settings.legacy for name in legacy.gates} == {"R", "U", "W"}
    replayed = {(row.get("verdict") or "")[12:-1] for row in mutations if "REPLAYED_BY" in (row.get("verdict") or "")}
    assert len(mutations) == 116
    assert replayed <= {row.split("(")[0] for row in calls}
    assert len(dirty) == 156
    assert len({row.key for row in dirty}) == len(dirty)
    assert undecided == ()
