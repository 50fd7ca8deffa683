from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from bots.tournaments.formats import FORMATS, Plan
from bots.tournaments.rounds import Entrants, PlayedRound
from ladder.cups.desk import pause
from ladder.cups.durations import MOST_CORRECTION, USUAL_BETWEEN_S, Pace, correction, pace_of, planned_tables
from ladder.models import Attempt, Cup, CupEntry, CupRound, CupTable, Ladder, Match
from tests.build import DUEL, block_on, finish_block, finished, games_of
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round, played_out

PACE = Pace(workers=2, game_s=0.47, pause_s=0.03)
TABLES = [(rules.slug, seats) for rules in FORMATS.values() for seats in rules.seat_counts]


def rounds_s(
    pace: Pace, format_: str = "swiss", size: int = 8, seats: int = 2, blocks: int = 1, bots: Sequence[int] = ()
) -> list[float]:
    rounds = 3 if format_ == "swiss" else None
    cup = Cup(ladder=Ladder(seats=seats), format=format_, rounds=rounds, blocks=blocks)
    return pace.rounds_s(cup, size, bots)


@pytest.mark.parametrize("blocks", [1, 3])
def test_a_round_takes_its_games_divided_by_the_workers(blocks: int) -> None:
    games_s = 4 * 2 * blocks * 0.5
    waiting_s = 0.47 / 4  # of one worker for the last game of the other
    assert rounds_s(PACE, blocks=blocks) == pytest.approx([games_s / 2 + waiting_s + USUAL_BETWEEN_S] * 3)


def test_half_of_the_workers_need_twice_as_long() -> None:
    half = Pace(workers=2, game_s=0.47, free=0.5, pause_s=0.03)
    assert rounds_s(half) == pytest.approx([4 * 2 * 0.5 + USUAL_BETWEEN_S] * 3)


def test_a_round_takes_as_long_as_the_games_of_a_block_one_after_the_other() -> None:
    many = Pace(workers=100, game_s=29.97, pause_s=0.03)
    assert all(60 < seconds < 75 for seconds in rounds_s(many))


def test_a_round_waits_for_a_slow_bot() -> None:
    slow = Pace(workers=2, game_s=0.47, pause_s=0.03, seat_s={3: 20.0})
    assert all(40 < seconds < 50 for seconds in rounds_s(slow, bots=range(8)))


@pytest.mark.parametrize("format_", FORMATS)
def test_a_cup_of_any_size_has_a_duration(format_: str) -> None:
    small, large = (sum(rounds_s(PACE, format_, size, blocks=5)) for size in (16, 400))
    assert large > 10 * small


def test_ties_make_a_knockout_with_few_blocks_longer() -> None:
    final_s = [rounds_s(PACE, "knockout", 2, blocks=blocks)[0] - USUAL_BETWEEN_S for blocks in (1, 9)]
    assert final_s[0] > 1.2 * (2 * 0.5)  # duels of equal bots often end 1:1
    assert final_s[1] < 1.1 * (9 * 2 * 0.5)


# --- Sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format_", "seats"), TABLES)
def test_the_planned_tables_are_those_that_are_played(format_: str, seats: int) -> None:
    rounds = 4 if format_ == "swiss" else None
    plan, played = Plan(format_, seats, Entrants(tuple(range(13))), b"k" * 32, "hash", rounds), list[PlayedRound]()
    while (following := plan.next_round(played)) is not None:
        points = tuple(range(seats))
        played.append(PlayedRound(following, (points,) * len(following.tables)))
    planned, counts = planned_tables(format_, seats, 13, rounds), [len(round_.round.tables) for round_ in played]
    assert counts in (planned, [*planned, 1]), "a second final of a double elimination depends on the first one"


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize("format_", ["swiss", "round-robin", "knockout", "halving"])
def test_the_planned_tables_of_a_cup_of_house_bots_are_played(format_: str) -> None:
    cup = played_out(entered(new_cup(format_), house_bots()))
    size = CupEntry.objects.filter(cup=cup, number__isnull=False).count()
    planned = planned_tables(format_, cup.ladder.seats, size, cup.rounds)
    assert sum(planned) == CupTable.objects.filter(round__cup=cup).count()


# --- Corrected -------------------------------------------------------------------------------------------------------


def lasting(cup: Cup, seconds: Sequence[float]) -> None:
    """Let the rounds of ``cup`` have lasted this long."""
    begin = timezone.now() - timedelta(hours=2)
    for number, lasted in enumerate(seconds, 1):
        CupRound.objects.filter(cup=cup, number=number).update(started=begin, ended=begin + timedelta(seconds=lasted))
        begin += timedelta(seconds=lasted + 1)


@pytest.mark.usefixtures("house")
def test_an_estimate_is_corrected_by_the_rounds_that_have_ended() -> None:
    cup = due(entered(new_cup("swiss", rounds=3), house_bots(most=6)))
    assert correction(cup, [10.0, 10.0, 10.0]) == 1.0
    play_round(cup)
    play_round(cup)
    lasting(cup, [20.0, 10.0])
    assert correction(cup, [10.0, 10.0, 10.0]) == pytest.approx(1.5)
    lasting(cup, [2000.0, 10.0])
    assert correction(cup, [10.0, 10.0, 10.0]) == MOST_CORRECTION


