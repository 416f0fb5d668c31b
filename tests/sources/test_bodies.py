"""Bodies of functions: what their trees say of statements, calls, lambdas and types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mgaudit.config.loader import load
from mgaudit.engine.pipeline import Options, analyse
from mgaudit.facts.bodies import bodies_of
from mgaudit.gates.registry import PARAMETERS
from mgaudit.sources import body_kinds as kinds
from mgaudit.sources import cursors as ast
from mgaudit.sources.body_kinds import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mgaudit.facts.bodies import Node
    from mgaudit.facts.query import Facts

Read = "Callable[[str], Mapping[str, Node]]"
CONFIGURATION = """
schema = 1
[tree]
name = "small"
sources = ["src/*.cpp"]
[[configuration]]
name = "only"
standard = "c++20"
[zone.all]
paths = ["src/**"]
[[catalogue]]
name = "writebacks"
columns = ["entity", "verdict", "reason"]
rows = []
[[gate]]
id = "W"
kind = "writebacks"
from = ["all"]
of = ["all"]
catalogue = "writebacks"
"""
NAMES = {
    ast.COMPOUND: "{}", ast.CALL_EXPRESSION: "call", ast.MEMBER_EXPRESSION: "member", ast.NAME_EXPRESSION: "name",
    kinds.THIS: "this", ast.LAMBDA: "lambda", ast.VARIABLE: "var", ast.PARAMETER: "param", kinds.IF: "if",
    kinds.FOR: "for", kinds.WHILE: "while", kinds.SWITCH: "switch", kinds.DO: "do", ast.RANGE_FOR: "range-for",
    kinds.RETURN: "return", ast.BINARY_OPERATOR: "binary", ast.UNARY_OPERATOR: "unary", kinds.DECLARATIONS: "decl",
    kinds.DESTRUCTION: "destroy", kinds.MEMBER_INITIALISER: "init", kinds.INTEGER_LITERAL: "int",
    kinds.BREAK: "break", kinds.NEW: "new", ast.UNEXPOSED_DECLARATION: "binding", kinds.COMPOUND_ASSIGNMENT: "assign",
}  # fmt: skip


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], Mapping[str, Node]]:
    def of(text: str) -> Mapping[str, Node]:
        source = tmp_path / "src" / "a.cpp"
        source.parent.mkdir(exist_ok=True)
        source.write_text(text)
        (tmp_path / "mgaudit.toml").write_text(CONFIGURATION)
        analysis = analyse(load(tmp_path / "mgaudit.toml", PARAMETERS), Options(tmp_path / "cache"))
        assert analysis.problems == ()
        assert analysis.facts.diagnostics() == []
        bodies = bodies_of(analysis.facts)
        return {
            analysis.facts.symbol(symbol).qualified: bodies.tree(row)
            for symbol, rows in bodies.rows.items()
            for row in rows
        }

    return of


def shown(node: Node, facts: Facts | None = None) -> str:
    """A tree in one line; roles before a colon."""
    role = f"{Role(node.role).name.lower()}:" if node.role else ""
    inner = " ".join(shown(child, facts) for child in node.children)
    name = NAMES.get(node.kind, str(node.kind))
    return f"{role}{name}({inner})" if inner else f"{role}{name}"


def statement(root: Node) -> Node:
    """The first statement of a body."""
    return root.children[-1].children[0]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("for (;c;) c--;", "condition:name body:unary(name)"),
        ("for (;;c--) break;", "increment:unary(name) body:break"),
        ("for (c = 1; /* ; */ c; c--) ;", "initialiser:binary(name int) condition:name increment:unary(name) body:230"),
        ("for (;;) break;", "body:break"),
        ("for (char t = ';'; c; t++) break;", None),
        ("if (c) c--;", "condition:name then:unary(name)"),
        ("if (c; c) c--;", "initialiser:name condition:name then:unary(name)"),
        ("if (c) c--; else c++;", "condition:name then:unary(name) else:unary(name)"),
        ("if (int d = c) d--;", "variable:var(name) condition:name then:unary(name)"),
        ("while (c) c--;", "condition:name body:unary(name)"),
        ("do c--; while (c);", "body:unary(name) condition:name"),
        ("UNTIL(c) c--;", "condition:unary(name) body:unary(name)"),
        ("EACH(c) break;", "initialiser:decl(var(int)) condition:binary(name name) increment:unary(name) body:break"),
        ("[[likely]] if (c) c--;", None),
        ("switch (c) { default: break; }", "condition:name body:{}(204(break))"),
    ],
)
def test_parts_of_statements_have_roles(
    read: Callable[[str], Mapping[str, Node]], text: str, parts: str | None
) -> None:
    macros = "#define UNTIL(x) while (!x)\n#define EACH(n) for (int i = 0; i < n; i++)\n"
    root = read(f"{macros}void f(int c) {{ {text} }}")["f"]
    found = next(n for n in root.walk() if n.kind in {kinds.FOR, kinds.IF, kinds.WHILE, kinds.DO, kinds.SWITCH})
    assert not found.flags & kinds.NODE_OPAQUE
    if parts is not None:
        assert " ".join(shown(child) for child in found.children) == parts


def test_a_statement_whose_parts_cannot_be_told_says_so(read: Callable[[str], Mapping[str, Node]]) -> None:
    bodies = read(
        "#define HEAD for (\n"
        "void f(int c) { switch (int d = c; d) { default: break; } }\n"
        "void g(int c) { HEAD ; c; ) c--; }\n"
        "int all[2];\nvoid h(int c) { for (int i = 0; auto x : all) i += x + c; }\n"
    )
    assert statement(bodies["f"]).flags & kinds.NODE_OPAQUE  # the initialiser is not reported
    assert statement(bodies["g"]).flags & kinds.NODE_OPAQUE
    assert statement(bodies["h"]).flags & kinds.NODE_OPAQUE or statement(bodies["h"]).part(Role.INITIALISER)


def test_calls_have_one_form(read: Callable[[str], Mapping[str, Node]]) -> None:
    root = read(
        "struct S { void m(int); static void s(int); S& operator=(int); void operator()(int); int operator-(); "
        "void t() { m(1); this->m(2); s(3); S::m(4); } }; void free(int);\n"
        "void f(S& o, S* p, void (*g)(int)) { o.m(1); p->m(2); o.s(3); o = 4; o(5); free(6); g(7); -o; }\n"
    )
    calls = [shown(node) for node in root["f"].walk() if node.kind == ast.CALL_EXPRESSION]
    receiver = [n.flags & kinds.NODE_RECEIVER for n in root["f"].walk() if n.kind == ast.CALL_EXPRESSION]
    assert calls == [
        "call(name int)", "call(name int)", "call(int)", "call(name int)", "call(name int)", "call(int)",
        "call(name int)", "call(name)",
    ]  # fmt: skip
    assert [bool(bit) for bit in receiver] == [True, True, False, True, True, False, False, True]
    indirect = [n for n in root["f"].walk() if n.flags & kinds.NODE_INDIRECT]
    assert len(indirect) == 1
    assert indirect[0].children[0].local is not None
    own = [shown(node) for node in root["S::t"].walk() if node.kind == ast.CALL_EXPRESSION]
    assert own == ["call(this int)", "call(this int)", "call(int)", "call(this int)"]


def test_lambdas_are_part_of_the_function_around_them(read: Callable[[str], Mapping[str, Node]]) -> None:
    root = read("void f(int a) { int b = 0; auto l = [&a, c = &b](int d) { *c = a + d; }; l(1); }")["f"]
    found = next(node for node in root.walk() if node.kind == ast.LAMBDA)
    assert shown(found) == ("lambda(50 var(unary(name)) param {}(binary(unary(name) binary(name name))))")
    captured = found.children[1]
    assert captured.children[0].children[0].local in root.children[1].children[0].children
    written = next(n for n in found.children[-1].walk() if n.kind == ast.UNARY_OPERATOR)
    assert written.children[0].local is captured


def test_what_nobody_writes_is_there(read: Callable[[str], Mapping[str, Node]]) -> None:
    bodies = read(
        "struct Guard { int& r; Guard(int& x) : r(x) {} ~Guard() { r = 1; } }; struct P { int a; int b; };\n"
        "inline void* operator new(unsigned long, void* p) { return p; }\n"
        "void f(int& x, P& p) { Guard g(x); auto& [u, v] = p; u = 2; new (&p) P{}; }\n"
        "template <class T> void t(T& x) { x.a = 1; }\nvoid g(P& p) { t(p); }\n"
        "struct Task { struct promise_type { Task get_return_object(); int initial_suspend(); }; };\n"
    )
    guard = next(n for n in bodies["f"].walk() if n.kind == ast.VARIABLE)
    assert [child.kind for child in guard.children] == [ast.CALL_EXPRESSION, kinds.DESTRUCTION]
    bindings = [n for n in bodies["f"].walk() if n.kind == ast.UNEXPOSED_DECLARATION]
    assert [n.symbol is not None for n in bindings] == [False, True, True]
    assert next(n for n in bodies["f"].walk() if n.kind == kinds.NEW).flags & kinds.NODE_PLACEMENT
    assert shown(bodies["Guard::Guard"]) == "24(param init(name) {})"
    assigned = next(n for n in bodies["t"].walk() if n.kind == ast.BINARY_OPERATOR)
    assert assigned.data == kinds.ASSIGN
    assert assigned.children[0].symbol is not None  # as instantiated
