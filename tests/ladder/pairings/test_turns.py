from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.pairings.candidates import NEW_VERSION_GAMES, Candidate
from ladder.pairings.turns import TURNS, Turn, Turns, turn_of
from tests.ladder.pairings.pools import house, pools, seeds


def first(pool: list[Candidate], turn: Turn) -> tuple[int, Turn]:
    one, was = Turns(pool, Random(1)).next(turn)
    return one.entry, was


def test_the_turns_repeat_and_each_has_its_share() -> None:
    assert [turn_of(number) for number in range(8)] == [*TURNS, *TURNS]
    assert TURNS.count(Turn.NEW_VERSION) == 2
    assert TURNS.count(Turn.LONGEST_WAIT) == 1


@given(pools(least=1), seeds)
def test_fewest_games_come_first_then_the_widest_interval(pool: list[Candidate], seed: int) -> None:
    one, _ = Turns(pool, Random(seed)).next(Turn.FEWEST_GAMES)
    equals = [other for other in pool if other.games == min(each.games for each in pool)]
    if any(other.width is None for other in equals):
        assert one in equals and one.width is None
    else:
        assert one in equals and one.width == max(other.width or 0 for other in equals)


def test_a_new_version_waits_for_the_other_new_ones_and_not_for_their_next_ones() -> None:
    """Whoever uploads a version before each of his turns gets every third of them, beside two others."""
    pool = [replace(one, owner=one.entry, version_games=0) for one in house(3)]
    turns = Turns(pool, Random(2))
    chosen = []
    for _ in range(9):
        one, turn = turns.next(Turn.NEW_VERSION)
        assert turn is Turn.NEW_VERSION
        chosen.append(one.entry)
        turns.seated([one], 2)
        turns.standing[1] = replace(turns.standing[1], version_games=0)
    assert sorted(chosen[:3]) == sorted(chosen[3:6]) == sorted(chosen[6:]) == [1, 2, 3]


def test_a_version_is_new_until_it_was_given_its_first_games() -> None:
    young = Candidate(1, 1_500_000, games=900, owner=7, version_games=NEW_VERSION_GAMES - 1)
    assert first([young, *house(4)[1:]], Turn.NEW_VERSION) == (1, Turn.NEW_VERSION)
    known = replace(young, version_games=NEW_VERSION_GAMES)
    assert first([known, *house(4)[1:]], Turn.NEW_VERSION)[1] is Turn.FEWEST_GAMES


def test_versions_of_the_house_are_never_new() -> None:
    pool = [replace(one, version_games=0) for one in house(4)]
    assert first(pool, Turn.NEW_VERSION)[1] is Turn.FEWEST_GAMES


def test_who_has_waited_longest_is_whoever_sat_down_before_all_others() -> None:
    pool = [replace(one, since=10 - one.entry) for one in house(5)]
    turns = Turns(pool, Random(1))
    order = []
    for _ in range(7):
        one, _ = turns.next(Turn.LONGEST_WAIT)
        order.append(one.entry)
        turns.seated([one], 4)
    assert order == [5, 4, 3, 2, 1, 5, 4]


def test_nobody_is_no_turn() -> None:
    with pytest.raises(ValueError, match="nobody is there"):
        Turns([], Random(1)).next(Turn.LONGEST_WAIT)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=30, unique=True), seeds)
def test_the_longest_wait_takes_everybody_once_before_anybody_twice(since: list[int], seed: int) -> None:
    pool = [Candidate(entry, 1_500_000, since=at) for entry, at in enumerate(since, 1)]
    turns = Turns(pool, Random(seed))
    order = []
    for _ in pool:
        one, _ = turns.next(Turn.LONGEST_WAIT)
        order.append(one.entry)
        turns.seated([one], 2)
    assert [since[entry - 1] for entry in order] == sorted(since)