@pytest.mark.usefixtures("house")
def test_a_round_with_a_pause_corrects_nothing() -> None:
    cup = due(entered(new_cup("swiss", rounds=3), house_bots(most=6)))
    assert cup.organizer is not None
    pause(cup.organizer, cup, paused=True, reason="Lunch.")
    pause(cup.organizer, cup, paused=False)
    play_round(cup)
    CupRound.objects.filter(cup=cup, number=1).update(started=timezone.now() - timedelta(seconds=100))
    assert correction(cup, [10.0, 10.0, 10.0]) == 1.0


# --- Measured --------------------------------------------------------------------------------------------------------


def attempts(matches: Sequence[Match], begin: datetime, seconds: Sequence[float], workers: int = 1) -> None:
    """Let ``matches`` be played by ``workers`` in turn, each for some of the ``seconds``, with pauses of 0.1 s."""
    free = [begin] * workers
    for number, match in enumerate(matches):
        started = free[number % workers]
        ended = started + timedelta(seconds=seconds[number % len(seconds)])
        free[number % workers] = ended + timedelta(seconds=0.1)
        Attempt.objects.filter(match=match).update(started=started, ended=ended, worker=f"w{number % workers}")


def played(cup: Cup) -> list[Match]:
    matches = list(Match.objects.select_related("ladder", "block").filter(block__cup_table__round__cup=cup))
    for match in matches:
        finished(match, variety=match.pk)
    return matches


@pytest.mark.usefixtures("house")
def test_a_site_that_has_not_played_states_no_pace() -> None:
    assert pace_of(new_cup("swiss")) is None


@pytest.mark.usefixtures("house")
def test_the_pace_follows_from_the_attempts_of_the_workers() -> None:
    cup = due(entered(new_cup("swiss"), house_bots(most=6)))
    attempts(played(cup), timezone.now() - timedelta(hours=1), [2.0], workers=2)
    pace = pace_of(cup)
    assert pace is not None
    assert (pace.workers, pace.free) == (2, 1.0)
    assert (pace.game_s, pace.pause_s) == pytest.approx((2.0, 0.1))


@pytest.mark.usefixtures("house")
def test_the_time_between_rounds_follows_from_played_rounds() -> None:
    cup = played_out(entered(new_cup("swiss"), house_bots(most=6)))
    begin = timezone.now() - timedelta(hours=1)
    for number in (1, 2, 3):
        of_round = list(Match.objects.filter(block__cup_table__round__cup=cup, block__cup_table__round__number=number))
        attempts(of_round, begin, [2.0])
        begin += timedelta(seconds=2.1 * len(of_round) - 0.1 + 1.5)
    pace = pace_of(cup)
    assert pace is not None
    assert pace.between_s == pytest.approx(1.5)


@pytest.mark.usefixtures("house")
def test_slow_bots_are_told_from_fast_ones() -> None:
    cup = played_out(entered(new_cup("round-robin"), house_bots(most=6)))
    matches = list(Match.objects.filter(block__cup_table__round__cup=cup))
    slow = matches[0].seats.get(index=0).version.bot_id
    for match in matches:
        seated = match.seats.filter(version__bot=slow).exists()
        attempts([match], timezone.now() - timedelta(hours=1), [9.0 if seated else 3.0])
    pace = pace_of(cup)
    assert pace is not None
    assert pace.seat_s is not None
    assert pace.seat_s[slow] > 3 * max(added for bot, added in pace.seat_s.items() if bot != slow)


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize(("percent", "cups", "free"), [(None, 0, 0.5), (None, 1, 0.4), (20, 0, 0.2), (90, 0, 0.9)])
def test_a_cup_gets_its_share_of_workers_whom_other_games_keep_busy(
    percent: int | None, cups: int, free: float, settings: Any
) -> None:
    """The other cups have only house bots, so a quarter of the weight."""
    settings.CUP_SHARE = 0.5
    ladder = Ladder.objects.get(slug="edel-stein-reich-duel")
    matches = [match for _ in range(5) for match in games_of(finish_block(block_on(ladder)))]
    attempts(matches, timezone.now() - timedelta(seconds=2.1 * len(matches)), [2.0])
    for _ in range(cups):
        due(entered(new_cup("knockout"), house_bots()))
    cup = new_cup("swiss", game=DUEL, seats=2)
    Cup.objects.filter(pk=cup.pk).update(reserved_percent=percent)
    cup.refresh_from_db()
    pace = pace_of(cup)
    assert pace is not None
    assert pace.free == pytest.approx(free)


@pytest.mark.usefixtures("house")
def test_a_cup_gets_all_workers_whom_no_other_games_keep_busy() -> None:
    ladder = Ladder.objects.get(slug="edel-stein-reich-duel")
    attempts(games_of(finish_block(block_on(ladder))), timezone.now() - timedelta(hours=1), [2.0])
    cup = due(entered(new_cup("swiss"), house_bots(most=6)))
    matches = played(cup)
    attempts(matches, timezone.now() - timedelta(seconds=2.1 * len(matches)), [2.0])
    pace = pace_of(cup)
    assert pace is not None
    assert pace.free == 1.0
