"""Builds the documentation site out of docs/, with pages that are generated from the program itself.

usage: python ci/site.py [OUTPUT]     (default: site)

Written by hand: docs/*.md. Generated: a page a command from its help, a page a gate from the gate's own page and
parameters, the reference of mgaudit.toml from its schema. Any warning, a dead link among them, fails the build.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from sphinx.cmd.build import build_main

import mgaudit
from mgaudit.cli import COMMANDS, overview
from mgaudit.commands.group import LazyGroup
from mgaudit.config.fields import fields_of
from mgaudit.config.schema import json_schema
from mgaudit.gates.pages import controls, page
from mgaudit.gates.registry import KINDS, PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

CONFIGURATION = f"""\
project = "mgaudit"
version = release = "{mgaudit.__version__}"
copyright = "the mgaudit authors"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "mgaudit {mgaudit.__version__}"
html_extra_path = ["_extra"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]
"""
_GATE_PAGE = re.compile(r"\]\(\.\./src/mgaudit/gates/(\w+)/page\.md\)")
PARTS = {
    "Start": ["quickstart", "mobilegl", "limits"],
    "Every day": ["baselines", "hook", "ci", "scale", "diff", "reports", "prove"],
    "The rules": ["configuration", "reference", "rule-packs", "gates/index"],
    "The program": [
        "commands",
        "how-it-works",
        "certificate",
        "facts",
        "mutation-testing",
        "changelog",
        "decisions/index",
    ],
}


def main() -> int:
    """Build the site; the exit code is Sphinx's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", type=Path, default=ROOT / "site")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "docs")
        write_sources(source)
        return build_main(["-b", "html", "-n", "-W", "--keep-going", "-q", str(source), str(arguments.output)])


def write_sources(folder: Path) -> None:
    """Everything that the site is made of, in a folder that does not exist yet."""
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("schema"))
    shutil.copytree(DOCS / "schema", folder / "_extra/schema")
    (folder / "conf.py").write_text(CONFIGURATION, encoding="utf-8")
    generated = {
        "commands.md": "\n".join(commands()),
        "reference.md": "\n".join(reference()),
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        **{f"gates/{kind}.md": "\n".join(gate(kind)) for kind in KINDS},
    }
    (folder / "gates").mkdir()
    for name, text in generated.items():
        (folder / name).write_text(text, encoding="utf-8")
    for file in folder.rglob("*.md"):
        text = file.read_text(encoding="utf-8")
        file.write_text(schema_links(_GATE_PAGE.sub(_to_gate, text)), encoding="utf-8")
    pages = {file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.md")}
    (folder / "gates/index.md").write_text("\n".join(gates_index()), encoding="utf-8")
    (folder / "decisions/index.md").write_text(
        listing("Decisions", sorted(p.removeprefix("decisions/") for p in pages if p.startswith("decisions/"))),
        encoding="utf-8",
    )
    (folder / "index.md").write_text("\n".join(front(pages)), encoding="utf-8")


def _to_gate(link: re.Match[str]) -> str:
    return f"](gates/{link[1].replace('_', '-')}.md)"


def schema_links(text: str) -> str:
    """Links to the schemas as links to files of the site, which Sphinx does not know."""
    return re.sub(r"\[([^\]]*)\]\(schema/([\w.]*)\)", r'<a href="schema/\2">\1</a>', text).replace(
        '<a href="schema/">', '<a href="schema/mgaudit.schema.json">'
    )


# ---- the front page


def front(pages: set[str]) -> Iterator[str]:
    """What the README says first, and every page in one of the parts."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    yield readme.partition("\n## ")[0]
    left = {name for name in pages if "/" not in name}
    for part, names in PARTS.items():
        own = [name for name in names if name in pages or name.endswith("/index")]
        left -= set(own)
        if part == "The program":
            own += sorted(left)
        yield "\n".join(("```{toctree}", ":hidden:", f":caption: {part}", "", *own, "```", ""))


def listing(title: str, names: list[str]) -> str:
    """A page that lists others."""
    return "\n".join((f"# {title}", "", "```{toctree}", ":maxdepth: 1", "", *names, "```", ""))


# ---- commands


def commands() -> Iterator[str]:
    """The page of all commands: what each prints with ``--help``."""
    yield from ("# Commands", "", "```text", overview().rstrip(), "```", "")
    group = LazyGroup(COMMANDS, overview())
    with click.Context(group, info_name="mgaudit") as top:
        for name in COMMANDS:
            command = group.get_command(top, name)
            assert command is not None
            yield from command_page(command, name, top, level=2)


def command_page(command: click.Command, name: str, parent: click.Context, *, level: int) -> Iterator[str]:
    """A command's section, and those of the commands below it."""
    with click.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100) as context:
        help_ = command.get_help(context)
        yield from (f"{'#' * level} {context.command_path}", "", "```text", help_.rstrip(), "```", "")
        if isinstance(command, click.Group):
            for below, other in sorted(command.commands.items()):
                yield from command_page(other, below, context, level=level + 1)


