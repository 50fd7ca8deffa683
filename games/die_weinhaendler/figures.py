"""Statistics of a finished game of Die Weinhändler: points, trios and bids by four rounds, and its turning point."""

from __future__ import annotations

from typing import Any, Final

from games.die_weinhaendler.cards import NUMBERS, STARS, TENTHS
from games.die_weinhaendler.cellar import NEW
from games.die_weinhaendler.grid import cell_of
from games.die_weinhaendler.state import WeinhaendlerState
from games.rules import State
from games.statistics import Figure, Figures, led_for_good, tables, winner

COLUMNS: Final[tuple[Figure, ...]] = (
    Figure("points", "Points", "Points of all bottles laid."),
    Figure("trios", "Trio points", "Points for trios, not counting stars."),
    Figure("bottles", "Bottles laid", "Bottles laid in cellars, including empty bottles."),
    Figure("highest_bids", "Highest bids", "Rounds in which the player's bid was the highest and took the display."),
    Figure("lower_bids", "Lower bids", "Rounds in which the player's bid was lower and took the next higher bid."),
    Figure("passes", "Passes", "Rounds in which the player passed without a bid."),
)

ROUNDS: Final = 4
"""The number of rounds per stretch. The last stretch contains all remaining rounds."""

STRETCHES: Final[tuple[str, ...]] = ("Rounds 1 to 4", "Rounds 5 to 8", "Rounds 9 to 12", "Round 13 and later")


class _Counting:
    """Replays a game step by step and counts its figures."""

    def __init__(self, seats: int) -> None:
        self.figures: list[Figures] = [{column.key: [0] * len(STRETCHES) for column in COLUMNS} for _ in range(seats)]
        self.cellars = [NEW] * seats
        self.totals: dict[int, int] = {}
        self.round = 0
        self.bidding = False

    def count(self, seat: int, figure: str, amount: int = 1) -> None:
        """Add to a figure of ``seat`` in the current round."""
        self.figures[seat][figure][min((self.round - 1) // ROUNDS, len(STRETCHES) - 1)] += amount

    def bid(self, seat: int, move: Any) -> None:
        """Count a bid, a raise or a pass."""
        if not self.bidding:
            self.bidding = True
            self.round += 1
            self.totals = {}
        if move != "pass":
            self.totals[seat] = self.totals.get(seat, 0) + sum(TENTHS[NUMBERS[code]] for code in move["cards"])

    def exchange(self) -> None:
        """Count the final bids of the round, after all seats have passed. No two bids are equal."""
        self.bidding = False
        highest = max(self.totals, key=self.totals.__getitem__, default=None)
        for seat in range(len(self.figures)):
            kind = "passes" if seat not in self.totals else "highest_bids" if seat == highest else "lower_bids"
            self.count(seat, kind)

    def lay(self, seat: int, move: Any) -> None:
        """Count a laid bottle, or the end of laying."""
        if self.bidding:
            self.exchange()
        if move == "done":
            return
        card, cell = NUMBERS[move["card"]], cell_of(*move["cell"])
        cellar = NEW if self.cellars[seat].full else self.cellars[seat]
        trios = cellar.bonus(card, cell)
        self.cellars[seat] = cellar.with_bottle(card, cell)
        self.count(seat, "bottles")
        self.count(seat, "trios", trios)
        self.count(seat, "points", STARS[card] + trios)


def figures_of(state: State) -> list[Figures]:
    """Return the figures of a finished game by seat, one number per stretch. Raises ``ValueError`` while it runs."""
    if not isinstance(state, WeinhaendlerState) or state.outcome is None:
        raise ValueError("figures need a finished game of Die Weinhändler")
    counting = _Counting(state.seats)
    for seat, kind, move, _ in state.steps:
        if kind == "bid":
            counting.bid(seat, move)
        elif kind == "lay":
            counting.lay(seat, move)
    return counting.figures


def turning_point(state: State) -> int | None:
    """Return the step with which the winner took the lead for good, or ``None`` if several seats share the win."""
    seen = tables(state)
    best = winner(state)
    return None if best is None else led_for_good(seen, best, lambda player: int(player["points"]))
