"""The command line: which commands there are, and where each one lives.

Importing click alone takes twice the time of starting an interpreter, so what needs no command does without it, and a
command's module is imported when it runs.
"""

from __future__ import annotations

import os
import sys

from mgaudit import __version__

TYPE_CHECKING = False  # typing itself is slow to import
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Name → (module:attribute, summary), in the order in which `mgaudit --help` lists them.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "check": ("mgaudit.commands.check:check", "Run the gates over the tree; the exit code is the answer."),
    "merge": ("mgaudit.commands.merge:merge", "Run the gates on what the shards of a run extracted."),
    "surface": ("mgaudit.commands.surface:surface", "List every place where observed code crosses a boundary."),
    "memo": ("mgaudit.commands.memo:memo", "List caches, and what identifies their entries."),
    "matrix": ("mgaudit.commands.matrix:matrix", "Count who uses whom: zone by zone, or accessor by backend."),
    "reconcile": ("mgaudit.commands.reconcile:reconcile", "Explain how what scripts count differs from the gates."),
    "catalogue": ("mgaudit.commands.catalogue:catalogue", "List the catalogues, check them, or suggest their rows."),
    "baseline": ("mgaudit.commands.baseline:baseline", "Change, show or merge the files of accepted findings."),
    "prove": ("mgaudit.commands.prove:prove", "Plant violations in memory, and demand that each gate turns red."),
    "diff": ("mgaudit.commands.diff:diff", "Say what a change does to the boundary, for its reviewer."),
    "report": ("mgaudit.commands.report:report", "Write one HTML file with pictures of the run."),
    "explain": ("mgaudit.commands.explain:explain", "Say what a gate means and how to mend what it found."),
    "explain-effect": (
        "mgaudit.commands.explain_effect:explain_effect",
        "Prove what a function may change, and where it does.",
    ),
    "why": ("mgaudit.commands.why:why", "Prove that one file, zone or function leads to another."),
    "cut": ("mgaudit.commands.cut:cut", "Find the fewest includes that separate two zones."),
    "symbols": ("mgaudit.commands.symbols:symbols", "Judge symbols of binaries and sources; compare two builds."),
    "graph": ("mgaudit.commands.graph:graph", "Export the include graph, the call graph or the symbol table."),
    "facts": ("mgaudit.commands.facts:facts", "Show what is known of a place in the sources, and how."),
    "query": ("mgaudit.commands.query:query", "Ask the facts in SQL, read-only."),
    "arms": ("mgaudit.commands.arms:arms", "Count what #if arms gate; list those that no configuration takes."),
    "citations": ("mgaudit.commands.citations:citations", "Judge and mend the citations of documents."),
    "frozen": ("mgaudit.commands.frozen:frozen", "Write the reference of frozen regions anew."),
    "init": ("mgaudit.commands.init:init", "Write a first mgaudit.toml from a look at the tree."),
    "doctor": ("mgaudit.commands.doctor:doctor", "Check the toolchain, the configuration and what parses."),
    "config": ("mgaudit.commands.config:config", "Show the effective configuration, or its JSON schema."),
    "cache": ("mgaudit.commands.cache:cache", "Show, prune or clear the cache."),
    "demo": ("mgaudit.commands.demo:demo", "Audit the example tree that comes with mgaudit."),
}


def overview() -> str:
    """What `mgaudit --help` prints."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:{width}}  {summary}" for name, (_, summary) in COMMANDS.items())
    return f"""\
Usage: mgaudit [OPTIONS] COMMAND [ARGS]...

  Defend a boundary inside a C++ tree: prove that one side does not depend on
  the other.

Commands:
{commands}

Options:
  -V, --version  Show the version and exit.
  -h, --help     Show this message and exit; after a command, its own help.

Exit codes: 0 clean, 1 a gate found a violation, 2 the answer cannot be trusted.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run mgaudit.

    Args:
        arguments: In place of the process's own, without the program's name.

    Returns:
        The exit code.
    """
    # A stream that the caller closed is None; what is said to it is lost, as he wants it.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  pathlib is slow
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    try:
        return _main(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except OSError as error:
        return _unheard(error)


def _main(words: list[str]) -> int:
    if words in (["--version"], ["-V"]):
        code = _say(f"mgaudit {__version__}\n", 0)
    elif words in ([], ["--help"], ["-h"]):
        code = _say(overview(), 0 if words else 2)
    else:
        from mgaudit.commands.boundary import run  # noqa: PLC0415

        code = run(COMMANDS, overview(), words)
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _say(text: str, code: int) -> int:
    sys.stdout.write(text)
    return code


def _unheard(error: OSError) -> int:
    """Nobody can read the output; the interpreter must not try to write the rest when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 141  # what a shell reports of a process that SIGPIPE ended
    sys.stderr.write(f"error: the output cannot be written: {error.strerror}\n")
    return 2
