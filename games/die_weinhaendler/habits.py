"""Habits: how seats bid and lay, from the steps of a game.

A decision counts only if the seat made it: not if only one move was legal, and not if the platform played for it.
"""

from __future__ import annotations

from typing import Any, Final

from games.die_weinhaendler.cards import EMPTY, NUMBERS, TENTHS
from games.die_weinhaendler.cellar import NEW
from games.die_weinhaendler.grid import cell_of
from games.die_weinhaendler.state import WeinhaendlerState
from games.rules import State
from games.statistics import Habit, Habits

_BIDS, _CELLAR = "Bidding", "Cellar"

COLUMNS: Final[tuple[Habit, ...]] = (
    Habit("passes", _BIDS, "Passes without a bid", "Share of rounds without a bid.", "rounds"),
    Habit("takes_display", _BIDS, "Takes the display", "Share of rounds with the highest bid.", "rounds"),
    Habit("total", _BIDS, "Bid total", "Average total of the final bid.", "bids", share=False, scale=10),
    Habit("cards", _BIDS, "Bottles in the bid", "Average number of bottles in the final bid.", "bids", share=False),
    Habit("raises", _BIDS, "Raises", "Average number of times that the player added to a bid.", "bids", share=False),
    Habit(
        "laid",
        _CELLAR,
        "Bottles laid per round",
        "Average number of bottles laid, including empty bottles.",
        "rounds",
        share=False,
    ),
    Habit("empties", _CELLAR, "Empty bottles", "Share of empty bottles among the bottles laid.", "bottles laid"),
    Habit("trios", _CELLAR, "Trio bottles", "Share of bottles that completed a trio.", "bottles laid"),
)


class _Counting:
    """Reads the steps once. ``bids`` contains by seat the bottles bid in this round and the number of additions."""

    def __init__(self, seats: int) -> None:
        self.habits: list[Habits] = [{} for _ in range(seats)]
        self.cellars = [NEW] * seats
        self.bids: dict[int, list[int]] = {}
        self.laid = [0] * seats
        self.bidding = False
        self.rounds = 0

    def count(self, seat: int, habit: str, amount: int) -> None:
        """Count one more occasion."""
        total = self.habits[seat].setdefault(habit, [0, 0])
        total[0] += amount
        total[1] += 1

    def bid(self, seat: int, move: Any, own: bool) -> None:
        """Count a bid, a raise or a pass. The first bid of each round ends the previous round."""
        if not self.bidding:
            self.end_round()
            self.bidding = True
            self.rounds += 1
            self.bids = {}
        if move == "pass":
            if own and seat not in self.bids:
                self.count(seat, "passes", 1)
            return
        if own and seat not in self.bids:
            self.count(seat, "passes", 0)
        tenths, cards, times = self.bids.get(seat, [0, 0, 0])
        codes: list[str] = move["cards"]
        self.bids[seat] = [tenths + sum([TENTHS[NUMBERS[code]] for code in codes]), cards + len(codes), times + 1]

    def exchange(self) -> None:
        """Count the final bids, after all seats have passed. No two bids are equal."""
        self.bidding = False
        highest = max(self.bids.values(), default=[0])
        for seat in range(len(self.habits)):
            bid = self.bids.get(seat)
            self.count(seat, "takes_display", int(bid is not None and bid is highest))
            if bid is not None:
                self.count(seat, "total", bid[0])
                self.count(seat, "cards", bid[1])
                self.count(seat, "raises", bid[2] - 1)

    def lay(self, seat: int, move: Any) -> None:
        """Count a laid bottle, or the end of laying."""
        if self.bidding:
            self.exchange()
        if move == "done":
            return
        card, cell = NUMBERS[move["card"]], cell_of(*move["cell"])
        cellar = NEW if self.cellars[seat].full else self.cellars[seat]
        self.count(seat, "empties", int(card == EMPTY))
        self.count(seat, "trios", int(cellar.bonus(card, cell) > 0))
        self.cellars[seat] = cellar.with_bottle(card, cell)
        self.laid[seat] += 1

    def end_round(self) -> None:
        """Count the bottles laid in the round that ends, if there was one."""
        if self.rounds:
            for seat, number in enumerate(self.laid):
                self.count(seat, "laid", number)
        self.laid = [0] * len(self.laid)


def habits_of(state: State) -> list[Habits]:
    """Return the habits of a finished game by seat. Raises ``ValueError`` while it runs."""
    if not isinstance(state, WeinhaendlerState) or state.outcome is None:
        raise ValueError("habits need a finished game of Die Weinhändler")
    counting = _Counting(state.seats)
    for seat, kind, move, mark in state.steps:
        if kind == "bid":
            counting.bid(seat, move, not mark)
        elif kind == "lay":
            counting.lay(seat, move)
    if counting.bidding:
        counting.exchange()
    counting.end_round()
    return counting.habits
