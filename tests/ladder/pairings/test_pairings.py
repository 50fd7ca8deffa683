from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bots.tournaments.seatings import seatings
from ladder.pairings.candidates import HALF_WEIGHT, NEW_VERSION_GAMES, Candidate, may_meet, most_at_one_table, nearness
from ladder.pairings.draw import DrawnBlock, drawn
from ladder.pairings.opponents import Field
from ladder.pairings.shares import Flow, cup_shares, in_fair_order, shared
from ladder.pairings.turns import TURNS, DrawQueues, DrawReason, turn_of
from tests.ladder.pairings.pools import house, pools, seat_counts, seeds


@given(pools(), seat_counts, seeds)
def test_no_owner_and_no_bot_sits_twice_at_a_table(pool: list[Candidate], seats: int, seed: int) -> None:
    by_membership = {candidate.membership: candidate for candidate in pool}
    for block in drawn(pool, seats, 6, seed, Random(seed)):
        table = [by_membership[membership] for membership in block.memberships]
        assert len(set(block.memberships)) == seats
        assert block.first in block.memberships
        assert all(may_meet(candidate, other) for i, candidate in enumerate(table) for other in table[:i])


@given(pools(), seat_counts, seeds)
def test_blocks_are_drawn_exactly_if_a_table_can_be_filled(pool: list[Candidate], seats: int, seed: int) -> None:
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


def after(pool: dict[int, Candidate], block: DrawnBlock, number: int) -> None:
    """Write down in ``pool`` what ``block`` gives to whom, as the database does between two fillings."""
    games = len(seatings(len(block.memberships)))
    for membership in block.memberships:
        candidate = pool[membership]
        version_games = candidate.version_games + games
        pool[membership] = replace(candidate, games=candidate.games + games, version_games=version_games, since=number)


@settings(max_examples=60, deadline=None)
@given(ladders(), seeds, st.integers(0, 3))
def test_no_bot_starves_when_others_upload_versions(made: tuple[list[Candidate], int], seed: int, start: int) -> None:
    """With n bots, whoever is there is given a seat within 4 n blocks, and again within 4 n after it.

    Against the worst that others can do: everybody else uploads a version before every block, and before every block
    somebody new comes, too, with no games at all. Each block is drawn by itself, as when there is room for one.
    """
    begun, seats = made
    pool = {candidate.membership: replace(candidate, since=min(candidate.since, 30)) for candidate in begun}
    victim = begun[seed % len(begun)].membership
    last, ahead = 0, len(pool)
    for at in range(1, 8 * len(begun) + 12):
        number = 30 + start + at
        for membership in pool.keys() - {victim}:
            pool[membership] = replace(pool[membership], version_games=0, games=0)
        newcomer = 1000 + at
        pool[newcomer] = Candidate(newcomer, 1_500_000, 0, owner=newcomer, version_games=0, since=number - 1)
        (block,) = drawn(pool.values(), seats, 1, number, Random(seed + at))
        after(pool, block, number)
        if victim in block.memberships:
            last, ahead = at, len(pool)
        assert at - last <= len(TURNS) * ahead, "it has waited longer than the bound"


@settings(max_examples=40, deadline=None)
@given(ladders(), seeds)
def test_among_the_same_bots_each_turn_of_the_longest_wait_takes_the_longest_waiting(
    made: tuple[list[Candidate], int], seed: int
) -> None:
    begun, seats = made
    pool = {candidate.membership: candidate for candidate in begun}
    for number in range(31, 31 + 3 * len(begun)):
        (block,) = drawn(pool.values(), seats, 1, number, Random(seed + number))
        if turn_of(number) is DrawReason.LONGEST_WAIT:
            assert pool[block.first].since == min(candidate.since for candidate in pool.values())
        after(pool, block, number)


