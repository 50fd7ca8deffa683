"""V31-V37, V40: what a bottle earns beyond its stars (rules.md 4.2, 7.3)."""

from __future__ import annotations

import pytest

from games.rules import Document
from tests.games.die_weinhaendler.tables import FULL_CELLAR, ROW, answer, events, laid, lay, laying, player

PLACES = [
    [(0, 0), (0, 1), (0, 2)],
    [(0, 0), (1, 0), (2, 0)],
    [(0, 2), (1, 1), (2, 0)],
    [(0, 0), (0, 1), (1, 0)],
    [(0, 1), (1, 0), (1, 1)],
]
"""A line of each direction, and both triangles; the last cell of each can be laid last."""


def completed(cells: list[tuple[int, int]], codes: list[str]) -> Document:
    """What was laid last when these bottles come to stand in these cells, among bottles that fit nothing."""
    levels = max(level for level, _ in cells)
    bottles = {(0, x): "OPSBR"[x] + str([8, 18, 17, 9, 20][x]) for x in range(5)}
    bottles |= {(1, 0): "S10", (1, 1): "P11", (1, 2): "B23"} if levels == 2 else {}
    bottles |= {(1, 0): "S10"} if (1, 1) in cells and levels == 1 else {}
    bottles = {**bottles, **dict(zip(cells, codes, strict=True))}
    last = cells[-1]
    if last[0] == 0:
        bottles = {cell: code for cell, code in bottles.items() if cell[0] == 0 and cell[1] <= last[1]}
    del bottles[last]
    state = laying(codes[-1], bottles)
    answer(state, lay(codes[-1], *last))
    return laid(state)


@pytest.mark.parametrize("cells", PLACES)
def test_v31_three_identical_bottles_in_a_line_or_triangle_pay_four(cells: list[tuple[int, int]]) -> None:
    event = completed(cells, ["G14", "G14", "G14"])
    assert (event["points"], event["trios"]) == (2 + 4, [[list(cell) for cell in sorted(cells)]])


@pytest.mark.parametrize("cells", PLACES)
@pytest.mark.parametrize("codes", [["G7", "G14", "G21"], ["G21", "G7", "G14"], ["G14", "G21", "G7"]])
def test_v32_one_two_and_three_stars_of_one_colour_pay_one(cells: list[tuple[int, int]], codes: list[str]) -> None:
    event = completed(cells, codes)
    stars = {"G7": 1, "G14": 2, "G21": 3}[codes[-1]]
    assert (event["points"], event["trios"]) == (stars + 1, [[list(cell) for cell in sorted(cells)]])


@pytest.mark.parametrize("cells", PLACES)
@pytest.mark.parametrize("codes", [["G7", "G7", "G14"], ["G7", "G14", "G7"], ["G14", "G7", "G7"]])
def test_v33_two_identical_bottles_and_another_pay_nothing(cells: list[tuple[int, int]], codes: list[str]) -> None:
    event = completed(cells, codes)
    assert (event["points"], event["trios"]) == ({"G7": 1, "G14": 2}[codes[-1]], [])


@pytest.mark.parametrize("cells", PLACES)
def test_v34_one_two_and_three_stars_of_different_colours_pay_nothing(cells: list[tuple[int, int]]) -> None:
    event = completed(cells, ["G7", "Y12", "G21"])
    assert (event["points"], event["trios"]) == (3, [])


def test_v35_a_bottle_that_completes_several_trios_is_paid_for_all() -> None:
    row = {(0, 0): "B9", (0, 1): "B23", (0, 2): "R6", (0, 3): "S17"}
    state = laying("B16", {**row, (1, 1): "B16", (1, 2): "B16"})
    answer(state, lay("B16", 1, 0))
    assert laid(state)["trios"] == [[[0, 0], [0, 1], [1, 0]], [[1, 0], [1, 1], [1, 2]]]
    assert laid(state)["points"] == 2 + 1 + 4
    state = laying("G14", {(0, 0): "G14", (0, 1): "G14", (0, 2): "empty", (0, 3): "G7", (0, 4): "G21"})
    answer(state, lay("G14", 0, 2))
    assert laid(state)["trios"] == [[[0, 0], [0, 1], [0, 2]], [[0, 2], [0, 3], [0, 4]]]
    assert laid(state)["points"] == 2 + 4 + 1


def test_v36_an_older_trio_without_the_new_bottle_is_not_paid_again() -> None:
    state = laying("B23 S17", {(0, 0): "G7", (0, 1): "G7", (0, 2): "G7"})
    answer(state, lay("B23", 0, 3), lay("S17", 1, 0))
    assert [(event["points"], event["trios"]) for event in events(state, "laid")] == [(3, []), (2, [])]


def test_v37_a_line_with_a_gap_or_a_stranger_in_between_pays_nothing() -> None:
    state = laying("G7", {(0, 0): "G7", (0, 1): "B9", (0, 2): "G7"})
    answer(state, lay("G7", 0, 3))
    assert laid(state)["points"] == 1
    state = laying("G7", {**ROW, (1, 0): "G7", (1, 1): "G7"})
    answer(state, lay("G7", 1, 3))
    assert (laid(state)["points"], laid(state)["trios"]) == (1, [])


def test_v40_bottles_of_two_cellars_make_no_trio() -> None:
    state = laying("G14", {**FULL_CELLAR, (0, 1): "G14"}, {(0, 0): "G14"})
    answer(state, lay("G14", 0, 1))
    assert (laid(state)["points"], laid(state)["trios"]) == (2, [])
    assert [len(cellar) for cellar in player(state, 0)["cellars"]] == [15, 2]
