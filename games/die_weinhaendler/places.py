"""Legal moves by their place, written out only when they are asked for: a record is packed by places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.die_weinhaendler.cards import EMPTY, NUMBERS
from games.die_weinhaendler.grid import cell_of
from games.die_weinhaendler.judging import check
from games.die_weinhaendler.legal import bid_move, bids, lay_move, must_lay
from games.rules import Move

if TYPE_CHECKING:
    from games.die_weinhaendler.procedure import Procedure


def _judged(state: Procedure, seat: int, move: Move) -> Move:
    """``move``, if it is legal and written as a record writes it. Raises ``ValueError``."""
    legal = check(state, seat, move)
    if legal != move:
        raise ValueError(f"{move!r} is not written as the rules write it")
    return legal


class Bids:
    """``pass`` at place 0, then every bid. For the state as it is now."""

    def __init__(self, state: Procedure, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.bids = bids(state, seat)

    def __len__(self) -> int:
        return 1 + len(self.bids)

    def __getitem__(self, place: int, /) -> Move:
        return bid_move(self.bids[place - 1]) if place else "pass"

    def index(self, move: Move, /) -> int:
        legal = _judged(self.state, self.seat, move)
        if type(legal) is not dict:
            return 0
        return 1 + self.bids.index(tuple([NUMBERS[code] for code in legal["cards"]]))


class Lays:
    """``done`` at place 0 if it is legal, then every bottle in every cell. For the state as it is now."""

    def __init__(self, state: Procedure, seat: int) -> None:
        self.state = state
        self.seat = seat
        cellar, cards = state.open_cellar(seat), list(dict.fromkeys(state.hands[seat]))
        self.done = 0 if must_lay(state, seat) else 1
        self.cells = cellar.for_full
        self.cells_of_empties = cellar.vacant if cards and cards[0] == EMPTY else ()
        self.full = cards[1:] if cards and cards[0] == EMPTY else cards

    def __len__(self) -> int:
        return self.done + len(self.cells_of_empties) + len(self.full) * len(self.cells)

    def __getitem__(self, place: int, /) -> Move:
        place -= self.done
        if place < 0:
            return "done"
        if place < len(self.cells_of_empties):
            return lay_move(EMPTY, self.cells_of_empties[place])
        card, cell = divmod(place - len(self.cells_of_empties), len(self.cells))
        return lay_move(self.full[card], self.cells[cell])

    def index(self, move: Move, /) -> int:
        legal = _judged(self.state, self.seat, move)
        if type(legal) is not dict:
            return 0
        card, cell = NUMBERS[legal["card"]], cell_of(*legal["cell"])
        if card == EMPTY:
            return self.done + self.cells_of_empties.index(cell)
        before = self.full.index(card) * len(self.cells)
        return self.done + len(self.cells_of_empties) + before + self.cells.index(cell)
