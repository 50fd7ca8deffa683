"""Who wins for whom, in seasons of players of different strength who play game by game."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import combinations
from random import Random

import pytest

from ladder.statistics.blocks import PlayedBlock, PlayedGame
from ladder.statistics.limits import LEAST_BLOCKS
from ladder.statistics.winning import winnings

PLAYERS = range(1, 9)
FRIENDS = (3, 6)


def game(one: int, other: int, ahead: bool) -> PlayedBlock:
    return PlayedBlock([PlayedGame((one, other), (1, 2) if ahead else (2, 1))])


def season(seed: int, games: int, friends: Collection[int] = (), friendly: int = 0) -> list[PlayedBlock]:
    """``games`` a pair, the higher number the stronger; then so many more that the first friend always wins."""
    random = Random(seed)
    blocks = [
        game(one, other, random.random() < 1 / (1 + math.exp((other - one) / 3)))
        for one, other in combinations(PLAYERS, 2)
        for _ in range(games)
        if set(friends) != {one, other}
    ]
    return blocks + [game(*FRIENDS, ahead=True) for _ in range(friendly)]


def test_two_who_always_win_for_each_other_stand_at_the_top_and_nobody_else_stands_out() -> None:
    found = winnings(season(1, 12, FRIENDS, 24))
    assert (found[0].taker, found[0].giver) == FRIENDS
    assert [one for one in found if one.stands_out] == [found[0]]
    assert (found[0].share, found[0].games) == (1.0, 24)
    assert found[0].elsewhere is not None
    assert found[0].elsewhere < 0.6
    assert found[0].excess > 0.3


def test_who_plays_mostly_with_a_friend_is_not_as_strong_as_the_friend_makes_them() -> None:
    found = winnings(season(2, 8, FRIENDS, 300))
    assert (found[0].taker, found[0].giver) == FRIENDS
    assert found[0].stands_out


@pytest.mark.slow
def test_among_honest_players_hardly_ever_anybody_stands_out() -> None:
    alarms = [any(one.stands_out for one in winnings(season(seed, 12))) for seed in range(100)]
    assert sum(alarms) <= 3


def test_pairs_that_have_hardly_met_are_not_looked_at() -> None:
    assert winnings(season(1, LEAST_BLOCKS - 1)) == []
    assert winnings([]) == []


def test_two_who_only_ever_met_each_other_are_compared_with_nobody() -> None:
    found = winnings([game(*FRIENDS, ahead=True)] * 20)
    assert not any(one.stands_out for one in found)
    assert {(one.elsewhere, one.given_elsewhere) for one in found} == {(None, None)}


def test_a_long_season_is_reckoned_too() -> None:
    assert winnings([game(*FRIENDS, ahead=bool(number % 2)) for number in range(4000)])[0].chance == pytest.approx(1)
