from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from bots.models import AppendOnlyError, BotVersion, Drain, Machine, StaffAction, WorkerHost
from bots.uploads.upload import upload_new_bot
from esr_platform.accounts.intake import IntakePaused
from esr_platform.accounts.models import Intake, IntakePause, Role, User
from esr_platform.queues import ages, matches
from ladder import operations
from ladder.corrections import withdraw
from ladder.exhibitions.requests import request_scheduled
from ladder.ledger.integrity import verify_all
from ladder.matches.leases import claim
from ladder.matches.play import play
from ladder.matches.results import record_result
from ladder.matches.schedule import fill
from ladder.matches.stuck import Why, stuck_matches
from ladder.matchmaking.guests import play_now
from ladder.members.waits import Cause, waits_of
from ladder.models import Attempt, Intervention, Ladder, Match, Result
from ladder.validations import validate_next
from tests.build import (
    DUEL,
    HONEST,
    active_version,
    claimed,
    fill_with_blocks,
    first_games,
    person,
    report_of,
    staff,
    uploaded,
    verified,
)
from tests.ladder.matchmaking.people import THREE_OPEN, level, on
from tests.ladder.pages.lobby.meeting import met
from tests.refusals import refused
from tests.services.locks import Meanwhile

pytestmark = pytest.mark.django_db(transaction=True)

WHY = "A test"
HERE = socket.gethostname()


@pytest.fixture
def match(ladder: Ladder) -> Match:
    """The first match of one of several blocks."""
    fill_with_blocks(ladder, count=5)
    return first_games()[0]


@pytest.fixture
def olga(db: None) -> User:
    """An operator."""
    return person("olga", role=Role.OPERATOR)


@pytest.fixture
def here(db: None) -> str:
    """This machine, which has reported."""
    Machine.objects.create(host=HERE, sandbox={"ok": True, "rated": True})
    return HERE


def interventions() -> list[tuple[str, str]]:
    return list(Intervention.objects.order_by("pk").values_list("action", "reason"))


def actions() -> list[tuple[str, str, str]]:
    return list(StaffAction.objects.order_by("pk").values_list("what", "subject", "reason"))


# --- Roles -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["", Role.MODERATOR])
def test_only_operators_and_site_admins_operate(match: Match, here: str, role: str) -> None:
    by = person("mona", role=role)
    acts: list[Callable[[User], Any]] = [
        lambda by: operations.requeue(match.pk, WHY, by),
        lambda by: operations.drain(here, WHY, by),
        lambda by: operations.resume_host(here, WHY, by),
        lambda by: operations.pause(match.ladder, WHY, by),
        lambda by: operations.resume(match.ladder, WHY, by),
        lambda by: operations.pause_intake(Intake.GUESTS, WHY, by),
        lambda by: operations.resume_intake(Intake.GUESTS, WHY, by),
    ]
    for act in acts:
        with refused("staff_only"):
            act(by)
    assert (interventions(), actions()) == ([], [])
    admin = staff("ada")
    for act in acts:
        act(admin)
    assert len(interventions()) + len(actions()) == len(acts)


def test_a_role_that_was_taken_away_is_not_used(here: str, olga: User) -> None:
    on_its_way = User.objects.get(pk=olga.pk)
    olga.role = ""
    olga.save()
    with refused("staff_only"):
        operations.drain(here, WHY, on_its_way)
    User.objects.filter(pk=olga.pk).update(is_active=False)
    with refused("account_closed"):
        operations.drain(here, WHY, on_its_way)


def test_every_action_needs_a_reason(here: str, olga: User) -> None:
    for reason, code in ((" ", "no_reason"), ("x" * 401, "reason_too_long")):
        with refused(code):
            operations.drain(here, reason, olga)
    assert not Drain.objects.exists()


# --- Matches ---------------------------------------------------------------------------------------------------------


def test_a_running_match_is_taken_from_its_worker_and_played_by_another(match: Match, olga: User) -> None:
    lease, report = claimed(match, "slow/1"), report_of(match)
    operations.requeue(match.pk, WHY, olga)
    assert not lease.renew()
    assert record_result(lease, report) is None
    assert not Result.objects.exists()
    match.refresh_from_db()
    assert (match.status, match.due_at > timezone.now(), match.sent_at) == ("queued", True, None)
    (attempt,) = Attempt.objects.all()
    assert (attempt.ending, attempt.failure != "") == ("withdrawn", True)
    others = Match.objects.filter(block=match.block).exclude(pk=match.pk)
    assert not others.filter(due_at__lte=Now()).exists(), "the worker has not noticed yet"
    assert record_result(claimed(match, "fast/1"), report_of(match))
    assert interventions() == [("requeued", f"{WHY}.")]


