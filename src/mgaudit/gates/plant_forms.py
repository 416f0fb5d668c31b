"""The ways in which code can use an entity: what a gate sees in one of them it must see in all."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from mgaudit.gates.plant_uses import Cause, Code, planted
from mgaudit.gates.plants import OFFERED, Ground, Plant

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from mgaudit.gates.plant_uses import Use

_PLANTED: Final = "MGAUDIT_PLANTED"

_Form = tuple[tuple[str, ...], int]
"""Lines, and the index of the one that uses the entity."""


def _function(use: Use, *body: str) -> tuple[str, ...]:
    company = (f"    {use.company};",) if use.company else ()
    return (f"void used({use.signature}) {{", *(f"    {line};" for line in body), *company, "}")


def _direct(use: Use) -> _Form:
    return _function(use, use.on("object")), 1


def _alias(use: Use) -> _Form | None:
    if use.receiver:
        return _function(use, "auto& alias = object", use.on("alias")), 2
    scope = use.entity.rpartition("::")[0]
    if not scope:
        return None
    return (f"namespace alias = ::{scope};", *_function(use, use.on("").replace(f"::{scope}::", "alias::"))), 2


def _pointer(use: Use) -> _Form | None:
    if use.receiver:
        return _function(use, "auto* pointer = &object", _arrow(use, "pointer")), 2
    if not use.is_call:
        return None
    return ("void used() {", f"    auto* pointer = &::{use.entity};", "    (void)pointer;", "}"), 1


def _arrow(use: Use, pointer: str) -> str:
    return use.on("{pointer}").replace("{pointer}.", f"{pointer}->")


def _macro(use: Use) -> _Form:
    return _through_macro(use, use.on("(o)"))


def _pasted(use: Use) -> _Form | None:
    name = use.name
    if len(name) < 2:
        return None
    return _through_macro(use, re.sub(rf"\b{name}\b", f"{name[:1]}##{name[1:]}", use.on("(o)")))


def _through_macro(use: Use, body: str) -> _Form:
    expanded = f"{_PLANTED}({'object' if use.receiver else ''})"
    return (f"#define {_PLANTED}(o) {body}", *_function(use, expanded), f"#undef {_PLANTED}"), 2


def _helper(use: Use) -> _Form | None:
    if not use.receiver:
        return None
    helper = f"inline {use.receiver}& helper({use.receiver}& object) {{ return object; }}"
    return (helper, *_function(use, use.on("helper(object)"))), 2


def _lambda(use: Use) -> _Form:
    return _function(use, f"auto lambda = [&] {{ {use.on('object')}; }}", "lambda()"), 1


def _template(use: Use) -> _Form:
    """A template whose receiver depends on its parameter, or one without a receiver, and its instantiation."""
    types = ["T& object"] if use.receiver else []
    types += [f"{type_} a{index}" for index, type_ in enumerate(use.parameters)]
    parameter, instance = ("class T", "pattern") if use.receiver else ("int N", "pattern<1>")
    head = f"template <{parameter}> void pattern({', '.join(types)}) {{"
    return (head, f"    {use.on('object')};", "}", *_function(use, f"{instance}({use.passed})")), 1


def _initialiser(use: Use) -> _Form | None:
    """Of a variable at namespace scope: no function is around it."""
    if use.receiver or use.parameters or not use.is_call:
        return None
    return (f"int value = ({use.on('')}, 0);",), 0


def _idle_arm(use: Use) -> _Form:
    return ("#ifdef MGAUDIT_NEVER_DEFINED", use.on("o") + ";", "#endif"), 1


def _idle_body(use: Use) -> _Form:
    return (f"#define {_PLANTED}(o) \\", use.on("o") + ";", ""), 1


_FORMS: Final[dict[str, Callable[[Use], _Form | None]]] = {
    "direct": _direct,
    "through an alias": _alias,
    "through a pointer": _pointer,
    "through a macro": _macro,
    "through a pasted name": _pasted,
    "through a helper": _helper,
    "in a lambda": _lambda,
    "in a template": _template,
    "at namespace scope": _initialiser,
}


class Planter:
    """Plants uses of entities into some files.

    Args:
        ground: Where to plant.
        paths: The files under guard.
        uses: The uses, the best ones first.
        why: What the gate guards, as the end of a sentence.
        without: Kinds of control that mean something else to the gate.
        specifier: What opens the function in a header.
    """

    def __init__(  # noqa: PLR0913
        self, ground: Ground, paths: Iterable[str], uses: Sequence[Use], why: str = "", *,
        without: Collection[str] = (), specifier: str = "inline ",
    ) -> None:  # fmt: skip
        self._ground = ground
        known = sorted(paths)
        self._sources, self._headers = ground.sources(known), ground.headers(known)
        self._fragments = ground.fragments(known)
        self._uses = uses
        self._why = why
        self._without = without
        self._specifier = specifier

    def red(self) -> Iterator[Plant]:
        """A control for each way to use an entity, and for each kind of file."""
        for control, form in _FORMS.items():
            yield from self._offered(control, self._sources, form)
        yield from self._offered("in a header", self._headers, self._shared)
        yield from self._offered("in a fragment", self._fragments, self._shared, must_see=True)
        yield from self._in_bodies("in a function of the tree", self._sources)
        yield from self._in_bodies("in a function of a fragment", self._fragments)

    def unseen_arms(self) -> Iterator[Plant]:
        """Uses in code that nobody compiles: for gates whose second witness is the tokens.

        A configuration that the run leaves out may take an arm: then they only warn.
        """
        if self._ground.is_whole:
            yield from self._offered("in an arm that nobody takes", self._sources, _idle_arm)
        yield from self._offered("in the body of a macro that nobody uses", self._sources, _idle_body)

    def green(self) -> Iterator[Plant]:
        """What only looks like a use of an entity."""
        for use in self._uses[:1]:
            name = use.name
            for control, lines in (
                ("a comment", (f"// {use.entity}", f"/* {use.on('object')}; */")),
                ("a string", (f'inline const char* const text = "{use.entity}";',)),
                ("a local homonym", ("inline int homonym() {", f"    int {name} = 1;", f"    return {name};", "}")),
            ):
                for path in self._sources[:OFFERED]:
                    yield planted(self._ground, path, Cause(control, f"{control} uses nothing"), Code(lines))

    def accepted(self, control: str) -> Iterator[Plant]:
        """A use that the gate must accept."""
        for path, use in islice(self._pairs(self._sources), OFFERED):
            yield planted(self._ground, path, Cause(control, f"{use.entity}: {control}"), _code(use, _direct(use)))

    def dropped(self) -> Iterator[Plant]:
        """Uses in code of which nothing is left for a linker."""
        for path, use in islice(self._pairs(self._sources), OFFERED):
            head, *rest = _function(use, use.on("object"))
            for control, lines in (
                ("in an inline function that nobody calls", (f"inline {head}", *rest)),
                ("in an unevaluated operand", _function(use, f"(void)sizeof(({use.on('object')}, 0))")),
            ):
                yield planted(self._ground, path, Cause(control, f"{use.entity}: {control}"), _code(use, (lines, 1)))

    def _shared(self, use: Use) -> _Form:
        head, *rest = _function(use, use.on("object"))
        return (f"{self._specifier}{head}", *rest), 1

    def _pairs(self, paths: Sequence[str]) -> Iterator[tuple[str, Use]]:
        """Files and uses, so that the first few are of different files."""
        return ((path, use) for use in self._uses for path in paths)

    def _offered(
        self, control: str, paths: Sequence[str], form: Callable[[Use], _Form | None], *, must_see: bool = False
    ) -> Iterator[Plant]:  # fmt: skip
        pairs = ((path, use, form(use)) for path, use in self._pairs(paths) if control not in self._without)
        fitting = (
            planted(self._ground, path, self._cause(control, use), _code(use, lines)).about(use.entity)
            for path, use, lines in pairs
            if lines is not None and (not must_see or self._sees(path, use))
        )
        yield from islice(fitting, OFFERED)

    def _cause(self, control: str, use: Use) -> Cause:
        return Cause(control, f"{use.entity} is used {'directly' if control == 'direct' else control}{self._why}")

    def _sees(self, path: str, use: Use) -> bool:
        return all(self._ground.sees(path, group) for group in use.headers)

    def _in_bodies(self, control: str, paths: Sequence[str]) -> Iterator[Plant]:
        """At the beginning of a function's body, on the line of its brace: no line of the file moves."""
        yield from islice(self._bodies(control, paths), OFFERED)

    def _bodies(self, control: str, paths: Sequence[str]) -> Iterator[Plant]:
        for path, use in self._pairs(paths) if control not in self._without else ():
            place = next(self._ground.bodies(path), None)
            if place is None or use.parameters or not self._sees(path, use):
                continue
            offset, line = place
            # An object of which nothing is known: what a null pointer leads to is nothing that could change.
            declared = f"extern {use.receiver}& mgaudit_planted(); " if use.receiver else ""
            company = f" {use.company};" if use.company else ""
            used = use.on("mgaudit_planted()")
            text = {path: self._ground.inserted(path, offset, f" {{ {declared}{used};{company} }}")}
            yield Plant(control, self._cause(control, use).why, text, path, line, use.entity)


def _code(use: Use, form: _Form) -> Code:
    lines, at = form
    return Code(lines, at, use.headers)
