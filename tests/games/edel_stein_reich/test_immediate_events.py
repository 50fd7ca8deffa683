"""M43-M57: what the event cards do that act at once (rules.md 1.2, 7.1)."""

from __future__ import annotations

from typing import Any

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
    purses,
    scored,
    steps,
    table,
)


def holding(card: str, held: dict[int, Holdings], seats: int = 4, **laid: Any) -> EdelSteinReichState:
    """Seat 0 of four or five has taken ``card`` face up and decides about it; the others cancel each other."""
    state = table(seats, held, display=card, **laid)
    choose(state, "event", *["money"] * (seats - 1))
    answer(state, "face_up")
    return state


def test_m43_a_swap_needs_an_own_gem_and_an_opponent_with_one() -> None:
    state = holding("swap", {0: "R", 1: "", 2: "BB", 3: "Y"})
    assert state.legal_moves(0) == [
        "decline",
        {"give": "R", "seat": 2, "take": "B"},
        {"give": "R", "seat": 3, "take": "Y"},
    ]
    with pytest.raises(IllegalMove):
        state.play(0, {"give": "R", "seat": 1, "take": "B"})
    for held in ({0: "", 1: "R", 2: "B", 3: "Y"}, {0: "RR", 1: "", 2: "", 3: ""}):
        idle = holding("swap", held)
        assert steps(idle, "immediate", seat=0)[0] == {
            "seat": 0,
            "decision": "immediate",
            "move": "decline",
            "forced": True,
        }
        assert events(idle, "gems_moved") == []
        assert idle.view(None)["event"]["discards"] == ["swap"]


def test_m44_a_swap_of_two_gems_of_one_colour_is_legal_and_changes_nothing() -> None:
    state = holding("swap", {0: "RY", 1: "RB", 2: "RG", 3: "R"})
    state.play(0, {"give": "R", "seat": 1, "take": "R"})
    assert holdings(state) == [[1, 1, 0, 0], [1, 0, 0, 1], [1, 0, 1, 0], [1, 0, 0, 0]]


def test_m45_a_robbery_passes_over_an_opponent_without_gems_and_takes_one_of_all_others() -> None:
    state = holding("rob", {0: "R", 1: "RB", 2: "", 3: "YY"})
    assert state.decision(0)["take"] == {"1": ["R", "B"], "3": ["Y"]}
    state.play(0, {"take": {"1": "B", "3": "Y"}})
    assert holdings(state) == [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]


def test_m46_robbed_gems_go_to_the_supply_and_not_to_the_player() -> None:
    state = holding("rob", {0: "R", 1: "RB", 2: "GG", 3: "YY"})
    supply = state.view(None)["supply"]
    state.play(0, {"take": {"1": "B", "2": "G", "3": "Y"}})
    assert holdings(state)[0] == [1, 0, 0, 0]
    assert state.view(None)["supply"] == [supply[0], supply[1] + 1, supply[2] + 1, supply[3] + 1]
    assert [event["to"] for event in events(state, "gems_moved")] == ["supply"] * 3


def test_m47_three_gems_of_a_colour_are_two_when_the_supply_has_two() -> None:
    state = holding("three", {0: "R"}, supply=(5, 5, 2, 5))
    state.play(0, {"colour": "G"})
    assert holdings(state)[0] == [1, 0, 2, 0]
    assert state.view(None)["supply"] == [5, 5, 0, 5]


@pytest.mark.parametrize("reds", [3, 9])
def test_m48_an_adjustment_of_red_1_and_blue_6_makes_four_of_each(reds: int) -> None:
    state = holding("adjust:RB", {0: "RGBBBBBB"}, supply=(reds, 5, 5, 5))
    state.play(0, "apply")
    assert holdings(state)[0] == [4, 0, 1, 4]
    assert state.view(None)["supply"] == [reds - 3, 5, 5, 7]
    assert events(state, "gems_moved") == [
        {"type": "gems_moved", "from": 0, "to": "supply", "gems": [0, 0, 0, 2], "why": "adjust"},
        {"type": "gems_moved", "from": "supply", "to": 0, "gems": [3, 0, 0, 0], "why": "adjust"},
    ]


