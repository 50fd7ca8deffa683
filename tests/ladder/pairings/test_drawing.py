from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.pairings.candidates import Candidate, may_meet, most_at_one_table
from ladder.pairings.drawing import Drawn, drawn
from ladder.pairings.seatings import seatings
from ladder.pairings.turns import TURNS, Turn, turn_of
from tests.ladder.pairings.pools import house, pools, seat_counts, seeds


@given(pools(), seat_counts, seeds)
def test_no_owner_and_no_bot_sits_twice_at_a_table(pool: list[Candidate], seats: int, seed: int) -> None:
    by_entry = {one.entry: one for one in pool}
    for block in drawn(pool, seats, 6, seed, Random(seed)):
        table = [by_entry[entry] for entry in block.entries]
        assert len(set(block.entries)) == seats
        assert block.first in block.entries
        assert all(may_meet(one, other) for i, one in enumerate(table) for other in table[:i])


@given(pools(), seat_counts, seeds)
def test_there_are_blocks_exactly_if_enough_may_sit_together(pool: list[Candidate], seats: int, seed: int) -> None:
    assert len(drawn(pool, seats, 3, 0, Random(seed))) == (3 if most_at_one_table(pool) >= seats else 0)
    assert drawn(pool, seats, 0, 0, Random(seed)) == []


@given(pools(), seat_counts, seeds, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(
    pool: list[Candidate], seats: int, seed: int, order: Random
) -> None:
    shuffled = list(pool)
    order.shuffle(shuffled)
    assert drawn(pool, seats, 5, 0, Random(seed)) == drawn(shuffled, seats, 5, 0, Random(seed))


@st.composite
def ladders(draw: st.DrawFn) -> tuple[list[Candidate], int]:
    """A ladder that can fill its tables."""
    seats = draw(seat_counts)
    return draw(pools(least=seats, most=12).filter(lambda pool: most_at_one_table(pool) >= seats)), seats


def after(pool: dict[int, Candidate], block: Drawn, number: int) -> None:
    """Write down in ``pool`` what ``block`` gives to whom, as the database does between two fillings."""
    games = len(seatings(len(block.entries)))
    for entry in block.entries:
        one = pool[entry]
        version_games = one.version_games + games
        pool[entry] = replace(one, games=one.games + games, version_games=version_games, since=number)


@settings(max_examples=60, deadline=None)
@given(ladders(), seeds, st.integers(0, 3))
def test_nobody_starves_whatever_others_upload(made: tuple[list[Candidate], int], seed: int, start: int) -> None:
    """With n bots, whoever is there is given a seat within 4 n blocks, and again within 4 n after it.

    Against the worst that others can do: everybody else uploads a version before every block, and before every block
    somebody new comes, too, with no games at all. Each block is drawn by itself, as when there is room for one.
    """
    begun, seats = made
    pool = {one.entry: replace(one, since=min(one.since, 30)) for one in begun}
    victim = begun[seed % len(begun)].entry
    last, ahead = 0, len(pool)
    for at in range(1, 8 * len(begun) + 12):
        number = 30 + start + at
        for entry in pool.keys() - {victim}:
            pool[entry] = replace(pool[entry], version_games=0, games=0)
        newcomer = 1000 + at
        pool[newcomer] = Candidate(newcomer, 1_500_000, 0, owner=newcomer, version_games=0, since=number - 1)
        (block,) = drawn(pool.values(), seats, 1, number, Random(seed + at))
        after(pool, block, number)
        if victim in block.entries:
            last, ahead = at, len(pool)
        assert at - last <= len(TURNS) * ahead, "it has waited longer than the bound"


@settings(max_examples=40, deadline=None)
@given(ladders(), seeds)
def test_among_the_same_bots_each_turn_of_the_longest_wait_takes_the_longest_waiting(
    made: tuple[list[Candidate], int], seed: int
) -> None:
    begun, seats = made
    pool = {one.entry: one for one in begun}
    for number in range(31, 31 + 3 * len(begun)):
        (block,) = drawn(pool.values(), seats, 1, number, Random(seed + number))
        if turn_of(number) is Turn.LONGEST_WAIT:
            assert pool[block.first].since == min(one.since for one in pool.values())
        after(pool, block, number)


@settings(max_examples=40, deadline=None)
@given(ladders(), seeds)
def test_who_may_meet_meets_in_the_end(made: tuple[list[Candidate], int], seed: int) -> None:
    """The chance of every pair is positive (the weights are: see the opponents); here it is seen to come true."""
    begun, seats = made
    pool = [replace(one, rating=one.rating // 20) for one in begun]
    by_entry = {one.entry: one for one in pool}
    met = set()
    for block in drawn(pool, seats, 150 * len(pool), 0, Random(seed)):
        met |= {frozenset((one, other)) for one in block.entries for other in block.entries if one != other}
    may = {frozenset((a, b)) for a in by_entry for b in by_entry if a != b and may_meet(by_entry[a], by_entry[b])}
    assert met == may


def test_drawing_many_blocks_at_once_wastes_no_turn() -> None:
    """What one filling draws counts for the next draw of the same filling."""
    blocks = drawn(house(8), 2, 16, 0, Random(4))
    sat = Counter(entry for block in blocks for entry in block.entries)
    assert set(sat) == set(range(1, 9))
    assert max(sat.values()) - min(sat.values()) <= 2


def test_a_new_version_plays_its_first_twenty_games_in_a_few_blocks() -> None:
    pool = [*house(200, games=300), Candidate(999, 1_500_000, games=900, owner=1, version_games=0, since=0)]
    blocks = drawn(pool, 4, 10, 0, Random(3))
    assert sum(999 in block.entries for block in blocks) * 4 >= 20
    assert [block.turn for block in blocks if block.first == 999].count(Turn.NEW_VERSION) >= 4


def test_the_top_also_meets_the_middle() -> None:
    pool = [Candidate(entry, 1_000_000 + 10_000 * entry) for entry in range(101)]
    blocks = [drawn(pool, 2, 1, 1, Random(seed))[0] for seed in range(3000)]
    top = [min(block.entries) for block in blocks if max(block.entries) == 100]
    assert sum(entry <= 60 for entry in top) >= len(top) / 20
    assert sum(entry >= 80 for entry in top) >= len(top) / 2


@given(ladders(), seeds, st.integers(0, 3), st.integers(0, 3))
def test_who_is_to_play_at_once_does_and_takes_no_turn_of_the_longest_wait(
    made: tuple[list[Candidate], int], seed: int, number: int, count: int
) -> None:
    pool, seats = made
    at_once = [one.entry for one in pool[:5]]
    blocks = drawn(pool, seats, count, number, Random(seed), at_once)
    assert {entry for block in blocks for entry in block.entries} >= set(at_once)
    assert len(blocks) <= max(count, 2 * len(at_once) + 1)
    for at, block in enumerate(blocks, number):
        assert (block.turn is Turn.LONGEST_WAIT) == (turn_of(at) is Turn.LONGEST_WAIT)
