"""V41-V44, V47: how the game ends (rules.md 4.2, 7.3)."""

from __future__ import annotations

from random import Random
from typing import Any

from games.registry import GAMES
from tests.games.die_weinhaendler.tables import SEED, add, answer, events, finish_round, lay, player, table
from tests.games.die_weinhaendler.tempers import circling


def test_v41_a_stack_that_a_refill_to_four_just_empties_makes_the_next_round_the_last() -> None:
    state = table("S24 O8", "B23 G14", "O15 R6", draws="R20 G7 G21", stack=3)
    answer(state, add("S24"), add("B23"), add("R6"), "pass", "pass", "pass")
    finish_round(state)
    view = state.view(None)
    assert (len(view["display"]), view["stack"], view["last_round"]) == (4, 0, True)


def test_v41_one_card_left_is_not_yet_the_end() -> None:
    state = table("S24 O8", "B23 G14", "O15 R6", draws="R20 G7 G21 S10", stack=4)
    answer(state, add("S24"), add("B23"), add("R6"), "pass", "pass", "pass")
    finish_round(state)
    assert (state.view(None)["stack"], state.view(None)["last_round"]) == (1, False)
    assert events(state, "last_round") == []


def test_v42_a_pass_draw_that_takes_the_last_card_makes_the_next_round_the_last() -> None:
    state = table("S24 O8", "B23 G14", "O15 R6", draws="R20", stack=1)
    answer(state, "pass", "pass", "pass")
    assert not state.view(None)["last_round"], "the stack is judged after the refill"
    finish_round(state)
    view = state.view(None)
    assert (len(view["display"]), view["stack"], view["last_round"]) == (4, 0, True)
    assert events(state, "refill") == []


def test_v43_the_last_round_has_no_refill_all_may_be_laid_and_what_is_left_counts_nothing() -> None:
    state = table("S24 O8", "B23 G14", "O15 R6", stack=0, last_round=True, display="R20 S10 R13", points=[1, 2, 3])
    answer(state, add("S24"), add("B23"), add("R6"), "pass", "pass", "pass")
    assert state.decision(0)["must_lay"] == 0
    answer(state, lay("R20", 0, 0), lay("S10", 0, 1), lay("R13", 0, 2), lay("O8", 0, 3))
    answer(state, lay("S24", 0, 0), "done")
    answer(state, "done")
    assert state.pending == ()
    assert events(state, "refill", "start") == []
    assert state.outcome == {"ranks": [1, 2, 3], "scores": [{"points": 8}, {"points": 5}, {"points": 3}]}
    view = state.view(None)
    assert (view["stage"], view["turn"], view["last_round"], view["round"]) == (None, None, True, 1)


def test_v43_with_more_than_six_in_hand_nobody_has_to_lay_in_the_last_round() -> None:
    state = table("R6 G7 B9 S10 R13 G14 B16 S17", "S24", "B23", display="", stack=0, last_round=True, stage="lay")
    assert state.default_move(0) == "done"
    answer(state, "done", "done", "done")
    assert state.outcome == {"ranks": [1, 1, 1], "scores": [{"points": 0}] * 3}


def test_v43_a_pass_draw_in_the_last_round_still_takes_a_card() -> None:
    state = table("S24 O8", "B23 G14", "O15 R6", draws="R20 S10", stack=5, last_round=True, idle_rounds=20)
    answer(state, "pass")
    assert events(state, "pass_draw")[0]["kept"] == "S10"


def test_v44_players_level_in_points_share_their_rank() -> None:
    state = table("S24", "B23", "R6", "Y5", stage="lay", last_round=True, points=[7, 9, 9, 2])
    answer(state, "done", "done", "done", "done")
    outcome: Any = state.outcome
    assert outcome["ranks"] == [3, 1, 1, 4]


def test_v47_after_twenty_rounds_in_which_the_stack_did_not_shrink_the_next_is_the_last() -> None:
    four = ["R6 G7 O8 B9 S10", "R13 G14 O15 B16 S17", "R6 G7 O8 B9 S10", "R13 G14 O15 B16 S17", "Y5 Y12 Y19 P11 P18"]
    state = table(*four, display="R20 G21 O22 B23", idle_rounds=19)
    stack = state.view(None)["stack"]
    bids = [add("S10", "B9", "O8", "G7"), add("S17", "B16", "O15", "G14"), add("S10", "B9", "O8", "R6")]
    answer(state, *bids, add("S17", "B16", "O15", "R13"), add("P18", "Y12", "P11", "Y5"), *["pass"] * 5)
    finish_round(state)
    view = state.view(None)
    assert (view["stack"], view["idle_rounds"], view["last_round"]) == (stack, 20, True)
    assert events(state, "refill", "last_round") == [{"type": "last_round"}]
    finish_round(state)
    assert state.pending == ()


def test_v47_a_round_in_which_the_stack_shrinks_restarts_the_count() -> None:
    state = table("S24 O8", "B23 G14", "O15 R6", idle_rounds=19)
    answer(state, "pass")
    finish_round(state)
    assert (state.view(None)["idle_rounds"], state.view(None)["last_round"]) == (0, False)


def test_v47_is_reached_by_playing_too() -> None:
    state, random = GAMES["die-weinhaendler"].new(3, SEED), Random(1)
    while state.pending:
        seat = state.pending[0]
        state.play(seat, circling(state, seat, random))
    view = state.view(None)
    assert view["idle_rounds"] == 20
    assert view["stack"] > 0


def test_points_come_from_bottles_laid_and_are_seen_by_all() -> None:
    state = table("S24 O8", "B23 G14", "O15 R6", stage="lay", points=[4, 0, 0])
    answer(state, lay("S24", 0, 0))
    assert player(state, 0)["points"] == 7
