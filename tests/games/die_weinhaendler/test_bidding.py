"""V01-V14, V46: the deal, bids and the pass draw (rules.md 4.1, 4.2 step 1, 7.3)."""

from __future__ import annotations

import pytest

from games.die_weinhaendler.cards import CODES, NUMBERS, STARS, TENTHS
from games.registry import GAMES
from games.rules import Document, IllegalMove
from tests.games.die_weinhaendler.tables import SEED, add, answer, events, hand, player, steps, table


@pytest.mark.parametrize(("seats", "cards", "stack"), [(3, 48, 29), (4, 57, 33), (5, 66, 37)])
def test_v01_the_number_of_players_determines_the_cards_in_hand_and_stack(seats: int, cards: int, stack: int) -> None:
    state = GAMES["die-weinhaendler"].new(seats, SEED)
    deck = state.record["steps"][1]["cards"]
    assert len(deck) == cards
    view = state.view(None)
    assert view["stack"] == stack
    assert [player["hand"] for player in view["players"]] == [5] * seats
    assert len(view["display"]) == 4
    assert (view["stage"], view["round"], view["last_round"], view["stack_bottom"]) == ("bid", 1, False, [])
    left_out = {3: "YP", 4: "O", 5: ""}[seats]
    assert not any(code[0] in left_out for code in deck)
    assert all(deck.count(code) == 3 for code in deck)


def test_a_bottle_is_worth_its_number_and_stars_rise_by_seven() -> None:
    named = {"Y5": (50, 1), "G7": (70, 1), "Y12": (120, 2), "B16": (160, 2), "R20": (200, 3), "P25": (250, 3)}
    assert {code: (TENTHS[NUMBERS[code]], STARS[NUMBERS[code]]) for code in named} == named
    assert (TENTHS[0], STARS[0], CODES[0]) == (2, 0, "empty")


def test_cards_are_dealt_round_and_round_from_the_start_player() -> None:
    state = GAMES["die-weinhaendler"].new(4, SEED)
    starter, deck = state.record["steps"][0]["seat"], state.record["steps"][1]["cards"]
    for seat in range(4):
        dealt = deck[(seat - starter) % 4 : 20 : 4]
        assert sorted(hand(state, seat)) == sorted(dealt)  # type: ignore[arg-type]
    assert sorted(state.view(None)["display"]) == sorted(deck[20:24])
    assert state.pending == (starter,)


def test_v02_a_bid_may_not_equal_another_players_current_bid() -> None:
    state = table("S24 O8 R6", "S24 G14 S10", "B9 B23 R20")
    answer(state, add("S24"))
    with pytest.raises(IllegalMove, match="differ from all other bids"):
        state.play(1, add("S24"))
    with pytest.raises(IllegalMove, match="differ from all other bids"):
        state.play(1, add("G14", "S10"))
    answer(state, add("G14"))
    assert state.pending == (2,)


def test_v03_a_bid_may_not_equal_the_bid_of_a_player_who_has_passed() -> None:
    state = table("S24 O8 R6", "B16 G14 S10", "B9 B23 R20")
    answer(state, add("S24"), add("B16"), add("B9"), "pass")
    with pytest.raises(IllegalMove, match="if the total is not 9, 24"):
        state.play(1, add("no such wine"))
    answer(state, "pass")
    assert player(state, 0)["passed"]
    assert state.decision(2)["taken"] == [160, 240]


def test_v03_is_judged_on_the_new_total_also_of_an_addition() -> None:
    state = table("S24 Y5 R6", "B16 G14 O8", "B9 B23 O15", "S10 S10 R6", "B9 Y12 Y5")
    answer(state, add("S24"), add("B16"), add("B9"), add("S10"), add("Y12"), "pass")
    with pytest.raises(IllegalMove, match="differ"):
        state.play(1, add("O8"))
    answer(state, add("G14"))
    with pytest.raises(IllegalMove, match="differ"):
        state.play(2, add("O15"))


def test_v04_a_bid_may_be_lower_than_all_others() -> None:
    state = table("S24 S17", "Y12 Y5", "B9 B23", "R6 G7")
    answer(state, add("S24"), add("Y12"), add("B9"), add("R6"))
    assert [player(state, seat)["total"] for seat in range(4)] == [240, 120, 90, 60]


def test_v05_an_empty_bottle_alone_adds_two_tenths() -> None:
    state = table("S24 empty R6", "B23 R6 G7", "B9 R13 R20")
    answer(state, add("S24"), add("B23"), add("B9"), add("empty"))
    assert player(state, 0)["total"] == 242
    assert player(state, 0)["bid"] == ["S24", "empty"]


def test_v05_not_if_that_equals_another_bid() -> None:
    state = table("S24 empty R6", "S24 empty R6", "B9 R13 R20")
    answer(state, add("S24", "empty"))
    with pytest.raises(IllegalMove, match="differ"):
        state.play(1, add("empty", "S24"))


def test_v06_two_empty_bottles_are_a_bid_of_four_tenths() -> None:
    state = table("empty empty R6", "B23 R6 G7", "B9 R13 R20")
    answer(state, add("empty", "empty"))
    assert player(state, 0)["total"] == 4


