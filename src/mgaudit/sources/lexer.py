r"""A C++ preprocessing-token lexer over bytes.

The tokens tile the input: every byte belongs to exactly one token, white space or comment, and the texts joined give
the input back. Kinds are one ASCII letter a token, so that a file's *shape* is a byte string in which the scanner
finds constructs with C-speed string and regex operations.

Two lexers give equal answers. The fast one is a single ``findall``; it withdraws where a token's meaning depends on
context that one regular expression cannot carry (a splice inside a token, a header name after a comment, a delimited
raw string, a non-ASCII identifier that must be cut). The exact one walks token by token and always applies.

Phases 2 and 3 of translation follow ISO C++ [lex.phases] and, where the standard leaves a choice, Clang: white space
between a backslash and the line end still splices, an unterminated non-raw literal ends at the line end, an
unterminated comment or raw string runs to the end of the file, NUL is white space, trigraphs are ordinary text.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from itertools import accumulate, compress
from typing import Final

from mgaudit.sources.scan_patterns import (
    ALTERNATIVE_SPELLINGS,
    BLANK,
    NEWLINE_PATTERN,
    SPLICE,
    UCN,
    exact_pattern,
    fast_pattern,
)

SPACE: Final = ord(" ")
COMMENT: Final = ord("/")
NEWLINE: Final = ord("\n")
IDENTIFIER: Final = ord("i")
OPERATOR_WORD: Final = ord("u")
TEMPLATE_WORD: Final = ord("t")
NUMBER: Final = ord("n")
STRING: Final = ord("s")
CHARACTER: Final = ord("c")
HEADER_NAME: Final = ord("h")
OTHER: Final = ord("o")
PUNCTUATOR: Final = ord("p")
HASH: Final = ord("#")
PASTE: Final = ord("@")
MEMBER: Final = ord(".")
SCOPE: Final = ord(":")
OPEN_PAREN: Final = ord("(")
CLOSE_PAREN: Final = ord(")")

UNEVALUATED_WORDS: Final = frozenset(
    {
        *(b"decltype", b"__decltype", b"sizeof", b"alignof", b"_Alignof", b"__alignof", b"__alignof__"),
        *(b"noexcept", b"typeid", b"requires", b"typeof", b"__typeof", b"__typeof__"),
        *(b"offsetof", b"__builtin_offsetof", b"using"),
    }
)

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_MAY_BE_CUT: Final = frozenset({IDENTIFIER, NUMBER, OTHER, SPACE})
_FUSED_INCLUDE: Final = ord("I")
_WITHDRAW: Final = ord("!")
_PUNCTUATOR_SHAPES: Final = {
    **{text: text[0] for text in (b"(", b")", b"{", b"}", b"[", b"]", b"<", b">", b";", b",", b"=", b"#", b".")},
    b"##": PASTE,
    b"->": MEMBER,
    b"::": SCOPE,
}
_KNOWN_SHAPES: Final = {
    b" ": SPACE,
    b"\n": NEWLINE,
    b"template": TEMPLATE_WORD,
    **dict.fromkeys(UNEVALUATED_WORDS, OPERATOR_WORD),
    **_PUNCTUATOR_SHAPES,
    **{digraph: _PUNCTUATOR_SHAPES.get(primary, PUNCTUATOR) for digraph, primary in ALTERNATIVE_SPELLINGS.items()},
}

_SPLICE: Final = re.compile(SPLICE)
_UCN: Final = re.compile(UCN)
_FAST: Final = re.compile(fast_pattern())
_EXACT: Final = re.compile(exact_pattern())
_PLAIN_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]*+")
_RAW_LITERAL: Final = re.compile(
    rb"(?:u8|[uUL])?R\"(?P<delimiter>[^ ()\\\t\v\f\r\n\"]{0,16})\((?s:.*)\)(?P=delimiter)\"[\w$]*+"
)
_LITERAL: Final = re.compile(
    rb"(?:u8|[uUL])?(?:R?\"(?:[^\"\\\r\n]++|\\[^\r\n])*+\"|(?P<character>'(?:[^'\\\r\n]++|\\[^\r\n])++'))[\w$]*+"
)
_RAW_OPENING: Final = re.compile(rb"(?:u8|[uUL])?R\"[^ ()\\\t\v\f\r\n\"]{0,16}\(")
_QUOTED: Final = re.compile(rb"(?:u8|[uUL])?R?[\"']")
_INCLUDE_AT_LINE_START: Final = re.compile(rb"(?:\A|\n)[ /]*+I")
_INCLUDE_PIECES: Final = re.compile(rb"(#)([ \t\v\f\0]*)(\w+)([ \t\v\f\0]*)([<\"].*)", re.DOTALL)
_HEADER: Final = re.compile(
    rb"<(?:[^>\r\n\\]++|" + SPLICE + rb"|\\)*+>|\"(?:[^\"\r\n\\]++|" + SPLICE + rb"|\\)*+\"",
)
# A splice that glues two tokens' bytes together, or whose backslash may itself be escaped.
_TIGHT_SPLICE: Final = re.compile(
    rb"\\(?:(?<![ \t\v\f\r\n]\\)"
    + (BLANK + rb"*+" + NEWLINE_PATTERN)
    + (rb"(?:" + SPLICE + rb")*+(?![ \t\v\f\r\n])")
    + (rb"|\\" + BLANK + rb"*+[\r\n])")
)
_AWKWARD_DIRECTIVE: Final = re.compile(
    rb"#[ \t\v\f\0]*+(?:/\*|\\|(?:include(?:_next)?+|import|embed)[ \t\v\f\0]*+"
    rb"(?:/[*/]|\\|[\"<][^\r\n]*?\\" + BLANK + rb"*+[\r\n]))"
)
_HEADER_DIRECTIVES: Final = frozenset({b"include", b"include_next", b"import", b"embed"})
_HEADER_OPERATORS: Final = frozenset({b"__has_include", b"__has_include_next", b"__has_embed"})
_INSIGNIFICANT: Final = bytes(0 if kind in {SPACE, COMMENT} else 1 for kind in range(256))


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens in source order.

    Attributes:
        texts: Each token's bytes as written.
        starts: Each token's byte offset.
        shape: Each token's kind, one letter a token.
    """

    texts: list[bytes]
    starts: array[int]
    shape: bytes

    def end(self, index: int) -> int:
        """The byte offset just behind a token."""
        return self.starts[index] + len(self.texts[index])

    def significant(self) -> Tokens:
        """The tokens without white space and comments; line ends stay."""
        mask = self.shape.translate(_INSIGNIFICANT)
        return self.select(mask)

    def select(self, mask: bytes | bytearray) -> Tokens:
        """The tokens whose byte in ``mask`` is not zero."""
        return Tokens(
            list(compress(self.texts, mask)),
            array("I", compress(self.starts, mask)),
            bytes(compress(self.shape, mask)),
        )