# ---- gates


def gate(kind: str) -> Iterator[str]:
    """The page of a kind of gate."""
    yield page(kind)
    rows = [
        (f"`{spec.key}`", "required" if spec.required else "optional", spec.doc or "")
        for spec in fields_of(PARAMETERS[kind])
    ]
    if rows:
        yield from ("## Parameters", "", *table(("parameter", "", "meaning"), rows), "")
    yield "What every gate takes besides stands in [Configuration](../configuration.md)."
    yield from ("", controls(kind))


def gates_index() -> Iterator[str]:
    """The list of all kinds."""
    yield from ("# Gates", "", "A gate is a rule that yields findings. These are the kinds:", "")
    rows = [(f"[{kind}]({kind}.md)", about.summary if about.available else f"{about.summary} (not available yet)")
            for kind, about in KINDS.items()]  # fmt: skip
    yield from (*table(("kind", "its promise"), rows), "")
    yield "\n".join(("```{toctree}", ":hidden:", "", *KINDS, "```"))


# ---- the reference of mgaudit.toml


def reference() -> Iterator[str]:
    """Every table and key of the configuration."""
    schema = json_schema(PARAMETERS)
    yield from ("# Reference of `mgaudit.toml`", "")
    yield "Generated from the schema that editors use; [Configuration](configuration.md) explains it."
    yield from ("", "## The head", "")
    tables: dict[str, Any] = {}
    head: dict[str, Any] = {}
    for name, value in schema["properties"].items():
        (tables if _table_of(value, schema) else head)[name] = value
    yield from (*properties(head, set(schema["required"])), "")
    for name, value in tables.items():
        found = _table_of(value, schema)
        assert found is not None
        title = f"[[{name}]]" if value.get("type") == "array" else f"[{name}]"
        yield from (f"## `{title}`", "", found.get("description", value.get("description", "")), "")
        yield from (*properties(found["properties"], set(found.get("required", ()))), "")


def _table_of(value: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of a table, of a table's entries, or of the tables in a list; None of a plain value."""
    for found in (value, value.get("items"), value.get("additionalProperties")):
        if isinstance(found, dict):
            target = schema["definitions"][found["$ref"].rpartition("/")[2]] if "$ref" in found else found
            if "properties" in target:
                return target
    return None


def properties(found: Mapping[str, Any], required: set[str]) -> Iterator[str]:
    """The keys of a table."""
    rows = []
    for name, value in found.items():
        default = "required" if name in required else f"`{value['default']}`" if "default" in value else ""
        kind = value.get("type") or (f"one of {len(value['enum'])}" if "enum" in value else "")
        rows.append((f"`{name}`", str(kind), default, value.get("description", "")))
    yield from table(("key", "type", "default", "meaning"), rows)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
