"""Compiles the binding of libclang and the extraction where there is a C compiler; all works without, more slowly."""

from __future__ import annotations

import contextlib
import os
import shutil
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from Cython.Build import cythonize
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from mypyc.build import mypycify
from setuptools import Distribution, Extension

if TYPE_CHECKING:
    from collections.abc import Callable

MODULE: Final = "mgaudit.sources.clang_native"
# What walks over syntax trees, with what these walks call; none of it may be changed from outside.
COMPILED: Final = (
    "bodies", "body_heads", "body_types", "calls", "cursors", "demand_walk", "demands", "files", "indexer",
    "library_calls", "lifetimes", "link_classes", "memo_bodies", "memo_row", "memo_types", "memos", "shapes", "stores",
    "symbols", "uses",
)  # fmt: skip
SWITCH: Final = "MGAUDIT_NATIVE"  # 0: a wheel for any platform; 1: no wheel without what is compiled


class NativeHook(BuildHookInterface[Any]):
    """Puts what it compiles into the wheel; nothing of it is in a commit or in a source distribution."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; where sources stay editable, the binding alone: beside a module that changes, it would go stale."""
        if self.target_name != "wheel" or os.environ.get(SWITCH) == "0":
            return
        self._folder = tempfile.TemporaryDirectory()
        built = self._attempt(self._binding)
        if not built:
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        if version != "editable":
            build_data["force_include"].update(built | self._attempt(self._extraction))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what is in the wheel now."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _attempt(self, build: Callable[[], dict[str, str]]) -> dict[str, str]:
        try:
            return build()
        except (Exception, SystemExit) as error:  # whatever the machine lacks, the package works without
            if os.environ.get(SWITCH) == "1":
                raise
            self.app.display_warning(f"not everything was compiled; mgaudit will be slower without: {error}")
            return {}

    def _binding(self) -> dict[str, str]:
        source = Path(self.root, "src", *MODULE.split(".")).with_suffix(".pyx")
        built = source.with_name(source.stem + sysconfig.get_config_var("EXT_SUFFIX"))
        compile_extension(source, built)
        return {str(built): str(built.relative_to(Path(self.root, "src")))}

    def _extraction(self) -> dict[str, str]:
        folder = Path(self._folder.name)
        compile_modules(Path(self.root, "src"), folder)
        return {str(file): str(file.relative_to(folder)) for file in sorted(folder.rglob("*")) if file.is_file()}


def compile_extension(source: Path, built: Path) -> None:
    """Compile one Cython module in place."""
    with tempfile.TemporaryDirectory() as folder:
        modules = cythonize([Extension(MODULE, [str(source)])], build_dir=folder, quiet=True)
        extensions = _built(modules, folder, folder)
        built.unlink(missing_ok=True)  # never written over: a process may run what is there
        shutil.move(extensions.get_ext_fullpath(MODULE), built)


def compile_modules(root: Path, target: Path) -> None:
    """Compile the modules of the extraction below a folder, as packages lie below `root`."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(root):
        options = ("--config-file=", f"--cache-dir={folder}", "--explicit-package-bases", "--follow-imports=silent")
        paths = [f"mgaudit/sources/{name}.py" for name in COMPILED]
        # Most of the work is done in calls of Python's own interface: to optimise more is to compile longer for little.
        modules = mypycify(
            [*options, *paths], opt_level="1", debug_level="0", target_dir=folder, group_name="mgaudit"
        )  # fmt: skip
        _built(modules, folder, str(target))


def _built(modules: list[Extension], scratch: str, target: str) -> Any:
    command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
    command.build_temp, command.build_lib = scratch, target
    command.ensure_finalized()
    command.run()
    return command