def test_a_match_can_be_requeued_often_and_voided_once(match: Match, olga: User) -> None:
    for _ in range(4):
        claimed(match)
        operations.requeue(match.pk, WHY, olga)
    assert Match.objects.get(pk=match.pk).status == "queued", "these are not failures"
    withdraw(match.pk, WHY, olga)
    with refused("already_voided"):
        withdraw(match.pk, WHY, olga)
    with refused("match_ended"):
        operations.requeue(match.pk, WHY, olga)
    assert [action for action, _ in interventions()] == ["requeued"] * 4 + ["voided"]


def test_a_queued_match_is_sent_again(match: Match, olga: User) -> None:
    Match.objects.filter(pk=match.pk).update(sent_at=Now())
    due_at = Match.objects.get(pk=match.pk).due_at
    operations.requeue(match.pk, WHY, olga)
    match.refresh_from_db()
    assert (match.status, match.sent_at, match.due_at) == ("queued", None, due_at)


def test_a_live_game_is_not_requeued(house: None, olga: User) -> None:
    match = met(verified("ada"), verified("ben"))
    with refused("live_match"):
        operations.requeue(match.pk, WHY, olga)


@pytest.mark.locks
@pytest.mark.parametrize("act", [operations.requeue, withdraw])
def test_a_result_that_comes_while_its_match_is_taken_away_is_discarded(match: Match, olga: User, act: Any) -> None:
    lease, report = claimed(match), report_of(match)
    with transaction.atomic():
        act(match.pk, WHY, olga)
        result = Meanwhile(lambda: record_result(lease, report))
        result.is_waiting()
    assert result.ended() is None
    assert not Result.objects.exists()
    assert Attempt.objects.get().ending == "withdrawn"


@pytest.mark.locks
@pytest.mark.parametrize("act", [operations.requeue, withdraw])
def test_a_match_whose_result_is_being_stored_is_not_taken_away(match: Match, olga: User, act: Any) -> None:
    lease, report = claimed(match), report_of(match)
    with transaction.atomic():
        assert record_result(lease, report)
        late = Meanwhile(lambda: act(match.pk, WHY, olga))
        late.is_waiting()
    with refused("match_ended"):
        late.ended()
    assert (Match.objects.get(pk=match.pk).status, Result.objects.count(), interventions()) == ("finished", 1, [])


# --- Stuck matches ---------------------------------------------------------------------------------------------------


def test_a_match_is_listed_as_stuck_with_its_reason(match: Match) -> None:
    lost, long, failed, waiting, fresh = first_games()[:5]
    assert not stuck_matches(20)
    for running in (lost, long):
        claimed(running)
    Match.objects.filter(pk=lost.pk).update(lease_until=Now() - timedelta(minutes=3))
    Match.objects.filter(pk=long.pk).update(started=Now() - timedelta(minutes=15))
    Match.objects.filter(pk=failed.pk).update(due_at=Now() - timedelta(minutes=6), attempts_started=1)
    Match.objects.filter(pk=waiting.pk).update(due_at=Now() - timedelta(hours=1))
    Match.objects.filter(pk=fresh.pk).update(due_at=Now() - timedelta(minutes=20))
    listed = {stuck.match.pk: stuck.why for stuck in stuck_matches(20)}
    assert listed == {
        lost.pk: Why.LEASE_LOST,
        long.pk: Why.LONG,
        failed.pk: Why.FAILED,
        waiting.pk: Why.NOT_BEGUN,
    }
    assert [stuck.match.pk for stuck in stuck_matches(1)] == [waiting.pk]


def test_a_live_game_with_an_overdue_decision_is_stuck(house: None) -> None:
    match = met(verified("ada"), verified("ben"))
    assert not stuck_matches(20)
    match.table.live_seats.filter(owes=True).update(deadline=Now() - timedelta(minutes=6))
    (stuck,) = stuck_matches(20)
    assert (stuck.match, stuck.why) == (match, Why.OVERDUE)


