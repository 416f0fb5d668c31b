"""Command lines of Microsoft's ``cl`` and of ``clang-cl``, translated into the GNU spelling."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PREFIXED = (
    (re.compile(r"external:I(.*)"), "-isystem"),
    (re.compile(r"imsvc(.*)"), "-isystem"),
    (re.compile(r"I(.*)"), "-I"),
    (re.compile(r"D(.*)"), "-D"),
    (re.compile(r"U(.*)"), "-U"),
    (re.compile(r"FI(.*)"), "-include"),
)
"""Options that take a value, with or without a space before it."""

_FIXED = {
    "J": ("-funsigned-char",),
    "EHs": ("-fexceptions", "-fcxx-exceptions"),
    "EHsc": ("-fexceptions", "-fcxx-exceptions"),
    "EHa": ("-fexceptions", "-fcxx-exceptions"),
    "GX": ("-fexceptions", "-fcxx-exceptions"),
    "GR": ("-frtti",),
    "GR-": ("-fno-rtti",),
    "MD": ("-D_MT", "-D_DLL"),
    "MDd": ("-D_MT", "-D_DLL", "-D_DEBUG"),
    "MT": ("-D_MT",),
    "MTd": ("-D_MT", "-D_DEBUG"),
    "LDd": ("-D_DEBUG",),
    "TP": ("-x", "c++"),
    "TC": ("-x", "c"),
    "openmp": ("-fopenmp",),
    "openmp:llvm": ("-fopenmp",),
    "Zc:char8_t": ("-fchar8_t",),
    "Zc:char8_t-": ("-fno-char8_t",),
    "Zc:sizedDealloc": ("-fsized-deallocation",),
    "Zc:sizedDealloc-": ("-fno-sized-deallocation",),
    "arch:AVX": ("-mavx",),
    "arch:AVX2": ("-mavx2",),
    "arch:AVX512": ("-mavx512f", "-mavx512cd", "-mavx512bw", "-mavx512dq", "-mavx512vl"),
    "std:c++latest": ("-std=c++2c",),
    "std:c++23preview": ("-std=c++23",),
    "std:clatest": ("-std=c23",),
}

_REWRITTEN = (
    (re.compile(r"std:((?:c\+\+|c)\d\d)"), r"-std=\1"),
    (re.compile(r"Zp(\d+)"), r"-fpack-struct=\1"),
    (re.compile(r"clang:(.*)"), r"\1"),
)

_GNU = re.compile(r"-(?:isystem|include|imacros|iquote|idirafter|Wp,|Wno-|D|U|I|fms-|m\d\d)")
"""Beginnings with a dash that the GNU spelling and `cl` share, or that are GNU's alone."""

_SEPARATE_DROPPED = frozenset(
    ("o", "Fo:", "Fd:", "Fe:", "Fp:", "Fa:", "Fi:", "Fm:", "FR:", "Fr:", "ifcOutput", "headerUnit", "reference")
)

_DROPPED = re.compile(
    r"nologo|c|E|EP|P|C|X|B[a-zA-Z].*|F[adeimoprRU].*|Y[cu].*|Yl.*|Y-|Z[7iI]|Zc:.*|Zm\d+|Zs|ZW.*|Z[alo]|W.*|w.*|O.*|G[a-zA-Z0-9]*-?"
    r"|R[Tt][Cc].*|EH.*|MP\d*|LD|analyze.*|bigobj|cgthreads.*|clr.*|diagnostics.*|errorReport.*|external:.*|favor.*|fp:.*"
    r"|FC|FS|guard.*|homeparams|interface|internalPartition|await.*|permissive-?|Q[a-z].*|sdl-?|show.*|source-charset.*"
    r"|execution-charset.*|utf-8|validate-charset-?|volatile.*|V.*|vm[bgmsdv]|experimental.*|d[12].*|doc.*|fastfail|JMC-?"
    r"|kernel-?|TLB.*|arch:.*|std:.*|u|hotpatch|Zf|options:strict|scanDependencies.*|translateInclude"
)


def translate(
    token: str,
    take: Callable[[], str | None],
    *,
    is_input: Callable[[str], bool],
) -> tuple[list[str] | None, str | None]:
    """Translates one option.

    Args:
        token: The argument, which starts with ``/`` or ``-``.
        take: Consumes and gives the next argument, or None at the end.
        is_input: Whether an argument names an existing file (on other systems absolute paths start with ``/`` too).

    Returns:
        The GNU spelling and None; or None and the reason why the option (and what it took) is dropped. Both are None
        where the option is no option of ``cl``: it is GNU's already.
    """
    if token.startswith("/") and is_input(token):
        return None, None
    name = token[1:]
    if name in _SEPARATE_DROPPED:
        take()
        return None, "output"
    if spelled := _without_value(name):
        return spelled, None
    if match := re.fullmatch(r"T([pc])(.*)", name):
        return ["-x", "c++" if match[1] == "p" else "c", match[2] or take() or "", "-x", "none"], None
    if token.startswith("-") and _GNU.match(token):
        return None, None
    return _prefixed(token, take)


def _without_value(name: str) -> list[str] | None:
    if name in _FIXED:
        return list(_FIXED[name])
    for pattern, spelling in _REWRITTEN:
        if match := pattern.fullmatch(name):
            return [match.expand(spelling)]
    return None


def _prefixed(token: str, take: Callable[[], str | None]) -> tuple[list[str] | None, str | None]:
    name = token[1:]
    for pattern, option in _PREFIXED:
        if match := pattern.fullmatch(name):
            value = match[1] or take()
            return ([option, value], None) if value else (None, "without its argument")
    if _DROPPED.fullmatch(name):
        return None, "of no influence on what the front end sees"
    return (None, "unknown to cl") if token.startswith("/") else (None, None)
