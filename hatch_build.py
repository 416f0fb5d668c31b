"""Builds the native binding of libclang where there is a C compiler; without one mgaudit calls it through ctypes."""

from __future__ import annotations

import os
import shutil
import sysconfig
import tempfile
from pathlib import Path
from typing import Any, Final

from Cython.Build import cythonize
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension

MODULE: Final = "mgaudit.sources.clang_native"
SWITCH: Final = "MGAUDIT_NATIVE"  # 0: a wheel for any platform; 1: no wheel without the binding


class NativeHook(BuildHookInterface[Any]):
    """Compiles the binding beside its source; what is built there is in no commit and in no source distribution."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build it, and put it into the wheel."""
        wish = os.environ.get(SWITCH, "")
        if self.target_name != "wheel" or wish == "0":
            return
        source = Path(self.root, "src", *MODULE.split(".")).with_suffix(".pyx")
        built = source.with_name(source.stem + sysconfig.get_config_var("EXT_SUFFIX"))
        try:
            compile_extension(source, built)
        except (Exception, SystemExit) as error:  # whatever the machine lacks, the package works without
            if wish == "1":
                raise
            self.app.display_warning(f"{MODULE} was not built; mgaudit will be slower without: {error}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        if version != "editable":
            build_data["force_include"][str(built)] = str(built.relative_to(Path(self.root, "src")))


def compile_extension(source: Path, built: Path) -> None:
    """Compile one Cython module in place."""
    with tempfile.TemporaryDirectory() as folder:
        modules = cythonize([Extension(MODULE, [str(source)])], build_dir=folder, quiet=True)
        command = Distribution({"ext_modules": modules}).get_command_obj("build_ext")
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        command.run()
        built.unlink(missing_ok=True)  # never written over: a process may run what is there
        shutil.move(command.get_ext_fullpath(MODULE), built)
