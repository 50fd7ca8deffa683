from __future__ import annotations

from typing import Any

import pytest

from bots.models import BotVersion
from ladder.cups import forecast as forecasts
from ladder.cups.forecast import LEAST_SIMULATIONS, SIMULATIONS, Forecast, Skill, planned_tables, shrunk, skills_of
from ladder.cups.formats import Plan
from ladder.cups.progress import plan_of
from ladder.models import Cup, CupEntry, CupTable, Estimate, Season
from ladder.pairings.rounds import Entrants, PlayedRound
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, played_out

FORMATS = list(Cup.Format)


def plan(format_: Cup.Format, entrants: int = 8, seats: int = 2, rounds: int | None = None) -> Plan:
    rounds = rounds or (4 if format_ == Cup.Format.SWISS else None)
    return Plan(format_, seats, Entrants(tuple(range(entrants))), b"k" * 32, "hash", rounds)


def skills(*points: float, deviation: float = 0.0) -> list[Skill]:
    return [Skill(one, deviation) for one in points]


def forecast(*args: Any, **more: Any) -> Forecast:
    found = forecasts.forecast(*args, **more)
    assert found is not None
    return found


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("format_", FORMATS)
def test_a_much_stronger_entrant_wins_nearly_always_in_every_format(format_: Cup.Format, seats: int) -> None:
    found = forecast(plan(format_, 11, seats), skills(*[1500] * 4, 3000, *[1500] * 6), 1, seed=5)
    assert found.chances[4] > 0.97
    assert found.best == found.chances[4]
    assert sum(found.chances) == pytest.approx(1)


@pytest.mark.parametrize("format_", FORMATS)
def test_equal_entrants_have_about_equal_chances(format_: Cup.Format) -> None:
    found = forecast(plan(format_), skills(*[1500] * 8, deviation=100), 1, seed=5)
    assert found.simulations == SIMULATIONS
    assert all(0.06 < chance < 0.2 for chance in found.chances)


def test_an_equal_seed_gives_an_equal_forecast() -> None:
    fields = plan(Cup.Format.SWISS), skills(*range(1400, 1480, 10), deviation=50), 1
    assert forecast(*fields, seed=1) == forecast(*fields, seed=1)
    assert forecast(*fields, seed=1) != forecast(*fields, seed=2)


def test_more_blocks_make_the_best_entrant_win_more_often() -> None:
    field = skills(1600, 1550, *[1500] * 6)
    few, many = (forecast(plan(Cup.Format.ROUND_ROBIN), field, blocks, seed=3).best for blocks in (1, 12))
    assert many > few + 0.1


@pytest.mark.parametrize("format_", FORMATS)
def test_after_the_last_round_the_winner_is_certain(format_: Cup.Format) -> None:
    planned, rounds = plan(format_), list[PlayedRound]()
    while (following := planned.next_round(rounds)) is not None:
        rounds.append(PlayedRound(following, tuple((3, 1) for _ in following.tables)))
    winner = planned.standings(rounds)[0].entrant
    found = forecast(planned, skills(*[1500] * 8), 1, seed=1, played=rounds)
    assert found.chances[winner] == 1.0


def test_chances_follow_the_results_so_far() -> None:
    planned = plan(Cup.Format.KNOCKOUT)
    following = planned.next_round([])
    assert following is not None
    out = [table[1] for table in following.tables]
    first = PlayedRound(following, tuple((4, 0) for _ in following.tables))
    found = forecast(planned, skills(*[1500] * 8), 1, seed=1, played=[first])
    assert [found.chances[one] for one in out] == [0.0] * len(out)


@pytest.mark.parametrize("format_", FORMATS)
def test_an_entrant_who_has_left_does_not_win(format_: Cup.Format) -> None:
    found = forecast(plan(format_), skills(1900, *[1500] * 7), 1, seed=1, left={0: "withdrawn"})
    assert found.chances[0] == 0.0


def test_large_cups_get_fewer_simulations_and_huge_ones_no_forecast() -> None:
    field = skills(*[1500] * 128)
    found = forecast(plan(Cup.Format.SWISS, 128, 2, rounds=7), field, 3, seed=1)
    assert LEAST_SIMULATIONS <= found.simulations < SIMULATIONS
    assert forecasts.forecast(plan(Cup.Format.ROUND_ROBIN, 128), field, 1, seed=1) is None


def test_uncertain_skills_move_closer_to_their_mean_and_certain_ones_stay() -> None:
    certain = skills(1400, 1500, 1600, 1700)
    assert shrunk(certain) == certain
    uncertain = shrunk(skills(1400, 1500, 1600, 1700, deviation=150))
    assert uncertain[3].points - uncertain[0].points < 200
    assert [one.points for one in uncertain] == sorted(one.points for one in uncertain)
    assert all(one.deviation < 150 for one in uncertain)


def test_an_outlier_keeps_its_distance_and_the_others_move_closer() -> None:
    found = shrunk(skills(1500, 1510, 1520, 1530, 1540, 500, deviation=60))
    assert found[5].points < 700
    assert found[4].points - found[0].points < 40


# --- Sizes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("format_", FORMATS)
def test_the_planned_tables_are_those_that_are_played(format_: Cup.Format, seats: int) -> None:
    planned, rounds = plan(format_, 13, seats), list[PlayedRound]()
    while (following := planned.next_round(rounds)) is not None:
        points = tuple(range(seats))
        rounds.append(PlayedRound(following, (points,) * len(following.tables)))
    assert planned_tables(planned) == [len(one.round.tables) for one in rounds]


# --- Skills ----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("house")
def test_skills_are_the_estimates_of_the_frozen_versions() -> None:
    cup = due(entered(new_cup("swiss", rounds=2), house_bots()))
    version = BotVersion.objects.get(cup_entries__cup=cup, cup_entries__number=1)
    season = Season.objects.filter(ladder=cup.ladder).latest("number")
    Estimate.objects.create(
        season=season,
        version=version,
        rating=1_650_000,
        low=1_552_000,
        high=1_748_000,
        blocks=9,
        games=54,
        kept_draws=b"",
        computed=season.opened,
    )
    found = skills_of(cup)
    assert len(found) == CupEntry.objects.filter(cup=cup, number__isnull=False).count()
    assert found[1].points == 1650
    assert found[1].deviation == pytest.approx(50, abs=0.1)
    assert all(one.deviation > 100 for one in found if one is not found[1])


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize("format_", FORMATS)
def test_the_planned_tables_of_a_cup_of_house_bots_are_played(format_: str) -> None:
    cup = played_out(entered(new_cup(format_), house_bots()))
    assert sum(planned_tables(plan_of(cup))) == CupTable.objects.filter(round__cup=cup).count()
