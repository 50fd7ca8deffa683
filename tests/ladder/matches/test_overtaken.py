from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from ladder.matches.leases import claim, give_back
from ladder.matches.schedule import fill
from ladder.matches.sweep import OVERTAKEN, end_overtaken_matches
from ladder.models import Attempt, Block, Ladder, Match
from ladder.upkeep import sweep
from tests.build import claimed, first_games

pytestmark = pytest.mark.django_db(transaction=True)


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
    assert stuck.reason == "No worker could begin it, while later matches of the ladder were played."
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
