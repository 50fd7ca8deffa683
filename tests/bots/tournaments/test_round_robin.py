from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.tournaments.round_robin import MOST_BALANCED, design, round_robin
from bots.tournaments.rounds import PairingError

STEINER = {3: (7, 9, 13, 15, 19, 21, 25, 27, 31, 33, 37, 39), 4: (13, 16, 25, 28, 37, 40), 5: (21, 25)}
"""All Steiner systems S(2, k, v) with v ≤ 40: C. J. Colbourn, J. H. Dinitz, Handbook of Combinatorial Designs, II.3."""


def drawn(entrants: int, seed: int) -> list[int]:
    """The entrants in random places."""
    return Random(seed).sample(range(entrants), entrants)


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("entrants", range(3, MOST_BALANCED + 1))
def test_in_every_design_meetings_differ_by_at_most_one(entrants: int, seats: int) -> None:
    if entrants < seats:
        return
    tables = design(entrants, seats)
    meetings = Counter(pair for table in tables for pair in combinations(sorted(table), 2))
    assert all(len(set(table)) == seats and set(table) <= set(range(entrants)) for table in tables)
    assert len(meetings) == entrants * (entrants - 1) // 2
    assert max(meetings.values()) - min(meetings.values()) <= 1
    assert len({sum(entrant in table for table in tables) for entrant in range(entrants)}) == 1


@pytest.mark.parametrize(("seats", "entrants"), [(seats, size) for seats in STEINER for size in STEINER[seats]])
def test_where_a_steiner_system_exists_any_two_meet_once(seats: int, entrants: int) -> None:
    assert len(design(entrants, seats)) == entrants * (entrants - 1) // (seats * (seats - 1))


def test_forty_entrants_at_four_seats_need_130_blocks() -> None:
    assert sum(len(round_.tables) for round_ in round_robin(range(40), 4)) == 130


@given(st.integers(2, 64), st.integers(0, 2**32))
def test_at_two_seats_everyone_meets_everyone_once_and_has_at_most_one_bye(entrants: int, seed: int) -> None:
    rounds = round_robin(drawn(entrants, seed), 2)
    pairs = [tuple(sorted(table)) for round_ in rounds for table in round_.tables]
    assert sorted(pairs) == sorted(combinations(range(entrants), 2))
    assert len(rounds) == entrants - 1 + entrants % 2
    byes = Counter(bye for round_ in rounds for bye in round_.byes)
    assert set(byes.values()) <= {1}
    assert len(byes) == (entrants if entrants % 2 else 0)


@given(st.integers(3, 5), st.integers(5, MOST_BALANCED), st.integers(0, 2**32))
def test_at_more_seats_nobody_plays_twice_in_a_round(seats: int, entrants: int, seed: int) -> None:
    rounds = round_robin(drawn(entrants, seed), seats)
    assert sum(len(round_.tables) for round_ in rounds) == len(design(entrants, seats))
    for round_ in rounds:
        seated = [entrant for table in round_.tables for entrant in table]
        assert len(set(seated)) == len(seated)


@pytest.mark.parametrize(("entrants", "seats", "most"), [(9, 3, 4), (15, 3, 9), (16, 4, 5), (40, 4, 15), (25, 5, 6)])
def test_steiner_systems_need_few_rounds(entrants: int, seats: int, most: int) -> None:
    assert len(round_robin(range(entrants), seats)) <= most


@pytest.mark.parametrize(("entrants", "seats", "code"), [(1, 2, "too_few_entrants"), (3, 4, "too_few_entrants"),
                                                         (MOST_BALANCED + 1, 3, "too_many_entrants")])  # fmt: skip
def test_entrants_that_no_design_fits_are_refused(entrants: int, seats: int, code: str) -> None:
    with pytest.raises(PairingError) as refused:
        round_robin(range(entrants), seats)
    assert refused.value.code == code
