from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.utils import timezone
from psycopg.errors import AdminShutdown, DeadlockDetected, LockNotAvailable, SerializationFailure

from esr_platform.disconnects import is_busy, run_isolated
from ladder.matches.leases import LEASE, claim, delays, finish, give_back, lease_of, renew, renewed
from ladder.matches.schedule import fill
from ladder.matches.sweep import OVERTAKEN, end_overtaken_matches
from ladder.models import Attempt, Block, Ladder, Match
from ladder.upkeep import sweep
from tests.build import FAILED, claimed, expire_lease, first_games, snapshot
from tests.services.ports import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

DELAYED = Attempt.Ending.DELAYED


def test_a_queued_match_is_claimed_once(match: Match) -> None:
    lease = claimed(match)
    before = snapshot()
    assert claim(match.pk, "there") is None
    assert snapshot() == before
    match.refresh_from_db()
    assert (match.status, match.lease, match.attempts_started) == ("running", lease.token, 1)


def test_a_match_is_not_claimed_while_another_one_of_its_block_runs(match: Match) -> None:
    lease, other = claimed(match), Match.objects.filter(block=match.block).exclude(pk=match.pk)[0]
    Match.objects.filter(pk=other.pk).update(sent_at=Now())
    assert claim(other.pk, "there") is None
    other.refresh_from_db()
    assert (other.status, other.attempts_started, other.sent_at) == ("queued", 0, None)
    assert claim(first_games().exclude(block=match.block)[0].pk, "there"), "another block is no obstacle"
    give_back(lease, FAILED, "no disk space")
    assert claim(other.pk, "there")
    Match.objects.filter(pk=match.pk).update(due_at=Now())
    assert claim(match.pk, "here") is None, "now it is the one that waits"


def test_a_lease_runs_out_half_a_minute_from_now(match: Match) -> None:
    claimed(match)
    match.refresh_from_db()
    assert abs(match.lease_until - timezone.now() - LEASE) < timedelta(seconds=10)


