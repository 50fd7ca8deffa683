"""V20-V30, V38, V39: where bottles may be laid, and further cellars (rules.md 4.2 step 3, 7.3)."""

from __future__ import annotations

import pytest

from games.rules import IllegalMove
from tests.games.die_weinhaendler.tables import (
    FULL_CELLAR,
    ROW,
    add,
    answer,
    cells_for,
    events,
    hand,
    laid,
    lay,
    laying,
    player,
    steps,
    table,
)


def test_v20_with_nine_in_hand_at_least_three_are_laid() -> None:
    state = laying("R6 G7 O8 B9 S10 R13 G14 O15 B16")
    assert state.decision(0)["must_lay"] == 3
    assert "done" not in state.legal_moves(0)
    assert state.default_move(0) == lay("R6", 0, 0)
    for left in (2, 1, 0):
        with pytest.raises(IllegalMove, match="at most 6"):
            state.play(0, "done")
        answer(state, state.default_move(0))
        assert state.decision(0)["must_lay"] == left
    assert state.default_move(0) == "done"
    assert len(hand(state, 0)) == 6


def test_v21_with_six_in_hand_none_to_six_are_laid() -> None:
    for count in range(7):
        state = laying("R6 G7 O8 B9 S10 R13")
        for _ in range(count):
            answer(state, state.legal_moves(0)[-1])
        if count < 6:
            assert len(hand(state, 0)) == 6 - count
            answer(state, "done")
        assert len(events(state, "laid")) == count
        assert steps(state, 0)[count]["move"] == "done"
        assert ("forced" in steps(state, 0)[count]) is (count == 6)


def test_v22_the_highest_bidder_lays_first_and_the_others_follow_clockwise() -> None:
    state = table("S24 Y5", "B23 G14", "Y12 R20", "P25 G7", start=1)
    answer(state, add("B23"), add("Y12"), add("P25"), add("S24"), "pass", "pass", "pass", "pass")
    asked: list[int] = []
    while state.decision_kind == "lay":
        asked += state.pending
        answer(state, "done")
    assert asked == [3, 0, 1, 2]


def test_v23_a_bottle_above_a_single_one_is_illegal() -> None:
    state = laying("G7", {(0, 0): "R6"})
    for x in (-1, 0, 1):
        with pytest.raises(IllegalMove, match="two adjacent bottles"):
            state.play(0, lay("G7", 1, x))
    state = laying("G7", {(0, 0): "R6", (0, 1): "B9"})
    with pytest.raises(IllegalMove):
        state.play(0, lay("G7", 1, 1))
    assert cells_for(state, "G7") == [(0, -1), (0, 2), (1, 0)]


def test_v24_a_base_bottle_apart_from_the_row_and_a_sixth_one_are_illegal() -> None:
    state = laying("G7", {(0, 0): "R6"})
    for x in (-2, 2, 4, -9, 9):
        with pytest.raises(IllegalMove, match="an end of the base row"):
            state.play(0, lay("G7", 0, x))
    state = laying("G7", ROW)
    for x in (-1, 5):
        with pytest.raises(IllegalMove, match="at most five"):
            state.play(0, lay("G7", 0, x))


def test_v25_the_base_row_grows_to_the_left_too() -> None:
    state = laying("G7 R20 B9 S17 O8", {(0, 0): "R6"})
    answer(state, lay("G7", 0, -1), lay("R20", 0, -2), lay("B9", 0, -3), lay("S17", 0, -4))
    assert [cell["x"] for cell in player(state, 0)["cellars"][0]] == [-4, -3, -2, -1, 0]
    assert cells_for(state, "O8") == [(1, -4), (1, -3), (1, -2), (1, -1)]


def test_v26_a_gap_higher_up_may_stay_and_be_filled_later() -> None:
    state = laying("G7 R20 B23", ROW)
    answer(state, lay("G7", 1, 0), lay("R20", 1, 2))
    assert (1, 1) in cells_for(state, "B23")
    assert (2, 0) not in cells_for(state, "B23")
    answer(state, lay("B23", 1, 1))
    assert laid(state)["cell"] == [1, 1]


def test_v27_a_bottle_may_rest_on_empty_ones() -> None:
    state = laying("G7", {(0, 0): "empty", (0, 1): "empty"})
    answer(state, lay("G7", 1, 0))
    assert laid(state)["points"] == 1


