from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from bots.models import Bot
from bots.runner.launcher import Observer, PlatformFailure
from bots.runner.report import MachineDelay, MatchReport
from bots.runner.spec import MatchSpec
from games.rules import FORFEIT_REASONS
from ladder.corrections import withdraw
from ladder.creation import open_house
from ladder.matches.leases import claim
from ladder.matches.machines import FAILED_MATCHES, REST, trouble
from ladder.matches.pauses import BAD, MOST_BAD, resume
from ladder.matches.play import play
from ladder.matches.results import record_result
from ladder.matches.schedule import fill
from ladder.models import Attempt, Block, Ladder, Match, Result
from ladder.upkeep import sweep
from tests.bots.loads import overloaded_host
from tests.bots.sandbox.test_lateness import PLAYING
from tests.build import claimed, due_again, match_of, person, report_of, staff, uploaded

pytestmark = pytest.mark.django_db(transaction=True)


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


@pytest.mark.usefixtures("house")
def test_three_bad_matches_in_a_row_put_a_bot_on_leave_and_say_which_and_why(bot: Bot, duel: Ladder) -> None:
    lost = [played(bot, duel, reason) for reason in ("exit", "strikes", "not_ready")]
    assert bot.paused is not None
    assert bot.pause_reason == (
        f"It forfeited 3 matches in a row: match {lost[0].pk} (process exited),"
        f" match {lost[1].pk} (third strike) and match {lost[2].pk} (not ready in time)."
    )


@pytest.mark.usefixtures("house")
def test_two_bad_matches_do_not(bot: Bot, duel: Ladder) -> None:
    for _ in range(MOST_BAD - 1):
        played(bot, duel, "exit")
    assert (bot.paused, bot.bad_in_a_row) == (None, 2)


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize("good", ["", "resign", "abandoned"])
def test_a_match_without_a_failure_of_its_own_ends_the_row(bot: Bot, duel: Ladder, good: str) -> None:
    for reason in ("exit", "exit", good, "exit", "exit"):
        played(bot, duel, reason)
    assert (bot.paused, bot.bad_in_a_row) == (None, 2)


@pytest.mark.usefixtures("house")
@pytest.mark.parametrize("reason", FORFEIT_REASONS)
def test_every_way_to_lose_by_failing_counts_and_no_other(bot: Bot, duel: Ladder, reason: str) -> None:
    played(bot, duel, reason)
    assert bot.bad_in_a_row == (reason in BAD)


@pytest.mark.usefixtures("house")
def test_a_match_lost_after_the_machine_was_late_counts_as_neither(bot: Bot, duel: Ladder) -> None:
    played(bot, duel, "exit")
    late(bot, duel)
    bot.refresh_from_db()
    assert bot.bad_in_a_row == 1


@pytest.mark.usefixtures("house")
def test_a_leave_names_exactly_the_matches_that_counted(bot: Bot, duel: Ladder) -> None:
    lost = [played(bot, duel, "exit"), late(bot, duel), played(bot, duel, "time"), late(bot, duel)]
    lost.append(played(bot, duel, "strikes"))
    assert bot.pause_reason == (
        f"It forfeited 3 matches in a row: match {lost[0].pk} (process exited),"
        f" match {lost[2].pk} (time limit exceeded) and match {lost[4].pk} (third strike)."
    )


@pytest.mark.usefixtures("house")
def test_a_pause_names_no_unrated_match_because_its_result_may_not_be_public(bot: Bot, duel: Ladder) -> None:
    lost = [played(bot, duel, "exit") for _ in range(MOST_BAD - 1)]
    test = match_of(bot, duel)
    Block.objects.filter(pk=test.block_id).update(purpose=Block.Purpose.TEST)
    test.block.refresh_from_db()
    assert record_result(claimed(test), report_of(test, forfeits={0: "exit"}))
    lost.append(played(bot, duel, "exit"))
    assert re.findall(r"match (\d+)", bot.pause_reason) == [str(match.pk) for match in lost]


@pytest.mark.usefixtures("house")
def test_the_failures_of_others_at_the_table_are_theirs(bot: Bot, duel: Ladder) -> None:
    match = match_of(bot, duel)
    assert record_result(claimed(match), report_of(match, forfeits={1: "exit"}))
    assert not Bot.objects.filter(bad_in_a_row__gt=0).exists()


