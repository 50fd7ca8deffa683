from __future__ import annotations

from collections import defaultdict
from dataclasses import astuple
from random import Random

import numpy as np
import pytest

from ladder.ratings.elo import START_RATING, KFactor
from ladder.ratings.rating import Rated, RatingRules, RatingState, rate
from ladder.ratings.replay import LedgerReplay, Merge, NewK, RankedGame, SeasonStart, Void
from ladder.ratings.waves import LEAST_PER_WAVE, rated_in_waves

MEMBERS, GAMES = 4000, 3000


def season(seats: int, members: int = MEMBERS, games: int = GAMES) -> list[RankedGame]:
    """Random games of random members, many of them with shared ranks, numbered from 1."""
    random = Random(seats)
    tables = [tuple(random.sample(range(members), seats)) for _ in range(games)]
    return [
        RankedGame(number, table, tuple(random.randint(1, seats) for _ in table))
        for number, table in enumerate(tables, 1)
    ]


def accounts(spread: int = 0) -> defaultdict[int, RatingState]:
    """Accounts with ratings up to ``spread`` points from the start, and up to 60 games."""
    random, made = Random(spread), defaultdict[int, RatingState](RatingState)
    for member in range(MEMBERS):
        rating = START_RATING + random.randint(-1000 * spread, 1000 * spread)
        made[member] = RatingState(rating, games=random.randint(0, 60))
    return made


def one_by_one(games: list[RankedGame], into: defaultdict[int, RatingState], k: KFactor) -> list[list[Rated]]:
    return [rate(into, entries, ranks, RatingRules(k)) for _number, entries, ranks in games]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("spread", [0, 600, 40_000])
def test_waves_rate_exactly_as_one_game_after_the_other(seats: int, spread: int) -> None:
    games, together, apart = season(seats), accounts(spread), accounts(spread)
    k = KFactor(40, 16, 20)
    rated = rated_in_waves(games, together, RatingRules(k))
    assert rated is not None
    assert list(rated) == one_by_one(games, apart, k)
    assert together == apart


def test_changes_near_the_middle_between_two_integers_are_exact() -> None:
    """Within a millionth of it, floating point may round to the wrong side."""
    k, leads = KFactor(1000, 1000), np.arange(3_000_000)
    changes = 1e6 * (1 - 1 / (1 + 10 ** (-leads / 400_000)))
    near = leads[np.abs(changes % 1 - 0.5) < 1e-6].tolist()
    assert near
    games = [RankedGame(place, (2 * place, 2 * place + 1), (1, 2)) for place in range(LEAST_PER_WAVE + len(near))]

    def with_leads() -> defaultdict[int, RatingState]:
        made = defaultdict[int, RatingState](RatingState)
        for place, lead in enumerate(near):
            made[2 * place].rating += lead
        return made

    rated = rated_in_waves(games, with_leads(), RatingRules(k))
    assert rated is not None
    assert list(rated) == one_by_one(games, with_leads(), k)


def test_small_ladders_and_unusual_games_are_left_to_the_plain_loop() -> None:
    few = season(4, members=20)
    mixed = [*season(4)[:500], *season(3)[500:]]
    twice = [*season(4), RankedGame(GAMES + 1, (1, 1, 2, 3), (1, 2, 3, 4))]
    for games in (few, mixed, twice):
        untouched = accounts()
        assert rated_in_waves(games, untouched, RatingRules()) is None
        assert untouched == accounts()


def test_a_replay_of_a_large_ladder_is_that_of_its_games_in_order() -> None:
    """Seasons, voids, merges and a new K are between the games that are rated together."""
    games = season(4)
    corrections = [
        *(Void(GAMES + place, place * 700) for place in range(1, 3)),
        Merge(GAMES + 5, 7, 8),
        Merge(GAMES + 6, 9, None),
        NewK(GAMES + 7, KFactor(30, 10, 5)),
    ]
    start = SeasonStart(GAMES + 8, 2, (1, 2))
    later = [RankedGame(game.number + GAMES + 10, *game[1:]) for game in season(4)]
    together, apart = LedgerReplay([*corrections, start]), LedgerReplay([*corrections, start])
    assert list(together.rated([*games, *later])) == [
        rated for game in [*games, *later] for rated in apart.rated([game])
    ]
    assert {member: astuple(state) for member, state in together.standings.items()} == {
        member: astuple(state) for member, state in apart.standings.items()
    }
    assert together.final == apart.final
