"""Controls of the gate kind ``memo-keys``: caches that find their entries by what may be used again."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from mgaudit.analysis.sites_entities import CLASSES
from mgaudit.gates.memo_keys.parameters import MemoKeysParameters
from mgaudit.gates.plant_uses import Cause, Code, classes, planted
from mgaudit.gates.plants import OFFERED, Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mgaudit.gates.context import GateContext
    from mgaudit.gates.plant_uses import ClassUse


_Form = tuple[tuple[str, ...], int]
"""Lines in which ``{type}`` is a class of the frontend, and the index of the one that the finding is about."""

_MAP: Final = "int found(const {type}& object) {{ return table.count({key}) ? table[{key}] : table[{key}] = 1; }}"


def _table(key_type: str, key: str, *before: str) -> _Form:
    return (*before, f"static std::map<{key_type}, int> table;", _MAP.replace("{key}", key)), len(before)


_RED: Final[dict[str, _Form]] = {
    "direct": _table("const {type}*", "&object"),
    "through an alias": _table("Key", "&object", "using Key = const {type}*;"),
    "through a macro": _table("MGAUDIT_PLANTED", "&object", "#define MGAUDIT_PLANTED const {type}*"),
    "erased to void": _table("const void*", "&object"),
    "erased to an integer": _table("unsigned long long", "reinterpret_cast<unsigned long long>(&object)"),
    "through a helper": _table(
        "unsigned long long", "number(object)",
        "using Number = unsigned long long;",
        "inline Number number(const {type}& object) {{ return reinterpret_cast<Number>(&object); }}",
    ),
    "in a key struct": (
        (
            "struct Key {{",
            "    int index;",
            "    const {type}* object;",
            "    bool operator<(const Key& o) const {{ return object < o.object || index < o.index; }}",
            "}};",
            "static std::map<Key, int> table;",
            "int found(const {type}& object) {{ return table.count({{1, &object}}) ? 1 : table[{{1, &object}}] = 1; }}",
        ),
        2,
    ),
    "last seen": (
        (
            "struct Memo {{",
            "    const {type}* last = nullptr;",
            "    bool is_same(const {type}& object) {{",
            "        if (last == &object) return true;",
            "        last = &object;",
            "        return false;",
            "    }}",
            "}};",
            "static Memo memo;",
            "bool found(const {type}& object) {{ return memo.is_same(object); }}",
        ),
        1,
    ),
    "searched by key": (
        (
            "struct Entry {{",
            "    const {type}* key;",
            "    int value;",
            "}};",
            "static Entry entries[4];",
            "int found(const {type}& object) {{",
            "    for (auto& entry : entries)",
            "        if (entry.key == &object) return entry.value;",
            "    entries[0] = Entry{{&object, 1}};",
            "    return 0;",
            "}}",
        ),
        1,
    ),
    "in a template": (
        (
            "template <class T> struct Memo {{",
            "    std::map<const T*, int> table;",
            "    int found(const T& object) {{ return table.count(&object) ? table[&object] : table[&object] = 1; }}",
            "}};",
            "static Memo<{type}> memo;",
            "int found(const {type}& object) {{ return memo.found(object); }}",
        ),
        1,
    ),
}  # fmt: skip

_ERASED: Final = ("erased to void", "erased to an integer", "through a helper")

_GREEN: Final[dict[str, _Form]] = {
    "a value as key": (
        (
            "static std::map<int, int> table;",
            "int found(int key) {{ return table.count(key) ? table[key] : table[key] = 1; }}",
            "int used() {{ return found(3); }}",
        ),
        0,
    ),
    "a pointer of its own": (
        (
            "struct Own {{ int value; }};",
            "static std::map<const Own*, int> table;",
            "int found(const Own& own) {{ return table.count(&own) ? table[&own] : table[&own] = 1; }}",
        ),
        1,
    ),
    "a comment": (("// std::map<const {type}*, int> table;",), 0),
}  # fmt: skip


def plants(context: GateContext) -> Iterator[Plant]:
    """Memos keyed on the addresses of frontend objects, and memos that are sound."""
    parameters = context.spec.parameters
    assert isinstance(parameters, MemoKeysParameters)
    ground = Ground(context)
    paths = sorted(context.paths_in(parameters.zones))
    frontend = classes(ground, context.paths_in(parameters.frontend), CLASSES)
    sources, headers = ground.sources(paths), ground.headers(paths)
    for control, form in _RED.items():
        yield from _offered(ground, control, sources, frontend, form, is_green=False)
    yield from _offered(ground, "in a header", headers, frontend, _in_header(_RED["direct"]), is_green=False)
    for control, form in _GREEN.items():
        yield from _offered(ground, control, sources, frontend, form, is_green=True)


def _in_header(form: _Form) -> _Form:
    lines, at = form
    return tuple(line.replace("static ", "inline ").replace("int found", "inline int found") for line in lines), at


def _offered(  # noqa: PLR0913
    ground: Ground, control: str, paths: Sequence[str], frontend: Sequence[ClassUse], form: _Form, *, is_green: bool
) -> Iterator[Plant]:
    lines, at = form
    why = "it may be found again" if is_green else "the entries of a memo are found by an object of the frontend"
    for path, item in islice(((path, item) for item in frontend for path in paths), OFFERED):
        code = Code(
            tuple(line.format(type="::" + item.name) for line in lines), at, ((item.header,),), ("#include <map>",)
        )
        plant = planted(ground, path, Cause(control, why), code)
        # Of a key that was made of an address, the table's own type tells nothing.
        yield plant if is_green else plant.about("table" if control in _ERASED else item.short)
