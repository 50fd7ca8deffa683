from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ladder.pairings.candidates import Candidate
from ladder.pairings.people import (
    ANYBODY_AFTER_S,
    BOTS_AFTER_S,
    NEAR,
    FoundTable,
    PeopleLadder,
    Searcher,
    found_tables,
    reach,
)
from tests.ladder.pairings.pools import seat_counts, seeds

START = 1_500_000


def searcher(player: int, waited_s: float = 0.0, rating: int = START, ladder: int = 1) -> Searcher:
    return Searcher(player, 1000 + player, ladder, rating, waited_s)


def tables(ladder: PeopleLadder, searchers: Sequence[Searcher], room: int = 99, seed: int = 3) -> list[FoundTable]:
    return found_tables([ladder], searchers, room, Random(seed))


@st.composite
def crowds(draw: st.DrawFn, ladders: int = 2) -> list[Searcher]:
    """People in any state; somebody may stand there twice."""
    return [
        searcher(
            draw(st.integers(1, 20)),
            draw(st.floats(0, 90, allow_nan=False)),
            draw(st.integers(0, 3_000_000)),
            draw(st.integers(1, ladders)),
        )
        for _ in range(draw(st.integers(0, 20)))
    ]


bots = st.lists(st.tuples(st.integers(0, 3_000_000), st.none() | st.integers(1001, 1020)), max_size=6).map(
    lambda rows: [Candidate(500 + index, rating, owner=owner) for index, (rating, owner) in enumerate(rows)]
)


def test_two_searching_players_meet() -> None:
    assert tables(PeopleLadder(1, 2), [searcher(1, 5), searcher(2)]) == [FoundTable(1, (1, 2))]


def test_one_alone_waits() -> None:
    assert tables(PeopleLadder(1, 2), [searcher(1, 1000)]) == []


def test_the_nearest_ratings_join_the_longest_waiting_player() -> None:
    here = [searcher(1, 9), searcher(2, 8, START + 100_000), searcher(3, 0, START - 90_000)]
    assert tables(PeopleLadder(1, 2), here) == [FoundTable(1, (1, 3))]


def test_players_far_apart_wait_until_the_window_is_wide_enough() -> None:
    far = [searcher(1, 0), searcher(2, 0, START + NEAR + 50_000)]
    assert tables(PeopleLadder(1, 2), far) == []
    assert tables(PeopleLadder(1, 2), [searcher(1, 5), far[1]]) == [FoundTable(1, (1, 2))]


def test_after_a_time_any_two_players_meet() -> None:
    here = [searcher(1, ANYBODY_AFTER_S), searcher(2, 0, START + 5_000_000)]
    assert len(tables(PeopleLadder(1, 2), here)) == 1


def test_a_search_is_for_one_ladder() -> None:
    assert (
        found_tables([PeopleLadder(1, 2), PeopleLadder(2, 2)], [searcher(1), searcher(2, ladder=2)], 9, Random(1)) == []
    )


def test_bots_fill_up_where_they_sit_and_after_a_while() -> None:
    mixed = PeopleLadder(1, 3, [Candidate(501, START), Candidate(502, START)])
    assert tables(mixed, [searcher(1, BOTS_AFTER_S - 1)]) == []
    (alone,) = tables(mixed, [searcher(1, BOTS_AFTER_S)])
    assert (alone.players, sorted(alone.bots)) == ((1,), [501, 502])
    (together,) = tables(mixed, [searcher(1, BOTS_AFTER_S), searcher(2)])
    assert (together.players, len(together.bots)) == ((1, 2), 1)


def test_bots_take_no_more_seats_than_there_is_room_for() -> None:
    mixed = PeopleLadder(1, 2, [Candidate(501, START), Candidate(502, START)])
    here = [searcher(1, 60, START), searcher(2, 59, START)]
    apart = [searcher(1, 40, START), searcher(2, 39, START + 2_000_000)]
    assert [table.bots for table in tables(mixed, here, room=0)] == [()]
    assert tables(mixed, apart, room=0) == []
    assert len(tables(mixed, apart, room=1)) == 1


