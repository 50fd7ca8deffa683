"""M34-M42: Free Choice, the fourth action of a table of five (rules.md 2.6, 7.1)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from games.edel_stein_reich.state import EdelSteinReichState
from games.rules import IllegalMove
from tests.games.edel_stein_reich.tables import (
    Holdings,
    answer,
    asked,
    choose,
    events,
    holdings,
    steps,
    table,
)

EVENT_TO_ALL = ["event"] * 5
"""Canceled, so that nothing else happens in the round."""


def choosing(choosers: int, held: dict[int, Holdings], supply: Sequence[int] | None = None) -> EdelSteinReichState:
    """The first ``choosers`` of five are on Free Choice; the others (three or more of them) cancel each other."""
    state = table(5, held, supply=supply)
    others = 5 - choosers
    choose(state, *["free_choice"] * choosers, *(EVENT_TO_ALL[:others] if others > 2 else ["money", "gems"][:others]))
    return state


def test_m34_alone_a_player_gives_one_gem_back_and_takes_two() -> None:
    state = choosing(1, {0: "RYGB"})
    supply = state.view(None)["supply"]
    state.play(0, {"give": "B", "take": ["R", "R"]})
    assert holdings(state)[0] == [3, 1, 1, 0]
    assert state.view(None)["supply"] == [supply[0] - 2, supply[1], supply[2], supply[3] + 1]


def test_m35_alone_without_gems_there_is_no_effect() -> None:
    state = choosing(1, {0: ""})
    assert steps(state, "free_choice", seat=0) == [
        {"seat": 0, "decision": "free_choice", "move": "decline", "forced": True}
    ]
    assert events(state, "gems_moved") == []
    assert asked(state) == ((0, 1, 2, 3, 4), "action")


def test_m36_alone_with_an_empty_supply_the_only_gem_to_take_is_the_one_given() -> None:
    state = choosing(1, {0: "RRB"}, supply=(0, 0, 0, 0))
    assert state.legal_moves(0) == ["decline", {"give": "R", "take": ["R"]}, {"give": "B", "take": ["B"]}]
    state.play(0, {"give": "R", "take": ["R"]})
    assert holdings(state)[0] == [2, 0, 0, 1]
    assert state.view(None)["supply"] == [0, 0, 0, 0]


def test_m37_alone_a_player_may_decline() -> None:
    state = choosing(1, {0: "RYGB"})
    state.play(0, "decline")
    assert holdings(state)[0] == [1, 1, 1, 1]
    assert events(state, "gems_moved") == []


def test_m38_of_two_the_one_with_fewer_reds_picks_first_and_each_takes_one_gem() -> None:
    state = choosing(2, {0: "RRR", 1: "R"})
    assert state.view(None)["free_choice"] == {"order": [1, 0], "next": 0}
    with pytest.raises(IllegalMove):
        state.play(1, {"give": "R", "take": ["B", "B"]})
    answer(state, {"take": ["B"]})
    assert state.view(None)["free_choice"] == {"order": [1, 0], "next": 1}
    answer(state, {"take": ["R"]})
    assert holdings(state)[:2] == [[4, 0, 0, 0], [1, 0, 0, 1]]


@pytest.mark.parametrize("choosers", [3, 4, 5])
def test_m39_three_four_or_five_on_free_choice_all_take_a_gem(choosers: int) -> None:
    state = choosing(choosers, dict.fromkeys(range(5), "RY"))
    answer(state, *[{"take": ["G"]}] * choosers)
    assert [held[2] for held in holdings(state)[:choosers]] == [1] * choosers
    assert events(state, "cancelled") == [
        event for event in events(state, "cancelled") if event["action"] != "free_choice"
    ]


def test_m40_the_last_gem_of_a_colour_taken_first_cannot_be_taken_again() -> None:
    state = choosing(2, {0: "Y", 1: "R"}, supply=(1, 1, 1, 1))
    answer(state, {"take": ["R"]})
    assert asked(state) == ((1,), "free_choice")
    assert state.legal_moves(1) == ["decline", {"take": ["Y"]}, {"take": ["G"]}, {"take": ["B"]}]
    with pytest.raises(IllegalMove):
        state.play(1, {"take": ["R"]})


def test_m41_a_picker_who_finds_the_supply_empty_gets_nothing() -> None:
    state = choosing(2, {0: "Y", 1: "R"}, supply=(1, 0, 0, 0))
    answer(state, {"take": ["R"]})
    assert holdings(state)[:2] == [[1, 1, 0, 0], [1, 0, 0, 0]]
    assert steps(state, "free_choice")[1] == {"seat": 1, "decision": "free_choice", "move": "decline"}
    assert asked(state) == ((0, 1, 2, 3, 4), "action")


def test_m42_the_order_goes_by_the_gems_after_the_other_actions_of_the_round() -> None:
    state = table(5, {0: "RRY", 1: "RRYY", 3: "Y", 4: "B"}, display="rob")
    choose(state, "free_choice", "free_choice", "event", "money", "gems")
    answer(state, "face_up", {"take": {"0": "Y", "1": "R", "3": "Y", "4": "B"}})
    assert holdings(state)[:2] == [[2, 0, 0, 0], [1, 2, 0, 0]]
    assert state.view(None)["free_choice"] == {"order": [1, 0], "next": 0}
