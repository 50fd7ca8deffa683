from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from ladder.cups.durations import USUAL_BETWEEN_S, Pace, pace_of
from ladder.cups.forecast import Skill
from ladder.cups.formats import Plan
from ladder.models import Attempt, Cup, Ladder, Match
from ladder.pairings.rounds import Entrants, PlayedRound
from tests.build import DUEL, block_on, finish_block, finished, games_of
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, played_out

PACE = Pace(workers=2, game_s=0.47, pause_s=0.03)


def plan(format_: Cup.Format = Cup.Format.SWISS, entrants: int = 8, seats: int = 2, owners: Sequence[int] = ()) -> Plan:
    listed = Entrants(tuple(owners) or tuple(range(entrants)), at_a_table=1)
    return Plan(format_, seats, listed, b"k" * 32, "hash", 3 if format_ == Cup.Format.SWISS else None)


def rounds_s(
    pace: Pace, plan: Plan, blocks: int = 1, played: Sequence[PlayedRound] = (), left: Sequence[int] = ()
) -> list[float]:
    size = len(plan.entrants)
    return pace.rounds_s(plan, list(range(size)), [Skill(1500)] * size, blocks, played, left)


@pytest.mark.parametrize("blocks", [1, 3])
def test_a_round_takes_its_games_divided_by_the_workers(blocks: int) -> None:
    games_s = 4 * 2 * blocks * 0.5
    waiting_s = 0.47 / 4  # of one worker for the last game of the other
    assert rounds_s(PACE, plan(), blocks) == pytest.approx([games_s / 2 + waiting_s + USUAL_BETWEEN_S] * 3)


def test_half_of_the_workers_need_twice_as_long() -> None:
    half = Pace(workers=2, game_s=0.47, free=0.5, pause_s=0.03)
    assert rounds_s(half, plan()) == pytest.approx([4 * 2 * 0.5 + USUAL_BETWEEN_S] * 3)


def test_a_round_takes_as_long_as_the_games_of_a_block_one_after_the_other() -> None:
    many = Pace(workers=100, game_s=29.97, pause_s=0.03)
    assert all(60 < one < 75 for one in rounds_s(many, plan()))


def test_a_round_waits_for_a_slow_bot() -> None:
    slow = Pace(workers=2, game_s=0.47, pause_s=0.03, seat_s={3: 20.0})
    assert all(40 < one < 44 for one in rounds_s(slow, plan()))


def test_bots_of_one_owner_play_a_deal_one_after_the_other() -> None:
    many = Pace(workers=100, game_s=1.0, pause_s=0.0)
    apart, together = (rounds_s(many, plan(owners=owners)) for owners in (range(8), [0, 1, 2, 3, 9, 9, 9, 9]))
    assert all(one > 1.5 * other for one, other in zip(together, apart, strict=True))


@pytest.mark.parametrize("format_", list(Cup.Format))
def test_a_cup_of_any_size_has_a_duration(format_: Cup.Format) -> None:
    small, large = (sum(rounds_s(PACE, plan(format_, size), 5)) for size in (16, 400))
    assert large > 10 * small


def test_rounds_that_were_played_have_no_duration() -> None:
    planned = plan(Cup.Format.KNOCKOUT)
    first = planned.next_round([])
    assert first is not None
    played = [PlayedRound(first, tuple((4, 0) for _ in first.tables))]
    assert rounds_s(PACE, planned, played=played) == pytest.approx(rounds_s(PACE, planned)[1:], abs=1.0)


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
