from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from clang import cindex

from mgaudit.commands.doctor_checks import is_compiled
from mgaudit.sources.toolchain import discover

if TYPE_CHECKING:
    from mgaudit.sources.toolchain import Toolchain


@pytest.fixture(scope="session", autouse=True)  # before any test loads another libclang
def toolchain() -> Toolchain:
    """The bundled one, for `clang.cindex`, too, which then adds no headers of its own to a command."""
    found = discover({})
    cindex.Config.set_library_file(str(found.library))
    cindex.Config.resource_dir = None
    cindex.Config.libcxx_dir = None
    return found


@pytest.fixture
def interpreted() -> None:
    """For a test that puts something else into the place of a part of the extraction."""
    if is_compiled():
        pytest.skip("what is compiled cannot be changed from outside")