# --- Hosts -----------------------------------------------------------------------------------------------------------


def test_a_drained_machine_finishes_what_it_has_and_begins_nothing(match: Match, here: str, olga: User) -> None:
    lease, other = claimed(match, f"{here}/1"), first_games()[1]
    Match.objects.update(sent_at=Now())
    operations.drain(here, WHY, olga)
    assert claim(other.pk, f"{here}/2") is None
    assert play(other.pk) is None
    assert Match.objects.get(pk=other.pk).sent_at is None, "so that it is soon sent to another machine"
    assert lease.renew()
    assert record_result(lease, report_of(match))
    assert claim(other.pk, "elsewhere/1")
    operations.resume_host(here, WHY, olga)
    assert claim(first_games()[2].pk, f"{here}/2")
    assert actions() == [("drained host", here, f"{WHY}."), ("resumed host", here, f"{WHY}.")]


def test_a_drained_machine_validates_nothing(house: None, here: str, olga: User) -> None:
    version = uploaded(person("ada")).versions.get()
    BotVersion.objects.filter(pk=version.pk).update(state="received", active=False)
    operations.drain(here, WHY, olga)
    assert validate_next() is None
    assert BotVersion.objects.get(pk=version.pk).tried is None


def test_hosts_are_drained_and_resumed_once(here: str, olga: User) -> None:
    WorkerHost.objects.create(name="lab", digest="0" * 64, scopes=["matches"])
    for host in (here, "host:lab"):
        with refused("not_drained"):
            operations.resume_host(host, WHY, olga)
        operations.drain(host, WHY, olga)
        with refused("already_drained"):
            operations.drain(host, WHY, olga)
    for unknown in ("lab", "host:nobody", "nobody"):
        with refused("unknown_host"):
            operations.drain(unknown, WHY, olga)
    assert len(actions()) == 2


@pytest.mark.locks
def test_a_match_that_is_claimed_during_a_drain_is_held_or_stays_queued(match: Match, here: str, olga: User) -> None:
    with transaction.atomic():
        operations.drain(here, WHY, olga)
        claiming = Meanwhile(lambda: claim(match.pk, f"{here}/1"))
    lease = claiming.ended()
    match.refresh_from_db()
    assert (match.status, Attempt.objects.count()) == (("queued", 0) if lease is None else ("running", 1))
    assert claim(first_games()[1].pk, f"{here}/1") is None


# --- Ladders ---------------------------------------------------------------------------------------------------------


def test_a_paused_ladder_begins_no_match_and_finishes_the_running_one(match: Match, olga: User) -> None:
    ladder, lease = match.ladder, claimed(match)
    other = first_games()[1]
    operations.pause(ladder, "The rules are wrong", olga)
    assert claim(other.pk, "here") is None
    assert fill(Random(1)) == 0
    assert record_result(lease, report_of(match))
    operations.resume(ladder, WHY, olga)
    assert claim(other.pk, "here")
    assert interventions() == [("paused", "The rules are wrong."), ("resumed", f"{WHY}.")]


def test_queued_matches_of_a_paused_ladder_wait_and_are_not_late(match: Match, olga: User) -> None:
    Match.objects.update(due_at=F("due_at") - timedelta(hours=2))
    queued = matches()["ladder"].waiting
    assert (queued > 0, ages()["matches"] > timedelta(hours=1)) == (True, True)
    operations.pause(match.ladder, WHY, olga)
    assert claim(match.pk, "here/1") is None
    assert (matches()["ladder"].waiting, matches()["ladder"].later, ages()) == (0, queued, {})
    assert not stuck_matches(20)
    operations.resume(match.ladder, WHY, olga)
    assert claim(match.pk, "here/1")


def test_no_live_game_and_no_exhibition_begins_on_a_paused_ladder(house: None, olga: User) -> None:
    open_ladder = on(THREE_OPEN)
    operations.pause(open_ladder, WHY, olga)
    with refused("ladder_paused"):
        play_now(on(THREE_OPEN), level(2), None, "192.0.2.1")
    duel = Ladder.objects.get(slug=DUEL)
    operations.pause(duel, WHY, olga)
    versions = [active_version(membership.bot).pk for membership in duel.memberships.all()[:2]]
    soon = timezone.now() + timedelta(hours=1)
    with refused("ladder_paused"):
        request_scheduled(olga, Ladder.objects.get(slug=DUEL), versions, 1, soon, uuid4())


