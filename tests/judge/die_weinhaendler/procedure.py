"""The course of the game (`rules.md` 4.2; "When chance steps stand" and "WH end" in `record.md`)."""

from __future__ import annotations

from tests.judge.table import Procedure

from . import cards
from .bidding import bid, exchange
from .cellars import lay
from .table import Table


def play(table: Table) -> Procedure:
    """A whole game from the first chance step to the last card laid."""
    yield from set_up(table)
    while True:
        stack_before = len(table.stack)
        yield from bid(table)
        highest = exchange(table)
        next_start = table.start if highest is None else highest
        yield from lay(table, next_start)
        if table.last_round:
            break
        refill(table)
        table.start = next_start
        table.tell("start", seat=next_start)
        judge_the_stack(table, stack_before)
        table.round += 1
    table.stage = None


def set_up(table: Table) -> Procedure:
    table.start = yield from table.draw_seat("starter")
    table.stack = yield from table.shuffle("deck", "cards", cards.deck(table.seats))
    for _ in range(cards.HAND_AT_START):
        for seat in table.clockwise(table.start):
            table.merchants[seat].hand += table.draw(1)
    for seat, merchant in enumerate(table.merchants):
        table.tell_alone(seat, "hand", cards=cards.highest_first(merchant.hand))
    refill(table)


def refill(table: Table) -> None:
    """The display is filled up to four, or with what the stack has (W-11)."""
    drawn = table.draw(max(0, cards.DISPLAY_SIZE - len(table.display)))
    table.display += drawn
    if drawn:
        table.tell("refill", cards=cards.highest_first(drawn))


def judge_the_stack(table: Table, stack_before: int) -> None:
    """Without a stack, or when it has not shrunk for so long, the next round is the last (W-16, W-21)."""
    table.idle_rounds = 0 if len(table.stack) < stack_before else table.idle_rounds + 1
    if not table.stack or table.idle_rounds == cards.IDLE_LIMIT:
        table.last_round = True
        table.tell("last_round")
