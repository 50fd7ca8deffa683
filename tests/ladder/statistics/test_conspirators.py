"""The planted pair and the honest house, in games that were really played."""

from __future__ import annotations

import pytest

from ladder.statistics.collusion import transfers
from tests.ladder.statistics.play import CONSPIRATORS, HONEST, played_blocks

BLOCKS = 100
"""Four games each: the pair meets in about a dozen of them."""

pytestmark = [pytest.mark.slow, pytest.mark.nightly]


def test_only_the_colluding_pair_stands_out() -> None:
    names = HONEST + CONSPIRATORS
    rows = transfers(played_blocks(names, BLOCKS))
    assert (names[rows[0].taker], names[rows[0].giver]) == ("friend", "feeder")
    assert [row for row in rows if row.stands_out] == [rows[0]]


def test_honest_house_bots_do_not_appear() -> None:
    rows = transfers(played_blocks(HONEST, BLOCKS))
    assert len(rows) == len(HONEST) * (len(HONEST) - 1)
    assert not [row for row in rows if row.stands_out]
