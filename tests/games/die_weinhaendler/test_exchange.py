"""V15-V19, V45: the exchange, the display and the start player (rules.md 4.2 steps 2 and 4, 7.3)."""

from __future__ import annotations

from tests.games.die_weinhaendler.tables import add, answer, events, finish_round, hand, player, table


def test_v15_of_two_bidders_the_higher_takes_the_display_the_other_the_higher_bid() -> None:
    state = table("S24 Y5", "B23 G14", "Y12 R6", "G7 R6", draws="S10 R20 S10 R20")
    answer(state, add("S24"), add("B23"), "pass", "pass", "pass", "pass")
    assert events(state, "exchange") == [
        {
            "type": "exchange",
            "moves": [
                {"to": 0, "from": "display", "cards": ["S17", "B16", "G14", "R13"]},
                {"to": 1, "from": 0, "cards": ["S24"]},
                {"to": "display", "from": 1, "cards": ["B23"]},
            ],
        }
    ]
    assert hand(state, 0) == ["S17", "B16", "G14", "R13", "Y5"]
    assert hand(state, 1) == ["S24", "G14"]
    assert hand(state, 2) == ["Y12", "S10", "R6"]
    assert hand(state, 3) == ["S10", "G7", "R6"]
    assert state.view(None)["display"] == ["B23"]
    assert player(state, 1)["known"] == ["S24"]
    assert [player(state, seat)["bid"] for seat in range(4)] == [[]] * 4
    assert [player(state, seat)["total"] for seat in range(4)] == [None] * 4


def test_v16_a_single_bidder_takes_the_display_leaves_his_bid_there_and_starts_next() -> None:
    state = table("S24 O8", "B23 G14", "O15 R6")
    answer(state, "pass", "pass", add("O15", "R6"))
    assert state.view(None)["display"] == ["O15", "R6"]
    assert hand(state, 2) == ["S17", "B16", "G14", "R13"]
    assert state.pending == (2,)
    finish_round(state)
    assert state.view(None)["start"] == 2
    assert state.pending == (2,)
    assert len(state.view(None)["display"]) == 4


def test_v17_without_a_bid_the_display_stays_and_the_start_player_lays_first_and_starts_again() -> None:
    state = table("S24 O8", "B23 G14", "O15 R6", start=1)
    answer(state, "pass", "pass", "pass")
    assert events(state, "exchange") == []
    view = state.view(None)
    assert view["display"] == ["S17", "B16", "G14", "R13"]
    assert (view["stage"], state.pending) == ("lay", (1,))
    answer(state, "done", "done", "done")
    assert events(state, "start", "refill") == [{"type": "start", "seat": 1}]
    assert (state.view(None)["round"], state.pending) == (2, (1,))


def test_v18_a_lowest_bid_of_six_cards_is_a_display_of_six_and_is_not_refilled() -> None:
    state = table("R6 G7 O8 B9 S10 P11", "S24 P25", "Y12 R20", "G14 Y5", "B16 S17", display="S17 R13 G14 B23")
    bid = add("P11", "S10", "B9", "O8", "G7", "R6")
    answer(state, bid, "pass", "pass", "pass", "pass")
    assert len(state.view(None)["display"]) == 6
    before = state.view(None)["stack"]
    finish_round(state)
    assert events(state, "refill") == []
    assert (len(state.view(None)["display"]), state.view(None)["stack"]) == (6, before)


def test_v19_the_refill_takes_what_the_stack_has_and_an_empty_stack_makes_the_next_round_the_last() -> None:
    state = table("S24 O8", "B23 G14", "O15 R6", draws="R20 G7", stack=2)
    answer(state, add("S24"), add("B23"), add("R6"), "pass", "pass", "pass")
    assert len(state.view(None)["display"]) == 1
    finish_round(state)
    assert events(state, "refill", "start", "last_round") == [
        {"type": "refill", "cards": ["R20", "G7"]},
        {"type": "start", "seat": 0},
        {"type": "last_round"},
    ]
    view = state.view(None)
    assert view["display"] == ["R20", "G7", "R6"]
    assert (view["stack"], view["last_round"], view["round"]) == (0, True, 2)


def test_v45_the_highest_bidder_starts_the_next_round() -> None:
    state = table("S24 Y5", "B23 G14", "Y12 R6", "P25 G7")
    answer(state, add("S24"), add("B23"), add("R6"), add("P25"), "pass", "pass", "pass", "pass")
    finish_round(state)
    assert events(state, "start") == [{"type": "start", "seat": 3}]
    assert (state.view(None)["start"], state.pending) == (3, (3,))
