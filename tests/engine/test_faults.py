"""Faults at any moment and in any file: the next answer is right, and this one is right or exit 2.

``MGAUDIT_FAULTS`` is how often each kind is tried: seldom in the suite, a hundred times in a nightly job.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from mgaudit.engine.judge import judge
from mgaudit.reports import json as json_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engine.conftest import Tree

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals and limits"),
    pytest.mark.usefixtures("small_headers_are_worth_it"),
]

ROUNDS = int(os.environ.get("MGAUDIT_FAULTS", "2"))
UMBRELLA = "#pragma once\n#include <state/context.h>\n" + "// filler filler filler\n" * 600
GATE = '\n[[gate]]\nid = "A"\nkind = "include-purity"\nfrom = ["backend"]\nforbid = ["state"]\n'
_RUN = "import sys\nfrom mgaudit.engine import preambles\npreambles._MIN_CLOSURE = 10_000\n"
_RUN += "from mgaudit.cli import main\nsys.exit(main())\n"


@pytest.fixture
def guarded(tree: Tree) -> Tree:
    """A tree with a precompiled header and a gate that is red."""
    tree.settings += GATE
    tree.write("src/umbrella.h", UMBRELLA)
    for name in "de":
        tree.write(
            f"src/backend/{name}.cpp", f"#include <umbrella.h>\nint {name}(state::Context& c) {{ return c.get(); }}\n"
        )
    return tree


def answer(tree: Tree) -> tuple[str, object]:
    """What a run says, and all that it knows."""
    analysis = tree.analyse()
    try:
        known = tree.dump_of(analysis)
        tables = ("symbol", "reference", "declaration", "edge")  # which unit told it does not count
        return json_report.render(judge(analysis)), [sorted(set(known[table]), key=repr) for table in tables]
    finally:
        analysis.facts.connection.close()


def command(tree: Tree, *, jobs: int) -> list[str]:
    """A run in a process of its own."""
    words = ["check", "--config", str(tree.root / "mgaudit.toml"), "--cache-dir", str(tree.cache)]
    return [sys.executable, "-c", _RUN, *words, "--jobs", str(jobs), "--output-format", "json"]


def cached(tree: Tree) -> list[Path]:
    """The files of the cache that hold something, locks aside."""
    return sorted(p for p in tree.cache.rglob("*") if p.is_file() and p.suffix != ".lock" and p.stat().st_size)


def cut(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size))


def flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def swap(path: Path, chance: random.Random) -> None:
    """Give a file the content of another of its kind."""
    kind = path.parent.parent if path.parent.name == path.name[:2] else path.parent
    other = chance.choice([p for p in sorted(kind.rglob("*")) if p.is_file() and p.suffix == path.suffix])
    mine, theirs = path.read_bytes(), other.read_bytes()
    path.write_bytes(theirs)
    other.write_bytes(mine)


class TestDamage:
    @pytest.mark.parametrize("harm", [cut, flip, swap])
    @pytest.mark.parametrize("seed", range(ROUNDS))
    def test_no_damage_to_the_cache_changes_an_answer(
        self, guarded: Tree, harm: Callable[[Path, random.Random], None], seed: int
    ) -> None:
        expected = answer(guarded)
        chance = random.Random(seed)
        paths = cached(guarded)
        assert {"unit", "manifest", "scan", "syntax", "preamble", "verdict", "facts"} <= {
            path.relative_to(guarded.cache).parts[0] for path in paths
        }
        for path in chance.sample(paths, len(paths) // (1 + seed % 3)):
            harm(path, chance)
        assert answer(guarded) == expected
        assert answer(guarded) == expected

    def test_no_bit_of_the_database_is_believed_unseen(self, guarded: Tree) -> None:
        """A damaged value leaves the structure of the file sound, so SQLite has nothing to say."""
        expected = answer(guarded)
        (path,) = (guarded.cache / "facts").glob("*.sqlite")
        data = path.read_bytes()
        path.write_bytes(data.replace(b"src/state/context.h", b"src/state/contexT.h"))
        assert path.read_bytes() != data
        assert answer(guarded) == expected

    def test_the_cache_of_another_tree_is_no_help(self, guarded: Tree, tmp_path: Path) -> None:
        expected = answer(guarded)
        for path in cached(guarded):
            if path.suffix == ".sqlite":
                shutil.copy(path, path.with_name("0" * 32 + ".sqlite"))
        guarded.write("src/backend/d.cpp", "int d();\n")
        changed = answer(guarded)
        assert changed != expected
        (tmp_path / "tree").rename(tmp_path / "elsewhere")
        guarded.root = tmp_path / "elsewhere"
        assert answer(guarded)[0] == changed[0]


class TestKilled:
    @pytest.mark.parametrize("part", [(n + 0.5) / ROUNDS for n in range(ROUNDS)])
    def test_the_next_run_is_right_whenever_the_last_one_ended(self, guarded: Tree, part: float) -> None:
        guarded.analyse(cache=guarded.cache.parent / "other").facts.connection.close()  # writes the configuration
        run = subprocess.Popen(command(guarded, jobs=1), stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(1.2 * part)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        after = answer(guarded)
        shutil.rmtree(guarded.cache)
        assert after == answer(guarded)


class TestFullDisk:
    @pytest.mark.parametrize("size", [2_000, 400_000])
    def test_files_that_cannot_grow_change_no_answer(self, guarded: Tree, size: int) -> None:
        expected = json.loads(answer(guarded)[0])
        shutil.rmtree(guarded.cache)

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        run = subprocess.run(
            command(guarded, jobs=1), capture_output=True, text=True, check=False, preexec_fn=limit, timeout=120
        )
        assert "Traceback" not in run.stderr
        said = json.loads(run.stdout)
        # The front end does not survive that a precompiled header cannot be written: that is told, and loses nothing.
        assert all("cannot be precompiled" in error["message"] for error in said["errors"])
        assert (run.returncode, said["findings"]) == (2 if said["errors"] else 1, expected["findings"])
        assert any("cannot be written" in warning["message"] for warning in said["warnings"])
        assert json.loads(answer(guarded)[0])["findings"] == expected["findings"]


class TestChangingSources:
    @pytest.mark.parametrize("seed", range(ROUNDS // 2))
    def test_an_answer_is_of_one_state_or_none(self, guarded: Tree, seed: int) -> None:
        """One header goes to and fro while runs read it; each says what holds for one of its states, or exit 2."""
        chance = random.Random(seed)
        states = [UMBRELLA, UMBRELLA + "// more\n", UMBRELLA.replace("#include <state/context.h>", "struct Other;")]
        right = set()
        for text in states:
            guarded.write("src/umbrella.h", text)
            right.add(json.dumps(json.loads(answer(guarded)[0])["findings"]))
            shutil.rmtree(guarded.cache)
        ended = threading.Event()

        def change() -> None:
            path = guarded.root / "src/umbrella.h"
            while not ended.wait(chance.uniform(0.0, 0.05)):
                other = path.with_suffix(".new")
                other.write_text(chance.choice(states))
                other.replace(path)

        editor = threading.Thread(target=change)
        editor.start()
        try:
            for _ in range(2):
                run = subprocess.run(command(guarded, jobs=1), capture_output=True, text=True, check=False, timeout=120)
                assert "Traceback" not in run.stderr
                assert run.returncode == 2 or json.dumps(json.loads(run.stdout)["findings"]) in right
        finally:
            ended.set()
            editor.join()
        for text in states:
            guarded.write("src/umbrella.h", text)
            assert json.dumps(json.loads(answer(guarded)[0])["findings"]) in right
            after = answer(guarded)
            shutil.rmtree(guarded.cache)
            assert after == answer(guarded)