def test_a_match_that_is_not_due_yet_is_not_claimed(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(due_at=timezone.now() + timedelta(minutes=1))
    assert claim(match.pk, "here") is None


@pytest.mark.parametrize("missing", [-1, 10**9])
def test_a_match_that_does_not_exist_is_not_claimed(house: None, missing: int) -> None:
    assert claim(missing, "here") is None


def test_renewing_moves_the_end_of_the_lease(match: Match) -> None:
    lease = claimed(match)
    expire_lease(match)
    assert renew(lease)
    match.refresh_from_db()
    assert match.lease_until > timezone.now()


def test_a_lost_lease_cannot_be_renewed_finished_or_given_back(match: Match) -> None:
    lost = claimed(match)
    expire_lease(match)
    sweep()
    claimed(match)
    before = snapshot()
    assert not renew(lost)
    assert not finish(lost)
    assert not give_back(lost, FAILED, "too late")
    assert snapshot() == before


def test_a_heartbeat_renews_while_something_runs(transactional_db: None, match: Match) -> None:
    lease = claimed(match)
    expire_lease(match)

    def is_renewed() -> bool:
        return Match.objects.filter(pk=match.pk, lease_until__gt=Now()).exists()

    with renewed(lease, every_s=0.01):
        wait_until(is_renewed, "the lease is renewed")
    assert Attempt.objects.get(token=lease.token).heartbeat_at > match.created


def test_a_heartbeat_without_a_lease_ends_by_itself_and_changes_nothing(transactional_db: None, match: Match) -> None:
    lease = claimed(match)
    give_back(lease, FAILED, "elsewhere")
    before = snapshot()
    with renewed(lease, every_s=0.001):
        pass
    assert snapshot() == before


def test_a_failed_attempt_puts_the_match_back_into_the_queue_a_little_later(match: Match) -> None:
    assert give_back(claimed(match), FAILED, "no disk space")
    match.refresh_from_db()
    assert (match.status, match.lease, match.sent_at) == ("queued", None, None)
    assert match.due_at > timezone.now()
    assert match.attempts.get().failure == "no disk space"


def test_after_three_failures_the_match_is_void_says_why_and_keeps_its_deal_for_the_rest_of_its_block(
    match: Match,
) -> None:
    for _ in range(3):
        give_back(claimed(match), FAILED, "no disk space")
    match.refresh_from_db()
    assert match.status == "void"
    assert match.reason == "Gave up after 3 failed attempts. Last error: no disk space"
    assert match.block.public_seed is None
    assert claim(match.pk, "here") is None


def test_attempts_spoilt_by_a_slow_machine_are_no_failures(match: Match) -> None:
    for ending in (DELAYED, FAILED, DELAYED, FAILED):
        give_back(claimed(match), ending, "slow")
    match.refresh_from_db()
    assert (match.status, match.attempts_started, delays(lease_of(match.pk, uuid4()))) == ("queued", 4, 2)


def test_a_lost_worker_costs_an_attempt_and_three_void_the_match(match: Match) -> None:
    for _ in range(3):
        claimed(match)
        assert sweep() == 0
        expire_lease(match)
        assert sweep() == 1
    match.refresh_from_db()
    assert match.status == "void"
    assert "no heartbeat" in match.reason
    assert [attempt.ending for attempt in match.attempts.all()] == ["expired"] * 3


def test_sweeping_spares_a_match_that_was_renewed_meanwhile(match: Match) -> None:
    lease = claimed(match)
    expire_lease(match)
    renew(lease)
    before = snapshot()
    assert sweep() == 0
    assert snapshot() == before


@pytest.fixture
def stuck(ladder: Ladder) -> Match:
    """The oldest of a queue, all of which has waited for long."""
    fill(Random(1))
    Match.objects.update(due_at=timezone.now() - OVERTAKEN - timedelta(minutes=1))
    return Match.objects.earliest("pk")


def begin_later_ones(but: Match, ago: timedelta = OVERTAKEN + timedelta(seconds=1)) -> None:
    """Schedule more blocks and begin them ``ago`` before now."""
    fill(Random(2))
    for match in first_games().filter(due_at__gt=timezone.now() - OVERTAKEN).exclude(block=but.block_id):
        assert claim(match.pk, "a test")
    Match.objects.filter(status="running").update(started=timezone.now() - ago)


def test_a_match_that_nobody_can_begin_is_cancelled_once_much_later_ones_are_played(stuck: Match) -> None:
    Match.objects.exclude(pk=stuck.pk).update(status=Match.Status.CANCELLED, reason="Gone.", ended=timezone.now())
    begin_later_ones(stuck)
    sweep()
    stuck.refresh_from_db()
    assert stuck.status == Match.Status.CANCELLED
    assert stuck.reason == "The match could not be started for too long."
    assert Block.objects.get(pk=stuck.block_id).ended is not None


def test_what_was_tried_before_is_void(stuck: Match) -> None:
    Match.objects.filter(pk=stuck.pk).update(attempts_started=1)
    begin_later_ones(stuck)
    assert end_overtaken_matches() == 8
    stuck.refresh_from_db()
    assert stuck.status == Match.Status.VOID


def test_workers_that_are_down_cost_no_match(stuck: Match) -> None:
    fill(Random(2))
    assert end_overtaken_matches() == 0


def test_workers_that_are_back_and_begin_with_a_later_match_cost_none(stuck: Match) -> None:
    begin_later_ones(stuck, ago=OVERTAKEN / 2)
    assert end_overtaken_matches() == 0


def test_a_match_that_waits_for_another_one_of_its_block_is_not_ended(stuck: Match) -> None:
    """Games of a block are played one after another, and each of them may be long."""
    begin_later_ones(stuck)
    lease = claimed(Match.objects.filter(block=stuck.block).exclude(pk=stuck.pk)[0])
    give_back(lease, Attempt.Ending.DELAYED, "the machine was late")
    assert end_overtaken_matches() == 4
    stuck.refresh_from_db()
    assert stuck.status == Match.Status.QUEUED


def test_a_match_that_is_tried_in_this_moment_is_not_ended(stuck: Match) -> None:
    begin_later_ones(stuck)
    tried: list[int] = []

    def trying(execute: Any, sql: str, *rest: Any) -> Any:
        if connection.in_atomic_block and sql.startswith("SELECT") and not tried:
            tried.append(stuck.pk)
            give_back(claimed(stuck), Attempt.Ending.DELAYED, "the machine was late")
        return execute(sql, *rest)

    with connection.execute_wrapper(trying):
        assert end_overtaken_matches() == 4
    stuck.refresh_from_db()
    assert (tried, stuck.status) == ([stuck.pk], Match.Status.QUEUED)


def test_a_queue_that_is_played_in_its_order_loses_nothing(stuck: Match) -> None:
    for match in first_games().exclude(pk=stuck.pk):
        assert claim(match.pk, "a test")
    Match.objects.filter(status="running").update(started=timezone.now() - 2 * OVERTAKEN)
    assert end_overtaken_matches() == 0


def test_matches_with_priority_overtake_nobody(stuck: Match) -> None:
    fill(Random(2))
    later = Match.objects.filter(due_at__gt=timezone.now() - OVERTAKEN)
    later.update(priority=1)
    for match in first_games() & later:
        assert claim(match.pk, "a test")
    later.update(started=timezone.now() - 2 * OVERTAKEN)
    assert end_overtaken_matches() == 0


log = logging.getLogger(__name__)


def test_what_is_done_gives_what_it_gives() -> None:
    assert run_isolated(lambda: 3, 0, log, "it failed") == 3


def test_what_fails_is_written_down_and_holds_up_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert run_isolated(lambda: 1 // 0, -1, log, "match %s failed", 7) == -1
    (record,) = caplog.records
    assert record.getMessage() == "match 7 failed"
    assert record.exc_info is not None


def raised(cause: Exception) -> OperationalError:
    """The error that Django raises for ``cause``."""
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


def locked_sqlite(tmp_path: Path) -> sqlite3.OperationalError:
    with closing(sqlite3.connect(tmp_path / "db", isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        with closing(sqlite3.connect(tmp_path / "db", timeout=0)) as other:
            try:
                other.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                return error
    raise AssertionError("the database was not locked")


@pytest.mark.parametrize("cause", [DeadlockDetected, SerializationFailure, LockNotAvailable, locked_sqlite])
def test_a_deadlock_or_a_lock_timeout_holds_up_nothing(cause: Any, tmp_path: Path) -> None:
    error = raised(cause(tmp_path) if cause is locked_sqlite else cause("not now"))

    def busy() -> int:
        raise error

    assert run_isolated(busy, -1, log, "it failed") == -1
    assert run_isolated(busy, -1, log, "it failed", busy=7) == 7


@pytest.mark.parametrize("cause", [AdminShutdown("gone"), sqlite3.OperationalError("unable to open database file")])
def test_other_operational_errors_are_lost_connections(cause: Exception) -> None:
    assert not is_busy(raised(cause))


def test_a_lost_database_is_the_business_of_all(caplog: pytest.LogCaptureFixture) -> None:
    def lost() -> int:
        raise OperationalError("gone")

    with pytest.raises(OperationalError, match="gone"):
        run_isolated(lost, 0, log, "it failed")
    assert not caplog.records
