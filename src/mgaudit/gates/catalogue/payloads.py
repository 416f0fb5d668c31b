"""The structs that calls carry: they exist, hold no pointers and no hidden padding, and have the asserted size."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mgaudit.config.log import nearest
from mgaudit.domain.names import selects
from mgaudit.facts.computed import Computed, computed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mgaudit.domain.findings import Finding
    from mgaudit.gates.catalogue.parameters import CatalogueParameters
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.coverage import Reporter
    from mgaudit.sources.catalogues import Catalogue, Row
    from mgaudit.sources.layouts import Layout, Member

_NO_PAYLOAD: Final = frozenset({"", "void"})
_PADDING: Final = re.compile(r"_*(?:m_)?_*(?:pad|padding|reserved|unused)(?:_?\d+|_\w+|[A-Z]\w*)?_*")


class Payloads:
    """The payloads of one gate.

    Args:
        context: The gate's context.
        parameters: Its parameters.
        calls: The catalogue of calls.
        fields: The catalogue of fields, or None.
        report: Makes findings.
    """

    def __init__(
        self, context: GateContext, parameters: CatalogueParameters, calls: Catalogue, fields: Catalogue | None,
        report: Reporter,
    ) -> None:  # fmt: skip
        self._context = context
        self._namespace = parameters.payload_namespace.removeprefix("::")
        self._calls = calls
        self._fields = fields
        self._report = report

    # ---- what is known

    @cached_property
    def _layouts(self) -> Mapping[str, list[tuple[Computed, Layout]]]:
        """The layouts of each class and alias, by qualified name; several where configurations differ."""
        found: dict[str, list[tuple[Computed, Layout]]] = defaultdict(list)
        for item in computed(self._context.facts, "layout"):
            found[item.name].append((item, item.layout))
        return found

    @cached_property
    def _asserted(self) -> Mapping[str, int]:
        """In which configurations, as bits, some code asserts the size of each class."""
        found: dict[str, int] = defaultdict(int)
        for item in computed(self._context.facts, "size"):
            found[item.value] |= item.mask
        return found

    @property
    def is_empty(self) -> bool:
        """Whether calls have payloads, and no unit defines a class in the namespace: then nothing is proven of them."""
        return not self._layouts and any((row.get("payload") or "") not in _NO_PAYLOAD for row in self._calls.rows)

    def _named(self, payload: str) -> list[tuple[Computed, Layout]]:
        """What a name in a payload column means, relative to the namespace or in full."""
        name = payload.removeprefix("::")
        return self._layouts.get(f"{self._namespace}::{name}") or self._layouts.get(name) or []

    @cached_property
    def carried(self) -> tuple[str, ...]:
        """The qualified names of the payloads of the calls, and of the classes of the namespace that they hold."""
        waiting = [item.name for row in self._calls.rows for item, _ in self._named(row.get("payload") or "")]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                held = (held for _, layout in self._layouts[name] for m in layout.members for held in m.holds)
                waiting += [inner for inner in held if inner in self._layouts]
        return tuple(sorted(seen))

    def holds(self, payload: str, type_: str) -> bool:
        """Whether a payload owns a member of a type, at any depth, in some configuration."""
        return any(
            selects(type_, held) for _, layout in self._named(payload) for m in layout.members for held in m.holds
        )

    # ---- findings

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong with the payloads and with the list of their fields."""
        asserted: set[str] = set()
        for row in self._calls.rows:
            yield from self._call(row, asserted)
        for name in self.carried:
            for item, layout in self._layouts[name]:
                if layout.record == name or layout.record not in self.carried:
                    yield from self._content(item, layout)
        if self._fields is not None:
            yield from self._listed(self._fields)

    def _call(self, row: Row, asserted: set[str]) -> Iterator[Finding]:
        payload = row.get("payload") or ""
        found = self._named(payload)
        if payload in _NO_PAYLOAD:
            return
        if not found:
            yield self._unknown(row, payload)
        size = row.get("size")
        for item, layout in found:
            if size is not None:
                yield from self._size(row, size, item, layout)
            elif item.name not in asserted:
                yield from self._unasserted(item, layout)
        asserted.update(item.name for item, _ in found if size is None)

    def _unknown(self, row: Row, payload: str) -> Finding:
        known = [name.removeprefix(self._namespace + "::") for name in self._layouts]
        message = f"{self._namespace} has no struct {payload}"
        return self._report.row(row, message, nearest(payload, known) or "declare it, or correct the row", key=payload)

    def _size(self, row: Row, text: str, item: Computed, layout: Layout) -> Iterator[Finding]:
        try:
            size = int(text.rstrip("uUlL"), 0)
        except ValueError:
            message = f"{row.key} has the size `{text}`, which is no number"
            yield self._report.row(row, message, f"write {layout.size}")
            return
        if size != layout.size:
            message = f"{row.key} asserts {size} bytes, and {item.name} has {layout.size}"
            names = self._context.facts.names_of(item.mask)
            yield self._report.row(row, message, f"correct the struct or the row ({', '.join(names)})")

    def _unasserted(self, item: Computed, layout: Layout) -> Iterator[Finding]:
        missing = item.mask & ~self._asserted.get(layout.record, 0)
        if missing:
            yield self._report.place(
                (item.path, item.line, item.column), item.name,
                f"nothing asserts the size of {item.name}, {layout.size} bytes",
                f"add `static_assert(sizeof({item.name}) == {layout.size});` below it, or a column `size` to the calls",
                mask=missing,
            )  # fmt: skip

    def _content(self, item: Computed, layout: Layout) -> Iterator[Finding]:
        if layout.pointer:
            yield self._report.place(
                (item.path, item.line, item.column), item.name, f"{item.name} holds a pointer: {layout.pointer}",
                "make it a plain struct: it travels as bytes", mask=item.mask,
            )  # fmt: skip
        for member in layout.members:
            if member.pointer:
                yield self._member(
                    item, member, f"is or holds a pointer: {member.pointer}", "send a handle or bytes instead"
                )
            if member.padding:
                yield self._member(item, member, f"hides padding: {member.padding}", "make the padding a member")
        members = {member.name: member for member in layout.members}
        for gap in layout.gaps:
            size = f"{gap.bits // 8} bytes" if gap.bits % 8 == 0 else f"{gap.bits} bits"
            advice = "make the padding a member, so that its bytes have a value"
            if gap.before:
                yield self._member(item, members[gap.before], f"has {size} of padding before it", advice)
            else:
                last = layout.members[-1]
                yield self._member(item, last, f"has {size} of padding behind it", advice)

    def _member(self, item: Computed, member: Member, message: str, advice: str) -> Finding:
        name = f"{item.name}::{member.name}"
        place = (member.path, member.line, member.column)
        return self._report.place(place, name, f"{name} {message}", advice, mask=item.mask)

    # ---- the list of fields

    def _listed(self, fields: Catalogue) -> Iterator[Finding]:
        listed: dict[str, set[str]] = defaultdict(set)
        seen: set[tuple[int, str, str]] = set()
        for row in fields.rows:
            payload, field = row.get("payload") or "", row.get("field") or ""
            found = self._named(payload)
            key = f"{payload}, {field}"
            if not found:
                yield self._unknown(row, payload)
            elif not any(m.name == field for _, layout in found for m in layout.members):
                known = [m.name for _, layout in found for m in layout.members]
                message = f"{found[0][0].name} has no member {field}"
                yield self._report.row(row, message, nearest(field, known, "members") or "remove the row", key=key)
            if (row.definition, payload, field) in seen:
                yield self._report.row(row, f"{key} is listed twice", "keep one of the rows", key=key)
            seen.add((row.definition, payload, field))
            for item, _ in found:
                listed[item.name].add(field)
        yield from self._unlisted(fields, listed)

    def _unlisted(self, fields: Catalogue, listed: Mapping[str, set[str]]) -> Iterator[Finding]:
        payloads = {item.name: row.get("payload") or "" for row in self._calls.rows
                    for item, _ in self._named(row.get("payload") or "")}  # fmt: skip
        for name in sorted(payloads.keys() | listed.keys()):
            for item, layout in self._layouts[name]:
                for member in layout.members:
                    if not member.name or member.name in listed.get(name, ()) or _PADDING.fullmatch(member.name):
                        continue
                    row = fields.suggest(payload=payloads.get(name, name), field=member.name)
                    message = f"is missing from the list of fields `{fields.name}`"
                    yield self._member(item, member, message, f"add `{row}` ({fields.path}:{fields.line})")
