from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings.scores import beaten


@pytest.mark.parametrize(
    ("rank", "ranks", "score"),
    [(1, [1, 2], 1.0), (2, [1, 2], 0.0), (1, [1, 1], 0.5), (1, [1, 1, 3], 0.75), (3, [1, 2, 3, 3, 5], 0.375)],
)
def test_a_score_is_the_share_of_opponents_beaten(rank: int, ranks: list[int], score: float) -> None:
    assert beaten(rank, ranks) == score


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_a_table_shares_half_of_its_scores(ranks: list[int]) -> None:
    assert sum(beaten(rank, ranks) for rank in ranks) == pytest.approx(len(ranks) / 2)


def test_a_table_of_one_is_none() -> None:
    with pytest.raises(ValueError, match="nobody is beaten"):
        beaten(1, [1])
