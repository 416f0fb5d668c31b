"""The regular expressions of the lexer.

Every quantifier that could backtrack is possessive, so matching is linear in the input.
"""

from __future__ import annotations

from typing import Final

BLANK: Final = rb"[ \t\v\f]"
NEWLINE_PATTERN: Final = rb"(?:\r\n|\n|\r)"
SPLICE: Final = rb"\\" + BLANK + rb"*+" + NEWLINE_PATTERN
UCN: Final = rb"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|u\{[0-9a-fA-F]{1,8}\}|N\{[A-Z0-9 -]++\})"

ALTERNATIVE_SPELLINGS: Final = {
    b"<:": b"[",
    b":>": b"]",
    b"<%": b"{",
    b"%>": b"}",
    b"%:": b"#",
    b"%:%:": b"##",
}

_SPACES: Final = rb"[ \t\v\f\0]"
_WHITE_SPACE: Final = rb"(?:[ \t\v\f\0\r\n]++|" + SPLICE + rb")++"
# Literal suffixes of the standard library; any other word without an underscore is a token of its own (`"%"PRIu64`).
_STANDARD_SUFFIX: Final = rb"(?:sv?+|h|min|ms|us|ns|i[lf]?+|d|y)(?![\w$])"
_PUNCTUATORS: Final = (
    *("%:%:", "...", "<=>", "->*", "<<=", ">>="),
    *("::", "->", ".*", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "##"),
    *("+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<:", "<%", ":>", "%>", "%:"),
)


def _escaped(text: str, splices: bytes) -> bytes:
    return splices.join(b"\\" + character.encode() for character in text)


def _punctuator(splices: bytes) -> bytes:
    # [lex.pptoken]: `<::` not followed by `:` or `>` is `<` and `::`.
    scope = rb"<(?=" + splices + rb":" + splices + rb":(?!" + splices + rb"[:>]))"
    several = b"|".join(_escaped(text, splices) for text in _PUNCTUATORS)
    return scope + b"|" + several + rb"|[{}\[\]()<>;:?.,+\-*/%^&|~!=#]"


def _comment(splices: bytes) -> bytes:
    line = rb"/" + splices + rb"/(?:[^\\\r\n]++|\\" + BLANK + rb"*+" + NEWLINE_PATTERN + rb"?+)*+"
    closing = rb"\*" + splices + rb"/"
    block = rb"/" + splices + rb"\*[^*]*+(?:(?!" + closing + rb")\*[^*]*+)*+(?:" + closing + rb"|\Z)"
    return line + b"|" + block


def _literal(splices: bytes) -> bytes:
    prefix = rb"(?:u" + splices + rb"8" + splices + rb"|[uUL]" + splices + rb")?+"
    suffix = rb"(?:" + splices + rb"(?:_(?:" + splices + rb"[\w$])*+|" + _STANDARD_SUFFIX + rb"))?+"
    escape = SPLICE + rb"|\\" + splices + rb"[^\r\n]"
    string = rb"(?:R" + splices + rb")?+\"(?:[^\"\\\r\n]++|" + escape + rb")*+(?:\"" + suffix + rb")?+"
    character = rb"'(?:[^'\\\r\n]++|" + escape + rb")*+(?:'" + suffix + rb")?+"
    return prefix + rb"(?:" + string + b"|" + character + b")"


def fast_pattern() -> bytes:
    """One expression without groups, for ``findall``; it assumes that no splice lies inside a token."""
    word = rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+"
    include = (
        rb"#" + _SPACES + rb"*+(?:include(?:_next)?+|import|embed)" + _SPACES + rb"*+"
        rb"(?:<[^>\r\n]*+>|\"[^\"\r\n]*+\")"
    )
    encoding = rb"(?:u8|[uUL])?+"
    raw = encoding + rb"R\"\([^)]*+(?:\)(?!\")[^)]*+)*+(?:\)\"(?:_[\w$]*+|" + _STANDARD_SUFFIX + rb")?+|\Z)"
    delimited = encoding + rb"R\"[^ ()\\\t\v\f\r\n\"]{1,16}\("
    number = rb"\.?+[0-9](?:[eEpP][+\-]|'\w|[\w.\x80-\xff])*+"
    parts = (
        rb"\A\xef\xbb\xbf",
        _WHITE_SPACE,
        word + rb"(?![\"'])",
        _comment(b""),
        include,
        number,
        raw,
        delimited,
        _literal(b""),
        word,
        _punctuator(b""),
        rb"[\x00-\xff]",
    )
    return b"|".join(parts)


def exact_pattern() -> bytes:
    """One expression for ``match`` that allows splices inside tokens; group ``word`` may go on with UTF-8."""
    splices = rb"(?:" + SPLICE + rb")*+"
    rest = rb"(?:" + splices + rb"(?:[\w$]|" + UCN + rb"))*+"
    word = rb"(?:[A-Za-z_$]|" + UCN + rb")" + rest
    exponent = splices + rb"[eEpP]" + splices + rb"[+\-]"
    body = exponent + b"|" + splices + rb"'" + splices + rb"\w|" + splices + rb"(?:[\w.]|" + UCN + rb")"
    number = rb"(?:\." + splices + rb")?[0-9](?:" + body + rb")*+"
    raw_prefix = rb"(?:u" + splices + rb"8" + splices + rb"|[uUL]" + splices + rb")?+R" + splices
    raw = (
        raw_prefix
        + rb"\"(?P<delimiter>[^ ()\\\t\v\f\r\n\"]{0,16})\([^)]*+(?:\)(?!(?P=delimiter)\")[^)]*+)*+"
        + (
            rb"(?:\)(?P=delimiter)\"(?:"
            + splices
            + rb"(?:_(?:"
            + splices
            + rb"[\w$])*+|"
            + _STANDARD_SUFFIX
            + rb"))?+|\Z)"
        )
    )
    parts = (
        _WHITE_SPACE,
        _comment(splices),
        raw,
        _literal(splices),
        rb"(?P<word>" + number + b"|" + word + rb")",
        _punctuator(splices),
        rb"[\x00-\xff]",
    )
    return b"|".join(parts)