def tokenize(data: bytes) -> Tokens:
    """The preprocessing tokens of a file, white space and comments included."""
    if b"__has_" in data or b"%:" in data or _TIGHT_SPLICE.search(data) or _AWKWARD_DIRECTIVE.search(data):
        return tokenize_exactly(data)
    texts = _FAST.findall(data)
    shape = bytes(map(_FastShapes(_KNOWN_SHAPES).__getitem__, texts))
    if _WITHDRAW in shape:
        return tokenize_exactly(data)
    if _FUSED_INCLUDE in shape:
        if len(_INCLUDE_AT_LINE_START.findall(shape)) != shape.count(_FUSED_INCLUDE):
            return tokenize_exactly(data)
        texts, shape = _split_includes(texts, shape)
    return _with_starts(texts, shape)


def tokenize_exactly(data: bytes) -> Tokens:
    """The same tokens by the token-by-token lexer, which knows the context a header name needs."""
    texts: list[bytes] = []
    shape = bytearray()
    kinds = _Shapes(_KNOWN_SHAPES)
    context = _HeaderContext()
    position = 0
    while position < len(data):
        header = _HEADER.match(data, position) if context.expects_header else None
        end = header.end() if header else _exact_end(data, position)
        text = data[position:end]
        kind = HEADER_NAME if header else kinds[text]
        context.advance(kind, text)
        texts.append(text)
        shape.append(kind)
        position = end
    return _with_starts(texts, bytes(shape))


