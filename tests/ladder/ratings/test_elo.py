from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings.elo import STANDARD_K, KFactor, RatedSeat, changes, exact_change, expectation

players = st.builds(RatedSeat, rating=st.integers(0, 3_500_000), games=st.integers(0, 60))
ranks = st.integers(1, 5)
tables = st.lists(st.tuples(players, ranks), min_size=2, max_size=5)


def by_the_book(players: list[RatedSeat], ranks: list[int], seat: int, factor: KFactor = STANDARD_K) -> Decimal:
    """K/(n − 1) · Σ (score − expectation), each pair rounded to 1/1000 point, in 50 decimal digits."""
    with localcontext(prec=50):
        total = Decimal(0)
        for other in range(len(players)):
            if other == seat:
                continue
            k = Decimal(min(factor.of(players[index].games) for index in (seat, other)))
            score = Decimal("0.5") if ranks[seat] == ranks[other] else Decimal(int(ranks[seat] < ranks[other]))
            lead = Decimal(players[other].rating - players[seat].rating) / 400_000
            pair = k / (len(players) - 1) * (score - 1 / (1 + Decimal(10) ** lead))
            total += pair.quantize(Decimal("0.001"))
        return total


@given(tables)
def test_the_sum_over_a_match_is_exactly_zero(table: list[tuple[RatedSeat, int]]) -> None:
    assert sum(changes(*zip(*table, strict=True))) == 0


@given(tables)
def test_the_change_is_the_formula_rounded_once_a_pair(table: list[tuple[RatedSeat, int]]) -> None:
    seated, ranked = map(list, zip(*table, strict=True))
    for seat, change in enumerate(changes(seated, ranked)):
        assert Decimal(change) / 1000 == by_the_book(seated, ranked, seat)


@given(tables, st.builds(KFactor, st.integers(1, 1000), st.integers(1, 1000), st.integers(0, 60)))
def test_any_k_is_rounded_once_a_pair(table: list[tuple[RatedSeat, int]], factor: KFactor) -> None:
    seated, ranked = map(list, zip(*table, strict=True))
    for seat, change in enumerate(changes(seated, ranked, factor)):
        assert Decimal(change) / 1000 == by_the_book(seated, ranked, seat, factor)


@given(st.integers(1, 1000), st.integers(2, 5), st.integers(-20_000_000, 20_000_000), st.integers(0, 8_000_000))
def test_ratings_far_from_the_start_are_rounded_the_same(k: int, seats: int, rating: int, lead: int) -> None:
    seated = [RatedSeat(rating, 0), RatedSeat(rating - lead, 0)] + [RatedSeat(rating, 0)] * (seats - 2)
    ranked = [2] + [1] * (seats - 1)
    factor = KFactor(provisional=k)
    assert Decimal(changes(seated, ranked, factor)[0]) / 1000 == by_the_book(seated, ranked, 0, factor)


@given(tables, st.data())
def test_pairs_that_do_not_count_change_nothing(table: list[tuple[RatedSeat, int]], data: st.DataObject) -> None:
    seated, ranked = map(list, zip(*table, strict=True))
    every = list(combinations(range(len(seated)), 2))
    counted = [pair for pair in every if data.draw(st.booleans())]
    others = [pair for pair in every if pair not in counted]
    parts = changes(seated, ranked, pairs=counted), changes(seated, ranked, pairs=others)
    assert changes(seated, ranked) == tuple(map(sum, zip(*parts, strict=True)))


@pytest.mark.parametrize("wrong", [(0, 20, 30), (40, 1001, 30), (40, 20, -1)])
def test_an_invalid_k_is_refused(wrong: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=r"1 to 1000|0 games or more"):
        KFactor(*wrong)


@given(tables, st.randoms(use_true_random=False))
def test_who_sits_where_does_not_matter(table: list[tuple[RatedSeat, int]], random: Random) -> None:
    order = list(range(len(table)))
    random.shuffle(order)
    straight = changes(*zip(*table, strict=True))
    shuffled = changes(*zip(*(table[i] for i in order), strict=True))
    assert shuffled == tuple(straight[i] for i in order)


@given(players, players, ranks, ranks)
def test_gains_and_losses_of_a_duel_are_equal_from_both_sides(
    a: RatedSeat, b: RatedSeat, rank_a: int, rank_b: int
) -> None:
    here, there = changes([a, b], [rank_a, rank_b]), changes([b, a], [rank_b, rank_a])
    assert here == there[::-1]


@given(tables)
def test_only_the_order_of_the_ranks_counts(table: list[tuple[RatedSeat, int]]) -> None:
    seated, ranked = zip(*table, strict=True)
    assert changes(seated, ranked) == changes(seated, [rank * 10 + 3 for rank in ranked])