@pytest.mark.usefixtures("house")
def test_the_row_goes_over_all_ladders(bot: Bot, duel: Ladder) -> None:
    other = uploaded(person("bob"), "Wide", formats={"edel-stein-reich": [3], duel.game: [2]})
    three = Ladder.objects.get(slug="edel-stein-reich-3")
    for ladder in (duel, three, duel):
        played(other, ladder, "exit")
    assert other.paused is not None


@pytest.mark.usefixtures("house")
def test_a_result_brought_twice_counts_once(bot: Bot, duel: Ladder) -> None:
    match = match_of(bot, duel)
    lease = claimed(match)
    report = report_of(match, forfeits={0: "exit"})
    assert record_result(lease, report)
    assert record_result(lease, report) is None
    bot.refresh_from_db()
    assert bot.bad_in_a_row == 1


@pytest.mark.usefixtures("house")
def test_a_bot_on_leave_keeps_its_rating_and_its_waiting_matches_are_cancelled(bot: Bot, duel: Ladder) -> None:
    waiting, running = match_of(bot, duel, 1), match_of(bot, duel, 2)
    assert claim(running.pk, "a test")
    for _ in range(MOST_BAD):
        played(bot, duel, "exit")
    rating = bot.memberships.get().rating
    waiting.refresh_from_db()
    running.refresh_from_db()
    assert (waiting.status, waiting.reason) == ("cancelled", "A bot in this match is paused or suspended.")
    assert running.status == "running"
    assert bot.memberships.get().active
    fill()
    assert not Match.objects.filter(status="queued", seats__membership__bot=bot).exists()
    assert bot.memberships.get().rating == rating


@pytest.mark.usefixtures("house")
def test_a_match_scheduled_while_its_bot_went_on_leave_is_cancelled_by_the_sweeper(bot: Bot, duel: Ladder) -> None:
    untried, tried = match_of(bot, duel, 1), match_of(bot, duel, 2)
    Match.objects.filter(pk=tried.pk).update(attempts_started=1)
    Bot.objects.filter(pk=bot.pk).update(paused=Now(), pause_reason="It failed.")
    sweep()
    statuses = {
        match.pk: [game.status for game in match.block.matches.order_by("seating")] for match in (untried, tried)
    }
    assert statuses == {untried.pk: ["cancelled", "cancelled"], tried.pk: ["queued", "cancelled"]}
    ended = Block.objects.filter(pk__in=[untried.block_id, tried.block_id]).exclude(ended=None)
    assert list(ended) == [untried.block]


@pytest.mark.usefixtures("house")
def test_the_owner_puts_it_back_with_a_clean_count(bot: Bot, duel: Ladder) -> None:
    for _ in range(MOST_BAD):
        played(bot, duel, "exit")
    assert resume(bot)
    bot.refresh_from_db()
    assert (bot.paused, bot.pause_reason, bot.bad_in_a_row) == (None, "", 0)
    opponent = duel.memberships.filter(bot__owner=None)[0]
    duel.memberships.filter(bot__owner=None).exclude(pk=opponent.pk).update(active=False)
    fill()
    assert Match.objects.filter(status="queued", seats__membership__bot=bot).exists()
    assert not resume(bot)


@pytest.mark.usefixtures("house")
def test_a_bot_that_was_put_back_goes_on_leave_for_three_new_matches(bot: Bot, duel: Ladder) -> None:
    for _ in range(MOST_BAD):
        played(bot, duel, "exit")
    resume(bot)
    lost = [played(bot, duel, "time") for _ in range(MOST_BAD)]
    assert bot.pause_reason.count(BAD["time"]) == MOST_BAD
    assert all(f"match {match.pk} " in bot.pause_reason for match in lost)


@pytest.mark.usefixtures("house")
def test_a_match_that_ends_while_its_bot_is_on_leave_changes_neither_the_leave_nor_its_reason(
    bot: Bot, duel: Ladder
) -> None:
    other = match_of(bot, duel, 3)
    lease = claim(other.pk, "a test")
    assert lease is not None
    for _ in range(MOST_BAD):
        played(bot, duel, "exit")
    since, reason = bot.paused, bot.pause_reason
    assert record_result(lease, report_of(other, forfeits={0: "exit"}))
    bot.refresh_from_db()
    assert (bot.paused, bot.pause_reason) == (since, reason)


@pytest.mark.usefixtures("house")
def test_bots_of_the_house_never_go_on_leave(duel: Ladder) -> None:
    fill()
    for match in Match.objects.filter(ladder=duel).select_related("ladder"):
        assert record_result(claimed(match), report_of(match, forfeits={0: "exit", 1: "exit"}))
    assert not Bot.objects.exclude(paused=None, bad_in_a_row=0).exists()


