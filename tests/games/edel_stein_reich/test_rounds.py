"""M01-M15: the deal, the rounds, and the automatic actions (rules.md 7.1)."""

from __future__ import annotations

import pytest

from games.registry import GAMES
from games.rules import IllegalMove
from tests.games.edel_stein_reich.tables import SEED, answer, asked, choose, events, holdings, purses, table

ROUNDS = {3: 8, 4: 7, 5: 6}


def test_m01_three_players_have_24_gem_cards_to_play_6_aside_and_13_gems_of_each_colour_to_take() -> None:
    view = GAMES["edel-stein-reich"].new(3, SEED).view(None)
    assert view["gem_stack"] + len([p for p in view["players"] if p["gem_card"]]) == 24
    assert view["aside"]["count"] == 6
    assert isinstance(view["aside"]["top"], str)
    assert view["supply"] == [13, 13, 13, 13]


@pytest.mark.parametrize(
    ("seats", "playable", "aside", "supply", "actions"),
    [
        (4, 28, 2, 10, ["money", "event", "gems"]),
        (5, 30, 0, 7, ["money", "event", "gems", "free_choice"]),
    ],
)
def test_m02_four_and_five_players_are_dealt_the_table_of_the_rules(
    seats: int, playable: int, aside: int, supply: int, actions: list[str]
) -> None:
    state = GAMES["edel-stein-reich"].new(seats, SEED)
    view = state.view(None)
    assert view["gem_stack"] + seats == playable
    assert view["aside"]["count"] == aside
    assert view["supply"] == [supply] * 4
    assert state.legal_moves(0) == actions


@pytest.mark.parametrize("seats", [3, 4])
def test_m03_free_choice_cannot_be_played_with_three_or_four(seats: int) -> None:
    state = table(seats)
    with pytest.raises(IllegalMove, match="Free Choice"):
        state.play(0, "free_choice")


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_m04_a_phase_is_scored_after_exactly_8_7_or_6_rounds(seats: int) -> None:
    state = table(seats)
    for played in range(ROUNDS[seats]):
        assert state.view(None)["round"] == played + 1
        assert events(state, "scored") == []
        choose(state, *["money"] * seats)
    assert len(events(state, "scored")) == 1
    assert (state.view(None)["phase"], state.view(None)["round"]) == (2, 1)


def test_m05_one_player_on_money_is_paid_what_his_gem_card_says() -> None:
    state = table(4, gem_cards={1: "7BB"})
    choose(state, "gems", "money", "gems", "gems")
    assert purses(state) == [0, 7, 0, 0]
    assert events(state, "money") == [{"type": "money", "seat": 1, "amount": 7}]


def test_m06_three_players_on_money_get_nothing_and_do_not_barter() -> None:
    state = table(4)
    choose(state, "money", "money", "gems", "money")
    assert events(state, "cancelled") == [{"type": "cancelled", "action": "money", "seats": [0, 1, 3]}]
    assert purses(state) == [0, 0, 0, 0]
    assert asked(state) == ((0, 1, 2, 3), "action")


def test_m07_two_on_money_and_two_on_gems_barter_twice_money_first() -> None:
    state = table(4)
    choose(state, "gems", "money", "gems", "money")
    assert asked(state) == ((1,), "open_barter")
    assert state.view(None)["resolving"] == "money"
    answer(state, {"offer": [0, 0, 0, 1]}, "accept")
    assert asked(state) == ((0,), "open_barter")
    assert state.view(None)["resolving"] == "gems"


@pytest.mark.parametrize("seats", [3, 5])
def test_m08_when_all_choose_event_the_card_on_display_is_discarded_and_none_is_drawn(seats: int) -> None:
    state = table(seats, display="three", draws=["rob", "swap"])
    before = state.view(None)["event"]["stack"]
    choose(state, *["event"] * seats)
    assert events(state, "cancelled") == [{"type": "cancelled", "action": "event", "seats": list(range(seats))}]
    assert events(state, "discarded") == [{"type": "discarded", "seat": None, "card": "three"}]
    assert events(state, "drawn") == []
    assert state.view(None)["event"] == {"display": "rob", "stack": before - 1, "discards": ["three"]}


