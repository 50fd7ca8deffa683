"""Seasons that staff end: now or at a time, on the command line or by a plan that the sweeper carries out."""

from __future__ import annotations

from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from ladder.ledger.rebuild import rerate
from ladder.models import Entry, Ladder, LedgerEntry, Season
from ladder.seasons import WrongMoment, close, close_due, plan
from ladder.upkeep import sweep
from tests.build import block_on, finish_block

pytestmark = pytest.mark.django_db(transaction=True)


def current(ladder: Ladder) -> Season:
    return Season.objects.get(ladder=ladder, closed=None)


def ratings(ladder: Ladder) -> dict[int, int]:
    return dict(Entry.objects.filter(ladder=ladder).values_list("pk", "rating"))


def check_accounts() -> None:
    assert [rebuild.differences for rebuild in rerate(check=True)] == [[]] * Ladder.objects.count()


@pytest.mark.parametrize("kept", [Fraction(0), Fraction(3, 4), Fraction(1)])
def test_what_the_next_season_keeps_can_be_chosen(ladder: Ladder, kept: Fraction) -> None:
    finish_block(block_on(ladder))
    before = ratings(ladder)
    close(current(ladder), kept)
    for pk, rating in ratings(ladder).items():
        assert rating == 1_500_000 + int((before[pk] - 1_500_000) * kept)
    check_accounts()


def test_a_season_is_closed_once_and_the_next_one_not_by_the_same_click(ladder: Ladder) -> None:
    season = current(ladder)
    close(season)
    with pytest.raises(WrongMoment, match="is closed already"):
        close(season)
    with pytest.raises(WrongMoment, match="is closed already"):
        plan(season, timezone.now())
    assert current(ladder).number == 2


def test_a_planned_season_closes_when_its_time_has_come(ladder: Ladder) -> None:
    season = current(ladder)
    plan(season, timezone.now() + timedelta(hours=1), Fraction(1, 4))
    assert close_due() == 0
    Season.objects.filter(pk=season.pk).update(closes_at=timezone.now() - timedelta(seconds=1))
    sweep()
    season.refresh_from_db()
    assert season.closed
    assert LedgerEntry.objects.filter(ladder=ladder).latest("number").document["regress"] == [1, 4]
    assert close_due() == 0
    assert current(ladder).number == 2


def test_a_plan_can_be_taken_back(ladder: Ladder) -> None:
    season = current(ladder)
    plan(season, timezone.now() + timedelta(hours=1))
    plan(season, None)
    season.refresh_from_db()
    assert season.closes_at is None


def test_the_command_closes_now_later_and_for_good(ladder: Ladder, capsys: Any) -> None:
    call_command("season", "close", ladder.slug, "--at", "2099-01-31T20:00", "--keep", "3/4")
    assert current(ladder).closes_at is not None
    call_command("season", "close", ladder.slug)
    assert current(ladder).number == 2
    call_command("season", "close", ladder.slug, "--last")
    with pytest.raises(CommandError, match="has no open season"):
        call_command("season", "close", ladder.slug)
    call_command("season", "open", ladder.slug, "--keep", "1")
    assert capsys.readouterr().out.splitlines() == [
        f"{ladder}, season 1 closes on 2099-01-31 at 20:00 UTC.",
        f"{ladder}, season 1 is closed.",
        f"{ladder}, season 2 is closed.",
        f"{ladder}, season 3 is open.",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["close", "nowhere"], "No ladder is called nowhere"),
        (["close", "edel-stein-reich-4", "--keep", "2"], "no share from 0 to 1"),
        (["close", "edel-stein-reich-4", "--at", "soon"], "no date and time"),
        (["open", "edel-stein-reich-4"], "Close it first"),
    ],
)
def test_the_command_says_what_is_wrong(ladder: Ladder, arguments: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        call_command("season", *arguments)


def test_a_plan_that_is_put_off_in_the_last_moment_closes_nothing(ladder: Ladder) -> None:
    season, later, moved = current(ladder), timezone.now() + timedelta(hours=1), list[datetime]()
    Season.objects.filter(pk=season.pk).update(closes_at=timezone.now() - timedelta(seconds=1), next_num=1, next_den=2)

    def putting_off(execute: Any, sql: str, *rest: Any) -> Any:
        if 'FROM "ladder_ladder"' in sql and not moved:
            moved.append(later)
            plan(season, later)
        return execute(sql, *rest)

    with connection.execute_wrapper(putting_off):
        assert close_due() == 0
    assert moved and current(ladder).closing is None
