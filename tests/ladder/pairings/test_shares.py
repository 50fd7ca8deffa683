from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.pairings.shares import Flow, in_fair_order, shared


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
def test_everything_comes_once_and_each_flow_in_its_own_order(made: dict[int, Flow]) -> None:
    order = in_fair_order(made)
    for key, one in made.items():
        assert [game for game in order if game // 1000 == key] == list(one.waiting)
    assert len(order) == sum(len(one.waiting) for one in made.values())


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


def test_who_has_much_on_its_way_waits_for_the_others() -> None:
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


def test_persons_share_what_is_unrated() -> None:
    assert of(shared({}, {1: flow(1, 50), 2: flow(2, 2)}))[:4] == [1, 2, 1, 2]


def test_a_flow_without_weight_is_an_error() -> None:
    with pytest.raises(ValueError, match="weight and a cost"):
        in_fair_order({1: flow(1, 1, weight=0)})
