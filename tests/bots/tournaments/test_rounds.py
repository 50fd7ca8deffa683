from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.tournaments.rounds import Entrants, History, PlayedRound, Round, bye_points, match_points
from tests.bots.tournaments.cups import points_of


def history(entrants: int, seats: int, *played: tuple[tuple[int, ...], tuple[int, ...] | None]) -> History:
    """A cup in which every round has one table."""
    rounds = [PlayedRound(Round((table,)), (points,)) for table, points in played]
    return History(Entrants(tuple(range(entrants))), seats, rounds, range(entrants))


def order(cup: History) -> list[int]:
    return [row.entrant for row in cup.standings()]


@given(st.integers(2, 5), st.integers(0, 2**32))
def test_the_match_points_of_a_table_add_up(seats: int, seed: int) -> None:
    points = points_of(tuple(range(seats)), Random(seed))
    assert sum(match_points(points)) == seats * (seats - 1)


def test_match_points_count_the_opponents_who_are_behind() -> None:
    assert match_points((7, 3, 3, 1)) == (6, 3, 3, 0)
    assert [bye_points(seats) for seats in (2, 3, 4, 5)] == [2, 3, 5, 6]


def test_equal_match_points_are_decided_by_the_direct_encounter() -> None:
    cup = history(4, 2, ((0, 1), (1, 3)), ((0, 2), (4, 0)), ((1, 2), (0, 4)), ((3, 2), (2, 2)))
    tied = [row for row in cup.standings() if row.match_points == 2]
    assert [(row.entrant, row.direct) for row in tied] == [(1, 2), (0, 0)]


def test_then_by_the_share_of_game_points_then_by_the_opponents_then_by_lot() -> None:
    shares = history(4, 2, ((0, 2), (3, 1)), ((1, 3), (4, 0)))
    assert [(row.entrant, row.share) for row in shares.standings()][:2] == [(1, Fraction(1)), (0, Fraction(3, 4))]
    lots = History(Entrants((1, 2, 3)), 2, [], (2, 0, 1))
    assert order(lots) == [2, 0, 1]


def test_a_void_table_counts_for_nobody_but_its_entrants_have_met() -> None:
    cup = history(3, 2, ((0, 1), None))
    assert {row.match_points for row in cup.standings()} == {0}
    assert (cup.met[0], cup.rematches((0, 1))) == ({1}, 1)


def test_house_bots_can_always_meet() -> None:
    entrants = Entrants((None, None, 7, 7, 7), at_a_table=2)
    assert entrants.clashes((0, 1)) == 0
    assert entrants.clashes((2, 3)) == 0
    assert entrants.clashes((0, 2, 3, 4)) == 1


def test_results_and_lots_must_fit_the_entrants() -> None:
    with pytest.raises(ValueError, match="one number of points"):
        PlayedRound(Round(((0, 1),)), ((1, 2, 3),))
    with pytest.raises(ValueError, match="permutation"):
        History(Entrants((1, 2)), 2, [], (0, 0))
