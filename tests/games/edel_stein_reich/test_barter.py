"""M16-M33: who opens a barter, what may be offered, and what is paid (rules.md 2.5, 7.1)."""

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
    offer,
    purses,
    put_back,
    steps,
    table,
)


def bartering(zero: Holdings, one: Holdings, **laid: Any) -> EdelSteinReichState:
    """Seats 0 and 1 of three both want the money of their gem cards, 7 and 4 millions."""
    state = table(3, {0: zero, 1: one}, gem_cards={0: "7BB", 1: "4RRYY"}, **laid)
    choose(state, "money", "money", "gems")
    return state


def refused(state: EdelSteinReichState, move: Any) -> bool:
    (seat,) = state.pending
    try:
        state.check(seat, move)
    except IllegalMove:
        return True
    return False


def test_m16_with_as_many_reds_the_one_with_fewer_yellows_opens() -> None:
    assert asked(bartering("RRYYYG", "RRYYGGG")) == ((1,), "open_barter")


@pytest.mark.parametrize(
    ("money", "age_order", "opener"),
    [([9, 5, 0], [0, 1, 2], 1), ([5, 9, 0], [1, 0, 2], 0), ([5, 5, 0], [2, 1, 0], 1), ([5, 5, 0], [0, 2, 1], 0)],
)
def test_m17_with_equal_gems_the_one_with_less_money_opens_and_then_the_youngest(
    money: list[int], age_order: list[int], opener: int
) -> None:
    state = bartering("RYGB", "RYGB", money=money, age_order=age_order)
    assert asked(state) == ((opener,), "open_barter")


def test_m18_an_opener_without_gems_declines_by_force_and_the_other_may_give_one_gem_and_act() -> None:
    state = bartering("", "RRY")
    assert asked(state) == ((1,), "counter_gift")
    assert state.view(None)["barter"] == {
        "action": "money",
        "opener": 0,
        "other": 1,
        "declined": [0],
        "offers": [],
    }
    state.play(1, {"gift": "Y"})
    assert holdings(state)[:2] == [[0, 1, 0, 0], [2, 0, 0, 0]]
    assert purses(state) == [0, 4, 0]


def test_m19_an_opener_who_could_offer_may_decline_all_the_same() -> None:
    state = bartering("R", "RRY")
    answer(state, "decline")
    assert asked(state) == ((1,), "counter_gift")
    state.play(1, {"gift": "R"})
    assert holdings(state)[:2] == [[2, 0, 0, 0], [1, 1, 0, 0]]
    assert purses(state) == [0, 4, 0]


def test_m20_a_gift_of_two_gems_is_illegal() -> None:
    state = bartering("R", "RRY")
    answer(state, "decline")
    assert state.legal_moves(1) == ["decline", {"gift": "R"}, {"gift": "Y"}]
    for gift in ({"gift": "RR"}, {"gift": ["R", "Y"]}, {"gift": "R", "also": "Y"}, offer("RR")):
        assert refused(state, gift)


@pytest.mark.parametrize("other", ["RRY", ""])
def test_m21_refused_twice_the_action_is_void_and_no_gem_moves(other: str) -> None:
    state = bartering("R" if other else "", other)
    if other:
        answer(state, "decline", "decline")
    assert events(state, "void") == [{"type": "void", "action": "money"}]
    assert purses(state) == [0, 0, 0]
    assert [event["why"] for event in events(state, "gems_moved")] == ["gems"]
    assert asked(state) == ((0, 1, 2), "action")


def test_m22_without_gems_a_standing_offer_must_be_accepted() -> None:
    state = bartering("R", "RR")
    put_back(state, 1)  # who answers never has fewer gems than the opener, so no game comes here by itself
    answer(state, offer("R"))
    assert steps(state, "answer_offer", seat=1) == [
        {"seat": 1, "decision": "answer_offer", "move": "accept", "forced": True}
    ]
    assert holdings(state)[:2] == [[0, 0, 0, 0], [1, 0, 0, 0]]
    assert purses(state) == [7, 0, 0]


def standing(own: Holdings, theirs: Holdings, offered: Holdings) -> EdelSteinReichState:
    """Seat 0 has opened with ``offered`` out of ``theirs``; seat 1 answers out of ``own``."""
    state = bartering(theirs, own)
    answer(state, offer(offered))
    assert asked(state) == ((1,), "answer_offer")
    return state


