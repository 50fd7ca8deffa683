"""The judge on the worked examples and edge cases of `rules.md` 6.3 to 6.5 and 7.3, from injected states."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judge.die_weinhaendler import cards
from tests.judge.die_weinhaendler.bidding import additions, bid, draw_for_passing, exchange
from tests.judge.die_weinhaendler.cellar import Cell, Cellar
from tests.judge.die_weinhaendler.cellars import offered
from tests.judge.die_weinhaendler.procedure import judge_the_stack, refill
from tests.judge.die_weinhaendler.table import Table

MARC, ANNE, HERMAN, CARL = range(4)


def table(*hands: str, display: str = "", stack: str = "") -> Table:
    """A table with these cards."""
    laid = Table.laid(len(hands), bytes(32))
    for merchant, hand in zip(laid.merchants, hands, strict=True):
        merchant.hand = hand.split()
    laid.display, laid.stack = display.split(), stack.split()
    return laid


def events(laid: Table) -> list[dict[str, Any]]:
    """What was told since the last call."""
    documents = [news.document for news in laid.news if hasattr(news, "document")]
    laid.news.clear()
    return documents


def drive(procedure: Any, *answers: Any) -> None:
    """Answers every request of a procedure in turn, forced ones by hand, until its end."""
    next(procedure)
    for answer in answers[:-1]:
        (ask,) = procedure.send([answer])
        assert ask.legal
    with pytest.raises(StopIteration):
        procedure.send([answers[-1]])


def pile(*wines: tuple[Cell, str]) -> Cellar:
    cellar = Cellar()
    for cell, card in wines:
        cellar.bottles[cell] = card
    return cellar


def full_cellar(card: str = "R6") -> Cellar:
    return pile(*(((level, x), card) for level in range(5) for x in range(5 - level)))


def offer(*wines: str) -> dict[str, Any]:
    return {"cards": list(wines)}


def test_the_bidding_and_the_exchange_of_the_rule_sheet_come_out() -> None:
    laid = table("G14 Y5 empty S10 S17", "G7 R6 R13 P11 P18", "R20 Y12 B9 S24 P25", "B23 R20 G21 Y19 B16",
                 display="S10 S17 S24 P11", stack="P18 P25 R6 R13")  # fmt: skip
    drive(
        bid(laid), offer("G14", "Y5"), offer("G7"), offer("R20", "Y12", "B9"), offer("B23"), offer("empty"),
        "pass", "pass", offer("R20"), "pass", "pass",
    )  # fmt: skip
    assert [merchant.total for merchant in laid.merchants] == [192, 70, 410, 430]
    assert exchange(laid) == CARL
    assert events(laid)[-1]["moves"] == [
        {"to": CARL, "from": "display", "cards": ["S24", "S17", "P11", "S10"]},
        {"to": HERMAN, "from": CARL, "cards": ["B23", "R20"]},
        {"to": MARC, "from": HERMAN, "cards": ["R20", "Y12", "B9"]},
        {"to": ANNE, "from": MARC, "cards": ["G14", "Y5", "empty"]},
        {"to": "display", "from": ANNE, "cards": ["G7"]},
    ]
    assert [len(merchant.hand) for merchant in laid.merchants] == [5, 7, 4, 7]
    refill(laid)
    assert events(laid) == [{"type": "refill", "cards": ["P25", "P18", "R6"]}]


def test_the_cellar_of_ten_points_is_reproduced() -> None:
    cellar = Cellar()
    assert cellar.lay("P25", (0, 0)) == (3, [])
    assert cellar.lay("G14", (0, 1)) == (2, [])
    assert cellar.lay("G7", (0, 2)) == (1, [])
    assert cellar.lay("G21", (1, 1)) == (4, [[(0, 1), (0, 2), (1, 1)]])


@pytest.mark.parametrize("base", [["B9", "B23"], ["B23", "B9"]])
def test_the_card_of_seven_points_is_reproduced(base: list[str]) -> None:
    row = [*base, "R6", "S17", "G7"]
    cellar = pile(*(((0, x), card) for x, card in enumerate(row)), ((1, 1), "B16"), ((1, 2), "B16"))
    assert cellar.lay("B16", (1, 0)) == (7, [[(0, 0), (0, 1), (1, 0)], [(1, 0), (1, 1), (1, 2)]])


def test_bids_are_listed_by_total_then_count_then_values() -> None:
    listed = additions(["S24", "S17", "Y12", "Y5", "Y5", "empty"], [], [240])
    assert listed[:4] == [offer("empty"), offer("Y5"), offer("Y5", "empty"), offer("Y5", "Y5")]
    assert offer("S24") not in listed
    assert listed.index(offer("S17", "Y12")) < listed.index(offer("S24", "Y5"))
    assert listed.index(offer("S17", "Y12")) + 1 == listed.index(offer("S24", "Y5"))
    assert len(listed) == 2**4 * 3 - 2


@pytest.mark.parametrize(
    ("stack", "kept", "under", "shown"),
    [
        ("B9 R20 Y5", "B9", ["Y5", "R20"], ["B9", "R20"]), ("R20 B9 Y5", "B9", ["Y5", "R20"], ["R20", "B9"]),
        ("R20 R20", "R20", ["R20"], ["R20", "R20"]), ("empty Y5", "empty", ["Y5"], ["empty", "Y5"]),
        ("Y5", "Y5", [], ["Y5"]),
    ],
)  # fmt: skip
def test_a_pass_without_a_bid_keeps_the_cheaper_of_two(
    stack: str, kept: str, under: list[str], shown: list[str]
) -> None:
    laid = table("", "", "", stack=stack)
    draw_for_passing(laid, 1)
    assert laid.merchants[1].hand == [kept]
    assert laid.stack == under
    to_bottom = under[-1] if under else None
    assert events(laid) == [
        {"type": "pass_draw", "seat": 1, "shown": shown, "kept": kept, "to_bottom": to_bottom},
    ]
    assert laid.shown == (1 if under else 0)


def test_a_pass_without_a_bid_draws_nothing_from_an_empty_stack() -> None:
    laid = table("", "", "")
    draw_for_passing(laid, 1)
    assert events(laid) == []


def test_a_bottle_needs_two_below_it_and_a_base_row_has_five() -> None:
    assert pile(((0, 0), "R6")).vacant() == [(0, -1), (0, 1)]
    row = pile(*(((0, x), "R6") for x in range(-2, 3)))
    assert row.vacant() == [(1, -2), (1, -1), (1, 0), (1, 1)]
    assert pile(((0, 0), "empty"), ((0, 1), "empty")).cells("R6") == [(0, -1), (0, 0), (0, 1), (0, 2), (1, 0)]
    assert pile(((0, 0), "empty"), ((0, 1), "empty")).cells("empty") == [(0, -1), (0, 2), (1, 0)]


def test_fifteen_full_bottles_end_a_cellar_and_an_empty_among_them_must_be_covered_first() -> None:
    assert full_cellar().complete
    cellar = full_cellar()
    cellar.bottles[1, 2] = "empty"
    assert not cellar.complete
    assert cellar.cells("Y5") == [(1, 2)]
    assert cellar.cells("empty") == []
    assert offered(cellar) == [{"cell": [1, 2], "cards": "full"}]
    cellar.lay("Y5", (1, 2))
    assert (cellar.complete, cellar.covered) == (True, {(1, 2): "empty"})


def test_a_covering_bottle_scores_with_the_cards_above_it_and_an_empty_never() -> None:
    cellar = pile(((0, 0), "empty"), ((0, 1), "R13"), ((1, 0), "R6"))
    assert cellar.lay("R20", (0, 0)) == (4, [[(0, 0), (0, 1), (1, 0)]])
    assert pile(((0, 0), "empty"), ((0, 1), "empty")).lay("empty", (1, 0)) == (0, [])


@pytest.mark.parametrize(
    ("wines", "bonus"),
    [
        (["G7", "G7", "G7"], 4), (["G7", "G14", "G21"], 1), (["G7", "G7", "G14"], 0), (["G7", "R13", "B23"], 0),
        (["empty", "G7", "G7"], 0), (["empty", "empty", "empty"], 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "cells",
    [
        [(0, 0), (0, 1), (0, 2)], [(0, 0), (1, 0), (2, 0)], [(0, 2), (1, 1), (2, 0)], [(0, 0), (0, 1), (1, 0)],
        [(1, 0), (1, 1), (0, 1)],
    ],
)  # fmt: skip
def test_a_trio_pays_in_every_line_and_triangle(wines: list[str], bonus: int, cells: list[Cell]) -> None:
    around = {(level, x): "S10" for level in range(3) for x in range(5 - level)}
    for place in range(3):
        cellar = Cellar({**around, **dict(zip(cells, wines, strict=True))})
        del cellar.bottles[cells[place]]
        card = wines[place]
        cellar.vacant = lambda place=place: [cells[place]]  # type: ignore[method-assign, misc]
        points, trios = cellar.lay(card, cells[place])
        assert points == cards.stars(card) + bonus
        assert trios == ([sorted(cells)] if bonus else [])


@pytest.mark.parametrize("cells", [[(0, 0), (0, 1), (0, 3)], [(0, 0), (1, 1), (2, 0)], [(0, 0), (1, 0), (2, -1)]])
def test_three_equal_bottles_elsewhere_pay_nothing(cells: list[Cell]) -> None:
    cellar = pile(*((cell, "G7") for cell in cells[:2]))
    cellar.vacant = lambda: [cells[2]]  # type: ignore[method-assign]
    assert cellar.lay("G7", cells[2]) == (1, [])


def test_the_last_round_follows_an_empty_stack_or_twenty_rounds_in_which_it_did_not_shrink() -> None:
    laid = table("", "", "", stack="R6")
    for idle in range(1, 20):
        judge_the_stack(laid, 1)
        assert (laid.idle_rounds, laid.last_round) == (idle, False)
    judge_the_stack(laid, 2)
    assert (laid.idle_rounds, laid.last_round) == (0, False)
    for _ in range(20):
        judge_the_stack(laid, 1)
    assert (laid.idle_rounds, laid.last_round) == (20, True)
    assert events(laid) == [{"type": "last_round"}]
    empty = table("", "", "")
    judge_the_stack(empty, 1)
    assert empty.last_round
