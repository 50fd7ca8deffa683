"""The judge on the worked examples and edge cases of `rules.md` 6 and 7, from injected states."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judge.edel_stein_reich import scoring
from tests.judge.edel_stein_reich.immediate import carry_out
from tests.judge.edel_stein_reich.procedure import return_for_short_supply, richer
from tests.judge.edel_stein_reich.table import Table


def table(gems: list[list[int]], held: list[list[str]] | None = None) -> Table:
    """A table with these holdings; the supply is what they leave of 22 a colour."""
    laid = Table.laid(len(gems), bytes(32))
    laid.gems = [list(own) for own in gems]
    laid.supply = [22 - sum(column) for column in zip(*gems, strict=True)]
    laid.held = [list(cards) for cards in held or [[] for _ in gems]]
    laid.age_order = list(range(len(gems)))
    return laid


def test_the_scoring_table_of_the_rule_sheet_is_reproduced() -> None:
    laid = table(
        [[2, 2, 7, 1], [2, 7, 3, 1], [2, 3, 7, 0], [2, 4, 2, 2]],
        [["per:R", "cert", "cert"], ["cert"], ["sole:R", "cert"], ["per:Y", "sole:B"]],
    )
    assert laid.supply == [14, 6, 3, 18]
    scoring.score_phase(laid)
    assert laid.money == [20, 19, 12, 20]
    assert laid.gems == [[0, 2, 5, 1], [0, 3, 3, 1], [0, 3, 5, 0], [0, 4, 2, 1]]
    assert laid.supply == [22, 10, 7, 19]
    assert laid.held == [[], [], [], []]
    assert laid.event_discards == ["per:R", "cert", "cert", "cert", "sole:R", "cert", "per:Y", "sole:B"]


@pytest.mark.parametrize(("tied", "share"), [(2, 7), (3, 4), (4, 3), (5, 2)])
def test_a_tie_on_red_shares_14_and_returns_two_gems_each(tied: int, share: int) -> None:
    laid = table([[4 if seat < tied else 0, 0, 0, 0] for seat in range(5)])
    scoring.score_phase(laid)
    assert laid.money == [share if seat < tied else 0 for seat in range(5)]
    assert [own[0] for own in laid.gems] == [2 if seat < tied else 0 for seat in range(5)]


@pytest.mark.parametrize(
    ("certificates", "paid"),
    [
        ([2, 2, 1, 1], [10, 10, 0, 0]), ([3, 1, 1, 0], [10, 4, 4, 0]), ([1, 0, 0], [10, 0, 0]),
        ([0, 0, 0], [0, 0, 0]), ([1, 1, 1], [10, 10, 10]), ([2, 1, 1, 2], [10, 0, 0, 10]),
    ],
)  # fmt: skip
def test_certificates_pay_the_first_and_after_a_sole_first_the_second(certificates: list[int], paid: list[int]) -> None:
    laid = table([[0, 0, 0, 0] for _ in certificates], [["cert"] * count for count in certificates])
    scoring.score_phase(laid)
    assert laid.money == paid


def test_sole_cards_add_up_and_do_nothing_in_a_tie() -> None:
    both = table([[1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [["sole_any", "sole_any"], [], []])
    scoring.score_phase(both)
    assert both.money == [40, 0, 0]
    red = table([[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [["sole:R", "sole_any"], [], []])
    scoring.score_phase(red)
    assert red.money == [26, 0, 0]
    tied = table([[0, 3, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0]], [["sole:Y"], [], []])
    scoring.score_phase(tied)
    assert tied.money == [6, 6, 0]


@pytest.mark.parametrize(
    ("gems", "colour", "paid", "left"),
    [
        ([5, 1, 0], "R", [7, 0, 0], [2, 1, 0]), ([4, 4, 4], "R", [2, 2, 2], [2, 2, 2]),
        ([2, 2, 2, 2, 2], "B", [0] * 5, [0] * 5), ([0, 0, 0], "G", [0] * 3, [0] * 3),
        ([1, 4, 0], "Y", [0, 6, 0], [1, 2, 0]), ([1, 1, 0], "R", [3, 3, 0], [0, 0, 0]),
    ],
)  # fmt: skip
def test_a_half_scoring_pays_the_leaders_without_cards(
    gems: list[int], colour: str, paid: list[int], left: list[int]
) -> None:
    index = "RYGB".index(colour)
    holdings = [[count if i == index else 0 for i in range(4)] for count in gems]
    cards = [["sole:" + colour, "sole_any", "per:" + colour] for _ in gems]
    laid = table(holdings, cards)
    scoring.score_half(laid, colour)
    assert laid.money == paid
    assert [own[index] for own in laid.gems] == left
    assert laid.held == cards


@pytest.mark.parametrize(
    ("card", "move", "before", "after"),
    [
        ("adjust:RB", "apply", [1, 0, 0, 6], [4, 0, 0, 4]), ("adjust:YG", "apply", [1, 4, 4, 0], [1, 4, 4, 0]),
        ("halve_all", "apply", [7, 3, 1, 0], [4, 2, 1, 0]), ("three", {"colour": "G"}, [0, 0, 0, 0], [0, 0, 3, 0]),
        ("swap", {"give": "R", "seat": 1, "take": "B"}, [1, 0, 0, 0], [0, 0, 0, 1]),
        ("rob", {"take": {"1": "B", "2": "B"}}, [0, 0, 0, 0], [0, 0, 0, 0]),
    ],
)  # fmt: skip
def test_a_sofort_card_does_what_it_says(card: str, move: Any, before: list[int], after: list[int]) -> None:
    laid = table([before, [0, 0, 0, 1], [0, 0, 0, 1]])
    carry_out(laid, 0, card, move)
    assert laid.gems[0] == after
    assert [sum(column) for column in zip(laid.supply, *laid.gems, strict=True)] == [22, 22, 22, 22]


def test_a_supply_that_is_short_gives_what_it_has() -> None:
    adjusted = table([[1, 0, 0, 6], [20, 0, 0, 0], [0, 0, 0, 0]])
    carry_out(adjusted, 0, "adjust:RB", "apply")
    assert adjusted.gems[0] == [2, 0, 0, 4]
    three = table([[0, 0, 0, 0], [0, 0, 20, 0], [0, 0, 0, 0]])
    carry_out(three, 0, "three", {"colour": "G"})
    assert three.gems[0] == [0, 0, 2, 0]


def test_the_rule_of_five_judges_all_colours_on_the_same_state_and_passes_once() -> None:
    laid = table([[10, 6, 3, 0], [10, 10, 0, 0], [0, 0, 0, 0]])
    assert laid.supply == [2, 6, 19, 22]
    return_for_short_supply(laid)
    assert laid.gems == [[9, 6, 3, 0], [9, 10, 0, 0], [0, 0, 0, 0]]
    assert laid.supply == [4, 6, 19, 22]


def test_the_richer_of_two_starts_then_more_gems_then_more_red_then_the_younger() -> None:
    laid = table([[1, 1, 1, 1], [1, 1, 1, 1]])
    laid.age_order = [1, 0]
    assert richer(laid) == 1
    laid.gems = [[2, 0, 1, 1], [1, 1, 1, 1]]
    assert richer(laid) == 0
    laid.gems = [[2, 0, 1, 1], [1, 1, 1, 2]]
    assert richer(laid) == 1
    laid.money = [30, 28]
    assert richer(laid) == 0
