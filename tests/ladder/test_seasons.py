"""A season loses nothing: what counts in it stands before its end, and no key is out while a deal of it is open."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from bots.tournaments.keys import key_hash
from bots.tournaments.seasons import SeasonReport, verify_season
from ladder.exports.season_deals import lines
from ladder.ledger.entries import NoSeason
from ladder.ledger.rebuild import rerate
from ladder.matches.leases import give_back
from ladder.matches.results import record_result
from ladder.matches.schedule import fill
from ladder.members.standings import among_each_other, standings_of
from ladder.models import Block, DealSeries, FinalStanding, Ladder, LedgerEntry, Match, Membership, Season
from ladder.ratings.regression import regressed
from ladder.seasons import (
    PastTime,
    WrongMoment,
    close,
    close_due,
    finish_closing,
    open_first,
    open_next,
    plan,
    publish_keys,
)
from ladder.upkeep import sweep
from tests.build import (
    FAILED,
    block_on,
    claimed,
    finish_block,
    finished,
    first_games,
    first_players,
    games_of,
    report_of,
    scheduled,
    variety_of,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def season(duel: Ladder) -> Season:
    return duel.seasons.get()


def results_of(block: Block) -> None:
    for game in block.matches.filter(status="queued").select_related("ladder"):
        finished(game, variety=variety_of(game))


def kinds(ladder: Ladder) -> list[str]:
    return list(LedgerEntry.objects.filter(ladder=ladder).order_by("number").values_list("kind", flat=True))


def test_opening_the_first_season_again_changes_nothing(duel: Ladder, season: Season) -> None:
    open_first(duel)
    assert list(duel.seasons.all()) == [season]
    assert kinds(duel) == ["season"]


def test_a_season_has_three_keys_whose_hashes_are_public_from_the_start(season: Season) -> None:
    series = list(season.series.all())
    assert sorted(deal_series.kind for deal_series in series) == ["ladder", "live", "test"]
    assert len({bytes(deal_series.key) for deal_series in DealSeries.objects.all()}) == DealSeries.objects.count()
    for deal_series in series:
        assert deal_series.key_hash == key_hash(bytes(deal_series.key))
        assert deal_series.public_key is None


def test_a_season_with_nothing_to_play_closes_at_once_and_the_next_one_opens(duel: Ladder, season: Season) -> None:
    closed = close(season)
    assert closed.closed is not None
    assert list(duel.seasons.filter(closed=None).values_list("number", flat=True)) == [2]
    assert kinds(duel) == ["season", "season"]


def test_closing_waits_for_what_is_played_and_cancels_what_nobody_has_begun(duel: Ladder, season: Season) -> None:
    begun, untried = scheduled(duel, first_players(duel)), scheduled(duel, first_players(duel))
    running, tried = begun.matches.select_related("ladder").order_by("seating")
    give_back(claimed(tried), FAILED, "broken")
    lease = claimed(running)
    closing = close(season)
    assert (closing.closing is not None, closing.closed) == (True, None)
    assert {game.reason for game in untried.matches.all()} == {"The season closed before this match started."}
    assert Block.objects.get(pk=untried.pk).ended is not None
    assert record_result(lease, report_of(running))
    assert finish_closing() == 0
    finished(tried)
    sweep()
    assert Season.objects.get(pk=season.pk).closed is not None
    assert kinds(duel) == ["season", "result", "result", "season"]
    assert set(LedgerEntry.objects.filter(kind="result").values_list("season__number", flat=True)) == {1}


def test_closing_waits_for_what_is_from_before_the_first_season(duel: Ladder, season: Season) -> None:
    """Without another season there would be none in which it counts."""
    *begun, untried = (scheduled(duel, first_players(duel)) for _ in range(3))
    Block.objects.update(purpose="early", series=None, number=None)
    leases = [(claimed(game), game) for game in first_games().filter(block__in=begun)]
    assert close(season, then=None).closed is None
    assert set(untried.matches.values_list("status", flat=True)) == {"cancelled"}
    assert all(record_result(lease, report_of(game)) for lease, game in leases)
    sweep()
    assert Season.objects.get(pk=season.pk).closed is not None
    assert kinds(duel) == ["season", "result", "result"]


def test_a_void_game_does_not_keep_a_season_open(duel: Ladder, season: Season) -> None:
    block = scheduled(duel, first_players(duel))
    for game in block.matches.all():
        for _ in range(2):
            give_back(claimed(game), FAILED, "broken")
    assert close(season).closed is None
    for game in block.matches.all():
        give_back(claimed(game), FAILED, "broken")
    sweep()
    assert Season.objects.get(pk=season.pk).closed is not None


def test_a_closing_season_takes_no_new_blocks(duel: Ladder, season: Season) -> None:
    claimed(scheduled(duel, first_players(duel)).matches.all()[0])
    close(season)
    with pytest.raises(NoSeason, match="has no open season"), transaction.atomic():
        scheduled(duel, first_players(duel))
    Ladder.objects.exclude(pk=duel.pk).update(open=False)
    assert fill() == 0


def test_a_closed_seasons_table_is_frozen_and_the_next_one_starts_nearer_together(duel: Ladder, season: Season) -> None:
    for _ in range(3):
        results_of(scheduled(duel, first_players(duel)))
    ends = [
        (row.membership, row.rank, row.rating, row.games, row.win_shares)
        for row in among_each_other([row for row in standings_of(duel) if row.games])
    ]
    close(season, then=Fraction(1, 3))
    frozen = FinalStanding.objects.filter(season=season)
    assert [(row.membership_id, row.rank, row.rating, row.games, row.win_shares) for row in frozen] == ends
    for membership, _, rating, *_ in ends:
        now = Membership.objects.get(pk=membership)
        assert (now.rating, now.games, now.win_shares, now.last_change) == (regressed(rating, 1, 3), 0, 0, 0)
    second = LedgerEntry.objects.get(ladder=duel, kind="season", document__season=2)
    assert second.document["regress"] == [1, 3]


def test_numbers_of_deals_start_again_with_other_keys(duel: Ladder, season: Season) -> None:
    first = scheduled(duel, first_players(duel))
    close(season)
    second = scheduled(duel, first_players(duel))
    assert (first.number, second.number, second.series.season.number) == (1, 1, 2)
    assert bytes(first.seed) != bytes(second.seed)


def test_without_a_next_season_nothing_is_played_until_one_is_opened(duel: Ladder, season: Season) -> None:
    results_of(scheduled(duel, first_players(duel)))
    close(season, then=None)
    Ladder.objects.exclude(pk=duel.pk).update(open=False)
    assert fill() == 0
    opened = open_next(duel, Fraction(0))
    assert opened.number == 2
    assert set(duel.memberships.values_list("rating", flat=True)) == {1_500_000}
    assert fill() > 0


def test_of_two_seasons_at_once_the_second_is_refused(duel: Ladder, season: Season) -> None:
    with pytest.raises(WrongMoment, match="Close it first"):
        open_next(duel)
    close(season, then=None)
    with pytest.raises(WrongMoment):
        close(season)


def test_keys_are_published_when_the_season_is_closed_and_all_its_deals_are_over(duel: Ladder, season: Season) -> None:
    """A test block goes on after the season's end; until it has ended nobody can work out what it deals."""
    rated = scheduled(duel, first_players(duel))
    test = scheduled(duel, first_players(duel, rated=False), purpose=Block.Purpose.TEST)
    results_of(rated)
    assert publish_keys() == 0
    close(season)
    assert Season.objects.get(pk=season.pk).closed is not None
    assert publish_keys() == 0
    first, last = test.matches.select_related("ladder")
    finished(first)
    assert publish_keys() == 0
    finished(last)
    assert publish_keys() == 3
    assert publish_keys() == 0
    for series in season.series.all():
        assert series.public_key == bytes(series.key).hex()
    assert not DealSeries.objects.filter(season__number=2).exclude(published=None).exists()
    assert Match.objects.filter(block=test, status="finished").count() == 2


