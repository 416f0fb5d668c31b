"""The closures of headers, which are put together out of those of others."""

from __future__ import annotations

import random
import re
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from mgaudit.engine.contents import Contents
from mgaudit.engine.weights import Closure, Texts, Weights
from mgaudit.sources.include_resolver import Resolver
from mgaudit.sources.tree import PathResolver

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("seed", range(4))
def test_a_closure_is_what_a_plain_walk_finds(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    names = [f"{letter}.h" for letter in "abcdefgh"]
    for name in names:  # some in circles, some of themselves
        (tmp_path / name).write_text("".join(f'#include "{other}"\n' for other in chance.sample(names, 2)) + "x" * seed)
    texts = Texts(PathResolver(tmp_path), Contents(tmp_path))
    weights = Weights(texts, Resolver())
    for headers in permutations(names, 2):
        files, waiting = set[str](), list(headers)
        while waiting:
            name = waiting.pop()
            if name not in files:
                files.add(name)
                waiting += re.findall(r'"(.*)"', (tmp_path / name).read_text())
        size = sum((tmp_path / name).stat().st_size for name in files)
        assert weights.closure(headers) == Closure(frozenset(files), size)
