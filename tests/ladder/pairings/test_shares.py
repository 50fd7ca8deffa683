from __future__ import annotations

from collections import Counter, deque

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


@given(st.lists(st.tuples(st.floats(0.25, 100), st.floats(0.01, 100)), min_size=2, max_size=12), st.integers(1, 32))
def test_nobody_is_passed_over_for_ever_whatever_the_weights(drawn: list[tuple[float, float]], window: int) -> None:
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
