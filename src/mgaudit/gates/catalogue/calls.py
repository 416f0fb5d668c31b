"""The rows of the list of calls: numbering, documented count, classes, flags, implications."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from mgaudit.config.log import nearest
from mgaudit.domain.findings import Severity
from mgaudit.domain.names import selects
from mgaudit.domain.problems import Problem
from mgaudit.facts.computed import computed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mgaudit.domain.findings import Finding
    from mgaudit.gates.catalogue.parameters import CatalogueParameters
    from mgaudit.gates.catalogue.payloads import Payloads
    from mgaudit.gates.context import GateContext
    from mgaudit.gates.coverage import Reporter
    from mgaudit.sources.catalogues import Catalogue, Row

PAYLOAD_HAS: Final = "payload-has"


class Calls:
    """The list of calls of one gate.

    Args:
        context: The gate's context.
        parameters: Its parameters.
        catalogue: The calls, in opcode order.
        payloads: The structs that they carry.
        report: Makes findings.
    """

    def __init__(
        self, context: GateContext, parameters: CatalogueParameters, catalogue: Catalogue, payloads: Payloads,
        report: Reporter,
    ) -> None:  # fmt: skip
        self._context = context
        self._parameters = parameters
        self._catalogue = catalogue
        self._payloads = payloads
        self._report = report
        self.problems: list[Problem] = []

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong with the rows."""
        yield from self._names()
        yield from self._order()
        yield from self._count()
        for row in self._catalogue.rows:
            yield from self._terms(row, "class", self._parameters.classes)
            yield from self._terms(row, "flags", self._parameters.flags)
            yield from self._implications(row)

    def _definitions(self) -> Mapping[int, list[Row]]:
        """The rows of each definition of the list, in opcode order: one in each arm of a conditional."""
        found: dict[int, list[Row]] = defaultdict(list)
        for row in self._catalogue.rows:
            found[row.definition].append(row)
        return found

    def _names(self) -> Iterator[Finding]:
        for rows in self._definitions().values():
            seen: set[str] = set()
            for row in rows:
                name = row.get("name") or ""
                if name in seen:
                    yield self._report.row(row, f"{name} is listed twice", "give each call a name of its own", key=name)
                seen.add(name)

    # ---- numbering

    def _order(self) -> Iterator[Finding]:
        """The list must start with the names on record: line n is opcode n."""
        file = self._parameters.append_only
        if file is None:
            return
        text = self._context.texts.get(file)
        if text is None:
            place = self._context.spec.place("append-only")
            self.problems.append(
                Problem(*place, f'gate "{self._context.spec.id}": {file} cannot be read', "make it: one call a line")
            )
            return
        lines = (line.partition("#")[0].strip() for line in text.splitlines())
        recorded = [line for line in lines if line]
        for rows in self._definitions().values():
            yield from self._against(recorded, rows, file)

    def _against(self, recorded: list[str], rows: list[Row], file: str) -> Iterator[Finding]:
        names = [row.get("name") or "" for row in rows]
        for opcode, was in enumerate(recorded, 1):
            if opcode > len(names):
                message = f"opcode {opcode} was {was}, and the list ends before it"
            elif names[opcode - 1] != was:
                moved = sum(a != b for a, b in zip(recorded, names, strict=False))
                message = f"opcode {opcode} was {was} and is {names[opcode - 1]} now"
                message += f"; {moved} opcodes in all have changed" if moved > 1 else ""
            else:
                continue
            row = rows[min(opcode, len(rows)) - 1]
            advice = f"restore the order of {file}: a retired call keeps its row, a new one goes to the end"
            yield self._report.row(row, message, advice, key=was, identity=f"opcode of {was}")
            return
        for row in rows[len(recorded) :]:
            name = row.get("name") or ""
            message = f"{name} has an opcode that {file} does not record"
            yield self._report.row(row, message, f"append `{name}` to {file}", Severity.NOTE, key=name)

    def _count(self) -> Iterator[Finding]:
        name = self._parameters.documented_count
        if name is None:
            return
        found = [item for item in computed(self._context.facts, "constant") if selects(name, item.name)]
        place = self._context.spec.place("documented-count")
        if len({item.name for item in found}) != 1:
            listed = ", ".join(sorted({f"::{item.name}" for item in found}))
            what = f"`{name}` means several constants: {listed}" if found else f"no constant `{name}` has a known value"
            self.problems.append(
                Problem(*place, f'gate "{self._context.spec.id}": {what}', "name one integer constant or enumerator")
            )
            return
        counts = {len(rows) for rows in self._definitions().values()}
        for item in found:
            if int(item.value) not in counts:
                listed = " or ".join(map(str, sorted(counts)))
                yield self._report.place(
                    (item.path, item.line, item.column), item.name,
                    f"{item.name} documents {item.value} calls, and the list `{self._catalogue.name}` has {listed}",
                    "correct the constant", mask=item.mask,
                )  # fmt: skip

    # ---- columns

    def _terms(self, row: Row, column: str, legal: tuple[str, ...]) -> Iterator[Finding]:
        name, terms = row.get("name") or "", row.union(column)
        if not legal:
            return
        if not terms:
            yield self._report.row(row, f"{name} has no {column}", f"write one of {', '.join(legal)}", key=name)
        for term in terms:
            if term not in legal:
                message = f"{name} has the {column} `{term}`, which is not legal"
                yield self._report.row(row, message, nearest(term, legal, "legal"), key=name)

    def _implications(self, row: Row) -> Iterator[Finding]:
        name = row.get("name") or ""
        for rule in self._parameters.implies:
            when, then = self._holds(row, rule.when), self._holds(row, rule.then)
            first, second = _said(rule.when), _said(rule.then)
            if when and not then:
                message = f"{name} has {first} and not {second}"
            elif rule.both and then and not when:
                message = f"{name} has {second} and not {first}"
            else:
                continue
            exactly = "exactly when" if rule.both else "wherever"
            advice = f"a call has {second} {exactly} it has {first}: correct one of the two"
            yield self._report.row(row, message, advice, key=name)

    def _holds(self, row: Row, conditions: Mapping[str, str]) -> bool:
        return all(
            self._payloads.holds(row.get("payload") or "", value)
            if column == PAYLOAD_HAS
            else value in row.union(column)
            for column, value in conditions.items()
        )


def _said(conditions: Mapping[str, str]) -> str:
    return " and ".join(
        f"a `{value}` in its payload" if column == PAYLOAD_HAS else f"the {column} `{value}`"
        for column, value in conditions.items()
    )