def test_m23_an_offer_equal_to_the_standing_one_is_illegal() -> None:
    assert refused(standing("RRYYY", "RRYY", "RY"), offer("RY"))


def test_m24_three_blues_top_two_reds() -> None:
    assert not refused(standing("RRRBBB", "RR", "RR"), offer("BBB"))


def test_m25_two_reds_do_not_top_three_blues() -> None:
    state = standing("RRRY", "BBB", "BBB")
    assert refused(state, offer("RR"))
    assert not refused(state, offer("RRR"))


def test_m26_red_and_blue_top_two_yellows_and_not_the_other_way_round() -> None:
    assert not refused(standing("RYYYBB", "RYY", "YY"), offer("RB"))
    assert refused(standing("RYYYBB", "RYYB", "RB"), offer("YY"))


def test_m27_yellow_and_blue_top_two_greens() -> None:
    assert not refused(standing("YYGGBB", "GG", "GG"), offer("YB"))


def test_m28_an_offer_beyond_ones_own_gems_or_of_nothing_and_raising_oneself_are_illegal() -> None:
    state = bartering("RRY", "RRRY")
    for offered in ([3, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0], [-1, 1, 0, 0]):
        assert refused(state, {"offer": offered})
    answer(state, offer("R"))
    with pytest.raises(LookupError):
        state.play(0, offer("RR"))


def test_m29_a_higher_offer_need_not_keep_a_gem_of_the_former_one() -> None:
    state = standing("RRYYYGG", "RRYYY", "YY")
    answer(state, offer("RR"))
    assert not refused(state, offer("YYY"))
    answer(state, offer("YYY"), "accept")
    assert holdings(state)[:2] == [[2, 0, 0, 0], [2, 6, 2, 0]]


def test_m30_on_acceptance_the_gems_go_to_the_acceptor_and_the_offerer_acts() -> None:
    state = table(3, {0: "RY", 1: "RRG"}, gem_cards={0: "7BB", 1: "4RRYY"})
    choose(state, "money", "money", "event")
    supply = state.view(None)["supply"]
    answer(state, offer("Y"), offer("R"), "accept")
    assert holdings(state)[:2] == [[2, 1, 0, 0], [1, 0, 1, 0]]
    assert state.view(None)["supply"] == supply
    assert events(state, "gems_moved", "money") == [
        {"type": "gems_moved", "from": 1, "to": 0, "gems": [1, 0, 0, 0], "why": "barter"},
        {"type": "money", "seat": 1, "amount": 4},
    ]


def test_m31_gems_paid_for_an_event_stay_paid_when_its_card_is_declined() -> None:
    state = table(3, {0: "RY", 1: "RRG"}, display="rob")
    choose(state, "event", "event", "money")
    answer(state, offer("Y"), "accept", "face_up", "decline")
    assert holdings(state) == [[1, 0, 0, 0], [2, 1, 1, 0], [3, 3, 3, 3]]
    assert state.view(None)["event"]["discards"] == ["rob"]


def test_m32_the_opener_is_judged_on_the_gems_that_an_action_before_has_left() -> None:
    state = table(3, {0: "RRY", 1: "RRYY"}, display="rob")
    choose(state, "gems", "gems", "event")
    answer(state, "face_up", {"take": {"0": "Y", "1": "R"}})
    assert holdings(state)[:2] == [[2, 0, 0, 0], [1, 2, 0, 0]]
    assert asked(state) == ((1,), "open_barter")


@pytest.mark.parametrize(
    "extra",
    [
        {"offer": [1, 0, 0, 0], "money": 3},
        {"offer": [1, 0, 0, 0, 3]},
        {"offer": {"R": 1, "cert": 1}},
        {"offer": [1, 0, 0, 0], "promise": "two reds next round"},
        {"money": 3},
        {"cards": ["cert"]},
    ],
)
def test_m33_money_cards_and_promises_cannot_be_written_into_an_offer(extra: dict[str, Any]) -> None:
    assert refused(bartering("RR", "RRR", money=[9, 9, 9], cards={0: ["cert"]}), extra)