def test_m49_an_adjustment_takes_what_the_supply_has() -> None:
    state = holding("adjust:RB", {0: "RGBBBBBB"}, supply=(1, 5, 5, 5))
    state.play(0, "apply")
    assert holdings(state)[0] == [2, 0, 1, 4]
    assert state.view(None)["supply"] == [0, 5, 5, 7]


def test_m50_an_adjustment_of_four_and_four_changes_nothing() -> None:
    state = holding("adjust:YG", {0: "RYYYYGGGG"})
    state.play(0, "apply")
    assert holdings(state)[0] == [1, 4, 4, 0]
    assert events(state, "gems_moved") == []


def test_m51_everybody_returns_half_of_each_colour_rounded_down() -> None:
    state = holding("halve_all", {0: (7, 3, 1, 0), 1: (0, 1, 2, 3), 2: (4, 5, 6, 7), 3: ""})
    supply = state.view(None)["supply"]
    state.play(0, "apply")
    assert holdings(state) == [[4, 2, 1, 0], [0, 1, 1, 2], [2, 3, 3, 4], [0, 0, 0, 0]]
    assert state.view(None)["supply"] == [supply[0] + 5, supply[1] + 3, supply[2] + 4, supply[3] + 4]
    assert events(state, "gems_moved")[0] == {
        "type": "gems_moved",
        "from": 0,
        "to": "supply",
        "gems": [3, 1, 0, 0],
        "why": "halve_all",
    }


def test_m52_half_red_pays_a_sole_leader_of_five_7_and_takes_three() -> None:
    state = holding("half", {0: "RRRRR", 1: "RRRR", 2: "", 3: "R"})
    state.play(0, {"colour": "R"})
    assert purses(state) == [7, 0, 0, 0]
    assert [held[0] for held in holdings(state)] == [2, 4, 0, 1]
    assert events(state, "scored")[0]["phase"] is None


def test_m53_half_red_pays_three_tied_leaders_2_each_and_takes_two_of_each() -> None:
    state = holding("half", {0: "RRR", 1: "RRR", 2: "RR", 3: "RRR"})
    state.play(0, {"colour": "R"})
    assert purses(state) == [2, 2, 0, 2]
    assert [held[0] for held in holdings(state)] == [1, 1, 2, 1]


def test_m54_half_blue_pays_five_tied_leaders_nothing_and_takes_two_of_each() -> None:
    state = holding("half", dict.fromkeys(range(5), "BBB"), seats=5)
    state.play(0, {"colour": "B"})
    assert purses(state) == [0, 0, 0, 0, 0]
    assert [held[3] for held in holdings(state)] == [1, 1, 1, 1, 1]


def test_m55_half_of_a_colour_nobody_holds_has_no_effect() -> None:
    state = holding("half", dict.fromkeys(range(4), "RYB"))
    state.play(0, {"colour": "G"})
    assert purses(state) == [0, 0, 0, 0]
    assert holdings(state) == [[1, 1, 0, 1]] * 4
    assert scored(state)["G"]["returned"] == [0, 0, 0, 0]


def test_m56_a_half_scoring_uses_no_scoring_cards_and_leaves_them_with_their_owners() -> None:
    own = {0: ["sole:R", "sole_any", "per:R"], 1: ["cert"]}
    state = holding("half", {0: "RRRRR", 1: "R", 2: "", 3: ""}, cards=own)
    state.play(0, {"colour": "R"})
    assert purses(state) == [7, 0, 0, 0]
    assert [player["cards"] for player in state.view(None)["players"]] == [own[0], own[1], [], []]
    assert scored(state)["R"]["sole_bonus"] == scored(state)["R"]["per_gem"] == [0, 0, 0, 0]


def test_m57_half_of_a_colour_an_opponent_leads_pays_him_and_he_returns() -> None:
    state = holding("half", {0: "R", 1: "RRRR", 2: "", 3: ""})
    state.play(0, {"colour": "R"})
    assert purses(state) == [0, 7, 0, 0]
    assert [held[0] for held in holdings(state)] == [1, 2, 0, 0]
    assert asked(state) == ((0, 1, 2, 3), "action")
