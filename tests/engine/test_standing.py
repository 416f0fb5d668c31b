"""What the last run left spares the next one a look at each manifest, and never changes what it finds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from mgaudit.engine import contents as module
from mgaudit.engine import manifest, worker
from mgaudit.engine.contents import Contents, Stamps, digest_of
from mgaudit.facts.cache import Cache

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engine.conftest import Tree

BIG = "#pragma once\n" + "// some text that makes it worth precompiling\n" * 12000 + "struct Big { int width; };\n"


def known(tree: Tree, **options: Any) -> dict[str, Any]:
    return tree.known(tree.analyse(**options))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the manifests that are read."""
    keys: list[str] = []
    read = manifest.read

    def reading(cache: Cache, key: str) -> list[manifest.Variant]:
        keys.append(key)
        return read(cache, key)

    monkeypatch.setattr(manifest, "read", reading)
    return keys


@pytest.fixture
def started(tree: Tree) -> Tree:
    """Five units, four of which start from a precompiled header; with a header that is judged alone."""
    tree.write("src/big.h", BIG)
    for name in "defg":
        tree.write(
            f"src/{name}.cpp", f'#include <big.h>\n#include "util.h"\nint {name}(Big& b) {{ return width(b); }}\n'
        )
    tree.write("src/backend/draw.h", "#ifdef OTHER\n#include <state/context.h>\n#endif\n")
    tree.settings += '[[gate]]\nid = "A"\nkind = "include-purity"\nfrom = ["backend"]\nforbid = ["state"]\n'
    for _ in range(2):
        tree.analyse().facts.connection.close()  # as a process does when it ends
    return tree


def test_a_run_over_an_unchanged_tree_asks_no_unit(started: Tree, asked: list[str]) -> None:
    first = started.dump()
    assert len(asked) == 1  # the precompiled header's
    assert first == started.cold()


@pytest.mark.parametrize(
    "change",
    [
        {"src/d.cpp": "#include <big.h>\nint moved(Big& b) { return b.width; }\n"},
        {"src/d.cpp": "int d;\n"},
        {"src/util.h": "#pragma once\ntemplate <class T> long width(T& t) { return t.width; }\n"},
        {"src/big.h": BIG + "struct Bigger {};\n"},
        {"src/first/util.h": "template <class T> char width(T& t) { return t.width; }\n"},
        {"src/h.cpp": "#include <big.h>\nint h(Big& b) { return b.width; }\n"},
        {"src/d.cpp": None},
        {"src/backend/draw.h": "#include <state/context.h>\n"},
        {"src/backend/draw.h": None, "src/backend/blit.h": "#if defined(OTHER)\n#include <big.h>\n#endif\n"},
    ],
)
def test_after_any_change_the_facts_are_those_of_a_cold_run(started: Tree, change: dict[str, str | None]) -> None:
    for name, text in change.items():
        if text is None:
            started.delete(name)
        else:
            started.write(name, text)
    assert known(started) == known(started, preambles=False, cache=started.cache.parent / "plain")


def test_one_changed_unit_starts_where_the_others_do(started: Tree, asked: list[str]) -> None:
    started.write("src/d.cpp", '#include <big.h>\n#include "util.h"\nint d(Big&) { return 1; }\n')
    analysis = started.analyse()
    assert [unit.path for unit in analysis.statistics.parsed] == ["src/d.cpp"]
    assert analysis.statistics.with_preamble == 1
    assert len(asked) <= 3


def test_a_deleted_header_costs_later_runs_nothing(started: Tree, asked: list[str]) -> None:
    started.write("src/util.h", '#pragma once\n#include "more.h"\ntemplate <class T> int width(T& t) { return 0; }\n')
    started.write("src/more.h", "#pragma once\n")
    started.analyse().facts.connection.close()
    started.write("src/util.h", "#pragma once\ntemplate <class T> int width(T& t) { return 0; }\n")
    started.delete("src/more.h")
    started.analyse().facts.connection.close()
    asked.clear()
    assert started.parsed() == []
    assert len(asked) == 1  # the precompiled header's


