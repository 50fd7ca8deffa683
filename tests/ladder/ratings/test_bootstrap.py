"""Intervals of the estimated skill after few blocks and after equal ones."""

from __future__ import annotations

import pytest

from ladder.ratings.bootstrap import Estimates, estimate
from ladder.ratings.draws import Centred
from ladder.ratings.plackett_luce import GameResults

Game = tuple[tuple[int, ...], tuple[int, ...]]
"""The versions by seat, and their ranks."""

WON: list[Game] = [((0, 1), (1, 2)), ((1, 0), (2, 1))]
TIED: list[Game] = [((0, 1), (1, 1)), ((1, 0), (1, 1))]
WON_BY_THE_SEAT: list[Game] = [((0, 1), (1, 2)), ((1, 0), (1, 2))]
ORDERED: list[Game] = [((0, 1, 2), (1, 2, 3)), ((1, 2, 0), (2, 3, 1)), ((2, 0, 1), (3, 1, 2))]
ALIKE = {"won": WON, "tied": TIED, "won by the seat": WON_BY_THE_SEAT, "in one order": ORDERED}


def estimates(block: list[Game], blocks: int) -> Estimates:
    """The estimates after this many equal blocks."""
    games = block * blocks
    versions = [version for seats, _ in games for version in seats]
    ranks = [rank for _, places in games for rank in places]
    numbers = [number for number in range(blocks) for _ in block]
    return estimate(GameResults.flat(len(block[0][0]), versions, ranks, numbers)[0], seed=1)


def apart(fitted: Estimates, version: int, other: int) -> bool:
    rows = list(fitted.rows())
    first, second = (Centred.of(rows[version].rating, rows[version].draws) for version in (version, other))
    return first.told_apart_from(second)


@pytest.mark.parametrize("block", ALIKE.values(), ids=ALIKE)
def test_three_equal_blocks_leave_a_wide_interval(block: list[Game]) -> None:
    fitted = estimates(block, 3)
    assert fitted.margins.min() > 170
    assert not apart(fitted, 0, 1)


@pytest.mark.parametrize("block", ALIKE.values(), ids=ALIKE)
def test_more_equal_blocks_narrow_the_interval_but_never_to_nothing(block: list[Game]) -> None:
    margins = [estimates(block, blocks).margins.max() for blocks in (1, 3, 10, 50)]
    assert margins == sorted(margins, reverse=True)
    assert margins[-1] > 5


def test_many_blocks_that_one_version_wins_show_that_it_is_better() -> None:
    assert apart(estimates(WON, 20), 0, 1)