def without_splices(text: bytes) -> bytes:
    """A token's text after translation phase 2."""
    return _SPLICE.sub(b"", text) if b"\\" in text else text


def identifier_name(text: bytes) -> str:
    """The name that an identifier token spells: splices removed, universal character names replaced."""
    if b"\\" not in text:
        return text.decode("utf-8", "replace")
    return _UCN.sub(_universal_character, without_splices(text)).decode("utf-8", "replace")


def is_unterminated(text: bytes) -> bool:
    """Whether a token is a comment or raw string that runs into the end of the file."""
    if text[0] == COMMENT:
        plain = without_splices(text)
        return plain.startswith(b"/*") and (len(plain) < 4 or not plain.endswith(b"*/"))
    literal = _plain_prefix(text)
    return bool(_RAW_OPENING.match(literal)) and not _RAW_LITERAL.fullmatch(literal)


def _with_starts(texts: list[bytes], shape: bytes) -> Tokens:
    starts = array("I", accumulate(map(len, texts), initial=0))
    starts.pop()
    return Tokens(texts, starts, shape)


class _Shapes(dict[bytes, int]):
    """Token text to kind; a kind depends on the text alone, header names aside."""

    def __missing__(self, text: bytes) -> int:
        kind = self[text] = self._classify(text)
        return kind

    def _classify(self, text: bytes) -> int:
        return _classify(text)


class _FastShapes(_Shapes):
    """The fast lexer's kinds, with marks where it has to withdraw."""

    def _classify(self, text: bytes) -> int:
        if text[0] == HASH and len(text) > 2:
            return _FUSED_INCLUDE
        kind = _classify(text)
        if not text.isascii() and kind in _MAY_BE_CUT and text != _BYTE_ORDER_MARK and not _is_identifier(text):
            return _WITHDRAW
        return _WITHDRAW if kind == OTHER and (text == b"\\" or _RAW_OPENING.fullmatch(text)) else kind


def _classify(text: bytes) -> int:
    if _PLAIN_WORD.fullmatch(text):
        return IDENTIFIER
    if text.startswith((b"//", b"/*")):
        return COMMENT
    plain = without_splices(text)
    if plain != text and plain in _KNOWN_SHAPES:
        return _KNOWN_SHAPES[plain]
    if not plain.strip(b" \t\v\f\0\r\n") or plain == _BYTE_ORDER_MARK:
        return NEWLINE if b"\n" in plain or b"\r" in plain else SPACE
    if _QUOTED.match(plain):
        return _classify_literal(text)
    return _classify_plain(plain)


def _classify_plain(plain: bytes) -> int:
    if plain.startswith((b"//", b"/*")):
        return COMMENT
    if plain[0] in b"0123456789" or (plain[0] == MEMBER and plain[1:2].isdigit()):
        return NUMBER
    if plain[0] >= 0x80 or plain[:1].isalpha() or plain[0] in b"_$" or _UCN.match(plain):
        return _classify_word(plain)
    return OTHER if plain in {b"\\", b"@", b"`"} or plain[0] < 0x20 or plain[0] == 0x7F else PUNCTUATOR


def _classify_literal(text: bytes) -> int:
    literal = _plain_prefix(text)
    if _RAW_OPENING.match(literal):
        return STRING if _RAW_LITERAL.fullmatch(literal) else OTHER
    found = _LITERAL.fullmatch(without_splices(text))
    if found is None:
        return OTHER
    return CHARACTER if found["character"] else STRING


def _plain_prefix(text: bytes) -> bytes:
    """A literal whose splices before the first quote are removed; those inside belong to a raw string."""
    prefix, quote, rest = text.partition(b'"')
    return without_splices(prefix) + quote + rest


