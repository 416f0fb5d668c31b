"""What the gate over catalogues finds in structs, constants and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from mgaudit.domain.report import Report

GATE = """
[[catalogue]]
name = "calls"
columns = ["name", "payload", "class", "flags", "wait-class"%s]
rows = [%s]
[[gate]]
id = "P"
kind = "catalogue"
calls = "calls"
payload-namespace = "pipe"
"""
ROW = '{ name = "Send", payload = "P", class = "kCtx", flags = "kNone", wait-class = "kWaitNone"%s },'
HEAD = """
#include "pipe/other.h"
using u8 = unsigned char; using u16 = unsigned short; using u32 = unsigned; using u64 = unsigned long;
"""
OTHER = """
#pragma once
namespace std {
template <class T, unsigned long N> struct array { T elements[N]; };
template <class T> struct span { T* data; unsigned long size; };
template <class T> struct unique_ptr { T* pointer; };
template <class T> struct optional { union { char none; T value; }; bool engaged; };
struct string { char* data; unsigned long size; };
}
namespace util {
struct Rect { int x, y; };
struct Loose { char tag; int value; };
struct Deep { struct { std::span<int> inner; } a; };
}
"""


@pytest.fixture
def judged(audit: Callable[..., Report]) -> Callable[..., Report]:
    def run(code: str, gate: str = GATE % ("", ROW % ""), extra: str = "", configuration: str = "") -> Report:
        tree = {
            "src/pipe/other.h": OTHER, "src/pipe/calls.cpp": HEAD + code, "src/state/s.h": "#pragma once\n",
            "src/backend/b.h": "#pragma once\n",
        }  # fmt: skip
        report = audit(tree, gate + extra, configuration)
        assert not report.errors, report.errors
        return report

    return run


def messages(report: Report) -> list[str]:
    return [f.message.replace("pipe::", "") for f in report.findings if f.gate == "P" and f.severity == "error"]


SIZED = " static_assert(sizeof(P) == %d); }"


@pytest.mark.parametrize(
    ("struct", "size"),
    [
        ("struct P { u32 a; u32 b; };", 8),
        ("struct P { u32 a, b; float c[2]; };", 16),
        ("struct P { u64 a; u8 b; u8 pad[7]; };", 16),
        ("struct P { u32 a : 3; u32 : 5; u32 b : 24; };", 4),
        ("struct Inner { u32 a; }; struct P { Inner in[2]; util::Rect rect; };", 16),
        ("struct Base { u32 a; }; struct P : Base { u32 b; };", 8),
        ("struct Empty {}; struct P : Empty { u32 b; };", 4),
        ("struct P { union { u32 a; float b; }; struct { u16 c, d; }; };", 8),
        ("enum E : u8 { kA }; enum class F : u32 { kB }; struct P { F f; E e; u8 reserved[3]; };", 8),
        ("struct P { std::array<u32, 3> a; u32 b; static const char* name; };", 16),
        ("template <class T> struct Of { T value; }; using P = Of<u64>;", 8),
        ("struct Real { u64 v; }; using P = Real;", 8),
        ("struct P { u32 a; u32 Get() const { const u32* p = &a; return *p; } };", 4),
        ("typedef struct { u32 a; } P;", 4),
        ("struct P { struct { u32 a; } in; enum { kOne } e; };", 8),
        ("struct P { alignas(8) u32 a; u32 b; };", 8),
    ],
)
def test_plain_bytes_are_sound(judged: Callable[..., Report], struct: str, size: int) -> None:
    assert messages(judged("namespace pipe { " + struct + SIZED % size)) == []


@pytest.mark.parametrize(
    ("struct", "size", "member"),
    [
        ("struct P { char* p; };", 8, "P::p"),
        ("struct P { int& p; P(int& r) : p(r) {} };", 8, "P::p"),
        ("struct P { void (*f)(int); };", 8, "P::f"),
        ("struct P { int util::Rect::*m; };", 8, "P::m"),
        ("struct P { int* p[2]; };", 16, "P::p"),
        ("struct Inner { const char* text; }; struct P { Inner in[1]; };", 8, "Inner::text"),
        ("struct P { std::string s; };", 16, "P::s"),
        ("struct P { std::unique_ptr<int> p; };", 8, "P::p"),
        ("struct P { std::span<const int> p; };", 16, "P::p"),
        ("struct P { util::Deep d[2]; };", 32, "P::d"),
        ("struct P { std::array<std::string, 2> a; };", 32, "P::a"),
        ("struct P { union { u64 a; char* b; }; };", 8, "P::b"),
        ("struct Base { void* p; }; struct P : Base {};", 8, "P::p"),
        ("template <class T> struct Of { T value; }; using P = Of<int*>;", 8, "P::value"),
        ("using Ptr = int*; struct P { Ptr p; };", 8, "P::p"),
        ("struct P { decltype(nullptr) n; };", 8, "P::n"),
        ("struct P { struct { const char* a; } in; };", 8, "P::in"),
        ("struct P { _Atomic(int*) n; };", 8, "P::n"),
    ],
)
def test_pointers_at_any_depth(judged: Callable[..., Report], struct: str, size: int, member: str) -> None:
    (message,) = messages(judged("namespace pipe { " + struct + SIZED % size))
    assert message.startswith(f"{member} is or holds a pointer: ")


def test_a_hidden_pointer(judged: Callable[..., Report]) -> None:
    code = "namespace pipe { struct P { virtual void F(); u64 a; };" + SIZED % 16
    assert messages(judged(code)) == ["P holds a pointer: it has virtual functions"]


@pytest.mark.parametrize(
    ("struct", "size", "wanted"),
    [
        ("struct P { u8 a; u32 b; };", 8, "P::b has 3 bytes of padding before it"),
        ("struct P { u32 a; u8 b; };", 8, "P::b has 3 bytes of padding behind it"),
        ("struct P { u32 a : 3; u32 b : 8; };", 4, "P::b has 21 bits of padding behind it"),
        ("struct P { u32 a; u64 b; };", 16, "P::b has 4 bytes of padding before it"),
        ("struct Inner { u16 a; u32 b; }; struct P { Inner in; };", 8, "Inner::b has 2 bytes of padding before it"),
        ("struct P { util::Loose l; };", 8, "P::l hides padding: util::Loose, 24 bits before `value`"),
        (
            "struct P { std::optional<u32> o; };",
            8,
            "P::o hides padding: std::optional<unsigned int>, 24 bits at its end",
        ),
        ("struct P { u8 a; struct { u16 b; }; };", 4, "P::b has 1 bytes of padding before it"),
        ("struct Base { u8 a; }; struct P : Base { u32 b; };", 8, "P::b has 3 bytes of padding before it"),
        ("struct alignas(8) P { u32 a; };", 8, "P::a has 4 bytes of padding behind it"),
    ],
)
def test_padding_that_no_member_makes_explicit(
    judged: Callable[..., Report], struct: str, size: int, wanted: str
) -> None:
    assert messages(judged("namespace pipe { " + struct + SIZED % size)) == [wanted]


@pytest.mark.parametrize(
    "assertion",
    [
        "static_assert(4 == sizeof(pipe::P));",
        "static_assert(sizeof(pipe::P) == 4 && alignof(pipe::P) == 4);",
        'static_assert((sizeof(pipe::P)) == (2 + 2), "text");',
        "#define SIZE(T, n) static_assert(sizeof(T) == n)\nSIZE(pipe::P, 4);",
        "constexpr unsigned long kSize = 4; static_assert(kSize == sizeof(pipe::P));",
        "using Alias = pipe::P; namespace elsewhere { static_assert(sizeof(Alias) == 4u); }",
        "struct S { static_assert(sizeof(pipe::P) == 4); };",
        'extern "C" { static_assert(sizeof(pipe::P) == 4); }',
        "namespace pipe { inline void Check() { static_assert(sizeof(P) == 4); } }",
        "pipe::P p; static_assert(sizeof(p) == 4);",
    ],
)
def test_assertions_of_size(judged: Callable[..., Report], assertion: str) -> None:
    assert messages(judged("namespace pipe { struct P { u32 a; }; }\n" + assertion)) == []


@pytest.mark.parametrize(
    "assertion",
    [
        "",
        "static_assert(sizeof(pipe::P) <= 64);",
        "static_assert(sizeof(pipe::P) % 4 == 0);",
        "static_assert(alignof(pipe::P) == 4);",
        "static_assert(sizeof(pipe::P) == sizeof(pipe::P));",
        "static_assert(sizeof(pipe::P) == 4 || true);",
        "static_assert(sizeof(pipe::P[2]) == 8);",
        "namespace other { struct P { u32 a; }; static_assert(sizeof(P) == 4); }",
    ],
)
def test_what_asserts_no_size(judged: Callable[..., Report], assertion: str) -> None:
    found = messages(judged("namespace pipe { struct P { u32 a; }; }\n" + assertion))
    assert found == ["nothing asserts the size of P, 4 bytes"]


def test_a_size_column(judged: Callable[..., Report]) -> None:
    code = "namespace pipe { struct P { u32 a; }; }"
    for text, wanted in (
        ("4", []), ("0x4u", []), ("8", ["Send asserts 8 bytes, and P has 4"]),
        ("sizeof(P)", ["Send has the size `sizeof(P)`, which is no number"]),
    ):  # fmt: skip
        assert messages(judged(code, GATE % (', "size"', ROW % f', size = "{text}"'))) == wanted


def test_sizes_are_those_of_the_target(judged: Callable[..., Report]) -> None:
    code = "namespace pipe { struct P { unsigned long a; }; }"
    gate = GATE % (', "size"', ROW % ', size = "4"')
    assert messages(judged(code, gate)) == ["Send asserts 4 bytes, and P has 8"]
    assert messages(judged(code, gate, configuration='target = "armv7a-linux-androideabi"\n')) == []


COUNTED = "namespace pipe { struct P { u32 a; }; static_assert(sizeof(P) == 4);\n%s }"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("constexpr int kCount = 1;", []),
        ("#define ONE(...) +1\nconst u32 kCount = 0 ONE(a, b);", []),
        ("enum { kCount = 1 };", []),
        ("struct S { static constexpr u64 kCount = 2; };", ["S::kCount documents 2 calls, and the list `calls` has 1"]),
        ("inline constexpr u32 kCount = 1 + 2;", ["kCount documents 3 calls, and the list `calls` has 1"]),
    ],
)
def test_the_documented_count(judged: Callable[..., Report], code: str, wanted: list[str]) -> None:
    assert messages(judged(COUNTED % code, extra='documented-count = "kCount"\n')) == wanted


def test_a_count_that_nobody_knows_is_untrusted(audit: Callable[..., Report]) -> None:
    tree = {
        "src/a.cpp": "namespace pipe { extern const int kCount; struct P {}; int x = kCount; }",
        "src/state/s.h": "",
        "src/backend/b.h": "",
    }
    report = audit(tree, GATE % ("", ROW % "") + 'documented-count = "kCount"\n')
    assert [p.message for p in report.errors] == ['gate "P": no constant `kCount` has a known value']


RULES = """
classes = ["kCtx", "kScreen"]
flags = ["kNone", "kHasBlob", "kReplySlot"]
implies = [
    { when = { flags = "kHasBlob" }, then = { payload-has = "Blob" }, both = true },
    { when = { flags = "kReplySlot" }, then = { wait-class = "kWaitReply" }, both = true },
    { when = { class = "kScreen" }, then = { wait-class = "kWaitReply" } },
]
"""
BLOBS = """
namespace pipe {
struct Blob { u64 offset; }; struct Inner { Blob blobs[2]; };
struct Plain { u32 a; }; struct Direct { Blob blob; }; struct Nested { Inner inner; };
static_assert(sizeof(Plain) == 4); static_assert(sizeof(Direct) == 8); static_assert(sizeof(Nested) == 16);
}
"""


@pytest.mark.parametrize(
    ("payload", "class_", "flags", "wait", "wanted"),
    [
        ("Plain", "kCtx", "kNone", "kWaitNone", []),
        ("Direct", "kCtx", "kHasBlob", "kWaitNone", []),
        ("Nested", "kCtx", "kReplySlot | kHasBlob", "kWaitReply", []),
        ("void", "kCtx", "kNone", "kWaitNone", []),
        ("pipe::Plain", "kScreen", "kReplySlot", "kWaitReply", []),
        ("Plain", "kCtx", "kHasBlob", "kWaitNone", ["Send has the flags `kHasBlob` and not a `Blob` in its payload"]),
        ("Nested", "kCtx", "kNone", "kWaitNone", ["Send has a `Blob` in its payload and not the flags `kHasBlob`"]),
        ("Plain", "kCtx", "kNone", "kWaitReply",
         ["Send has the wait-class `kWaitReply` and not the flags `kReplySlot`"]),
        ("Plain", "kScreen", "kNone", "kWaitNone",
         ["Send has the class `kScreen` and not the wait-class `kWaitReply`"]),
        ("Plain", "kContext", "kNone", "kWaitNone", ["Send has the class `kContext`, which is not legal"]),
        ("Plain", "kCtx", "kNone|kNo", "kWaitNone", ["Send has the flags `kNo`, which is not legal"]),
        ("Plain", "", "kNone", "kWaitNone", ["Send has no class"]),
        ("Palin", "kCtx", "kNone", "kWaitNone", ["pipe has no struct Palin"]),
    ],
)  # fmt: skip
def test_columns_and_implications(
    judged: Callable[..., Report], payload: str, class_: str, flags: str, wait: str, wanted: list[str]
) -> None:
    row = f'{{ name = "Send", payload = "{payload}", class = "{class_}", flags = "{flags}", wait-class = "{wait}" }}'
    assert messages(judged(BLOBS, GATE % ("", row), RULES)) == wanted


def rows(*names: str) -> str:
    return "".join(
        f'{{ name = "{name}", payload = "void", class = "c", flags = "f", wait-class = "w" }},' for name in names
    )


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (["A", "B", "C"], []),
        (["A", "B", "C", "D"], []),
        (["A", "C"], ["opcode 2 was B and is C now"]),
        (["A", "X", "B", "C"], ["opcode 2 was B and is X now; 2 opcodes in all have changed"]),
        (["A", "B"], ["opcode 3 was C, and the list ends before it"]),
        (["A", "B", "C", "A"], ["A is listed twice"]),
    ],
)
def test_numbering(audit: Callable[..., Report], names: list[str], wanted: list[str]) -> None:
    tree = {
        "calls.txt": "# line n is opcode n\nA\nB # retired\n\nC\n", "src/a.cpp": "namespace pipe {}",
        "src/state/s.h": "", "src/backend/b.h": "",
    }  # fmt: skip
    report = audit(tree, GATE % ("", rows(*names)) + 'append-only = "calls.txt"\n')
    assert messages(report) == wanted
    notes = [f.message for f in report.findings if f.severity == "note"]
    assert notes == [f"{name} has an opcode that calls.txt does not record" for name in names[3:] if "X" not in names]


FIELDS = """
fields = "fields"
[[catalogue]]
name = "fields"
columns = ["payload", "field"]
rows = [%s]
"""


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        (["P.a", "P.b", "P.c", "P.d"], []),
        (["P.a", "P.b", "P.c", "P.d", "Extra.x"], []),
        (["P.a", "P.c", "P.d"], ["P::b is missing from the list of fields `fields`"]),
        (["P.a", "P.b", "P.c", "P.d", "P.e"], ["P has no member e"]),
        (["P.a", "P.b", "P.c", "P.d", "P.b"], ["P, b is listed twice"]),
        (["P.a", "P.b", "P.c", "P.d", "Q.b"], ["pipe has no struct Q"]),
    ],
)
def test_lists_of_fields(judged: Callable[..., Report], fields: list[str], wanted: list[str]) -> None:
    code = (
        "namespace pipe { struct Base { u32 a; }; struct P : Base { u32 b, c; union { u32 d; }; u32 pad0; };"
        "struct Extra { u32 x; }; static_assert(sizeof(P) == 20); }"
    )
    text = "".join('{{ payload = "{}", field = "{}" }},'.format(*field.split(".")) for field in fields)
    assert messages(judged(code, extra=FIELDS % text)) == wanted


def test_a_rule_over_a_column_that_is_not_there_is_untrusted(audit: Callable[..., Report]) -> None:
    tree = {"src/a.cpp": "namespace pipe {}", "src/state/s.h": "", "src/backend/b.h": ""}
    extra = 'implies = [{ when = { flags = "a" }, then = { waits = "b" } }]\n'
    report = audit(tree, GATE % ("", rows("A")) + extra)
    assert [p.message for p in report.errors] == ['gate "P": the calls have no column `waits`']


def test_a_namespace_without_a_class_is_untrusted(audit: Callable[..., Report]) -> None:
    tree = {"src/a.cpp": "namespace pip { struct P {}; }", "src/state/s.h": "", "src/backend/b.h": ""}
    report = audit(tree, GATE % ("", ROW % ""))
    assert [p.message for p in report.errors] == [
        'gate "P": no translation unit defines a class in the namespace `pipe`'
    ]