def test_v07_bid_cards_stay_on_the_table_and_a_player_who_passed_stays_out() -> None:
    state = table("S24 O8 R6", "B16 G14 S10", "B9 B23 R20")
    answer(state, add("S24"), "pass", add("B23"))
    wrong: list[Document] = [add(), add("S24"), {"cards": ["O8"], "back": ["S24"]}]
    for taken_back in wrong:
        with pytest.raises(IllegalMove):
            state.play(0, taken_back)
    answer(state, add("O8"))
    with pytest.raises(LookupError):
        state.play(1, add("B16"))
    assert state.pending == (2,)
    answer(state, add("R20"), add("R6"))
    assert player(state, 0)["bid"] == ["S24", "O8", "R6"]
    assert events(state, "exchange") == []


def test_v08_a_player_without_a_distinct_bid_must_pass() -> None:
    state = table("S24 R6", "B23", "B9 S24 R6", "")
    answer(state, add("S24"), add("B23"))
    answer(state, add("B9"))
    assert steps(state, 3) == [{"seat": 3, "decision": "bid", "move": "pass", "forced": True}]
    answer(state, add("R6"))
    assert steps(state, 1)[1:] == [{"seat": 1, "decision": "bid", "move": "pass", "forced": True}]


def test_v08_a_hand_with_cards_may_have_no_distinct_total() -> None:
    state = table("R6 R13", "R6", "S17 G7")
    answer(state, add("R6"))
    assert steps(state, 1) == [{"seat": 1, "decision": "bid", "move": "pass", "forced": True}]
    assert hand(state, 1)[-1] == "R6"
    assert player(state, 1)["hand"] == 2, "a forced pass without a bid draws too"


@pytest.mark.parametrize("draws", ["B9 R20", "R20 B9"])
def test_v09_the_first_player_to_pass_keeps_the_cheaper_card_and_the_other_goes_to_the_bottom(draws: str) -> None:
    state = table("S24 Y5", "B23 G14", "Y12 R13", "G7 R6", draws=draws)
    before = state.view(None)["stack"]
    answer(state, "pass")
    shown = {"type": "pass_draw", "seat": 0, "shown": draws.split(), "kept": "B9", "to_bottom": "R20"}
    assert events(state) == [shown]
    assert hand(state, 0) == ["S24", "B9", "Y5"]
    assert player(state, 0)["known"] == ["B9"]
    view = state.view(None)
    assert (view["stack"], view["stack_bottom"]) == (before - 1, ["R20"])


def test_v09_the_cards_at_the_bottom_come_up_last_and_in_order() -> None:
    state = table("S24", "B23", "Y12", "G7", draws="B9 R20 R6 S10", stack=5)
    answer(state, "pass", "pass")
    assert state.view(None)["stack_bottom"] == ["R20", "S10"]
    answer(state, "pass")
    drawn = events(state, "pass_draw")[-1]
    assert drawn["shown"][1] == "R20"
    assert state.view(None)["stack"] == 2
    assert state.view(None)["stack_bottom"] == ["S10", drawn["to_bottom"]]


def test_v10_of_two_equal_cards_one_is_kept() -> None:
    state = table("S24 Y5", "B23 G14", "Y12 R13", "G7 R6", draws="R20 R20")
    answer(state, "pass")
    assert events(state, "pass_draw")[0]["kept"] == "R20"
    assert hand(state, 0) == ["S24", "R20", "Y5"]
    assert state.view(None)["stack_bottom"] == ["R20"]


def test_v11_an_empty_bottle_is_cheaper_than_any() -> None:
    state = table("S24 Y5", "B23 G14", "Y12 R13", "G7 R6", draws="Y5 empty")
    answer(state, "pass")
    assert hand(state, 0) == ["S24", "Y5", "empty"]
    assert state.view(None)["stack_bottom"] == ["Y5"]


def test_v12_the_last_card_of_the_stack_is_kept_and_then_there_is_nothing() -> None:
    state = table("S24 Y5", "B23 G14", "Y12 R13", "G7 R6", draws="R20", stack=1)
    answer(state, "pass")
    assert events(state) == [{"type": "pass_draw", "seat": 0, "shown": ["R20"], "kept": "R20", "to_bottom": None}]
    assert state.view(None)["stack"] == 0
    answer(state, "pass")
    assert hand(state, 1) == ["B23", "G14"]
    assert len(events(state)) == 1


def test_v13_a_player_who_has_bid_gets_no_card_for_passing() -> None:
    state = table("S24 Y5", "B23 G14", "Y12 R13", "G7 R6")
    answer(state, add("S24"), add("B23"), add("Y12"), add("G7"), "pass")
    assert events(state) == []
    assert hand(state, 0) == ["Y5"]


def test_v14_a_card_drawn_for_passing_is_of_no_use_in_this_bidding() -> None:
    state = table("S24 Y5", "B23 G14", "Y12 R13", "G7 R6", draws="B9 R20")
    answer(state, "pass")
    with pytest.raises(LookupError):
        state.play(0, add("B9"))
    answer(state, add("B23"), add("Y12"), add("G7"))
    assert state.pending == (1,)


def test_the_only_player_left_may_go_on_adding_or_pass() -> None:
    state = table("S24 O8 R6", "B23 G14", "O15 R13")
    answer(state, add("S24"), "pass", "pass")
    assert state.pending == (0,)
    answer(state, add("R6"), "pass")
    assert events(state, "exchange")[0]["moves"][1]["cards"] == ["S24", "R6"]


def test_v46_totals_are_whole_tenths() -> None:
    state = table("G14 Y5 empty empty", "B23 R6", "Y12 R13", "S10 S17")
    answer(state, add("G14", "Y5"), add("B23"), add("Y12"), add("S10"), add("empty"))
    assert player(state, 0)["total"] == 192
    assert type(player(state, 0)["total"]) is int