def test_a_bot_says_that_its_ladder_is_paused(house: None, olga: User) -> None:
    bot = uploaded(person("ada"))
    operations.pause(Ladder.objects.get(slug=DUEL), "The rules are wrong", olga)
    memberships = list(bot.memberships.select_related("ladder").filter(ladder__slug=DUEL))
    (wait,) = waits_of(bot, list(bot.versions.all()), memberships)
    assert (wait.cause, wait.detail) == (Cause.LADDER_PAUSED, "The rules are wrong.")


def test_a_ladder_is_paused_and_resumed_once(ladder: Ladder, olga: User) -> None:
    with refused("not_paused"):
        operations.resume(ladder, WHY, olga)
    operations.pause(ladder, WHY, olga)
    with refused("already_paused"):
        operations.pause(ladder, "Another reason", olga)
    assert Ladder.objects.get(pk=ladder.pk).pause_reason == f"{WHY}."


@pytest.mark.locks
def test_no_block_is_scheduled_while_the_ladder_is_being_paused(ladder: Ladder, olga: User) -> None:
    with transaction.atomic():
        operations.pause(ladder, WHY, olga)
        filling = Meanwhile(lambda: fill(Random(1)))
        filling.is_waiting()
    assert (filling.ended(), Match.objects.count()) == (0, 0)


@pytest.mark.locks
def test_a_live_game_does_not_begin_while_its_ladder_is_being_paused(house: None, olga: User) -> None:
    with transaction.atomic():
        operations.pause(on(THREE_OPEN), WHY, olga)
        beginning = Meanwhile(lambda: play_now(on(THREE_OPEN), level(2), None, "192.0.2.1"))
        beginning.is_waiting()
    with refused("ladder_paused"):
        beginning.ended()
    assert not Match.objects.exists()


def test_pauses_and_requeued_matches_break_no_check_of_the_ledger(match: Match, olga: User) -> None:
    claimed(match)
    operations.requeue(match.pk, WHY, olga)
    operations.pause(match.ladder, WHY, olga)
    assert verify_all() == 0


# --- Intake ----------------------------------------------------------------------------------------------------------


def test_each_kind_of_intake_is_paused_alone_with_a_public_reason(house: None, olga: User) -> None:
    operations.pause_intake(Intake.UPLOADS, "The disk is full", olga)
    with refused("intake_paused", IntakePaused) as refusal:
        uploaded_by_a_form()
    assert "The disk is full." in str(refusal.value)
    match, secret = play_now(on(THREE_OPEN), level(2), None, "192.0.2.1")
    operations.pause_intake(Intake.GUESTS, WHY, olga)
    with refused("intake_paused"):
        play_now(on(THREE_OPEN), level(2), None, "192.0.2.2")
    assert play_now(on(THREE_OPEN), level(2), secret, "192.0.2.1")[0] == match, "their game goes on"
    operations.resume_intake(Intake.UPLOADS, WHY, olga)
    uploaded_by_a_form()
    assert [(what, subject) for what, subject, _ in actions()] == [
        ("paused intake", "uploads"),
        ("paused intake", "guests"),
        ("resumed intake", "uploads"),
    ]
    assert IntakePause.objects.get().kind == "guests"


def uploaded_by_a_form() -> None:
    upload_new_bot(verified("ada"), "Citrine", "bot.py", HONEST)


def test_intake_is_paused_and_resumed_once(olga: User) -> None:
    with refused("not_paused"):
        operations.resume_intake(Intake.SIGN_UPS, WHY, olga)
    operations.pause_intake(Intake.SIGN_UPS, WHY, olga)
    with refused("already_paused"):
        operations.pause_intake(Intake.SIGN_UPS, WHY, olga)


# --- The audit log ---------------------------------------------------------------------------------------------------


def test_the_entries_of_operators_cannot_be_changed(match: Match, here: str, olga: User) -> None:
    operations.drain(here, WHY, olga)
    operations.pause(match.ladder, WHY, olga)
    with pytest.raises(AppendOnlyError):
        StaffAction.objects.update(reason="")
    for table in ("bots_staffaction", "ladder_intervention"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE {table} SET reason = 'x'")