def test_v28_a_full_bottle_covers_an_empty_one_also_below_others_and_scores_there() -> None:
    state = laying("R20 B16", {(0, 0): "empty", (0, 1): "R13", (1, 0): "R6"})
    assert state.decision(0)["cells"] == [
        {"cell": [0, -1], "cards": "any"},
        {"cell": [0, 0], "cards": "full"},
        {"cell": [0, 2], "cards": "any"},
    ]
    answer(state, lay("R20", 0, 0))
    assert laid(state)["points"] == 3 + 1
    assert laid(state)["trios"] == [[[0, 0], [0, 1], [1, 0]]]
    assert player(state, 0)["cellars"][0][0] == {"level": 0, "x": 0, "card": "R20", "under": "empty"}
    assert player(state, 0)["points"] == 4


def test_v29_nothing_covers_a_full_bottle_no_empty_covers_an_empty_and_nothing_moves() -> None:
    state = laying("empty G7", {(0, 0): "empty", (0, 1): "R6", (0, 2): "B9/empty"})
    with pytest.raises(IllegalMove, match="Only a full bottle can cover"):
        state.play(0, lay("empty", 0, 0))
    for card, x in (("G7", 1), ("empty", 1), ("G7", 2), ("empty", 2)):
        with pytest.raises(IllegalMove, match="full bottle cannot be covered"):
            state.play(0, lay(card, 0, x))
    with pytest.raises(IllegalMove, match="not in your hand"):
        state.play(0, lay("R6", 0, 3))


def test_v30_an_empty_bottle_earns_nothing_and_is_part_of_no_trio() -> None:
    state = laying("empty empty G7", {(0, 0): "empty"})
    answer(state, lay("empty", 0, 1))
    assert (laid(state)["points"], laid(state)["trios"]) == (0, [])
    answer(state, lay("empty", 1, 0))
    assert (laid(state)["points"], laid(state)["trios"]) == (0, [])
    state = laying("G7", {(0, 0): "G7", (0, 1): "empty", (0, 2): "G7"})
    answer(state, lay("G7", 1, 0))
    assert (laid(state)["points"], laid(state)["trios"]) == (1, [])


def test_v38_after_fifteen_full_bottles_the_next_opens_a_new_cellar() -> None:
    state = laying("G7 empty", FULL_CELLAR)
    decision = state.decision(0)
    assert decision["cells"] == [{"cell": [0, 0], "cards": "any"}]
    assert decision["new_cellar"] is True
    assert state.legal_moves(0) == ["done", lay("empty", 0, 0), lay("G7", 0, 0)]
    with pytest.raises(IllegalMove, match="new cellar must be"):
        state.play(0, lay("G7", 0, 1))
    answer(state, lay("G7", 0, 0))
    assert events(state, "new_cellar") == [{"type": "new_cellar", "seat": 0}]
    cellars = player(state, 0)["cellars"]
    assert [len(cellar) for cellar in cellars] == [15, 1]
    assert cells_for(state, "empty") == [(0, -1), (0, 1)]


def test_v38_the_first_cellar_is_a_new_one_too() -> None:
    state = laying("G7 R6")
    assert state.decision(0)["new_cellar"] is True
    answer(state, lay("R6", 0, 0))
    assert events(state)[0] == {"type": "new_cellar", "seat": 0}
    assert state.decision(0)["new_cellar"] is False


@pytest.mark.parametrize("where", [(0, 2), (1, 1), (4, 0)])
def test_v39_an_uncovered_empty_among_fifteen_must_be_covered_before_a_new_cellar(where: tuple[int, int]) -> None:
    bottles = {**FULL_CELLAR, where: "empty"}
    state = laying("G7 G14 empty", bottles)
    decision = state.decision(0)
    assert decision["cells"] == [{"cell": list(where), "cards": "full"}]
    assert decision["new_cellar"] is False
    assert cells_for(state, "empty") == []
    for cell in ((0, 0), (0, -1), (0, 5)):
        with pytest.raises(IllegalMove):
            state.play(0, lay("G7", *cell))
    with pytest.raises(IllegalMove):
        state.play(0, lay("empty", 0, 0))
    answer(state, lay("G7", *where))
    assert events(state, "new_cellar") == []
    assert state.decision(0)["cells"] == [{"cell": [0, 0], "cards": "any"}]


def test_v39_a_player_with_only_empty_bottles_must_stop() -> None:
    state = laying("empty G7", {**FULL_CELLAR, (0, 0): "empty", (1, 0): "empty"})
    answer(state, lay("G7", 0, 0))
    assert steps(state, 0)[-1] == {"seat": 0, "decision": "lay", "move": "done", "forced": True}
    assert hand(state, 0) == ["empty"]
