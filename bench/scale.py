"""Writes the example tree many times over, as one tree: for measurements of growth.

usage: python bench/scale.py COPIES FOLDER

Each copy has folders, a namespace and C functions of its own (`c0001`, `mg0001`, `es0001…`), so that nothing is shared
but the shape. The gates are those of the example that a large tree would have once, over zones and catalogues of all
copies. The same number gives the same tree, byte for byte.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIGURATION = """\
schema = 1

[tree]
name = "minigl-{copies}"
sources = ["src/**/*.cpp"]
headers = ["src/**/*.h", "src/**/*.inc"]

[[configuration]]
name = "mono"
standard = "c++20"
include-dirs = ["src"]

[zone.state]
paths = ["src/*/state/**"]
[zone.impl]
paths = ["src/*/impl/**"]
[zone.pipe]
paths = ["src/*/pipe/**"]
[zone.pipe.inputs]
paths = ["src/*/pipe/inputs/**"]
[zone.util]
paths = ["src/*/util/**"]
[zone.backend]
paths = ["src/*/backend/**"]
[zone.backend.gles]
paths = ["src/*/backend/gles/**"]
[zone.backend.vulkan]
paths = ["src/*/backend/vulkan/**"]

[effects]
{effects}

[[catalogue]]
name = "reads"
columns = ["accessor", "call"]
rows = [
{reads}
]
[[catalogue]]
name = "write-backs"
columns = ["entity", "verdict", "reason"]
rows = [
{writebacks}
]
[[catalogue]]
name = "upcalls"
columns = ["entity", "verdict", "reason"]
rows = [
{upcalls}
]
[[catalogue]]
name = "dirty"
columns = ["mutator", "publishers"]
rows = [
{dirty}
]
[[catalogue]]
name = "mutations"
columns = ["function", "mutator", "verdict"]
rows = [
{mutations}
]

[[gate]]
id = "A"
kind = "include-purity"
from = ["backend.gles", "backend.vulkan"]
forbid = ["state", "impl"]
[[gate]]
id = "B"
kind = "symbol-purity"
sources = {{ from = ["backend.gles", "backend.vulkan"], forbid = ["state"] }}
[[gate]]
id = "C"
kind = "undeclared"
zones = ["backend"]
entities = [{contexts}]
[[gate]]
id = "R"
kind = "reads"
from = ["backend.gles", "backend.vulkan"]
of = ["pipe.inputs"]
classes = [{classes}]
catalogue = "reads"
[[gate]]
id = "W"
kind = "writebacks"
from = ["backend.gles", "backend.vulkan"]
of = ["pipe.inputs"]
classes = [{classes}]
catalogue = "write-backs"
[[gate]]
id = "U"
kind = "upcalls"
from = ["backend"]
into = ["impl"]
catalogue = "upcalls"
[[gate]]
id = "K"
kind = "memo-keys"
zones = ["backend"]
frontend = ["state", "impl"]
handle-types = [{handles}]
[[gate]]
id = "M"
kind = "mutations"
from = ["impl"]
of = ["state"]
reach = [{reach}]
catalogue = "mutations"
[[gate]]
id = "D"
kind = "dirty-surface"
entry = ["impl"]
of = ["state"]
catalogue = "dirty"
[gate.publishers]
{publishers}
[[gate]]
id = "S"
kind = "forbidden-calls"
zones = ["backend"]
functions = [{prints}]
[[gate]]
id = "L"
kind = "layers"
layers = ["impl", "backend", "state", "pipe", "util"]
independent = [["backend.gles", "backend.vulkan"], ["state", "backend"]]
"""
COUNTERS = {
    "NEW_RENDER_STATE": ["RenderState::m_version"],
    "NEW_PIPELINE_STATE": ["RenderState::m_pipelineVersion"],
    "NEW_BUFFERS": ["GLContext::m_bufferVersion"],
    "NEW_TEXTURES": ["GLContext::m_textureVersion"],
    "NEW_SAMPLERS": ["gSamplerNotes"],
    "NEW_FRAMEBUFFER": ["GLContext::m_framebufferVersion", "FramebufferObject::m_attachmentSerial"],
    "NEW_PROGRAM": ["GLContext::m_programVersion"],
    "NEW_CONTENT": ["BufferObject::m_contentSerial", "ITextureObject::m_levelSerial"],
}
_ROW = re.compile(r"\bX\(((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*)\)")
_SUFFIXES = {".cpp", ".h", ".inc", ".def"}


def example() -> Path:
    """The example tree that comes with mgaudit."""
    return Path(str(resources.files("mgaudit") / "examples/minigl"))


def copied(text: str, number: int) -> str:
    """A file of the example, as a copy has it."""
    text = re.sub(r'(#include ")(?=[\w/]+\.(?:h|inc|def)")', rf"\1c{number:04}/", text)
    text = re.sub(r"\bmg\b", f"mg{number:04}", text)
    return re.sub(r"\b(es|vk|Vk)(?=[A-Z])", rf"\g<1>{number:04}", text)


def rows(source: Path, name: str) -> Iterator[list[str]]:
    """The cells of an X-macro list's rows."""
    text = re.sub(r"/\*.*?\*/", "", source.read_text(), flags=re.DOTALL)
    body = re.search(rf"#define {name}\(X\)((?:.*\\\n)*.*)", text)
    for row in _ROW.findall(body[1] if body else ""):
        yield [cell.strip() for cell in re.split(r",(?![^(]*\))", row, maxsplit=2)]


