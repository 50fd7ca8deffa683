"""Celery workers, beat, Redis and PostgreSQL as they run in a site, killed in the middle of games."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise

import pytest
from celery import current_app
from django.db import connection

from ladder.matches.schedule import QUEUE_LENGTH, fill
from ladder.models import Attempt, Ladder, Match, Result
from tests.ladder.accounts import accounts
from tests.services.ports import wait_until
from tests.services.workers import ROOT, Processes

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def ended() -> int:
    return Match.objects.filter(status__in=("finished", "void")).count()


def test_a_task_delivered_five_times_to_two_workers_plays_each_match_once(
    site_processes: Processes, ladder: Ladder
) -> None:
    fill()
    for match in list(Match.objects.all()) * 4:
        current_app.send_task("ladder.tasks.play_match", args=(match.pk,), queue="matches")
    for _ in range(2):
        site_processes.worker("matches")
    wait_until(lambda: ended() == QUEUE_LENGTH, "all matches have ended")
    assert Result.objects.count() == Attempt.objects.count() == QUEUE_LENGTH
    assert accounts() == []


def test_blocks_are_played_to_their_end_one_match_after_another_without_waiting_for_beat(
    site_processes: Processes, ladder: Ladder
) -> None:
    """Beat does not run here, so only the end of each match can send the next one of its block."""
    fill()
    site_processes.worker("matches,soon,on_time", processes=2)
    wait_until(lambda: ended() == QUEUE_LENGTH, "all matches have ended")
    attempts = Attempt.objects.order_by("match__block", "started").values_list("match__block", "started", "ended")
    assert len(attempts) == QUEUE_LENGTH
    for (block, _, end), (next_block, start, _) in pairwise(attempts):
        assert block != next_block or (end is not None and end <= start)


@pytest.mark.parametrize(
    "played",
    [("--matches", "60", "--kill-every", "4"), ("--cups", "swiss/2", "knockout/4", "--kill-every", "6")],
    ids=["matches of ladders", "matches of cups"],
)
def test_matches_under_fire_give_one_result_each(played: Sequence[str]) -> None:
    """In a process of its own, on a database of its own, since PostgreSQL is killed as well."""
    chaos = [sys.executable, "-m", "tests.ladder.chaos", *played]
    on = ["--postgresql"] if connection.vendor == "postgresql" else []
    done = subprocess.run([*chaos, *on], cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every match has one result" in done.stdout
