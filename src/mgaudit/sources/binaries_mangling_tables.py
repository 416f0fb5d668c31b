"""Tables of the Itanium C++ ABI's mangling grammar, chapter 5.1."""

from __future__ import annotations

from typing import Final

MAX_DEPTH: Final = 128
"""How deep a name may nest, in grammar rules: far more than compilers emit, less than the interpreter's stack."""

BUILTIN_SIZE: Final = 24
"""No shorter than any built-in type's spelling."""

LONGEST_OWN: Final = 4096
"""Characters of a qualified name without template arguments; compilers' stay far below."""

DIGITS: Final = frozenset("0123456789")
DECLARATIONS: Final = frozenset("yptnk")
"""What follows the ``T`` of a template parameter's declaration."""

BUILTIN_TYPES: Final = frozenset("vwbcahstijlmxynofdegz")
D_BUILTIN_TYPES: Final = frozenset("defhisuacn")

OPERATORS: Final = {
    "nw": " new",
    "na": " new[]",
    "dl": " delete",
    "da": " delete[]",
    "aw": " co_await",
    "ps": "+",
    "ng": "-",
    "ad": "&",
    "de": "*",
    "co": "~",
    "pl": "+",
    "mi": "-",
    "ml": "*",
    "dv": "/",
    "rm": "%",
    "an": "&",
    "or": "|",
    "eo": "^",
    "aS": "=",
    "pL": "+=",
    "mI": "-=",
    "mL": "*=",
    "dV": "/=",
    "rM": "%=",
    "aN": "&=",
    "oR": "|=",
    "eO": "^=",
    "ls": "<<",
    "rs": ">>",
    "lS": "<<=",
    "rS": ">>=",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "gt": ">",
    "le": "<=",
    "ge": ">=",
    "ss": "<=>",
    "nt": "!",
    "aa": "&&",
    "oo": "||",
    "pp": "++",
    "mm": "--",
    "cm": ",",
    "pm": "->*",
    "ds": ".*",
    "pt": "->",
    "cl": "()",
    "ix": "[]",
    "qu": "?",
}

STANDARD_SUBSTITUTIONS: Final = {
    "a": ("allocator", "std::allocator", 14),
    "b": ("basic_string", "std::basic_string", 17),
    "s": ("basic_string", "std::string", 70),
    "i": ("basic_istream", "std::istream", 52),
    "o": ("basic_ostream", "std::ostream", 52),
    "d": ("basic_iostream", "std::iostream", 53),
}
"""Letter after ``S`` → name of its constructor, qualified name, longest spelling."""

_UNARY = ("ad", "de", "ng", "nt", "co", "ps", "nx", "tw", "te", "sz", "az", "dl", "da", "ct")
_BINARY = (
    *("pl", "mi", "ml", "dv", "rm", "an", "or", "eo", "aS", "pL", "mI", "mL", "dV", "rM", "aN", "oR", "eO", "ls"),
    *("rs", "lS", "rS", "eq", "ne", "lt", "gt", "le", "ge", "ss", "aa", "oo", "cm", "pm", "ds", "ix", "dt", "pt"),
)

EXPRESSIONS: Final[dict[str, str]] = {
    **dict.fromkeys(_UNARY, "e"),
    **dict.fromkeys(_BINARY, "ee"),
    "pp": "_e",
    "mm": "_e",
    "qu": "eee",
    "cl": "e*",
    "cp": "e*",
    "cv": "t?",
    "tl": "t*",
    "il": "*",
    "nw": "n",
    "na": "n",
    "dc": "te",
    "sc": "te",
    "cc": "te",
    "rc": "te",
    "ti": "t",
    "st": "t",
    "at": "t",
    "fl": "oe",
    "fr": "oe",
    "fL": "oee",
    "fR": "oee",
    "sp": "p",
    "sP": "a",
    "sZ": "P",
    "tr": "",
    "di": "se",
    "dx": "ee",
    "dX": "eee",
    "sr": "u",
    "rq": "R",
    "rQ": "Q",
}
"""Code → operands: e an expression, t a type, p a pack expansion, * expressions to ``E``, a template arguments to
``E``, _ the mark of the prefix form, ? an expression or ``_`` and a list, n what follows ``new``, o an operator, u an
unresolved name, s a simple name, P a parameter pack, R requirements, Q requirements with parameters."""