def current(ladder: Ladder) -> Season:
    return Season.objects.get(ladder=ladder, closed=None)


def ratings(ladder: Ladder) -> dict[int, int]:
    return dict(Membership.objects.filter(ladder=ladder).values_list("pk", "rating"))


def check_accounts() -> None:
    assert [rebuild.differences for rebuild in rerate(check=True)] == [[]] * Ladder.objects.count()


@pytest.mark.parametrize("kept", [Fraction(0), Fraction(3, 4), Fraction(1)])
def test_the_share_of_ratings_kept_in_the_next_season_can_be_chosen(ladder: Ladder, kept: Fraction) -> None:
    finish_block(block_on(ladder))
    before = ratings(ladder)
    close(current(ladder), kept)
    for pk, rating in ratings(ladder).items():
        assert rating == 1_500_000 + int((before[pk] - 1_500_000) * kept)
    check_accounts()


def test_a_season_is_closed_once_and_the_next_one_not_by_the_same_click(ladder: Ladder) -> None:
    season = current(ladder)
    close(season)
    with pytest.raises(WrongMoment):
        close(season)
    with pytest.raises(WrongMoment):
        plan(season, timezone.now() + timedelta(hours=1))
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


def test_a_season_cannot_be_planned_to_close_in_the_past(ladder: Ladder) -> None:
    season = current(ladder)
    with pytest.raises(PastTime):
        plan(season, timezone.now() - timedelta(seconds=1))
    season.refresh_from_db()
    assert season.closes_at is None


