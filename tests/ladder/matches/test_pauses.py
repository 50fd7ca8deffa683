from __future__ import annotations

from dataclasses import replace

import pytest
from django.db.models.functions import Now

from bots.models import Bot
from bots.runner.report import MachineDelay
from games.base import FORFEIT_REASONS
from ladder.matches.leases import Lease, claim
from ladder.matches.pauses import BAD, MOST_BAD, put_back
from ladder.matches.results import record_result
from ladder.matches.schedule import fill
from ladder.models import Block, Ladder, Match
from ladder.upkeep import sweep
from tests.build import claimed, match_of, person, report_of, uploaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("house")]


def played(bot: Bot, ladder: Ladder, reason: str = "") -> Match:
    """A match in which ``bot``, at seat 0, forfeits by ``reason``, if that is one."""
    match = match_of(bot, ladder)
    assert record_result(claimed(match), report_of(match, forfeits={0: reason} if reason else {}))
    bot.refresh_from_db()
    return match


def late(bot: Bot, ladder: Ladder) -> Match:
    """A match that ``bot`` lost after the machine had made it late."""
    match = match_of(bot, ladder)
    delays = (MachineDelay(1, 3, 1_200_000, 1_000_000, 900_000), MachineDelay(0, 3, 1_200_000, 1_000_000, 900_000))
    assert record_result(claimed(match), replace(report_of(match, forfeits={0: "strikes"}), machine_delays=delays))
    return match


def test_three_bad_matches_in_a_row_put_a_bot_on_leave_and_say_which_and_why(bot: Bot, duel: Ladder) -> None:
    lost = [played(bot, duel, reason) for reason in ("exit", "strikes", "not_ready")]
    assert bot.on_leave is not None
    assert bot.leave_reason == (
        f"It failed in 3 matches in a row: match {lost[0].pk} (its process ended), match {lost[1].pk} (three strikes)"
        f" and match {lost[2].pk} (not ready in time)."
    )


def test_two_bad_matches_do_not(bot: Bot, duel: Ladder) -> None:
    for _ in range(MOST_BAD - 1):
        played(bot, duel, "exit")
    assert (bot.on_leave, bot.bad_in_a_row) == (None, 2)


@pytest.mark.parametrize("good", ["", "resign", "abandoned"])
def test_a_match_without_a_failure_of_its_own_ends_the_row(bot: Bot, duel: Ladder, good: str) -> None:
    for reason in ("exit", "exit", good, "exit", "exit"):
        played(bot, duel, reason)
    assert (bot.on_leave, bot.bad_in_a_row) == (None, 2)


@pytest.mark.parametrize("reason", FORFEIT_REASONS)
def test_every_way_to_lose_by_failing_counts_and_no_other(bot: Bot, duel: Ladder, reason: str) -> None:
    played(bot, duel, reason)
    assert bot.bad_in_a_row == (reason in BAD)


def test_a_match_lost_after_the_machine_was_late_counts_as_neither(bot: Bot, duel: Ladder) -> None:
    played(bot, duel, "exit")
    late(bot, duel)
    bot.refresh_from_db()
    assert bot.bad_in_a_row == 1


def test_a_leave_names_exactly_the_matches_that_counted(bot: Bot, duel: Ladder) -> None:
    lost = [played(bot, duel, "exit"), late(bot, duel), played(bot, duel, "time"), late(bot, duel)]
    lost.append(played(bot, duel, "strikes"))
    assert bot.leave_reason == (
        f"It failed in 3 matches in a row: match {lost[0].pk} (its process ended), match {lost[2].pk} (its time for the"
        f" game was used up) and match {lost[4].pk} (three strikes)."
    )


def test_the_failures_of_others_at_the_table_are_theirs(bot: Bot, duel: Ladder) -> None:
    match = match_of(bot, duel)
    assert record_result(claimed(match), report_of(match, forfeits={1: "exit"}))
    assert not Bot.objects.filter(bad_in_a_row__gt=0).exists()


def test_the_row_goes_over_all_ladders(bot: Bot, duel: Ladder) -> None:
    other = uploaded(person("bob"), "Wide", claims={"edel-stein-reich": [3], duel.game: [2]})
    three = Ladder.objects.get(slug="edel-stein-reich-3")
    for ladder in (duel, three, duel):
        played(other, ladder, "exit")
    assert other.on_leave is not None


