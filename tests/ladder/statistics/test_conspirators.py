"""The planted pair and the honest house, in games that were really played."""

from __future__ import annotations

import pytest

from ladder.statistics.collusion import transfers
from tests.ladder.statistics.play import CONSPIRATORS, HONEST, played_blocks

BLOCKS = 100
"""Four games each: the pair meets in about a dozen of them."""

pytestmark = pytest.mark.slow


def test_the_colluding_pair_stands_at_the_top_and_alone() -> None:
    names = HONEST + CONSPIRATORS
    found = transfers(played_blocks(names, BLOCKS))
    assert (names[found[0].taker], names[found[0].giver]) == ("friend", "feeder")
    assert [one for one in found if one.stands_out] == [found[0]]


def test_honest_house_bots_do_not_appear() -> None:
    found = transfers(played_blocks(HONEST, BLOCKS))
    assert len(found) == len(HONEST) * (len(HONEST) - 1)
    assert not [one for one in found if one.stands_out]
