from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings.sprt import Hypotheses, TestVerdict, walk

RUNS = 1000
SLACK = 0.016
"""Two and a half standard errors of a share of 0.05 in that many runs."""

Draw = Callable[[Random], float]
differences = st.lists(st.floats(-1, 1, width=32), max_size=60)
margins = st.sampled_from([0.02, 0.05, 0.1, 0.3])


def spread(sigma: float) -> Callable[[float], Draw]:
    """Differences like those at tables of four: many small causes."""
    return lambda mean: lambda random: max(-1.0, min(1.0, random.gauss(mean, sigma)))


def duels(strength: float) -> Callable[[float], Draw]:
    """The difference of two wins in two games, of one version that wins ``strength`` of them and one that wins more."""

    def of(mean: float) -> Draw:
        def draw(random: Random) -> float:
            better = sum(random.random() < strength + mean for _ in range(2))
            return (better - sum(random.random() < strength for _ in range(2))) / 2

        return draw

    return of


def rarely(step: float) -> Callable[[float], Draw]:
    """Versions that mostly do the same."""

    def of(mean: float) -> Draw:
        up, down = 0.1 + mean / step / 2, 0.1 - mean / step / 2

        def draw(random: Random) -> float:
            luck = random.random()
            return step if luck < up else -step if luck < up + down else 0.0

        return draw

    return of


WORLDS = {"tables": spread(0.25), "duels": duels(0.5), "strong": duels(0.85), "rare": rarely(0.5), "calm": spread(0.1)}


def endless(draw: Draw, random: Random) -> Iterator[float]:
    while True:
        yield draw(random)


def runs(draw: Draw, hypotheses: Hypotheses) -> tuple[float, float]:
    """The share of runs that find the version better, and the mean number of blocks."""
    random = Random(13)
    walks = [walk(endless(draw, random), hypotheses) for _ in range(RUNS)]
    better = sum(ended.verdict is TestVerdict.BETTER for ended in walks)
    return better / RUNS, sum(len(ended.ratios) for ended in walks) / RUNS


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("margin", [0.05, 0.1])
def test_equal_versions_are_called_better_no_more_often_than_alpha(world: str, margin: float) -> None:
    better, _ = runs(WORLDS[world](0.0), Hypotheses(margin))
    assert better <= 0.05 + SLACK


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("margin", [0.05, 0.1])
def test_a_version_better_by_the_margin_is_missed_no_more_often_than_beta(world: str, margin: float) -> None:
    better, _ = runs(WORLDS[world](margin), Hypotheses(margin))
    assert better >= 0.95 - SLACK


def test_a_worse_version_is_never_called_better_and_found_out_sooner_than_an_equal_one() -> None:
    better, blocks = runs(spread(0.25)(-0.1), Hypotheses(0.05))
    assert better < 0.005
    assert blocks < 0.7 * runs(spread(0.25)(0.0), Hypotheses(0.05))[1]


def test_a_clearly_worse_version_is_found_out_after_some_twenty_blocks() -> None:
    """At the spread of real blocks at tables of four; ``bench/comparisons.py`` has games for other differences."""
    better, blocks = runs(spread(0.16)(-0.17), Hypotheses(0.05))
    assert better == 0
    assert blocks < 22


@pytest.mark.parametrize("rate", [0.1, 0.05])
def test_a_version_better_in_rare_blocks_and_equal_in_all_others_is_seldom_missed(rate: float) -> None:
    better, _ = runs(lambda random: 0.05 / rate if random.random() < rate else 0.0, Hypotheses(0.05))
    assert better >= 0.9


def test_it_takes_fewer_blocks_than_a_test_of_a_fixed_length() -> None:
    sigma, margin = 0.25, 0.05
    fixed = ((1.645 + 1.645) * sigma / margin) ** 2
    for mean in (0.0, margin):
        assert runs(spread(sigma)(mean), Hypotheses(margin))[1] < 0.7 * fixed


def test_one_sided_rare_differences_may_mislead_more_often_than_promised() -> None:
    """The documented limit: one block in ten decides everything, and all others are slightly lost."""

    def draw(random: Random) -> float:
        return 1.0 if random.random() < 0.1 else -0.05 / 0.9

    better, _ = runs(draw, Hypotheses(0.05))
    assert 0.74 < better < 0.86


@given(differences, margins)
def test_a_test_continues_exactly_while_the_ratio_is_between_its_bounds(scores: list[float], margin: float) -> None:
    hypotheses = Hypotheses(margin)
    gone = walk(scores, hypotheses)
    assert all(hypotheses.lower < ratio < hypotheses.upper for ratio in gone.ratios[:-1])
    if gone.verdict is TestVerdict.OPEN:
        assert len(gone.ratios) == len(scores)
    else:
        assert (gone.ratio >= hypotheses.upper) == (gone.verdict is TestVerdict.BETTER)


@given(differences, margins)
def test_the_reversed_question_has_the_opposite_ratio(scores: list[float], margin: float) -> None:
    """Where the versions scored differently: equal scores say nothing of the spread."""
    scores = [score for score in scores if score != 0 and score != margin]
    hypotheses = Hypotheses(margin)
    there = walk(scores, hypotheses).ratios
    back = walk([margin - difference for difference in scores], hypotheses).ratios
    assert all(math.isclose(ratio, -other, abs_tol=1e-6) for ratio, other in zip(there, back, strict=False))


@given(differences, margins, st.integers(0, 60))
def test_later_blocks_do_not_change_earlier_ratios(scores: list[float], margin: float, cut: int) -> None:
    whole, part = walk(scores, Hypotheses(margin)).ratios, walk(scores[:cut], Hypotheses(margin)).ratios
    assert list(whole[: len(part)]) == list(part)


def test_identical_versions_are_not_better_and_nothing_is_divided_by_zero() -> None:
    same = walk([0.0] * 400, Hypotheses(0.05))
    assert same.verdict is TestVerdict.NOT_BETTER
    assert 24 <= len(same.ratios) <= 80


def test_equal_results_decide_in_nine_blocks_at_the_earliest() -> None:
    for margin in (0.02, 0.05, 0.1):
        for hundredths in range(-100, 101):
            assert len(walk([hundredths / 100] * 400, Hypotheses(margin)).ratios) >= 9
    assert walk([], Hypotheses(0.1)).ratio == 0.0


@pytest.mark.parametrize("wrong", [{"margin": 0.0}, {"margin": 1.0}, {"margin": 0.1, "alpha": 0.5}])
def test_invalid_hypotheses_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="margin must be between 0 and 1"):
        Hypotheses(**wrong)
