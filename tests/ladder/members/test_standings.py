from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import override_settings
from django.utils import timezone

from bots.models import Bot, BotVersion
from esr_platform.accounts.models import Role, User
from ladder.corrections import merge
from ladder.matches.leases import claim
from ladder.matches.results import record_result
from ladder.matches.schedule import fill
from ladder.matches.throughput import recent
from ladder.members import memberships
from ladder.members.standings import members, page_of, standings_of, tops
from ladder.members.waits import SILENCE, Cause, Wait, waits_of
from ladder.models import Attempt, Ladder, Match, Membership, Season
from ladder.pages.bot import spoken_of
from ladder.pages.components.words import Reason, reasons, sentence
from tests.build import active_version, new_version, person, report_of, uploaded


def test_the_best_rating_stands_first_and_equal_ones_share_a_rank(
    ladder: Ladder, django_assert_num_queries: Any
) -> None:
    for membership, rating in zip(
        ladder.memberships.order_by("pk"), [1600, 1700, 1600, 1500, 1550, 1400, 1300, 1200], strict=True
    ):
        Membership.objects.filter(pk=membership.pk).update(rating=rating * 1000)
    with django_assert_num_queries(1):
        rows = standings_of(ladder)
        names = [row.bot.name for row in rows]
    assert [row.rank for row in rows] == [1, 2, 2, 4, 5, 6, 7, 8]
    assert [row.rating // 1000 for row in rows] == [1700, 1600, 1600, 1550, 1500, 1400, 1300, 1200]
    assert len(set(names)) == 8


def test_whoever_has_left_stays_in_the_table_once_he_has_played(ladder: Ladder) -> None:
    gone, never = ladder.memberships.order_by("pk")[:2]
    Membership.objects.filter(pk=gone.pk).update(active=False, games=3)
    Membership.objects.filter(pk=never.pk).update(active=False)
    listed = {row.membership for row in standings_of(ladder)}
    assert gone.pk in listed
    assert never.pk not in listed


def test_a_rating_is_provisional_for_thirty_games(ladder: Ladder) -> None:
    young, old = ladder.memberships.order_by("pk")[:2]
    Membership.objects.filter(pk=young.pk).update(games=29)
    Membership.objects.filter(pk=old.pk).update(games=30)
    provisional = {row.membership: row.provisional for row in standings_of(ladder)}
    assert (provisional[young.pk], provisional[old.pk]) == (True, False)


def test_the_win_share_of_an_entry_without_games_is_unknown(ladder: Ladder) -> None:
    membership = ladder.memberships.first()
    assert membership.win_rate is None
    membership.games, membership.win_shares = 4, 90
    assert membership.win_rate == 0.375


def test_the_pages_of_a_table_rank_as_the_whole_table_does(ladder: Ladder, django_assert_num_queries: Any) -> None:
    """Ties across the edge of a page included."""
    ratings = [1600, 1500, 1500, 1500, 1500, 1400, 1400, 1300]
    for membership, rating in zip(ladder.memberships.order_by("pk"), ratings, strict=True):
        Membership.objects.filter(pk=membership.pk).update(rating=rating * 1000)
    whole = [(row.rank, row.membership) for row in standings_of(ladder)]
    for size in (1, 2, 3, 5, 8, 50):
        pages = [page_of(ladder, members(ladder), str(number), size) for number in range(1, -(-8 // size) + 1)]
        assert [(row.rank, row.membership) for page in pages for row in page] == whole
    with django_assert_num_queries(4):
        last = page_of(ladder, members(ladder), "99", 3)
    assert [row.rank for row in last] == [6, 8]
    assert (last.start_index(), last.end_index(), last.paginator.count) == (7, 8, 8)


def test_an_empty_table_has_one_empty_page(ladder: Ladder) -> None:
    Membership.objects.filter(ladder=ladder).update(active=False)
    assert list(page_of(ladder, members(ladder), None, 50)) == []


def test_rows_have_the_frozen_version_or_else_the_active_one(ladder: Ladder) -> None:
    frozen, other = ladder.memberships.order_by("pk")[:2]
    Membership.objects.filter(pk=frozen.pk).update(frozen=active_version(frozen.bot))
    for membership in (frozen, other):
        BotVersion.objects.filter(bot=membership.bot).update(active=False)
        BotVersion.objects.filter(pk=new_version(membership.bot).pk).update(active=True)
    versions = {row.membership: row.version for row in standings_of(ladder)}
    assert (versions[frozen.pk], versions[other.pk]) == (1, 2)


def test_the_first_rows_of_several_ladders_are_those_of_their_standings(
    ladder: Ladder, django_assert_num_queries: Any
) -> None:
    ratings = [1600, 1700, 1600, 1500, 1550, 1400, 1300, 1200]
    for membership, rating in zip(ladder.memberships.order_by("pk"), ratings, strict=True):
        Membership.objects.filter(pk=membership.pk).update(rating=rating * 1000)
    Membership.objects.filter(ladder=ladder, rating=1_700_000).update(active=False, games=3)
    with django_assert_num_queries(1):
        top = tops(Ladder.objects.all(), 3)[ladder.pk]
    whole = standings_of(ladder)
    assert [(row.rank, row.membership) for row in top.rows] == [(row.rank, row.membership) for row in whole[:3]]
    assert top.members == len(whole)


FOUR = {"edel-stein-reich": [4]}


@pytest.fixture
def bot(ladder: Ladder) -> Bot:
    """Ada's bot on the ladder for four, which has not played."""
    return uploaded(person("ada"), "magpie", formats=FOUR)


def asked(bot: Bot) -> list[Wait]:
    bot = Bot.objects.get(pk=bot.pk)
    return waits_of(bot, spoken_of(bot), list(Membership.objects.filter(bot=bot).select_related("ladder")))


def answer(bot: Bot) -> Wait:
    (wait,) = asked(bot)
    return wait


def said(bot: Bot, inside: bool = False) -> list[Reason]:
    bot = Bot.objects.get(pk=bot.pk)
    return reasons(bot, spoken_of(bot), list(Membership.objects.filter(bot=bot).select_related("ladder")), inside)


def causes(found: list[Reason]) -> list[Cause]:
    return [reason.wait.cause for reason in found]


def play(number: int) -> None:
    """Finish that many of the queued games."""
    for match in Match.objects.filter(status=Match.Status.QUEUED).select_related("ladder", "block")[:number]:
        lease = claim(match.pk, "a test")
        assert lease is not None
        assert record_result(lease, report_of(match))


def test_it_is_queued_at_a_place_with_an_estimate_from_what_was_played_lately(bot: Bot, ladder: Ladder) -> None:
    fill()
    play(3)
    matches = Match.objects.filter(seats__version__bot=bot).order_by("pk")
    Match.objects.exclude(pk__in=matches).filter(status=Match.Status.QUEUED).update(priority=2)
    matches.filter(status=Match.Status.QUEUED).update(priority=0)
    others = Match.objects.filter(status=Match.Status.QUEUED, priority=2).count()
    wait = answer(bot)
    assert wait.cause is Cause.QUEUED
    assert wait.place == others + 1
    assert wait.among == Match.objects.filter(status=Match.Status.QUEUED).count()
    assert wait.seconds == pytest.approx(wait.place / recent().per_s)
    (reason,) = said(bot)
    assert f"{wait.place} of {wait.among}" in reason.said


def test_without_games_in_the_last_minutes_there_is_no_estimate(bot: Bot) -> None:
    fill()
    assert answer(bot).seconds is None


def test_it_is_playing(bot: Bot) -> None:
    fill()
    match = Match.objects.filter(seats__version__bot=bot).earliest("pk")
    assert claim(match.pk, "a test")
    assert (answer(bot).cause, answer(bot).match_id) == (Cause.PLAYING, match.pk)


def test_it_waits_for_its_turn_with_the_bound_of_the_scheduler(bot: Bot, ladder: Ladder) -> None:
    fill()
    play(100)
    wait = answer(bot)
    assert wait.cause is Cause.ITS_TURN
    assert (wait.among, wait.place) == (9, 36)
    assert wait.seconds == pytest.approx(9 / 4 * 4 / recent().per_s_on(ladder.pk))
    assert set(re.findall(r"\d+", said(bot)[0].said)) >= {"9", "36"}


def test_it_is_paused(bot: Bot) -> None:
    Bot.objects.filter(pk=bot.pk).update(paused=timezone.now(), pause_reason="it failed in 3 matches in a row")
    assert said(bot)[0].said.endswith(" It failed in 3 matches in a row.")
    assert not said(bot)[0].for_owner
    assert said(bot, inside=True)[0].for_owner


def test_it_is_retired(bot: Bot) -> None:
    memberships.retire(bot)
    assert [wait.cause for wait in asked(bot)] == [Cause.RETIRED]


def test_its_version_is_in_check_which_only_its_owner_reads(bot: Bot) -> None:
    first = new_version(bot, formats=FOUR)
    BotVersion.objects.filter(pk=first.pk).update(state=BotVersion.State.RECEIVED)
    other = uploaded(person("bob"), "bobs", formats=FOUR)
    BotVersion.objects.filter(bot=other).update(state=BotVersion.State.RECEIVED, active=False)
    fill()
    check, game = asked(bot)
    assert (check.cause, check.version, check.among) == (Cause.IN_VALIDATION, first, 2)
    assert game.cause is Cause.QUEUED
    assert f"{check.place} of 2" in said(bot, inside=True)[0].said
    assert causes(said(bot)) == [Cause.QUEUED]
    assert [wait.cause for wait in asked(other)] == [Cause.IN_VALIDATION]
    assert causes(said(other)) == [Cause.NO_VERSION]


def test_its_version_is_being_checked_now(bot: Bot) -> None:
    second = new_version(bot, formats=FOUR)
    until = timezone.now() + timedelta(minutes=1)
    BotVersion.objects.filter(pk=second.pk).update(state=BotVersion.State.VALIDATING, lease=uuid4(), lease_until=until)
    reason = said(bot, inside=True)[0]
    assert (reason.wait.cause, reason.wait.place) == (Cause.IN_VALIDATION, 0)


def test_it_has_no_version(bot: Bot) -> None:
    BotVersion.objects.filter(bot=bot).update(active=False, state=BotVersion.State.REJECTED, reason="It ended.")
    assert [wait.cause for wait in asked(bot)] == [Cause.NO_VERSION]
    assert said(bot, inside=True)[0].for_owner


def test_its_owner_has_left_the_ladder(bot: Bot, ladder: Ladder) -> None:
    memberships.leave(bot, ladder)
    assert answer(bot).cause is Cause.DECLINED


def test_its_results_count_for_nobody_any_more(bot: Bot, ladder: Ladder) -> None:
    judge = User.objects.create(username="judge", email="judge@example.org", role=Role.MODERATOR)
    merge(Membership.objects.get(bot=bot), None, "it was played by a person", judge)
    fill()
    assert answer(bot).cause is Cause.MERGED
    assert not Match.objects.filter(seats__version__bot=bot).exists()


def test_the_version_that_plays_does_not_claim_the_table(bot: Bot, ladder: Ladder) -> None:
    Membership.objects.filter(bot=bot).update(active=False)
    assert answer(bot).cause is Cause.NOT_SUPPORTED


def test_the_ladder_is_closed(bot: Bot, ladder: Ladder) -> None:
    Ladder.objects.filter(pk=ladder.pk).update(open=False)
    assert answer(bot).cause is Cause.CLOSED


def test_no_season_is_open(bot: Bot, ladder: Ladder) -> None:
    now = timezone.now()
    Season.objects.filter(ladder=ladder).update(closing=now, closed=now)
    assert answer(bot).cause is Cause.NO_SEASON


def test_too_few_opponents_are_there_and_the_house_cannot_fill_up(bot: Bot, ladder: Ladder) -> None:
    Membership.objects.filter(ladder=ladder, bot__owner=None).update(active=False)
    assert answer(bot).cause is Cause.ITS_TURN, "the house fills up"
    BotVersion.objects.filter(bot__owner=None).update(active=False)
    assert answer(bot).cause is Cause.TOO_FEW
    assert said(bot, inside=True)[0].for_owner


def test_the_workers_are_down(bot: Bot) -> None:
    fill()
    Match.objects.update(due_at=timezone.now() - SILENCE - timedelta(seconds=1))
    wait = answer(bot)
    assert wait.cause is Cause.WORKERS_DOWN
    assert sentence(wait.detail) in said(bot)[0].said


def test_workers_that_play_a_long_game_are_not_down(bot: Bot, ladder: Ladder) -> None:
    Ladder.objects.filter(pk=ladder.pk).update(weight=8)
    fill()
    Match.objects.update(due_at=timezone.now() - SILENCE - timedelta(seconds=1))
    assert claim(Match.objects.exclude(seats__version__bot=bot).earliest("pk").pk, "a test")
    Attempt.objects.update(started=timezone.now() - timedelta(minutes=5))
    assert answer(bot).cause is Cause.QUEUED


def test_its_game_is_not_due_yet(bot: Bot) -> None:
    fill()
    due = timezone.now() + timedelta(minutes=5)
    Match.objects.filter(seats__version__bot=bot).update(due_at=due)
    assert (answer(bot).cause, answer(bot).due_at) == (Cause.LATER, due)


def test_many_games_take_no_more_queries_than_few(bot: Bot, ladder: Ladder, django_assert_max_num_queries: Any) -> None:
    Ladder.objects.filter(pk=ladder.pk).update(weight=8)
    fill()
    play(2)
    with django_assert_max_num_queries(8 + 3):  # and the bot, its versions and its memberships
        asked(bot)


@override_settings(MAX_HOUSE_BLOCKS_PER_HOUR=0)
def test_a_house_bot_waits_where_only_house_bots_play(ladder: Ladder) -> None:
    house_bot = Bot.objects.filter(memberships__ladder=ladder, memberships__active=True).earliest("pk")
    (wait,) = [wait for wait in asked(house_bot) if wait.ladder == ladder]
    assert wait.cause is Cause.HOUSE_ALONE
