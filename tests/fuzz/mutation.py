"""Changes that a hostile or unlucky hand makes to a file: of bytes, of tokens, of lines, of nesting."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

_TOKEN: Final = re.compile(rb"[A-Za-z_]\w*|\d[\w.']*|\s+|[^\w\s]")
_LONG: Final = 3_000  # how deep brackets nest that somebody repeats
TOKENS: Final = (
    *b"{ } ( ) [ ] < > ; , : :: -> . = == & && * # ## \\ ' \" /* */ // ... <=> @ ` $ ? ~ ^ % | !".split(),
    *b"template<class T> operator decltype(auto) co_await requires constexpr consteval union friend typedef".split(),
    *(b"\n#if 0\n", b"\n#else\n", b"\n#endif\n", b"\n#include __FILE__\n", b'\n#include "../../../../etc/passwd"\n'),
    *(b"\n#define X(...) X(__VA_ARGS__)\n", b"\n#pragma once\n", b'\n#line 7 "/etc/hosts"\n', b'_Pragma("once")'),
    *(b'R"x(', b')x"', b"\\\n", b"\r", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xae", b"\x1b[31m"),
    *(b"9" * 20, b"[[gate]]", b'"""', b"'''", b"1979-05-27", b"inf", b"..", b"/", b"**", b"re:(a+)+$", b"'"),
    *(b"@response", b"-o", b"-include", b"-fplugin=./x.so", b"-Xclang", b"-load", b"-MF", b"-I", b"{}", b"null", b"-1"),
)  # fmt: skip


def mutated(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    """A file's content after one to four changes; ``others`` are contents to take pieces from."""
    for _ in range(chance.randint(1, 4)):
        change = chance.choice((_bytes, _tokens, _tokens, _lines, _insert, _insert, _splice, _nest, _cut))
        data = change(data, others, chance)
    return data


def _span(data: Sequence[object], chance: random.Random, most: int) -> slice:
    start = chance.randrange(len(data) + 1)
    return slice(start, min(len(data), start + chance.randint(0, most)))


def _bytes(data: bytes, _others: Sequence[bytes], chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _tokens(data: bytes, _others: Sequence[bytes], chance: random.Random) -> bytes:
    """Drop, double or swap tokens."""
    tokens = _TOKEN.findall(data)
    first, second = _span(tokens, chance, 6), _span(tokens, chance, 6)
    kind = chance.randrange(3)
    if kind == 0:
        del tokens[first]
    elif kind == 1:
        tokens[first] = tokens[first] * 2
    else:
        tokens[first], tokens[second] = tokens[second], tokens[first]
    return b"".join(tokens)


def _lines(data: bytes, _others: Sequence[bytes], chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    span = _span(lines, chance, 5)
    moved = lines[span]
    if chance.random() < 0.7:
        del lines[span]
    at = chance.randrange(len(lines) + 1)
    return b"\n".join([*lines[:at], *moved, *lines[at:]])


def _insert(data: bytes, _others: Sequence[bytes], chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + b" ".join(chance.choices(TOKENS, k=chance.randint(1, 3))) + data[at:]


def _splice(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    other = chance.choice(others)
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _nest(data: bytes, _others: Sequence[bytes], chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(TOKENS) * chance.choice((10, 300, _LONG)) + data[at:]


def _cut(data: bytes, _others: Sequence[bytes], chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]