@given(st.lists(players, min_size=2, max_size=5), st.data())
def test_a_match_moves_a_rating_by_k_at_most(seated: list[RatedSeat], data: st.DataObject) -> None:
    ranked = data.draw(st.lists(ranks, min_size=len(seated), max_size=len(seated)))
    rounding = len(seated) - 1
    for player, change in zip(seated, changes(seated, ranked), strict=True):
        assert abs(change) <= STANDARD_K.of(player.games) * 1000 + rounding


@given(players, players, st.integers(1, 400_000))
def test_a_higher_rating_gains_less_by_the_same_win(a: RatedSeat, b: RatedSeat, more: int) -> None:
    higher = RatedSeat(a.rating + more, a.games)
    assert changes([higher, b], [1, 2])[0] <= changes([a, b], [1, 2])[0]


def test_equals_in_a_duel_exchange_half_of_k() -> None:
    assert changes([RatedSeat(1_500_000, 0), RatedSeat(1_500_000, 0)], [1, 2]) == (20_000, -20_000)
    assert changes([RatedSeat(1_500_000, 0), RatedSeat(1_500_000, 0)], [1, 1]) == (0, 0)


def test_four_equals_share_k_over_three_a_pair() -> None:
    newcomers = [RatedSeat(1_500_000, 0)] * 4
    assert changes(newcomers, [1, 2, 3, 4]) == (20_001, 6_667, -6_667, -20_001)
    assert changes(newcomers, [1, 1, 3, 3]) == (13_334, 13_334, -13_334, -13_334)


def test_four_hundred_points_are_ten_to_one() -> None:
    strong, weak = RatedSeat(1_900_000, 100), RatedSeat(1_500_000, 100)
    assert changes([strong, weak], [1, 2]) == (1_818, -1_818)
    assert changes([strong, weak], [2, 1]) == (-18_182, 18_182)
    assert expectation(1_900_000, 1_500_000) == pytest.approx(10 / 11)


def test_the_smaller_k_of_a_pair_counts_for_both() -> None:
    newcomer, regular = RatedSeat(1_500_000, 29), RatedSeat(1_500_000, 30)
    assert changes([newcomer, regular], [1, 2]) == (10_000, -10_000)
    assert changes([newcomer, newcomer, regular], [1, 2, 3]) == (15_000, -5_000, -10_000)


def test_forfeited_seats_lose_to_all_who_finished_and_draw_among_themselves() -> None:
    seated = [RatedSeat(1_500_000, 0)] * 3
    assert changes(seated, [1, 2, 2]) == (20_000, -10_000, -10_000)


def test_ratings_far_beyond_any_table_stay_finite_and_balanced() -> None:
    far, near = RatedSeat(10**12, 0), RatedSeat(-(10**12), 0)
    assert changes([far, near], [1, 2]) == (0, 0)
    assert changes([far, near], [2, 1]) == (-40_000, 40_000)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_match_of_three_is_the_same_match_in_every_order(order: tuple[int, ...]) -> None:
    seated = [RatedSeat(1_612_345, 4), RatedSeat(1_400_001, 200), RatedSeat(1_555_555, 30)]
    ranked = [2, 1, 3]
    expected = changes(seated, ranked)
    assert changes([seated[i] for i in order], [ranked[i] for i in order]) == tuple(expected[i] for i in order)


@given(st.sampled_from([20_000, 40_000]), st.integers(2, 5), st.integers(0, 2), st.integers(-3_000_000, 3_000_000))
def test_decimal_and_floating_point_agree_where_rounding_is_certain(k: int, seats: int, twice: int, lead: int) -> None:
    """The decimal path, rarely taken, is the same function: it is compared everywhere."""
    games = 0 if k == 40_000 else 30
    table = [RatedSeat(0, games), RatedSeat(lead, games)] + [RatedSeat(0, games)] * (seats - 2)
    rank_b = {0: 0, 1: 1, 2: 2}[twice]
    alone = changes(table[:2], [1, rank_b])[0] if seats == 2 else None
    exact = exact_change(k, seats, twice, lead)
    assert alone in (None, exact)
    with localcontext(prec=50):
        real = Decimal(k) / (seats - 1) * (Decimal(twice) / 2 - 1 / (1 + Decimal(10) ** (Decimal(lead) / 400_000)))
    assert abs(real - exact) <= Decimal("0.5")


def test_a_table_needs_two_seats_and_a_rank_for_each() -> None:
    with pytest.raises(ValueError, match="two to five seats"):
        changes([RatedSeat(1_500_000, 0)], [1])
    with pytest.raises(ValueError, match="a rank for each"):
        changes([RatedSeat(1_500_000, 0)] * 3, [1, 2])
