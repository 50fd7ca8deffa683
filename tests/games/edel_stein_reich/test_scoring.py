"""M58-M75: the scoring at the end of a phase (rules.md 2.7, 7.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from games.edel_stein_reich.state import EdelSteinReichState
from tests.games.edel_stein_reich.tables import Holdings, answer, choose, holdings, purses, scored, table

ROUNDS = {3: 8, 4: 7, 5: 6}


def scoring(
    held: Mapping[int, Holdings], seats: int = 3, cards: Mapping[int, Sequence[str]] | None = None
) -> EdelSteinReichState:
    """The third scoring, after a last round in which nothing happened; seats not named hold nothing."""
    everybody = dict.fromkeys(range(seats), "") | dict(held)
    state = table(seats, everybody, cards=cards, phase=3, round_=ROUNDS[seats], display="rob")
    choose(state, *["money"] * seats)
    assert state.pending == ()
    return state


def reds(state: EdelSteinReichState) -> list[int]:
    return [held[0] for held in holdings(state)]


def certificates(*counts: int) -> list[int]:
    """Return the payments by seat for these numbers of certificates alone."""
    state = scoring({}, seats=len(counts), cards={seat: ["cert"] * count for seat, count in enumerate(counts)})
    return purses(state)


def test_m58_the_sole_leader_of_red_with_seven_is_paid_14_and_returns_four() -> None:
    state = scoring({0: "RRRRRRR", 1: "RRRRRR"})
    assert purses(state) == [14, 0, 0]
    assert reds(state) == [3, 6, 0]
    assert state.view(None)["supply"][0] == 13


@pytest.mark.parametrize(("tied", "share"), [(2, 7), (3, 4), (4, 3), (5, 2)])
def test_m59_tied_leaders_of_red_share_14_rounded_down_and_return_two_each(tied: int, share: int) -> None:
    state = scoring(dict.fromkeys(range(tied), "RRR"), seats=5)
    assert purses(state) == [share] * tied + [0] * (5 - tied)
    assert reds(state) == [1] * tied + [0] * (5 - tied)


def test_m60_five_tied_leaders_of_blue_are_paid_1_each() -> None:
    state = scoring(dict.fromkeys(range(5), "BBB"), seats=5)
    assert purses(state) == [1, 1, 1, 1, 1]
    assert [held[3] for held in holdings(state)] == [1, 1, 1, 1, 1]


def test_m61_leaders_tied_with_one_gem_are_paid_and_return_that_one() -> None:
    state = scoring({0: "R", 1: "R"})
    assert purses(state) == [7, 7, 0]
    assert reds(state) == [0, 0, 0]
    assert scored(state)["R"]["returned"] == [1, 1, 0]


def test_m62_a_colour_nobody_holds_pays_nothing_and_takes_nothing() -> None:
    state = scoring({})
    assert purses(state) == [0, 0, 0]
    for colour in "RYGB":
        row = scored(state)[colour]
        assert row["share"] == row["returned"] == [0, 0, 0]


@pytest.mark.parametrize(("other", "paid"), [("YY", [19, 0, 0]), ("YYY", [6, 6, 0])])
def test_m63_the_bonus_for_sole_yellow_is_paid_alone_and_not_in_a_tie(other: str, paid: list[int]) -> None:
    assert purses(scoring({0: "YYY", 1: other}, cards={0: ["sole:Y"], 2: ["sole:R"]})) == paid


def test_m64_both_cards_for_any_sole_majority_pay_8_for_each_colour_led_alone() -> None:
    state = scoring({0: "RRGG", 1: "BB", 2: "BB"}, cards={0: ["sole_any", "sole_any"]})
    assert purses(state) == [40, 4, 4]
    assert scored(state)["R"]["sole_bonus"] == scored(state)["G"]["sole_bonus"] == [8, 0, 0]


def test_m65_sole_red_and_any_sole_majority_add_up() -> None:
    state = scoring({0: "RR", 1: "R"}, cards={0: ["sole:R", "sole_any"]})
    assert purses(state) == [26, 0, 0]


def test_m66_money_per_red_gem_is_paid_without_a_majority() -> None:
    state = scoring({0: "RRR", 1: "RRRR"}, cards={0: ["per:R"]})
    assert purses(state) == [3, 14, 0]
    assert reds(state) == [3, 2, 0]


def test_m67_money_per_red_gem_counts_them_before_they_are_returned() -> None:
    state = scoring({0: "RRRRRRR"}, cards={0: ["per:R"]})
    assert purses(state) == [21, 0, 0]
    assert reds(state) == [3, 0, 0]


def test_m68_money_per_gem_of_a_colour_not_held_is_nothing() -> None:
    state = scoring({1: "RR"}, cards={0: ["per:R"]})
    assert purses(state) == [0, 14, 0]
    assert scored(state)["R"]["per_gem"] == [0, 0, 0]


def test_m69_certificates_2_2_1_1_pay_10_10_0_0() -> None:
    assert certificates(2, 2, 1, 1) == [10, 10, 0, 0]


def test_m70_certificates_3_1_1_0_pay_10_4_4_0() -> None:
    assert certificates(3, 1, 1, 0) == [10, 4, 4, 0]


def test_m71_certificates_1_0_0_pay_10_0_0() -> None:
    assert certificates(1, 0, 0) == [10, 0, 0]


def test_m72_without_certificates_nobody_is_paid() -> None:
    assert certificates(0, 0, 0) == [0, 0, 0]


def test_m73_certificates_1_1_1_pay_10_each() -> None:
    assert certificates(1, 1, 1) == [10, 10, 10]


def test_m74_scoring_cards_that_paid_nothing_are_handed_in_all_the_same() -> None:
    state = scoring({1: "R"}, cards={0: ["sole:R", "per:B"], 2: ["sole_any"]})
    assert [player["cards"] for player in state.view(None)["players"]] == [[], [], []]
    assert state.view(None)["event"]["discards"] == ["rob", "sole:R", "per:B", "sole_any"]
    assert purses(state) == [0, 14, 0]


def test_m75_a_scoring_card_won_in_the_last_round_counts_at_once() -> None:
    state = table(4, {0: "RRR", 1: "", 2: "", 3: ""}, phase=3, round_=7, display="per:R")
    choose(state, "event", "money", "money", "money")
    answer(state, "face_up")
    assert purses(state) == [14 + 3, 0, 0, 0]
    assert state.view(None)["players"][0]["cards"] == []