def _classify_word(plain: bytes) -> int:
    if plain[0] < 0x80 or _is_identifier(plain[: 4 if plain[0] >= 0xF0 else 3 if plain[0] >= 0xE0 else 2]):
        return IDENTIFIER
    text = plain.decode("utf-8", "replace")
    return SPACE if len(text) == 1 and text.isspace() else IDENTIFIER if len(text) > 1 else OTHER


def _is_identifier(text: bytes) -> bool:
    return text.decode("utf-8", "replace").replace("$", "_").isidentifier()


def _universal_character(match: re.Match[bytes]) -> bytes:
    digits = match.group().lstrip(b"\\uU").strip(b"{}")
    if match.group().startswith(b"\\N"):
        return match.group()
    value = int(digits, 16)
    return chr(value).encode() if value < 0x110000 and not 0xD800 <= value < 0xE000 else match.group()


def _split_includes(texts: list[bytes], shape: bytes) -> tuple[list[bytes], bytes]:
    split_texts: list[bytes] = []
    split_shape = bytearray()
    done = 0
    index = shape.find(_FUSED_INCLUDE)
    while index >= 0:
        split_texts += texts[done:index]
        split_shape += shape[done:index]
        pieces = _INCLUDE_PIECES.fullmatch(texts[index])
        for kind, text in zip(b"# i h", pieces.groups() if pieces else (), strict=True):
            if text:
                split_texts.append(text)
                split_shape.append(kind)
        done = index + 1
        index = shape.find(_FUSED_INCLUDE, done)
    return split_texts + texts[done:], bytes(split_shape) + shape[done:]


class _HeaderContext:
    """Whether the next token may be a header name: behind ``#include`` and its kin, inside ``__has_include(``."""

    __slots__ = ("_in_directive", "_line_start", "_operator", "_state", "expects_header")

    def __init__(self) -> None:
        self.expects_header = False
        self._line_start = True
        self._in_directive = False
        self._state = 0
        self._operator = False

    def advance(self, kind: int, text: bytes) -> None:
        """Take one token."""
        if kind in {SPACE, COMMENT}:
            return
        if kind == NEWLINE:
            self.__init__()  # type: ignore[misc]
            return
        self.expects_header = False
        if kind == HASH and self._line_start:
            self._in_directive = True
            self._state = 1
        elif self._in_directive:
            name = without_splices(text)
            self.expects_header = (self._state == 1 and name in _HEADER_DIRECTIVES) or (
                self._operator and kind == OPEN_PAREN
            )
            self._operator = name in _HEADER_OPERATORS
            self._state = 2
        self._line_start = False


def _exact_end(data: bytes, position: int) -> int:
    if data[position] >= 0x80:
        end = _wide_end(data, position, first=True)
        if end == position or data.startswith(_BYTE_ORDER_MARK, position):
            return position + _sequence_length(data, position)
        return _word_end(data, end)
    match = _EXACT.match(data, position)
    end = match.end() if match else position + 1
    word = match is not None and match.lastgroup == "word"
    return _word_end(data, end) if word and end < len(data) and data[end] >= 0x80 else end


_WORD_REST: Final = re.compile(rb"(?:(?:" + SPLICE + rb")*+(?:[\w$]|" + UCN + rb"))*+")


def _word_end(data: bytes, position: int) -> int:
    """The end of an identifier or number that may go on with non-ASCII characters."""
    while True:
        rest = _WORD_REST.match(data, position)
        end = _wide_end(data, rest.end() if rest else position, first=False)
        if end == position:
            return position
        position = end


def _wide_end(data: bytes, position: int, *, first: bool) -> int:
    while position < len(data) and data[position] >= 0x80:
        length = _sequence_length(data, position)
        character = data[position : position + length].decode("utf-8", "replace")
        if not (character if first else "a" + character).isidentifier():
            return position
        position += length
        first = False
    return position


def _sequence_length(data: bytes, position: int) -> int:
    lead = data[position]
    length = 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2 if lead >= 0xC0 else 1
    try:
        data[position : position + length].decode("utf-8")
    except UnicodeDecodeError:
        return 1
    return length
