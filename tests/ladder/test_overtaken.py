from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest
from django.utils import timezone

from ladder.leases import claim
from ladder.models import Block, Ladder, Match
from ladder.retiring import OVERTAKEN, end_overtaken_matches
from ladder.scheduling import fill
from ladder.sweeping import sweep


@pytest.fixture
def stuck(ladder: Ladder) -> Match:
    """The oldest of a queue, all of which has waited for long."""
    fill(Random(1))
    Match.objects.update(due_at=timezone.now() - OVERTAKEN - timedelta(minutes=1))
    return Match.objects.earliest("pk")


def begin_later_ones(but: Match) -> None:
    """Schedule more and begin them."""
    fill(Random(2))
    for match in Match.objects.filter(due_at__gt=timezone.now() - OVERTAKEN).exclude(block=but.block_id):
        assert claim(match.pk, "a test")


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


def test_a_queue_that_is_played_in_its_order_loses_nothing(stuck: Match) -> None:
    for match in Match.objects.exclude(pk=stuck.pk):
        assert claim(match.pk, "a test")
    assert end_overtaken_matches() == 0


def test_matches_with_priority_overtake_nobody(stuck: Match) -> None:
    fill(Random(2))
    later = Match.objects.filter(due_at__gt=timezone.now() - OVERTAKEN)
    later.update(priority=1)
    for match in later:
        assert claim(match.pk, "a test")
    assert end_overtaken_matches() == 0
