from __future__ import annotations

import numpy as np
import pytest

from bench.cups import CUPS, LEAST, Bin, binned, winner
from bench.simulation import Luck
from ladder.cups.formats import Plan
from ladder.models import Cup
from ladder.pairings.rounds import Entrants


def test_every_bin_has_enough_cups_and_all_cups_are_in_a_bin() -> None:
    found = [(number / 100, number % CUPS) for number in range(97)]
    bins = binned(found)
    assert all(one.cups >= LEAST for one in bins)
    assert sum(one.cups for one in bins) == 97 * CUPS
    assert [one.stated for one in bins] == sorted(one.stated for one in bins)


def test_few_cups_are_one_bin() -> None:
    (only,) = binned([(0.2, CUPS // 2), (0.8, CUPS // 2)])
    assert (only.stated, only.observed) == (pytest.approx(0.5), 0.5)


def test_a_bin_misses_by_more_than_five_points() -> None:
    assert Bin(0.40, 0.46, 500).missed
    assert not Bin(0.40, 0.44, 500).missed


@pytest.mark.parametrize("format_", list(Cup.Format))
def test_the_far_strongest_entrant_wins_the_played_cups(format_: Cup.Format) -> None:
    rounds = 4 if format_ == Cup.Format.SWISS else None
    plan = Plan(format_, 3, Entrants(tuple(range(9))), b"k" * 32, "", rounds)
    strengths = np.array([0.0] * 6 + [12.0] + [0.0] * 2)
    assert winner(plan, strengths, 1, Luck(3, np.random.default_rng(1))) == 6
