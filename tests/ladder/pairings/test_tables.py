from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ladder.pairings.tables import Candidate, tables

seat_counts = st.integers(2, 5)


@st.composite
def pools(draw: st.DrawFn) -> list[Candidate]:
    size = draw(st.integers(0, 14))
    return [
        Candidate(
            entry=entry,
            rating=draw(st.integers(1_000_000, 2_000_000)),
            games=draw(st.integers(0, 6)),
            owner=draw(st.none() | st.integers(1, 5)),
        )
        for entry in range(1, size + 1)
    ]


def house(size: int, games: int = 0) -> list[Candidate]:
    return [Candidate(entry, 1_500_000, games, None) for entry in range(1, size + 1)]


@given(pools(), seat_counts, st.integers(0, 2**32))
def test_every_table_is_full_and_no_bot_sits_twice(pool: list[Candidate], seats: int, seed: int) -> None:
    for table in tables(pool, seats, 5, Random(seed)):
        assert len(table) == seats == len(set(table))


@given(pools(), seat_counts, st.integers(0, 2**32))
def test_bots_of_one_owner_never_meet_but_the_house_does(pool: list[Candidate], seats: int, seed: int) -> None:
    owner = {candidate.entry: candidate.owner for candidate in pool}
    for table in tables(pool, seats, 5, Random(seed)):
        owners = [owner[entry] for entry in table if owner[entry] is not None]
        assert len(owners) == len(set(owners))


@given(pools(), seat_counts, st.integers(0, 2**32))
def test_there_are_tables_exactly_if_enough_may_sit_together(pool: list[Candidate], seats: int, seed: int) -> None:
    most = len({c.owner for c in pool if c.owner is not None}) + sum(c.owner is None for c in pool)
    assert len(tables(pool, seats, 3, Random(seed))) == (3 if most >= seats else 0)


@given(pools(), seat_counts, st.integers(0, 2**32))
def test_the_order_of_the_candidates_does_not_matter(pool: list[Candidate], seats: int, seed: int) -> None:
    shuffled = list(pool)
    Random(seed + 1).shuffle(shuffled)
    assert tables(pool, seats, 5, Random(seed)) == tables(shuffled, seats, 5, Random(seed))


@given(pools(), seat_counts, st.integers(0, 2**32))
def test_somebody_with_the_fewest_games_sits_at_every_table(pool: list[Candidate], seats: int, seed: int) -> None:
    games = Counter({candidate.entry: candidate.games for candidate in pool})
    for table in tables(pool, seats, 8, Random(seed)):
        assert min(games[entry] for entry in table) == min(games[candidate.entry] for candidate in pool)
        games.update(table)


def test_nobody_starves() -> None:
    pool = [Candidate(entry, 1_000_000 + 40_000 * entry, 0, entry) for entry in range(20)]
    played = Counter(entry for table in tables(pool, 4, 200, Random(7)) for entry in table)
    assert min(played.values()) >= 20
    assert len(played) == 20


def test_a_newcomer_plays_before_everybody_else_until_he_has_caught_up() -> None:
    pool = [*house(7, games=10), Candidate(99, 1_500_000, 0, 1)]
    drawn = tables(pool, 4, 12, Random(3))
    assert all(99 in table for table in drawn[:10])


def test_near_opponents_are_likely_and_far_ones_possible() -> None:
    pool = [Candidate(0, 1_500_000, 0, None), Candidate(1, 1_520_000, 9, None), Candidate(2, 2_100_000, 9, None)]
    met = Counter(entry for seed in range(1000) for entry in tables(pool, 2, 1, Random(seed))[0] if entry)
    assert met[1] > 5 * met[2]
    assert met[2] > 20


def test_every_seat_comes_to_everybody() -> None:
    seats = Counter(table.index(1) for seed in range(400) for table in tables(house(3), 3, 1, Random(seed)))
    assert all(seats[seat] > 90 for seat in range(3))
