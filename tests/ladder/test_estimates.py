from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from celery import current_app
from django.utils import timezone

from bots.models import Bot
from bots.owners import make_active
from ladder.corrections import merge, void
from ladder.estimates import LEASE, counting_blocks, estimate_due
from ladder.matches.leases import claim, give_back
from ladder.models import Attempt, Block, Estimate, Estimation, Ladder, Match, Season
from ladder.seasons import close
from tests.build import block_on, finish_block, finish_game, games_of, new_version, staff
from tests.services.races import Race, RaceServer


@pytest.fixture
def season(duel: Ladder) -> Season:
    """The season of the ladder for two, with three blocks."""
    for first in (0, 1, 2):
        finish_block(block_on(duel, first=first))
    return Season.objects.get(ladder=duel)


@pytest.fixture
def race(race_server: RaceServer, tmp_path: Path) -> Race:
    return race_server.race_of("tests.ladder.races", tmp_path)


def rested() -> None:
    """Let the pause after the last run be over."""
    Estimation.objects.update(computed=timezone.now() - timedelta(hours=1))


def estimated() -> int:
    rested()
    return estimate_due()


def test_every_version_that_has_played_gets_an_estimate_with_an_interval(season: Season) -> None:
    estimate_due()
    rows = list(Estimate.objects.filter(season=season))
    sat = {seat for block in counting_blocks(season) for match in block.matches.all() for seat in match.seats.all()}
    assert {row.version_id for row in rows} == {seat.version_id for seat in sat}
    assert sum(row.games for row in rows) == len(sat)
    assert sum(row.blocks for row in rows) == 3 * 2
    for row in rows:
        assert row.low < row.rating < row.high
        assert len(row.draws) >= 200
    assert Estimation.objects.get(season=season).blocks == 3


def test_nothing_is_computed_again_until_the_ledger_has_grown(season: Season, duel: Ladder) -> None:
    estimate_due()
    assert estimated() == 0
    before = set(Estimate.objects.values_list("pk", flat=True))
    finish_block(block_on(duel))
    assert estimated() == 1
    assert before.isdisjoint(Estimate.objects.values_list("pk", flat=True))


def test_a_season_rests_after_a_run_in_proportion_to_what_it_took(season: Season, duel: Ladder) -> None:
    estimate_due()
    Estimation.objects.filter(season=season).update(seconds=60)
    finish_block(block_on(duel))
    assert estimate_due() == 0
    assert estimated() == 1


def test_the_same_ledger_gives_the_same_estimates(season: Season) -> None:
    def computed() -> list[tuple[int, int, int, bytes]]:
        Estimation.objects.all().delete()
        estimate_due()
        return [(row.version_id, row.low, row.high, bytes(row.kept_draws)) for row in Estimate.objects.all()]

    assert computed() == computed() != []


def test_a_block_with_a_game_to_play_does_not_count_yet(season: Season, duel: Ladder) -> None:
    block = block_on(duel)
    finish_game(games_of(block)[0])
    assert counting_blocks(season).count() == 3
    finish_game(games_of(block)[1])
    assert counting_blocks(season).count() == 4


def test_a_block_with_a_void_game_never_counts(season: Season, duel: Ladder) -> None:
    block = block_on(duel)
    games = games_of(block)
    finish_game(games[0])
    for _ in range(3):
        Match.objects.filter(pk=games[1].pk).update(due_at=timezone.now() - timedelta(hours=1))
        lease = claim(games[1].pk, "a test")
        assert lease is not None
        give_back(lease, Attempt.Ending.FAILED, "broken")
    block.refresh_from_db()
    assert block.ended
    assert counting_blocks(season).count() == 3


def test_a_block_with_a_voided_result_does_not_count(season: Season) -> None:
    block = counting_blocks(season)[0]
    void(games_of(block)[0].pk, "a defect", staff("eve"))
    assert block not in counting_blocks(season)
    assert counting_blocks(season).count() == 2


def test_blocks_with_an_entry_that_was_merged_out_count_no_more(season: Season) -> None:
    seat = games_of(counting_blocks(season)[0])[0].seats.select_related("membership").all()[0]
    assert seat.membership is not None
    merge(seat.membership, None, "it cheated", staff("eve"))
    left = counting_blocks(season)
    assert left.count() < 3
    assert not left.filter(matches__seats__membership=seat.membership).exists()


def test_unrated_blocks_do_not_count(season: Season, duel: Ladder) -> None:
    finish_block(block_on(duel, purpose=Block.Purpose.TEST))
    assert counting_blocks(season).count() == 3


def test_a_closed_season_is_estimated_once_more_independently_of_other_ledgers(season: Season, duel: Ladder) -> None:
    close(season)
    estimate_due()
    assert Estimate.objects.filter(season=season).exists()
    finish_block(block_on(duel))
    assert estimated() == 1
    assert set(Estimate.objects.values_list("season__number", flat=True)) == {1, 2}


def test_ranks_are_among_the_versions_that_bots_played_last(bot: Bot, duel: Ladder) -> None:
    old = bot.active_version
    everybody = duel.memberships.count()
    first = list(duel.memberships.order_by("pk")).index(duel.memberships.get(bot=bot)) - 1
    finish_block(block_on(duel, first=first))
    make_active(new_version(bot))
    finish_block(block_on(duel, first=first))
    estimate_due()
    ranked = Estimate.objects.exclude(rank_low=None)
    assert Estimate.objects.get(version=old).rank_low is None
    assert ranked.count() == 2 < everybody
    assert all(1 <= row.rank_low <= row.rank_high <= 2 for row in ranked if row.rank_low and row.rank_high)


def test_one_worker_estimates_at_a_time_until_a_timeout(season: Season) -> None:
    now = timezone.now()
    Estimation.objects.create(season=season, lease="7" * 32, lease_until=now + LEASE)
    estimate_due()
    assert not Estimate.objects.exists()
    Estimation.objects.filter(season=season).update(lease_until=now - LEASE)
    assert estimate_due() == 1
    assert Estimate.objects.exists()


def test_the_task_has_a_separate_queue() -> None:
    routed = current_app.amqp.router.route({}, "ladder.tasks.estimate")
    assert routed["queue"].name == "estimates"


@pytest.mark.django_db(transaction=True)
def test_two_at_once_write_one_run_and_a_reader_sees_one_at_a_time(race: Race, season: Season) -> None:
    estimate_due()
    *_, seen = race(
        ("estimating", {"times": 4}),
        ("estimating", {"times": 4}),
        ("reading_estimates", {"times": 300, "season": season.pk}),
    )
    assert len(seen) >= 1
    versions = Estimate.objects.filter(season=season).count()
    assert {count for count, _ in seen} == {versions}
    assert {runs for _, runs in seen} == {1}
