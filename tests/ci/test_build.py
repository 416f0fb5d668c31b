"""The build hook: the native binding where there is a compiler, a package for any platform elsewhere."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


class Application:
    def __init__(self) -> None:
        self.warnings: list[str] = []

    def display_warning(self, text: str) -> None:
        self.warnings.append(text)


class Bench:
    """The hook as hatchling calls it."""

    def __init__(self) -> None:
        spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
        assert spec is not None
        assert spec.loader is not None
        self.module: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        self.application = Application()

    def run(self, version: str = "standard", target: str = "wheel") -> dict[str, Any]:
        hook = self.module.NativeHook(str(ROOT), {}, None, None, "", target, self.application)
        data: dict[str, Any] = {"force_include": {}}
        hook.initialize(version, data)
        return data


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.delenv("MGAUDIT_NATIVE", raising=False)
    return Bench()


def compiles(monkeypatch: pytest.MonkeyPatch, bench: Bench, error: Exception | None = None) -> list[Path]:
    built: list[Path] = []

    def compile_extension(_source: Path, target: Path) -> None:
        if error is not None:
            raise error
        built.append(target)

    def compile_modules(_root: Path, folder: Path) -> None:
        if error is not None:
            raise error
        built.append(folder / "mgaudit/sources/bodies.so")
        built[-1].parent.mkdir(parents=True)
        built[-1].touch()

    monkeypatch.setattr(bench.module, "compile_extension", compile_extension)
    monkeypatch.setattr(bench.module, "compile_modules", compile_modules)
    return built


def test_what_was_built_goes_into_a_wheel_of_its_platform(monkeypatch: pytest.MonkeyPatch, bench: Bench) -> None:
    built = compiles(monkeypatch, bench)
    data = bench.run()
    assert (data["pure_python"], data["infer_tag"]) == (False, True)
    assert data["force_include"] == {str(file): f"mgaudit/sources/{file.name}" for file in built}
    assert built[0].parent == ROOT / "src/mgaudit/sources"
    assert built[1].name == "bodies.so"


def test_an_editable_installation_has_the_binding_beside_its_source_and_no_module_that_would_go_stale(
    monkeypatch: pytest.MonkeyPatch, bench: Bench
) -> None:
    built = compiles(monkeypatch, bench)
    assert bench.run("editable")["force_include"] == {}
    assert [file.parent for file in built] == [ROOT / "src/mgaudit/sources"]


def test_without_a_compiler_there_is_a_warning_and_a_package_for_any_platform(
    monkeypatch: pytest.MonkeyPatch, bench: Bench
) -> None:
    compiles(monkeypatch, bench, RuntimeError("no compiler"))
    assert bench.run() == {"force_include": {}}
    (warning,) = bench.application.warnings
    assert "slower" in warning
    assert "no compiler" in warning


@pytest.mark.parametrize(("wish", "target"), [("0", "wheel"), ("", "sdist")])
def test_nothing_is_built_where_nobody_wants_it(
    monkeypatch: pytest.MonkeyPatch, bench: Bench, wish: str, target: str
) -> None:
    monkeypatch.setenv("MGAUDIT_NATIVE", wish)
    built = compiles(monkeypatch, bench)
    assert bench.run(target=target) == {"force_include": {}}
    assert built == []


def test_who_asks_for_it_is_told_that_it_cannot_be_built(monkeypatch: pytest.MonkeyPatch, bench: Bench) -> None:
    monkeypatch.setenv("MGAUDIT_NATIVE", "1")
    compiles(monkeypatch, bench, RuntimeError("no compiler"))
    with pytest.raises(RuntimeError, match="no compiler"):
        bench.run()


def test_a_compiler_that_is_not_there(monkeypatch: pytest.MonkeyPatch, bench: Bench, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", str(tmp_path / "no-compiler"))
    monkeypatch.setattr(bench.module.sysconfig, "get_config_var", lambda _: ".for-a-test.so")
    assert bench.run() == {"force_include": {}}
    assert len(bench.application.warnings) == 1
