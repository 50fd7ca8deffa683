"""D14-D24: phases, scorings and the end of the two-player variant (rules.md 3, 7.2)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from games.edel_stein_reich.duel import DuelState
from games.registry import GAMES
from games.rules import IllegalMove
from tests.games.edel_stein_reich.soundness import faults
from tests.games.edel_stein_reich.tables import (
    SEED,
    Holdings,
    answer,
    begin_next_phase,
    duel,
    events,
    holdings,
    purses,
)


def lose_the_turn(state: DuelState) -> None:
    """The active player is caught at once: nothing happens."""
    answer(state, "money", "money")


def last_turn(
    held: dict[int, Holdings], money: Sequence[int] = (0, 0), phase: int = 3, **cards: Sequence[str]
) -> DuelState:
    """The scoring after a tenth turn in which nothing happened; ``zero`` and ``one`` are cards held."""
    own = {0: cards.get("zero", ()), 1: cards.get("one", ())}
    state = duel(held, money=money, cards=own, phase=phase, round_=10, active=1, display="rob")
    lose_the_turn(state)
    return state


def test_d14_a_phase_has_ten_turns_and_the_starter_takes_the_odd_ones() -> None:
    state = GAMES["edel-stein-reich-duel"].new(2, SEED)
    assert isinstance(state, DuelState)
    starter = next(step["seat"] for step in state.steps_since(0) if step.get("chance") == "starter")
    turns = []
    while state.view(None)["phase"] == 1:
        turns.append(state.view(None)["active"])
        lose_the_turn(state)
    assert turns == [starter, 1 - starter] * 5


@pytest.mark.parametrize("started", [0, 1])
def test_d15_the_richer_player_starts_phase_2_whoever_started_before(started: int) -> None:
    state = duel({0: "", 1: ""}, money=[28, 30], round_=10, active=1 - started)
    lose_the_turn(state)
    assert (state.view(None)["phase"], state.view(None)["active"]) == (2, 1)


@pytest.mark.parametrize(
    ("zero", "one", "age_order", "starter"),
    [
        ("RRYYYGGGBBB", "RRYYYGGBB", [1, 0], 0),
        ("RRYYYGGBB", "RRYYYGGGBBB", [0, 1], 1),
        ("RRB", "RYY", [1, 0], 0),
        ("YGG", "YYG", [0, 1], 1),
        ("GGB", "GBB", [1, 0], 0),
        ("RYGB", "RYGB", [1, 0], 1),
        ("RYGB", "RYGB", [0, 1], 0),
    ],
)
def test_d16_with_equal_money_more_gems_start_then_more_red_yellow_green_blue_then_the_youngest(
    zero: str, one: str, age_order: list[int], starter: int
) -> None:
    state = duel({0: zero, 1: one}, money=[20, 20], age_order=age_order)
    begin_next_phase(state)
    assert state.view(None)["active"] == starter


def test_d17_phase_2_plays_the_next_ten_gem_cards_and_none_is_reshuffled() -> None:
    state = GAMES["edel-stein-reich-duel"].new(2, SEED)
    assert isinstance(state, DuelState)
    deck = next(step["cards"] for step in state.steps_since(0) if step.get("chance") == "gem_deck")
    while state.pending:
        view = state.view(None)
        turn = (view["phase"] - 1) * 10 + view["round"] - 1
        assert view["players"][view["active"]]["gem_card"] == deck[turn]
        assert view["gem_discards"] == deck[:turn]
        lose_the_turn(state)
    assert [step["chance"] for step in state.steps_since(0) if "chance" in step].count("gem_deck") == 1


@pytest.mark.parametrize("phase", [1, 2])
def test_d18_a_low_supply_is_replenished_at_the_start_of_phases_2_and_3(phase: int) -> None:
    state = last_turn({0: "R" * 11, 1: "R" * 11}, phase=phase)
    assert events(state, "supply_rule") == [{"type": "supply_rule", "returned": [[1, 0, 0, 0], [1, 0, 0, 0]]}]
    assert holdings(state) == [[8, 0, 0, 0], [8, 0, 0, 0]]
    ended = last_turn({0: "R" * 11, 1: "R" * 11}, phase=3)
    assert events(ended, "supply_rule") == []


@pytest.mark.parametrize(("zero", "one", "paid"), [(2, 1, [10, 4]), (1, 1, [10, 10]), (1, 0, [10, 0]), (0, 0, [0, 0])])
def test_d19_certificates_pay_10_to_the_most_and_4_to_the_second(zero: int, one: int, paid: list[int]) -> None:
    assert purses(last_turn({0: "", 1: ""}, zero=["cert"] * zero, one=["cert"] * one)) == paid


@pytest.mark.parametrize(("colour", "share"), [("R", 7), ("Y", 6), ("G", 5), ("B", 4)])
@pytest.mark.parametrize(("own", "left"), [(1, 0), (2, 0), (5, 3)])
def test_d20_a_tie_pays_half_of_the_colour_to_each_who_returns_at_most_two(
    colour: str, share: int, own: int, left: int
) -> None:
    state = last_turn({0: colour * own, 1: colour * own})
    assert purses(state) == [share, share]
    assert [sum(held) for held in holdings(state)] == [left, left]


def test_d21_a_robbery_has_one_victim_and_halving_hits_both() -> None:
    robbed = duel({0: "RR", 1: "RB"}, display="rob")
    answer(robbed, "event", "money", "gems", "face_up")
    assert robbed.legal_moves(0) == ["decline", {"take": {"1": "R"}}, {"take": {"1": "B"}}]
    answer(robbed, {"take": {"1": "B"}})
    assert holdings(robbed) == [[2, 0, 0, 0], [1, 0, 0, 0]]
    halved = duel({0: "RRRYY", 1: "RBBBB"}, display="halve_all")
    answer(halved, "event", "money", "gems", "face_up", "apply")
    assert holdings(halved) == [[2, 1, 0, 0], [1, 0, 0, 2]]
    assert faults(halved) == []


def test_d22_there_is_no_free_choice_card() -> None:
    state = duel()
    assert state.legal_moves(0) == ["money", "event", "gems"]
    with pytest.raises(IllegalMove):
        state.play(0, "free_choice")
    answer(state, "money")
    assert state.legal_moves(1) == ["money", "event", "gems"]
    with pytest.raises(IllegalMove):
        state.play(1, "free_choice")


@pytest.mark.parametrize(
    ("zero", "one", "money", "ranks"),
    [
        ("RRRR", "RRRRBB", [8, 0], [2, 1]),  # 7+8 against 7+8: two reds, and one blue more
        ("RRR", "YYYY", [0, 2], [2, 1]),  # 14 against 12+2: one gem, two gems
        ("RRRR", "YYYY", [0, 2], [1, 2]),  # 14 against 12+2: two reds, two yellows
        ("RRRRYY", "RRRRGG", [0, 2], [1, 2]),  # 7+12 against 7+10+2: two reds each, then a yellow, a green
        ("RRRRGG", "RRRRBB", [0, 2], [1, 2]),  # 7+10 against 7+8+2: two reds each, then a green, a blue
        ("RRRRY", "RRRRG", [0, 2], [1, 1]),  # 7+12 against 7+10+2: two reds each, and no more
        ("RRYYGGBB", "RRYYGGBB", [0, 0], [1, 1]),
    ],
)
def test_d23_equal_money_at_the_end_is_ranked_by_gems_then_red_yellow_green_blue_then_shared(
    zero: str, one: str, money: list[int], ranks: list[int]
) -> None:
    outcome = last_turn({0: zero, 1: one}, money).outcome
    assert outcome is not None
    assert outcome["ranks"] == ranks


def test_d24_an_event_unclaimed_after_turn_ten_is_discarded_and_does_not_touch_the_scoring() -> None:
    state = last_turn({0: "RR", 1: "R"}, phase=1, zero=["per:R"])
    types = [event["type"] for event in events(state)]
    assert types.index("discarded") < types.index("scored")
    assert events(state, "discarded") == [{"type": "discarded", "seat": None, "card": "rob"}]
    assert state.view(None)["event"]["discards"] == ["rob", "per:R"]
    assert purses(state) == [16, 0]