def configuration(copies: int) -> str:
    """The configuration of all copies together."""
    pipe = example() / "src/pipe"
    shared = (pipe / "inputs/SharedBuffer.h").read_text()
    spaces = [f"mg{number:04}" for number in range(1, copies + 1)]

    def accessor(name: str) -> str:
        owner = "SharedBuffer" if f" {name.partition('(')[0]}(" in shared else "PipeInputs"
        return f"pipe::{owner}::{name}"

    def table(file: str, name: str, *columns: str, qualify: dict[int, str]) -> str:
        lines = []
        for space in spaces:
            for cells in rows(pipe / file, name):
                named = [
                    f"{space}::{accessor(cell) if qualify[i] == '*' else qualify[i] + cell.removeprefix('mg::')}"
                    if i in qualify else cell.strip('"')
                    for i, cell in enumerate(cells)
                ]  # fmt: skip
                pairs = ", ".join(f"{key} = {json.dumps(cell)}" for key, cell in zip(columns, named, strict=True))
                lines.append(f"    {{ {pairs} }},")
        return "\n".join(lines)

    def every(*names: str) -> str:
        return ", ".join(f'"{space}::{name}"' for space in spaces for name in names)

    publishers = [
        f"{bit} = {{ counters = [{every(*(f'state::{name}' for name in names))}] }}" for bit, names in COUNTERS.items()
    ]
    publishers.append(f"NEW_PIXEL_PACK = {{ functions = [{every('state::GLContext::BumpPixelPack')}] }}")
    return CONFIGURATION.format(
        copies=copies,
        effects="\n".join(
            f'"{space}::util::SharedPtr::{name}" = {{ instead-of-body = "how many own an object is no state of it" }}'
            for space in spaces
            for name in ("Retain", "Release")
        ),
        reads=table("Coverage.def", "PIPE_COVERAGE_ACCESSOR_LIST", "accessor", "call", qualify={0: "*"}),
        writebacks=table("ReverseChannel.def", "PIPE_WRITE_BACK_LIST", "entity", "verdict", "reason", qualify={0: ""}),
        upcalls=table("ReverseChannel.def", "PIPE_UPCALL_LIST", "entity", "verdict", "reason", qualify={0: ""}),
        dirty=table("Dirty.def", "PIPE_DIRTY_LIST", "mutator", "publishers", qualify={0: "state::"}),
        mutations=table(
            "Mutations.def", "PIPE_MUTATION_LIST", "function", "mutator", "verdict", qualify={0: "", 1: "state::"}
        ),
        contexts=every("state::pGLContext"),
        classes=every("pipe::PipeInputs", "pipe::SharedBuffer"),
        handles=every("pipe::Handle"),
        reach=every("backend::gFunctionsTable", "backend::pActiveBackend"),
        prints=every("util::DebugPrint"),
        publishers="\n".join(publishers),
    )


def write(copies: int, folder: Path) -> None:
    """Write the tree of some copies into a folder, new or empty."""
    source = example() / "src"
    files = sorted(path for path in source.rglob("*") if path.suffix in _SUFFIXES)
    texts = {path.relative_to(source): path.read_text() for path in files}
    for number in range(1, copies + 1):
        for name, text in texts.items():
            target = folder / f"src/c{number:04}" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(copied(text, number))
    (folder / "mgaudit.toml").write_text(configuration(copies))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("copies", type=int)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    if arguments.folder.exists() and any(arguments.folder.iterdir()):
        sys.exit(f"{arguments.folder}: it is not empty")
    write(arguments.copies, arguments.folder)


if __name__ == "__main__":
    main()
