from __future__ import annotations

from itertools import chain, permutations, product
from math import lcm, log
from typing import Any

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.ratings.elo import expectation
from ladder.ratings.plackett_luce import POINTS, PRIOR_POINTS, Floats, GameResults, Likelihood, fit

VERSIONS = 6


def games(rows: list[tuple[tuple[int, ...], tuple[int, ...]]], versions: int = VERSIONS) -> GameResults:
    """``rows`` are games: the versions by seat, and their ranks."""
    shape = (len(rows), len(rows[0][0]) if rows else 2)
    seats, ranks = (np.array([row[part] for row in rows], dtype=np.int64).reshape(shape) for part in (0, 1))
    return GameResults(versions, seats, ranks, np.arange(len(rows)))


def skills(rows: list[tuple[tuple[int, ...], tuple[int, ...]]], prior_points: float = PRIOR_POINTS) -> Floats:
    return fit(Likelihood(games(rows), prior_points))


@st.composite
def tables(
    draw: st.DrawFn, *, seats: int | None = None, least: int = 0
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Games of one number of seats among six versions, with ties."""
    number = seats or draw(st.integers(2, 5))
    sitting = st.permutations(range(VERSIONS)).map(lambda order: tuple(order[:number]))
    ranks = st.tuples(*[st.integers(1, number)] * number)
    return draw(st.lists(st.tuples(sitting, ranks), min_size=least, max_size=20))


def by_choix(rows: list[tuple[tuple[int, ...], tuple[int, ...]]], prior_points: float = PRIOR_POINTS) -> Any:
    """The same posterior by choix, which knows no ties: every order of the tied, all games as often as is needed."""
    every = [_orders(*row) for row in rows]
    times = lcm(*map(len, every))
    data = [order for orders in every for order in orders * (times // len(orders))]
    return choix.opt_rankings(VERSIONS, data, alpha=times * (POINTS / prior_points) ** 2 / 2, tol=1e-10)


def _orders(sitting: tuple[int, ...], ranks: tuple[int, ...]) -> list[list[int]]:
    groups = [
        [version for version, rank in zip(sitting, ranks, strict=True) if rank == group_rank]
        for group_rank in sorted(set(ranks))
    ]
    return [list(chain(*parts)) for parts in product(*(permutations(group) for group in groups))]


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("tied", [False, True])
def test_the_skills_are_those_of_choix(seats: int, tied: bool) -> None:
    random = np.random.default_rng(seats)
    rows = []
    for _ in range(6):
        sitting = random.permutation(VERSIONS)[:seats]
        ranks = random.integers(1, seats + 1, seats) if tied else random.permutation(seats) + 1
        rows.append((tuple(map(int, sitting)), tuple(map(int, ranks))))
    assert skills(rows) == pytest.approx(by_choix(rows), abs=1e-4)


def test_a_long_season_without_ties_is_fitted_as_choix_does() -> None:
    random = np.random.default_rng(7)
    true = np.linspace(-1, 1, VERSIONS)
    rows, data = [], []
    for _ in range(300):
        sitting = random.permutation(VERSIONS)[:4]
        order = np.argsort(-(true[sitting] + random.gumbel(size=4)))
        data.append([int(version) for version in sitting[order]])
        rows.append((tuple(data[-1]), (1, 2, 3, 4)))
    expected = choix.opt_rankings(VERSIONS, data, alpha=(POINTS / PRIOR_POINTS) ** 2 / 2, tol=1e-10)
    assert skills(rows) == pytest.approx(expected, abs=1e-4)


@given(tables(least=1), st.data())
@settings(max_examples=50, deadline=None)
def test_the_derivatives_are_those_of_the_value(rows: list[Any], data: st.DataObject) -> None:
    likelihood = Likelihood(games(rows))
    at = np.array(data.draw(st.lists(st.floats(-3, 3), min_size=VERSIONS, max_size=VERSIONS)))
    step = 1e-5 * np.eye(VERSIONS)
    slopes = [(likelihood.value(at + way) - likelihood.value(at - way)) / 2e-5 for way in step]
    assert likelihood.gradient(at) == pytest.approx(np.array(slopes), abs=1e-4)
    system = likelihood.information(at)
    bends = [(likelihood.gradient(at - way) - likelihood.gradient(at + way)) / 2e-5 for way in step]
    assert np.diag(system.diagonal) - system.links.toarray() == pytest.approx(np.array(bends), abs=1e-4)


@given(tables(least=1))
@settings(max_examples=50, deadline=None)
def test_the_scores_of_the_blocks_add_up_to_the_gradient(rows: list[Any]) -> None:
    likelihood = Likelihood(games(rows))
    at = np.linspace(-1, 1, VERSIONS)
    scores = likelihood.scores(at).sum(axis=0) - likelihood.precision * at
    assert scores == pytest.approx(likelihood.gradient(at))


@given(tables(), st.permutations(range(VERSIONS)), st.randoms())
@settings(max_examples=50, deadline=None)
def test_names_seats_and_the_order_of_games_do_not_matter(rows: list[Any], names: list[int], random: Any) -> None:
    renamed = []
    for sitting, ranks in rows:
        seats = list(zip((names[version] for version in sitting), ranks, strict=True))
        random.shuffle(seats)
        renamed.append(tuple(zip(*seats, strict=True)))
    random.shuffle(renamed)
    assert skills(renamed)[names] == pytest.approx(skills(rows), abs=1e-6)


@given(tables(seats=2), st.permutations(range(VERSIONS)))
@settings(max_examples=50, deadline=None)
def test_one_more_win_in_a_duel_never_lowers_a_version(rows: list[Any], names: list[int]) -> None:
    winner, loser = names[:2]
    more = skills([*rows, ((winner, loser), (1, 2))])
    assert more[winner] > skills(rows)[winner]
    assert more[loser] < skills(rows)[loser]


@given(tables())
@settings(max_examples=50, deadline=None)
def test_the_prior_makes_every_skill_finite_and_their_mean_the_middle(rows: list[Any]) -> None:
    fitted = skills(rows)
    assert np.isfinite(fitted).all()
    assert fitted.sum() == pytest.approx(0, abs=1e-6)


def test_a_thousand_wins_against_nobody_else_stay_finite() -> None:
    fitted = skills([((0, 1), (1, 2))] * 1000)
    assert 500 < POINTS * (fitted[0] - fitted[1]) < 3000


def test_a_draw_is_half_a_win() -> None:
    halves = [((0, 1), (1, 2)), ((0, 1), (2, 1))]
    draws = [((0, 1), (1, 1))] * 2
    other = [((0, 1), (1, 2))] * 3
    assert skills(draws + other) == pytest.approx(skills(halves + other))


@pytest.mark.parametrize(("wins", "losses"), [(3, 1), (10, 1), (1, 1)])
def test_a_difference_means_what_it_means_in_elo(wins: int, losses: int) -> None:
    fitted = skills([((0, 1), (1, 2))] * wins + [((0, 1), (2, 1))] * losses, prior_points=1e5)
    difference = POINTS * float(fitted[0] - fitted[1])
    assert difference == pytest.approx(400 * log(wins / losses, 10), abs=0.1)
    assert expectation(round(1000 * difference), 0) == pytest.approx(wins / (wins + losses), abs=1e-3)


def test_flat_lists_become_games() -> None:
    results, ids = GameResults.flat(2, versions=[70, 12, 12, 70], ranks=[1, 2, 1, 1], blocks=[9, 9])
    assert ids.tolist() == [12, 70]
    assert results.seats.tolist() == [[1, 0], [0, 1]]
    assert results.ranks.tolist() == [[1, 2], [1, 1]]
    assert results.blocks.tolist() == [0, 0]
    assert results.played.tolist() == [2, 2]


def test_without_games_all_versions_are_in_the_middle() -> None:
    assert fit(Likelihood(GameResults.flat(3, [], [], [])[0])).tolist() == []


def test_games_that_do_not_fit_say_what_is_wrong() -> None:
    seats = np.array([[0, 1], [1, 2]])
    with pytest.raises(ValueError, match="a version and a rank for each"):
        GameResults(3, seats, seats[:1], np.array([0, 0]))
    with pytest.raises(ValueError, match="a block for each of 2 games"):
        GameResults(3, seats, seats, np.array([0]))
    with pytest.raises(ValueError, match="versions count from 0 below 2"):
        GameResults(2, seats, seats, np.array([0, 0]))
