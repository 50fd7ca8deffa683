from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

import games
from ladder.ledger.entries import NoSeason
from ladder.live import decisions
from ladder.live.start import open_table
from ladder.matches.blocks import BlockPlayer
from ladder.models import Attempt, Block, DealSeries, LiveSeat, Match, Season, Table
from ladder.openness import is_open
from ladder.upkeep import sweep
from tests.build import active_version, snapshot
from tests.ladder.live.play import CALM, asked, bot_at, live_ladder, owing, position, remote_bots, table_of

pytestmark = pytest.mark.django_db


def test_a_table_runs_from_the_start_and_no_worker_is_at_it() -> None:
    bots = remote_bots(3)
    match = table_of(live_ladder("edel-stein-reich", 3), bots, rated=False)
    match.refresh_from_db()
    attempt = Attempt.objects.get(match=match)
    assert (match.status, match.lease, attempt.worker) == ("running", attempt.token, "table")
    assert match.lease_until is not None and match.lease_until > timezone.now() + timedelta(hours=1)
    assert owing(match) == [0, 1, 2]
    assert [live_seat.asked for live_seat in position(match).live_seats] == [1, 1, 1]


def test_every_seat_gets_its_player_in_the_order_in_which_they_were_named() -> None:
    ladder = live_ladder("die-weinhaendler", 4)
    bots = remote_bots(4)
    match = table_of(ladder, bots)
    assert [bot_at(match, seat) for seat in range(4)] == [bot.pk for bot in bots]
    assert all(seat.membership is not None and seat.membership.bot in bots for seat in match.seats.all())


def test_each_live_game_has_a_new_deal_of_the_live_series() -> None:
    ladder = live_ladder("edel-stein-reich-duel", 2)
    bots = remote_bots(2)
    games = [table_of(ladder, bots, rated=rated).block for rated in (True, False, True)]
    assert [block.purpose for block in games] == ["live", "casual", "live"]
    assert [block.number for block in games] == [1, 2, 3]
    assert {block.series.kind for block in games if block.series} == {DealSeries.Kind.LIVE}
    assert len({bytes(block.seed) for block in games}) == 3
    assert [block.matches.count() for block in Block.objects.all()] == [1, 1, 1]
    assert not any(is_open(block) for block in games)


def test_a_casual_game_needs_no_entries_and_a_rated_one_does() -> None:
    ladder = live_ladder("edel-stein-reich-duel", 2)
    bots = remote_bots(2)
    players = [BlockPlayer(active_version(bot)) for bot in bots]
    before = snapshot()
    with pytest.raises(ValueError, match="membership"):
        open_table(ladder, players)
    assert snapshot() == before
    match = open_table(ladder, players, rated=False, limits=CALM)
    assert [seat.membership for seat in match.seats.all()] == [None, None]


def test_without_other_limits_a_table_has_those_of_its_ladder_for_the_whole_game() -> None:
    ladder = live_ladder("edel-stein-reich-duel", 2)
    ladder.limits = {"move_ms": 1234, "bank_ms": 0}
    ladder.save()
    match = open_table(ladder, [BlockPlayer(active_version(bot)) for bot in remote_bots(2)], rated=False)
    ladder.limits = {"move_ms": 1}
    ladder.save()
    assert asked(match, owing(match)[0])["clock"] == {"move_ms": 1234, "bank_ms": 0, "game_ms": 60_000}
    assert Table.objects.get().limits["startup_ms"] == 3000


def test_no_table_opens_without_a_season() -> None:
    ladder = live_ladder("edel-stein-reich-duel", 2)
    players = [BlockPlayer(active_version(bot)) for bot in remote_bots(2)]
    Season.objects.filter(ladder=ladder).update(closing=timezone.now())
    before = Match.objects.count()
    with pytest.raises(NoSeason):
        open_table(ladder, players, rated=False)
    assert Match.objects.count() == before


def test_the_sweeper_of_lost_workers_leaves_live_games_alone() -> None:
    match = table_of(live_ladder("edel-stein-reich-duel", 2), remote_bots(2))
    Match.objects.filter(pk=match.pk).update(lease_until=timezone.now() - timedelta(days=1))
    assert sweep() == 0
    match.refresh_from_db()
    assert match.status == "running"


def test_a_game_begins_with_the_hello_that_a_program_on_stdin_gets() -> None:
    match = table_of(live_ladder("edel-stein-reich-duel", 2), remote_bots(2))
    place = decisions.position_for(match.pk, bot_at(match, 1))
    assert place is not None
    event = decisions.game_start(*place, resumed=False)
    message = event.pop("message")
    assert event == {
        "type": "game_start",
        "game": match.pk,
        "rated": True,
        "ladder": match.ladder.slug,
        "players": [{"name": f"far bot {i}", "bot": f"far-bot-{i}", "version": 1, "label": "main"} for i in range(2)],
    }
    assert len(message.pop("seed")) == 64
    assert message == {
        "type": "hello",
        "protocol": 1,
        "game": "edel-stein-reich-duel",
        "rules": "1",
        "seats": 2,
        "seat": 1,
        "resumed": False,
        "limits": position(match).table.limits,
        "library": games.__version__,
    }
    assert LiveSeat.objects.filter(kind="remote").count() == 2
