"""The legal moves of a barter by their place, without listing the offers: a record is packed by places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.edel_stein_reich.judging import check
from games.edel_stein_reich.legal import default
from games.edel_stein_reich.offers import count_above, key, nth_above
from games.rules import Move

if TYPE_CHECKING:
    from games.edel_stein_reich.procedure import Procedure


class Offers:
    """A word at place 0, then every offer of the seat that is asked, ascending. For the state as it is now."""

    def __init__(self, state: Procedure, seat: int) -> None:
        self.state = state
        self.seat = seat
        self.gems = state.gems[seat]
        self.count = count_above(self.gems, state.standing)

    def __len__(self) -> int:
        return 1 + self.count

    def __getitem__(self, place: int, /) -> Move:
        if place == 0:
            return default(self.state)
        return {"offer": list(nth_above(self.gems, self.state.standing, place - 1))}

    def index(self, move: Move, /) -> int:
        legal = check(self.state, self.seat, move)
        if legal != move:
            raise ValueError(f"{move!r} is not written as the rules write it")
        if type(legal) is not dict:
            return 0
        red, yellow, green, blue = legal["offer"]
        return self.count - count_above(self.gems, key((red, yellow, green, blue)))
