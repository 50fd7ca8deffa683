from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.tournaments.elimination import (
    MOST_TIE_BLOCKS,
    advancing,
    halving_round,
    halving_stages,
    is_decided,
    knockout_round,
    ranking,
)
from bots.tournaments.rounds import Entrants, History, PairingError, PlayedRound
from tests.bots.tournaments.cups import entrant_lists, everyone_once, play, played

MOST_ROUNDS = {2: 6, 3: 5, 4: 6, 5: 5}
"""Of a knockout of up to 64 entrants."""


@st.composite
def lists(draw: st.DrawFn, most: int = 64) -> tuple[Entrants, int]:
    seats = draw(st.integers(2, 5))
    return draw(entrant_lists(seats, most)), seats


@given(lists(), st.integers(0, 2**32))
def test_a_knockout_ends_with_one_full_table(drawn: tuple[Entrants, int], seed: int) -> None:
    (entrants, seats), random, past = drawn, Random(seed), list[PlayedRound]()
    alive = list(range(len(entrants)))
    while (following := knockout_round(entrants, seats, past)) is not None:
        assert all(len(table) == seats for table in following.tables)
        assert everyone_once(following, [*following.entrants]) and following.entrants <= set(alive)
        past.append(played(following, random, void=0.1))
        assert len(following.entrants) < len(alive) or len(past) == 1
        alive = sorted(following.entrants)
    assert [len(table) for table in past[-1].round.tables] == [seats]
    assert past[-1].round.byes == ()
    assert len(past) <= MOST_ROUNDS[seats]


@given(lists(), st.integers(0, 2**32))
def test_everyone_who_advances_was_among_the_best_of_a_table_or_had_a_bye(
    drawn: tuple[Entrants, int], seed: int
) -> None:
    (entrants, seats), random, past = drawn, Random(seed), list[PlayedRound]()
    while (following := knockout_round(entrants, seats, past)) is not None:
        if past:
            last = past[-1]
            for table, points in zip(last.round.tables, last.results, strict=True):
                order = ranking(table, points)
                on = [entrant for entrant in order if entrant in following.entrants]
                assert on == order[: len(on)] and len(on) >= advancing(seats)
            assert set(last.round.byes) <= following.entrants
        past.append(played(following, random))


@pytest.mark.parametrize("entrants", [2, 3, 5, 8, 13, 16, 33, 64])
def test_if_the_better_seed_always_wins_the_top_seeds_meet_in_the_final(entrants: int) -> None:
    past: list[PlayedRound] = []
    while (following := knockout_round(Entrants(tuple(range(entrants))), 2, past)) is not None:
        past.append(PlayedRound(following, tuple((4, 0) for _ in following.tables)))
    assert past[-1].round.tables == ((0, 1),)


def test_the_bracket_is_fixed_before_the_start() -> None:
    """Seed 8 beats seed 1 and takes over its place: it then meets the winner of 4 against 5."""
    entrants = Entrants(tuple(range(8)))
    first = knockout_round(entrants, 2, [])
    assert first is not None and sorted(first.tables) == [(0, 7), (1, 6), (2, 5), (3, 4)]
    upset = PlayedRound(first, tuple((0, 4) if table == (0, 7) else (4, 0) for table in first.tables))
    second = knockout_round(entrants, 2, [upset])
    assert second is not None and sorted(second.tables) == [(1, 2), (3, 7)]


def test_entrants_of_one_owner_are_kept_apart_in_the_first_round() -> None:
    owners = tuple(number // 4 for number in range(32))
    for seats in (2, 4):
        first = knockout_round(Entrants(owners), seats, [])
        assert first is not None and sum(map(Entrants(owners).clashes, first.tables)) == 0


@given(st.lists(st.integers(0, 60), min_size=2, max_size=5), st.data())
def test_a_table_is_over_when_nobody_can_catch_up_and_never_later_than_its_bound(
    points: list[int], data: st.DataObject
) -> None:
    leaving = data.draw(st.integers(1, len(points) - 1))
    most, blocks = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 12))
    ranked = sorted(points, reverse=True)
    lead = ranked[-leaving - 1] - ranked[-leaving]
    decided = is_decided(points, leaving, blocks, most, per_block=8)
    assert decided or blocks < most + MOST_TIE_BLOCKS
    if decided and blocks < most:
        assert lead > 8 * (most - blocks)
    if blocks >= most and lead > 0:
        assert decided


@given(lists(40), st.integers(1, 3))
def test_halving_leaves_the_better_half_until_one_table_remains(drawn: tuple[Entrants, int], blocks: int) -> None:
    entrants, seats = drawn
    stages = halving_stages(len(entrants), seats, blocks)
    sizes = [size for size, _ in stages]
    assert sizes[0] == len(entrants) and sizes[-1] == seats
    assert all(after == max(seats, (now + 1) // 2) for now, after in pairwise(sizes))
    assert all(rounds >= blocks for _, rounds in stages)


@settings(deadline=None, max_examples=25)
@given(lists(24), st.integers(0, 2**32))
def test_halving_pairs_exactly_the_remaining_entrants(drawn: tuple[Entrants, int], seed: int) -> None:
    entrants, seats = drawn
    history = play(entrants, seats, lambda past: halving_round(past, 1), 500, Random(seed))
    expected = [size for size, rounds in halving_stages(len(entrants), seats, 1) for _ in range(rounds)]
    assert [len(past.round.entrants) for past in history.played] == expected
    last = history.played[-1].round.entrants
    assert all(last <= past.round.entrants for past in history.played)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_too_few_entrants_are_refused(seats: int) -> None:
    entrants = Entrants((1,) * (seats - 1))
    for refused_by in (
        lambda: knockout_round(entrants, seats, []),
        lambda: halving_stages(seats - 1, seats, 1),
        lambda: halving_round(History(entrants, seats, [], range(seats - 1)), 1),
    ):
        with pytest.raises(PairingError) as refused:
            refused_by()
        assert refused.value.code == "too_few_entrants"