def test_a_planned_season_end_can_be_canceled(ladder: Ladder) -> None:
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
    with pytest.raises(CommandError, match=str(ladder)):
        call_command("season", "close", ladder.slug)
    call_command("season", "open", ladder.slug, "--keep", "1")
    assert capsys.readouterr().out.splitlines() == [
        f"{ladder}, season 1 will close on 2099-01-31 at 20:00 UTC.",
        f"Closed {ladder}, season 1.",
        f"Closed {ladder}, season 2.",
        f"Opened {ladder}, season 3.",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["close", "nowhere"], "nowhere"),
        (["close", "edel-stein-reich-4", "--keep", "2"], "'2'"),
        (["close", "edel-stein-reich-4", "--at", "soon"], "'soon'"),
        (["close", "edel-stein-reich-4", "--at", "2020-01-31T20:00"], "in the past"),
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


@pytest.fixture
def downloaded(ladder: Ladder, tmp_path: Path) -> Path:
    """The deals of a season that is over, as anybody gets them."""
    for _ in range(2):
        finish_block(block_on(ladder))
    season = current(ladder)
    close(season)
    publish_keys()
    file = tmp_path / "deals.jsonl"
    file.write_text("".join(lines(season)))
    return file


def test_a_season_that_is_over_is_verified_as_it_is_downloaded(downloaded: Path) -> None:
    report = SeasonReport()
    assert list(verify_season(downloaded.read_bytes().splitlines(), report)) == []
    assert (report.is_over, report.deals, len(report.series)) == (True, 2, 3)


def test_an_open_season_is_verified_without_its_keys(ladder: Ladder) -> None:
    finish_block(block_on(ladder))
    block_on(ladder)
    report = SeasonReport()
    assert list(verify_season([line.encode() for line in lines(current(ladder))], report)) == []
    assert (report.is_over, report.deals, report.series[ladder.slug].closed) == (False, 2, 1)


def test_the_document_of_a_season_has_every_deal_in_order_and_nothing_closed(ladder: Ladder) -> None:
    over = finish_block(block_on(ladder))
    left = block_on(ladder)
    test = finish_block(block_on(ladder, Block.Purpose.TEST))
    head, *deals = map(json.loads, lines(current(ladder)))
    assert (head["format"], head["ladder"], head["season"], head["closed"]) == ("season-deals/1", ladder.slug, 1, None)
    assert {deal_series["name"]: (deal_series["key"], deal_series["deals"]) for deal_series in head["series"]} == {
        ladder.slug: (None, 2),
        f"live-{ladder.slug}": (None, 0),
        f"test-{ladder.slug}": (None, 1),
    }
    assert [(deal["name"], deal["number"], deal["seed"]) for deal in deals] == [
        (ladder.slug, 1, bytes(over.seed).hex()),
        (ladder.slug, 2, None),
        (f"test-{ladder.slug}", 1, bytes(test.seed).hex()),
    ]
    assert deals[1]["matches"] == [match.pk for match in games_of(left)]
