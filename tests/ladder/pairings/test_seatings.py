from __future__ import annotations

from collections import Counter

import pytest

from ladder.pairings.seatings import seatings


@pytest.mark.parametrize(("players", "games"), [(2, 2), (3, 6), (4, 4), (5, 5)])
def test_every_bot_sits_in_every_seat_equally_often(players: int, games: int) -> None:
    found = seatings(players)
    assert len(found) == len(set(found)) == games
    assert all(sorted(seating) == list(range(players)) for seating in found)
    taken = Counter((seat, bot) for seating in found for seat, bot in enumerate(seating))
    assert set(taken.values()) == {games // players}
    assert len(taken) == players**2


def test_three_sit_in_all_orders_and_four_only_rotate() -> None:
    assert (2, 1, 0) in seatings(3)
    assert seatings(4) == ((0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2))


def test_nobody_plays_alone() -> None:
    with pytest.raises(ValueError, match="at least two players, not 1"):
        seatings(1)
