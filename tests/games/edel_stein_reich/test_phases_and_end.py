"""M76-M85: between two phases, the event stack, and the end (rules.md 2.2, 2.8, 2.9, 7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from games.edel_stein_reich.state import EdelSteinReichState
from games.registry import GAMES
from tests.games.edel_stein_reich.soundness import faults
from tests.games.edel_stein_reich.tables import (
    SEED,
    TABLES,
    Holdings,
    answer,
    begin_next_phase,
    bury_the_pile,
    choose,
    events,
    holdings,
    purses,
    table,
)


def column(state: EdelSteinReichState, colour: str) -> list[int]:
    """Return the number of gems of a color by seat."""
    return [held["RYGB".index(colour)] for held in holdings(state)]


@pytest.mark.parametrize(("own", "supply", "left"), [(5, 5, [4, 5, 3, 1]), (4, 6, [4, 6, 4, 2])])
def test_m76_a_supply_of_five_is_replenished_at_the_start_of_a_phase_and_one_of_six_is_not(
    own: int, supply: int, left: list[int]
) -> None:
    state = table(4, {0: "R" * own, 1: "RRRRRR", 2: "RRRR", 3: "RR"})
    assert state.view(None)["supply"][0] == supply
    begin_next_phase(state)
    assert column(state, "R") == left
    assert bool(events(state, "supply_rule")) is (supply == 5)


def test_m77_two_low_colours_are_both_replenished_and_judged_together() -> None:
    state = table(4, {0: "RRRRRYYYYY", 1: "RRRRRRYYYYYY", 2: "RRRRGGGYYY", 3: "RRYYYB"})
    assert state.view(None)["supply"] == [5, 5, 19, 21]
    begin_next_phase(state)
    assert holdings(state) == [[4, 4, 0, 0], [5, 5, 0, 0], [3, 2, 3, 0], [1, 2, 0, 1]]
    assert events(state, "supply_rule") == [
        {"type": "supply_rule", "returned": [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]}
    ]


def test_m78_a_supply_still_low_after_the_returns_is_not_replenished_twice() -> None:
    state = table(3, {0: "R" * 10, 1: "R" * 10, 2: ""})
    begin_next_phase(state)
    assert column(state, "R") == [9, 9, 0]
    assert state.view(None)["supply"][0] == 4
    assert len(events(state, "supply_rule")) == 1


def test_m79_a_player_without_the_colour_returns_nothing() -> None:
    state = table(3, {0: "R" * 9 + "Y", 1: "R" * 9 + "B", 2: "YGB"})
    begin_next_phase(state)
    assert events(state, "supply_rule")[0]["returned"] == [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert holdings(state)[2] == [0, 1, 1, 1]


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_m80_the_supply_is_not_replenished_before_phase_1_nor_after_phase_3(seats: int) -> None:
    dealt = GAMES["edel-stein-reich"].new(seats, SEED)
    assert [entry for entry in dealt.entries(None) if entry.get("event", {}).get("type") == "supply_rule"] == []
    assert dealt.view(None)["players"][0]["gems"] == [3, 3, 3, 3]
    ended = table(4, {0: "RRRRRR", 1: "RRRRRR", 2: "RRRRR", 3: "RRRRR"}, phase=3, round_=7)
    choose(ended, "money", "money", "money", "money")
    assert ended.pending == ()
    assert column(ended, "R") == [4, 4, 5, 5]
    assert events(ended, "supply_rule") == []


def test_m81_a_used_up_event_stack_is_reshuffled_without_held_and_displayed_cards() -> None:
    held = {1: ["per:R", "cert"], 2: ["sole_any"]}
    state = table(3, cards=held, display="swap")
    bury_the_pile(state)
    choose(state, "event", "money", "gems")
    state.play(0, "blind")
    assert events(state, "reshuffle") == [{"type": "reshuffle", "count": 39 - 3 - 1}]
    deck = [step for step in state.steps_since(0) if step.get("chance") == "event_deck"][-1]["cards"]
    assert deck.count("swap") == 3
    assert (deck.count("per:R"), deck.count("cert"), deck.count("sole_any")) == (0, 14, 1)
    unclaimed = table(3, cards=held, display="swap")
    bury_the_pile(unclaimed)
    choose(unclaimed, "money", "money", "money")
    assert events(unclaimed, "reshuffle", "event_up")[0] == {"type": "reshuffle", "count": 39 - 3}
    assert faults(unclaimed) == []


def test_m82_the_event_stack_is_not_shuffled_when_the_phase_changes() -> None:
    state = table(3, cards={0: ["per:B"]}, round_=8, display="rob", draws=["halve_all", "adjust:RB"], discards=["half"])
    choose(state, "money", "money", "money")
    view = state.view(None)
    assert (view["phase"], view["event"]["display"]) == (2, "halve_all")
    assert view["event"]["discards"] == ["half", "rob", "per:B"]
    assert events(state, "reshuffle") == []
    choose(state, "money", "money", "money")
    assert state.view(None)["event"]["display"] == "adjust:RB"


@pytest.mark.parametrize(
    ("held", "money", "ranks"),
    [
        (["", "RRR", "YYYY"], [5, 3, 4], [2, 4, 3]),
        (["BB", "GGG", "R"], [5, 5, 5], [3, 2, 4]),
        (["YYY", "RBB", "GGG"], [5, 5, 5], [3, 2, 4]),
        (["RG", "RY", "RB"], [5, 5, 5], [3, 2, 4]),
        (["RYB", "RYG", "YYY"], [5, 5, 5], [3, 2, 4]),
        (["RYB", "YYY", "RYB"], [5, 5, 5], [2, 4, 2]),
        (["RYGB", "RYGB", "RYGB"], [0, 0, 0], [2, 2, 2]),
    ],
)
def test_m83_equal_money_is_ranked_by_gems_then_red_yellow_green_blue_then_shared(
    held: Sequence[Holdings], money: Sequence[int], ranks: list[int]
) -> None:
    # The fourth seat leads every colour, so that the scoring pays none of the three who are compared.
    state = table(4, {**dict(enumerate(held)), 3: (9, 9, 9, 9)}, money=[*money, 0], phase=3, round_=7)
    choose(state, "money", "money", "money", "money")
    assert purses(state) == [*money, 44]
    assert state.outcome is not None
    assert state.outcome["ranks"] == [*ranks, 1]


def test_m84_the_bank_pays_more_than_all_its_money() -> None:
    state = table(3, money=[425, 0, 0], gem_cards={1: "7BB"})
    choose(state, "event", "money", "gems")
    state.play(0, "face_up")
    assert purses(state) == [425, 7, 0]


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_m85_after_every_step_no_gem_or_card_is_lost_and_nothing_is_negative(slug: str, seats: int) -> None:
    state = GAMES[slug].new(seats, SEED)
    assert isinstance(state, EdelSteinReichState)
    random = Random(seats)
    while state.pending:
        assert faults(state) == []
        seat = random.choice(state.pending)
        state.play(seat, state.random_move(seat, random))
    assert faults(state) == []


def test_a_table_laid_out_by_hand_is_sound() -> None:
    state = table(5, {0: "RRB"}, supply=(1, 0, 2, 3), cards={1: ["cert"]}, display="half", draws=["rob"], round_=3)
    assert faults(state) == []
    choose(state, "free_choice", "event", "money", "money", "money")
    answer(state, "blind")
    assert faults(state) == []
