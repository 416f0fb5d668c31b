"""Names for the bits of facts, as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mgaudit.sources import clang_abi, records

if TYPE_CHECKING:
    from collections.abc import Mapping

ROLES: Final[Mapping[int, str]] = {
    clang_abi.ROLE_REFERENCE: "reference",
    clang_abi.ROLE_READ: "read",
    clang_abi.ROLE_WRITE: "write",
    clang_abi.ROLE_CALL: "call",
    clang_abi.ROLE_DYNAMIC: "dynamic",
    clang_abi.ROLE_ADDRESS_OF: "address-of",
    clang_abi.ROLE_IMPLICIT: "implicit",
    records.ROLE_FROM_MACRO: "from a macro",
}
"""Of ``role``."""

DECLARATIONS: Final[Mapping[int, str]] = {
    records.DECL_DEFINITION: "definition",
    records.DECL_REDECLARATION: "redeclaration",
    records.DECL_IMPLICIT: "implicit",
}
"""Of a declaration's ``flags``."""

SYMBOLS: Final[Mapping[int, str]] = {
    records.SYMBOL_INTERNAL: "internal linkage",
    records.SYMBOL_TRANSPARENT: "inline or anonymous namespace",
    records.SYMBOL_VIRTUAL: "virtual",
    records.SYMBOL_PURE: "pure",
    records.SYMBOL_CONST_METHOD: "const",
    records.SYMBOL_SPECIALISATION: "instantiation or specialisation of pattern",
}
"""Of a symbol's ``flags``."""

VIAS: Final[Mapping[int, str]] = {
    records.VIA_MACRO: "a macro's body wrote it",
    records.VIA_LOCAL: "on a parameter or local variable",
    records.VIA_LAMBDA: "in a lambda",
    records.VIA_HELPER: "on what a function of an observed file returned",
    records.VIA_TEMPLATE: "in a template",
    records.VIA_ARROW: "through an overloaded arrow",
    records.VIA_SIGNATURE: "a type, named in the declared type of origin",
    records.VIA_AGGREGATE: "a class, of which a braced list makes an object",
}
"""Of ``via``."""

CARRIED: Final[Mapping[int, str]] = {
    records.CARRY_VALUE: "by value",
    records.CARRY_REFERENCE: "by reference",
    records.CARRY_POINTER: "by pointer",
    records.CARRY_ARGUMENT: "as a template argument",
    records.CARRY_BYTES: "raw bytes and no class",
    records.CARRY_PARAMETER: "in a parameter, not in the result",
}
"""Of ``how``."""


def spelled(value: int, names: Mapping[int, str]) -> str:
    """The names of the bits that are set; a bit without a name is given as a number."""
    known = [name for bit, name in names.items() if value & bit]
    rest = value & ~sum(names)
    return ", ".join([*known, *([str(rest)] if rest else [])])
