"""Templates of HTML pages: everything that is printed is escaped, and every name must be known."""

from __future__ import annotations

from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from mgaudit.reports.escape import visible


def page(name: str, **values: Any) -> str:
    """A page out of a template and what it shows."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_shown,
        loader=FunctionLoader(_source),
    )  # fmt: skip
    return environment.get_template(name).render(**values)


def _source(name: str) -> str:
    return resources.files("mgaudit.reports").joinpath("templates", name).read_text(encoding="utf-8")


def _shown(value: Any) -> Any:
    """What a template prints: text from the tree cannot drive a terminal or turn a line around."""
    return visible(value) if type(value) is str and not value.isprintable() and "\n" not in value else value
