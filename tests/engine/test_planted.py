from __future__ import annotations

import pytest

from mgaudit.engine.planted import Planting
from mgaudit.gates.plants import Plant

BEFORE = b"one\ntwo {\n}\nthree\n"
APPENDED = Plant("a", "", {"f": BEFORE + b"namespace mgaudit_planted_f {\nuse();\n}\n"}, "f", 6, "x")
OTHER = Plant("b", "", {"f": BEFORE + b"#define MGAUDIT_PLANTED 1\nMGAUDIT_PLANTED;\n"}, "f", 6, "y")
INSERTED = Plant("c", "", {"f": b"one\ntwo { use(); \n}\nthree\n"}, "f", 2, "z")
LINES = Plant("d", "", {"f": b"one\n#if 0\nuse();\n#endif\ntwo {\n}\nthree\n"}, "f", 3, "w")
ELSEWHERE = Plant("e", "", {"g": b"row\n"}, "f", 4, "v")


def planting(*plants: Plant) -> Planting:
    contents = {"f": BEFORE, "g": b""}
    return Planting([(number, plant) for number, plant in enumerate(plants)], contents.__getitem__)


def test_one_plant_changes_what_it_says() -> None:
    alone = planting(INSERTED)
    assert alone.texts == {"f": INSERTED.texts["f"]}
    assert alone.line(INSERTED) == 2
    assert (alone.owner("f", 2), alone.owner("f", 3), alone.owner("g", 1)) == (INSERTED, None, None)


def test_plants_of_one_file_are_put_together_under_names_of_their_own() -> None:
    both = planting(APPENDED, OTHER, INSERTED, LINES)
    assert both.texts is not None
    lines = both.texts["f"].decode().split("\n")
    assert lines == [
        "one", "#if 0", "use();", "#endif", "two { use(); ", "}", "three",
        "namespace mgaudit_planted_0_f {", "use();", "}", "#define MGAUDIT_PLANTED_1 1", "MGAUDIT_PLANTED_1;", "",
    ]  # fmt: skip
    for plant, line in ((APPENDED, 9), (OTHER, 12), (INSERTED, 5), (LINES, 3)):
        assert both.line(plant) == line
        assert both.owner("f", line) is plant
    assert both.owner("f", 1) is both.owner("f", 6) is None


def test_a_finding_in_a_file_that_another_plant_changes_moves_with_it() -> None:
    both = planting(LINES, ELSEWHERE)
    assert (planting(ELSEWHERE).line(ELSEWHERE), both.line(ELSEWHERE)) == (4, 7)


@pytest.mark.parametrize("text", [b"one\nTWO {\n}\nthree\n", b"one\nt- {\n}\nthree\n"])
def test_plants_that_change_the_same_bytes_exclude_each_other(text: bytes) -> None:
    other = Plant("o", "", {"f": text}, "f", 2, "x")
    assert planting(other).texts == {"f": text}
    assert planting(other, Plant("p", "", {"f": b"one\ntoo {\n}\nthree\n"}, "f", 2, "x")).texts is None


def test_plants_are_apart_where_each_has_lines_of_its_own() -> None:
    last = Plant("q", "", {"f": b"one\ntwo {\n}\nthird\n"}, "f", 4, "x")
    assert planting(INSERTED, last, ELSEWHERE).are_apart
    assert planting(LINES, last).are_apart
    assert not planting(APPENDED, OTHER).are_apart
    assert not planting(INSERTED, Plant("r", "", {"f": b"one\ntwo {;\n}\nthree\n"}, "f", 2, "x")).are_apart
