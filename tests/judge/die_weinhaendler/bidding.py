"""Bidding, the pass draw and the exchange (`rules.md` 4.2 steps 1 and 2; "WH bidding" in `record.md`)."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from tests.judge.table import Ask, Procedure

from .cards import highest_first, total, value
from .table import Table


def bid(table: Table) -> Procedure:
    """Bids go round clockwise from the start player until everybody has passed."""
    table.stage = "bid"
    while not all(merchant.passed for merchant in table.merchants):
        for seat in table.clockwise(table.start):
            if not table.merchants[seat].passed:
                yield from bid_or_pass(table, seat)
    for merchant in table.merchants:
        merchant.passed = False


def bid_or_pass(table: Table, seat: int) -> Procedure:
    merchant = table.merchants[seat]
    taken = sorted(other.total for other in table.merchants if other is not merchant and other.total is not None)
    bounds = {
        "hand": highest_first(merchant.hand),
        "bid": highest_first(merchant.bid),
        "total": merchant.total,
        "taken": taken,
    }
    (move,) = yield [Ask(seat, "bid", ["pass", *additions(merchant.hand, merchant.bid, taken)], bounds)]
    if move != "pass":
        for wine in move["cards"]:
            merchant.part_with(wine)
            merchant.bid.append(wine)
        return
    merchant.passed = True
    if not merchant.bid:
        draw_for_passing(table, seat)


def additions(hand: list[str], lying: list[str], taken: list[int]) -> list[dict[str, Any]]:
    """What may be added to a bid: by total, number of cards, values."""
    parts = {
        tuple(highest_first(list(part))) for count in range(1, len(hand) + 1) for part in combinations(hand, count)
    }
    legal = [part for part in parts if total([*lying, *part]) not in taken]
    legal.sort(key=lambda part: (total(list(part)), len(part), [value(wine) for wine in part]))
    return [{"cards": list(part)} for part in legal]


def draw_for_passing(table: Table, seat: int) -> None:
    """Who passes without a bid turns up two cards and keeps the cheaper (W-8, W-9)."""
    shown = table.draw(2)
    if not shown:
        return
    kept = min(shown, key=value)
    others = list(shown)
    others.remove(kept)
    table.merchants[seat].gain([kept])
    for wine in others:
        table.put_under(wine)
    table.tell("pass_draw", seat=seat, shown=shown, kept=kept, to_bottom=others[0] if others else None)


def exchange(table: Table) -> int | None:
    """Returns the highest bidder, who takes the display; None without any bid, when nothing moves (W-10 to W-13)."""
    bidders = [seat for seat in range(table.seats) if table.merchants[seat].bid]
    bidders.sort(key=lambda seat: total(table.merchants[seat].bid), reverse=True)
    if not bidders:
        return None
    moves = []
    source: int | str = "display"
    offered = table.display
    for seat in bidders:
        merchant = table.merchants[seat]
        merchant.gain(offered)
        moves.append({"to": seat, "from": source, "cards": highest_first(offered)})
        source, offered, merchant.bid = seat, merchant.bid, []
    table.display = offered
    moves.append({"to": "display", "from": source, "cards": highest_first(offered)})
    table.tell("exchange", moves=moves)
    return bidders[0]