def test_m09_a_card_nobody_wants_is_discarded_at_the_end_of_the_round() -> None:
    state = table(3, display="half", draws=["rob"])
    choose(state, "money", "gems", "gems")
    assert state.view(None)["event"]["display"] == "half"
    answer(state, "decline", "decline")
    assert state.view(None)["event"]["display"] == "rob"
    assert state.view(None)["event"]["discards"] == ["half"]


def test_m10_a_scoring_card_taken_face_up_is_laid_open_and_cannot_be_declined() -> None:
    state = table(3, display="per:R")
    choose(state, "event", "money", "gems")
    assert asked(state) == ((0,), "event_card")
    with pytest.raises(IllegalMove):
        state.play(0, "decline")
    state.play(0, "face_up")
    assert state.view(None)["players"][0]["cards"] == ["per:R"]
    assert events(state, "kept") == [{"type": "kept", "seat": 0, "card": "per:R"}]
    assert asked(state) == ((0, 1, 2), "action")


def test_m11_choosing_the_unseen_card_discards_the_display_without_effect_and_for_good() -> None:
    state = table(3, display="three", draws=["half"])
    choose(state, "event", "money", "gems")
    supply = state.view(None)["supply"]
    state.play(0, "blind")
    assert events(state, "drawn", "discarded") == [
        {"type": "drawn", "seat": 0, "card": "half"},
        {"type": "discarded", "seat": 0, "card": "three"},
    ]
    assert state.view(None)["supply"] == supply
    assert state.view(None)["immediate"] == {"seat": 0, "card": "half"}
    for way_back in ("face_up", "blind"):
        with pytest.raises(IllegalMove):
            state.play(0, way_back)


def test_m12_an_unseen_immediate_card_declined_puts_both_cards_under_the_stack_and_nothing_else() -> None:
    state = table(3, display="three", draws=["rob", "swap"])
    choose(state, "event", "money", "money")
    answer(state, "decline", "decline")  # the barter for the money
    before = holdings(state), purses(state)
    answer(state, "blind", "decline")
    assert state.view(None)["event"]["discards"] == ["three", "rob"]
    assert (holdings(state), purses(state)) == before
    assert [player["cards"] for player in state.view(None)["players"]] == [[], [], []]


def test_m13_gems_are_limited_by_the_supply_colour_by_colour() -> None:
    state = table(3, supply=(1, 5, 5, 5), gem_cards={0: "5RRB"})
    choose(state, "gems", "money", "money")
    answer(state, "decline", "decline")
    assert holdings(state)[0] == [4, 3, 3, 4]
    assert state.view(None)["supply"] == [0, 5, 5, 4]


def test_m14_gems_with_nothing_in_the_supply_are_an_action_used_for_nothing() -> None:
    state = table(3, supply=(0, 5, 5, 0), gem_cards={0: "5RRB"})
    choose(state, "gems", "money", "event")
    state.play(2, "face_up")
    assert holdings(state)[0] == [3, 3, 3, 3]
    assert events(state, "gems_moved") == []
    assert asked(state) == ((0, 1, 2), "action")


@pytest.mark.parametrize(
    ("action", "third", "money", "gems"),
    [("money", "gems", 7, [0, 1, 1, 1]), ("gems", "money", 0, [0, 1, 1, 3])],
)
def test_m15_the_winner_of_a_barter_acts_with_his_own_gem_card(
    action: str, third: str, money: int, gems: list[int]
) -> None:
    state = table(3, {0: "RYGB", 1: "RRYGB"}, gem_cards={0: "7BB", 1: "4RRYY"})
    choose(state, action, action, third)
    answer(state, {"offer": [1, 0, 0, 0]}, "accept")
    assert (purses(state)[0], holdings(state)[0]) == (money, gems)
    assert (purses(state)[1], holdings(state)[1]) == (0, [3, 1, 1, 1])