def test_a_header_that_appears_where_it_was_looked_for_is_seen(started: Tree) -> None:
    started.write("src/first/big.h", BIG.replace("int width", "long width"))
    assert {"src/d.cpp", "src/g.cpp"} <= set(started.parsed())
    assert known(started) == known(started, preambles=False, cache=started.cache.parent / "plain")


def test_a_link_that_leads_elsewhere_is_seen(tree: Tree) -> None:
    tree.write("src/one.h", "#pragma once\nint one;\n")
    tree.write("src/two.h", "#pragma once\nint two;\n")
    (tree.root / "src/link.h").symlink_to("one.h")
    tree.write("src/d.cpp", '#include "link.h"\n')
    tree.analyse()
    (tree.root / "src/link.h").unlink()
    (tree.root / "src/link.h").symlink_to("two.h")
    assert tree.dump() == tree.cold()


def test_a_run_without_precompiled_headers_believes_nothing(started: Tree) -> None:
    assert "src/d.cpp" in started.parsed(preambles=False)


def test_what_was_left_may_be_damaged_or_gone(started: Tree) -> None:
    for path in [*started.cache.glob("standing/*/*"), *started.cache.glob("stamps/*/*")]:
        path.write_bytes(path.read_bytes()[:-9] + b"damaged!!")
    assert started.parsed() == []
    for path in started.cache.glob("facts/*"):
        path.unlink()
    for path in started.cache.glob("unit/*/*"):
        path.unlink()
    assert "src/d.cpp" in started.parsed()
    assert started.dump() == started.cold()


# ---- stamps


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file whose digest an earlier run has left."""
    monkeypatch.setattr(module, "SETTLED", -1)
    (tmp_path / "a.h").write_bytes(b"int a;\n")
    stamps = Stamps(Cache(tmp_path / "cache"), str(tmp_path))
    Contents(tmp_path, stamps).digest("a.h")
    stamps.save()
    return tmp_path / "a.h"


def now(path: Path) -> tuple[bytes | None, bool]:
    """The digest of a file, and whether it was read for it."""
    stamps = Stamps(Cache(path.parent / "cache"), str(path.parent))
    held = stamps.of(path.name, str(path))
    return Contents(path.parent, stamps).digest(path.name), held is None


def test_a_file_that_was_read_is_not_read_again(kept: Path) -> None:
    assert now(kept) == (digest_of(b"int a;\n"), False)


def test_a_change_at_equal_size_and_time_is_seen(kept: Path) -> None:
    state = kept.stat()
    kept.write_bytes(b"int b;\n")
    os.utime(kept, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert now(kept) == (digest_of(b"int b;\n"), True)


def test_another_file_in_its_place_is_seen(kept: Path) -> None:
    other = kept.with_name("b.h")
    other.write_bytes(b"int b;\n")
    other.replace(kept)
    assert now(kept) == (digest_of(b"int b;\n"), True)
    kept.unlink()
    assert now(kept) == (None, True)


def test_nothing_is_kept_of_a_file_that_has_just_changed(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_bytes(b"int a;\n")
    stamps = Stamps(Cache(tmp_path / "cache"), str(tmp_path))
    Contents(tmp_path, stamps).digest("a.h")
    stamps.save()
    assert now(tmp_path / "a.h") == (digest_of(b"int a;\n"), True)


# ---- precompiled headers


def test_a_precompiled_header_is_read_again_where_it_is_not_what_was_verified(
    started: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SETTLED", -1)
    sealed: list[str] = []
    seal = worker._seal

    def sealing(path: Path, name: str) -> bytes:
        sealed.append(name)
        return seal(path, name)

    monkeypatch.setattr(worker, "_seal", sealing)

    def run(number: int) -> int:
        sealed.clear()
        started.write("src/d.cpp", f'#include <big.h>\n#include "util.h"\nint d(Big&) {{ return {number}; }}\n')
        assert "src/d.cpp" in started.parsed()
        return len(sealed)

    assert run(1) == 1
    assert run(2) == 0
    (precompiled,) = started.cache.glob("preamble/*/*.pch")
    state = precompiled.stat()
    data = bytearray(precompiled.read_bytes())
    data[len(data) // 2] ^= 255
    precompiled.write_bytes(data)
    os.utime(precompiled, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert run(3) >= 1
    assert known(started) == known(started, preambles=False, cache=started.cache.parent / "plain")