def broken(_spec: MatchSpec[Any], _: Observer | None) -> MatchReport:
    raise PlatformFailure("no space left on the device")


def whole(spec: MatchSpec[Any], _: Observer | None) -> MatchReport:
    return report_of(Match.objects.select_related("ladder").get(pk=int(spec.match)))


def queue() -> list[int]:
    Match.objects.filter(status="queued").update(due_at=Now())
    return list(Match.objects.filter(status="queued").order_by("pk").values_list("pk", flat=True))


def test_a_machine_on_which_every_match_fails_rests_and_voids_none(match: Match) -> None:
    for _ in range(5):
        for pk in queue():
            play(pk, broken)
    assert Attempt.objects.count() == FAILED_MATCHES
    assert not Match.objects.exclude(status="queued").exists()
    assert trouble() == "no space left on the device"


def test_the_site_says_why_nothing_is_played(match: Match, client: Client) -> None:
    sentence = "No space left on the device."
    assert all(sentence not in client.get(address).content.decode() for address in ("/", "/ladders/"))
    for pk in queue():
        play(pk, broken)
    assert all(sentence in client.get(address).content.decode() for address in ("/", "/ladders/"))


def test_a_machine_tries_again_after_its_rest_and_goes_on_when_it_works(match: Match) -> None:
    pks = queue()
    for pk in pks[:FAILED_MATCHES]:
        play(pk, broken)
    assert play(pks[FAILED_MATCHES], whole) is None
    Attempt.objects.update(ended=timezone.now() - REST - timedelta(seconds=1))
    assert trouble() == ""
    assert [play(pk, whole) for pk in pks[FAILED_MATCHES:]] == ["finished"] * len(pks[FAILED_MATCHES:])


def test_one_match_that_fails_again_and_again_is_void_and_stops_nobody(match: Match) -> None:
    endings = [play(pk, broken) for _ in range(3) for pk in queue()[:1]]
    assert endings == ["failed"] * 3
    match.refresh_from_db()
    assert match.status == "void"
    assert play(queue()[0], whole) == "finished"


def test_the_rest_of_one_machine_is_not_that_of_another(match: Match) -> None:
    for pk in queue()[:FAILED_MATCHES]:
        play(pk, broken)
    host = Attempt.objects.all()[0].worker.rpartition("/")[0]
    assert trouble(host)
    assert not trouble("another")


def test_no_machine_rests_because_staff_end_what_it_plays(match: Match) -> None:
    eve = staff("eve")
    for match_id in queue()[:FAILED_MATCHES]:
        assert claim(match_id, "here/1")
        withdraw(match_id, "a wrong build", eve)
        Match.objects.filter(status="queued").update(due_at=Now())
    assert not trouble("here")
    assert trouble() == ""


LIMITS = {"startup_ms": 10_000, "move_ms": 500, "bank_ms": 0}


def match_with(action: str) -> Match:
    """A match of an uploaded bot that does ``action`` before its second answer."""
    open_house()
    bot = uploaded(person("ada"), source=PLAYING.replace("ACTION", action).encode())
    Ladder.objects.filter(slug="edel-stein-reich-duel").update(limits=LIMITS)
    return match_of(bot, Ladder.objects.get(slug="edel-stein-reich-duel"))


@pytest.mark.usefixtures("sandbox_launcher")
@pytest.mark.slow
def test_a_match_that_the_machine_spoils_is_played_again_once_and_then_its_result_stands(client: Client) -> None:
    match = match_with("think")
    endings = []
    with overloaded_host():
        for _ in range(3):
            due_again(match)
            endings.append(play(match.pk))
    assert endings == ["delayed", "finished", None]
    assert [attempt.failure.partition(":")[0] for attempt in match.attempts.order_by("number")] == [
        "server lag at seat 0",
        "",
    ]
    assert Result.objects.get(match=match).report["machine_delays"][0]["seat"] == 0
    page = client.get(f"/matches/{match.pk}/").content.decode()
    assert page.lower().count("server lag at seat 0") == 1
    assert 'data-note="server-lag"' in page


@pytest.mark.usefixtures("sandbox_launcher")
@pytest.mark.slow
def test_a_match_that_a_bot_spoils_counts_at_once(client: Client) -> None:
    match = match_with("sleep")
    assert play(match.pk) == "finished"
    assert Result.objects.get(match=match).report["machine_delays"] == []
    assert Bot.objects.get(owner__isnull=False).bad_in_a_row == 0
    assert "machine" not in client.get(f"/matches/{match.pk}/").content.decode()
