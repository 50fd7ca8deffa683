"""A rated live game counts like a block of one game wherever results are added up, and a casual one nowhere."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.db.models import F

from bots import remote
from bots.owners import make_active
from games.chance import commitment
from ladder.corrections import withdraw
from ladder.estimates import estimate_due
from ladder.exports.season_deals import lines
from ladder.matches.leases import claim
from ladder.matches.machines import trouble
from ladder.matches.throughput import recent
from ladder.matches.traffic import traffic
from ladder.members.waits import Cause, waits_of
from ladder.models import (
    Attempt,
    Block,
    DealSeries,
    Estimate,
    Estimation,
    Ladder,
    LedgerEntry,
    Match,
    Membership,
    PairTally,
    Season,
    SeasonStatistics,
    SeatResult,
    SeatTally,
    VersionTally,
)
from ladder.season_statistics import gather, latest_blocks, season_document
from ladder.seasons import close, finish_closing, publish_keys
from ladder.verification.ladders import verify_deals, verify_games
from tests.build import block_on, finished_live, live_match, open_ladder, person, staff
from tests.ladder.accounts import accounts

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def live(duel: Ladder) -> Ladder:
    return open_ladder()


def season_of(ladder: Ladder) -> Season:
    return Season.objects.get(ladder=ladder, closed=None)


def running(ladder: Ladder) -> Match:
    """A live game that has begun."""
    match = live_match(ladder)
    assert claim(match.pk, "table") is not None
    match.refresh_from_db()
    return match


def test_a_rated_live_game_moves_ratings_as_every_other_does(live: Ladder) -> None:
    finished_live(live, 5)
    assert LedgerEntry.objects.filter(ladder=live, kind="result").count() == 5
    assert sum(Membership.objects.filter(ladder=live).values_list("games", flat=True)) == 10
    assert not SeatResult.objects.filter(rating_after=None).exists()


def test_a_rated_live_game_is_gathered_as_a_block_of_one_game(live: Ladder) -> None:
    finished_live(live, 6)
    assert gather() == 6
    assert SeasonStatistics.objects.get().blocks == 6
    assert sum(SeatTally.objects.values_list("games", flat=True)) == 12
    assert sum(VersionTally.objects.values_list("blocks", flat=True)) == 12
    assert all(tally.blocks == tally.games for tally in PairTally.objects.all())
    assert all(tally.habits for tally in VersionTally.objects.all())


def test_estimates_count_each_live_game_as_a_block(live: Ladder) -> None:
    finished_live(live, 12)
    estimate_due()
    assert Estimation.objects.get(season=season_of(live)).blocks == 12
    assert all(row.blocks == row.games for row in Estimate.objects.all())
    assert sum(row.games for row in Estimate.objects.all()) == 24


def test_savings_of_blocks_are_not_computed_for_live_games(live: Ladder) -> None:
    finished_live(live, 40)
    gather()
    document = season_document(latest_blocks(season_of(live)))
    assert document["blocks"] == 40
    assert document["saving"] is None
    assert [seat["count"] for seat in document["seats"]] == [40, 40]


def test_casual_live_games_count_nowhere(live: Ladder) -> None:
    finished_live(live, 3, Block.Purpose.CASUAL)
    estimate_due()
    assert gather() == 0
    assert not LedgerEntry.objects.filter(ladder=live, kind="result").exists()
    assert not SeatTally.objects.exists()
    assert not Estimate.objects.exists()
    assert set(Membership.objects.filter(ladder=live).values_list("games", flat=True)) == {0}
    assert SeatResult.objects.filter(rating_after=None).count() == 6


def test_the_accounts_hold_with_rated_and_casual_live_games(live: Ladder) -> None:
    finished_live(live, 4)
    finished_live(live, 3, Block.Purpose.CASUAL)
    assert accounts() == []
    assert [fault for piece in verify_games(live, 1) for fault in piece.faults] == []
    assert [fault for piece in verify_deals(season_of(live)) for fault in piece.faults] == []


def test_a_running_live_game_keeps_integrity_and_hides_its_deal(live: Ladder) -> None:
    finished_live(live, 1)
    match = running(live)
    deals = [json.loads(line) for line in lines(season_of(live))][1:]
    assert [deal["seed"] is None for deal in deals] == [False, True]
    assert deals[1]["matches"] == [match.pk]
    seed = bytes(match.block.seed)
    assert deals[1]["commitment"] == commitment(seed)
    assert seed.hex() not in "".join(lines(season_of(live)))


def test_every_live_game_has_a_unique_deal_of_the_live_series(live: Ladder) -> None:
    games = [*finished_live(live, 2), *finished_live(live, 2, Block.Purpose.CASUAL)]
    series = DealSeries.objects.get(season=season_of(live), kind=DealSeries.Kind.LIVE)
    assert {match.block.series_id for match in games} == {series.pk}
    assert sorted(match.block.number or 0 for match in games) == [1, 2, 3, 4]


def test_a_season_closes_and_publishes_its_key_after_its_last_live_game(live: Ladder) -> None:
    season = season_of(live)
    match = running(live)
    close(season)
    publish_keys()
    season.refresh_from_db()
    assert (season.closed, DealSeries.objects.filter(season=season, published__isnull=False).count()) == (None, 0)
    withdraw(match.pk, "A test.", staff("eve"))
    assert finish_closing() == 1
    publish_keys()
    assert not DealSeries.objects.filter(season=season, published=None).exists()


def test_live_games_say_nothing_of_how_fast_workers_are_or_what_they_have_in_hand(live: Ladder, duel: Ladder) -> None:
    match = running(live)
    Attempt.objects.update(started=F("started") - timedelta(minutes=3))
    block_on(duel)
    assert traffic(recent()).playing == (0, 0, 0)
    Match.objects.filter(pk=match.pk).update(status="finished", lease=None, lease_until=None, ended=F("started"))
    Attempt.objects.filter(match=match).update(ending="finished", ended=F("started"))
    assert (recent().begun, recent().finished) == ({}, {})


def test_live_games_hide_no_trouble_of_the_workers(live: Ladder, duel: Ladder) -> None:
    for match in block_on(duel).matches.all() | block_on(duel, first=1).matches.all():
        assert claim(match.pk, "host/1") is not None
        Match.objects.filter(pk=match.pk).update(status="queued", lease=None, lease_until=None)
        Attempt.objects.filter(match=match).update(ending="failed", failure="no room", ended=F("started"))
    running(live)
    finished_live(live, 1)
    assert trouble() == "no room"


def test_a_bot_at_a_live_table_is_playing_and_else_waits_for_others(live: Ladder) -> None:
    running(live)
    memberships = list(live.memberships.select_related("ladder", "bot").order_by("pk")[:3])
    waits = [
        waits_of(membership.bot, list(membership.bot.versions.all()), [membership])[0] for membership in memberships
    ]
    assert [wait.cause for wait in waits] == [Cause.PLAYING, Cause.PLAYING, Cause.NO_TABLE]


def test_a_remote_bot_that_is_not_here_is_away_and_not_in_a_queue(live: Ladder) -> None:
    version = remote.new_bot(person("ada"), "Far away")
    membership = Membership.objects.create(ladder=live, bot=version.bot)
    make_active(version)

    def cause() -> Cause:
        return waits_of(version.bot, list(version.bot.versions.all()), [membership])[0].cause

    assert cause() is Cause.AWAY
    remote.note_seen([version.bot_id])
    assert cause() is Cause.NO_TABLE
