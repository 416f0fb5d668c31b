"""The vocabulary of body trees: kinds of nodes, operators, flags. See `mgaudit.sources.bodies`."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

# CXCursorKind, as far as trees name them and `cursors` does not
MEMBER_REFERENCE: Final = 47
VARIABLE_REFERENCE: Final = 50
INTEGER_LITERAL: Final = 106
COMPOUND_ASSIGNMENT: Final = 115
CONST_CAST: Final = 127
GENERIC_SELECTION: Final = 122
BOOLEAN_LITERAL: Final = 130
STATEMENT_EXPRESSION: Final = 121
NULL_POINTER: Final = 131
THIS: Final = 132
THROW: Final = 133
NEW: Final = 134
LABEL: Final = 201
CASE: Final = 203
DEFAULT: Final = 204
IF: Final = 205
SWITCH: Final = 206
WHILE: Final = 207
DO: Final = 208
FOR: Final = 209
GOTO: Final = 210
INDIRECT_GOTO: Final = 211
CONTINUE: Final = 212
BREAK: Final = 213
RETURN: Final = 214
ASSEMBLY: Final = frozenset({215, 229})
CATCH: Final = 223
TRY: Final = 224
DECLARATIONS: Final = 231
UNEXPOSED_STATEMENT: Final = 200
FIRST_STATEMENT: Final = 200

# Kinds of nodes that are no cursors of the front end.
MEMBER_INITIALISER: Final = 1000  # of `symbol`, with the value as its child
DESTRUCTION: Final = 1001  # the implied end of the variable around it, by the destructor `symbol`

# CXBinaryOperatorKind
POINTER_TO_MEMBER: Final = frozenset({1, 2})
ADDITION: Final = 6
SUBTRACTION: Final = 7
BINARY_AND: Final = 17
BINARY_OR: Final = 19
LOGICAL_AND: Final = 20
LOGICAL_OR: Final = 21
EQUAL: Final = 15
UNEQUAL: Final = 16
ASSIGN: Final = 22
OR_ASSIGN: Final = 32
AND_ASSIGN: Final = 30
COMMA: Final = 33

# CXUnaryOperatorKind
INCREMENTS: Final = frozenset({1, 2, 3, 4})
ADDRESS_OF: Final = 5
DEREFERENCE: Final = 6
LOGICAL_NOT: Final = 10

# Bits of a node's flags; the lowest four are a `Role`.
ROLE_MASK: Final = 15
NODE_MACRO: Final = 16  # a macro's body wrote it
NODE_RECEIVER: Final = 32  # a call whose first child is the object
NODE_INDIRECT: Final = 64  # a call whose first child yields the function
NODE_DYNAMIC: Final = 128  # a call of a virtual function that is bound when it runs
NODE_OPAQUE: Final = 256  # a statement whose parts cannot be told apart, or of which some are not reported
NODE_STATIC: Final = 512  # a local variable that outlives its function
NODE_IMPLICIT: Final = 1024  # nobody wrote it
NODE_COROUTINE: Final = 2048  # on the root: the text of the body has a word of coroutines
NODE_PLACEMENT: Final = 4096  # `new` into given storage
NODE_FOREIGN: Final = 8192  # names a local variable that another body declares, or none that is written
NODE_COPIES: Final = 16384  # a lambda that captures something by copy, or may

LOCAL: Final = 1 << 31  # in `symbol`: the rest is the index of the declaring node in the same body
UNKNOWN: Final = 0xFFFFFFFF  # in `data`: no operator, no literal that is known


class Role(IntEnum):
    """What a part of a statement is to it."""

    NONE = 0
    INITIALISER = 1
    VARIABLE = 2
    CONDITION = 3
    INCREMENT = 4
    THEN = 5
    ELSE = 6
    BODY = 7
    RANGE = 8


class TypeKind(IntEnum):
    """What a type is, as far as bodies tell."""

    OTHER = 0  # arithmetic, enumerations, dependent types
    POINTER = 1
    REFERENCE = 2
    RECORD = 3
    ARRAY = 4
    FUNCTION = 5
    MEMBER_POINTER = 6
    VOID = 7
    BOOLEAN = 8
    RVALUE_REFERENCE = 9
    DEPENDENT = 10