def test_a_result_brought_twice_counts_once(bot: Bot, duel: Ladder) -> None:
    match = match_of(bot, duel)
    lease = claimed(match)
    report = report_of(match, forfeits={0: "exit"})
    assert record_result(lease, report)
    assert record_result(lease, report) is None
    bot.refresh_from_db()
    assert bot.bad_in_a_row == 1


def test_a_bot_on_leave_keeps_its_rating_and_its_waiting_matches_are_cancelled(bot: Bot, duel: Ladder) -> None:
    waiting, running = match_of(bot, duel, 1), match_of(bot, duel, 2)
    assert claim(running.pk, "a test")
    for _ in range(MOST_BAD):
        played(bot, duel, "exit")
    rating = bot.entries.get().rating
    waiting.refresh_from_db()
    running.refresh_from_db()
    assert (waiting.status, waiting.reason) == ("cancelled", "A bot at the table is on leave or suspended.")
    assert running.status == "running"
    assert bot.entries.get().active
    fill()
    assert not Match.objects.filter(status="queued", seats__entry__bot=bot).exists()
    assert bot.entries.get().rating == rating


def test_a_match_scheduled_while_its_bot_went_on_leave_is_cancelled_by_the_sweeper(bot: Bot, duel: Ladder) -> None:
    untried, tried = match_of(bot, duel, 1), match_of(bot, duel, 2)
    Match.objects.filter(pk=tried.pk).update(attempts_started=1)
    Bot.objects.filter(pk=bot.pk).update(on_leave=Now(), leave_reason="It failed.")
    sweep()
    found = {match.pk: [game.status for game in match.block.matches.order_by("seating")] for match in (untried, tried)}
    assert found == {untried.pk: ["cancelled", "cancelled"], tried.pk: ["queued", "cancelled"]}
    ended = Block.objects.filter(pk__in=[untried.block_id, tried.block_id]).exclude(ended=None)
    assert list(ended) == [untried.block]


def test_the_owner_puts_it_back_with_a_clean_count(bot: Bot, duel: Ladder) -> None:
    for _ in range(MOST_BAD):
        played(bot, duel, "exit")
    assert put_back(bot)
    bot.refresh_from_db()
    assert (bot.on_leave, bot.leave_reason, bot.bad_in_a_row) == (None, "", 0)
    one = duel.entries.filter(bot__owner=None)[0]
    duel.entries.filter(bot__owner=None).exclude(pk=one.pk).update(active=False)
    fill()
    assert Match.objects.filter(status="queued", seats__entry__bot=bot).exists()
    assert not put_back(bot)


def test_a_bot_that_was_put_back_goes_on_leave_for_three_new_matches(bot: Bot, duel: Ladder) -> None:
    for _ in range(MOST_BAD):
        played(bot, duel, "exit")
    put_back(bot)
    lost = [played(bot, duel, "time") for _ in range(MOST_BAD)]
    assert bot.leave_reason.count("its time for the game was used up") == MOST_BAD
    assert all(f"match {match.pk} " in bot.leave_reason for match in lost)


def test_a_match_that_ends_while_its_bot_is_on_leave_changes_neither_the_leave_nor_its_reason(
    bot: Bot, duel: Ladder
) -> None:
    other = match_of(bot, duel, 3)
    lease = claim(other.pk, "a test")
    assert isinstance(lease, Lease)
    for _ in range(MOST_BAD):
        played(bot, duel, "exit")
    since, reason = bot.on_leave, bot.leave_reason
    assert record_result(lease, report_of(other, forfeits={0: "exit"}))
    bot.refresh_from_db()
    assert (bot.on_leave, bot.leave_reason) == (since, reason)


def test_bots_of_the_house_never_go_on_leave(duel: Ladder) -> None:
    fill()
    for match in Match.objects.filter(ladder=duel).select_related("ladder"):
        assert record_result(claimed(match), report_of(match, forfeits={0: "exit", 1: "exit"}))
    assert not Bot.objects.exclude(on_leave=None, bad_in_a_row=0).exists()
