"""Effects of functions that call each other: they are found in a bounded number of looks, whoever asks first."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from mgaudit.analysis import effects as inference
from mgaudit.analysis.effects import Effects
from mgaudit.analysis.effects_body import Evaluation
from mgaudit.facts.bodies import bodies_of
from tests.analysis.test_effects import effects_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mgaudit.analysis.effects_model import Summary
    from mgaudit.facts.query import Facts

# Bounded sets of places become coarser as they grow, so each function of this circle takes back what another one needs.
CIRCLE = """
#include <functional>
#include <vector>
struct T { int x = 0; T* next = nullptr; int* p = nullptr; };
struct S {
    int a = 0; T t; T* pt = nullptr; S* up = nullptr; std::vector<T*> ts;
    std::function<void(S&)> cb; void (*fp)(S&) = nullptr;
    void set();
    virtual void change(S&) {}
};
struct Table { void (*draw)(S&); };
extern Table table;
S g;
T& other(T& t) {
    T own; T* q = &own;
    if (g.up->fp) g.up->fp(g);
    g.t.next = q;
    return g.t;
}
T* made(T* t) {
    T own; T* q = &own;
    g.a = g.pt->x;
    table.draw(*g.up);
    other(*g.pt).x = 7;
    other(*q).x = 7;
    return new T;
}
T* kept(S& s, T* t) {
    s.up->cb = [&](S& z) { z.a = 3; s.pt->x = 1; };
    if (s.fp) s.fp(s);
    return new T;
}
void S::set() {
    T own; T* q = &own;
    *q->p = 1;
    q = made(&t);
    if (up->fp) up->fp(*this);
    q->x += 1;
    for (auto* e : g.ts) e->x = 1;
    *q->p = 1;
}
void draw(S& s) {
    T own; T* q = &own;
    for (auto* e : s.ts) e->x = 1;
    table.draw(*s.up);
    q = kept(*s.up, &s.t);
    s.set();
    s.up->cb(s);
    q->p = &s.a;
    q = kept(s, q);
}
Table table = {draw};
"""


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """The facts of a circle through pointers to functions."""
    return effects_of(tmp_path_factory.mktemp("circle"), CIRCLE).facts


def _summaries(facts: Facts, order: Iterable[int]) -> Mapping[int, Summary]:
    """What is found by somebody who asks for functions in an order."""
    effects = Effects(facts, {})
    found = {}
    for symbol in order:
        summary = effects.of(symbol)
        assert summary is not None
        found[symbol] = summary
    return found


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The functions looked at; no more than a bounded number."""
    seen: list[int] = []
    run = Evaluation.run

    def counted(self: Evaluation) -> Summary:
        seen.append(self.symbol)
        assert len(seen) <= 300, "it does not end"
        return run(self)

    monkeypatch.setattr(Evaluation, "run", counted)
    return seen


def test_what_goes_round_in_a_circle_comes_to_an_end(facts: Facts, looks: list[int]) -> None:
    Effects(facts, {}).infer()
    often = {symbol for symbol in looks if looks.count(symbol) > inference.MOST_REVISIONS}
    assert {facts.symbol(symbol).name for symbol in often} == {"draw"}


def test_the_same_is_found_whoever_asks_first(facts: Facts) -> None:
    rows = list(bodies_of(facts).rows)
    expected = {symbol: summary.shape() for symbol, summary in _summaries(facts, rows).items()}
    assert len(expected) > 5
    for order in (rows[::-1], random.Random(2).sample(rows, len(rows))):
        found = _summaries(facts, order)
        assert {symbol: summary.shape() for symbol, summary in found.items()} == expected


def test_what_changes_to_and_fro_keeps_each_effect(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    def fields(summaries: Mapping[int, Summary]) -> set[tuple[int, str]]:
        """The last fields that each function may write, of whatever object."""
        return {
            (symbol, facts.symbol(place.fields[-1]).name)
            for symbol, summary in summaries.items()
            for place in (*summary.writes, *summary.taints)
            if place.fields
        }

    rows = list(bodies_of(facts).rows)
    monkeypatch.setattr(inference, "MOST_REVISIONS", 1)
    early = fields(_summaries(facts, rows))
    monkeypatch.setattr(inference, "MOST_REVISIONS", 6)
    late = fields(_summaries(facts, rows))
    (draw,) = (symbol.id for symbol in facts.symbols_named("draw") if symbol.kind == "function")
    assert {name for symbol, name in early if symbol == draw} >= {"a", "x", "next", "cb"}
    assert late <= early


def test_an_error_leaves_nothing_half_done(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(bodies_of(facts).rows)
    expected = _summaries(facts, rows)
    run, left = Evaluation.run, 0

    def failing(self: Evaluation) -> Summary:
        nonlocal left
        left -= 1
        if left == 0:
            raise MemoryError
        return run(self)

    monkeypatch.setattr(Evaluation, "run", failing)
    for when in (9, 20):
        effects = Effects(facts, {})
        left = when
        with pytest.raises(MemoryError):
            effects.infer()
        assert {symbol: effects.of(symbol) for symbol in rows} == expected
