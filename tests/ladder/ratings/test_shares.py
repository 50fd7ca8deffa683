from __future__ import annotations

import pytest

from ladder.ratings.shares import WIN, win_shares


@pytest.mark.parametrize("winners", range(1, 6))
def test_the_winners_of_a_match_share_one_win_without_a_remainder(winners: int) -> None:
    shares = win_shares([1] * winners + [winners + 1] * (5 - winners))
    assert sum(shares) == WIN
    assert len(set(shares[:winners])) == 1


def test_whoever_is_not_first_has_no_part_of_the_win() -> None:
    assert win_shares([3, 1, 1, 4]) == (0, 30, 30, 0)