@settings(max_examples=40, deadline=None)
@given(ladders(), seeds)
def test_all_bots_that_may_meet_meet_eventually(made: tuple[list[Candidate], int], seed: int) -> None:
    """The chance of every pair is positive (the weights are: see the opponents); here it is seen to come true."""
    begun, seats = made
    pool = [replace(candidate, rating=candidate.rating // 20) for candidate in begun]
    by_membership = {candidate.membership: candidate for candidate in pool}
    met = set()
    for block in drawn(pool, seats, 150 * len(pool), 0, Random(seed)):
        met |= {
            frozenset((membership, other))
            for membership in block.memberships
            for other in block.memberships
            if membership != other
        }
    may = {
        frozenset((a, b))
        for a in by_membership
        for b in by_membership
        if a != b and may_meet(by_membership[a], by_membership[b])
    }
    assert met == may


def test_drawing_many_blocks_at_once_wastes_no_turn() -> None:
    """What one filling draws counts for the next draw of the same filling."""
    blocks = drawn(house(8), 2, 16, 0, Random(4))
    sat = Counter(membership for block in blocks for membership in block.memberships)
    assert set(sat) == set(range(1, 9))
    assert max(sat.values()) - min(sat.values()) <= 2


def test_a_new_version_plays_its_first_twenty_games_in_a_few_blocks() -> None:
    pool = [*house(200, games=300), Candidate(999, 1_500_000, games=900, owner=1, version_games=0, since=0)]
    blocks = drawn(pool, 4, 10, 0, Random(3))
    assert sum(999 in block.memberships for block in blocks) * 4 >= 20
    assert [block.turn for block in blocks if block.first == 999].count(DrawReason.NEW_VERSION) >= 4


def test_the_top_also_meets_the_middle() -> None:
    pool = [Candidate(membership, 1_000_000 + 10_000 * membership) for membership in range(101)]
    blocks = [drawn(pool, 2, 1, 1, Random(seed))[0] for seed in range(3000)]
    top = [min(block.memberships) for block in blocks if max(block.memberships) == 100]
    assert sum(membership <= 60 for membership in top) >= len(top) / 20
    assert sum(membership >= 80 for membership in top) >= len(top) / 2


@given(ladders(), seeds, st.integers(0, 3), st.integers(0, 3))
def test_bots_due_immediately_play_without_using_turns_of_the_longest_wait(
    made: tuple[list[Candidate], int], seed: int, number: int, count: int
) -> None:
    pool, seats = made
    at_once = [candidate.membership for candidate in pool[:5]]
    blocks = drawn(pool, seats, count, number, Random(seed), at_once)
    assert {membership for block in blocks for membership in block.memberships} >= set(at_once)
    assert len(blocks) <= max(count, 2 * len(at_once) + 1)
    for at, block in enumerate(blocks, number):
        assert (block.turn is DrawReason.LONGEST_WAIT) == (turn_of(at) is DrawReason.LONGEST_WAIT)


@given(pools(least=2), seat_counts, seeds)
def test_every_table_is_full_and_its_bots_may_meet(pool: list[Candidate], seats: int, seed: int) -> None:
    assume(most_at_one_table(pool) >= seats)
    for first in pool:
        table = Field(pool).table(first, seats, Random(seed))
        assert len(table) == seats
        assert first in table
        assert all(may_meet(candidate, other) for i, candidate in enumerate(table) for other in table[:i])


@given(st.integers(-(10**12), 10**12), st.integers(-(10**12), 10**12))
def test_no_two_ratings_are_too_far_apart_to_meet(rating: int, other: int) -> None:
    assert 0 < nearness(rating, other) <= 1
    assert nearness(rating, other) == nearness(other, rating)
    assert nearness(rating, rating + HALF_WEIGHT) == 0.5


def shares(pool: list[Candidate], first: Candidate, draws: int) -> dict[int, tuple[float, float]]:
    """By membership, its share of the opponents of ``first`` at tables of two: drawn, and by the weights."""
    field, random = Field(pool), Random(5)
    met = Counter(
        candidate.membership for _ in range(draws) for candidate in field.table(first, 2, random) if candidate != first
    )
    weights = {
        candidate.membership: nearness(first.rating, candidate.rating)
        for candidate in pool
        if may_meet(first, candidate)
    }
    return {
        membership: (met[membership] / draws, weight / sum(weights.values())) for membership, weight in weights.items()
    }


def test_opponents_are_drawn_with_exactly_their_weights() -> None:
    """Within five standard deviations, for chunks that hold near and far ones, equals and bots of the same owner."""
    ratings = [1_000_000, 1_450_000, 1_480_000, 1_500_000, 1_500_000, 1_520_000, 1_700_000, 2_100_000, 2_900_000]
    pool = [Candidate(membership, rating, owner=membership % 4 or None) for membership, rating in enumerate(ratings, 1)]
    draws = 20_000
    for first in (pool[0], pool[3], pool[-1]):
        for share, weight in shares(pool, first, draws).values():
            assert share == pytest.approx(weight, abs=5 * (weight * (1 - weight) / draws) ** 0.5)
            assert share > 0


def test_a_bot_far_from_all_others_is_drawn_from_all_weights() -> None:
    """Rejection would go on for ever: everybody's weight is tiny beside the bound of its own chunk."""
    lonely = Candidate(1, 10**12)
    pool = [lonely, *(Candidate(membership, 1_500_000 + membership) for membership in range(2, 40))]
    share = shares([lonely, pool[1], Candidate(99, 500_000_000_000)], lonely, 4000)
    assert share[2][0] == pytest.approx(share[2][1], abs=0.04)
    assert len(Field(pool).table(lonely, 5, Random(1))) == 5


def test_an_owner_of_nearly_all_bots_meets_all_other_owners() -> None:
    pool = [Candidate(membership, 1_500_000, owner=1) for membership in range(2000)]
    pool += [Candidate(5000, 900_000, owner=2), Candidate(5001, 2_600_000, owner=None)]
    table = Field(pool).table(pool[7], 3, Random(3))
    assert {candidate.membership for candidate in table} == {7, 5000, 5001}


def test_every_bot_gets_every_seat() -> None:
    pool = house(3)
    tables = [Field(pool).table(pool[0], 3, Random(seed)) for seed in range(400)]
    seats = Counter([candidate.membership for candidate in table].index(2) for table in tables)
    assert all(seats[seat] > 90 for seat in range(3))


@pytest.mark.parametrize(("players", "games"), [(2, 2), (3, 6), (4, 4), (5, 5)])
def test_every_bot_sits_in_every_seat_equally_often(players: int, games: int) -> None:
    drawn_seatings = seatings(players)
    assert len(drawn_seatings) == len(set(drawn_seatings)) == games
    assert all(sorted(seating) == list(range(players)) for seating in drawn_seatings)
    taken = Counter((seat, bot) for seating in drawn_seatings for seat, bot in enumerate(seating))
    assert set(taken.values()) == {games // players}
    assert len(taken) == players**2


def test_three_sit_in_all_orders_and_four_only_rotate() -> None:
    assert (2, 1, 0) in seatings(3)
    assert seatings(4) == ((0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2))


def test_nobody_plays_alone() -> None:
    with pytest.raises(ValueError, match="at least two players, not 1"):
        seatings(1)


def flow(key: int, games: int, on_the_way: int = 0, weight: float = 1, cost: float = 1) -> Flow:
    """Games whose numbers begin with the flow's."""
    return Flow([1000 * key + game for game in range(games)], on_the_way, weight, cost)


flows = st.dictionaries(
    st.integers(1, 6),
    st.tuples(st.integers(0, 12), st.integers(0, 9), st.integers(1, 5), st.floats(0.01, 100)),
    max_size=5,
).map(lambda drawn: {key: flow(key, *values) for key, values in drawn.items()})


def of(order: list[int]) -> list[int]:
    return [game // 1000 for game in order]


@given(flows)
def test_everything_is_drawn_once_and_each_flow_keeps_its_order(made: dict[int, Flow]) -> None:
    order = in_fair_order(made)
    for key, flow in made.items():
        assert [game for game in order if game // 1000 == key] == list(flow.waiting)
    assert len(order) == sum(len(flow.waiting) for flow in made.values())


@given(flows)
def test_the_order_of_the_flows_does_not_matter(made: dict[int, Flow]) -> None:
    assert in_fair_order(made) == in_fair_order(dict(reversed(list(made.items()))))


def test_ladders_alternate_and_none_has_the_first_eight() -> None:
    assert of(in_fair_order({key: flow(key, 8) for key in (1, 2, 3)}))[:6] == [1, 2, 3, 1, 2, 3]


def test_twice_the_weight_is_twice_the_share() -> None:
    order = of(in_fair_order({1: flow(1, 40, weight=2), 2: flow(2, 40)}))
    assert Counter(order[:30]) == {1: 20, 2: 10}


def test_long_games_are_fewer_so_that_the_time_is_shared() -> None:
    order = of(in_fair_order({1: flow(1, 40, cost=5.0), 2: flow(2, 40, cost=0.5)}))
    assert Counter(order[:33]) == {1: 3, 2: 30}


def test_a_flow_with_many_running_games_waits_for_the_others() -> None:
    assert of(in_fair_order({1: flow(1, 3, on_the_way=2), 2: flow(2, 4)})) == [2, 2, 1, 2, 1, 2, 1]


@given(st.integers(0, 60), st.integers(1, 60))
def test_unrated_games_have_a_fifth_however_many_rated_ones_wait(rated: int, unrated: int) -> None:
    order = of(shared({1: flow(1, rated), 2: flow(2, rated)}, {3: flow(3, unrated)}))
    for end in range(1, len(order) + 1):
        tests = order[:end].count(3)
        assert tests >= min(unrated, end // 5)
        assert tests <= max(-(-end // 5), end - 2 * rated)


def test_without_rated_games_the_unrated_ones_have_everything() -> None:
    assert of(shared({}, {3: flow(3, 5)})) == [3] * 5


@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from([0.2, 0.5, 0.8]))
def test_cups_have_their_share_while_others_wait_and_everything_else_otherwise(
    rated: int, cups: int, share: float
) -> None:
    order = of(shared({1: flow(1, rated)}, {2: flow(2, rated)}, {3: flow(3, cups), 4: flow(4, cups)}, share))
    for end in range(1, len(order) + 1):
        in_cups = order[:end].count(3) + order[:end].count(4)
        waiting = end - in_cups < 2 * rated and order[:end].count(2) < rated and order[:end].count(1) < rated
        if waiting and in_cups < 2 * cups:
            assert abs(in_cups - share * end) <= 2


def test_a_reservation_of_a_cup_comes_before_the_share_of_the_other_cups() -> None:
    assert cup_shares({}, 0.5) == (0, {})
    assert cup_shares({1: 0.0, 2: 0.0}, 0.5) == (0.5, {1: 0.25, 2: 0.25})
    total, weights = cup_shares({1: 0.6, 2: 0.0, 3: 0.0}, 0.5)
    assert total == pytest.approx(0.8)
    assert weights == pytest.approx({1: 0.6, 2: 0.1, 3: 0.1})
    assert cup_shares({1: 0.6}, 0.5) == (0.6, {1: 0.6})


def test_cups_with_only_house_bots_have_a_quarter_of_the_weight() -> None:
    assert cup_shares({1: 0.0}, 0.4, {1}) == (0.1, {1: 0.1})
    total, weights = cup_shares({1: 0.0, 2: 0.0, 3: 0.0}, 0.4, {1, 2})
    assert total == pytest.approx(0.4)
    assert weights[3] == pytest.approx(4 * weights[1]) == pytest.approx(4 * weights[2])
    assert cup_shares({1: 0.6}, 0.5, {1}) == (0.6, {1: 0.6})


@pytest.mark.parametrize("cup_share", [-1.0, 0.0, 1.0, 50.0])
@pytest.mark.parametrize("reserved", [{1: 0.0}, {1: 0.9, 2: 0.9}, {1: 0.9, 2: 0.9, 3: 0.0}])
def test_cups_leave_workers_to_others_whatever_is_reserved(reserved: dict[int, float], cup_share: float) -> None:
    total, weights = cup_shares(reserved, cup_share)
    assert 0 < total < 1
    assert min(weights.values()) > 0
    assert sum(weights.values()) == pytest.approx(total)


def test_persons_share_what_is_unrated() -> None:
    assert of(shared({}, {1: flow(1, 50), 2: flow(2, 2)}))[:4] == [1, 2, 1, 2]


def test_a_flow_without_weight_is_an_error() -> None:
    with pytest.raises(ValueError, match="weight and a cost"):
        in_fair_order({1: flow(1, 1, weight=0)})


@given(st.lists(st.tuples(st.floats(0.25, 100), st.floats(0.01, 100)), min_size=2, max_size=12), st.integers(1, 32))
def test_no_flow_starves_for_any_weights(drawn: list[tuple[float, float]], window: int) -> None:
    """All flows always have games, and the workers begin what they were told of in that order."""
    on_the_way, begun, told_last = deque[int](), list[int](), [0.0] * len(drawn)
    for now in range(1, len(drawn) + window + 1):
        while len(on_the_way) < window:
            ahead = Counter(on_the_way)
            made = {
                key: Flow([key], ahead[key], weight, cost, told_last[key]) for key, (weight, cost) in enumerate(drawn)
            }
            first = in_fair_order(made)[0]
            on_the_way.append(first)
            told_last[first] = now
        begun.append(on_the_way.popleft())
    assert set(begun) == set(range(len(drawn)))


def test_of_those_with_nothing_on_their_way_the_one_that_waits_longest_is_first() -> None:
    made = {1: Flow([1], since=9), 2: Flow([2], weight=100, since=8), 3: Flow([3], 1, since=1), 4: Flow([4], since=7)}
    assert in_fair_order(made) == [4, 2, 1, 3]


def first(pool: list[Candidate], turn: DrawReason) -> tuple[int, DrawReason]:
    candidate, was = DrawQueues(pool, Random(1)).next(turn)
    return candidate.membership, was


def test_the_turns_repeat_and_each_has_its_share() -> None:
    assert [turn_of(number) for number in range(8)] == [*TURNS, *TURNS]
    assert TURNS.count(DrawReason.NEW_VERSION) == 2
    assert TURNS.count(DrawReason.LONGEST_WAIT) == 1


@given(pools(least=1), seeds)
def test_fewest_games_come_first_then_the_widest_interval(pool: list[Candidate], seed: int) -> None:
    candidate, _ = DrawQueues(pool, Random(seed)).next(DrawReason.FEWEST_GAMES)
    equals = [other for other in pool if other.games == min(each.games for each in pool)]
    if any(other.width is None for other in equals):
        assert candidate in equals and candidate.width is None
    else:
        assert candidate in equals and candidate.width == max(other.width or 0 for other in equals)


def test_a_new_version_waits_for_the_other_new_ones_and_not_for_their_next_ones() -> None:
    """Whoever uploads a version before each of his turns gets every third of them, beside two others."""
    pool = [replace(candidate, owner=candidate.membership, version_games=0) for candidate in house(3)]
    turns = DrawQueues(pool, Random(2))
    chosen = []
    for _ in range(9):
        candidate, turn = turns.next(DrawReason.NEW_VERSION)
        assert turn is DrawReason.NEW_VERSION
        chosen.append(candidate.membership)
        turns.seated([candidate], 2)
        turns.standing[1] = replace(turns.standing[1], version_games=0)
    assert sorted(chosen[:3]) == sorted(chosen[3:6]) == sorted(chosen[6:]) == [1, 2, 3]


def test_a_version_is_new_until_it_was_given_its_first_games() -> None:
    young = Candidate(1, 1_500_000, games=900, owner=7, version_games=NEW_VERSION_GAMES - 1)
    assert first([young, *house(4)[1:]], DrawReason.NEW_VERSION) == (1, DrawReason.NEW_VERSION)
    known = replace(young, version_games=NEW_VERSION_GAMES)
    assert first([known, *house(4)[1:]], DrawReason.NEW_VERSION)[1] is DrawReason.FEWEST_GAMES


def test_versions_of_the_house_are_never_new() -> None:
    pool = [replace(candidate, version_games=0) for candidate in house(4)]
    assert first(pool, DrawReason.NEW_VERSION)[1] is DrawReason.FEWEST_GAMES


def test_the_longest_wait_is_that_of_the_bot_seated_earliest() -> None:
    pool = [replace(candidate, since=10 - candidate.membership) for candidate in house(5)]
    turns = DrawQueues(pool, Random(1))
    order = []
    for _ in range(7):
        candidate, _ = turns.next(DrawReason.LONGEST_WAIT)
        order.append(candidate.membership)
        turns.seated([candidate], 4)
    assert order == [5, 4, 3, 2, 1, 5, 4]


def test_no_candidates_are_an_error() -> None:
    with pytest.raises(ValueError, match="candidates"):
        DrawQueues([], Random(1)).next(DrawReason.LONGEST_WAIT)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=30, unique=True), seeds)
def test_the_longest_wait_takes_every_bot_once_before_any_twice(since: list[int], seed: int) -> None:
    pool = [Candidate(membership, 1_500_000, since=at) for membership, at in enumerate(since, 1)]
    turns = DrawQueues(pool, Random(seed))
    order = []
    for _ in pool:
        candidate, _ = turns.next(DrawReason.LONGEST_WAIT)
        order.append(candidate.membership)
        turns.seated([candidate], 2)
    assert [since[membership - 1] for membership in order] == sorted(since)