def test_nobody_meets_their_own_bot() -> None:
    mixed = PeopleLadder(1, 2, [Candidate(501, START, owner=1001), Candidate(502, START + 999_000)])
    assert {table.bots for seed in range(9) for table in tables(mixed, [searcher(1, 20)], seed=seed)} == {(502,)}


@given(crowds(), seat_counts, seeds, bots, st.integers(0, 12))
def test_no_person_sits_twice_and_every_table_is_full(
    crowd: list[Searcher], seats: int, seed: int, hosted: list[Candidate], room: int
) -> None:
    ladders = [PeopleLadder(1, seats), PeopleLadder(2, seats, hosted)]
    opened = found_tables(ladders, crowd, room, Random(seed))
    assert max(Counter(player for table in opened for player in table.players).values(), default=1) == 1
    assert all(len(table.players) + len(table.bots) == seats and table.players for table in opened)
    assert all(len(set(table.bots)) == len(table.bots) for table in opened)
    assert sum(len(table.bots) for table in opened) <= room
    assert not any(table.bots for table in opened if table.ladder == 1)


@given(crowds(ladders=1), seat_counts, seeds, bots)
def test_a_table_is_as_near_together_as_the_longest_wait_at_it_says(
    crowd: list[Searcher], seats: int, seed: int, hosted: list[Candidate]
) -> None:
    longest: dict[int, Searcher] = {}
    for searcher in sorted(crowd, key=lambda searcher: searcher.waited_s):
        longest[searcher.player] = searcher
    for table in found_tables([PeopleLadder(1, seats, hosted)], longest.values(), 99, Random(seed)):
        here = [longest[player] for player in table.players]
        ratings = [searcher.rating for searcher in here]
        assert max(ratings) - min(ratings) <= reach(max(searcher.waited_s for searcher in here))


@given(crowds(ladders=1), seat_counts, seeds)
def test_a_player_who_waited_long_enough_meets_any_others(crowd: list[Searcher], seats: int, seed: int) -> None:
    seated = {player for table in tables(PeopleLadder(1, seats), crowd, seed=seed) for player in table.players}
    waiting = {searcher.player: 0.0 for searcher in crowd if searcher.player not in seated}
    for searcher in crowd:
        if searcher.player in waiting:
            waiting[searcher.player] = max(waiting[searcher.player], searcher.waited_s)
    assert len(waiting) < seats or all(waited_s < ANYBODY_AFTER_S for waited_s in waiting.values())


@given(st.lists(st.integers(0, 3_000_000), min_size=2, max_size=40), seat_counts, seeds)
def test_no_player_waits_beyond_the_limit_while_others_arrive(ratings: list[int], seats: int, seed: int) -> None:
    """One comes every five seconds, and stays until a table is found."""
    waiting: dict[int, tuple[int, int]] = {}
    for number, rating in enumerate(ratings):
        now = 5 * number
        waiting[now] = (now, rating)
        here = [searcher(player, now - since, rating) for player, (since, rating) in waiting.items()]
        for table in tables(PeopleLadder(1, seats), here, seed=seed):
            for player in table.players:
                del waiting[player]
        oldest = max((now - since for since, _ in waiting.values()), default=0)
        assert oldest < ANYBODY_AFTER_S or len(waiting) < seats


@given(crowds(), seat_counts, seeds, bots)
def test_the_order_in_which_they_are_read_does_not_matter(
    crowd: list[Searcher], seats: int, seed: int, hosted: list[Candidate]
) -> None:
    ladders = [PeopleLadder(1, seats), PeopleLadder(2, seats, hosted)]
    shuffled = Random(seed).sample(crowd, len(crowd))
    once: dict[int, Searcher] = {searcher.player: searcher for searcher in crowd}
    assert found_tables(ladders, once.values(), 9, Random(1)) == found_tables(
        ladders, [searcher for searcher in shuffled if once[searcher.player] is searcher], 9, Random(1)
    )
