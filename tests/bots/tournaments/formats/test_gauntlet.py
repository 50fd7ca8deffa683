from __future__ import annotations

import pytest

from bots.tournaments.formats import FORMATS, Plan
from bots.tournaments.rounds import Entrants, PairingError, PlayedRound


def plan(size: int, seats: int = 2) -> Plan:
    return Plan("gauntlet", seats, Entrants((None,) * size), b"k" * 32, "hash")


def test_the_top_seed_meets_each_other_entrant_once_and_the_others_do_not_meet() -> None:
    planned = plan(5)
    first = planned.next_round([])
    assert first is not None
    assert first.tables == ((0, 1), (0, 2), (0, 3), (0, 4))
    assert first.byes == ()
    assert planned.next_round([PlayedRound(first, ((4, 0),) * 4)]) is None
    assert FORMATS["gauntlet"].tie_places_by_round(2, 5, None) == [[0, 0, 0, 0]]


def test_the_others_are_ranked_by_their_result_against_the_top_seed() -> None:
    planned = plan(4)
    first = planned.next_round([])
    assert first is not None
    rows = planned.standings([PlayedRound(first, ((4, 0), (1, 3), (2, 2)))])
    assert [(row.entrant, row.match_points) for row in rows] == [(0, 3), (2, 2), (3, 1), (1, 0)]


@pytest.mark.parametrize(("size", "seats", "code"), [(1, 2, "too_few_entrants"), (8, 3, "seats")])
def test_it_needs_two_entrants_and_tables_for_two(size: int, seats: int, code: str) -> None:
    with pytest.raises(PairingError) as error:
        plan(size, seats).next_round([])
    assert error.value.code == code
